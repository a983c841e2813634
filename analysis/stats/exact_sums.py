"""What each unit adds to the numerators and denominators of M means, as integers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analysis.stats.lattice import to_integers
from analysis.stats.resampling import Resamples
from analysis.stats.results import FloatArray, IntArray, NumericArray
from analysis.stats.units import Cells, Estimand, unit_sums

_SINGLE_EXACT = 2**24


class ExactSums:
    """Numerators and denominators of M means over units, or over blocks of units.

    Model by model, so that large data are never copied whole in double precision.

    Parameters
    ----------
    cells : Cells
        Scores.
    estimand : {"item", "cluster"}
        See :func:`analysis.stats.units.unit_sums`.
    blocks : ndarray of int, shape (n_units,), optional
        Number of the block of each unit, 0 to n_blocks - 1; None means that each unit is its own.
    n_blocks : int, optional
        Number of blocks.
    """

    def __init__(
        self, cells: Cells, estimand: Estimand, blocks: IntArray | None = None, n_blocks: int = 0
    ) -> None:
        self.cells, self.estimand = cells, estimand
        self.n_resampled = cells.n_units if blocks is None else n_blocks
        self.shared = cells.complete
        n_models = cells.n_models
        n_bottom = min(n_models, 1) if self.shared else n_models
        kind = np.float32 if self._fits_single() else np.float64
        top: NumericArray = np.empty((n_models, self.n_resampled), dtype=kind)
        bottom: NumericArray = np.empty((n_bottom, self.n_resampled), dtype=kind)
        self.std_error = np.full(n_models, np.nan)
        self.n_clusters = np.zeros(n_models, dtype=np.int64)
        for m in range(n_models):
            a, b = self._unit_sums(m)
            self._describe(m, a, b)
            top[m] = a if blocks is None else np.bincount(blocks, a, minlength=n_blocks)
            if m < n_bottom:
                bottom[m] = b if blocks is None else np.bincount(blocks, b, minlength=n_blocks)
        lattice = cells.denominator() if estimand == "item" else None
        weights = 1 if cells.weights is None or estimand == "cluster" else lattice
        self.numerator, factor = _integers(top, lattice, self.n_resampled)
        self.denominator, scale = _integers(bottom, weights, self.n_resampled)
        self.factor = factor / scale
        self.total: FloatArray = self.denominator.sum(axis=1, dtype=np.float64)
        # With one item a unit and no cell missing, every resample has the same total.
        self.constant_total = self.shared and bool(np.all(self.denominator == self.denominator[:, :1]))

    def estimate(self) -> FloatArray:
        """Return the means, shape (M,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.numerator.sum(axis=1, dtype=np.float64) / self.total / self.factor)

    def replicates(self, resamples: Resamples) -> FloatArray:
        """Return the means in each resample, shape (B, M)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.constant_total:
                (top,) = resamples.sums(self.numerator)
                return top / self.total / self.factor
            top, bottom = resamples.sums(self.numerator, self.denominator)
            return top / bottom / self.factor

    def accelerations(self) -> FloatArray:
        """Return the acceleration of each mean, from leaving out units one at a time, shape (M,)."""
        out = np.zeros(self.cells.n_models)
        for m in range(out.size):
            top, bottom = self._unit_sums(m)
            top, bottom = top[bottom > 0], bottom[bottom > 0]
            if top.size < 2:
                continue
            left_out = (top.sum() - top) / (bottom.sum() - bottom)
            influence = left_out.mean() - left_out
            spread = float(np.sum(influence**2))
            if spread > 0:
                out[m] = float(np.sum(influence**3)) / (6 * spread**1.5)
        return out

    def t_replicates(self, resamples: Resamples, estimate: FloatArray, replicates: FloatArray) -> FloatArray:
        """Return deviations of resampled means over their own linearised standard errors, (B, M)."""
        top = self.numerator.astype(np.float64) / self.factor
        bottom = np.broadcast_to(self.denominator.astype(np.float64), top.shape)
        squares = (top * top, top * bottom, bottom * bottom)
        tables = [to_integers(table, None, resamples.n_units) for table in squares]
        sums = resamples.sums(*[table for table, _ in tables], self.denominator)
        a2, ab, b2 = (s / factor for s, (_, factor) in zip(sums, tables, strict=False))
        total = sums[-1]
        n = np.count_nonzero(bottom, axis=1)
        residual = np.maximum(a2 - 2 * replicates * ab + replicates**2 * b2, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            # Sums of squares that cancel to rounding error are no spread.
            residual = np.where(residual <= 1e-9 * a2, 0.0, residual)
            std_error = np.sqrt(n / (n - 1) * residual) / total
            difference = replicates - estimate
            return np.where(std_error > 0, difference / std_error, np.sign(difference) * np.inf)

    def _fits_single(self) -> bool:
        # Small whole numbers are exact in single precision, at half the memory.
        cells = self.cells
        if cells.units is not None or cells.weights is not None or self.n_resampled != cells.n_units:
            return False
        whole = bool(np.issubdtype(cells.values.dtype, np.integer))
        largest = float(max(np.max(cells.values, initial=0), -np.min(cells.values, initial=0)))
        return whole and largest * cells.n_units < _SINGLE_EXACT

    def _unit_sums(self, m: int) -> tuple[FloatArray, FloatArray]:
        row = slice(m, m + 1)
        one = replace(self.cells, values=self.cells.values[row], observed=self.cells.observed[row])
        top, bottom = unit_sums(one, estimand=self.estimand)
        return top[0], bottom[0]

    def _describe(self, m: int, top: FloatArray, bottom: FloatArray) -> None:
        present = bottom > 0
        if not present.all():
            top, bottom = top[present], bottom[present]
        n = top.size
        self.n_clusters[m] = n
        if n < 2 or np.ptp(top / bottom) == 0:
            return
        total = float(bottom.sum())
        residual = top - float(top.sum()) / total * bottom
        self.std_error[m] = np.sqrt(n / (n - 1) * float(np.dot(residual, residual))) / total


def _integers(table: NumericArray, denominator: int | None, n_terms: int) -> tuple[NumericArray, float]:
    if denominator == 1 and table.dtype == np.float32:
        return table, 1.0
    return to_integers(table, denominator, n_terms)
