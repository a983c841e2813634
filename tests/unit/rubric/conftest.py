"""A small benchmark rated with the clinical rubric, to be bent in one place at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import Benchmark, read_benchmark
from analysis.scoring.rubric.keys import VignetteKey, write_keys
from analysis.scoring.rubric.model import Rubric, read_rubric
from analysis.scoring.rubric.state import applies
from analysis.tables.data import BenchmarkData

Line = dict[str, Any]
Change = Callable[[list[Line]], list[Line]]
SETTLED = "2026-05-01T09:00:00"
RATED = "2026-06-01T09:00:00"


def key(item: str = "v1", task: str = "diagnostic", *features: str, **other: Any) -> VignetteKey:
    """Return a locked key."""
    content: dict[str, Any] = {
        "item_id": item,
        "task_type": task,
        "audience": "clinician",
        "decision_point": "first visit",
        "features": list(features),
        "evidence": [],
        "acceptable_alternatives": [],
        "hazards": [{"id": "h1", "kind": "unsafe_omission", "statement": "omits the ECG"}],
        "time_limits": [],
        "lists": {"safety_items": ["caveat", "dose"]},
        "prespecified_at": SETTLED,
        **other,
    }
    made = VignetteKey.model_validate(content)
    return made.model_copy(update={"sha256": made.digest()})


def sheet(
    rubric: Rubric,
    of: VignetteKey,
    model: str = "m1",
    rater: str = "r1",
    kind: str = "human",
    scores: dict[str, float] | None = None,
    default: float = 3.0,
    **columns: Any,
) -> list[Line]:
    """Return a complete, valid sheet; `scores` sets single lines."""
    head = {
        "model": model,
        "item_id": of.item_id,
        "rater": rater,
        "rater_kind": kind,
        "rated_at": RATED,
        **columns,
    }
    lines: list[Line] = []
    for name in rubric.scored:
        known, why = applies(rubric, name, of)
        line = {**head, "criterion_id": name}
        line |= {"value": (scores or {}).get(name, default)} if known else {"label": "N/A", "reason": why}
        lines.append(line)
    for name, field in rubric.fields.items():
        if field.kind == "count" and field.required:
            lines.append({**head, "criterion_id": name, "value": (scores or {}).get(name, 0.0)})
    lines += [{**head, "criterion_id": c.id, "value": (scores or {}).get(c.id, default)} for c in of.criteria]
    if rubric.flag:
        lines.append({**head, "criterion_id": rubric.flag.id, "label": "no"})
    return lines


def line_of(lines: list[Line], criterion: str, **equal: Any) -> Line:
    """Return the line of a sheet, to be changed in place."""
    return next(
        x for x in lines if x["criterion_id"] == criterion and all(x[k] == v for k, v in equal.items())
    )


COLUMNS = {
    "value": pl.Float64,
    **dict.fromkeys(
        ("label", "reason", "note", "error_ids", "list_items", "case_criterion", "trigger", "key_sha256"),
        pl.String,
    ),
}


@pytest.fixture(scope="session")
def clinical() -> Rubric:
    """The clinical rubric."""
    return read_rubric("expressed_clinical_reasoning")


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a raw folder from keys and lines."""

    def write(
        keys: list[VignetteKey], lines: list[Line], use: dict[str, Any] | None = None, **card: Any
    ) -> Path:
        out = tmp_path / f"bench{len(list(tmp_path.iterdir()))}"
        out.mkdir()
        write_keys(keys, out / "vignettes.yaml")
        models = sorted({x["model"] for x in lines}) or ["m1"]
        verdicts = [{"model": m, "item_id": k.item_id, "correct": True} for m in models for k in keys]
        pl.DataFrame(verdicts).write_parquet(out / "verdicts.parquet")
        frame = pl.DataFrame(lines, infer_schema_length=None)
        frame = frame.with_columns(
            pl.lit(None, dtype=t).alias(n) for n, t in COLUMNS.items() if n not in frame.columns
        )
        frame.write_parquet(out / "ratings.parquet")
        content = {"rubric": use or {}, "resamples": 200, **card}
        (out / "benchmark.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        return out

    return write


@pytest.fixture
def read(folder: Callable[..., Path]) -> Callable[..., Benchmark]:
    """Return a function that writes a raw folder and reads it."""

    def run(*arguments: Any, lenient: bool = False, **named: Any) -> Benchmark:
        return read_benchmark(folder(*arguments, **named), lenient=lenient)

    return run


@pytest.fixture
def data(read: Callable[..., Benchmark]) -> Callable[..., BenchmarkData]:
    """Return a function that makes what tables are derived from."""

    def run(*arguments: Any, **named: Any) -> BenchmarkData:
        return data_of(read(*arguments, **named))

    return run


def data_of(made: Benchmark) -> BenchmarkData:
    """Return what tables are derived from."""
    assert made.rubric is not None
    return BenchmarkData(
        made.verdicts,
        made.items,
        made.models,
        made.card,
        settings_for(made.card, Config()),
        made.ratings,
        made.audit,
        sheets=made.sheets,
        rubric=made.rubric.to_json(),
    )
