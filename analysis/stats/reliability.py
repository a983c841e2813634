"""Agreement of any number of raters beyond chance: Fleiss' kappa, Gwet's AC1, Krippendorff's alpha.

Ratings may be missing anywhere; what only one rater has rated says nothing of agreement and enters
chance agreement only where the source says so (Fleiss, Gwet), not for alpha.

Cases without variation
-----------------------
Where every rating is the same category, agreement is 1 and Fleiss' kappa and alpha are 0/0: NaN, the
data do not speak of agreement beyond chance. Gwet's AC1 is 1 there if the scale has other
categories. Where nothing is rated twice everything is NaN.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import BootstrapStatistics, Estimates, bootstrap_sums
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import BoolArray, FloatArray, IntArray

AlphaMetric = Literal["nominal", "ordinal", "interval"]

NOMINAL = ("agreement", "fleiss_kappa", "gwet_ac1")
"""What :func:`estimate_reliability` estimates, in this order."""

MAX_ORDINAL_LEVELS = 32
"""With more distinct values than this, ordinal alpha keeps its midranks in the resamples."""


def category_counts(codes: npt.ArrayLike, n_levels: int) -> FloatArray:
    """Count how many raters gave each item each category.

    Parameters
    ----------
    codes : array_like of int, shape (R, N)
        Categories 0 to n_levels - 1 of R raters; negative where there is none.
    n_levels : int
        Number of categories, K.

    Returns
    -------
    ndarray of float, shape (K, N)

    Raises
    ------
    ValueError
        If a code is not below `n_levels`.

    Examples
    --------
    >>> category_counts([[0, 1], [0, -1], [1, 1]], 2).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    table = np.asarray(codes)
    if table.ndim != 2 or np.any(table >= n_levels):
        raise ValueError(f"codes must be below {n_levels}, of shape (raters, items), got {table.shape}")
    counts = np.zeros((n_levels, table.shape[1]))
    for level in range(n_levels):
        counts[level] = np.count_nonzero(table == level, axis=0)
    return counts


def estimate_reliability(
    codes: npt.ArrayLike, n_levels: int, *, units: ResampledUnits, level: float
) -> Estimates:
    """Estimate agreement, Fleiss' kappa and Gwet's AC1 of R raters, with intervals.

    Parameters
    ----------
    codes : array_like of int, shape (R, N)
        Categories 0 to n_levels - 1; negative where the rater gave none.
    n_levels : int
        Number of categories of the scale, used or not.
    units : ResampledUnits
        Which of the N lie in one unit, and the resamples of the units.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Of `NOMINAL`; `n_items` counts what at least two raters have rated.

    Notes
    -----
    Agreement is the mean, over items rated at least twice, of the share of agreeing pairs of
    ratings. Chance agreement uses the mean, over items rated at all, of the share of each category;
    with complete ratings this is the kappa of Fleiss (1971), doi:10.1037/h0031619. AC1: Gwet
    (2008), doi:10.1348/000711006X126600; it stays near the agreement where one category prevails.

    Examples
    --------
    >>> codes = [[0, 1, 2, 0, 1], [0, 1, 2, 1, 1], [0, 1, 1, 0, -1]]
    >>> units = ResampledUnits.create(5, rng=np.random.default_rng(1), n_resamples=200)
    >>> estimate_reliability(codes, 3, units=units, level=0.95).estimate.round(3).tolist()
    [0.733, 0.545, 0.623]
    """
    counts = category_counts(codes, n_levels)
    n_ratings = counts.sum(axis=0)
    twice, rated = n_ratings >= 2, n_ratings >= 1
    pairs = np.maximum(n_ratings * (n_ratings - 1), 1)
    agreeing = (counts * (counts - 1)).sum(axis=0) / pairs
    shares = counts / np.maximum(n_ratings, 1)
    rows, factor = _as_integers(np.concatenate([[agreeing], shares]))
    tables = units.totals(np.concatenate([[twice, rated], rows]))
    boot = bootstrap_sums(tables, lambda sums: _chance_corrected(sums, factor, n_levels), units.draws)
    # Units without an item rated twice shape chance agreement only.
    boot = replace(boot, n_units=int(np.count_nonzero(tables[0])))
    return Estimates.from_bootstrap(NOMINAL, boot, level, int(np.count_nonzero(twice)))


