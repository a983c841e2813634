"""Scores of responses from rubric criteria, and means of ratios over resampled cases.

A rubric lists requirements, which earn their weight when met, and errors, which cost points when
triggered. The score of a response is

    100 * (weight met / weight that applies) - points of the triggered errors,

kept within 0 and 100. Published rubric benchmarks agree on a weighted share with deductions and
differ in how these are taken (HealthBench, arXiv:2505.08775, adds negative points to the positive
ones and divides by the positive total: ``deduct="weight"``; NPCBench prints scores in 0-100 and no
formula), so weights, points and the way of deducting are inputs here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from analysis.stats.bootstrap import expanded_tail
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.resampling import row_limits
from analysis.stats.results import FloatArray, IntArray, Intervals, frozen_array

_SCALE = 1e6
"""Scores enter the resamples in millionths of a point: integers sum to the same in any order."""


Deduction = Literal["each", "once", "weight"]


@dataclass(frozen=True)
class RubricScores:
    """Scores of R responses.

    Parameters
    ----------
    earned : ndarray of float, shape (R,)
        Share of the applicable weight that was met; NaN where none applies.
    deduction : ndarray of float, shape (R,)
        Points taken off.
    score : ndarray of float, shape (R,)
        Between 0 and 100; NaN where nothing could be earned.
    """

    earned: FloatArray
    deduction: FloatArray
    score: FloatArray

    def __post_init__(self) -> None:
        for name in ("earned", "deduction", "score"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        if np.any(self.deduction < 0):
            raise ValueError("a deduction is negative")
        if np.any((self.score < 0) | (self.score > 100)):
            raise ValueError("a score is outside 0 to 100")


def score_rubric(
    response: npt.ArrayLike,
    value: npt.ArrayLike,
    weight: npt.ArrayLike,
    kind: npt.ArrayLike,
    is_error: npt.ArrayLike,
    *,
    n_responses: int,
    deduct: Deduction = "each",
) -> RubricScores:
    """Score responses from their labelled criteria.

    Parameters
    ----------
    response : array_like of int, shape (N,)
        Response that each label is of, from 0.
    value : array_like of float, shape (N,)
        1 for a requirement met or an error triggered, 0 for neither, between them in part. Criteria
        that do not apply or have no label are not given.
    weight : array_like of float, shape (N,)
        Weight of a requirement, points of an error.
    kind : array_like of int, shape (N,)
        Kind of the criterion.
    is_error : array_like of bool, shape (N,)
        True for errors.
    n_responses : int
        Number of responses, R.
    deduct : {"each", "once", "weight"}
        ``each``: every triggered error costs its points; ``once``: within a response the dearest
        triggered error of each kind alone; ``weight``: the amounts of errors are weights, taken from
        the weight met before it is divided by the weight that applies.

    Returns
    -------
    RubricScores

    Examples
    --------
    >>> value, weight, kind, is_error = [1, 0, 1, 1], [3, 1, 10, 2], [0, 0, 1, 2], [0, 0, 1, 1]
    >>> made = score_rubric([0, 0, 0, 0], value, weight, kind, is_error, n_responses=1)
    >>> float(made.earned[0]), float(made.deduction[0]), float(made.score[0])
    (0.75, 12.0, 63.0)
    """
    at = np.asarray(response, dtype=np.int64)
    values, weights = np.asarray(value, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    kinds, errors = np.asarray(kind, dtype=np.int64), np.asarray(is_error, dtype=bool)
    wanted = ~errors
    total = np.bincount(at[wanted], weights=weights[wanted], minlength=n_responses)
    met = np.bincount(at[wanted], weights=(weights * values)[wanted], minlength=n_responses)
    points = (weights * values)[errors]
    if deduct != "once":
        deduction = np.bincount(at[errors], weights=points, minlength=n_responses).astype(np.float64)
    else:
        n_kinds = int(kinds.max(initial=0)) + 1
        dearest = np.zeros((n_responses, n_kinds))
        np.maximum.at(dearest, (at[errors], kinds[errors]), points)
        deduction = dearest.sum(axis=1)
    if deduct == "weight":
        deduction = np.divide(100 * deduction, total, out=np.zeros(n_responses), where=total > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        earned = np.where(total > 0, met / total, np.nan)
    return RubricScores(earned, deduction, np.clip(100 * earned - deduction, 0, 100))


@dataclass(frozen=True)
class RatioMeans:
    """Ratios of two sums over cases, for K rows, with joint bootstrap intervals over cases.

    Parameters
    ----------
    estimate : ndarray of float, shape (K,)
        Numerator / denominator; NaN where the denominator is 0.
    limits : Intervals
        NaN in both where fewer than two cases count or all resamples are equal.
    n_units : ndarray of int, shape (K,)
        Cases that count.
    """

    estimate: FloatArray
    limits: Intervals
    n_units: IntArray


def ratio_means(
    numerator: FloatArray, denominator: FloatArray, units: ResampledUnits, *, level: float
) -> RatioMeans:
    """Estimate ratios of sums over cases, all rows on the same resamples of cases.

    The mean over items of scores in cases of several items is such a ratio (sum of scores over
    number of items); the mean over cases is one too (sum of case means over number of cases).

    Parameters
    ----------
    numerator, denominator : ndarray of float, shape (K, G)
        Totals per case; the denominator counts (integers).
    units : ResampledUnits
        Gives the resamples of the G cases.
    level : float
        Confidence level. The tails are widened as Student's t does (Hesterberg 2015,
        doi:10.1080/00031305.2015.1089789).

    Returns
    -------
    RatioMeans
    """
    n_units = np.count_nonzero(denominator > 0, axis=1).astype(np.int64)
    scaled = np.rint(numerator * _SCALE)
    (sums,), (sizes,) = units.draws.sum_rows(scaled)[:1], units.draws.sum_rows(denominator)[:1]
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = np.where(sizes > 0, sums / _SCALE / sizes, np.nan)
        size = denominator.sum(axis=1)
        estimate = np.where(size > 0, scaled.sum(axis=1) / _SCALE / size, np.nan)
    tail = expanded_tail((1 - level) / 2, n_units)
    low, high = row_limits(np.ascontiguousarray(replicates), tail, tail)
    few = n_units < 2
    low, high = np.where(few, np.nan, low), np.where(few, np.nan, high)
    return RatioMeans(estimate, Intervals(low, high, level, "case_bootstrap"), n_units)
