"""Small benchmarks, derived as the workflow derives them, for the pages to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from analysis.capabilities import OF_AUDITS, OF_EPISODES, OF_RATINGS, OF_RUNS, possible_tables
from analysis.config import Config
from analysis.derived import RULES, derive, write_benchmark
from analysis.ingest.benchmark import read_benchmark
from analysis.reporting.results import Results
from analysis.reporting.view import View

FEW = {"statistics": {"resamples": 100, "permutations": 100}}
OPTIONAL = {
    "count_labels": "failure_labels",
    "count_decisions": "decisions",
    "stratify_scores": "strata",
    "trace_frontier": "frontier",
    "assess_runs": OF_RUNS[0],
    "compare_raters": OF_RATINGS[0],
    "assess_reliability": OF_RATINGS[0],
    "correct_judges": OF_RATINGS[0],
    "join_episodes": OF_EPISODES[0],
    "measure_composition": OF_EPISODES[0],
    "score_endpoints": "endpoint_scores",
    "compare_conditions": "paired_controls",
    "audit_judges": OF_AUDITS[0],
    "profile_families": "family_profiles",
    "score_consultations": "consultation_scores",
}
Derive = Callable[..., View]


def derive_all(
    base: Path,
    name: str,
    verdicts: pl.DataFrame,
    card: dict[str, Any] | None = None,
    *,
    rules: Iterable[str] = tuple(RULES),
    **companions: pl.DataFrame,
) -> Path:
    """Write a raw folder and derive the tables that it can have; return the results folder."""
    raw, results = base / "raw" / name, base / "results"
    raw.mkdir(parents=True)
    verdicts.write_parquet(raw / "verdicts.parquet")
    for stem, frame in companions.items():
        frame.write_parquet(raw / f"{stem}.parquet")
    if card:
        (raw / "benchmark.yaml").write_text(yaml.safe_dump(card, allow_unicode=True), encoding="utf-8")
    benchmark = read_benchmark(raw)
    folder = results / "derived" / name
    write_benchmark(benchmark, folder, Config(results=str(results), **FEW))
    possible = possible_tables(raw, benchmark.card.model_dump())
    for rule in rules:
        if rule not in OPTIONAL or OPTIONAL[rule] in possible:
            derive(rule, folder)
    return results


@pytest.fixture
def view_of(tmp_path: Path) -> Derive:
    """Derive a benchmark from verdicts and open it as a page does."""

    def build(verdicts: pl.DataFrame, card: dict[str, Any] | None = None, **companions: pl.DataFrame) -> View:
        results = derive_all(tmp_path, "bench", verdicts, card, **companions)
        return View(Results.open("bench", results))

    return build


def grid(solved: dict[str, str], **columns: Any) -> pl.DataFrame:
    """Return verdicts from one string per model: 1 correct, 0 incorrect, x excluded, space missing."""
    words = {"1": "correct", "0": "incorrect", "x": "technical_failure"}
    rows = [
        (model, f"i{j:03d}", words[mark])
        for model, marks in solved.items()
        for j, mark in enumerate(marks)
        if mark != " "
    ]
    frame = pl.DataFrame(rows, schema=["model", "item_id", "verdict"], orient="row")
    return frame.with_columns(**columns) if columns else frame


HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(2)">',
    "=cmd|' /C calc'!A0",
    "a/b \"quoted\" 'single' & co",
    "\U0001f600 emoji \U0001f469\u200d\U0001f52c",
    "\u0646\u0645\u0648\u0630\u062c \u0639\u0631\u0628\u064a",
    "x" * 80,
    "{{< env HOME >}} $x^2$ `code`\n```\n# h",
    "@fig-scores",
    "reversed \u202egnp",
]
"""Names that a page must show as text and nothing else."""


def hostile_verdicts() -> pl.DataFrame:
    """Return verdicts of models, labels, decisions, tracks and types with hostile names."""
    rows = [
        (
            model,
            f"i{j}",
            (j * 7 + k * 3) % 10 < 3 + k // 2,
            ["<b>label</b>"] if (j + k) % 5 == 0 else [],
            "go<ahead>" if (j + k) % 2 else "stop",
            "<i>track</i> & co" if j % 2 else "=1+1",
            '"type"' if j % 3 else "\u0639\u0631\u0628\u064a",
            0.001 * (k + 1),
        )
        for k, model in enumerate(HOSTILE)
        for j in range(40)
    ]
    names = ["model", "item_id", "correct", "labels", "decision", "track", "question_type", "cost_usd"]
    return pl.DataFrame(rows, schema=names, orient="row")


def hostile_runs() -> pl.DataFrame:
    """Return the same with a second run of every fourth item, one model lacking what it was not asked."""
    first = hostile_verdicts().with_columns(run=pl.lit(0, dtype=pl.Int64))
    at = pl.col("item_id").str.slice(1).cast(pl.Int64)
    again = first.filter(at % 4 == 0).with_columns(run=pl.lit(1, dtype=pl.Int64), correct=at % 8 == 0)
    frame = pl.concat([first, again])
    return frame.filter((pl.col("model") != HOSTILE[0]) | (pl.col("item_id") != "i3"))


def hostile_ratings() -> pl.DataFrame:
    """Return ratings by raters with hostile names: two humans on half of the items, a judge on all."""
    rows = [
        (model, f"i{j}", rater, kind, "correct" if (j * 7 + k * 3 + shift) % 10 < 5 else "incorrect")
        for rater, kind, shift, step in (
            ("<b>human</b>", "human", 0, 2),
            ('"two" & co', "human", 1, 2),
            ("=judge+{{< x >}}", "judge", 2, 1),
        )
        for k, model in enumerate(HOSTILE[:3])
        for j in range(0, 40, step)
    ]
    names = ["model", "item_id", "rater", "rater_kind", "label"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(run=pl.lit(0, dtype=pl.Int64))


HOSTILE_CARD: dict[str, Any] = {
    "title": "<script>alert(3)</script> {{< include x >}} $y$ @tbl-scores",
    "description": "See https://example.org/a?b=1&c=<d> `x` *not bold*\n\n<b>second</b>",
    "source": "javascript:alert(4)",
    "synthetic": "Made up <u>here</u>.",
    "labels": {"<b>label</b>": {"hard": True, "meaning": "<u>meaning</u>"}},
    "decisions": {"decisive": ["go<ahead>"]},
}
