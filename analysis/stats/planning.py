"""What a paired comparison can show: power, detectable differences and items needed.

The test planned for is the two-sided paired comparison of two models on common items. For single 0/1
runs it is the exact test on discordant items; its power follows from the share of discordant items
and the difference. In general the standard deviation of the item differences decides, inflated by the
design effect where items are clustered.

None of this uses the observed difference as if it were true: power at the observed difference is the
p-value in other words. It is computed for differences that a reader states.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.results import FloatArray, IntArray
from analysis.stats.sign_flip import binomial_sign_flip


def detectable_difference(
    n_items: npt.ArrayLike, discordance: npt.ArrayLike, *, alpha: npt.ArrayLike, power: float
) -> FloatArray:
    """Return the smallest difference of two 0/1 scores that a paired test detects with given power.

    Parameters
    ----------
    n_items : array_like of float
        Common items; divide by the design effect where items are clustered.
    discordance : array_like of float
        Share of items on which one of the two is right and the other is not, in [0, 1]. A difference
        of d needs a discordance of d at least: where a smaller one detects nothing, it is raised to d.
    alpha : array_like of float
        Two-sided level of the test, after any correction for several tests.
    power : float
        Probability of detection wanted.

    Returns
    -------
    ndarray of float
        Difference in (0, 1]; NaN where there are too few items to detect even a difference of 1.

    Raises
    ------
    ValueError
        If a share is not in its range.

    Notes
    -----
    Solves ``sqrt(n) d = z(1 - alpha/2) sqrt(q) + z(power) sqrt(q - d^2)`` for d, with q the
    discordance: the normal approximation to the power of the test of discordant items, in which
    their number is random. Source: Connor (1987), doi:10.2307/2531961.

    Examples
    --------
    >>> detectable_difference([500, 2000, 100], [0.2, 0.2, 0.01], alpha=0.05, power=0.8).round(4).tolist()
    [0.0559, 0.028, 0.0767]
    """
    n, q, level = np.broadcast_arrays(
        *(np.asarray(x, dtype=np.float64) for x in (n_items, discordance, alpha))
    )
    _check(level, power)
    if np.any((q < 0) | (q > 1)) or np.any(n < 0):
        raise ValueError("n_items must be at least 0 and discordance in [0, 1]")
    a, b = -special.ndtri(level / 2), float(special.ndtri(power))
    with np.errstate(invalid="ignore", divide="ignore"):
        # (n + b^2) d^2 - 2 a sqrt(n q) d + (a^2 - b^2) q = 0, the root above a sqrt(q / n).
        root = a * a * n * q - (n + b * b) * (a * a - b * b) * q
        sign = 1.0 if b >= 0 else -1.0
        difference = (a * np.sqrt(n * q) + sign * np.sqrt(np.maximum(root, 0.0))) / (n + b * b)
    return np.where((difference <= q) & (q > 0) & (n > 0), difference, _all_one_way(n, a, b))


def _all_one_way(n: FloatArray, a: FloatArray, b: float) -> FloatArray:
    """Solve ``sqrt(n) d = a sqrt(d) + b sqrt(d - d^2)``: every discordant item favours the same model."""
    low, high = np.zeros(n.shape), np.ones(n.shape)
    for _ in range(60):
        middle = (low + high) / 2
        enough = n * middle >= (a + b * np.sqrt(1 - middle)) ** 2
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(n >= a * a, high, np.nan)


def effective_discordance(
    mean_absolute: npt.ArrayLike, mean_square: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return the 0/1 comparison that a comparison of graded scores is worth.

    Parameters
    ----------
    mean_absolute, mean_square : array_like of float
        Means over items of the absolute and of the squared difference of two models.

    Returns
    -------
    discordance : ndarray of float
        ``mean_absolute**2 / mean_square``: at most the share of items that differ, and equal to it
        where all differences are of one size. 0 where no item differs.
    step : ndarray of float
        ``mean_square / mean_absolute``: the size that counts as a difference of 1; 1 where no item
        differs.

    Notes
    -----
    Differences divided by the step have the same mean square and mean size, as differences of 0/1
    scores do; what holds for these (:func:`detectable_difference`, :func:`items_needed`) then holds
    for those, times the step.

    Examples
    --------
    >>> discordance, step = effective_discordance([0.2, 0.1], [0.2, 0.05])
    >>> discordance.round(3).tolist(), step.round(3).tolist()
    ([0.2, 0.2], [1.0, 0.5])
    """
    size, square = np.asarray(mean_absolute, np.float64), np.asarray(mean_square, np.float64)
    differs = (size > 0) & (square > 0)
    discordance = np.divide(size**2, square, out=np.zeros(np.shape(size * square)), where=differs)
    step = np.divide(square, size, out=np.ones(np.shape(size * square)), where=differs)
    return np.minimum(discordance, 1.0), step


