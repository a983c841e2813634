"""Agreement of two raters: Cohen's kappa, plain and weighted.

A rating is a code 0 to K - 1 of K categories, -1 where the rater gave none; a pair of raters is
compared on what both have rated. Categories that are ordered have positions: 0, 1, 2, ... or their
numbers on a scale. The distance of two categories is that of their positions, so a category that
nobody used does not move the others closer together.

Cases without variation
-----------------------
* One rater constant, the other not: kappa is 0 (agreement is what chance gives), weighted ones too.
* Both constant on the same category: agreement is 1, and so is what is expected by chance; kappa is
  0/0 and NaN. The data do not speak of agreement beyond chance.
* Both constant on different categories: agreement is 0 and kappa is 0.
* Nothing rated in common: everything is NaN, n is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.joint_counts import joint_counts
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.proportions import wilson_interval
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import BoolArray, FloatArray, IntArray, frozen_array

AGREEMENT = ("agreement", "kappa", "kappa_linear", "kappa_quadratic")
"""What :func:`estimate_agreement` estimates, in this order."""


@dataclass(frozen=True)
class Kappas:
    """Agreement and kappas of any number of pairs of raters.

    Parameters
    ----------
    n : ndarray of int
        What both have rated.
    agreement : ndarray of float
        Share with the same category; NaN where n is 0.
    kappa, kappa_linear, kappa_quadratic : ndarray of float
        Cohen's kappa with every disagreement counted alike, by its distance, by its square; NaN
        where expected agreement is 1 or n is 0.
    """

    n: IntArray
    agreement: FloatArray
    kappa: FloatArray
    kappa_linear: FloatArray
    kappa_quadratic: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", frozen_array(self.n, np.int64))
        for name in AGREEMENT:
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
            if getattr(self, name).shape != self.n.shape:
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, n has {self.n.shape}")
        if np.any((self.n == 0) != np.isnan(self.agreement)):
            raise ValueError("agreement is NaN exactly where nothing is rated in common")


def distances(n_levels: int, positions: npt.ArrayLike | None = None) -> FloatArray:
    """Return the distances of categories for the three kinds of kappa, as integers.

    Parameters
    ----------
    n_levels : int
        Number of categories, K.
    positions : array_like of float, shape (K,), optional
        Where the categories lie; default 0 to K - 1.

    Returns
    -------
    ndarray of float, shape (3, K, K)
        Unequal (0 or 1), absolute and squared distance; a common factor does not change kappa.

    Raises
    ------
    ValueError
        If the positions are not K finite numbers.

    Examples
    --------
    >>> distances(3)[2].tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    """
    at = np.arange(n_levels, dtype=np.float64) if positions is None else np.asarray(positions, np.float64)
    if at.shape != (n_levels,) or not np.all(np.isfinite(at)):
        raise ValueError(f"positions must be {n_levels} finite numbers, got {at.tolist()}")
    # Off any small lattice a grid of 2**20 steps over the range is fine enough for any scale.
    span = float(np.ptp(at)) if n_levels else 0.0
    denominator = common_denominator(at - at.min(initial=0.0))
    steps, _ = to_integers(at, denominator, 1) if denominator else (np.rint(at / span * 2**20), 0.0)
    linear = np.abs(steps[:, None] - steps[None, :])
    return np.stack([(linear > 0) | (1 - np.eye(n_levels) > 0), linear, linear**2]).astype(np.float64)


def kappas_from_counts(counts: npt.ArrayLike, positions: npt.ArrayLike | None = None) -> Kappas:
    """Compute agreement and kappas from contingency tables.

    Parameters
    ----------
    counts : array_like of int, shape (K, K, ...)
        ``counts[i, j]`` ratings with category i of the first and j of the second rater.
    positions : array_like of float, shape (K,), optional
        Where the categories lie; default 0 to K - 1.

    Returns
    -------
    Kappas
        Of shape ``counts.shape[2:]``.

    Notes
    -----
    Kappa is 1 less the ratio of observed to expected distance, expected from both raters' own
    category shares. Source: Cohen (1960), doi:10.1177/001316446002000104; Cohen (1968) for
    weights, doi:10.1037/h0026256.

    Examples
    --------
    Two raters of 20 responses as incorrect, partial, correct; all disagreements are one step.

    >>> kappas = kappas_from_counts([[4, 1, 0], [0, 7, 1], [0, 1, 6]])
    >>> kappas.agreement.round(3).item(), kappas.kappa.round(3).item(), kappas.kappa_quadratic.round(3).item()
    (0.85, 0.768, 0.866)
    """
    table = np.asarray(counts)
    if table.ndim < 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"counts must have shape (K, K, ...), got {table.shape}")
    if np.any(table < 0):
        raise ValueError("counts must be at least 0")
    weight = distances(table.shape[0], positions)
    cells = table.astype(np.float64)
    sums = np.concatenate(
        [
            cells.sum(axis=(0, 1))[None],
            np.einsum("wij,ij...->w...", weight, cells),
            cells.sum(axis=1),
            cells.sum(axis=0),
        ]
    )
    values = _agreement(np.moveaxis(sums, 0, -1), weight)
    return Kappas(table.sum(axis=(0, 1)), *np.moveaxis(values, -1, 0))


def pairwise_kappas(codes: npt.ArrayLike, n_levels: int, positions: npt.ArrayLike | None = None) -> Kappas:
    """Compute agreement and kappas of all pairs of R raters at once.

    Parameters
    ----------
    codes : array_like of int, shape (R, N)
        Categories 0 to n_levels - 1; any negative code where the rater gave none.
    n_levels : int
        Number of categories.
    positions : array_like of float, shape (K,), optional
        Where the categories lie; default 0 to K - 1.

    Returns
    -------
    Kappas
        Of shape (R, R).

    Examples
    --------
    >>> result = pairwise_kappas([[0, 1, 2, 2, 1], [0, 1, 2, 1, -1]], 3)
    >>> result.n[0, 1].item(), result.kappa_linear[0, 1].round(3).item()
    (4, 0.714)
    """
    return kappas_from_counts(joint_counts(codes, n_levels), positions)


def _agreement(sums: npt.NDArray[np.inexact], weight: FloatArray) -> npt.NDArray[np.inexact]:
    """Return the `AGREEMENT` statistics of sums (n, three distances, both raters' categories)."""
    n_levels = weight.shape[1]
    n, observed = sums[..., :1], sums[..., 1:4]
    first, second = sums[..., 4 : 4 + n_levels], sums[..., 4 + n_levels :]
    expected = np.einsum("...i,wij,...j->...w", first, weight, second)
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = 1 - observed[..., :1] / n
        # Integers on both sides of the fraction: "expected distance is 0" has no rounding.
        kappas = 1 - observed * n / np.where(expected == 0, np.nan, expected)
    return np.concatenate([agreement, kappas], axis=-1)


def estimate_agreement(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    n_levels: int,
    *,
    units: ResampledUnits,
    level: float,
    positions: npt.ArrayLike | None = None,
) -> Estimates:
    """Estimate agreement and kappas of two raters, with intervals.

    Parameters
    ----------
    first, second : array_like of int, shape (N,)
        Categories 0 to n_levels - 1; negative where the rater gave none.
    n_levels : int
        Number of categories, K.
    units : ResampledUnits
        Which of the N lie in one unit (responses or criteria of one item, or of its cluster), and
        the resamples of the units: raters given the same ones can be compared.
    level : float
        Confidence level.
    positions : array_like of float, shape (K,), optional
        Where the categories lie; default 0 to K - 1.

    Returns
    -------
    Estimates
        Of `AGREEMENT`. The interval of `agreement` is Wilson's where every unit holds one pair of
        ratings; the others are bootstrap intervals, none where all resamples are equal.

    Raises
    ------
    ValueError
        If codes, units or positions do not fit.

    Notes
    -----
    The linearised standard error of kappa over single items is that of Fleiss, Cohen and Everitt
    (1969), doi:10.1037/h0028106, times sqrt(n / (n - 1)).

    Examples
    --------
    >>> a, b = [0, 0, 1, 1, 1, 0, 1, 0] * 10, [0, 1, 1, 1, 1, 0, 0, 0] * 10
    >>> units = ResampledUnits.create(80, rng=np.random.default_rng(1), n_resamples=500)
    >>> result = estimate_agreement(a, b, 2, units=units, level=0.95)
    >>> [round(x, 3) for x in result["kappa"]]
    [0.5, 0.253, 0.667]
    """
    a, b, both = rated_by_both(first, second, n_levels, units)
    weight = distances(n_levels, positions)
    eye = np.eye(n_levels)
    rows = np.concatenate([np.ones((1, a.size)), weight[:, a, b], eye[:, a], eye[:, b]])
    tables = units.totals(rows, both)
    boot = bootstrap_sums(tables, lambda sums: _agreement(sums, weight), units.draws)
    result = Estimates.from_bootstrap(AGREEMENT, boot, level, a.size)
    if a.size and np.max(tables[0]) <= 1:
        wilson = wilson_interval([np.count_nonzero(a == b)], [a.size], level=level)
        result = result.with_limits(["agreement"], wilson)
    return result


def rated_by_both(
    first: npt.ArrayLike, second: npt.ArrayLike, n_levels: int, units: ResampledUnits
) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the two raters' codes on what both have rated, and which of the N that is.

    Raises
    ------
    ValueError
        If the codes are not integers below `n_levels`, or the lengths differ.
    """
    a, b = np.asarray(first), np.asarray(second)
    if not a.shape == b.shape == units.codes.shape:
        raise ValueError(
            f"both raters and the units must have one length, got {a.shape}, {b.shape}, {units.codes.shape}"
        )
    if a.size and not (np.issubdtype(a.dtype, np.integer) and np.issubdtype(b.dtype, np.integer)):
        raise ValueError(f"codes must be integers, got {a.dtype} and {b.dtype}")
    if np.any(a >= n_levels) or np.any(b >= n_levels):
        raise ValueError(f"codes must be below {n_levels}")
    both = (a >= 0) & (b >= 0)
    return a[both].astype(np.int64), b[both].astype(np.int64), both
