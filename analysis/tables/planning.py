"""`planning` and `planning_items`: what the benchmark can show, and how many items would show more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.matrix import VerdictMatrix
from analysis.schemas import Planning, PlanningItems
from analysis.stats.planning import detectable_difference, effective_discordance, items_needed
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, rank_order, table_frame

POWER = 0.8
"""Probability of detection that the tables plan for."""

STATED = (0.01, 0.02, 0.03, 0.05, 0.10)
"""Differences for which the number of items is given."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Spread:
    """What the item differences of P pairs of models look like.

    Parameters
    ----------
    n_items, n_clusters : ndarray of int, shape (P,)
        Common items, and the clusters (items where none are declared) they lie in.
    difference, sd, std_error : ndarray of float, shape (P,)
        Mean and standard deviation of the item differences, standard error over clusters.
    discordance, step : ndarray of float, shape (P,)
        Share of items on which the two differ and the size of a difference, for graded scores those
        of the equivalent comparison of 0/1 scores.
    """

    n_items: npt.NDArray[np.int64]
    n_clusters: npt.NDArray[np.int64]
    difference: Floats
    sd: Floats
    std_error: Floats
    discordance: Floats
    step: Floats

    @property
    def design_effect(self) -> Floats:
        """Variance over clusters as a multiple of that over items; 1 where it cannot be told."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = self.std_error**2 / (self.sd**2 / self.n_items)
        return np.where(np.isfinite(ratio) & (ratio > 0), ratio, 1.0)


def derive(data: BenchmarkData) -> Made:
    """Make `planning` and `planning_items`."""
    plain = f"power {POWER:.0%}, two-sided, by Connor's formula (graded scores: equivalent 0/1 scores)"
    clusters = f"; design effect of {data.card.cluster}" if data.card.cluster else ""
    pairs, items = plan_comparisons(data)
    return {
        "planning": (pairs, f"Minimal detectable paired difference: {plain}{clusters}"),
        "planning_items": (
            items,
            f"Items for a stated difference at the median spread of adjacent pairs: {plain}{clusters}",
        ),
    }


def plan_comparisons(data: BenchmarkData) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Find what each pair of models' comparison can detect, and the items that stated differences need.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    planning : pl.DataFrame
        Rows of the `Planning` schema, the higher ranked model first.
    planning_items : pl.DataFrame
        Rows of the `PlanningItems` schema; none where no adjacent pair has common items that differ.
    """
    pairs: list[pl.DataFrame] = [Planning.create_empty()]
    items: list[pl.DataFrame] = [PlanningItems.create_empty()]
    for metric in data.metrics:
        for track in data.tracks:
            matrix = data.track(track, metric)
            if len(matrix.models) >= 2:
                one, other = _plan_track(data, matrix, track)
                pairs.append(one)
                items.append(other)
    return pl.concat(pairs), pl.concat(items)


def _plan_track(data: BenchmarkData, matrix: VerdictMatrix, track: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    order = rank_order(mean_of_cells(matrix))
    upper, lower = np.triu_indices(len(order), 1)
    a, b = order[upper], order[lower]
    spread = _spread(matrix, a, b)
    adjacent = lower == upper + 1
    tested = spread.n_items > 0
    family = np.where(adjacent, (adjacent & tested).sum(), tested.sum())
    alpha = data.settings.alpha
    adjusted = alpha / np.maximum(family, 1)
    names = np.array(matrix.models, dtype=object)
    columns = {
        "track": track,
        "metric": matrix.metric,
        "model_a": pl.Series(names[a], dtype=pl.String),
        "model_b": pl.Series(names[b], dtype=pl.String),
        "adjacent": adjacent,
        "n_items": spread.n_items,
        "n_clusters": spread.n_clusters,
        "discordance": spread.discordance,
        "step": spread.step,
        "design_effect": spread.design_effect,
        "difference": spread.difference,
        "detectable": _detectable(spread, np.full(a.size, alpha)),
        "alpha_adjusted": adjusted,
        "detectable_adjusted": _detectable(spread, adjusted),
        "power": POWER,
    }
    pairs = table_frame(Planning, columns, len(a)).filter(pl.col("n_items") > 0)
    return pairs, _items(data, matrix, track, spread, adjacent)


def _spread(matrix: VerdictMatrix, a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> _Spread:
    has = matrix.has_cell
    values = np.where(has, matrix.values, 0.0)
    weight = np.ones(values.shape[1]) if matrix.weights is None else matrix.weights
    clusters = np.arange(values.shape[1]) if matrix.clusters is None else matrix.clusters
    n_clusters = int(clusters.max(initial=-1)) + 1
    out = np.full((3, a.size), np.nan)
    sizes = np.zeros((2, a.size))
    counts = np.zeros((2, a.size), dtype=np.int64)
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        common = has[x] & has[y] & (weight > 0)
        n = int(common.sum())
        if not n:
            continue
        d, w, unit = values[x, common] - values[y, common], weight[common], clusters[common]
        mean = float(w @ d / w.sum())
        influence = np.bincount(unit, weights=w * (d - mean), minlength=n_clusters) / w.sum()
        n_units = int(np.unique(unit).size)
        counts[:, i] = n, n_units
        sizes[:, i] = w @ np.abs(d) / w.sum(), w @ d**2 / w.sum()
        out[0, i] = mean
        if n_units > 1:
            out[1, i] = np.std(d, ddof=1)
            out[2, i] = np.sqrt(n_units / (n_units - 1) * np.sum(influence**2))
    discordance, step = effective_discordance(sizes[0], sizes[1])
    return _Spread(counts[0], counts[1], out[0], out[1], out[2], discordance, step)


def _detectable(spread: _Spread, alpha: Floats) -> Floats:
    effective = spread.n_items / spread.design_effect
    return spread.step * detectable_difference(effective, spread.discordance, alpha=alpha, power=POWER)


def _items(
    data: BenchmarkData, matrix: VerdictMatrix, track: str, spread: _Spread, adjacent: npt.NDArray[np.bool_]
) -> pl.DataFrame:
    """Return the rows of `planning_items`, from the adjacent pairs whose items differ at all."""
    use = adjacent & (spread.n_items > 1) & (spread.sd > 0)
    if not use.any():
        return PlanningItems.create_empty()
    discordance = float(np.median(spread.discordance[use]))
    effect = float(np.median(spread.design_effect[use]))
    stated = np.array(STATED)
    # A difference larger than the usual step needs larger steps.
    step = np.maximum(float(np.median(spread.step[use])), stated)
    alpha = data.settings.alpha
    of_adjacent = alpha / max(int((adjacent & (spread.n_items > 0)).sum()), 1)
    needed, needed_adjusted = (
        np.ceil(items_needed(stated / step, discordance, alpha=level, power=POWER) * effect)
        for level in (alpha, of_adjacent)
    )
    columns = {
        "track": track,
        "metric": matrix.metric,
        "difference": stated,
        "n_items": int(matrix.has_cell.any(axis=0).sum()),
        "n_pairs": int(use.sum()),
        "discordance": discordance,
        "step": step,
        "design_effect": effect,
        "items_needed": needed,
        "items_needed_adjusted": needed_adjusted,
        "power": POWER,
    }
    return table_frame(PlanningItems, columns, len(STATED))
