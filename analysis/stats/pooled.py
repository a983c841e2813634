"""Joint resamples of differences for data too large to resample item by item.

Drawing B resamples of N items takes B x N random numbers, and where models miss different items
every pair has its own sums, which take B x N x P multiplications. For large N, items (or clusters)
are therefore first put into blocks at random, and blocks are resampled in their place. Sums of a
random block vary as sums of as many independent units do, so the resampling distribution is the
same, up to its estimate of spread resting on the number of blocks, 1,024, rather than of units: a
relative error of its standard errors of about 2.2 per cent, where 2,000 resamples have one of 1.6.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analysis.stats.lattice import exact_scale
from analysis.stats.pair_intervals import DifferenceReplicates, concatenated, separable_replicates
from analysis.stats.resampling import Resamples, child_generators
from analysis.stats.results import FloatArray, IntArray
from analysis.stats.units import Cells

N_BLOCKS = 1024


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
    if cells.complete:
        # Models with the same cells need no sums of their own for each pair.
        blocks = replace(cells, units=block, n_units=n_blocks)
        whole = Resamples(weights_rng, n_blocks, n_resamples)
        return concatenated(separable_replicates(blocks, first, second, whole), first.size)
    factor, scale = _factors(cells)
    top, bottom = _block_sums(cells, block, n_blocks, first, second, factor, scale)
    n_units = np.count_nonzero(bottom, axis=1)
    tops, bottoms = Resamples(weights_rng, n_blocks, n_resamples).sum_rows(top, bottom)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = top.sum(axis=1) / bottom.sum(axis=1) * (scale / factor)
        np.divide(tops, bottoms, out=tops)
    tops *= scale / factor
    return DifferenceReplicates(estimate, tops, n_units)


def _factors(cells: Cells) -> tuple[float, float]:
    # What makes integers of weighted scores and of weights: the lattice, or a fine binary grid.
    largest = 1.0 if cells.weights is None else float(cells.weights.max())
    denominator = cells.denominator()
    if denominator is not None:
        return float(denominator), float(denominator) if cells.weights is not None else 1.0
    n_items = cells.observed.shape[1]
    top = float(max(np.max(cells.values), -np.min(cells.values))) * largest * n_items
    return exact_scale(top), exact_scale(largest * n_items) if cells.weights is not None else 1.0


def _block_sums(
    cells: Cells,
    block: IntArray,
    n_blocks: int,
    first: IntArray,
    second: IntArray,
    factor: float,
    scale: float,
) -> tuple[FloatArray, FloatArray]:
    order = np.argsort(block, kind="stable")
    edges = np.searchsorted(block[order], np.arange(n_blocks + 1))
    # Filled block by block; the product with resampling counts reads it either way round.
    top, bottom = np.empty((n_blocks, first.size)), np.empty((n_blocks, first.size))
    pair, mirrored = first * cells.n_models + second, second * cells.n_models + first
    for j in range(n_blocks):
        items = order[edges[j] : edges[j + 1]]
        seen = cells.observed[:, items].astype(np.float64)
        values = cells.values[:, items].astype(np.float64)
        weights = 1.0 if cells.weights is None else cells.weights[items]
        # Products of integers: exact, whatever the number of threads.
        of_first = (np.rint(values * weights * factor) @ seen.T).ravel()
        np.subtract(of_first[pair], of_first[mirrored], out=top[j])
        bottom[j] = (np.rint(seen * weights * scale) @ seen.T).ravel()[pair]
    return top.T, bottom.T
