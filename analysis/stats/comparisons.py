"""What comparing pairs of models gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.results import FloatArray, IntArray, check_level, check_limits, frozen_array


@dataclass(frozen=True)
class PairedComparisons:
    """Comparisons of P pairs of models.

    Parameters
    ----------
    first, second : ndarray of int, shape (P,)
        Indices of the two models.
    difference : ndarray of float, shape (P,)
        Mean of first minus second over common items; NaN where there are none.
    ci_low, ci_high : ndarray of float, shape (P,)
        Bootstrap limits of the difference; NaN where all resamples are equal.
    n_items, n_better, n_worse : ndarray of int, shape (P,)
        Common items, and those on which the first model scores higher and lower.
    p_value : ndarray of float, shape (P,)
        Two-sided p-values; NaN where there are no common items.
    method : ndarray of str, shape (P,)
        How each p-value was found.
    interval_method : ndarray of str, shape (P,)
        How each interval was found.
    level : float
        Confidence level.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_items: IntArray
    n_better: IntArray
    n_worse: IntArray
    p_value: FloatArray
    method: npt.NDArray[np.str_]
    interval_method: npt.NDArray[np.str_]
    level: float

    def __post_init__(self) -> None:
        check_level(self.level)
        for name in ("first", "second", "n_items", "n_better", "n_worse"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        for name in ("difference", "ci_low", "ci_high", "p_value"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        for name in ("method", "interval_method"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.str_))
        shapes = {getattr(self, name).shape for name in self.__dataclass_fields__ if name != "level"}
        if len(shapes) != 1:
            raise ValueError(f"one value per pair everywhere, got shapes {sorted(shapes)}")
        check_limits(self.ci_low, self.ci_high)
        none = self.n_items == 0
        if np.any(none != np.isnan(self.p_value)) or np.any(none != np.isnan(self.difference)):
            raise ValueError("p-value and difference are NaN exactly where there are no common items")
        if np.any(self.n_better + self.n_worse > self.n_items):
            raise ValueError("more discordant than common items")
        with np.errstate(invalid="ignore"):
            if np.any((self.p_value <= 0) | (self.p_value > 1)):
                raise ValueError("p-values must be above 0 and at most 1")


@dataclass
class Draft:
    """Comparisons of P pairs while they are being filled in; fields as in :class:`PairedComparisons`."""

    difference: FloatArray
    low: FloatArray
    high: FloatArray
    n_items: IntArray
    n_better: IntArray
    n_worse: IntArray
    p: FloatArray
    method: npt.NDArray[np.object_]
    interval_method: npt.NDArray[np.object_]

    @classmethod
    def empty(cls, n: int) -> Draft:
        """Return a draft of n pairs without common items."""

        def floats() -> FloatArray:
            return np.full(n, np.nan)

        def integers() -> IntArray:
            return np.zeros(n, dtype=np.int64)

        def words() -> npt.NDArray[np.object_]:
            return np.full(n, "none", dtype=object)

        return cls(
            floats(), floats(), floats(), integers(), integers(), integers(), floats(), words(), words()
        )
