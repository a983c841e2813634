"""Which models no other model beats on cost and score together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.results import BoolArray, FloatArray, IntArray, frozen_array


@dataclass(frozen=True)
class Frontier:
    """The Pareto set of M models.

    Parameters
    ----------
    on_frontier : ndarray of bool, shape (M,)
        Whether no other model has at least its score for less cost, or more score for at most its
        cost.
    dominated_by : ndarray of int, shape (M,)
        Index of a model on the frontier that dominates it; -1 for models on the frontier and for
        models without cost or score.
    """

    on_frontier: BoolArray
    dominated_by: IntArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "on_frontier", frozen_array(self.on_frontier, np.bool_))
        object.__setattr__(self, "dominated_by", frozen_array(self.dominated_by, np.int64))
        if self.on_frontier.shape != self.dominated_by.shape:
            raise ValueError("on_frontier and dominated_by differ in shape")
        if np.any(self.on_frontier & (self.dominated_by >= 0)):
            raise ValueError("a model on the frontier is dominated by none")


def pareto_frontier(cost: npt.ArrayLike, score: npt.ArrayLike) -> Frontier:
    """Find the models that are not dominated.

    Parameters
    ----------
    cost, score : array_like of float, shape (M,)
        Less cost and more score are better; a model with NaN in either is not on the frontier and
        dominates none.

    Returns
    -------
    Frontier

    Raises
    ------
    ValueError
        If the shapes differ.

    Notes
    -----
    Models equal in both cost and score do not dominate each other: all of them stay, or none. Of
    the frontier models that dominate a model, `dominated_by` names the one with the highest score,
    then the least cost, then the lowest index: the best one could have for no more money.

    Examples
    --------
    >>> frontier = pareto_frontier([1.0, 2.0, 2.0, 3.0], [0.3, 0.5, 0.4, 0.5])
    >>> frontier.on_frontier.tolist(), frontier.dominated_by.tolist()
    ([True, True, False, False], [-1, -1, 1, 1])
    """
    c, s = np.asarray(cost, np.float64), np.asarray(score, np.float64)
    if c.ndim != 1 or c.shape != s.shape:
        raise ValueError(f"cost and score must have one value per model, got {c.shape} and {s.shape}")
    priced = ~(np.isnan(c) | np.isnan(s))
    with np.errstate(invalid="ignore"):
        # dominates[j, i]: j dominates i. Comparisons with NaN are false.
        cheaper, no_dearer = c[:, None] < c[None, :], c[:, None] <= c[None, :]
        better, no_worse = s[:, None] > s[None, :], s[:, None] >= s[None, :]
    dominates = (cheaper & no_worse) | (no_dearer & better)
    on_frontier = priced & ~dominates.any(axis=0)
    dominated_by = np.full(c.size, -1, dtype=np.int64)
    for i in np.flatnonzero(priced & ~on_frontier):
        candidates = np.flatnonzero(dominates[:, i] & on_frontier)
        best = np.lexsort((candidates, c[candidates], -s[candidates]))[0]
        dominated_by[i] = candidates[best]
    return Frontier(on_frontier, dominated_by)


def frontier_probability(cost: npt.ArrayLike, score_replicates: npt.ArrayLike) -> FloatArray:
    """Estimate how often each model is on the frontier over joint resamples.

    Parameters
    ----------
    cost : array_like of float, shape (M,) or (B, M)
        Costs: fixed, or replicates from the same resamples as the scores. A model whose cost is
        NaN throughout is on no frontier.
    score_replicates : array_like of float, shape (B, M)
        Scores in each resample.

    Returns
    -------
    ndarray of float, shape (M,)
        Share of resamples in which the model is on the frontier; NaN for a model that never has
        both cost and score.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Notes
    -----
    A resample in which a model has no score counts as one in which it is not on the frontier. The
    share is a bootstrap proportion: a measure of stability, not the posterior probability of being
    on the frontier.

    Examples
    --------
    >>> frontier_probability([1.0, 2.0], [[0.5, 0.6], [0.5, 0.4], [0.5, 0.5], [0.5, 0.7]]).tolist()
    [1.0, 0.5]
    """
    s = np.asarray(score_replicates, np.float64)
    if s.ndim != 2:
        raise ValueError(f"score_replicates must have shape (resamples, models), got {s.shape}")
    c = np.asarray(cost, np.float64)
    if c.shape not in (s.shape, s.shape[1:]):
        raise ValueError(f"cost has shape {c.shape}, scores have {s.shape}")
    c = np.broadcast_to(c, s.shape)
    known = ~(np.isnan(c) | np.isnan(s))
    c_all, s_all = np.where(known, c, np.inf), np.where(known, s, -np.inf)
    order = np.argsort(c_all, axis=1, kind="stable")
    c_sorted, s_sorted = np.take_along_axis(c_all, order, 1), np.take_along_axis(s_all, order, 1)
    n_models = s.shape[1]
    best = np.maximum.accumulate(s_sorted, axis=1)
    # Runs of equal cost: the best score of anything cheaper, and the best at this cost or less.
    new_cost = np.ones(s.shape, dtype=np.bool_)
    new_cost[:, 1:] = c_sorted[:, 1:] != c_sorted[:, :-1]
    first = np.maximum.accumulate(np.where(new_cost, np.arange(n_models), 0), axis=1)
    last_flag = np.ones(s.shape, dtype=np.bool_)
    last_flag[:, :-1] = new_cost[:, 1:]
    last = np.minimum.accumulate(np.where(last_flag, np.arange(n_models), n_models)[:, ::-1], axis=1)[:, ::-1]
    padded = np.concatenate([np.full((s.shape[0], 1), -np.inf), best], axis=1)
    best_cheaper = np.take_along_axis(padded, first, 1)
    best_affordable = np.take_along_axis(best, last, 1)
    on_sorted = (s_sorted > best_cheaper) & (s_sorted >= best_affordable)
    on = np.zeros(s.shape, dtype=np.bool_)
    np.put_along_axis(on, order, on_sorted, 1)
    probability = (on & known).mean(axis=0) if s.shape[0] else np.full(n_models, np.nan)
    return np.where(known.any(axis=0), probability, np.nan)