def _as_integers(rows: FloatArray) -> tuple[FloatArray, float]:
    return to_integers(rows, common_denominator(rows), rows.shape[1])


def _chance_corrected(sums: npt.NDArray[np.inexact], factor: float, n_levels: int) -> npt.NDArray[np.inexact]:
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = sums[..., 2] / sums[..., 0] / factor
        shares = sums[..., 3:] / sums[..., 1:2] / factor
        by_share = np.sum(shares * shares, axis=-1)
        by_hardness = (1 - by_share) / max(n_levels - 1, 1) if n_levels > 1 else by_share
        # One category alone has shares that are exactly 0 and 1: its chance agreement is exactly 1.
        kappas = [
            np.where(chance == 1, np.nan, (agreement - chance) / np.where(chance == 1, 1.0, 1 - chance))
            for chance in (by_share, by_hardness)
        ]
    return np.stack([agreement, *kappas], axis=-1)


def estimate_alpha(
    ratings: npt.ArrayLike, metric: AlphaMetric, *, units: ResampledUnits, level: float
) -> Estimates:
    """Estimate Krippendorff's alpha of R raters, with an interval.

    Parameters
    ----------
    ratings : array_like of float, shape (R, N)
        Numbers of the ratings (codes for ``nominal``, any increasing numbers for ``ordinal``); NaN
        where the rater gave none.
    metric : {"nominal", "ordinal", "interval"}
        Which differences count: any, in rank, or in size.
    units : ResampledUnits
        Which of the N lie in one unit, and the resamples of the units.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Of the one statistic ``alpha_<metric>``; `n_items` counts what at least two raters have
        rated.

    Raises
    ------
    ValueError
        If the metric is unknown or a rating is infinite.

    Notes
    -----
    Alpha is 1 less the ratio of observed to expected disagreement. A disagreement is the squared
    difference of values: 0/1 for nominal, of midranks of all pairable ratings for ordinal, of the
    numbers themselves for interval. Summed over the pairs of ratings of an item it is a matter of
    the sums of values and of their squares, so no coincidence matrix is needed and the time does
    not depend on the number of categories. Source: Krippendorff (2004), Content Analysis, chapter
    11; Hayes and Krippendorff (2007), doi:10.1080/19312450709336664. Units are resampled here, not
    the bootstrap of coincidences of that paper.

    Examples
    --------
    >>> nan = np.nan
    >>> ratings = [[1, 2, 3, 3, 2, 1, 4, 1, 2, nan], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5]]
    >>> units = ResampledUnits.create(10, rng=np.random.default_rng(1), n_resamples=200)
    >>> estimate_alpha(ratings, "interval", units=units, level=0.95).estimate.round(3).tolist()
    [0.943]
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.any(np.isinf(table)):
        raise ValueError(f"ratings must be finite or NaN, of shape (raters, items), got {table.shape}")
    pairable = np.count_nonzero(~np.isnan(table), axis=0) >= 2
    values = table[:, pairable]
    if metric == "nominal":
        boot = _alpha_nominal(values, units, pairable)
    elif metric == "interval":
        boot = _alpha_interval(values, units, pairable)
    elif metric == "ordinal":
        boot = _alpha_ordinal(values, units, pairable)
    else:
        raise ValueError(f"unknown metric {metric!r}: nominal, ordinal, interval")
    return Estimates.from_bootstrap((f"alpha_{metric}",), boot, level, int(np.count_nonzero(pairable)))


def _alpha_nominal(values: FloatArray, units: ResampledUnits, keep: BoolArray) -> BootstrapStatistics:
    levels, codes = _coded(values)
    counts = category_counts(codes, max(levels, 1))
    m = counts.sum(axis=0)
    rows, factor = _as_integers(((m * m - (counts * counts).sum(axis=0)) / np.maximum(m - 1, 1))[None])
    tables = units.totals(np.concatenate([rows, counts]), keep)

    def alpha(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        of_category = sums[..., 1:]
        n = of_category.sum(axis=-1)
        return _ratio(sums[..., 0] / factor, n * n - np.sum(of_category * of_category, axis=-1), n)

    return bootstrap_sums(tables, alpha, units.draws)


def _alpha_interval(values: FloatArray, units: ResampledUnits, keep: BoolArray) -> BootstrapStatistics:
    # A shift changes no difference and keeps sums of squares from cancelling.
    shifted = values - (np.nanmin(values) if values.size else 0.0)
    denominator = common_denominator(shifted)
    steps, _ = to_integers(shifted, denominator, 1) if denominator else (shifted, 1.0)
    m = np.count_nonzero(~np.isnan(values), axis=0).astype(np.float64)
    sums1, sums2 = np.nansum(steps, axis=0), np.nansum(steps * steps, axis=0)
    within = (m * sums2 - sums1 * sums1) / np.maximum(m - 1, 1)
    parts = [_as_integers(row[None]) for row in (within, sums1, sums2)]
    tables = units.totals(np.concatenate([m[None], *[rows for rows, _ in parts]]), keep)
    f0, f1, f2 = (factor for _, factor in parts)

    def alpha(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        n, total = sums[..., 0], sums[..., 2] / f1
        expected = n * sums[..., 3] / f2 - total * total
        # Off a lattice a constant scale leaves rounding error where it should leave 0.
        none = expected.real <= 1e-12 * np.abs(n * sums[..., 3] / f2)
        return _ratio(sums[..., 1] / f0, np.where(none, 0.0, expected), n)

    return bootstrap_sums(tables, alpha, units.draws)


def _alpha_ordinal(values: FloatArray, units: ResampledUnits, keep: BoolArray) -> BootstrapStatistics:
    levels, codes = _coded(values)
    counts = category_counts(codes, max(levels, 1))
    if levels > MAX_ORDINAL_LEVELS:
        of_category = counts.sum(axis=1)
        midranks = np.cumsum(of_category) - of_category / 2
        return _alpha_interval(np.where(codes < 0, np.nan, midranks[codes]), units, keep)
    upper, lower = np.triu_indices(max(levels, 1), 1)
    m = counts.sum(axis=0)
    pairs, factor = _as_integers(counts[upper] * counts[lower] / np.maximum(m - 1, 1))
    tables = units.totals(np.concatenate([pairs, counts]), keep)

    def alpha(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        of_category = sums[..., upper.size :]
        rank = np.cumsum(of_category, axis=-1) - of_category / 2
        distance = (rank[..., upper] - rank[..., lower]) ** 2
        observed = np.sum(sums[..., : upper.size] / factor * distance, axis=-1)
        expected = np.sum(of_category[..., upper] * of_category[..., lower] * distance, axis=-1)
        return _ratio(observed, expected, of_category.sum(axis=-1))

    return bootstrap_sums(tables, alpha, units.draws)


def _ratio(
    observed: npt.NDArray[np.inexact], expected: npt.NDArray[np.inexact], n: npt.NDArray[np.inexact]
) -> npt.NDArray[np.inexact]:
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1 - (n - 1) * observed / np.where(expected == 0, np.nan, expected)
    return alpha[..., None]


def _coded(values: FloatArray) -> tuple[int, IntArray]:
    levels = np.unique(values[~np.isnan(values)])
    codes = np.searchsorted(levels, np.nan_to_num(values, nan=levels[0] if levels.size else 0.0))
    return levels.size, np.where(np.isnan(values), -1, codes).astype(np.int64)
