"""Joint success against what its parts would let expect: the composition gap.

Estimands, over the clusters (episodes) in which everything asked for is known:

``joint``
    The share of episodes with everything right.
``item_accuracy``
    The share of right items in them: what is usually reported.
``independent``
    Joint success if the parts failed independently of each other: the product of the parts' shares.
    Where the parts are the items of an episode, the mean over episodes of p to the power of its
    number of items, p being the item accuracy.
``weakest``
    The lowest of the parts' shares; joint success cannot exceed it.
``lowest_possible``
    max(0, sum of the parts' shares - (parts - 1)); joint success cannot fall below it (Frechet).

``joint - item_accuracy`` mixes two things: that more is asked for, and how failures fall together.
``joint - independent`` is the second alone: above 0, failures of the parts concentrate in the same
episodes; below 0, they spread over more episodes than chance would. Where the parts are items this
takes them as equally hard: items of one episode that are not would, failing independently, give less than
p to the power of their number, so a gap below 0 can come of that alone. All are ratios of sums over
episodes and are resampled as such, from one draw for all models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.stats.bootstrap import expanded_tail
from analysis.stats.episodes import Outcomes
from analysis.stats.resampling import Resamples, row_limits
from analysis.stats.results import BoolArray, FloatArray, IntArray, NumericArray, check_level, frozen_array

GAPS = ("gap_accuracy", "gap_independent", "gap_weakest")
STATISTICS = ("joint", "item_accuracy", "independent", "weakest", *GAPS)
"""What :func:`composition_gaps` estimates, in this order."""

_BLOCK_VALUES = 2**24
_BLOCK_CELLS = 2**21


@dataclass(frozen=True)
class CompositionGaps:
    """The `STATISTICS` of M models, and their joint bootstrap replicates.

    Parameters
    ----------
    estimate : ndarray of float, shape (7, M)
        Values; NaN where a model has no episode, and for `weakest` where the parts are items.
    replicates : ndarray of float, shape (7, M, B)
        The same in each resample.
    n_clusters : ndarray of int, shape (M,)
        Episodes.
    n_joining : ndarray of int, shape (M,)
        Of those, with more than one item: what a gap between items rests on.
    parts : ndarray of float, shape (P, M)
        The parts' shares; P is 0 where the parts are items.
    p_empty : ndarray of float, shape (M,)
        Where no episode is right, or none fails in more than one part: the chance of that (Poisson) if
        parts failed independently. 0 elsewhere.
    """

    estimate: FloatArray
    replicates: FloatArray
    n_clusters: IntArray
    n_joining: IntArray
    parts: FloatArray
    p_empty: FloatArray

    def __post_init__(self) -> None:
        for name in ("estimate", "replicates", "parts", "p_empty"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        for name in ("n_clusters", "n_joining"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))

    def of(self, statistic: str) -> FloatArray:
        """Return the estimates of one statistic, shape (M,)."""
        return np.asarray(self.estimate[STATISTICS.index(statistic)])

    def limits(self, statistic: str, level: float) -> tuple[FloatArray, FloatArray]:
        """Return percentile limits with tails widened for few episodes; NaN where resamples are equal.

        The gap to independence has none either where what is seen is an empty cell that independence
        leaves a fair chance (`p_empty` above a tail): resamples keep the cell empty, so all of them lie
        on one side of 0 although none of 100 where one is expected is no finding.
        """
        check_level(level)
        tail = expanded_tail((1 - level) / 2, self.n_joining)
        replicates: FloatArray = self.replicates[STATISTICS.index(statistic)]
        low, high = row_limits(replicates, tail, tail)
        if statistic == "gap_independent":
            void = self.p_empty > (1 - level) / 2
            low, high = (np.where(void, np.nan, limit) for limit in (low, high))
        return low, high

    def lowest_possible(self) -> FloatArray:
        """Return Frechet's lower bound of joint success, shape (M,); NaN where the parts are items."""
        if not self.parts.shape[0]:
            return np.full(self.n_clusters.shape, np.nan)
        return np.asarray(np.maximum(0.0, self.parts.sum(axis=0) - (self.parts.shape[0] - 1)))


