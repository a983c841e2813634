"""Scores as integers, so that sums are exact and the same on every machine.

Benchmark scores mostly lie on a small lattice: 0 and 1, 0 / 0.5 / 1, k of r runs. On its integers
sums are exact whatever their order, ties are ties, and permutation distributions can be counted.
Scores off any small lattice are rounded to a binary grid so fine that the rounding is far below
what resampling could show; sums of its integers are exact too, so results do not depend on the
number of threads or on the order of summation in a matrix product.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from analysis.stats.results import FloatArray

MAX_DENOMINATOR = 5040
"""The largest common denominator that still counts as a lattice (that of 1 to 10 runs is 2,520)."""

MAX_DISTINCT = 4096
"""With more distinct scores than this no lattice is looked for."""

_TOLERANCE = 1e-9
_EXACT_BITS = 52


def common_denominator(scores: FloatArray, *, limit: int = MAX_DENOMINATOR) -> int | None:
    """Find the smallest integer that makes every score an integer.

    Parameters
    ----------
    scores : ndarray of float
        Scores of any shape; NaN is ignored.
    limit : int
        Largest denominator looked for.

    Returns
    -------
    int or None
        The denominator; 1 where there is no score; None where there is none within the limit.

    Notes
    -----
    A score is taken as k/d where it is within 1e-9 of it: 1/3 as it is stored is 1/3, 0.333 is
    333/1000.

    Examples
    --------
    >>> common_denominator(np.array([0.0, 0.5, 1.0])), common_denominator(np.array([1 / 3, 0.5]))
    (2, 6)
    >>> common_denominator(np.array([np.pi / 4])) is None
    True
    """
    flat = np.asarray(scores, dtype=np.float64).ravel()
    if flat.size > 2 * MAX_DISTINCT and np.unique(flat[: 2 * MAX_DISTINCT]).size > MAX_DISTINCT:
        return None
    if np.all((flat == 0) | (flat == 1) | np.isnan(flat)):
        return 1
    values = np.unique(flat)
    values = values[~np.isnan(values)]
    if values.size > MAX_DISTINCT or not np.all(np.isfinite(values)):
        return None
    denominator = 1
    for value in values.tolist():
        if abs(value * denominator - round(value * denominator)) <= _TOLERANCE * denominator:
            continue
        fraction = Fraction(value).limit_denominator(limit)
        if abs(value - fraction.numerator / fraction.denominator) > _TOLERANCE:
            return None
        denominator = lcm(denominator, fraction.denominator)
        if denominator > limit:
            return None
    return denominator


def exact_scale(largest_sum: float) -> float:
    """Return the power of two by which to multiply numbers so that their rounded sums are exact.

    Parameters
    ----------
    largest_sum : float
        Bound on the absolute value of any sum that will be formed.

    Returns
    -------
    float
        A power of two s such that sums of integers ``rint(s * x)`` stay below 2**52, where every
        integer is a double.
    """
    if not np.isfinite(largest_sum) or largest_sum <= 0:
        return 1.0
    return float(2.0 ** (_EXACT_BITS - 1 - int(np.ceil(np.log2(largest_sum)))))


def to_integers(values: FloatArray, denominator: int | None, n_terms: int) -> tuple[FloatArray, float]:
    """Return the values as integers in floating point, and the factor they were multiplied with.

    Parameters
    ----------
    values : ndarray of float
        Finite numbers.
    denominator : int or None
        Their common denominator, None where they have none.
    n_terms : int
        How many of them, with repetition, a sum may have.

    Returns
    -------
    integers : ndarray of float
        Integers, all sums of `n_terms` of which are exact in double precision.
    factor : float
        ``integers / factor`` is `values`, up to rounding where there is no common denominator.
    """
    factor = float(denominator) if denominator else 1.0
    if not denominator:
        largest = float(np.max(np.abs(values), initial=0.0))
        factor = exact_scale(largest * max(n_terms, 1))
    return np.rint(values * factor), factor
