"""Coverage of ensembles that were chosen on other items than those on which they are measured.

The best pair of models on 500 items looks better on these 500 than on the next 500. Cross-fitting
chooses the ensemble on one half of the items and counts on the other, both ways, over many random
halvings; the difference from the in-sample number is the optimism of choosing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.greedy import greedy_coverage
from analysis.stats.results import FloatArray, IntArray, frozen_array


@dataclass(frozen=True)
class CrossFitted:
    """Coverage of greedy ensembles of 1 to S models, out of sample.

    Parameters
    ----------
    item_share : ndarray of float, shape (S, N)
        Share of the halvings in which the ensemble of that size, chosen on the other half, solves
        the item. Its mean over items is the coverage.
    chosen : ndarray of float, shape (S, M)
        Share of halves in which the model (column) is in the ensemble of that size (row).
    n_halvings : int
        Halvings.
    """

    item_share: FloatArray
    chosen: FloatArray
    n_halvings: int

    def __post_init__(self) -> None:
        for name in ("item_share", "chosen"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        if self.item_share.shape[0] != self.chosen.shape[0]:
            raise ValueError("one row per size of the ensemble")
        if np.any(np.abs(self.chosen.sum(axis=1) - np.arange(1, self.chosen.shape[0] + 1)) > 1e-9):
            raise ValueError("an ensemble of size s has s models")


def cross_fitted_coverage(
    solved: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_halvings: int,
    clusters: npt.ArrayLike | None = None,
    max_size: int | None = None,
) -> CrossFitted:
    """Choose greedy ensembles on one half of the items and measure them on the other.

    Parameters
    ----------
    solved : array_like of bool, shape (M, N)
        Whether a model solves an item; a missing cell does not.
    rng : numpy.random.Generator
        Source of randomness.
    n_halvings : int
        Number of random halvings; each gives two ensembles of every size.
    clusters : array_like of int, shape (N,), optional
        Cluster codes; clusters stay whole.
    max_size : int, optional
        Largest ensemble looked at, S; default all M models.

    Returns
    -------
    CrossFitted

    Raises
    ------
    ValueError
        If there are fewer than two items (clusters) to halve.

    Notes
    -----
    The ensembles are chosen on half of the items, so this is the coverage to expect of a choice made
    on N / 2 items: a little pessimistic for one made on all N. Source: Stone (1974),
    doi:10.1111/j.2517-6161.1974.tb00994.x; Chernozhukov et al. (2018), doi:10.1111/ectj.12097, for
    the term.

    Examples
    --------
    >>> solved = np.array([[1, 1, 0, 0] * 5, [0, 0, 1, 1] * 5, [1, 0, 1, 0] * 5], dtype=bool)
    >>> fitted = cross_fitted_coverage(solved, rng=np.random.default_rng(1), n_halvings=10)
    >>> fitted.item_share.mean(axis=1).round(2).tolist()
    [0.41, 0.93, 1.0]
    """
    table = np.asarray(solved, dtype=np.bool_)
    if table.ndim != 2:
        raise ValueError(f"solved must have shape (models, items), got {table.shape}")
    n_models, n_items = table.shape
    units: IntArray = np.arange(n_items)
    if clusters is not None:
        units = np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)
    n_units = int(units.max(initial=-1)) + 1
    if n_units < 2 or n_halvings < 1:
        raise ValueError(f"at least two items or clusters and one halving, got {n_units} and {n_halvings}")
    # Models equal on a half are told apart by a random order, not by their place in the alphabet.
    size = n_models if max_size is None else min(max_size, n_models)
    covered = np.zeros((size, n_items))
    chosen = np.zeros((size, n_models))
    for _ in range(n_halvings):
        first = np.zeros(n_units, dtype=np.bool_)
        first[rng.permutation(n_units)[: n_units // 2]] = True
        shuffled = rng.permutation(n_models)
        for fit in (first[units], ~first[units]):
            order = shuffled[greedy_coverage(table[shuffled][:, fit]).order[:size]]
            covered[:, ~fit] += np.logical_or.accumulate(table[order][:, ~fit], axis=0)
            chosen[:, order] += np.tri(size)
    return CrossFitted(covered / n_halvings, chosen / (2 * n_halvings), n_halvings)