def composition_gaps(joint: Outcomes, parts: Sequence[Outcomes], draws: Resamples) -> CompositionGaps:
    """Estimate joint success, its parts and the gaps between them.

    Parameters
    ----------
    joint : Outcomes
        Success of M models in everything, over G clusters.
    parts : sequence of Outcomes
        Success in each part; empty where the parts are the items.
    draws : Resamples
        The resamples of the G clusters, shared by everything that is to be compared.

    Returns
    -------
    CompositionGaps

    Examples
    --------
    Four patients, two components, right in 3 and 2 of them, in 1 together: below independence.

    >>> from analysis.stats.episodes import count_clusters, joint_outcomes
    >>> right = [[1, 1, 1, 0, 1, 0, 0, 1]]
    >>> patients, component = [0, 1, 2, 3, 0, 1, 2, 3], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> counts = count_clusters(right, np.ones((1, 8)), patients, parts=component, n_parts=2)
    >>> parts = [joint_outcomes(counts, [0]), joint_outcomes(counts, [1])]
    >>> draws = Resamples(np.random.default_rng(1), 4, 100)
    >>> gaps = composition_gaps(joint_outcomes(counts, [0, 1]), parts, draws)
    >>> {s: gaps.of(s).round(3).item() for s in ("joint", "item_accuracy", "independent", "gap_independent")}
    {'joint': 0.25, 'item_accuracy': 0.625, 'independent': 0.375, 'gap_independent': -0.125}
    """
    known = known_together(joint, parts)
    tables = _Tables.of(joint, parts, known)
    totals = [t.sum(axis=-1, keepdims=True, dtype=np.float64) for t in tables.all]
    sums = draws.sum_rows(*[t.reshape(-1, t.shape[-1]) for t in tables.all])
    resampled = [s.reshape(*t.shape[:-1], draws.n_draws) for s, t in zip(sums, tables.all, strict=True)]
    with np.errstate(invalid="ignore", divide="ignore"):
        return CompositionGaps(
            tables.statistics(totals)[..., 0],
            tables.statistics(resampled),
            np.asarray(known.sum(axis=1)),
            np.asarray((known & (joint.n_items > 1)).sum(axis=1)),
            (totals[4] / totals[0])[..., 0],
            tables.p_empty(totals),
        )


def known_together(joint: Outcomes, parts: Sequence[Outcomes]) -> BoolArray:
    """Return where everything asked for is known, shape (M, G)."""
    return np.asarray(np.logical_and.reduce([joint.known, *(p.known for p in parts)]))


@dataclass(frozen=True)
class GapDifference:
    """Differences of one statistic between P pairs of models, over the clusters that both know.

    Parameters
    ----------
    statistic : str
        One of `STATISTICS`.
    difference, low, high : ndarray of float, shape (P,)
        First minus second, with limits.
    n_clusters : ndarray of int, shape (P,)
        Clusters of both.
    """

    statistic: str
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    n_clusters: IntArray


