"""Statistics that are smooth functions of sums over units: joint bootstrap and standard errors.

Agreement, kappa, sensitivity, Fleiss' kappa, Krippendorff's alpha and intraclass correlations are
functions of a few sums over items. Everything of the data that is resampled is then a table of one
row per summand and one column per unit (item, or cluster), and shards of units can be put side by
side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.bootstrap import expanded_tail
from analysis.stats.resampling import Resamples, order_statistic_limits
from analysis.stats.results import FloatArray, Intervals, check_level, check_limits, frozen_array

SumFunction = Callable[[npt.NDArray[np.inexact]], npt.NDArray[np.inexact]]
"""Statistics, shape (..., P), of sums, shape (..., K): analytic where it is defined, NaN elsewhere."""

_STEP = 1e-30


@dataclass(frozen=True)
class Estimates:
    """P statistics with their intervals.

    Parameters
    ----------
    names : tuple of str
        The P statistics.
    estimate : ndarray of float, shape (P,)
        Values; NaN where the data do not define a statistic.
    std_error : ndarray of float, shape (P,)
        Standard errors; NaN where none exists.
    ci_low, ci_high : ndarray of float, shape (P,)
        Limits; NaN where no interval exists.
    level : float
        Confidence level.
    method : tuple of str
        Name of each interval's method.
    n_items, n_clusters : int
        What was rated, and the resampled units (items where no clusters were given) it lies in.
    """

    names: tuple[str, ...]
    estimate: FloatArray
    std_error: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    level: float
    method: tuple[str, ...]
    n_items: int
    n_clusters: int

    def __post_init__(self) -> None:
        check_level(self.level)
        for name in ("estimate", "std_error", "ci_low", "ci_high"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
            if getattr(self, name).shape != (len(self.names),):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, names {len(self.names)}")
        if len(self.method) != len(self.names):
            raise ValueError(f"{len(self.method)} methods for {len(self.names)} statistics")
        check_limits(self.ci_low, self.ci_high)
        if np.any(np.isnan(self.estimate) & ~np.isnan(self.ci_low)):
            raise ValueError("an interval without an estimate")
        if np.any(self.std_error < 0):
            raise ValueError("a standard error is negative")
        if self.n_clusters > self.n_items:
            raise ValueError("more clusters than items")

    def __getitem__(self, name: str) -> tuple[float, float, float]:
        """Return the estimate and the limits of a statistic."""
        i = self.names.index(name)
        return float(self.estimate[i]), float(self.ci_low[i]), float(self.ci_high[i])

    @classmethod
    def from_bootstrap(
        cls, names: tuple[str, ...], boot: BootstrapStatistics, level: float, n_items: int
    ) -> Estimates:
        """Give statistics their bootstrap intervals."""
        limits = boot.interval(level)
        return cls(
            names,
            boot.estimate,
            boot.std_error,
            limits.low,
            limits.high,
            level,
            (limits.method,) * len(names),
            n_items,
            boot.n_units,
        )

    def with_limits(self, which: list[str], limits: Intervals) -> Estimates:
        """Return the estimates with other intervals for some of the statistics."""
        at = [self.names.index(name) for name in which]
        low, high, method = self.ci_low.copy(), self.ci_high.copy(), list(self.method)
        low[at], high[at] = limits.low, limits.high
        for i in at:
            method[i] = limits.method
        return replace(self, ci_low=low, ci_high=high, method=tuple(method))


@dataclass(frozen=True)
class BootstrapStatistics:
    """P statistics and their joint bootstrap replicates.

    Parameters
    ----------
    estimate, std_error : ndarray of float, shape (P,)
        Values and linearised standard errors (the infinitesimal jackknife over units, times
        sqrt(G / (G - 1)) for G units with data); NaN where undefined.
    acceleration : ndarray of float, shape (P,)
        Sixth of the skewness of the influences, 0 where there is none.
    replicates : ndarray of float, shape (P, B)
        Values in each of B resamples; NaN where a resample does not define them.
    n_units : int
        Units with data, G.
    """

    estimate: FloatArray
    std_error: FloatArray
    acceleration: FloatArray
    replicates: FloatArray
    n_units: int

    def __post_init__(self) -> None:
        for name in ("estimate", "std_error", "acceleration", "replicates"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        if self.replicates.ndim != 2 or self.replicates.shape[:1] != self.estimate.shape:
            raise ValueError(f"replicates have shape {self.replicates.shape}, estimate {self.estimate.shape}")

    def interval(self, level: float) -> Intervals:
        """Return the bias-corrected and accelerated interval, its tails widened for few units.

        Parameters
        ----------
        level : float
            Confidence level.

        Returns
        -------
        Intervals
            NaN where the estimate is undefined, where all resamples are equal, and where more
            resamples than one tail holds do not define the statistic: they could lie anywhere.

        Notes
        -----
        Kappa and its relatives are skewed near 1, where plain percentile limits lie too low; the
        correction puts the misses on both sides (``tests/calibration/agreement``). Tails are those
        of :func:`analysis.stats.bootstrap.expanded_tail`. Source: Efron (1987),
        doi:10.1080/01621459.1987.10478410; Hesterberg (2015), doi:10.1080/00031305.2015.1089789.
        """
        check_level(level)
        tail = float(expanded_tail((1 - level) / 2, self.n_units))
        low, high = order_statistic_limits(self.replicates.T, *self._tails(tail))
        undefined = np.mean(np.isnan(self.replicates), axis=1) if self.replicates.size else 1.0
        none = (undefined > (1 - level) / 2) | np.isnan(self.estimate)
        return Intervals(np.where(none, np.nan, low), np.where(none, np.nan, high), level, "bootstrap_bca")

    def _tails(self, tail: float) -> tuple[FloatArray, FloatArray]:
        with np.errstate(invalid="ignore"):
            below = np.count_nonzero(self.replicates < self.estimate[:, None], axis=1)
            equal = np.count_nonzero(self.replicates == self.estimate[:, None], axis=1)
        n = np.maximum(np.count_nonzero(~np.isnan(self.replicates), axis=1), 1)
        # On a lattice many replicates equal the estimate; half of them count as below it.
        bias = special.ndtri(np.clip((below + equal / 2) / n, 0.5 / n, 1 - 0.5 / n))
        tails = []
        for z in (special.ndtri(tail), -special.ndtri(tail)):
            shifted = bias + z
            tails.append(special.ndtr(bias + shifted / (1 - self.acceleration * shifted)))
        return tails[0], 1 - tails[1]


def bootstrap_sums(tables: npt.ArrayLike, function: SumFunction, draws: Resamples) -> BootstrapStatistics:
    """Bootstrap functions of sums over units.

    Parameters
    ----------
    tables : array_like, shape (K, G)
        What each of G units adds to each of K sums: integers in any numeric type, so that sums are
        exact. A unit of zeros only counts as one without data, yet is resampled with the others.
    function : callable
        Maps sums of shape (..., K) to statistics of shape (..., P); without branches on values
        other than for undefined cases, for it is differentiated by a complex step.
    draws : Resamples
        The resamples of the G units, shared by everything that is to be compared.

    Returns
    -------
    BootstrapStatistics

    Notes
    -----
    Units are assumed to be independent and exchangeable; what lies within a unit may depend on
    each other in any way. The linearised variance is the sum of squared influences, the delta
    method without a model. Source: Efron (1979), doi:10.1214/aos/1176344552; Efron (1982), The
    Jackknife, chapter 6; Squire and Trapp (1998) for the complex step, doi:10.1137/S003614459631241X.

    Examples
    --------
    A ratio of two sums over five units.

    >>> tables = np.array([[1, 0, 2, 1, 3], [2, 1, 2, 2, 3]])
    >>> draws = Resamples(np.random.default_rng(1), 5, 500)
    >>> boot = bootstrap_sums(tables, lambda s: s[..., :1] / s[..., 1:], draws)
    >>> boot.estimate.tolist(), boot.replicates.shape
    ([0.7], (1, 500))
    """
    table = np.asarray(tables)
    if table.ndim != 2 or table.shape[1] != draws.n_units:
        raise ValueError(f"tables must have shape (sums, {draws.n_units} units), got {table.shape}")
    total = table.sum(axis=1, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = np.asarray(function(total), dtype=np.float64)
        if table.shape[1] == 0:
            none = np.full(estimate.size, np.nan)
            return BootstrapStatistics(estimate, none, none * 0, np.empty((estimate.size, 0)), 0)
        (resampled,) = draws.sums(table)
        replicates = np.asarray(function(resampled), dtype=np.float64).T
    influence, n_units = _influences(table, total, function)
    std_error, acceleration = _spread(influence, n_units)
    return BootstrapStatistics(estimate, std_error, acceleration, replicates, n_units)


def _influences(
    table: npt.NDArray[np.generic], total: FloatArray, function: SumFunction
) -> tuple[FloatArray, int]:
    """Return each unit's influence on each statistic, shape (G, P), and the units with data."""
    with np.errstate(invalid="ignore", divide="ignore"):
        steps = total.astype(np.complex128) + 1j * _STEP * np.eye(total.size)
        gradient = np.asarray(function(steps)).imag / _STEP
    # A sum with no derivative (nothing was ever added to it) has no influence either.
    used = np.any(table != 0, axis=1)
    influence: FloatArray = table[used].T.astype(np.float64) @ gradient[used]
    return influence, int(np.count_nonzero(np.any(table != 0, axis=0)))


def _spread(influence: FloatArray, n_units: int) -> tuple[FloatArray, FloatArray]:
    squares = np.sum(influence**2, axis=0)
    # One unit, or units that do not differ, say nothing of the spread.
    none = (n_units < 2) | ~(np.max(np.abs(influence), axis=0, initial=0.0) > 1e-13)
    with np.errstate(invalid="ignore", divide="ignore"):
        std_error = np.sqrt(squares * (n_units / max(n_units - 1, 1)))
        acceleration = np.sum(influence**3, axis=0) / (6 * squares**1.5)
    return np.where(none, np.nan, std_error), np.where(none, 0.0, acceleration)
