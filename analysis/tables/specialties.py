"""`specialties`: where each model is strong among the values of an item column, and what it alone solves."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.matrix import ALL
from analysis.schemas import Specialties
from analysis.stats.coverage import unique_solves
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, rank_order, ranks_of, table_frame
from analysis.tables.strata import strata_of

MIN_ITEMS = 20
"""A value with fewer items is no specialty: three items make a model look perfect by chance."""


def derive(data: BenchmarkData) -> Made:
    """Make `specialties`."""
    method = f"Mean of cells of the primary metric; top values among those of {MIN_ITEMS} items or more"
    return {"specialties": (find_specialties(data), method)}


def find_specialties(data: BenchmarkData) -> pl.DataFrame:
    """Rank the models within each value of each declared item column.

    Returns
    -------
    pl.DataFrame
        Rows of the `Specialties` schema.
    """
    whole = data.track(ALL, data.card.primary_metric)
    correct = data.track(ALL)
    parts: list[pl.DataFrame] = [Specialties.create_empty()]
    for stratum in strata_of(data):
        of_stratum = []
        values = whole.items[stratum].cast(pl.String)
        for value in values.drop_nulls().unique().sort():
            matrix = whole.select_items((values == value).fill_null(False).to_numpy())
            matrix = matrix.select_models(matrix.models_with_cells)
            if not matrix.models:
                continue
            estimate = mean_of_cells(matrix)
            best_other = np.array(
                [np.max(np.delete(estimate, m), initial=-np.inf) for m in range(estimate.size)]
            )
            same = correct.select_items((correct.items[stratum] == value).fill_null(False).to_numpy())
            alone = dict(
                zip(same.models, unique_solves(same.solved(data.card.solved_at)).tolist(), strict=True)
            )
            columns = {
                "stratum": stratum,
                "value": value,
                "model": list(matrix.models),
                "n_items": matrix.has_cell.sum(axis=1),
                "estimate": estimate,
                "rank": ranks_of(rank_order(estimate)),
                "lead": np.where(np.isfinite(best_other), estimate - best_other, np.nan),
                "is_top_value": False,
                "n_unique": [alone.get(m, 0) for m in matrix.models],
            }
            of_stratum.append(table_frame(Specialties, columns, len(matrix.models)))
        if of_stratum:
            parts.append(_with_top(pl.concat(of_stratum)))
    return pl.concat(parts)


def _with_top(rows: pl.DataFrame) -> pl.DataFrame:
    """Mark each model's highest estimate among the values with enough items; the first one of equals."""
    enough = rows.filter(pl.col("n_items") >= MIN_ITEMS)
    top = enough.sort("model", -pl.col("estimate").round(12), "value").unique("model", keep="first")
    marked = top.select("model", "value", pl.lit(True).alias("top"))
    joined = rows.join(marked, on=["model", "value"], how="left", maintain_order="left")
    return joined.with_columns(is_top_value=pl.col("top").fill_null(False)).drop("top")
