"""Result objects that several kernels share, with invariants checked when they are made.

Every array of a result is read-only: a result is a value, and what a table, a figure and a page
take from it is the same. An interval that does not exist is NaN in both limits, never in one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
NumericArray = npt.NDArray[Any]


def frozen_array(values: npt.ArrayLike, dtype: npt.DTypeLike) -> NumericArray:
    """Return `values` as a read-only array of `dtype`, without copying where it already is one."""
    array = np.asarray(values, dtype=dtype)
    view = array.view()
    view.setflags(write=False)
    return view


def check_level(level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1 (say 0.95), got {level!r}")


def check_limits(low: FloatArray, high: FloatArray) -> None:
    """Refuse limits that are crossed, or of which only one is missing.

    Raises
    ------
    ValueError
        If the shapes differ, a lower limit exceeds its upper limit or only one of a pair is NaN.
    """
    if low.shape != high.shape:
        raise ValueError(f"limits differ in shape: {low.shape} and {high.shape}")
    if np.any(np.isnan(low) != np.isnan(high)):
        raise ValueError("an interval has both limits or none")
    if np.any(low > high):
        raise ValueError("a lower limit exceeds its upper limit")


@dataclass(frozen=True)
class Intervals:
    """Confidence limits.

    Parameters
    ----------
    low, high : ndarray of float
        Limits, of one shape; NaN in both where no interval exists.
    level : float
        Confidence level, between 0 and 1.
    method : str
        Name of the method.
    """

    low: FloatArray
    high: FloatArray
    level: float
    method: str

    def __post_init__(self) -> None:
        check_level(self.level)
        object.__setattr__(self, "low", frozen_array(self.low, np.float64))
        object.__setattr__(self, "high", frozen_array(self.high, np.float64))
        check_limits(self.low, self.high)


@dataclass(frozen=True)
class MeanEstimates:
    """Means of M models with their intervals.

    Parameters
    ----------
    estimate : ndarray of float, shape (M,)
        Mean over the model's own cells; NaN for a model without a cell.
    std_error : ndarray of float, shape (M,)
        Standard error, NaN where one unit (item or cluster) is all there is.
    ci_low, ci_high : ndarray of float, shape (M,)
        Limits, NaN where no interval exists.
    level : float
        Confidence level.
    method : str
        Name of the interval's method.
    n_items, n_clusters : ndarray of int, shape (M,)
        Cells of the model, and the resampled units (items where no clusters were given) they lie in.
    """

    estimate: FloatArray
    std_error: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    level: float
    method: str
    n_items: IntArray
    n_clusters: IntArray

    def __post_init__(self) -> None:
        check_level(self.level)
        for name in ("estimate", "std_error", "ci_low", "ci_high"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        for name in ("n_items", "n_clusters"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        shape = self.estimate.shape
        for name in ("std_error", "ci_low", "ci_high", "n_items", "n_clusters"):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, estimate has {shape}")
        check_limits(self.ci_low, self.ci_high)
        if np.any((self.n_items == 0) != np.isnan(self.estimate)):
            raise ValueError("an estimate is NaN exactly where a model has no item")
        if np.any(self.n_clusters > self.n_items):
            raise ValueError("more clusters than items")
        if np.any(self.std_error < 0):
            raise ValueError("a standard error is negative")
