"""`frontier`: which models no other beats on cost per response and score."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.matrix import ALL, VerdictMatrix, cell_index
from analysis.schemas import Frontier
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.frontier import frontier_probability, pareto_frontier
from analysis.tables.costs import ordered_sum, price_models, price_rows
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, table_frame


def derive(data: BenchmarkData) -> Made:
    """Make `frontier`."""
    return {"frontier": (trace_frontier(data), "Exact Pareto set on cost per response; joint bootstrap")}


def trace_frontier(data: BenchmarkData) -> pl.DataFrame:
    """Find the models that no other beats on cost per response and score, per track and quality metric.

    The probability of being on the frontier comes from the joint resamples of score and, where
    cost is known row by row, of cost; a total cost is taken as fixed.

    Returns
    -------
    pl.DataFrame
        Rows of the `Frontier` schema; unpriced models are listed with null cost.
    """
    priced = price_rows(data)
    basis = dict(price_models(data).select("model", "basis").iter_rows())
    parts: list[pl.DataFrame] = [Frontier.create_empty()]
    for metric in data.metrics:
        for track in data.tracks:
            matrix = data.track(track, metric)
            if matrix.models and matrix.has_cell.any():
                parts.append(_trace_track(data, matrix, track, priced, basis))
    return pl.concat(parts)


def _trace_track(
    data: BenchmarkData, matrix: VerdictMatrix, track: str, priced: pl.DataFrame, basis: dict[str, str]
) -> pl.DataFrame:
    in_track = data.items if track == ALL else data.items.filter(pl.col("track") == track)
    rows = priced.join(in_track.select("item_id"), on="item_id", how="semi")
    totals = rows.group_by("model").agg(ordered_sum("row_cost").alias("cost"), pl.len().alias("n"))
    by_model = pl.DataFrame({"model": list(matrix.models)}).join(
        totals, on="model", how="left", maintain_order="left"
    )
    cost = by_model["cost"].fill_null(float("nan")).to_numpy()
    per_response = cost / by_model["n"].fill_null(1).to_numpy()
    estimate = mean_of_cells(matrix)
    frontier = pareto_frontier(per_response, estimate)
    names = [*matrix.models, None]
    return table_frame(
        Frontier,
        {
            "track": track,
            "metric": matrix.metric,
            "model": list(matrix.models),
            "cost_usd": cost,
            "cost_per_response_usd": per_response,
            "estimate": estimate,
            "on_frontier": frontier.on_frontier,
            "dominated_by": [names[i] for i in frontier.dominated_by],
            "p_on_frontier": _probability(data, matrix, track, rows, per_response, basis),
        },
        len(estimate),
    )


def _probability(
    data: BenchmarkData,
    matrix: VerdictMatrix,
    track: str,
    rows: pl.DataFrame,
    per_response: np.ndarray,
    basis: dict[str, str],
) -> np.ndarray:
    n_resamples = data.settings.resamples
    scores = bootstrap_means(
        matrix.values,
        observed=matrix.has_cell,
        rng=data.resampling_rng(track),
        n_resamples=n_resamples,
        clusters=matrix.clusters,
        weights=matrix.weights,
    )
    costs = np.broadcast_to(per_response, (n_resamples, len(per_response))).copy()
    varying = np.array([basis[m] in ("cost_usd", "tokens") for m in matrix.models]) & (per_response > 0)
    if varying.any():
        resampled = bootstrap_means(
            _cell_costs(matrix, rows),
            rng=data.resampling_rng(track),
            n_resamples=n_resamples,
            clusters=matrix.clusters,
        )
        # Cells average over runs; the ratio brings the mean of cells to the cost per response.
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = resampled.replicates / resampled.estimate
        relative = np.where(np.isfinite(relative), relative, 1.0)
        costs[:, varying] = (per_response * relative)[:, varying]
    probability = frontier_probability(costs, scores.replicates)
    return np.where(np.isnan(per_response), np.nan, probability)


def _cell_costs(matrix: VerdictMatrix, rows: pl.DataFrame) -> np.ndarray:
    kept = rows.filter(
        pl.col("model").is_in(list(matrix.models))
        & pl.col("item_id").is_in(matrix.items["item_id"].implode())
    )
    row, column = cell_index(kept, matrix.models, matrix.items["item_id"])
    total, n = np.zeros(matrix.values.shape), np.zeros(matrix.values.shape)
    np.add.at(total, (row, column), kept["row_cost"].to_numpy())
    np.add.at(n, (row, column), 1)
    cells: np.ndarray = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return cells
