"""Bootstrap of means over clusters, items within clusters and runs within items.

Which levels to resample is a statement about what would be new in a replication of the study:
other patients, other items of theirs, other runs of the models. Resampling only whole clusters
(:func:`analysis.stats.bootstrap.bootstrap_means`) already carries the variation of items and runs
within clusters into the interval, because a cluster's sum varies by it; resampling within as well
adds it a second time, which for small clusters is conservative (Davison and Hinkley 1997, section
3.8). The nested bootstrap answers for the runs where items are fixed: levels ``("run",)``.

Within a level that is kept, n units are resampled by drawing n - 1 of them, which makes up for the
n / (n - 1) by which a resample of n varies too little: with two runs an item that is a factor of
two. Source: Rao and Wu (1988), doi:10.1080/01621459.1988.10478591. One unit alone stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from analysis.stats.bootstrap import BootstrapMeans, bootstrap_means
from analysis.stats.resampling import child_generators
from analysis.stats.results import FloatArray, IntArray
from analysis.stats.units import Estimand, as_cells

Level = Literal["cluster", "item", "run"]


def nested_bootstrap_means(
    run_scores: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int,
    levels: Sequence[Level] = ("cluster", "item", "run"),
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    estimand: Estimand = "item",
) -> BootstrapMeans:
    """Bootstrap the means of M models over up to three nested levels.

    Parameters
    ----------
    run_scores : array_like of float, shape (R, M, N)
        Scores of single runs; NaN where a run was not scored. A cell is the mean of its runs.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples : int
        Number of resamples, B.
    levels : sequence of {"cluster", "item", "run"}
        Levels that are resampled; the others are kept as they are.
    clusters : array_like of int, shape (N,), optional
        Cluster codes; without them every item is its own cluster and ``cluster`` and ``item`` mean
        the same level.
    weights : array_like of float, shape (N,), optional
        Item weights.
    estimand : {"item", "cluster"}
        See :mod:`analysis.stats.bootstrap`.

    Returns
    -------
    BootstrapMeans
        Intervals of method ``expanded``, ``percentile``, ``basic`` and ``bca``.

    Raises
    ------
    ValueError
        If shapes do not fit, or no level or an unknown one is named.

    Notes
    -----
    Clusters and items are drawn once for all models, as models share them; runs are drawn for each
    model and each drawn copy of an item independently, as the runs of different models are.

    Examples
    --------
    >>> runs = np.array([[[1, 0, 1, 1]], [[1, 0, 0, 1.0]]])
    >>> boot = nested_bootstrap_means(runs, rng=np.random.default_rng(0), n_resamples=200, levels=("run",))
    >>> boot.estimate.item(), sorted(set(boot.replicates[:, 0].tolist()))
    (0.625, [0.5, 0.75])
    """
    runs = np.asarray(run_scores, dtype=np.float64)
    if runs.ndim != 3:
        raise ValueError(f"run_scores must have shape (runs, models, items), got {runs.shape}")
    if not levels or set(levels) - {"cluster", "item", "run"}:
        raise ValueError(f"levels are among cluster, item and run, got {tuple(levels)}")
    scored = ~np.isnan(runs)
    n_runs = scored.sum(axis=0)
    cell_means = np.full(n_runs.shape, np.nan)
    np.divide(np.where(scored, runs, 0.0).sum(axis=0), n_runs, out=cell_means, where=n_runs > 0)
    plain_rng, draw_rng = child_generators(rng, 2)
    # Estimates, standard errors and acceleration are those of the flat bootstrap over units.
    flat = bootstrap_means(
        cell_means, rng=plain_rng, n_resamples=1, clusters=clusters, weights=weights, estimand=estimand
    )
    cells = as_cells(cell_means, clusters=clusters, weights=weights)
    units = np.arange(cells.n_units) if cells.units is None else cells.units
    item_weights = np.ones(units.size) if cells.weights is None else cells.weights
    draws = _Draws(units, cells.n_units, tuple(levels), draw_rng)
    replicates = np.full((n_resamples, cells.n_models), np.nan)
    for b in range(n_resamples if units.size else 0):
        items, copies, n_copies, shares = draws.items()
        values = cells.values[:, items].astype(np.float64)
        if "run" in levels:
            values = draws.run_means(runs[:, :, items], scored[:, :, items])
        weight = item_weights[items] * shares * cells.observed[:, items]
        replicates[b] = _mean(values * weight, weight, copies, n_copies, estimand)

    def no_studentized() -> FloatArray:
        raise ValueError("the nested bootstrap has no studentized interval")

    return BootstrapMeans(
        flat.estimate,
        replicates,
        flat.std_error,
        flat.n_items,
        flat.n_clusters,
        flat._acceleration,
        no_studentized,
    )


def _mean(
    weighted: FloatArray, weight: FloatArray, copies: IntArray, n_copies: int, estimand: Estimand
) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        if estimand == "item":
            mean: FloatArray = weighted.sum(axis=1) / weight.sum(axis=1)
            return mean
        out = np.empty(weighted.shape[0])
        for m in range(out.size):
            bottom = np.bincount(copies, weight[m], minlength=n_copies)
            top = np.bincount(copies, weighted[m], minlength=n_copies)
            out[m] = np.mean((top / bottom)[bottom > 0]) if np.any(bottom > 0) else np.nan
        return out


class _Draws:
    def __init__(
        self, units: IntArray, n_units: int, levels: tuple[str, ...], rng: np.random.Generator
    ) -> None:
        self.levels, self.rng, self.n_units = levels, rng, n_units
        self.by_unit = np.argsort(units, kind="stable")
        self.sizes = np.bincount(units, minlength=n_units)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        self.singletons = bool(np.all(self.sizes == 1))

    def items(self) -> tuple[IntArray, IntArray, int, FloatArray]:
        """Return drawn items, the cluster copy of each, the number of copies and weights of draws."""
        drawn = np.arange(self.n_units)
        # Where every item is its own cluster, drawing items is drawing clusters.
        if "cluster" in self.levels or (self.singletons and "item" in self.levels):
            drawn = self.rng.integers(0, self.n_units, size=self.n_units)
        sizes = self.sizes[drawn]
        shares = np.ones(int(sizes.sum()))
        whole = sizes
        if "item" in self.levels and not self.singletons:
            sizes = np.maximum(sizes - 1, 1)
            shares = np.repeat(whole / sizes, sizes)
        copies = np.repeat(np.arange(drawn.size), sizes)
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        within = np.arange(copies.size) - first
        if "item" in self.levels and not self.singletons:
            within = self.rng.integers(0, np.repeat(whole, sizes))
        items = self.by_unit[np.repeat(self.starts[drawn], sizes) + within]
        return items, copies, int(drawn.size), shares

    def run_means(self, runs: FloatArray, scored: npt.NDArray[np.bool_]) -> FloatArray:
        """Return means over one run less than each cell has, drawn with replacement, shape (M, L)."""
        n_runs = scored.sum(axis=0)
        safe = np.maximum(n_runs, 1)
        n_drawn = np.maximum(n_runs - 1, 1)
        # The scored runs of a cell come first, so a number below n_runs names one of them.
        order = np.argsort(~scored, axis=0, kind="stable")
        packed = np.take_along_axis(np.where(scored, runs, 0.0), order, axis=0)
        total = np.zeros(n_runs.shape)
        for draw in range(max(runs.shape[0] - 1, 1)):
            chosen = self.rng.integers(0, safe)
            value = np.take_along_axis(packed, chosen[None], axis=0)[0]
            total += np.where(draw < n_drawn, value, 0.0)
        means: FloatArray = total / n_drawn
        return means
