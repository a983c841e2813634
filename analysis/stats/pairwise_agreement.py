"""Agreement of any number of raters as the mean over pairs of them: on numbers, missing ones allowed.

Cases without variation follow :mod:`analysis.stats.agreement`: a pair of raters whose expected
agreement is 1 has no kappa and leaves the mean; where no pair has one, the mean is NaN.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.agreement import distances
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import FloatArray

PAIRWISE = ("agreement", "within_one", "kappa_linear", "kappa_quadratic")
"""What :func:`estimate_pairwise` estimates, in this order."""

MAX_PAIRS = 500
"""Pairs of raters up to which means over pairs are formed."""

MAX_LEVELS = 64
"""Distinct values up to which kappas are formed."""


def estimate_pairwise(
    ratings: npt.ArrayLike, *, units: ResampledUnits, level: float, step: float = 1.0
) -> Estimates:
    """Estimate agreement, agreement within one step and weighted kappas, as means over pairs of raters.

    Parameters
    ----------
    ratings : array_like of float, shape (R, N)
        Numbers; NaN where the rater gave none.
    units : ResampledUnits
        Which of the N lie in one unit, and the resamples of the units.
    level : float
        Confidence level.
    step : float
        What counts as one step of the scale.

    Returns
    -------
    Estimates
        Of `PAIRWISE`; `n_items` counts what at least two raters have rated. All NaN with more than
        `MAX_PAIRS` pairs of raters, kappas with more than `MAX_LEVELS` distinct numbers.

    Raises
    ------
    ValueError
        If a rating is infinite or the shape is wrong.

    Notes
    -----
    Weights are distances of the numbers and their squares, so the quadratic kappa of means of
    sub-dimensions is Lin's concordance with the variances divided by n. The mean over pairs is that
    of Light (1971), doi:10.1037/h0031643; pairs count alike however much they have in common.
    Weighted kappa: Cohen (1968), doi:10.1037/h0026256.

    Examples
    --------
    >>> ratings = [[1, 2, 3, 4, 5, 5], [1, 2, 4, 4, 5, 3], [2, 2, 3, 4, 4, np.nan]]
    >>> units = ResampledUnits.create(6, rng=np.random.default_rng(1), n_resamples=200)
    >>> result = estimate_pairwise(ratings, units=units, level=0.95)
    >>> result.estimate.round(3).tolist()
    [0.556, 0.944, 0.656, 0.817]
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.any(np.isinf(table)):
        raise ValueError(f"ratings must be finite or NaN, of shape (raters, items), got {table.shape}")
    levels = np.unique(table[~np.isnan(table)])
    n_twice = int(np.count_nonzero(np.count_nonzero(~np.isnan(table), axis=0) >= 2))
    pairs = [
        (a, b)
        for a in range(table.shape[0])
        for b in range(a + 1, table.shape[0])
        if np.any(~np.isnan(table[a]) & ~np.isnan(table[b]))
    ]
    k = levels.size if levels.size <= MAX_LEVELS else 0
    if not pairs or len(pairs) > MAX_PAIRS:
        none = np.full(len(PAIRWISE), np.nan)
        return Estimates(
            PAIRWISE, none, none, none, none, level, ("bootstrap_bca",) * len(PAIRWISE), n_twice, 0
        )
    weight = distances(k, levels)[1:] if k else np.zeros((2, 0, 0))
    n_rows = 5 + 2 * k
    tables = np.concatenate([_pair_sums(table[a], table[b], levels, weight, step, units) for a, b in pairs])

    def means(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        found = [_of_pair(sums[..., i * n_rows : (i + 1) * n_rows], weight) for i in range(len(pairs))]
        return _mean_of_defined(np.stack(found))

    boot = bootstrap_sums(tables, means, units.draws)
    return Estimates.from_bootstrap(PAIRWISE, boot, level, n_twice)


def _pair_sums(
    first: FloatArray,
    second: FloatArray,
    levels: FloatArray,
    weight: FloatArray,
    step: float,
    units: ResampledUnits,
) -> FloatArray:
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = first[both], second[both]
    near = np.abs(x - y) <= step + 1e-9
    rows = [np.ones(x.size), x == y, near]
    k = weight.shape[1]
    if k:
        a, b = np.searchsorted(levels, x), np.searchsorted(levels, y)
        eye = np.eye(k)
        rows += [*weight[:, a, b], *eye[:, a], *eye[:, b]]
    else:
        rows += [np.zeros(x.size)] * 2
    return units.totals(np.stack(rows), both)


def _of_pair(sums: npt.NDArray[np.inexact], weight: FloatArray) -> npt.NDArray[np.inexact]:
    k = weight.shape[1]
    n = sums[..., :1]
    expected = np.einsum("...i,wij,...j->...w", sums[..., 5 : 5 + k], weight, sums[..., 5 + k :])
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = sums[..., 1:3] / np.where(n == 0, np.nan, n)
        kappas = 1 - sums[..., 3:5] * n / np.where(expected == 0, np.nan, expected)
    return np.concatenate([shares, kappas], axis=-1)


def _mean_of_defined(values: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
    defined = ~np.isnan(values)
    n = defined.sum(axis=0)
    total = np.where(defined, values, 0).sum(axis=0)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
