"""p-values of paired comparisons, by the best method that the data allow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.lattice import to_integers
from analysis.stats.resampling import Resamples, SignFlips
from analysis.stats.results import FloatArray, IntArray
from analysis.stats.sign_flip import (
    MAX_ENUMERATED,
    MAX_EXACT_WORK,
    SMALLEST_P,
    binomial_sign_flip,
    enumerated_sign_flip,
    exact_work,
    lattice_sign_flip,
)

_MAX_SHARED_FLIPS = 2_000_000_000_000


def count_tests(differences: IntArray, counts: IntArray) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Test pairs whose differences are given as counts.

    Parameters
    ----------
    differences : ndarray of int, shape (H,)
        Distinct differences in lattice steps.
    counts : ndarray of int, shape (P, H)
        How often each occurs in each pair.

    Returns
    -------
    p_value : ndarray of float, shape (P,)
        Exact p-values; NaN where counting would take too long.
    exact : ndarray of bool, shape (P,)
        Whether it was counted.
    """
    sizes = np.unique(np.abs(differences))
    sizes = sizes[sizes > 0]
    n_pairs = counts.shape[0]
    if sizes.size == 0:
        return np.ones(n_pairs), np.ones(n_pairs, dtype=np.bool_)
    better = np.stack([counts[:, differences == size].sum(axis=1) for size in sizes], axis=1)
    worse = np.stack([counts[:, differences == -size].sum(axis=1) for size in sizes], axis=1)
    p = np.full(n_pairs, np.nan)
    # One size of difference is the binomial test, done for all such pairs together.
    n_sizes = np.count_nonzero(better + worse, axis=1)
    simple = n_sizes <= 1
    p[simple] = binomial_sign_flip(better[simple].sum(axis=1), worse[simple].sum(axis=1))
    smaller = np.minimum(better @ sizes, worse @ sizes)
    for i in np.flatnonzero(~simple):
        total = better[i] + worse[i]
        present = total > 0
        if exact_work(sizes[present], total[present], int(smaller[i])) <= MAX_EXACT_WORK:
            p[i] = lattice_sign_flip(sizes[present], total[present], int(smaller[i]))
    return p, ~np.isnan(p)


def exact_row_tests(rows: FloatArray, denominator: int | None) -> FloatArray:
    """Test pairs whose differences are given unit by unit, where the distribution can be counted.

    Parameters
    ----------
    rows : ndarray of float, shape (P, G)
        Differences summed over units, 0 where a pair has none.
    denominator : int or None
        Common denominator, None where there is no small one.

    Returns
    -------
    ndarray of float, shape (P,)
        Exact p-values; NaN where counting would take too long.
    """
    integers, _ = to_integers(rows, denominator, rows.shape[1])
    p = np.full(rows.shape[0], np.nan)
    for i, row in enumerate(integers):
        magnitudes = np.abs(row[row != 0])
        if denominator is not None:
            sizes, counts = np.unique(magnitudes.astype(np.int64), return_counts=True)
            smaller = int(min(row[row > 0].sum(), -row[row < 0].sum()))
            if exact_work(sizes, counts, smaller) <= MAX_EXACT_WORK:
                p[i] = lattice_sign_flip(sizes, counts, smaller)
                continue
        if magnitudes.size <= MAX_ENUMERATED:
            p[i] = enumerated_sign_flip(magnitudes, float(row.sum()))
    return p


def drawn_row_tests(rows: FloatArray, denominator: int | None, flips: SignFlips) -> FloatArray:
    """Test pairs by joint random sign flips of their units, with the add-one estimate.

    Parameters
    ----------
    rows : ndarray of float, shape (P, G)
        Differences summed over units.
    denominator : int or None
        Common denominator, None where there is no small one.
    flips : SignFlips
        Joint sign flips of the G units.

    Returns
    -------
    ndarray of float, shape (P,)
    """
    integers, _ = to_integers(rows, denominator, rows.shape[1])
    (sums,) = flips.sum_rows(integers)
    return add_one(np.abs(sums) >= np.abs(integers.sum(axis=1))[:, None])


