"""Agreement in order and in size: Spearman's correlation, differences of numbers, Kendall's tau.

Of two raters who put numbers on the same responses, or of one who did so twice. A constant rater
has no order: Spearman's correlation is NaN, the differences are defined.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import BootstrapStatistics, Estimates, bootstrap_sums
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import BoolArray, FloatArray, IntArray

DIFFERENCES = ("spearman", "mean_difference", "mean_absolute_difference")
"""What :func:`estimate_differences` estimates, in this order."""


def estimate_differences(
    first: npt.ArrayLike, second: npt.ArrayLike, *, units: ResampledUnits, level: float
) -> Estimates:
    """Estimate how far two raters' numbers agree in order and in size, with intervals.

    Parameters
    ----------
    first, second : array_like of float, shape (N,)
        Ratings; NaN where the rater gave none.
    units : ResampledUnits
        Which of the N lie in one unit, and the resamples of the units.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Of `DIFFERENCES`: Spearman's correlation with midranks, the mean of first less second and
        the mean absolute difference. The standard error of the correlation is that of its resamples.

    Raises
    ------
    ValueError
        If lengths do not fit or a rating is infinite.

    Notes
    -----
    Source: Spearman (1904), doi:10.2307/1412159; ranks are formed anew in every resample.

    Examples
    --------
    >>> units = ResampledUnits.create(5, rng=np.random.default_rng(1), n_resamples=200)
    >>> result = estimate_differences([1, 2, 3, 4, 5], [1, 3, 2, 4, 4], units=units, level=0.95)
    >>> result.estimate.round(3).tolist()
    [0.872, 0.2, 0.6]
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not x.shape == y.shape == units.codes.shape:
        raise ValueError(
            f"both raters and the units must have one length, got {x.shape}, {y.shape}, {units.codes.shape}"
        )
    if np.any(np.isinf(x)) or np.any(np.isinf(y)):
        raise ValueError("ratings must be finite, or NaN where there is none")
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    sizes = _differences(x, y, units, both)
    order = _spearman(x, y, units, both, sizes.n_units)
    boot = BootstrapStatistics(
        np.concatenate([order.estimate, sizes.estimate]),
        np.concatenate([order.std_error, sizes.std_error]),
        np.concatenate([order.acceleration, sizes.acceleration]),
        np.concatenate([order.replicates, sizes.replicates]),
        sizes.n_units,
    )
    return Estimates.from_bootstrap(DIFFERENCES, boot, level, x.size)


def _differences(x: FloatArray, y: FloatArray, units: ResampledUnits, both: BoolArray) -> BootstrapStatistics:
    difference = x - y
    steps, factor = to_integers(difference, common_denominator(difference), x.size)
    rows = np.stack([np.ones(x.size), steps, np.abs(steps)])
    return bootstrap_sums(units.totals(rows, both), lambda s: s[..., 1:] / s[..., :1] / factor, units.draws)


def _spearman(
    x: FloatArray, y: FloatArray, units: ResampledUnits, both: BoolArray, n_units: int
) -> BootstrapStatistics:
    first, second = (np.unique(v, return_inverse=True)[1].astype(np.int64) for v in (x, y))
    replicates = np.full((1, units.draws.n_draws if n_units else 0), np.nan)
    if n_units:
        for rows, weights in units.weights(both):
            replicates[0, rows] = weighted_spearman(first, second, weights)
    estimate = weighted_spearman(first, second, np.ones((1, x.size)))
    defined = replicates[~np.isnan(replicates)]
    spread = float(np.std(defined, ddof=1)) if defined.size > 1 else 0.0
    return BootstrapStatistics(
        estimate, np.array([spread if spread > 1e-13 else np.nan]), np.zeros(1), replicates, n_units
    )


def weighted_spearman(first: IntArray, second: IntArray, weights: FloatArray) -> FloatArray:
    """Compute Spearman's correlation of codes that stand several times.

    Parameters
    ----------
    first, second : ndarray of int, shape (n,)
        Ordered codes from 0.
    weights : ndarray of float, shape (B, n)
        How often each of the n stands, one row per resample.

    Returns
    -------
    ndarray of float, shape (B,)
        NaN where one of the two is constant.

    Examples
    --------
    >>> weighted_spearman(np.array([0, 1, 2]), np.array([0, 2, 1]), np.array([[1.0, 1, 1]])).item()
    0.5
    """
    total = weights.sum(axis=1)
    # Weighted midranks have the mean total / 2, whatever the ties.
    ranks = [_midranks(codes, weights) - total[:, None] / 2 for codes in (first, second)]
    covariance = np.einsum("bn,bn,bn->b", weights, *ranks)
    variances = [np.einsum("bn,bn,bn->b", weights, r, r) for r in ranks]
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation: FloatArray = covariance / np.sqrt(variances[0] * variances[1])
    return np.where((variances[0] <= 0) | (variances[1] <= 0), np.nan, np.clip(correlation, -1.0, 1.0))


def _midranks(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Return each item's midrank less one half, in each resample."""
    if not codes.size:
        return weights
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    level = np.add.reduceat(weights[:, order], starts, axis=1)
    below = np.cumsum(level, axis=1) - level
    ranks: FloatArray = (below + level / 2)[:, codes]
    return ranks


def kendall_tau(first: npt.ArrayLike, second: npt.ArrayLike) -> FloatArray:
    """Compute Kendall's tau-b of the orders that two sets of scores give.

    Parameters
    ----------
    first : array_like of float, shape (M,)
        Scores; equal ones are ties.
    second : array_like of float, shape (M,) or (G, M)
        Scores of one or of G other orders.

    Returns
    -------
    ndarray of float, shape () or (G,)
        NaN where one of the orders ties all.

    Raises
    ------
    ValueError
        If the lengths differ or a score is NaN.

    Notes
    -----
    Source: Kendall (1945), doi:10.1093/biomet/33.3.239.

    Examples
    --------
    >>> kendall_tau([3, 2, 1], [[3, 1, 2], [1, 2, 3]]).round(3).tolist()
    [0.333, -1.0]
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.ndim != 1 or y.shape[-1:] != x.shape:
        raise ValueError(f"scores of one set of models, got shapes {x.shape} and {y.shape}")
    if np.any(np.isnan(x)) or np.any(np.isnan(y)):
        raise ValueError("scores must not be NaN")
    upper, lower = np.triu_indices(x.size, 1)
    out = np.empty(y.shape[:-1])
    signs = np.sign(x[upper] - x[lower])
    flat, result = y.reshape(-1, x.size), out.reshape(-1)
    size = max(1, 2**22 // max(upper.size, 1))
    for start in range(0, flat.shape[0], size):
        part = flat[start : start + size]
        other = np.sign(part[:, upper] - part[:, lower])
        untied = np.count_nonzero(signs) * np.count_nonzero(other, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            result[start : start + size] = other @ signs / np.sqrt(untied)
    return out
