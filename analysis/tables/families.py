"""`adjusted_tests` and `omnibus`: answers for many comparisons beside Bonferroni and Holm."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from analysis.matrix import VerdictMatrix
from analysis.schemas import AdjustedTests, Omnibus
from analysis.stats.mcnemar import cochran_q
from analysis.stats.multiplicity import benjamini_hochberg
from analysis.stats.westfall_young import pairwise_max_t
from analysis.tables.data import BenchmarkData, table_frame
from analysis.tables.model_scores import is_single_run_proportion


def adjust_tests(data: BenchmarkData, tests: pl.DataFrame) -> pl.DataFrame:
    """Adjust the pairwise tests for the false discovery rate and by max-T.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.
    tests : pl.DataFrame
        Rows of the `PairwiseTests` schema of the same data.

    Returns
    -------
    pl.DataFrame
        Rows of the `AdjustedTests` schema: the pairs of `tests`.
    """
    parts: list[pl.DataFrame] = [AdjustedTests.create_empty()]
    for (track, metric), rows in tests.partition_by("track", "metric", as_dict=True).items():
        matrix = data.track(str(track), str(metric))
        adjusted = _max_t(data, matrix, str(track))
        place = {name: i for i, name in enumerate(matrix.models)}
        a, b = (
            rows[c].replace_strict(place, return_dtype=pl.Int64).to_numpy() for c in ("model_a", "model_b")
        )
        p_value = rows["p_value"].fill_null(float("nan")).to_numpy()
        kept = ("track", "metric", "model_a", "model_b", "p_value", "p_holm")
        columns: dict[str, Any] = {name: rows[name] for name in kept}
        columns["p_benjamini_hochberg"] = benjamini_hochberg(p_value)
        columns["p_max_t"] = adjusted[a, b]
        parts.append(table_frame(AdjustedTests, columns, rows.height))
    return pl.concat(parts)


def _max_t(data: BenchmarkData, matrix: VerdictMatrix, track: str) -> np.ndarray:
    """Return the max-T adjusted p-values as a symmetric models x models array."""
    p = pairwise_max_t(
        matrix.values,
        rng=data.resampling_rng(track),
        n_resamples=data.settings.resamples,
        clusters=matrix.clusters,
        weights=matrix.weights,
        observed=matrix.has_cell,
    )
    square = np.full((len(matrix.models),) * 2, np.nan)
    upper, lower = np.triu_indices(len(matrix.models), 1)
    square[upper, lower] = square[lower, upper] = p
    return square


def compare_all_models(data: BenchmarkData) -> pl.DataFrame:
    """Test, per track, whether the models succeed equally often on the items that all of them have.

    Cochran's Q stands only where it is valid: `correct` from single runs, at least two models, no
    declared cluster and no weights.

    Returns
    -------
    pl.DataFrame
        Rows of the `Omnibus` schema.
    """
    parts: list[pl.DataFrame] = [Omnibus.create_empty()]
    for track in data.tracks:
        matrix = data.track(track)
        if len(matrix.models) < 2 or not is_single_run_proportion(matrix).all():
            continue
        complete = matrix.complete()
        if not complete.items.height:
            continue
        result = cochran_q(complete.values)
        columns = {
            "track": track,
            "metric": matrix.metric,
            "n_models": len(complete.models),
            "n_items": result.n_items,
            "statistic": result.statistic,
            "degrees_of_freedom": result.degrees_of_freedom,
            "p_value": result.p_value,
        }
        parts.append(table_frame(Omnibus, columns, 1))
    return pl.concat(parts)
