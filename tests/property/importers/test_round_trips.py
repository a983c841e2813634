"""Exports that are imported again give the same verdicts; pieces in any order the same bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from analysis.ingest.benchmark import Benchmark, read_benchmark
from analysis.ingest.exporters.write import export_benchmark
from tests.unit.importers import makers as make

FEW = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Names that a spreadsheet would take for formulas, quotes, separators, other scripts.
name = st.one_of(
    st.sampled_from(["=1+1", "+x", "-x", "@x", "'x", "a,b", 'a"b', "a;b", "模型", "a/b", "1", "é\u00a0x"]),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=8),
)
ORDER = ["refused/unsafe", "incorrect", "partial", "correct"]


@st.composite
def raw_rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    keys = draw(st.lists(st.tuples(name, name, st.integers(0, 2)), min_size=1, max_size=8, unique=True))
    rows = []
    for model, item, run in keys:
        verdict = draw(st.sampled_from([*ORDER, "technical_failure", None]))
        rows.append(
            {
                "model": model,
                "item_id": item,
                "run": run,
                "verdict": verdict,
                "correct": None if verdict in (None, "technical_failure") else verdict == "correct",
                "score": draw(st.one_of(st.none(), st.floats(0, 1))),
                "labels": draw(st.lists(name.map(str.strip).filter(bool), max_size=2)),
                "decision": draw(st.one_of(st.none(), name)),
                "flags": draw(st.lists(st.sampled_from(["a", "b;c", "=x"]), max_size=2)),
                "cost_usd": draw(st.one_of(st.none(), st.floats(0, 1e6))),
                "extra": draw(st.one_of(st.none(), st.floats(-1e9, 1e9))),
                "track": f"track {len(item) % 2}",
            }
        )
    return rows


SCHEMA = {
    "model": pl.String, "item_id": pl.String, "run": pl.Int64, "verdict": pl.String, "correct": pl.Boolean,
    "score": pl.Float64, "labels": pl.List(pl.String), "decision": pl.String, "flags": pl.List(pl.String),
    "cost_usd": pl.Float64, "extra": pl.Float64, "track": pl.String,
}  # fmt: skip
CARD = """verdicts:
  order: [refused/unsafe, incorrect, partial, correct]
  succeed: [correct]
metrics: [extra]
"""


def benchmark_of(rows: list[dict[str, Any]], folder: Path) -> Benchmark:
    folder.mkdir(parents=True)
    pl.DataFrame(rows, schema=SCHEMA).write_parquet(folder / "verdicts.parquet")
    (folder / "benchmark.yaml").write_text(CARD)
    return read_benchmark(folder)


@FEW
@given(raw_rows(), st.sampled_from(["csv", "jsonl"]))
def test_tables_bring_every_column_back(rows: list[dict[str, Any]], kind: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        before = benchmark_of(rows, place / "before")
        export_benchmark(before, kind, place / f"out.{kind}")
        report = make.run("table", place / f"out.{kind}", place / "after")
        assert report.questions == []
        assert report.refused == []
        excluded = read_benchmark(place / "after").card.verdicts.exclude
        if "extra" in make.verdicts(place / "after").columns:
            (place / "after" / "benchmark.yaml").write_text(CARD)  # metrics beyond 0 to 1 are not declared
        after = read_benchmark(place / "after")
    columns = list(before.verdicts.columns)
    if before.verdicts["extra"].null_count() == before.verdicts.height:
        columns.remove("extra")
    assert_frame_equal(before.verdicts.select(columns), after.verdicts.select(columns))
    assert_frame_equal(before.items.select("item_id", "track"), after.items.select("item_id", "track"))
    assert excluded == before.card.verdicts.exclude


@FEW
@given(raw_rows())
def test_eval_arena_brings_every_count_back(rows: list[dict[str, Any]]) -> None:
    def counts(benchmark: Benchmark) -> pl.DataFrame:
        correct = pl.col("correct")
        return (
            benchmark.verdicts.group_by("model", "item_id")
            .agg(
                correct.sum().alias("correct"),
                correct.is_not_null().sum().alias("scored"),
                pl.col("excluded").sum(),
                pl.len(),
            )
            .sort("model", "item_id")
        )

    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        before = benchmark_of(rows, place / "before")
        export_benchmark(before, "eval-arena", place / "out.jsonl")
        report = make.run("eval-arena", place / "out.jsonl", place / "after")
        assert report.questions == []
        after = read_benchmark(place / "after")
    assert_frame_equal(counts(before), counts(after))


@FEW
@given(st.integers(1, 5), st.data())
def test_pieces_in_any_order_give_the_bytes_of_all_at_once(n: int, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        for number in range(n):
            items = data.draw(
                st.lists(st.sampled_from([1, 2, "1", "x"]), min_size=1, max_size=3, unique=True)
            )
            samples = [make.inspect_sample(i, {"m": data.draw(st.sampled_from("CIPN"))}) for i in items]
            log = make.inspect_log(
                samples,
                model=data.draw(st.sampled_from(["a", "b"])),
                task=data.draw(st.sampled_from(["t", "u"])),
                eval_id=f"e{number}",
                created=f"2025-01-0{data.draw(st.integers(1, 3))}T00:00:00+00:00",
                status=data.draw(st.sampled_from(["success", "cancelled"])),
            )
            make.write_json(place / "logs" / f"{number}.json", log)
        paths = sorted((place / "logs").iterdir())
        make.run("inspect", place / "logs", place / "once", graded=("m",))
        cut = data.draw(st.integers(0, n))
        order = data.draw(st.permutations(paths))
        for part in (order[:cut], order[cut:]):
            if part:
                make.run("inspect", part, place / "parts", graded=("m",))
        assert make.contents(place / "parts") == make.contents(place / "once")