def items_needed(
    difference: npt.ArrayLike, discordance: npt.ArrayLike, *, alpha: npt.ArrayLike, power: float
) -> FloatArray:
    """Return how many items a paired test of 0/1 scores needs to detect a stated difference.

    Parameters
    ----------
    difference : array_like of float
        Difference of the two means, above 0.
    discordance : array_like of float
        Share of items on which the two differ. A difference of d needs a discordance of d at least:
        a smaller one is raised to it.
    alpha : array_like of float
        Two-sided level of the test.
    power : float
        Probability of detection wanted.

    Returns
    -------
    ndarray of float
        Whole numbers; multiply by the design effect where items are clustered.

    Raises
    ------
    ValueError
        If a difference is not above 0 or a share is not in its range.

    Notes
    -----
    Source: Connor (1987), doi:10.2307/2531961. Of the exact test the power is a little lower; see
    :func:`exact_power`.

    Examples
    --------
    >>> items_needed([0.02, 0.05], 0.2, alpha=0.05, power=0.8).tolist()
    [3923.0, 626.0]
    """
    d, q, level = np.broadcast_arrays(
        *(np.asarray(x, dtype=np.float64) for x in (difference, discordance, alpha))
    )
    _check(level, power)
    if np.any((d <= 0) | (d > 1)) or np.any((q < 0) | (q > 1)):
        raise ValueError("difference must be in (0, 1] and discordance in [0, 1]")
    q = np.maximum(q, d)
    a, b = -special.ndtri(level / 2), float(special.ndtri(power))
    root = a * np.sqrt(q) + b * np.sqrt(np.maximum(q - d * d, 0.0))
    needed: FloatArray = np.ceil((root / d) ** 2 - 1e-9)
    return needed


def exact_power(n_items: int, discordance: float, difference: float, *, alpha: float) -> float:
    """Return the power of the exact test on discordant items.

    Parameters
    ----------
    n_items : int
        Common items.
    discordance, difference : float
        Share of items on which the two models differ, and the difference of their means.
    alpha : float
        Two-sided level of the test.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the difference exceeds the discordance or a share is not in its range.

    Notes
    -----
    The sum, over all numbers of discordant items, of the probability of that number and of a
    p-value below alpha given it. Source: Schork and Williams (1980), doi:10.1080/03610918008812165.

    Examples
    --------
    >>> round(exact_power(626, 0.2, 0.05, alpha=0.05), 3)
    0.779
    """
    _check(np.asarray(alpha), 0.5)
    if not 0 <= abs(difference) <= discordance <= 1:
        raise ValueError(f"difference {difference!r} must not exceed discordance {discordance!r} in [0, 1]")
    if discordance == 0 or n_items == 0:
        return 0.0
    better = (discordance + difference) / 2 / discordance
    discordant = np.arange(n_items + 1)
    p_discordant = _binomial(discordant, n_items, discordance)
    critical = _critical(discordant, alpha)
    # The two tails: at most c of one kind, or at most c of the other.
    with np.errstate(invalid="ignore"):
        low = np.where(critical >= 0, special.bdtr(np.maximum(critical, 0), discordant, better), 0.0)
        high = np.where(critical >= 0, special.bdtr(np.maximum(critical, 0), discordant, 1 - better), 0.0)
    return float(np.clip(np.sum(p_discordant * (low + high)), 0.0, 1.0))


def _critical(discordant: IntArray | npt.NDArray[np.intp], alpha: float) -> IntArray:
    """Return the largest smaller count whose p-value is below alpha, -1 where there is none."""
    n = discordant.astype(np.int64)
    # A normal guess, then the exact neighbour.
    guess = np.floor(n / 2 + special.ndtri(alpha / 2) * np.sqrt(n) / 2).astype(np.int64) + 2
    critical: IntArray = np.minimum(guess, n // 2)
    for _ in range(8):
        with np.errstate(invalid="ignore"):
            p = binomial_sign_flip(np.maximum(critical, 0), n - np.maximum(critical, 0))
        critical = critical - ((critical >= 0) & (p >= alpha))
    return critical


def _binomial(k: npt.NDArray[np.signedinteger], n: int, p: float) -> FloatArray:
    log_mass = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    mass: FloatArray = np.exp(log_mass + special.xlogy(k, p) + special.xlog1py(n - k, -p))
    return mass


def _check(alpha: FloatArray, power: float) -> None:
    if np.any((alpha <= 0) | (alpha >= 1)) or not 0 < power < 1:
        raise ValueError("alpha and power must be between 0 and 1")
