"""Joint correctness: what M models get right in each of G clusters, part by part and together.

A cluster (patient, case, dialogue) holds items of one or more parts (components). It is *right* in
some parts when every item of those parts is. Everything here is a count, additive over clusters.

A model without an answer to an item cannot be said to be right or wrong on the cluster: the cluster
is not *known* for that model, even where another answer is wrong already. Judging it wrong then, and
leaving it out where the answers at hand are all right, would pull every joint share down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.results import BoolArray, IntArray, frozen_array


@dataclass(frozen=True)
class ClusterCounts:
    """Items, answers and right answers of each part of each cluster.

    Parameters
    ----------
    n_items : ndarray of int, shape (C, G)
        Items of each of C parts in each of G clusters.
    n_answered, n_right : ndarray of int, shape (M, C, G)
        Of those, answered by each of M models, and answered rightly.
    """

    n_items: IntArray
    n_answered: npt.NDArray[np.int32]
    n_right: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_items", frozen_array(self.n_items, np.int64))
        for name in ("n_answered", "n_right"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int32))
            if getattr(self, name).shape[1:] != self.n_items.shape:
                raise ValueError(
                    f"{name} has shape {getattr(self, name).shape}, n_items {self.n_items.shape}"
                )
        if np.any(self.n_answered > self.n_items) or np.any(self.n_right > self.n_answered):
            raise ValueError("right answers cannot exceed answers, nor answers items")


@dataclass(frozen=True)
class Outcomes:
    """Whether each of M models is right on all that is asked of each of G clusters.

    Parameters
    ----------
    known, success : ndarray of bool, shape (M, G)
        The model has an answer to everything asked; and all of it is right.
    has_parts : ndarray of bool, shape (G,)
        The cluster has an item of every part asked for.
    n_items : ndarray of int, shape (G,)
        Items asked for.
    n_right : ndarray of int, shape (M, G)
        Of those, right.
    """

    known: BoolArray
    success: BoolArray
    has_parts: BoolArray
    n_items: IntArray
    n_right: IntArray

    def __post_init__(self) -> None:
        for name in ("known", "success", "has_parts"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.bool_))
        for name in ("n_items", "n_right"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        if np.any(self.success & ~self.known) or np.any(self.known & ~self.has_parts):
            raise ValueError("a success is known, and only clusters with every part are")

    @property
    def n_known(self) -> IntArray:
        """Clusters that count for each model, shape (M,)."""
        return np.asarray(np.count_nonzero(self.known, axis=1), dtype=np.int64)

    @property
    def n_success(self) -> IntArray:
        """Clusters that are right, shape (M,)."""
        return np.asarray(np.count_nonzero(self.success, axis=1), dtype=np.int64)

    def among(self, known: BoolArray) -> Outcomes:
        """Return the outcomes where only these clusters, shape (M, G) or (G,), are known."""
        keep = self.known & known
        return Outcomes(keep, self.success & keep, self.has_parts, self.n_items, self.n_right)

    def of(self, models: Sequence[int]) -> Outcomes:
        """Return the outcomes of some models."""
        at = list(models)
        return Outcomes(self.known[at], self.success[at], self.has_parts, self.n_items, self.n_right[at])


def count_clusters(
    right: npt.ArrayLike,
    answered: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    parts: npt.ArrayLike | None = None,
    n_parts: int = 1,
    scored: npt.ArrayLike | None = None,
) -> ClusterCounts:
    """Count items, answers and right answers by part and cluster.

    Parameters
    ----------
    right, answered : array_like of bool, shape (M, N)
        Whether model m has an answer to item n, and whether it is right.
    clusters : array_like of int, shape (N,)
        Cluster of each item; the distinct codes in order are the G clusters.
    parts : array_like of int, shape (N,), optional
        Part of each item, 0 to n_parts - 1; negative for none (the item is not counted).
    n_parts : int
        Number of parts, C.
    scored : array_like of bool, shape (N,), optional
        Items that ask for something; default: those that any model has answered.

    Returns
    -------
    ClusterCounts
        Clusters without a counted item keep their place, with zeros.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Examples
    --------
    Two patients; the second model has no answer to the last item.

    >>> counts = count_clusters([[1, 1, 0], [1, 0, 0]], [[1, 1, 1], [1, 1, 0]], [5, 5, 8])
    >>> counts.n_items.tolist(), counts.n_right[:, 0].tolist(), counts.n_answered[1, 0].tolist()
    ([[2, 1]], [[2, 0], [1, 0]], [2, 0])
    """
    hits, has = np.asarray(right, dtype=np.bool_), np.asarray(answered, dtype=np.bool_)
    codes = np.asarray(clusters)
    if hits.ndim != 2 or hits.shape != has.shape or codes.shape != hits.shape[1:]:
        raise ValueError(f"right {hits.shape}, answered {has.shape} and clusters {codes.shape} do not fit")
    part = np.zeros(codes.size, dtype=np.int64) if parts is None else np.asarray(parts, dtype=np.int64)
    if part.shape != codes.shape or np.any(part >= n_parts):
        raise ValueError(f"parts must be {codes.size} integers below {n_parts}")
    asked = np.any(has, axis=0) if scored is None else np.asarray(scored, dtype=np.bool_)
    distinct, cluster = np.unique(codes, return_inverse=True)
    shape = (n_parts, distinct.size)
    use = np.flatnonzero(asked & (part >= 0))
    place = part[use] * distinct.size + cluster[use]
    order = np.argsort(place, kind="stable")
    use, place = use[order], place[order]
    n_items = np.bincount(place, minlength=n_parts * distinct.size).reshape(shape)
    n_right, n_answered = (np.zeros((hits.shape[0], n_parts * distinct.size), np.int32) for _ in range(2))
    if use.size:
        # Items of one part of one cluster now stand together: sums over runs, model by model.
        starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
        for m in range(hits.shape[0]):
            got = has[m, use]
            n_answered[m, place[starts]] = np.add.reduceat(got, starts, dtype=np.int32)
            n_right[m, place[starts]] = np.add.reduceat(hits[m, use] & got, starts, dtype=np.int32)
    whole = (hits.shape[0], *shape)
    return ClusterCounts(n_items, n_answered.reshape(whole), n_right.reshape(whole))


def joint_outcomes(counts: ClusterCounts, parts: Sequence[int] | None = None) -> Outcomes:
    """Tell in which clusters each model is right in all of some parts.

    Parameters
    ----------
    counts : ClusterCounts
        What was asked, answered and right.
    parts : sequence of int, optional
        Parts asked for: a cluster needs an item of each. Default: everything the cluster has,
        whatever its parts.

    Returns
    -------
    Outcomes

    Examples
    --------
    >>> counts = count_clusters([[1, 1, 0, 1]], [[1, 1, 1, 1]], [0, 0, 1, 1], parts=[0, 1, 0, 1], n_parts=2)
    >>> joint_outcomes(counts).success.tolist(), joint_outcomes(counts, [1]).success.tolist()
    ([[True, False]], [[True, True]])
    """
    chosen = list(range(counts.n_items.shape[0])) if parts is None else list(parts)
    per_part = counts.n_items[chosen]
    n_items = per_part.sum(axis=0)
    has_parts = n_items > 0 if parts is None else np.all(per_part > 0, axis=0)
    n_right = counts.n_right[:, chosen].sum(axis=1, dtype=np.int64)
    known = has_parts & (counts.n_answered[:, chosen].sum(axis=1, dtype=np.int64) == n_items)
    return Outcomes(known, known & (n_right == n_items), has_parts, n_items, n_right)


def joint_states(outcomes: Sequence[Outcomes]) -> tuple[IntArray, IntArray]:
    """Count the clusters in each joint state of several outcomes.

    Parameters
    ----------
    outcomes : sequence of Outcomes
        K outcomes of the same models and clusters.

    Returns
    -------
    counts : ndarray of int, shape (M, 2 ** K)
        Clusters in each state; bit k of the state's number says that outcome k is a success.
    n_known : ndarray of int, shape (M,)
        Clusters in which all K are known.

    Examples
    --------
    >>> counts = count_clusters([[1, 1, 0, 1]], [[1, 1, 1, 1]], [0, 0, 1, 1], parts=[0, 1, 0, 1], n_parts=2)
    >>> joint_states([joint_outcomes(counts, [0]), joint_outcomes(counts, [1])])[0].tolist()
    [[0, 0, 1, 1]]
    """
    known = np.logical_and.reduce([o.known for o in outcomes])
    state = np.zeros(known.shape, dtype=np.int64)
    for k, outcome in enumerate(outcomes):
        state |= outcome.success.astype(np.int64) << k
    n_states = 2 ** len(outcomes)
    counts = np.zeros((known.shape[0], n_states), dtype=np.int64)
    for m, (row, use) in enumerate(zip(state, known, strict=True)):
        counts[m] = np.bincount(row[use], minlength=n_states)
    return counts, np.asarray(known.sum(axis=1), dtype=np.int64)
