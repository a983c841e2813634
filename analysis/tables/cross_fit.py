"""Cross-fitted coverage of a track, shared by `coverage` and `ensembles`: the same halvings serve both."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.matrix import VerdictMatrix
from analysis.seeds import generator_for
from analysis.stats.cross_fitting import CrossFitted, cross_fitted_coverage
from analysis.tables.data import BenchmarkData

HALVINGS = 50
"""Random halvings of the items for cross-fitting."""

LARGE = 200_000_000
"""Cells times halvings above which there are fewer halvings, though at least two."""


def cross_fit(
    data: BenchmarkData,
    matrix: VerdictMatrix,
    solved: npt.NDArray[np.bool_],
    track: str,
    *,
    max_size: int | None = None,
) -> CrossFitted | None:
    """Choose ensembles on random halves of a track's items and measure them on the other halves.

    Parameters
    ----------
    data : BenchmarkData
        Gives the seed.
    matrix : VerdictMatrix
        The track on one basis; where it has clusters, they stay whole.
    solved : ndarray of bool, shape (M, N)
        Whether a model solves an item.
    track : str
        The track's name, which names the random stream.
    max_size : int, optional
        Largest ensemble (default: all models).

    Returns
    -------
    CrossFitted or None
        None where there are fewer than two items or clusters to halve.
    """
    units = matrix.items.height if matrix.clusters is None else np.unique(matrix.clusters).size
    if units < 2:
        return None
    return cross_fitted_coverage(
        solved,
        rng=generator_for(data.settings.seed, "cross-fit", track),
        n_halvings=int(np.clip(LARGE // solved.size, 2, HALVINGS)),
        clusters=matrix.clusters,
        max_size=max_size,
    )
