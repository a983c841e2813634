"""The audit trail of a scorer: what is read, what is refused, what is counted."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analysis.config import Config
from analysis.derived import read_data, write_benchmark
from analysis.errors import DataError
from analysis.ingest.benchmark import Benchmark, read_benchmark
from analysis.planning import raw_files
from analysis.schemas import AuditTrail
from analysis.scoring.odbb.__main__ import main
from analysis.store import read_table
from analysis.tables.quality_checks import trail_findings

EXAMPLE = Path(__file__).parents[3] / "analysis" / "scoring" / "odbb" / "example"
VERDICTS = pl.DataFrame(
    {
        "model": ["a", "a", "b", "b"],
        "item_id": ["x", "y", "x", "y"],
        "verdict": ["correct", "incorrect", "correct", "partial"],
    }
)
STEPS = pl.DataFrame(
    {
        "model": ["a", "a", "b"],
        "item_id": ["x", "x", "y"],
        "run": [0, 0, 0],
        "step": [1, 2, 1],
        "phase": ["content", "verdict", "verdict"],
        "field": ["slot_f1", "verdict", "verdict"],
        "outcome": ["reached", "correct", "partial"],
        "value": [0.75, None, None],
        "threshold": [0.5, None, None],
    }
)


def read(folder: Path, steps: pl.DataFrame, *, lenient: bool = False) -> Benchmark:
    folder.mkdir(exist_ok=True)
    VERDICTS.write_parquet(folder / "verdicts.parquet")
    steps.write_parquet(folder / "audit_trail.parquet")
    return read_benchmark(folder, lenient=lenient)


def refusal(folder: Path, steps: pl.DataFrame) -> str:
    with pytest.raises(DataError) as caught:
        read(folder, steps)
    return str(caught.value)


def counts(benchmark: Benchmark) -> dict[str, int]:
    rows = benchmark.audit.filter(pl.col("check").str.contains("trail"))
    return dict(rows.select("check", "n").iter_rows())


def test_the_scorer_writes_what_the_contract_reads(tmp_path: Path) -> None:
    out = tmp_path / "scored"
    assert main([str(EXAMPLE), str(EXAMPLE / "responses.jsonl"), "--out", str(out)]) == 0
    written = pl.read_parquet(out / "audit_trail.parquet")
    benchmark = read_benchmark(out)
    assert benchmark.audit_trail is not None
    assert benchmark.audit_trail.equals(written)
    assert written.columns == list(AuditTrail.columns())
    assert counts(benchmark) == {"audit_trail": written.height}
    write_benchmark(benchmark, tmp_path / "derived", Config())
    derived = read_table(tmp_path / "derived" / "audit_trail.parquet")
    assert derived.equals(written.sort("model", "item_id", "run", "step"))
    assert str(out / "audit_trail.parquet") in raw_files(out)


def test_optional_columns_have_defaults(tmp_path: Path) -> None:
    benchmark = read(tmp_path / "b", STEPS.select("model", "item_id", "step", "field", "outcome"))
    assert benchmark.audit_trail is not None
    assert benchmark.audit_trail["run"].to_list() == [0, 0, 0]
    assert benchmark.audit_trail.null_count().row(0) == (0, 0, 0, 0, 3, 0, 0, 3, 3, 3, 3)


def test_what_belongs_to_no_verdict_is_counted(tmp_path: Path) -> None:
    strange = STEPS.with_columns(run=pl.Series([0, 0, 7]), outcome=pl.Series(["reached", "partial", "x"]))
    assert counts(read(tmp_path / "b", strange)) == {
        "audit_trail": 3,
        "audit_trail_without_verdict": 1,
        "responses_without_audit_trail": 3,
        "audit_trail_of_other_verdict": 1,
    }


def test_a_trail_that_is_gone_is_gone_from_the_derived_folder(tmp_path: Path) -> None:
    raw, derived = tmp_path / "b", tmp_path / "derived"
    write_benchmark(read(raw, STEPS), derived, Config())
    assert (derived / "audit_trail.parquet").is_file()
    (raw / "audit_trail.parquet").unlink()
    write_benchmark(read_benchmark(raw), derived, Config())
    assert not (derived / "audit_trail.parquet").exists()


def test_missing_columns_are_named(tmp_path: Path) -> None:
    message = refusal(tmp_path / "b", STEPS.drop("field", "step"))
    assert message == (
        "2 problems in benchmark 'b':\n"
        "- audit_trail.parquet, column 'step': is missing\n"
        "  allowed: an audit trail has model, item_id, step, field and outcome; optional are run, phase, "
        "found, expected, value and threshold\n"
        "- audit_trail.parquet, column 'field': is missing\n"
        "  allowed: an audit trail has model, item_id, step, field and outcome; optional are run, phase, "
        "found, expected, value and threshold"
    )


def test_repeated_steps_are_refused_with_their_rows(tmp_path: Path) -> None:
    message = refusal(tmp_path / "b", STEPS.with_columns(step=pl.Series([1, 1, 1])))
    assert message == (
        "1 problem in benchmark 'b':\n"
        "- audit_trail.parquet, column 'step': stands more than once for the same response\n"
        "  found: 'a, x, run 0, step 1'\n"
        "  rows: 2 (first: row 1, 2)\n"
        "  allowed: one row per model, item_id, run and step"
    )


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("outcome", ["reached", "", "partial"], "column 'outcome': is empty"),
        ("field", [None, "verdict", "verdict"], "column 'field': is null"),
        ("value", [float("nan"), None, None], "column 'value': is not finite"),
        ("step", [1.5, 2.0, 1.0], "column 'step': is not an integer"),
        ("run", [0, None, 0], "column 'run': is not an integer"),
        ("threshold", ["high", None, None], "column 'threshold': holds no numbers"),
    ],
)
def test_bad_values_are_refused(tmp_path: Path, column: str, values: list[object], said: str) -> None:
    assert f"- audit_trail.parquet, {said}\n" in refusal(
        tmp_path / "b", STEPS.with_columns(pl.Series(column, values))
    )


def test_a_lenient_run_sets_bad_steps_aside(tmp_path: Path) -> None:
    bad = STEPS.with_columns(value=pl.Series([float("inf"), None, None]))
    benchmark = read(tmp_path / "b", bad, lenient=True)
    assert benchmark.audit_trail is not None
    assert benchmark.audit_trail.height == 2
    assert benchmark.quarantine["reason"].to_list() == ["value: is not finite"]


def test_the_data_quality_says_what_is_odd_about_a_trail(tmp_path: Path) -> None:
    strange = STEPS.with_columns(run=pl.Series([0, 0, 7]), outcome=pl.Series(["reached", "partial", "x"]))
    write_benchmark(read(tmp_path / "b", strange), tmp_path / "derived", Config())
    rows = list(trail_findings(read_data(tmp_path / "derived")))
    assert [(f.check, f.n, f.of, f.status) for f in rows] == [
        ("audit_trail_without_verdict", 1, 3, "attention"),
        ("responses_without_audit_trail", 3, 4, "note"),
        ("audit_trail_of_other_verdict", 1, 4, "attention"),
    ]
    whole = STEPS.with_columns(item_id=pl.Series(["x", "x", "y"]))
    write_benchmark(read(tmp_path / "b", whole), tmp_path / "again", Config())
    assert [f.status for f in trail_findings(read_data(tmp_path / "again"))] == ["ok", "note", "ok"]
    (tmp_path / "b" / "audit_trail.parquet").unlink()
    write_benchmark(read_benchmark(tmp_path / "b"), tmp_path / "none", Config())
    assert list(trail_findings(read_data(tmp_path / "none"))) == []
