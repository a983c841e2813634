"""The verdict of a cell: the most frequent one of its scored runs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.config import BenchmarkCard
from analysis.matrix import CELL, VerdictMatrix, cell_index


def effective_verdict() -> pl.Expr:
    """Return a row's verdict: as given, else derived: `correct`, `partial` (0 < score < 1) or `incorrect`."""
    graded = (pl.col("score") > 0) & (pl.col("score") < 1)
    derived = (
        pl.when(pl.col("correct"))
        .then(pl.lit("correct"))
        .when(graded.fill_null(False))
        .then(pl.lit("partial"))
        .otherwise(pl.lit("incorrect"))
    )
    return pl.coalesce(pl.col("verdict"), derived)


def cell_verdicts(verdicts: pl.DataFrame, card: BenchmarkCard) -> pl.DataFrame:
    """Return `model`, `item_id`, `verdict` of every cell.

    With repeated runs it is the most frequent verdict of the scored ones; ties go to the worse in
    `verdicts.order`, without an order to one that does not succeed, then to the first in
    code-point order.
    """
    scored = verdicts.filter(pl.col("correct").is_not_null()).select(
        "model", "item_id", effective_verdict().alias("verdict"), "correct"
    )
    counts = scored.group_by("model", "item_id", "verdict").agg(
        pl.len().cast(pl.Int64).alias("n"), pl.col("correct").any().alias("succeeds")
    )
    order = card.verdicts.order
    badness = (
        pl.col("verdict").replace_strict(
            {v: i for i, v in enumerate(order)}, default=len(order), return_dtype=pl.Int64
        )
        if order is not None
        else pl.col("succeeds").cast(pl.Int64)
    )
    return (
        counts.with_columns(badness.alias("badness"))
        .sort("model", "item_id", -pl.col("n"), "badness", "verdict")
        .unique(["model", "item_id"], keep="first", maintain_order=True)
        .select("model", "item_id", "verdict")
    )


def verdict_codes(cells: pl.DataFrame, matrix: VerdictMatrix) -> tuple[npt.NDArray[np.int16], list[str]]:
    """Lay cell verdicts out as codes, shape (M, N), -1 where there is no cell; and the verdicts' names."""
    names = sorted(cells["verdict"].unique())
    kept = cells.filter(
        pl.col("model").is_in(list(matrix.models))
        & pl.col("item_id").is_in(matrix.items["item_id"].implode())
    )
    row, column = cell_index(kept, matrix.models, matrix.items["item_id"])
    code = {name: i for i, name in enumerate(names)}
    codes = np.full(matrix.values.shape, -1, dtype=np.int16)
    codes[row, column] = kept["verdict"].replace_strict(code, return_dtype=pl.Int16).to_numpy()
    codes[matrix.state != CELL] = -1
    return codes, names