def normal_row_tests(rows: FloatArray) -> FloatArray:
    """Test pairs by the normal approximation of the sign-flip distribution, for very many units.

    Parameters
    ----------
    rows : ndarray of float, shape (P, G)
        Differences summed over units, not all 0.

    Returns
    -------
    ndarray of float, shape (P,)
    """
    z = np.abs(rows.sum(axis=1)) / np.sqrt(np.sum(rows**2, axis=1))
    p: FloatArray = np.clip(2 * special.ndtr(-z), SMALLEST_P, 1.0)
    return p


def student_tests(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Test pairs by Student's t with the linearised standard error, for very many units.

    Parameters
    ----------
    rows, weights : ndarray of float, shape (P, G)
        Differences and weights summed over units.

    Returns
    -------
    ndarray of float, shape (P,)
        Two-sided p-values; 1 where the mean difference is 0.
    """
    n = np.count_nonzero(weights, axis=1)
    mean = rows.sum(axis=1) / weights.sum(axis=1)
    residual = rows - mean[:, None] * weights
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.abs(rows.sum(axis=1)) / np.sqrt(n / (n - 1) * np.sum(residual**2, axis=1))
    p = 2 * special.stdtr(np.maximum(n - 1, 1), -np.nan_to_num(t, posinf=np.inf))
    return np.where(mean == 0, 1.0, np.clip(p, SMALLEST_P, 1.0))


def add_one(exceeds: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the add-one Monte Carlo p-values from which draws reach the observed statistic.

    Parameters
    ----------
    exceeds : ndarray of bool, shape (..., B)
        Whether a draw does.

    Returns
    -------
    ndarray of float, shape (...)

    Notes
    -----
    Source: Phipson and Smyth (2010), doi:10.2202/1544-6115.1585.
    """
    p: FloatArray = (np.count_nonzero(exceeds, axis=-1) + 1.0) / (exceeds.shape[-1] + 1.0)
    return p


def bootstrap_tests(rows: FloatArray, weights: FloatArray, resamples: Resamples) -> FloatArray:
    """Test pairs by the bootstrap-t distribution of their mean difference.

    For differences that need not be symmetric under the null hypothesis, as those of models with
    different numbers of runs are not.

    Parameters
    ----------
    rows, weights : ndarray of float, shape (P, G)
        Differences and weights summed over units.
    resamples : Resamples
        Joint resamples of the G units.

    Returns
    -------
    ndarray of float, shape (P,)
        Two-sided p-values: the add-one share of resamples whose studentised deviation from the
        observed mean is at least as large as the observed studentised mean.
    """
    present = weights > 0
    n = np.count_nonzero(present, axis=1)
    mean = rows.sum(axis=1) / weights.sum(axis=1)
    # Deviations of units from the observed mean sum to 0, so the null hypothesis holds in them.
    residual = rows - mean[:, None] * weights
    tables = [
        to_integers(t, None, rows.shape[1])
        for t in (residual, residual**2, residual * weights, weights**2, weights)
    ]
    parts = [s / f for s, (_, f) in zip(resamples.sum_rows(*[t for t, _ in tables]), tables, strict=True)]
    total, squares, cross, weight_squares, weight = parts
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = total / weight
        spread = np.maximum(squares - 2 * deviation * cross + deviation**2 * weight_squares, 0.0)
        t_draws = deviation * weight / np.sqrt(spread)
        t_observed = mean * weights.sum(axis=1) / np.sqrt(np.sum(residual**2, axis=1))
        # A draw without spread, or without a cell, is counted as extreme: it never makes p smaller.
        p = add_one(~(np.abs(t_draws) < np.abs(t_observed)[:, None]))
    p = np.where(mean == 0, 1.0, p)
    return np.where(n == 0, np.nan, p)
