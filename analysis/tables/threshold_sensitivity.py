"""`threshold_sensitivity`: what a verdict would say if its threshold lay elsewhere."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.schemas import ThresholdSensitivity
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame
from analysis.tables.score_distribution import graded_metrics

N_STEPS = 20


def derive(data: BenchmarkData) -> Made:
    """Make `threshold_sensitivity`."""
    method = "Share of a model's cells at or above each twentieth; ranks by that share"
    return {"threshold_sensitivity": (vary_thresholds(data), method)}


def vary_thresholds(data: BenchmarkData) -> pl.DataFrame:
    """Count, per track, graded metric and model, the cells that reach each threshold.

    Returns
    -------
    pl.DataFrame
        Rows of the `ThresholdSensitivity` schema.
    """
    parts: list[pl.DataFrame] = [ThresholdSensitivity.create_empty()]
    for metric in graded_metrics(data):
        for track in data.tracks:
            matrix = data.track(track, metric)
            if not matrix.models:
                continue
            n = matrix.has_cell.sum(axis=1)
            for step in range(1, N_STEPS + 1):
                # A mean of thirds may fall an ulp short of the threshold that it equals.
                reached = np.greater_equal(matrix.values, step / N_STEPS - 1e-12) & matrix.has_cell
                share = reached.sum(axis=1) / n
                columns = {
                    "track": track,
                    "metric": metric,
                    "step": step,
                    "model": list(matrix.models),
                    "threshold": step / N_STEPS,
                    "n_items": n,
                    "share": share,
                    "rank": ranks_of(rank_order(share)),
                }
                parts.append(table_frame(ThresholdSensitivity, columns, len(matrix.models)))
    return pl.concat(parts)
