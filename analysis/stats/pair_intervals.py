"""Intervals of paired differences, from the joint resamples of all models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.bootstrap import expanded_tail
from analysis.stats.lattice import to_integers
from analysis.stats.pair_rows import PairRows, pair_rows, rows_per_block
from analysis.stats.resampling import Resamples, order_statistic_limits, row_limits
from analysis.stats.results import BoolArray, FloatArray, IntArray
from analysis.stats.units import Cells, unit_sums

MAX_JOINT_WORK = 2.0e11
"""Multiplications up to which pairs with unlike missing cells are resampled jointly."""

MIN_EXPANDED = 1000
"""Differing items from which limits from counts are expanded, not resampled."""

_BLOCK_VALUES = 2**24


@dataclass(frozen=True)
class DifferenceReplicates:
    """Joint bootstrap replicates of the mean differences of P pairs.

    Parameters
    ----------
    estimate : ndarray of float, shape (P,)
        Mean difference over common items.
    replicates : ndarray of float, shape (P, B)
        The same in each resample; NaN where it holds no common item.
    n_units : ndarray of int, shape (P,)
        Units with a common item.
    """

    estimate: FloatArray
    replicates: FloatArray
    n_units: IntArray

    def limits(self, tail: float, *, widen: bool) -> tuple[FloatArray, FloatArray]:
        """Return percentile limits, with tails widened for few units if asked."""
        cut = expanded_tail(tail, self.n_units) if widen else np.asarray(tail)
        return row_limits(self.replicates, cut, cut)


def separable_replicates(
    cells: Cells, first: IntArray, second: IntArray, resamples: Resamples
) -> Iterator[tuple[slice, DifferenceReplicates]]:
    """Go through pairs of models that have the same cells.

    The difference of two means over the same items is the mean difference, so every pair's
    replicates are differences of the models' own.

    Parameters
    ----------
    cells : Cells
        Scores.
    first, second : ndarray of int, shape (P,)
        Models of each pair.
    resamples : Resamples
        Joint resamples of the units.

    Yields
    ------
    block : slice
        Which pairs.
    replicates : DifferenceReplicates
    """
    models, position = np.unique(np.concatenate([first, second]), return_inverse=True)
    a, b = position[: first.size], position[first.size :]
    numerator, denominator = unit_sums(_subset(cells, models))
    top, factor = to_integers(numerator, cells.denominator(), cells.n_units)
    weighted = cells.weights is not None
    bottom, scale = to_integers(denominator, cells.denominator() if weighted else 1, cells.n_units)
    tops, bottoms = resamples.sum_rows(top, bottom)
    n_units = np.count_nonzero(denominator, axis=1)
    top_total, bottom_total = top.sum(axis=1), bottom.sum(axis=1)
    size = max(1, _BLOCK_VALUES // resamples.n_draws)
    for start in range(0, first.size, size):
        block = slice(start, min(start + size, first.size))
        x, y = a[block], b[block]
        with np.errstate(invalid="ignore", divide="ignore"):
            # One division of exact integers: equal differences are equal numbers.
            replicates = (tops[x] - tops[y]) / bottoms[x] / (factor / scale)
            estimate = (top_total[x] - top_total[y]) / bottom_total[x] / (factor / scale)
        yield block, DifferenceReplicates(estimate, replicates, n_units[x])


def concatenated(parts: Iterator[tuple[slice, DifferenceReplicates]], n_pairs: int) -> DifferenceReplicates:
    """Put blocks of pairs together."""
    kept = [part for _, part in parts]
    if not kept:
        return DifferenceReplicates(np.zeros(0), np.zeros((n_pairs, 0)), np.zeros(0, dtype=np.int64))
    return DifferenceReplicates(
        np.concatenate([part.estimate for part in kept]),
        np.concatenate([part.replicates for part in kept]),
        np.concatenate([part.n_units for part in kept]),
    )


def row_replicates(rows: PairRows, cells: Cells, resamples: Resamples) -> DifferenceReplicates:
    """Resample pairs whose differences are given unit by unit.

    Parameters
    ----------
    rows : PairRows
        Differences and weights summed over units.
    cells : Cells
        Scores they come from.
    resamples : Resamples
        Joint resamples of the units.

    Returns
    -------
    DifferenceReplicates
    """
    top, bottom, factor = _integers(rows, cells)
    tops, bottoms = resamples.sum_rows(top, bottom)
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = tops / bottoms / factor
    return DifferenceReplicates(
        mean_differences(rows, cells), replicates, np.count_nonzero(rows.weight, axis=1)
    )


def mean_differences(rows: PairRows, cells: Cells) -> FloatArray:
    """Return the mean differences of pairs, summed as integers so that the order does not matter.

    Parameters
    ----------
    rows : PairRows
        Differences and weights summed over units.
    cells : Cells
        Scores they come from.

    Returns
    -------
    ndarray of float, shape (P,)
        NaN for pairs without common items.
    """
    top, bottom, factor = _integers(rows, cells)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(top.sum(axis=1) / bottom.sum(axis=1) / factor)


def _integers(rows: PairRows, cells: Cells) -> tuple[FloatArray, FloatArray, float]:
    n_units = rows.difference.shape[1]
    weighted = cells.weights is not None
    top, factor = to_integers(rows.difference, cells.denominator(), n_units)
    bottom, scale = to_integers(rows.weight, cells.denominator() if weighted else 1, n_units)
    return top, bottom, factor / scale


def joint_replicates(
    cells: Cells, first: IntArray, second: IntArray, resamples: Resamples
) -> Iterator[tuple[npt.NDArray[np.intp], DifferenceReplicates]]:
    """Go through the joint replicates of any pairs, in blocks.

    Parameters
    ----------
    cells : Cells
        Scores.
    first, second : ndarray of int, shape (P,)
        Models of each pair.
    resamples : Resamples
        Joint resamples of the units.

    Yields
    ------
    positions : ndarray of int
        Which pairs.
    replicates : DifferenceReplicates
    """
    same = same_cells(cells, first, second)
    shared, own = np.flatnonzero(same), np.flatnonzero(~same)
    if shared.size:
        for block, replicates in separable_replicates(cells, first[shared], second[shared], resamples):
            yield shared[block], replicates
    size = rows_per_block(cells.observed.shape[1])
    for start in range(0, own.size, size):
        i = own[start : start + size]
        yield i, row_replicates(pair_rows(cells, first[i], second[i]), cells, resamples)


def same_cells(cells: Cells, first: IntArray, second: IntArray) -> BoolArray:
    """Return which pairs consist of models that have the same cells."""
    if cells.complete:
        return np.ones(first.shape, dtype=np.bool_)
    _, group = np.unique(np.packbits(cells.observed, axis=1), axis=0, return_inverse=True)
    group = group.ravel()
    same: BoolArray = group[first] == group[second]
    return same


def joint_work(n_pairs: int, resamples: Resamples) -> float:
    """Return the multiplications that joint resamples of pair-specific sums take."""
    return 4.0 * n_pairs * resamples.n_units * resamples.n_draws


def count_limits(
    differences: IntArray,
    counts: IntArray,
    denominator: int,
    rng: np.random.Generator,
    n_resamples: int,
    tail: float,
    *,
    widen: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return bootstrap limits from each pair's own counts of differences.

    A resample of items draws a multinomial vector of difference counts, so this is the same
    bootstrap at a cost that does not depend on the number of items; pairs are not drawn jointly.
    With 1,000 or more items that differ the limits of infinitely many resamples are computed
    instead, by the Cornish-Fisher expansion to the skewness, whose error is then far below that of
    any number of resamples.

    Parameters
    ----------
    differences : ndarray of int, shape (H,)
        Distinct differences in lattice steps.
    counts : ndarray of int, shape (P, H)
        How often each occurs in each pair.
    denominator : int
        Lattice steps in 1.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples : int
        Number of resamples.
    tail : float
        Probability of one tail.
    widen : bool
        Whether to widen tails for few items.

    Returns
    -------
    low, high : ndarray of float, shape (P,)
    """
    n = counts.sum(axis=1)
    low, high = np.full(n.size, np.nan), np.full(n.size, np.nan)
    n_differing = counts[:, differences != 0].sum(axis=1)
    cut = expanded_tail(tail, n) if widen else np.full(n.size, tail)
    some = np.flatnonzero((n > 0) & (n_differing < MIN_EXPANDED))
    size = max(1, _BLOCK_VALUES // (n_resamples * differences.size))
    for start in range(0, some.size, size):
        i = some[start : start + size]
        drawn = rng.multinomial(n[i], counts[i] / n[i, None], size=(n_resamples, i.size))
        replicates = (drawn @ differences) / (n[i] * float(denominator))
        low[i], high[i] = order_statistic_limits(replicates, cut[i], cut[i])
    i = np.flatnonzero(n_differing >= MIN_EXPANDED)
    shares = counts[i] / n[i, None]
    mean = shares @ differences
    centred = differences - mean[:, None]
    variance = np.sum(shares * centred**2, axis=1)
    third = np.sum(shares * centred**3, axis=1)
    z = special.ndtri(cut[i])
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = (z**2 - 1) / 6 * third / variance**1.5 / np.sqrt(n[i])
        step = np.sqrt(variance / n[i])
        around = np.stack([mean + step * (z + shift), mean + step * (-z + shift)]) / denominator
    varies = variance > 1e-12
    low[i], high[i] = np.where(varies, around[0], np.nan), np.where(varies, around[1], np.nan)
    return low, high


def student_limits(rows: PairRows, tail: float) -> tuple[FloatArray, FloatArray]:
    """Return Student's limits with the linearised standard error, for very large data.

    Parameters
    ----------
    rows : PairRows
        Differences and weights summed over units.
    tail : float
        Probability of one tail.

    Returns
    -------
    low, high : ndarray of float, shape (P,)
        Limits, NaN where differences do not vary.
    """
    n = np.count_nonzero(rows.weight, axis=1)
    total = rows.weight.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = rows.difference.sum(axis=1) / total
        squares = np.sum((rows.difference - mean[:, None] * rows.weight) ** 2, axis=1)
        half = -special.stdtrit(np.maximum(n - 1, 1), tail) * np.sqrt(n / (n - 1) * squares) / total
    half = np.where((n > 1) & (squares > 1e-18 * total), half, np.nan)
    return mean - half, mean + half


def _subset(cells: Cells, models: IntArray | npt.NDArray[np.intp]) -> Cells:
    return Cells(cells.values[models], cells.observed[models], cells.weights, cells.units, cells.n_units)
