"""Rows of a query as Parquet or CSV."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from analysis.errors import VerdictAtlasError


def write_result(frame: pl.DataFrame, path: Path) -> None:
    """Write rows as Parquet or CSV, by the file's ending.

    In CSV, text that a spreadsheet would take for a formula gets a leading apostrophe, and lists
    become text with `; ` between their members.
    """
    if path.suffix not in {".csv", ".parquet"}:
        raise VerdictAtlasError(f"{path}: the ending says the format; allowed are .csv and .parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        frame.write_parquet(path, compression="zstd", statistics=True)
        return
    lists = [c for c, kind in frame.schema.items() if isinstance(kind, pl.List)]
    flat = frame.with_columns(pl.col(lists).cast(pl.List(pl.String)).list.join("; "))
    texts = pl.col(pl.String)
    formula = texts.str.contains(r"^[=+\-@\t\r]")
    flat.with_columns(pl.when(formula).then("'" + texts).otherwise(texts).name.keep()).write_csv(path)
