"""Composite scores: metrics on one scale, weighted means, and what of their order is certain.

A composite hides what it is made of and depends on weights that nobody knows. These functions say how
much of an order of models is left when the weights, or the cases, are drawn anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.bootstrap import expanded_tail
from analysis.stats.rank_agreement import kendall_tau
from analysis.stats.ranks import rank_intervals
from analysis.stats.resampling import order_statistic_limits
from analysis.stats.results import BoolArray, FloatArray, IntArray, check_level, frozen_array


def normalise(values: npt.ArrayLike, *, low: float, high: float | None, higher_is_better: bool) -> FloatArray:
    """Map a metric to [0, 1] with 1 the best, by declared bounds.

    Parameters
    ----------
    values : array_like of float
        Values of the metric; NaN stays NaN.
    low : float
        Least value.
    high : float or None
        Greatest value; None: unbounded, x - low is mapped by x / (1 + x), so that 1 stands for half.
    higher_is_better : bool
        Direction.

    Returns
    -------
    ndarray of float

    Raises
    ------
    ValueError
        If the bounds are not in order, or a value lies outside them.

    Examples
    --------
    >>> normalise([0.2, 0.5], low=0, high=1, higher_is_better=False).tolist()
    [0.8, 0.5]
    >>> normalise([0.0, 1.0, 3.0], low=0, high=None, higher_is_better=True).tolist()
    [0.0, 0.5, 0.75]
    """
    x = np.asarray(values, dtype=np.float64) - low
    if high is not None and high <= low:
        raise ValueError(f"bounds are not in order: {low:g}, {high:g}")
    top = np.inf if high is None else high - low
    if np.any(x < -1e-9) or np.any(x > top + 1e-9):
        raise ValueError(f"values outside the bounds {low:g} to {'infinity' if high is None else high}")
    x = np.clip(x, 0.0, top)
    share: FloatArray = x / (1 + x) if high is None else x / top
    return share if higher_is_better else 1.0 - share


def equal_weights(groups: npt.ArrayLike, *, by_group: bool) -> FloatArray:
    """Return weights that sum to 1: the same for every metric, or for every group of metrics.

    Parameters
    ----------
    groups : array_like of int, shape (K,)
        Group of each metric.
    by_group : bool
        Whether groups, not metrics, weigh the same.

    Examples
    --------
    >>> equal_weights([0, 0, 0, 1], by_group=True).round(3).tolist()
    [0.167, 0.167, 0.167, 0.5]
    """
    codes = np.asarray(groups)
    if not by_group:
        return np.full(codes.size, 1.0 / max(codes.size, 1))
    _, inverse, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    return 1.0 / (sizes[inverse] * max(sizes.size, 1))


def draw_weights(
    groups: npt.ArrayLike, *, by_group: bool, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw weights uniformly from all that sum to 1: a Dirichlet distribution with all parameters 1.

    Parameters
    ----------
    groups : array_like of int, shape (K,)
        Group of each metric.
    by_group : bool
        Whether the groups' weights are drawn, shared equally within a group; else the metrics'.
    n_draws : int
        Number of draws, D.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of float, shape (D, K)

    Notes
    -----
    Uniform weights are the widest agnosticism: they include weights near 0 for all metrics but one.
    Source: Tervonen and Lahdelma (2007), stochastic multicriteria acceptability analysis,
    doi:10.1016/j.ejor.2005.12.037.
    """
    codes = np.asarray(groups)
    if not by_group:
        return rng.dirichlet(np.ones(codes.size), size=n_draws)
    _, inverse, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    drawn = rng.dirichlet(np.ones(sizes.size), size=n_draws)
    weights: FloatArray = drawn[:, inverse] / sizes[inverse]
    return weights


