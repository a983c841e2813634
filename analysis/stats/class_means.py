"""Means by class or group, the mean of those means, and conditional shares, with cluster bootstrap.

``balanced`` (macro) is the unweighted mean of the means of K classes: with 99 of 100 items in one class,
a constant answer has an accuracy of 0.99 and a balanced recall of 0.5. In a resample that lacks a class
it is not defined; where that happens more often than a tail of the interval holds, there is no interval.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import BootstrapStatistics, Estimates, bootstrap_sums
from analysis.stats.bootstrap import expanded_tail
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.proportions import wilson_interval
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.resampling import row_limits
from analysis.stats.results import IntArray, Intervals


def estimate_class_means(
    values: npt.ArrayLike, classes: npt.ArrayLike, n_classes: int, *, units: ResampledUnits, level: float
) -> Estimates:
    """Estimate the mean, the mean of each class, and the mean of the classes' means.

    Parameters
    ----------
    values : array_like of float, shape (N,)
        Scores; NaN where there is none.
    classes : array_like of int, shape (N,)
        Class of each item, 0 to n_classes - 1.
    n_classes : int
        Number of classes, K.
    units : ResampledUnits
        The units of the N items and their resamples.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Named ``mean``, ``balanced`` and ``0`` to ``K - 1``; NaN for a class without a score, and for
        ``balanced`` where every class lacks one. Classes without a score in the data leave the
        balanced mean. Limits are percentiles with tails widened for few units: those that hold the
        class, or for the balanced mean the rarest class.

    Examples
    --------
    Four items of one class, all right, and one of another, wrong.

    >>> units = ResampledUnits.create(5, rng=np.random.default_rng(1), n_resamples=200)
    >>> result = estimate_class_means([1, 1, 1, 1, 0], [0, 0, 0, 0, 1], 2, units=units, level=0.95)
    >>> dict(zip(result.names, result.estimate.tolist()))
    {'mean': 0.8, 'balanced': 0.5, '0': 1.0, '1': 0.0}
    """
    score, code = np.asarray(values, dtype=np.float64), np.asarray(classes, dtype=np.int64)
    if score.shape != code.shape or score.shape != units.codes.shape:
        raise ValueError(f"values {score.shape}, classes {code.shape} and units {units.codes.shape} differ")
    if np.any((code < 0) | (code >= n_classes)):
        raise ValueError(f"classes must be between 0 and {n_classes - 1}")
    has = ~np.isnan(score)
    eye = np.eye(n_classes)[:, code[has]]
    sums, factor = to_integers(score[has], common_denominator(score[has]), score.size)
    tables = units.totals(np.concatenate([eye * sums, eye]), has)
    present = eye.sum(axis=1) > 0

    def statistics(s: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        top, bottom = s[..., :n_classes] / factor, s[..., n_classes:]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = top.sum(axis=-1, keepdims=True) / bottom.sum(axis=-1, keepdims=True)
            each = top / bottom
            balanced = each[..., present].sum(axis=-1, keepdims=True) / max(int(present.sum()), 1)
        if not present.any():
            balanced = balanced * np.nan
        return np.concatenate([mean, balanced, each], axis=-1)

    names = ("mean", "balanced", *(str(k) for k in range(n_classes)))
    boot = bootstrap_sums(tables, statistics, units.draws)
    of_class = np.count_nonzero(tables[n_classes:], axis=1)
    smallest = int(np.min(of_class[present], initial=boot.n_units))
    limits = _limits(boot, np.array([boot.n_units, smallest, *of_class]), level)
    return Estimates.from_bootstrap(names, boot, level, int(has.sum())).with_limits(list(names), limits)


def _limits(boot: BootstrapStatistics, n_units: IntArray, level: float) -> Intervals:
    """Return percentile limits, each widened for the units that its own statistic rests on."""
    tail = (1 - level) / 2
    cut = expanded_tail(tail, n_units)
    low, high = row_limits(np.asarray(boot.replicates), cut, cut)
    undefined = np.mean(np.isnan(boot.replicates), axis=1) if boot.replicates.size else np.ones(low.size)
    none = (undefined > tail) | np.isnan(boot.estimate)
    return Intervals(np.where(none, np.nan, low), np.where(none, np.nan, high), level, "bootstrap_expanded")


def estimate_conditional(
    given: npt.ArrayLike, both: npt.ArrayLike, known: npt.ArrayLike, *, units: ResampledUnits, level: float
) -> Estimates:
    """Estimate how often a condition holds, how often something holds with it, and given it.

    Parameters
    ----------
    given, both : array_like of bool, shape (N,)
        The condition holds; the condition and the other thing hold.
    known : array_like of bool, shape (N,)
        Both can be told.
    units : ResampledUnits
        The units of the N and their resamples.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Named ``given``, ``joint`` and ``conditional`` (NaN where the condition never holds). Intervals
        are Wilson's where every unit holds one of the N.

    Examples
    --------
    >>> units = ResampledUnits.create(4, rng=np.random.default_rng(1), n_resamples=200)
    >>> result = estimate_conditional([1, 1, 1, 0], [1, 0, 0, 0], [1] * 4, units=units, level=0.95)
    >>> result.estimate.round(3).tolist()
    [0.75, 0.25, 0.333]
    """
    keep = np.asarray(known, dtype=np.bool_)
    holds = np.asarray(given, dtype=np.bool_) & keep
    joint = np.asarray(both, dtype=np.bool_) & holds
    tables = units.totals(np.stack([keep, holds, joint])[:, keep].astype(np.float64), keep)

    def statistics(s: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.stack([s[..., 1] / s[..., 0], s[..., 2] / s[..., 0], s[..., 2] / s[..., 1]], axis=-1)

    names = ("given", "joint", "conditional")
    result = Estimates.from_bootstrap(
        names, bootstrap_sums(tables, statistics, units.draws), level, int(keep.sum())
    )
    if keep.any() and np.max(tables[0]) <= 1:
        n, n_given, n_both = (int(x.sum()) for x in (keep, holds, joint))
        limits = wilson_interval([n_given, n_both, n_both], [n, n, n_given], level=level)
        result = result.with_limits(list(names), limits)
    return result
