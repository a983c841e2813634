"""Generalizability: variance components of models x vignettes x raters, and what other numbers would give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.results import FloatArray, frozen_array

COMPONENTS = (
    "model",
    "vignette",
    "rater",
    "model:vignette",
    "model:rater",
    "vignette:rater",
    "residual",
)
"""The components of the crossed design, in this order."""

MAX_NEEDED = 100_000
"""More vignettes, or raters, than this are not looked for."""


@dataclass(frozen=True)
class VarianceComponents:
    """Variance components of one score per model, vignette and rater.

    Parameters
    ----------
    raw : ndarray of float, shape (7,)
        Unbiased estimates in the order of `COMPONENTS`, possibly negative.
    n_models, n_vignettes, n_raters : int
        Size of the design.
    """

    raw: FloatArray
    n_models: int
    n_vignettes: int
    n_raters: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "raw", frozen_array(self.raw, np.float64))
        if self.raw.shape != (len(COMPONENTS),):
            raise ValueError(f"raw has shape {self.raw.shape}, there are {len(COMPONENTS)} components")

    @property
    def variance(self) -> FloatArray:
        """The estimates, 0 where they are negative."""
        return np.maximum(self.raw, 0.0)

    def reliability(
        self, n_vignettes: npt.ArrayLike, n_raters: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Return the reliability of models' means for other numbers of vignettes and raters.

        Parameters
        ----------
        n_vignettes, n_raters : array_like of int
            Numbers, broadcast against each other.

        Returns
        -------
        generalizability, dependability : ndarray of float
            Of the order of models (relative error) and of their level (absolute error); NaN where the
            scores do not vary at all.

        Notes
        -----
        Vignettes and raters are random samples; every model meets the same ones. Source: Cronbach,
        Gleser, Nanda and Rajaratnam (1972); Brennan (2001), doi:10.1007/978-1-4757-3456-0, section 4.
        """
        v, r = np.asarray(n_vignettes, np.float64), np.asarray(n_raters, np.float64)
        model, vignette, rater, mv, mr, vr, residual = self.variance
        relative = mv / v + mr / r + residual / (v * r)
        absolute = relative + vignette / v + rater / r + vr / (v * r)
        with np.errstate(invalid="ignore", divide="ignore"):
            return model / (model + relative), model / (model + absolute)

    def vignettes_needed(self, target: float, n_raters: int, *, absolute: bool = False) -> int | None:
        """Return the least number of vignettes for a stated reliability, None where none is enough.

        Examples
        --------
        >>> raw = np.array([0.5, 0.1, 0.05, 0.4, 0.0, 0.0, 0.2])
        >>> components = VarianceComponents(raw, 6, 20, 3)
        >>> components.vignettes_needed(0.8, 2)
        4
        >>> components.vignettes_needed(0.99, 1, absolute=True) is None
        True
        """
        return _least(lambda n: float(self.reliability(n, n_raters)[int(absolute)]), target)

    def raters_needed(self, target: float, n_vignettes: int, *, absolute: bool = False) -> int | None:
        """Return the least number of raters for a stated reliability, None where none is enough.

        Examples
        --------
        >>> raw = np.array([0.5, 0.1, 0.05, 0.4, 0.2, 0.0, 0.2])
        >>> VarianceComponents(raw, 6, 20, 3).raters_needed(0.8, 10)
        3
        """
        return _least(lambda n: float(self.reliability(n_vignettes, n)[int(absolute)]), target)


def _least(reliability: Callable[[int], float], target: float) -> int | None:
    """Return the least number that reaches a target; reliability rises with the number."""
    if not reliability(MAX_NEEDED) >= target:
        return None
    low, high = 1, MAX_NEEDED
    while low < high:
        middle = (low + high) // 2
        if reliability(middle) >= target:
            high = middle
        else:
            low = middle + 1
    return low


def variance_components(scores: npt.ArrayLike) -> VarianceComponents:
    """Estimate the variance components of a complete crossed design.

    Parameters
    ----------
    scores : array_like of float, shape (M, V, R)
        One score per model, vignette and rater, none missing.

    Returns
    -------
    VarianceComponents

    Raises
    ------
    ValueError
        If a score is missing or a side of the design has fewer than two.

    Notes
    -----
    From the mean squares of the three-way layout without replication and their expectations; no
    distribution is assumed. Estimates can be negative where a component is small. Source: Brennan
    (2001), doi:10.1007/978-1-4757-3456-0, section 3; Shavelson and Webb (1991).

    Examples
    --------
    Models differ, nothing else does.

    >>> scores = np.broadcast_to(np.array([1.0, 2.0, 3.0])[:, None, None], (3, 4, 2))
    >>> variance_components(scores).raw.tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 3 or min(x.shape) < 2 or not np.all(np.isfinite(x)):
        raise ValueError(
            f"scores must be complete, of shape (models, vignettes, raters), each 2 or more, got {x.shape}"
        )
    m, v, r = x.shape
    grand = x.mean()
    one = [x.mean(axis=(1, 2)) - grand, x.mean(axis=(0, 2)) - grand, x.mean(axis=(0, 1)) - grand]
    a, b, c = one
    ab = x.mean(axis=2) - grand - a[:, None] - b[None, :]
    ac = x.mean(axis=1) - grand - a[:, None] - c[None, :]
    bc = x.mean(axis=0) - grand - b[:, None] - c[None, :]
    effects = (
        grand + a[:, None, None] + b[None, :, None] + c[None, None, :]
        + ab[:, :, None] + ac[:, None, :] + bc[None, :, :]
    )  # fmt: skip
    mean_square = {
        "m": v * r * np.sum(a**2) / (m - 1),
        "v": m * r * np.sum(b**2) / (v - 1),
        "r": m * v * np.sum(c**2) / (r - 1),
        "mv": r * np.sum(ab**2) / ((m - 1) * (v - 1)),
        "mr": v * np.sum(ac**2) / ((m - 1) * (r - 1)),
        "vr": m * np.sum(bc**2) / ((v - 1) * (r - 1)),
        "e": np.sum((x - effects) ** 2) / ((m - 1) * (v - 1) * (r - 1)),
    }
    e, mv, mr, vr = (mean_square[k] for k in ("e", "mv", "mr", "vr"))
    raw = np.array(
        [
            (mean_square["m"] - mv - mr + e) / (v * r),
            (mean_square["v"] - mv - vr + e) / (m * r),
            (mean_square["r"] - mr - vr + e) / (m * v),
            (mv - e) / r,
            (mr - e) / v,
            (vr - e) / m,
            e,
        ]
    )
    # Rounding of 1e-17 would be read as a component.
    return VarianceComponents(np.round(raw, 14) + 0.0, m, v, r)
