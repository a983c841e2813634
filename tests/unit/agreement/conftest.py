"""Small benchmarks with ratings, written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import read_benchmark
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData

Make = Callable[..., BenchmarkData]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes benchmark data from rows of verdicts and ratings and a card."""

    def build(
        verdicts: list[dict[str, Any]],
        ratings: list[dict[str, Any]] | None = None,
        card: str = "",
        items: list[dict[str, Any]] | None = None,
        lenient: bool = False,
    ) -> BenchmarkData:
        folder = tmp_path / f"bench{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for name, rows in (("verdicts", verdicts), ("ratings", ratings), ("items", items)):
            if rows is not None:
                pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / f"{name}.parquet")
        (folder / "benchmark.yaml").write_text(card + "\nresamples: 200\n")
        made = read_benchmark(folder, lenient=lenient)
        return BenchmarkData(
            made.verdicts,
            made.items,
            made.models,
            made.card,
            settings_for(made.card, Config()),
            made.ratings,
            made.audit,
        )

    return build


def verdict_rows(outcomes: dict[str, str], **columns: Any) -> list[dict[str, Any]]:
    """Return single-run rows: 1 correct, 0 not, p partial, x excluded, . unscored, - no row."""
    words = {"1": "correct", "0": "incorrect", "p": "partial", "x": "technical_failure", ".": None}
    return [
        {"model": model, "item_id": f"i{i}", "verdict": words[mark], **columns}
        for model, line in outcomes.items()
        for i, mark in enumerate(line)
        if mark != "-"
    ]


def rating_rows(
    rater: str, kind: str, labels: list[str | float | None], model: str | None = "m", **columns: Any
) -> list[dict[str, Any]]:
    """Return one rating per item, text as label and numbers as value; None leaves the item out."""
    return [
        {
            "model": model,
            "item_id": f"i{i}",
            "rater": rater,
            "rater_kind": kind,
            "label": label if isinstance(label, str) else None,
            "value": None if isinstance(label, str) else float(label),
            **columns,
        }
        for i, label in enumerate(labels)
        if label is not None
    ]


def units_of(n: int, clusters: list[int] | None = None, n_resamples: int = 200) -> ResampledUnits:
    """Return resamples of n items with a fixed seed."""
    rng = np.random.default_rng(1)
    return ResampledUnits.create(n, rng=rng, n_resamples=n_resamples, clusters=clusters)
