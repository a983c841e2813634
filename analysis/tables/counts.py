"""`item_counts`, `count_distribution` and `unique_solves`: how many models solve each item."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.matrix import ALL, BASES, VerdictMatrix, on_basis
from analysis.schemas import CountDistribution, ItemCounts, UniqueSolves
from analysis.stats.coverage import unique_solves
from analysis.stats.proportions import wilson_interval
from analysis.tables.data import BenchmarkData, Made, table_frame

PARTIAL = "partial"


def derive(data: BenchmarkData) -> Made:
    """Make `item_counts`, `count_distribution` and `unique_solves`."""
    solved = f"a model solves an item when its cell is at least {data.card.solved_at:g}"
    return {
        "item_counts": (count_items(data), f"Exact counts; {solved}"),
        "count_distribution": (distribute_counts(data), f"Exact counts with Wilson intervals; {solved}"),
        "unique_solves": (count_unique_solves(data), f"Exact counts; {solved}"),
    }


def count_items(data: BenchmarkData) -> pl.DataFrame:
    """Count, per answered item, the models that solve it.

    Returns
    -------
    pl.DataFrame
        Rows of the `ItemCounts` schema; items for which no model has a cell are left out.
    """
    matrix = data.track(ALL).answered()
    has = matrix.has_cell
    codes, names = data.cell_codes(matrix)
    worst = data.card.verdicts.order[0] if data.card.verdicts.order else "incorrect"
    n_models = has.sum(axis=0).astype(np.int64)
    return table_frame(
        ItemCounts,
        {
            "item_id": matrix.items["item_id"],
            "track": matrix.items["track"],
            "question_type": matrix.items["question_type"],
            "k": matrix.solved(data.card.solved_at).sum(axis=0).astype(np.int64),
            "n_models": n_models,
            "mean_score": _sum_of_cells(matrix) / np.maximum(n_models, 1),
            "all_partial": _all_are(codes, names, PARTIAL, has),
            "all_incorrect": _all_are(codes, names, worst, has),
        },
        matrix.items.height,
    )


def _sum_of_cells(matrix: VerdictMatrix) -> np.ndarray:
    """Return the sum of the cells of each item, model by model: one pass, no copy of the matrix."""
    total = np.zeros(matrix.items.height)
    for values, has in zip(matrix.values, matrix.has_cell, strict=True):
        np.add(total, values, out=total, where=has)
    return total


def _all_are(codes: np.ndarray, names: list[str], verdict: str, has: np.ndarray) -> np.ndarray:
    """Tell, per item, whether every cell has this verdict."""
    code = names.index(verdict) if verdict in names else -2
    every = np.ones(codes.shape[1], dtype=bool)
    for row, cells in zip(codes, has, strict=True):
        every &= (row == code) | ~cells
    return every


def distribute_counts(data: BenchmarkData) -> pl.DataFrame:
    """Count items by the number of models that solve them, per track and basis, k = 0 to M.

    Returns
    -------
    pl.DataFrame
        Rows of the `CountDistribution` schema; none for a basis without items.
    """
    parts: list[pl.DataFrame] = [CountDistribution.create_empty()]
    for track in data.tracks:
        whole = data.track(track)
        for basis in BASES:
            matrix = on_basis(whole, basis)
            n = matrix.items.height
            if not n:
                continue
            k = matrix.solved(data.card.solved_at).sum(axis=0)
            counts = np.bincount(k, minlength=len(matrix.models) + 1)
            limits = wilson_interval(counts, np.full(len(counts), n), level=data.settings.level)
            parts.append(
                table_frame(
                    CountDistribution,
                    {
                        "track": track,
                        "basis": basis,
                        "k": np.arange(len(counts)),
                        "n_items": counts,
                        "share": counts / n,
                        "ci_low": limits.low,
                        "ci_high": limits.high,
                    },
                    len(counts),
                )
            )
    return pl.concat(parts)


def count_unique_solves(data: BenchmarkData) -> pl.DataFrame:
    """Count, per track and basis, the items that one model alone solves.

    Returns
    -------
    pl.DataFrame
        Rows of the `UniqueSolves` schema, zeros kept.
    """
    parts: list[pl.DataFrame] = [UniqueSolves.create_empty()]
    for track in data.tracks:
        whole = data.track(track)
        for basis in BASES:
            matrix = on_basis(whole, basis)
            if matrix.items.height:
                counts = unique_solves(matrix.solved(data.card.solved_at))
                columns = {"track": track, "basis": basis, "model": list(matrix.models), "n_unique": counts}
                parts.append(table_frame(UniqueSolves, columns, len(counts)))
    return pl.concat(parts)
