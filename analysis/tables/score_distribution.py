"""`score_distribution` and `score_summaries`: how near the models come to what none of them solves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.matrix import VerdictMatrix
from analysis.schemas import ScoreDistribution, ScoreSummaries
from analysis.tables.data import BenchmarkData, Made, table_frame

N_BINS = 20


def derive(data: BenchmarkData) -> Made:
    """Make `score_distribution` and `score_summaries`."""
    method = "Cells of answered items; a value on an edge belongs to the bin above, 1 to the last"
    return {
        "score_distribution": (distribute_scores(data), method),
        "score_summaries": (summarise_scores(data), "Cells of answered items; quartiles by interpolation"),
    }


def graded_metrics(data: BenchmarkData) -> list[str]:
    """Return the metrics whose cells lie in [0, 1] and take other values than 0 and 1."""
    graded = []
    for metric in data.metrics:
        matrix = data.matrix(metric)
        values = matrix.values[matrix.has_cell]
        if matrix.is_compact or not values.size or values.min() < 0 or values.max() > 1:
            continue
        if bool(np.any((values > 0) & (values < 1))):
            graded.append(metric)
    return graded


def _subsets(data: BenchmarkData) -> Iterator[tuple[str, str, str, VerdictMatrix, npt.NDArray[np.float64]]]:
    """Yield track, metric, subset, its matrix and the values of its cells."""
    for track in data.tracks:
        correct = data.track(track).answered()
        solved = correct.solved(data.card.solved_at).any(axis=0)
        ids = correct.items["item_id"]
        for metric in graded_metrics(data):
            matrix = data.track(track, metric).answered()
            known = matrix.items["item_id"].is_in(ids.implode()).to_numpy()
            is_solved = matrix.items["item_id"].is_in(ids.filter(pl.Series(solved)).implode()).to_numpy()
            for subset, keep in (("all", known), ("solved", is_solved), ("unsolved", known & ~is_solved)):
                part = matrix.select_items(keep)
                values = part.values[part.has_cell].astype(np.float64)
                if values.size:
                    yield track, metric, subset, part, values


def distribute_scores(data: BenchmarkData) -> pl.DataFrame:
    """Count the cells of every graded metric by bins of a twentieth, on unsolved, solved and all items.

    Returns
    -------
    pl.DataFrame
        Rows of the `ScoreDistribution` schema, empty bins kept.
    """
    parts: list[pl.DataFrame] = [ScoreDistribution.create_empty()]
    edges = np.arange(N_BINS + 1) / N_BINS
    for track, metric, subset, _, values in _subsets(data):
        # A value that equals an edge but for rounding belongs to the bin above it.
        number = np.minimum(np.floor(np.round(values * N_BINS, 9)).astype(np.int64), N_BINS - 1)
        counts = np.bincount(number, minlength=N_BINS)
        columns = {
            "track": track,
            "metric": metric,
            "subset": subset,
            "bin": np.arange(N_BINS),
            "low": edges[:-1],
            "high": edges[1:],
            "n_cells": counts,
            "share": counts / values.size,
        }
        parts.append(table_frame(ScoreDistribution, columns, N_BINS))
    return pl.concat(parts)


def summarise_scores(data: BenchmarkData) -> pl.DataFrame:
    """Summarise the cells of every graded metric on unsolved, solved and all answered items.

    Returns
    -------
    pl.DataFrame
        Rows of the `ScoreSummaries` schema.
    """
    parts: list[pl.DataFrame] = [ScoreSummaries.create_empty()]
    for track, metric, subset, matrix, values in _subsets(data):
        q25, median, q75 = np.quantile(values, (0.25, 0.5, 0.75))
        columns = {
            "track": track,
            "metric": metric,
            "subset": subset,
            "n_items": matrix.items.height,
            "n_cells": int(values.size),
            "mean": float(values.mean()),
            "median": float(median),
            "q25": float(q25),
            "q75": float(q75),
            "share_zero": float((values == 0).mean()),
            "share_below_tenth": float((values < 0.1).mean()),
        }
        parts.append(table_frame(ScoreSummaries, columns, 1))
    return pl.concat(parts)
