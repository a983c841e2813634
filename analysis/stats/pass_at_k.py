"""Repeated runs of the same item: success in any of k runs, in all of k, and what repetition adds.

All estimators are unbiased for k independent runs of the same kind, and exist only where an item has
at least k runs: two runs say nothing of five.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.additive import bootstrap_sums
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import FloatArray, Intervals


def pass_at_k(n_runs: npt.ArrayLike, n_successes: npt.ArrayLike, k: int) -> FloatArray:
    """Estimate the probability that at least one of k runs succeeds.

    Parameters
    ----------
    n_runs, n_successes : array_like of int
        Runs of each item, and how many of them succeed.
    k : int
        Number of runs, at least 1.

    Returns
    -------
    ndarray of float
        NaN where an item has fewer than k runs.

    Raises
    ------
    ValueError
        If k is below 1 or the successes are not between 0 and the runs.

    Notes
    -----
    The share, among all choices of k of the item's runs, of those with a success. Source: Chen et
    al. (2021), arXiv:2107.03374.

    Examples
    --------
    >>> pass_at_k([5, 5, 2], [1, 0, 2], 3).round(3).tolist()
    [0.6, 0.0, nan]
    """
    n, c = _runs(n_runs, n_successes, k)
    return np.where(n < k, np.nan, 1.0 - _share_of_choices(n - c, n, k))


def pass_hat_k(n_runs: npt.ArrayLike, n_successes: npt.ArrayLike, k: int) -> FloatArray:
    """Estimate the probability that all of k runs succeed.

    Parameters
    ----------
    n_runs, n_successes : array_like of int
        Runs of each item, and how many of them succeed.
    k : int
        Number of runs, at least 1.

    Returns
    -------
    ndarray of float
        NaN where an item has fewer than k runs.

    Raises
    ------
    ValueError
        If k is below 1 or the successes are not between 0 and the runs.

    Notes
    -----
    Written pass^k. Source: Yao et al. (2024), arXiv:2406.12045.

    Examples
    --------
    >>> pass_hat_k([4, 4, 1], [3, 4, 1], 2).tolist()
    [0.5, 1.0, nan]
    """
    n, c = _runs(n_runs, n_successes, k)
    return np.where(n < k, np.nan, _share_of_choices(c, n, k))


def _runs(n_runs: npt.ArrayLike, n_successes: npt.ArrayLike, k: int) -> tuple[FloatArray, FloatArray]:
    n, c = np.broadcast_arrays(np.asarray(n_runs, np.float64), np.asarray(n_successes, np.float64))
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if np.any((c < 0) | (c > n)):
        raise ValueError("successes must be between 0 and the number of runs")
    return n, c


def _share_of_choices(some: FloatArray, n: FloatArray, k: int) -> FloatArray:
    """Return C(some, k) / C(n, k) as a product of k ratios, exact for 0 and 1."""
    share = np.ones(np.shape(n))
    for i in range(k):
        share = share * np.divide(
            np.maximum(some - i, 0.0), np.maximum(n - i, 1.0), out=np.zeros_like(share), where=n > i
        )
    return share


@dataclass(frozen=True)
class RunNoise:
    """Where the spread of one model's mean score comes from.

    Parameters
    ----------
    between, within : float
        Variance of the items' expected scores, and mean variance of the runs of an item: data noise
        and sampling noise. NaN where fewer than two items, or none with two runs, exist.
    share_of_runs : float
        Share of the mean's variance that comes from the runs, with the runs there are.
    interval : Intervals
        Of that share.
    se_now, se_one_run, se_many_runs : float
        Standard error of the mean with the runs there are, with one run per item, and with so many
        that only the choice of items matters.
    n_items, n_repeated : int
        Items with a run, and with two or more.
    """

    between: float
    within: float
    share_of_runs: float
    interval: Intervals
    se_now: float
    se_one_run: float
    se_many_runs: float
    n_items: int
    n_repeated: int

    def __post_init__(self) -> None:
        if self.n_repeated > self.n_items:
            raise ValueError("more repeated items than items")
        if self.se_many_runs > self.se_one_run * (1 + 1e-9):
            raise ValueError("more runs cannot widen the spread")


def estimate_run_noise(run_scores: npt.ArrayLike, *, units: ResampledUnits, level: float) -> RunNoise:
    """Separate the noise of repeated runs from that of the choice of items.

    Parameters
    ----------
    run_scores : array_like of float, shape (R, N)
        Scores of one model in up to R runs of N items; NaN where a run is missing.
    units : ResampledUnits
        The items' units and their resamples, for the interval of the share.
    level : float
        Confidence level.

    Returns
    -------
    RunNoise

    Notes
    -----
    Analysis of variance: within is the mean over repeated items of their runs' variance; between is
    the variance of item means less what within adds to it, not below 0. Standard errors are those
    of independent items. Source: Miller (2024), arXiv:2411.00640, section 3.

    Examples
    --------
    >>> runs = np.array([[1, 1, 0, 0, 1, 0.0], [1, 0, 0, 0, 1, 1.0]])
    >>> units = ResampledUnits.create(6, rng=np.random.default_rng(1), n_resamples=200)
    >>> noise = estimate_run_noise(runs, units=units, level=0.95)
    >>> round(noise.within, 3), round(noise.between, 3), round(noise.share_of_runs, 3)
    (0.167, 0.117, 0.417)
    """
    runs = np.asarray(run_scores, dtype=np.float64)
    if runs.ndim != 2 or runs.shape[1] != units.codes.size:
        raise ValueError(f"run_scores must have shape (runs, {units.codes.size} items), got {runs.shape}")
    n_runs = np.count_nonzero(~np.isnan(runs), axis=0)
    keep = n_runs > 0
    n = n_runs[keep].astype(np.float64)
    values = np.nan_to_num(runs[:, keep])
    mean = values.sum(axis=0) / n
    squares = np.where(np.isnan(runs[:, keep]), 0.0, (values - mean) ** 2).sum(axis=0)
    twice = n >= 2
    spread = np.where(twice, squares / np.maximum(n - 1, 1), 0.0)
    rows = [np.ones(n.size), mean, mean**2, twice.astype(np.float64), spread, 1 / n]
    scaled = [to_integers(row, common_denominator(row), n.size) for row in rows]
    tables = units.totals(np.stack([row for row, _ in scaled]), keep)
    factors = np.array([factor for _, factor in scaled])
    boot = bootstrap_sums(tables, lambda sums: _noise(sums / factors), units.draws)
    between, within, share, of_runs = boot.estimate.tolist()
    limits = boot.interval(level)
    of_share = Intervals(limits.low[2:3], limits.high[2:3], level, limits.method)
    size = max(n.size, 1)
    return RunNoise(
        between,
        within,
        share,
        of_share,
        float(np.sqrt((between + of_runs) / size)),
        float(np.sqrt((between + within) / size)),
        float(np.sqrt(between / size)),
        n.size,
        int(np.count_nonzero(twice)),
    )


def _noise(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
    n, total, squares, n_twice, spread, inverse = (sums[..., i] for i in range(6))
    with np.errstate(invalid="ignore", divide="ignore"):
        of_means = (squares - total * total / n) / np.where(n.real < 2, np.nan, n - 1)
        within = spread / n_twice
        of_runs = within * inverse / n
        between = np.where((of_means - of_runs).real > 0, of_means - of_runs, 0.0 * of_means)
        share = of_runs / (between + of_runs)
    return np.stack([between, within, share, of_runs], axis=-1)


def expected_any(p_success: npt.ArrayLike) -> FloatArray:
    """Return the probability that any model solves an item if each is run once.

    Parameters
    ----------
    p_success : array_like of float, shape (M, N)
        Mean over the scored runs of each cell; 0 where there is none.

    Returns
    -------
    ndarray of float, shape (N,)
        Unbiased if runs of different models are independent given the item.

    Examples
    --------
    >>> expected_any([[0.5, 1.0], [0.5, 0.0]]).tolist()
    [0.75, 1.0]
    """
    p = np.asarray(p_success, dtype=np.float64)
    if np.any((p < 0) | (p > 1)):
        raise ValueError("p_success must be in [0, 1]")
    with np.errstate(divide="ignore"):
        logs = special.log1p(-p) if p.size else np.zeros(p.shape)
    any_solves: FloatArray = -special.expm1(logs.sum(axis=0))
    return any_solves
