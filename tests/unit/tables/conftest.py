"""Small benchmarks written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import read_benchmark
from analysis.tables.data import BenchmarkData

Make = Callable[..., BenchmarkData]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes benchmark data from rows (model, item, then columns) and a card."""

    def build(
        rows: list[dict[str, Any]],
        card: str = "",
        models: str = "",
        items: list[dict[str, Any]] | None = None,
    ) -> BenchmarkData:
        folder = tmp_path / "bench"
        folder.mkdir(exist_ok=True)
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / "verdicts.parquet")
        (folder / "benchmark.yaml").write_text(card)
        if models:
            (folder / "models.csv").write_text(models)
        if items is not None:
            pl.DataFrame(items, infer_schema_length=None).write_parquet(folder / "items.parquet")
        made = read_benchmark(folder)
        settings = settings_for(made.card, Config())
        return BenchmarkData(made.verdicts, made.items, made.models, made.card, settings)

    return build


def grid(outcomes: dict[str, str], **columns: Any) -> list[dict[str, Any]]:
    """Return single-run rows from one string per model: 1 solved, 0 not, . unscored, - no row, x excluded."""
    rows = []
    for model, line in outcomes.items():
        for position, mark in enumerate(line):
            if mark == "-":
                continue
            verdict = {"1": "correct", "0": "incorrect", "p": "partial", "x": "technical_failure", ".": None}[
                mark
            ]
            rows.append({"model": model, "item_id": f"i{position}", "verdict": verdict, **columns})
    return rows