def gap_differences(
    joint: Outcomes,
    parts: Sequence[Outcomes],
    draws: Resamples,
    gaps: CompositionGaps,
    pairs: IntArray,
    *,
    statistics: Sequence[str],
    level: float,
) -> list[GapDifference]:
    """Compare pairs of models on the clusters that both know.

    Parameters
    ----------
    joint, parts, draws
        As given to :func:`composition_gaps`.
    gaps : CompositionGaps
        What it returned: pairs that know the same clusters use its replicates.
    pairs : ndarray of int, shape (P, 2)
        First and second model of each pair.
    statistics : sequence of str
        Which of `STATISTICS`.
    level : float
        Confidence level.

    Returns
    -------
    list of GapDifference
        One for each statistic.
    """
    check_level(level)
    known = known_together(joint, parts)
    first, second = pairs.reshape(-1, 2).T
    same = _same_rows(known, first, second)
    n_common = np.where(same, gaps.n_clusters[first], 0)
    out, low, high = (np.full((len(statistics), first.size), np.nan) for _ in range(3))
    at = [STATISTICS.index(s) for s in statistics]
    size = max(1, _BLOCK_VALUES // draws.n_draws)
    alike = np.flatnonzero(same)
    for start in range(0, alike.size, size):
        use = alike[start : start + size]
        a, b = first[use], second[use]
        tail = expanded_tail((1 - level) / 2, gaps.n_joining[a])
        for row, s in enumerate(at):
            out[row, use] = gaps.estimate[s, a] - gaps.estimate[s, b]
            between = gaps.replicates[s, a] - gaps.replicates[s, b]
            low[row, use], high[row, use] = row_limits(between, tail, tail)
            if STATISTICS[s] == "gap_independent":
                neither = np.minimum(gaps.p_empty[a], gaps.p_empty[b]) > (1 - level) / 2
                low[row, use[neither]] = high[row, use[neither]] = np.nan
    apart = np.flatnonzero(~same)
    size = int(np.clip(_BLOCK_CELLS // max(known.shape[1], 1), 1, 256))
    for start in range(0, apart.size, size):
        # Unlike clusters: the pairs' own statistics over what both know, from the same draw.
        use = apart[start : start + size]
        two = np.stack([first[use], second[use]], axis=1).ravel()
        common = known[first[use]] & known[second[use]]
        n_common[use] = common.sum(axis=1)
        of_pairs = joint.of(two.tolist()).among(np.repeat(common, 2, axis=0))
        pair = composition_gaps(of_pairs, [part.of(two.tolist()) for part in parts], draws)
        tail = expanded_tail((1 - level) / 2, pair.n_joining[::2])
        for row, s in enumerate(at):
            out[row, use] = pair.estimate[s, ::2] - pair.estimate[s, 1::2]
            between = pair.replicates[s, ::2] - pair.replicates[s, 1::2]
            low[row, use], high[row, use] = row_limits(between, tail, tail)
            if STATISTICS[s] == "gap_independent":
                neither = np.minimum(pair.p_empty[::2], pair.p_empty[1::2]) > (1 - level) / 2
                low[row, use[neither]] = high[row, use[neither]] = np.nan
    return [
        GapDifference(name, out[row], low[row], high[row], n_common) for row, name in enumerate(statistics)
    ]


@dataclass(frozen=True)
class _Tables:
    """What each cluster adds to the sums: episodes, joint successes, items, right items, parts or depths."""

    episodes: NumericArray
    joint: NumericArray
    items: NumericArray
    right: NumericArray
    parts: NumericArray
    depths: NumericArray
    exponents: IntArray

    @classmethod
    def of(cls, joint: Outcomes, parts: Sequence[Outcomes], known: BoolArray) -> _Tables:
        # Models that know the same clusters share the rows that do not depend on their answers.
        shared = known[:1] if known.shape[0] and np.all(known == known[:1]) else known
        n_items = joint.n_items
        exponents = np.zeros(0, dtype=np.int64) if parts else np.unique(n_items[known.any(axis=0)])
        no_parts = np.zeros((0, *known.shape), dtype=np.float32)
        no_depths = np.zeros((0, *shared.shape), dtype=np.float32)
        return cls(
            shared.astype(np.float32),
            (joint.success & known).astype(np.float32),
            (shared * n_items).astype(np.float32),
            np.where(known, joint.n_right, 0).astype(np.float32),
            np.stack([p.success & known for p in parts]).astype(np.float32) if parts else no_parts,
            np.stack([shared & (n_items == n) for n in exponents]).astype(np.float32)
            if exponents.size
            else no_depths,
            exponents,
        )

    @property
    def all(self) -> tuple[NumericArray, ...]:
        return self.episodes, self.joint, self.items, self.right, self.parts, self.depths

    def statistics(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Return `STATISTICS`, shape (7, M, B), of sums whose last axis is the resample."""
        episodes, successes, items, right, parts, depths = sums
        joint, accuracy = successes / episodes, right / items
        if parts.shape[0]:
            shares = parts / episodes
            independent, weakest = np.prod(shares, axis=0), np.min(shares, axis=0)
        else:
            independent = np.zeros_like(accuracy)
            for exponent, depth in zip(self.exponents.tolist(), depths, strict=True):
                independent += depth * accuracy**exponent
            independent /= episodes
            weakest = np.full_like(accuracy, np.nan)
        gaps = joint - accuracy, joint - independent, joint - weakest
        return np.stack([joint, accuracy, independent, weakest, *gaps])

    def p_empty(self, totals: Sequence[FloatArray]) -> FloatArray:
        """Return `CompositionGaps.p_empty` of totals over episodes, whose last axis has length 1."""
        n, right, items, hits, parts, depths = (t[..., 0] for t in totals)
        with np.errstate(invalid="ignore", divide="ignore"):
            if parts.shape[0]:
                share = parts / n
                none = np.prod(share, axis=0)
                others = [np.prod(np.delete(share, k, axis=0), axis=0) for k in range(share.shape[0])]
                one = np.sum((1 - share) * np.stack(others), axis=0)
                wrong = (n - parts).sum(axis=0)
                together, apart = n * none, n * (1 - none - one)
            else:
                p, k = hits / items, self.exponents[:, None]
                none, one = p**k, k * (1 - p) * p ** (k - 1)
                wrong = items - hits
                together, apart = (depths * none).sum(axis=0), (depths * (1 - none - one)).sum(axis=0)
        # An episode that is not right fails in at least one part; as many failures: each in one alone.
        found = np.where(right == 0, np.exp(-together), np.where(wrong == n - right, np.exp(-apart), 0.0))
        return np.asarray(np.nan_to_num(found), dtype=np.float64)


def _same_rows(known: BoolArray, first: IntArray, second: IntArray) -> BoolArray:
    """Tell which pairs of models know the same clusters."""
    _, group = np.unique(np.packbits(known, axis=1), axis=0, return_inverse=True)
    group = group.reshape(-1)
    return np.asarray(group[first] == group[second])
