"""The one draw of resampling weights that all models, differences, ranks and frontiers share.

A bootstrap resample of G units is a vector of G counts that sum to G. The counts depend on the
generator and on G alone: not on the models, the scores or the amount of memory. Functions that are
given generators in the same state therefore use the same resamples, and what one of them says of a
difference agrees with what another says of a rank.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from analysis.stats.results import FloatArray, NumericArray

_FLOAT32_EXACT = float(2**24)
_BLOCK_VALUES = 2**26
_KEPT_VALUES = 2**27
_FEW_RANKS = 8
_ALL_BITS = 2**64 - 1


def child_generators(rng: np.random.Generator, n: int) -> list[np.random.Generator]:
    """Return independent child generators of `rng`.

    The first child of generators in the same state is the same; it draws the resampling weights in
    every function of this package.

    Parameters
    ----------
    rng : numpy.random.Generator
        Parent, whose count of children moves on.
    n : int
        How many children.

    Returns
    -------
    list of numpy.random.Generator
    """
    # SFC64 is the fastest of numpy's generators; seeds come from the parent's own sequence.
    seeds = rng.bit_generator.seed_seq.spawn(n)  # type: ignore[attr-defined]
    return [np.random.Generator(np.random.SFC64(seed)) for seed in seeds]


def resampling_counts(
    rng: np.random.Generator,
    n_units: int,
    n_resamples: int,
    *,
    dtype: npt.DTypeLike = np.float64,
    block: int | None = None,
) -> Iterator[tuple[slice, NumericArray]]:
    """Draw bootstrap counts in blocks of resamples.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    n_units : int
        Number of units, G.
    n_resamples : int
        Number of resamples, B.
    dtype : dtype
        Type of the counts.
    block : int, optional
        Resamples per block; changes memory, not the counts.

    Yields
    ------
    rows : slice
        Which resamples.
    counts : ndarray, shape (rows, G)
        Multinomial counts; the array is used again for the next block.

    Notes
    -----
    A draw is the upper half of the product of G and 32 random bits. The chance of a unit differs
    from 1 / G by less than G / 2**32 of it (one part in 4 million for 1,000 units), far below what
    any number of resamples could show, for a third of the time.
    """
    if n_units < 1 or n_resamples < 1:
        return
    size = block or int(np.clip(_BLOCK_VALUES // n_units, 16, 1024))
    # Draws come in chunks whose size depends on G alone: the stream does not depend on the block.
    chunk = int(np.clip(2**16 // n_units, 1, 256))
    size = min(-(-size // chunk) * chunk, -(-n_resamples // chunk) * chunk)
    offsets = np.repeat(np.arange(chunk) * n_units, n_units)
    n_drawn = chunk * n_units
    drawn = np.empty(n_drawn, dtype=np.uint64)
    indices = drawn.view(np.int64)
    buffer = np.empty((size, n_units), dtype=dtype)
    for start in range(0, n_resamples, size):
        for row in range(0, min(size, n_resamples - start), chunk):
            bits = rng.integers(0, _ALL_BITS, size=(n_drawn + 1) // 2, dtype=np.uint64, endpoint=True)
            np.multiply(bits.view(np.uint32)[:n_drawn], np.uint64(n_units), out=drawn)
            np.right_shift(drawn, np.uint64(32), out=drawn)
            if chunk > 1:
                np.add(indices, offsets, out=indices)
            counts = np.bincount(indices, minlength=n_drawn)
            buffer[row : row + chunk] = counts.reshape(chunk, n_units)
        stop = min(start + size, n_resamples)
        yield slice(start, stop), buffer[: stop - start]


class JointDraws(ABC):
    """Random weights for G units that can be gone through again and again.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness; a copy in its present state is kept, so it is not moved.
    n_units : int
        Number of units, G.
    n_draws : int
        Number of draws, B.
    keep : bool
        Whether to keep the weights for further passes where they fit into memory; drawing them
        again gives the same.
    """

    def __init__(self, rng: np.random.Generator, n_units: int, n_draws: int, *, keep: bool = True) -> None:
        if n_draws < 1:
            raise ValueError(f"the number of draws must be at least 1, got {n_draws}")
        self._rng = copy.deepcopy(rng)
        self.n_units = n_units
        self.n_draws = n_draws
        self._keep = keep
        self._kept: NumericArray | None = None

    @abstractmethod
    def _draw(
        self, rng: np.random.Generator, dtype: npt.DTypeLike
    ) -> Iterator[tuple[slice, NumericArray]]: ...

    @property
    def fits_memory(self) -> bool:
        """Whether the weights are drawn once and kept, or drawn again for each pass."""
        return self.n_units * self.n_draws <= _KEPT_VALUES

    def sums(self, *tables: NumericArray) -> list[FloatArray]:
        """Sum unit values times weights over every draw.

        Parameters
        ----------
        *tables : ndarray, shape (K, G)
            Integers, in any numeric type, small enough for their sums to be exact in double
            precision.

        Returns
        -------
        list of ndarray of float, shape (B, K)
            One array for each table: exact sums, whatever the number of threads.
        """
        return [rows.T for rows in self.sum_rows(*tables)]

    def sum_rows(self, *tables: NumericArray) -> list[FloatArray]:
        """Sum unit values as :meth:`sums` does, with one row per table row.

        Parameters
        ----------
        *tables : ndarray, shape (K, G)
            Integers.

        Returns
        -------
        list of ndarray of float, shape (K, B)
        """
        prepared = [_as_exact(table, self.n_units) for table in tables]
        out = [np.zeros((table.shape[0], self.n_draws)) for table in prepared]
        single = all(table.dtype == np.float32 for table in prepared)
        for rows, weights in self._blocks(np.float32 if single else np.float64):
            for table, result in zip(prepared, out, strict=True):
                result[:, rows] = (weights @ table.T).T
        return out

    def _blocks(self, dtype: npt.DTypeLike) -> Iterator[tuple[slice, NumericArray]]:
        if not (self._keep and self.fits_memory):
            yield from self._draw(copy.deepcopy(self._rng), dtype)
            return
        if self._kept is None:
            # One byte is enough: a unit drawn 128 times or more has a chance of about 1 / 128!.
            self._kept = np.empty((self.n_draws, self.n_units), dtype=np.int8)
            for rows, weights in self._draw(copy.deepcopy(self._rng), np.int8):
                self._kept[rows] = weights
        size = max(16, _BLOCK_VALUES // 8 // max(self.n_units, 1))
        for start in range(0, self.n_draws, size):
            rows = slice(start, min(start + size, self.n_draws))
            yield rows, self._kept[rows].astype(dtype, copy=False)


class Resamples(JointDraws):
    """B bootstrap resamples of G units."""

    def _draw(self, rng: np.random.Generator, dtype: npt.DTypeLike) -> Iterator[tuple[slice, NumericArray]]:
        return resampling_counts(rng, self.n_units, self.n_draws, dtype=dtype)


class SignFlips(JointDraws):
    """B vectors of G independent signs, each +1 or -1 with probability one half."""

    def _draw(self, rng: np.random.Generator, dtype: npt.DTypeLike) -> Iterator[tuple[slice, NumericArray]]:
        n_bytes = -(-self.n_units // 8)
        # Whole rows of bytes from the stream: the signs do not depend on the size of the block.
        size = int(np.clip(_BLOCK_VALUES // 8 // max(self.n_units, 1), 1, 4096))
        for start in range(0, self.n_draws, size):
            n_rows = min(size, self.n_draws - start)
            raw = np.frombuffer(rng.bytes(n_rows * n_bytes), dtype=np.uint8).reshape(n_rows, n_bytes)
            bits = np.unpackbits(raw, axis=1, count=self.n_units)
            yield slice(start, start + n_rows), bits.astype(dtype) * 2 - 1


def _as_exact(table: NumericArray, n_units: int) -> NumericArray:
    largest = float(np.max(np.abs(table), initial=0)) * n_units
    # Counts times integers: every partial sum is an integer, exact in single precision below 2**24.
    return table.astype(np.float32 if largest < _FLOAT32_EXACT else np.float64, copy=False)


def order_statistic_limits(
    replicates: FloatArray, low_tail: npt.ArrayLike, high_tail: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Cut tails off each column of replicates at order statistics.

    The lower limit is the k-th smallest replicate with k the integer part of (B + 1) times the
    tail, at least 1, and the upper limit the k-th largest: limits are values that occurred, and
    changing the sign of the replicates exchanges them exactly.

    Parameters
    ----------
    replicates : ndarray of float, shape (B, K)
        Replicates; NaN ones are left out.
    low_tail, high_tail : array_like of float, shape () or (K,)
        Probability to cut off below and above.

    Returns
    -------
    low, high : ndarray of float, shape (K,)
        Limits, NaN in both where all replicates of a column are equal or none exists.
    """
    return row_limits(np.ascontiguousarray(replicates.T), low_tail, high_tail)


