"""`model_scores`: estimates with intervals per track, metric and model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from analysis.config import IntervalMethod
from analysis.matrix import EXCLUDED, MISSING, UNSCORED, VerdictMatrix, rate_matrix, track_matrix
from analysis.schemas import ModelScores
from analysis.stats.bootstrap import BootstrapMeans, bootstrap_means
from analysis.stats.proportions import clopper_pearson_interval, jeffreys_interval, wilson_interval
from analysis.stats.units import Estimand
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame

CLUSTER_METRICS: dict[str, Estimand] = {"item_weighted": "item", "cluster_macro": "cluster"}
"""Metrics of `correct` where clusters are declared, and what each is a mean over; weights do not count."""

PROPORTION = {
    "wilson": wilson_interval,
    "clopper_pearson": clopper_pearson_interval,
    "jeffreys": jeffreys_interval,
}
BOOTSTRAP = {
    "bootstrap": "expanded",
    "bootstrap_percentile": "percentile",
    "bootstrap_basic": "basic",
    "bootstrap_bca": "bca",
    "bootstrap_studentized": "studentized",
}


def derive(data: BenchmarkData) -> Made:
    """Make `model_scores`."""
    unit = f"clusters ({data.card.cluster})" if data.card.cluster else "items"
    method = f"Mean of cells; joint bootstrap over {unit}, {data.settings.resamples:,} resamples"
    if not data.card.cluster:
        method += "; Wilson where every cell has one scored run"
    return {"model_scores": (score_models(data), method)}


def score_models(data: BenchmarkData) -> pl.DataFrame:
    """Estimate every quality metric and rate of every model.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    pl.DataFrame
        Rows of the `ModelScores` schema, one per interval method that is valid for the model.
    """
    parts = [
        _score_track(data, data.track(track, metric), track)
        for metric in data.metrics
        for track in data.tracks
    ]
    if data.card.cluster is not None:
        parts += [rows for track in data.tracks for rows in _score_clusters(data, track)]
    for matrix in rate_matrices(data):
        parts += [_score_track(data, track_matrix(matrix, track, "exclude"), track) for track in data.tracks]
    return pl.concat([ModelScores.create_empty(), *parts])


def _score_clusters(data: BenchmarkData, track: str) -> Iterator[pl.DataFrame]:
    """Yield success by item and by cluster side by side: every item, or every cluster, counts once."""
    matrix = data.track(track)
    if not matrix.models or not matrix.has_cell.any():
        return
    for metric, estimand in CLUSTER_METRICS.items():
        means = bootstrap_means(
            matrix.values,
            observed=matrix.has_cell,
            rng=data.resampling_rng(track),
            n_resamples=data.settings.resamples,
            clusters=matrix.clusters,
            estimand=estimand,
        )
        rank = ranks_of(rank_order(means.estimate))
        named = replace(matrix, metric=metric)
        yield from (_rows(data, named, track, means, rank, method) for method in data.settings.intervals)


def rate_matrices(data: BenchmarkData) -> list[VerdictMatrix]:
    """Return the 0/1 matrices of the rates: hard failures, decisive decisions, flags.

    A rate is over the model's items with any row (of `decisive`: with any decision); an item counts
    once, if any of its runs shows it.
    """
    verdicts, items, card = data.verdicts, data.items, data.card
    rates: dict[str, pl.Expr] = {}
    if card.hard_labels and (verdicts["labels"].list.len() > 0).any():
        hard = pl.col("labels").list.eval(pl.element().is_in(list(card.hard_labels))).list.any()
        rates["hard_failure"] = hard
    if card.decisions.decisive and verdicts["decision"].null_count() < verdicts.height:
        rates["decisive"] = pl.col("decision").is_in(list(card.decisions.decisive))
    flags = verdicts["flags"].list.explode(empty_as_null=False).drop_nulls().unique().sort()
    for flag in flags:
        rates[f"flag:{flag}"] = pl.col("flags").list.contains(flag)
    decided = verdicts.filter(pl.col("decision").is_not_null())
    asked = {"decisive": decided}
    return [rate_matrix(asked.get(name, verdicts), items, card, name, hit) for name, hit in rates.items()]


def _score_track(data: BenchmarkData, matrix: VerdictMatrix, track: str) -> pl.DataFrame:
    if not matrix.models or not matrix.has_cell.any():
        return ModelScores.create_empty()
    means = bootstrap_means(
        matrix.values,
        observed=matrix.has_cell,
        rng=data.resampling_rng(track),
        n_resamples=data.settings.resamples,
        clusters=matrix.clusters,
        weights=matrix.weights,
    )
    rank = ranks_of(rank_order(means.estimate))
    parts = [_rows(data, matrix, track, means, rank, method) for method in data.settings.intervals]
    return pl.concat(parts)


def _rows(
    data: BenchmarkData,
    matrix: VerdictMatrix,
    track: str,
    means: BootstrapMeans,
    rank: np.ndarray,
    method: IntervalMethod,
) -> pl.DataFrame:
    """Return the rows of one interval method, for the models for which it is valid."""
    level = data.settings.level
    if method in PROPORTION:
        keep = is_single_run_proportion(matrix)
        successes = successes_of(matrix)
        limits = PROPORTION[method](successes[keep], means.n_items[keep], level=level)
        low, high, name = limits.low, limits.high, str(method)
    else:
        keep = np.ones(len(matrix.models), dtype=bool)
        limits_all = means.interval(level, BOOTSTRAP[method])  # type: ignore[arg-type]
        low, high = limits_all.ci_low, limits_all.ci_high
        name = f"cluster_{method}" if matrix.clusters is not None else str(method)
    return table_frame(
        ModelScores,
        {
            "track": track,
            "metric": matrix.metric,
            "model": [m for m, k in zip(matrix.models, keep, strict=True) if k],
            "method": name,
            "rank": rank[keep],
            "estimate": means.estimate[keep],
            "ci_low": low,
            "ci_high": high,
            "level": level,
            "n_items": means.n_items[keep],
            "n_clusters": means.n_clusters[keep],
            "n_excluded": _count(matrix, EXCLUDED)[keep],
            "n_unscored": _count(matrix, UNSCORED)[keep],
            "n_missing": _count(matrix, MISSING)[keep],
        },
        int(keep.sum()),
    )


def is_single_run_proportion(matrix: VerdictMatrix) -> np.ndarray:
    """Tell for which models the mean is a plain proportion of independent single-run items."""
    if matrix.clusters is not None or matrix.weights is not None:
        return np.zeros(len(matrix.models), dtype=bool)
    if matrix.is_compact:
        return np.ones(len(matrix.models), dtype=bool)
    binary = (matrix.values == 0) | (matrix.values == 1) | ~matrix.has_cell
    keep: np.ndarray = (binary & (matrix.n_runs <= 1)).all(axis=1)
    return keep


def successes_of(matrix: VerdictMatrix) -> np.ndarray:
    """Return the sum of each model's cells, rounded: the successes where they are single 0/1 runs."""
    sums = [
        np.sum(values, where=has, dtype=np.float64)
        for values, has in zip(matrix.values, matrix.has_cell, strict=True)
    ]
    return np.rint(np.array(sums)).astype(np.int64)


def _count(matrix: VerdictMatrix, state: int) -> np.ndarray:
    counts: np.ndarray = (matrix.state == state).sum(axis=1).astype(np.int64)
    return counts