@dataclass(frozen=True)
class RankDraws:
    """Ranks of M models in D draws of weights or of cases, against those in force.

    Parameters
    ----------
    rank : ndarray of int, shape (M,)
        Ranks in force, 1 best.
    rank_low, rank_high : ndarray of int, shape (M,)
        Best and worst rank after cutting the tails off.
    mean_rank, p_first : ndarray of float, shape (M,)
        Mean rank, and share of the draws in which the model is first; models that tie share a draw.
    p_above : ndarray of float, shape (M, M)
        Share of the draws in which the row scores above the column; a tie counts half.
    p_same_order, p_same_first : float
        Share of the draws with all ranks, and with the first one, as in force.
    tau, tau_low, tau_high : float
        Kendall's tau-b of the drawn orders with that in force: mean and range without the tails.
    n_draws : int
        Draws.
    """

    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    mean_rank: FloatArray
    p_first: FloatArray
    p_above: FloatArray
    p_same_order: float
    p_same_first: float
    tau: float
    tau_low: float
    tau_high: float
    n_draws: int

    def __post_init__(self) -> None:
        for name in ("rank", "rank_low", "rank_high"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        for name in ("mean_rank", "p_first", "p_above"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        if np.any(self.rank_low > self.rank_high):
            raise ValueError("a rank interval is reversed")


def rank_draws(scores: npt.ArrayLike, drawn: npt.ArrayLike, *, level: float) -> RankDraws:
    """Rank models in every draw.

    Parameters
    ----------
    scores : array_like of float, shape (M,)
        Scores in force, without NaN; higher is better.
    drawn : array_like of float, shape (D, M)
        Scores in each draw, without NaN.
    level : float
        Share of the draws that the rank intervals hold.

    Returns
    -------
    RankDraws
        Ties, to 12 decimals: ranks go to the model that stands first, shares are split.

    Raises
    ------
    ValueError
        If shapes do not fit or a score is NaN.

    Examples
    --------
    >>> found = rank_draws([0.9, 0.5], [[0.8, 0.4], [0.3, 0.6], [0.9, 0.1], [0.7, 0.6]], level=0.5)
    >>> found.p_first.tolist(), found.p_same_order
    ([0.75, 0.25], 0.75)

    Two models with the same scores: none is first more often.

    >>> rank_draws([0.5, 0.5], [[0.4, 0.4], [0.3, 0.3]], level=0.5).p_first.tolist()
    [0.5, 0.5]
    """
    check_level(level)
    one, many = np.asarray(scores, np.float64), np.asarray(drawn, np.float64)
    if one.ndim != 1 or many.ndim != 2 or many.shape[1] != one.size or not many.shape[0]:
        raise ValueError(f"scores have shape {one.shape}, drawn ones {many.shape}")
    if np.any(np.isnan(one)) or np.any(np.isnan(many)):
        raise ValueError("scores must not be NaN")
    rank, ranks = _ranks(one[None])[0], _ranks(many)
    rounded = np.round(many, 12)
    first = rounded == rounded.max(axis=1, keepdims=True)
    tail = (1 - level) / 2
    ordered = np.sort(ranks, axis=0)
    last = ranks.shape[0] - 1
    same = ranks == rank
    tau = kendall_tau(one, many) if one.size > 1 else np.ones(len(many))
    # Where all scores of a draw tie, nothing is ordered.
    tau = np.nan_to_num(tau, nan=0.0)
    limits = np.quantile(tau, [tail, 1 - tail], method="inverted_cdf")
    return RankDraws(
        rank,
        ordered[int(np.floor(tail * last + 1e-9))],
        ordered[int(np.ceil((1 - tail) * last - 1e-9))],
        ranks.mean(axis=0),
        (first / first.sum(axis=1, keepdims=True)).mean(axis=0),
        _above(rounded),
        float(same.all(axis=1).mean()),
        float((same | (rank != 1)).all(axis=1).mean()),
        float(tau.mean()),
        float(limits[0]),
        float(limits[1]),
        int(many.shape[0]),
    )


def _above(scores: FloatArray) -> FloatArray:
    """Return how often each column is above each other one, shape (M, M); ties count half, itself none."""
    n = scores.shape[1]
    above = np.zeros((n, n))
    for i in range(n):
        own = scores[:, i : i + 1]
        above[i] = (own > scores).mean(axis=0) + 0.5 * (own == scores).mean(axis=0)
    np.fill_diagonal(above, 0.0)
    return above


def _ranks(scores: FloatArray) -> IntArray:
    """Return the ranks of each row, 1 the highest."""
    order = np.argsort(-np.round(scores, 12), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, scores.shape[1] + 1)[None], axis=1)
    return ranks.astype(np.int64)


@dataclass(frozen=True)
class RankBounds:
    """Differences of all pairs of M models with simultaneous intervals, and the ranks that follow.

    Parameters
    ----------
    low, high : ndarray of float, shape (M, M)
        Limits of row minus column that hold for all pairs together; NaN where no spread exists.
    rank_low, rank_high : ndarray of int, shape (M,)
        Ranks that they leave, for all models together.
    """

    low: FloatArray
    high: FloatArray
    rank_low: IntArray
    rank_high: IntArray


def bound_ranks(scores: npt.ArrayLike, replicates: npt.ArrayLike, *, level: float) -> RankBounds:
    """Bound the ranks of models by simultaneous intervals of all their differences.

    Parameters
    ----------
    scores : array_like of float, shape (M,)
        Scores.
    replicates : array_like of float, shape (B, M)
        Joint bootstrap replicates, without NaN.
    level : float
        Simultaneous confidence level.

    Notes
    -----
    The limits are difference ± c · s, with s the bootstrap standard error and c the quantile over
    resamples of the largest |replicate - difference| / s of any pair. Percentiles of resampled ranks
    are too narrow where models nearly tie; these are not. Source: Mogstad, Romano, Shaikh and Wilhelm
    (2024), doi:10.1093/restud/rdad006.
    """
    check_level(level)
    one, many = np.asarray(scores, np.float64), np.asarray(replicates, np.float64)
    n = one.size
    a, b = np.triu_indices(n, 1)
    difference = one[a] - one[b]
    error = many[:, a] - many[:, b] - difference
    spread = np.sqrt(np.mean(error**2, axis=0))
    known: BoolArray = spread > 1e-12
    largest = np.max(np.abs(error[:, known]) / spread[known], axis=1, initial=0.0)
    c = float(np.quantile(largest, level, method="inverted_cdf"))
    half = np.where(known, c * spread, np.nan)
    low, high = np.full((n, n), np.nan), np.full((n, n), np.nan)
    low[a, b], high[a, b] = difference - half, difference + half
    low[b, a], high[b, a] = -(difference + half), -(difference - half)
    with np.errstate(invalid="ignore"):
        better, worse = low > 0, high < 0
    # Pairs without spread differ exactly as observed in every resample.
    fixed = np.zeros((n, n), dtype=np.bool_)
    fixed[a, b] = fixed[b, a] = ~known & (np.abs(difference) > 1e-12)
    sign = np.sign(one[:, None] - one[None, :])
    rank_low, rank_high = rank_intervals(better | worse | fixed, sign)
    return RankBounds(low, high, rank_low, rank_high)


def percentile_limits(
    replicates: FloatArray, n_units: npt.ArrayLike, *, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the percentile limits of each column of replicates, NaN where they do not differ.

    Parameters
    ----------
    replicates : ndarray of float, shape (B, K)
        Replicates.
    n_units : array_like of int, shape () or (K,)
        Resampled units that each rests on; the tails are widened where they are few.
    level : float
        Confidence level.
    """
    check_level(level)
    tail = expanded_tail((1 - level) / 2, n_units)
    return order_statistic_limits(replicates, tail, tail)
