"""Small care pathways written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import read_benchmark
from analysis.tables.data import BenchmarkData

Row = dict[str, Any]
Build = Callable[..., BenchmarkData]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that makes benchmark data from items, answers, a card and, optionally, ratings."""

    def make(
        items: list[Row],
        answers: dict[str, dict[str, Any]],
        card: str = "cluster: cluster_id",
        *,
        ratings: list[Row] | None = None,
        models: list[Row] | None = None,
    ) -> BenchmarkData:
        """`answers`: model to item to 1, 0, None (unscored), or (right, decision)."""
        folder = tmp_path / "bench"
        folder.mkdir(exist_ok=True)
        rows = []
        for model, given in answers.items():
            for item, answer in given.items():
                right, decision = answer if isinstance(answer, tuple) else (answer, None)
                correct = None if right is None else bool(right)
                rows.append({"model": model, "item_id": item, "correct": correct, "decision": decision})
        tables = {"verdicts": rows, "items": items, "ratings": ratings, "models": models}
        for name, content in tables.items():
            if content is not None:
                frame = pl.DataFrame(content, infer_schema_length=None)
                frame.write_parquet(folder / f"{name}.parquet")
        (folder / "benchmark.yaml").write_text(card)
        made = read_benchmark(folder)
        settings = settings_for(made.card, Config())
        return BenchmarkData(
            made.verdicts, made.items, made.models, made.card, settings, made.ratings, made.audit
        )

    return make


def pathway(states: list[str], components: str = "ptc") -> tuple[list[Row], dict[str, int]]:
    """Return items and one model's answers from one string per patient, such as "1 0 11".

    The parts stand for the components pathology, T stage and care; `-` where the patient has none.
    """
    names = {"p": "pathology", "t": "t_stage", "c": "care"}
    items: list[Row] = []
    answers: dict[str, int] = {}
    for i, state in enumerate(states):
        for component, marks in zip(components, state.split(), strict=True):
            for j, mark in enumerate(marks.replace("-", "")):
                item = f"P{i}-{component}{j}"
                items.append(
                    {
                        "item_id": item,
                        "cluster_id": f"P{i}",
                        "component": names[component],
                        "position": j + 1 if component == "c" else None,
                        "track": "L6",
                    }
                )
                answers[item] = int(mark)
    return items, answers
