"""Adjusting p-values for how many comparisons were made.

A NaN p-value is a comparison that was not made: it leaves the family, stays NaN and turns nothing
else NaN. ``family_size`` is therefore the number of p-values that are not NaN.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.results import FloatArray


def family_size(p_values: npt.ArrayLike) -> int:
    """Return the number of comparisons that were made.

    Parameters
    ----------
    p_values : array_like of float
        p-values, NaN where none was made.

    Returns
    -------
    int
    """
    return int(np.count_nonzero(~np.isnan(_checked(p_values))))


def bonferroni(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values by Bonferroni's inequality.

    Parameters
    ----------
    p_values : array_like of float
        p-values of any shape, NaN where there was no comparison.

    Returns
    -------
    ndarray of float
        min(1, m p), with m the number of comparisons.

    Examples
    --------
    >>> bonferroni([0.01, np.nan, 0.4, 0.2]).round(3).tolist()
    [0.03, nan, 1.0, 0.6]
    """
    p = _checked(p_values)
    return np.minimum(1.0, p * family_size(p))


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values by Holm's step-down procedure, which controls the family-wise error.

    Parameters
    ----------
    p_values : array_like of float
        p-values of any shape, NaN where there was no comparison.

    Returns
    -------
    ndarray of float
        Adjusted p-values, never above Bonferroni's; equal p-values are adjusted alike.

    Notes
    -----
    Source: Holm (1979), jstor:4615733.

    Examples
    --------
    >>> holm([0.01, np.nan, 0.04, 0.02]).round(3).tolist()
    [0.03, nan, 0.04, 0.04]
    """
    p = _checked(p_values)
    flat = p.ravel()
    tested = np.flatnonzero(~np.isnan(flat))
    order = tested[np.argsort(flat[tested], kind="stable")]
    adjusted = np.full(flat.shape, np.nan)
    steps = flat[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted.reshape(p.shape)


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Adjust p-values by Benjamini and Hochberg's step-up procedure.

    It controls the false discovery rate for independent and for positively dependent tests.

    Parameters
    ----------
    p_values : array_like of float
        p-values of any shape, NaN where there was no comparison.

    Returns
    -------
    ndarray of float
        Adjusted p-values.

    Notes
    -----
    Source: Benjamini and Hochberg (1995), doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> benjamini_hochberg([0.01, np.nan, 0.04, 0.02]).round(3).tolist()
    [0.03, nan, 0.04, 0.03]
    """
    p = _checked(p_values)
    flat = p.ravel()
    tested = np.flatnonzero(~np.isnan(flat))
    order = tested[np.argsort(-flat[tested], kind="stable")]
    m = order.size
    adjusted = np.full(flat.shape, np.nan)
    steps = flat[order] * m / np.arange(m, 0, -1)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(steps))
    return adjusted.reshape(p.shape)


def max_t(statistics: npt.ArrayLike, null_statistics: npt.ArrayLike, *, step_down: bool = True) -> FloatArray:
    """Adjust by the distribution of the largest statistic (Westfall and Young).

    Joint resamples carry the dependence between comparisons, so nothing is given away where they
    are correlated, as differences that share a model are.

    Parameters
    ----------
    statistics : array_like of float, shape (P,)
        Observed statistics, larger in absolute value meaning more evidence; NaN where there was no
        comparison.
    null_statistics : array_like of float, shape (B, P)
        The statistics in B resamples under the null hypothesis, one draw for all columns.
    step_down : bool
        Whether each statistic is compared with the maximum over itself and those smaller than it
        (more powerful), rather than over all.

    Returns
    -------
    ndarray of float, shape (P,)
        Adjusted p-values with the add-one estimate, so never 0; NaN where there was no comparison.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a resampled statistic of a comparison that was made is NaN.

    Notes
    -----
    Source: Westfall and Young (1993), algorithm 2.8; Ge, Dudoit and Speed (2003),
    doi:10.1007/BF02595811.

    Examples
    --------
    >>> null = [[0.2, 0.0, 1.0], [2.5, 0.0, 0.3], [1.1, 0.0, 1.2]]
    >>> max_t([2.0, np.nan, 0.5], null).tolist()
    [0.5, nan, 0.75]
    """
    observed = np.abs(np.asarray(statistics, np.float64))
    null = np.abs(np.asarray(null_statistics, np.float64))
    if observed.ndim != 1 or null.ndim != 2 or null.shape[1] != observed.size:
        raise ValueError(f"statistics have shape {observed.shape}, their resamples {null.shape}")
    adjusted = np.full(observed.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(observed))
    if np.any(np.isnan(null[:, tested])):
        raise ValueError("a resampled statistic of a comparison that was made is NaN")
    order = tested[np.argsort(observed[tested], kind="stable")]
    running = np.zeros(null.shape[0])
    if not step_down and order.size:
        running = null[:, order].max(axis=1)
    exceed = np.empty(order.size)
    for position, column in enumerate(order.tolist()):
        if step_down:
            np.maximum(running, null[:, column], out=running)
        exceed[position] = np.count_nonzero(running >= observed[column])
    p = (exceed + 1) / (null.shape[0] + 1)
    # From the largest statistic down, an adjusted p-value is never below the one before it.
    adjusted[order] = np.maximum.accumulate(p[::-1])[::-1]
    return adjusted


def _checked(p_values: npt.ArrayLike) -> FloatArray:
    p = np.asarray(p_values, dtype=np.float64)
    if np.any((p < 0) | (p > 1)):
        raise ValueError("p-values must be between 0 and 1, or NaN")
    return p
