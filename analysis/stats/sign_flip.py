"""The sign-flip (permutation) distribution of a sum of paired differences.

Under the null hypothesis that a unit's difference is distributed symmetrically about 0 - for single
0/1 runs: that each model is as likely as the other to be the one that is right - every unit's
difference may change its sign independently of the others. The two-sided p-value is the
probability, over all sign flips, of a sum at least as large in absolute value as that observed. It
is exact for any number of units.

With T the sum of absolute differences and Y the part of T that happens to be positive, the sum is
2 Y - T and Y is a sum of independent terms, each |d| or 0. The test therefore needs one tail of Y,
up to the smaller of the positive and the negative part observed. On integers this tail is counted
by adding positive terms only, so it keeps its relative accuracy however small it is.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.results import FloatArray, IntArray

MAX_EXACT_WORK = 4_000_000
"""Additions per comparison up to which the exact distribution is counted."""

MAX_ENUMERATED = 14
"""Units up to which all sign flips are gone through, whatever the differences are."""

SMALLEST_P = float(np.finfo(np.float64).tiny)
"""An exact p-value is never 0; below this number it is given as this number."""

_MAX_CACHED = 5000


def binomial_sign_flip(n_better: npt.ArrayLike, n_worse: npt.ArrayLike) -> FloatArray:
    """Compute the exact p-value for differences of equal size.

    Parameters
    ----------
    n_better, n_worse : array_like of int
        Positive and negative differences, broadcast against each other.

    Returns
    -------
    ndarray of float
        Two-sided p-values: the exact binomial test of the discordant items against one half; 1
        where there are none.

    Notes
    -----
    This is McNemar's exact test. Source: McNemar (1947), doi:10.1007/BF02295996.

    Examples
    --------
    >>> binomial_sign_flip([0, 5, 8], [0, 5, 1]).tolist()
    [1.0, 1.0, 0.0390625]
    """
    b, c = np.broadcast_arrays(np.asarray(n_better, np.float64), np.asarray(n_worse, np.float64))
    smaller, n = np.minimum(b, c), b + c
    # P(X <= k) for X ~ Bin(n, 1/2), by the incomplete beta function, accurate in the far tail.
    tail = special.betainc(np.maximum(n - smaller, 1), smaller + 1, 0.5)
    return np.where(b == c, 1.0, np.clip(2 * tail, SMALLEST_P, 1.0))


def exact_work(values: IntArray, counts: IntArray, smaller: int) -> int:
    """Return how many additions :func:`lattice_sign_flip` needs at most.

    Parameters
    ----------
    values, counts : ndarray of int, shape (V,)
        Distinct absolute differences above 0, in lattice steps, and how often each occurs.
    smaller : int
        The smaller of the sums of positive and of negative differences.

    Returns
    -------
    int
    """
    if values.size == 0:
        return 0
    order = _order(values, counts)
    reach = np.minimum(np.cumsum(values[order] * counts[order]), smaller) + 1
    times = np.minimum(counts[order], smaller // values[order]) + 1
    return int(np.sum(reach[:-1] * times[:-1])) + int(reach[-1])


def lattice_sign_flip(values: IntArray, counts: IntArray, smaller: int) -> float:
    """Compute the exact p-value for differences on a lattice.

    Parameters
    ----------
    values, counts : ndarray of int, shape (V,)
        Distinct absolute differences above 0, in lattice steps, and how often each occurs.
    smaller : int
        The smaller of the sums of positive and of negative differences, in lattice steps.

    Returns
    -------
    float
        Two-sided p-value; 1 where there are no differences.

    Notes
    -----
    The distribution of Y is the convolution of binomials on multiples of the distinct values. All
    but the most frequent value are convolved, truncated at `smaller`; the last enters through its
    distribution function.

    Examples
    --------
    Two differences of 1 and one of 2, all positive: only the two extreme flips of eight.

    >>> lattice_sign_flip(np.array([1, 2]), np.array([2, 1]), 0)
    0.25
    """
    total = int(np.sum(values * counts))
    if total == 0 or 2 * smaller == total:
        return 1.0
    step = gcd(*values.tolist())
    values, smaller = values // step, smaller // step
    order = _order(values, counts)
    *convolved, last = order.tolist()
    density = np.ones(1)
    for index in convolved:
        density = _add_binomial(density, int(values[index]), int(counts[index]), smaller)
    remaining = (smaller - np.arange(density.size)) // int(values[last])
    n_last = int(counts[last])
    p = 2 * float(np.dot(density, _distribution(n_last)[np.minimum(remaining, n_last)]))
    return min(1.0, max(p, SMALLEST_P))


def enumerated_sign_flip(magnitudes: FloatArray, observed: float) -> float:
    """Compute the exact p-value of few differences by going through all sign flips.

    Parameters
    ----------
    magnitudes : ndarray of float, shape (n,)
        Absolute differences as integers, n at most 14.
    observed : float
        Observed sum.

    Returns
    -------
    float
        Two-sided p-value; 1 where there are no differences.
    """
    sums = np.zeros(1)
    for magnitude in magnitudes.tolist():
        sums = np.concatenate([sums + magnitude, sums - magnitude])
    return float(np.mean(np.abs(sums) >= abs(observed)))


def _order(values: IntArray, counts: IntArray) -> npt.NDArray[np.intp]:
    # The most frequent value last, before it the small ones first, so that early densities are short.
    order = np.argsort(values, kind="stable")
    last = int(np.argmax(counts[order]))
    return np.concatenate([np.delete(order, last), order[last : last + 1]])


def _add_binomial(density: FloatArray, value: int, count: int, smaller: int) -> FloatArray:
    n_terms = min(count, smaller // value) + 1
    size = min(density.size + value * (n_terms - 1), smaller + 1)
    mass = _mass(count)
    out = np.zeros(size)
    if n_terms <= density.size:
        for j in range(n_terms):
            part = density[: size - value * j]
            out[value * j : value * j + part.size] += mass[j] * part
    else:
        for start, share in enumerate(density.tolist()):
            part = mass[: min(n_terms, -(-(size - start) // value))]
            out[start : start + value * part.size : value][: part.size] += share * part
    return out


def _mass(n: int) -> FloatArray:
    return _mass_cached(n) if n <= _MAX_CACHED else _mass_cached.__wrapped__(n)


def _distribution(n: int) -> FloatArray:
    return _distribution_cached(n) if n <= _MAX_CACHED else _distribution_cached.__wrapped__(n)


@lru_cache(maxsize=1024)
def _mass_cached(n: int) -> FloatArray:
    k = np.arange(n + 1)
    log_mass = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1) - n * np.log(2)
    mass: FloatArray = np.exp(log_mass)
    mass.setflags(write=False)
    return mass


@lru_cache(maxsize=1024)
def _distribution_cached(n: int) -> FloatArray:
    k = np.arange(n + 1)
    distribution: FloatArray = special.betainc(np.maximum(n - k, 1), k + 1, 0.5)
    distribution[n] = 1.0
    distribution.setflags(write=False)
    return distribution