def row_limits(
    replicates: FloatArray, low_tail: npt.ArrayLike, high_tail: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Cut tails off as :func:`order_statistic_limits` does, with one row per statistic.

    Parameters
    ----------
    replicates : ndarray of float, shape (K, B)
        Replicates.
    low_tail, high_tail : array_like of float, shape () or (K,)
        Probability to cut off below and above.

    Returns
    -------
    low, high : ndarray of float, shape (K,)
    """
    n_rows, n_columns = replicates.shape
    missing = np.isnan(replicates)
    n = n_columns - (np.count_nonzero(missing, axis=1) if missing.any() else np.zeros(n_rows, np.int64))
    rows = np.arange(n_rows)
    low_k = _rank(np.broadcast_to(np.asarray(low_tail, np.float64), (n_rows,)), n)
    high_k = _rank(np.broadcast_to(np.asarray(high_tail, np.float64), (n_rows,)), n)
    # NaN is sorted to the end. Few distinct ranks are found without sorting everything.
    wanted = np.unique(np.concatenate([low_k, np.maximum(n - high_k + 1, 1)])) - 1
    if wanted.size <= _FEW_RANKS:
        ordered = np.partition(replicates, wanted, axis=1)
    else:
        ordered = np.sort(replicates, axis=1)
    low = ordered[rows, low_k - 1]
    high = ordered[rows, np.maximum(n - high_k, 0)]
    none = (n == 0) | (np.fmin.reduce(replicates, axis=1) == np.fmax.reduce(replicates, axis=1))
    low, high = np.where(none, np.nan, low), np.where(none, np.nan, high)
    return np.minimum(low, high), np.maximum(low, high)


def _rank(tail: FloatArray, n: NumericArray) -> NumericArray:
    position = np.floor((n + 1) * np.nan_to_num(tail) + 1e-9).astype(np.int64)
    return np.clip(position, 1, np.maximum(n, 1))
