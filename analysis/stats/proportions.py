"""Intervals for a binomial proportion.

They are defined for 0 of n and n of n, and none exists (NaN) only for n = 0. All assume that the n
items are independent and of one run each; for clustered or graded data use
:mod:`analysis.stats.bootstrap`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.results import FloatArray, Intervals, check_level


def wilson_interval(successes: npt.ArrayLike, n: npt.ArrayLike, *, level: float) -> Intervals:
    """Wilson's score interval.

    Parameters
    ----------
    successes, n : array_like
        Successes and trials, broadcast against each other.
    level : float
        Confidence level.

    Returns
    -------
    Intervals
        Limits in [0, 1]; exactly 0 for no success and exactly 1 for no failure.

    Raises
    ------
    ValueError
        If the successes are not between 0 and n, or the level is not between 0 and 1.

    Notes
    -----
    Inverts the score test without continuity correction. Source: Wilson (1927),
    doi:10.1080/01621459.1927.10502953; recommended by Brown, Cai and DasGupta (2001),
    doi:10.1214/ss/1009213286.

    Examples
    --------
    >>> interval = wilson_interval([845, 2], [2005, 80], level=0.95)
    >>> interval.low.round(3).tolist(), interval.high.round(3).tolist()
    ([0.4, 0.007], [0.443, 0.087])
    """
    x, n_trials = _checked(successes, n, level)
    z = special.ndtri(0.5 + level / 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = x / n_trials
        shrunk = n_trials + z * z
        centre = (x + z * z / 2) / shrunk
        half = z / shrunk * np.sqrt(n_trials * p * (1 - p) + z * z / 4)
    return _closed(centre - half, centre + half, x, n_trials, level, "wilson")


def clopper_pearson_interval(successes: npt.ArrayLike, n: npt.ArrayLike, *, level: float) -> Intervals:
    """Clopper and Pearson's exact interval, which covers at least at its level.

    Parameters
    ----------
    successes, n : array_like
        Successes and trials, broadcast against each other.
    level : float
        Confidence level.

    Returns
    -------
    Intervals
        Limits in [0, 1].

    Raises
    ------
    ValueError
        If the successes are not between 0 and n, or the level is not between 0 and 1.

    Notes
    -----
    Source: Clopper and Pearson (1934), doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> clopper_pearson_interval(0, 25, level=0.95).high.round(4).item()
    0.1372
    """
    x, n_trials = _checked(successes, n, level)
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        # A parameter of 0 has no beta distribution; those limits are set to 0 and 1 below.
        low = special.betaincinv(np.where(x == 0, 1, x), n_trials - x + 1, tail)
        high = special.betainccinv(x + 1, np.where(x == n_trials, 1, n_trials - x), tail)
    return _closed(low, high, x, n_trials, level, "clopper_pearson")


def jeffreys_interval(successes: npt.ArrayLike, n: npt.ArrayLike, *, level: float) -> Intervals:
    """Equal-tailed interval from the Jeffreys prior, with its limits at no success and no failure.

    Parameters
    ----------
    successes, n : array_like
        Successes and trials, broadcast against each other.
    level : float
        Confidence level.

    Returns
    -------
    Intervals
        Limits in [0, 1].

    Raises
    ------
    ValueError
        If the successes are not between 0 and n, or the level is not between 0 and 1.

    Notes
    -----
    The lower limit is 0 without a success, the upper limit 1 without a failure. Source: Brown, Cai
    and DasGupta (2001), section 3.1.2, doi:10.1214/ss/1009213286.

    Examples
    --------
    >>> jeffreys_interval(3, 80, level=0.95).low.round(4).item()
    0.0107
    """
    x, n_trials = _checked(successes, n, level)
    tail = (1 - level) / 2
    low = special.betaincinv(x + 0.5, n_trials - x + 0.5, tail)
    high = special.betainccinv(x + 0.5, n_trials - x + 0.5, tail)
    return _closed(low, high, x, n_trials, level, "jeffreys")


def _checked(successes: npt.ArrayLike, n: npt.ArrayLike, level: float) -> tuple[FloatArray, FloatArray]:
    check_level(level)
    x, n_trials = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(n, np.float64))
    if not (np.all(np.isfinite(n_trials)) and np.all((x >= 0) & (x <= n_trials))):
        raise ValueError("successes must be between 0 and n, and n finite")
    return x, n_trials


def _closed(
    low: FloatArray, high: FloatArray, x: FloatArray, n: FloatArray, level: float, method: str
) -> Intervals:
    # Rounding must not leave a limit of 1e-17 where the formula says 0.
    low = np.where(n == 0, np.nan, np.where(x == 0, 0.0, np.clip(low, 0, 1)))
    high = np.where(n == 0, np.nan, np.where(x == n, 1.0, np.clip(high, 0, 1)))
    return Intervals(low, high, level, method)
