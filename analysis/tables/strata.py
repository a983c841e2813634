"""`strata`: the primary metric within the values of the declared item columns."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.matrix import ALL, VerdictMatrix
from analysis.schemas import Strata
from analysis.seeds import generator_for
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.proportions import wilson_interval
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.model_scores import is_single_run_proportion, successes_of


def derive(data: BenchmarkData) -> Made:
    """Make `strata`."""
    return {"strata": (stratify_scores(data), "Mean of cells; Wilson where valid, else bootstrap")}


def strata_of(data: BenchmarkData) -> tuple[str, ...]:
    """Return the item columns to break down by: the card's, else `question_type` where items have it."""
    if data.card.strata is not None:
        return data.card.strata
    return ("question_type",) if data.items["question_type"].null_count() < data.items.height else ()


def stratify_scores(data: BenchmarkData) -> pl.DataFrame:
    """Estimate the primary metric within each value of each stratum column.

    Limits are Wilson's where the mean is a plain proportion, else of the bootstrap over items or,
    where declared, clusters. Items without a value are left out of that stratum column.

    Returns
    -------
    pl.DataFrame
        Rows of the `Strata` schema.
    """
    whole = data.track(ALL, data.card.primary_metric)
    correct = data.track(ALL).answered()
    unsolved = pl.DataFrame(
        {"item_id": correct.items["item_id"], "zero": ~correct.solved(data.card.solved_at).any(axis=0)}
    )
    parts: list[pl.DataFrame] = [Strata.create_empty()]
    for stratum in strata_of(data):
        values = whole.items[stratum].cast(pl.String)
        for value in values.drop_nulls().unique().sort():
            matrix = whole.select_items((values == value).fill_null(False).to_numpy())
            matrix = matrix.select_models(matrix.models_with_cells)
            if not matrix.models:
                continue
            answered = unsolved.join(matrix.items.select("item_id"), on="item_id", how="semi")
            parts.append(
                _estimates(data, matrix, stratum, value, int(answered["zero"].sum()), answered.height)
            )
    return pl.concat(parts)


def _estimates(
    data: BenchmarkData, matrix: VerdictMatrix, stratum: str, value: str, n_zero: int, n_answered: int
) -> pl.DataFrame:
    means = bootstrap_means(
        matrix.values,
        observed=matrix.has_cell,
        rng=generator_for(data.settings.seed, "stratum", stratum, value),
        n_resamples=data.settings.resamples,
        clusters=matrix.clusters,
        weights=matrix.weights,
    )
    interval = means.interval(data.settings.level)
    plain = is_single_run_proportion(matrix)
    successes = successes_of(matrix)
    wilson = wilson_interval(np.where(plain, successes, 0), means.n_items, level=data.settings.level)
    return table_frame(
        Strata,
        {
            "stratum": stratum,
            "value": value,
            "model": list(matrix.models),
            "n_items": means.n_items,
            "estimate": means.estimate,
            "ci_low": np.where(plain, wilson.low, interval.ci_low),
            "ci_high": np.where(plain, wilson.high, interval.ci_high),
            "n_zero_correct": n_zero,
            "n_stratum_items": n_answered,
        },
        len(matrix.models),
    )
