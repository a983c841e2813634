"""Pearson's correlation with a cluster bootstrap."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import FloatArray


def estimate_pearson(
    first: npt.ArrayLike, second: npt.ArrayLike, *, units: ResampledUnits, level: float
) -> Estimates:
    """Estimate Pearson's correlation of two sets of numbers, with an interval.

    Parameters
    ----------
    first, second : array_like of float, shape (N,)
        Numbers; NaN where there is none.
    units : ResampledUnits
        Which of the N lie in one unit, and the resamples of the units.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Of the one statistic ``pearson``; NaN where one of the two is constant.

    Raises
    ------
    ValueError
        If lengths do not fit or a number is infinite.

    Notes
    -----
    Source: Pearson (1896), doi:10.1098/rsta.1896.0007.

    Examples
    --------
    >>> units = ResampledUnits.create(5, rng=np.random.default_rng(1), n_resamples=200)
    >>> estimate_pearson([1, 2, 3, 4, 5], [1, 3, 2, 4, 4], units=units, level=0.95).estimate.round(3).tolist()
    [0.849]
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not x.shape == y.shape == units.codes.shape:
        raise ValueError(
            f"both and the units must have one length, got {x.shape}, {y.shape}, {units.codes.shape}"
        )
    if np.any(np.isinf(x)) or np.any(np.isinf(y)):
        raise ValueError("numbers must be finite, or NaN where there is none")
    both = ~(np.isnan(x) | np.isnan(y))
    a, b = _steps(x[both]), _steps(y[both])
    rows = [np.ones((1, a.size)), a[None], b[None]]
    rows += [product[None] for product in (a * a, b * b, a * b)]
    parts = [to_integers(row, common_denominator(row), a.size) for row in rows]
    tables = units.totals(np.concatenate([row for row, _ in parts]), both)
    factors = np.array([factor for _, factor in parts])

    def pearson(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        n, sa, sb, saa, sbb, sab = np.moveaxis(sums / factors, -1, 0)
        spread_a, spread_b = n * saa - sa * sa, n * sbb - sb * sb
        # Off a lattice a constant leaves rounding error where it should leave 0.
        none = (spread_a.real <= 1e-12 * np.abs(n * saa)) | (spread_b.real <= 1e-12 * np.abs(n * sbb))
        with np.errstate(invalid="ignore", divide="ignore"):
            product = np.where(none, np.nan, spread_a * spread_b)
            found: npt.NDArray[np.inexact] = (n * sab - sa * sb) / np.sqrt(product)
        return found[..., None]

    boot = bootstrap_sums(tables, pearson, units.draws)
    return Estimates.from_bootstrap(("pearson",), boot, level, int(both.sum()))


def _steps(values: FloatArray) -> FloatArray:
    """Return numbers shifted to begin at 0, as integers where they lie on a lattice."""
    shifted = values - values.min(initial=np.inf) if values.size else values
    denominator = common_denominator(shifted)
    return np.rint(shifted * denominator) if denominator else shifted
