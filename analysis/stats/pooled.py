"""Joint resamples of pair-specific sums for data too large to resample item by item.

Where models miss different items, every pair has its own sums, and B resamples of N items for all
pairs take B x N x P multiplications. Items (or clusters) are then first put into blocks at random,
and blocks are resampled in their place. Sums of a random block vary as sums of as many independent
units do, so the resampling distribution is the same up to its estimate of spread resting on the
number of blocks, 2,048, rather than of units: a relative error of its standard errors of about 1.6
per cent.
"""

from __future__ import annotations

import numpy as np

from analysis.stats.lattice import to_integers
from analysis.stats.pair_intervals import DifferenceReplicates
from analysis.stats.resampling import Resamples, child_generators
from analysis.stats.results import FloatArray, IntArray
from analysis.stats.units import Cells

N_BLOCKS = 2048


def pooled_replicates(
    cells: Cells,
    first: IntArray,
    second: IntArray,
    rng: np.random.Generator,
    n_resamples: int,
    *,
    n_blocks: int = N_BLOCKS,
) -> DifferenceReplicates:
    """Resample random blocks of units for all given pairs at once.

    Parameters
    ----------
    cells : Cells
        Scores.
    first, second : ndarray of int, shape (P,)
        Models of each pair.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples : int
        Number of resamples.
    n_blocks : int
        Number of blocks.

    Returns
    -------
    DifferenceReplicates
        Its `n_units` are blocks with a common item.
    """
    block_rng, weights_rng = child_generators(rng, 2)
    n_blocks = min(n_blocks, cells.n_units)
    block_of_unit = block_rng.permutation(np.arange(cells.n_units) % n_blocks)
    block = block_of_unit if cells.units is None else block_of_unit[cells.units]
    top, bottom = _block_sums(cells, block, n_blocks, first, second)
    weighted = cells.weights is not None
    tops_int, factor = to_integers(top, cells.denominator(), n_blocks)
    bottoms_int, scale = to_integers(bottom, cells.denominator() if weighted else 1, n_blocks)
    n_units = np.count_nonzero(bottom, axis=1)
    tops, bottoms = Resamples(weights_rng, n_blocks, n_resamples).sums(tops_int, bottoms_int)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = tops_int.sum(axis=1) / bottoms_int.sum(axis=1) * (scale / factor)
        np.divide(tops, bottoms, out=tops)
    tops *= scale / factor
    return DifferenceReplicates(estimate, tops, n_units)


def _block_sums(
    cells: Cells, block: IntArray, n_blocks: int, first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray]:
    order = np.argsort(block, kind="stable")
    edges = np.searchsorted(block[order], np.arange(n_blocks + 1))
    top, bottom = np.empty((first.size, n_blocks)), np.empty((first.size, n_blocks))
    for j in range(n_blocks):
        items = order[edges[j] : edges[j + 1]]
        seen = cells.observed[:, items].astype(np.float64)
        values = cells.values[:, items].astype(np.float64)
        weights = 1.0 if cells.weights is None else cells.weights[items]
        of_first = (values * weights) @ seen.T
        top[:, j] = of_first[first, second] - of_first[second, first]
        bottom[:, j] = ((seen * weights) @ seen.T)[first, second]
    return top, bottom
