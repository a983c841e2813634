"""Consultations written by hand: three questions in two cases, two models, one judge."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import read_benchmark
from analysis.tables.data import BenchmarkData

Rows = list[dict[str, Any]]
Write = Callable[..., Path]

CRITERIA: Rows = [
    {"item_id": "q1", "criterion_id": "1", "kind": "core"},
    {"item_id": "q1", "criterion_id": "2", "kind": "evidence"},
    {"item_id": "q1", "criterion_id": "3", "kind": "conditional"},
    {"item_id": "q1", "criterion_id": "4", "kind": "major"},
    {"item_id": "q1", "criterion_id": "5", "kind": "minor"},
    {"item_id": "q2", "criterion_id": "1", "kind": "core"},
    {"item_id": "q2", "criterion_id": "2", "kind": "major"},
    {"item_id": "q3", "criterion_id": "1", "kind": "evidence"},
    {"item_id": "q3", "criterion_id": "2", "kind": "evidence"},
]
ITEMS: Rows = [
    {"item_id": "q1", "cluster_id": "c1", "tags": ["plan", "urgent"]},
    {"item_id": "q2", "cluster_id": "c1", "tags": ["plan"]},
    {"item_id": "q3", "cluster_id": "c2", "tags": ["plan", "rare"]},
]


def rate(model: str, item: str, labels: str, rater: str = "judge", **columns: Any) -> Rows:
    """Return ratings of one response: y yes, n no, x not applicable, . no label, - no row."""
    words = {"y": "yes", "n": "no", "x": "n/a", ".": None}
    base = {"model": model, "item_id": item, "rater": rater, "rater_kind": "judge", **columns}
    return [
        {**base, "criterion_id": str(i + 1), "label": words[mark]}
        for i, mark in enumerate(labels)
        if mark != "-"
    ]


RATINGS: Rows = [
    *rate("a", "q1", "ynxyn"),
    *rate("a", "q2", "yn"),
    *rate("a", "q3", "yn"),
    *rate("b", "q1", "nyynn"),
    *rate("b", "q2", "ny"),
]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a raw folder, with tables or the card replaced."""

    def build(
        *,
        criteria: Rows = CRITERIA,
        ratings: Rows = RATINGS,
        items: Rows = ITEMS,
        card: str = "cluster: cluster_id\n",
    ) -> Path:
        folder = tmp_path / "bench"
        folder.mkdir(exist_ok=True)
        seen = sorted({(r["model"], r["item_id"], r.get("run", 0)) for r in ratings if r["model"]})
        asked = seen or [("a", "q1", 0)]
        verdicts = pl.DataFrame(asked, schema=["model", "item_id", "run"], orient="row")
        verdicts.with_columns(pl.lit(None, dtype=pl.String).alias("verdict")).write_parquet(
            folder / "verdicts.parquet"
        )
        for name, rows in {"criteria": criteria, "ratings": ratings, "items": items}.items():
            pl.DataFrame(rows, infer_schema_length=None).write_parquet(folder / f"{name}.parquet")
        (folder / "benchmark.yaml").write_text(card)
        return folder

    return build


@pytest.fixture
def make(write: Write) -> Callable[..., BenchmarkData]:
    """Return a function that reads such a folder."""

    def build(**changes: Any) -> BenchmarkData:
        made = read_benchmark(write(**changes))
        settings = settings_for(made.card, Config())
        return BenchmarkData(
            made.verdicts, made.items, made.models, made.card, settings, made.ratings, criteria=made.criteria
        )

    return build
