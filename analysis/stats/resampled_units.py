"""Items, the units they lie in, and the one draw of resamples of these units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.resampling import Resamples, child_generators
from analysis.stats.results import FloatArray, IntArray


@dataclass(frozen=True)
class ResampledUnits:
    """N items, the unit each lies in, and the one draw of resamples of these units.

    Parameters
    ----------
    codes : ndarray of int, shape (N,)
        Number of each item's unit, from 0.
    draws : Resamples
        Resamples of the units.
    """

    codes: IntArray
    draws: Resamples

    @classmethod
    def create(
        cls,
        n_items: int,
        *,
        rng: np.random.Generator,
        n_resamples: int,
        clusters: npt.ArrayLike | None = None,
    ) -> ResampledUnits:
        """Give every item the number of its unit, and draw the resamples.

        Parameters
        ----------
        n_items : int
            Number of items, N.
        rng : numpy.random.Generator
            Source of randomness; generators in the same state give the same resamples.
        n_resamples : int
            Number of resamples.
        clusters : array_like of int, shape (N,), optional
            Cluster codes: whole clusters are resampled. Default: each item is its own unit.

        Returns
        -------
        ResampledUnits

        Raises
        ------
        ValueError
            If the codes are not N integers.
        """
        codes = np.arange(n_items) if clusters is None else np.asarray(clusters)
        if codes.shape != (n_items,) or not np.issubdtype(codes.dtype, np.integer):
            raise ValueError(f"clusters must be {n_items} integers, got shape {codes.shape} of {codes.dtype}")
        distinct, inverse = np.unique(codes, return_inverse=True)
        (child,) = child_generators(rng, 1)
        return cls(inverse.astype(np.int64), Resamples(child, int(distinct.size), n_resamples))

    def totals(self, rows: npt.ArrayLike, keep: npt.ArrayLike | None = None) -> FloatArray:
        """Sum rows of item values over units.

        Parameters
        ----------
        rows : array_like, shape (K, n)
            Values of the items kept.
        keep : array_like of bool, shape (N,), optional
            Which items they are of; default all.

        Returns
        -------
        ndarray of float, shape (K, G)

        Examples
        --------
        >>> units = ResampledUnits.create(3, rng=np.random.default_rng(1), n_resamples=9, clusters=[4, 7, 7])
        >>> units.totals([[1, 2, 3]]).tolist()
        [[1.0, 5.0]]
        """
        values = np.asarray(rows, dtype=np.float64)
        codes = self.codes if keep is None else self.codes[np.asarray(keep)]
        out = np.empty((values.shape[0], self.draws.n_units))
        for k, row in enumerate(values):
            out[k] = np.bincount(codes, weights=row, minlength=self.draws.n_units)
        return out

    def weights(self, keep: npt.ArrayLike | None = None) -> Iterator[tuple[slice, FloatArray]]:
        """Go through the resamples in blocks of item weights.

        Parameters
        ----------
        keep : array_like of bool, shape (N,), optional
            Which items to give weights to; default all.

        Yields
        ------
        rows : slice
            Which resamples.
        weights : ndarray of float, shape (rows, n)
            How often each of the n items kept stands in each of them.
        """
        codes = self.codes if keep is None else self.codes[np.asarray(keep)]
        for rows, counts in self.draws._blocks(np.float64):
            yield rows, counts[:, codes].astype(np.float64, copy=False)
