"""Scores of M models on N items, and their sums over the units that are resampled or flipped.

The unit is the item, or the cluster where clusters are given. Everything the bootstrap and the
permutation tests need of the data is additive over units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from analysis.stats.lattice import common_denominator
from analysis.stats.results import BoolArray, FloatArray, IntArray, NumericArray

Estimand = Literal["item", "cluster"]


@dataclass(frozen=True)
class Cells:
    """Scores with the cells that exist.

    Parameters
    ----------
    values : ndarray of float or int8, shape (M, N)
        Scores, 0 where there is no cell.
    observed : ndarray of bool, shape (M, N)
        Which cells exist.
    weights : ndarray of float, shape (N,), or None
        Item weights; None means 1 each.
    units : ndarray of int, shape (N,), or None
        Number of the unit of each item; None means that each item is its own.
    n_units : int
        How many units there are, those without a cell included.
    """

    values: NumericArray
    observed: BoolArray
    weights: FloatArray | None
    units: IntArray | None
    n_units: int

    @property
    def n_models(self) -> int:
        """Number of models."""
        return int(self.observed.shape[0])

    @property
    def n_cells(self) -> IntArray:
        """Number of cells of each model, shape (M,)."""
        return np.asarray(np.count_nonzero(self.observed, axis=1), dtype=np.int64)

    @cached_property
    def complete(self) -> bool:
        """Whether all models have the same cells."""
        return bool(np.all(self.observed == self.observed[:1])) if self.n_models else True

    def denominator(self) -> int | None:
        """Return the common denominator of weighted scores, None where there is no small one."""
        return self._denominator

    @cached_property
    def _denominator(self) -> int | None:
        if np.issubdtype(self.values.dtype, np.integer) or self.values.dtype == np.bool_:
            of_scores: int | None = 1
        else:
            of_scores = common_denominator(self.values)
        of_weights = 1 if self.weights is None else common_denominator(self.weights)
        return None if of_scores is None or of_weights is None else of_scores * of_weights

    def row_sums(self, values: NumericArray) -> FloatArray:
        """Sum rows of N item values, times item weights, over units.

        Parameters
        ----------
        values : ndarray, shape (..., N)
            Item values, 0 where there is no cell.

        Returns
        -------
        ndarray of float, shape (..., n_units)
        """
        flat = values.reshape(-1, values.shape[-1])
        out = np.empty((flat.shape[0], self.n_units))
        for row, sums in zip(flat, out, strict=True):
            weighted = row if self.weights is None else row * self.weights
            if self.units is None:
                sums[:] = weighted
            else:
                sums[:] = np.bincount(self.units, weights=weighted, minlength=self.n_units)
        return out.reshape(*values.shape[:-1], self.n_units)


def as_cells(
    scores: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    observed: npt.ArrayLike | None = None,
) -> Cells:
    """Check scores, clusters and weights and bring them into one form.

    Parameters
    ----------
    scores : array_like, shape (M, N)
        Scores of M models on N items; NaN where a model has no cell. Compact integers or booleans
        are kept as they are and then need `observed`, unless every cell exists.
    clusters : array_like of int, shape (N,), optional
        Cluster codes, any non-negative integers.
    weights : array_like of float, shape (N,), optional
        Item weights, finite and at least 0.
    observed : array_like of bool, shape (M, N), optional
        Which cells exist. A NaN score is never one.

    Returns
    -------
    Cells

    Raises
    ------
    ValueError
        If shapes do not fit, a score is infinite, a cluster code is negative or a weight is
        negative, NaN or infinite.
    """
    array = np.asarray(scores)
    if array.ndim != 2:
        raise ValueError(f"scores must have shape (models, items), got {array.shape}")
    mask = None if observed is None else np.asarray(observed, dtype=np.bool_)
    if mask is not None and mask.shape != array.shape:
        raise ValueError(f"observed has shape {mask.shape}, scores have {array.shape}")
    values, seen = _values(array, mask)
    n_items = array.shape[1]
    units, n_units = _unit_codes(clusters, n_items)
    item_weights = None
    if weights is not None:
        item_weights = np.asarray(weights, dtype=np.float64)
        if item_weights.shape != (n_items,):
            raise ValueError(f"weights have shape {item_weights.shape}, there are {n_items} items")
        if not np.all(np.isfinite(item_weights) & (item_weights >= 0)):
            raise ValueError("weights must be finite and at least 0")
        # An item of weight 0 counts for nothing: it is no cell, so that n_items says what was used.
        if not np.all(item_weights > 0):
            seen = seen & (item_weights > 0)
            values = np.where(seen, values, values.dtype.type(0))
    return Cells(values, seen, item_weights, units, n_units)


def _values(array: NumericArray, mask: BoolArray | None) -> tuple[NumericArray, BoolArray]:
    if array.dtype == np.bool_ or np.issubdtype(array.dtype, np.integer):
        seen = np.ones(array.shape, dtype=np.bool_) if mask is None else mask
        values = array.astype(np.int8) if array.dtype == np.bool_ else array
        return (values if mask is None else np.where(seen, values, values.dtype.type(0))), seen
    # Model by model, so that large data need no second copy in double precision.
    seen = np.empty(array.shape, dtype=np.bool_)
    binary = True
    for m, row in enumerate(array):
        np.isnan(row, out=seen[m])
        np.logical_not(seen[m], out=seen[m])
        if mask is not None:
            seen[m] &= mask[m]
        used = row[seen[m]]
        if not np.all(np.isfinite(used)):
            raise ValueError("scores must be finite, or NaN where there is no cell")
        binary = binary and bool(np.all((used == 0) | (used == 1)))
    values = np.zeros(array.shape, dtype=np.int8 if binary else np.float64)
    for m, row in enumerate(array):
        np.copyto(values[m], row, where=seen[m], casting="unsafe")
    return values, seen


def _unit_codes(clusters: npt.ArrayLike | None, n_items: int) -> tuple[IntArray | None, int]:
    if clusters is None:
        return None, n_items
    codes = np.asarray(clusters)
    if codes.shape != (n_items,):
        raise ValueError(f"clusters have shape {codes.shape}, there are {n_items} items")
    if not np.issubdtype(codes.dtype, np.integer) or np.any(codes < 0):
        raise ValueError("cluster codes must be integers of at least 0")
    distinct, inverse = np.unique(codes, return_inverse=True)
    return inverse.astype(np.int64), int(distinct.size)


def unit_sums(cells: Cells, *, estimand: Estimand = "item") -> tuple[FloatArray, FloatArray]:
    """Return the additive numerators and denominators of the models' means.

    Parameters
    ----------
    cells : Cells
        Scores.
    estimand : {"item", "cluster"}
        ``item``: the weighted mean over items, ratio of two sums over units. ``cluster``: the mean
        over clusters of the (weighted) mean within a cluster, each cluster in which the model has
        a cell counting once.

    Returns
    -------
    numerator, denominator : ndarray of float, shape (M, n_units)
        The mean of model m is ``numerator[m].sum() / denominator[m].sum()``.
    """
    numerator = cells.row_sums(cells.values)
    denominator = cells.row_sums(cells.observed)
    if estimand == "cluster":
        present = denominator > 0
        numerator = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=present)
        denominator = present.astype(np.float64)
    return numerator, denominator
