"""`session_metrics` and `metric_definitions`, from raw files through the derived folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from analysis.config import Config
from analysis.derived import derive, read_data, write_benchmark
from analysis.ingest.benchmark import read_benchmark
from analysis.sessions.definitions import METRICS
from analysis.store import read_metadata, read_table
from tests.property.sessions.generated import frames, generate
from tests.unit.sessions.worked_example import example, write


def derived(folder: Path, raw: Path) -> Path:
    write_benchmark(read_benchmark(raw), folder, Config())
    derive("measure_sessions", folder)
    return folder


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables")
    return derived(path / "derived", write(path / "raw", frames(generate(1))))


def test_every_session_and_metric_has_a_row(tables: Path) -> None:
    metrics = read_table(tables / "session_metrics.parquet")
    sessions = read_table(tables / "sessions.parquet")
    assert metrics.height == sessions.height * len(METRICS)
    assert metrics.equals(metrics.sort("model", "case_id", "run", "metric"))
    assert (metrics["defined"] == metrics["value"].is_not_null()).all()
    assert metrics["defined"].mean() not in (0.0, 1.0)


def test_definitions_count_what_is_defined(tables: Path) -> None:
    definitions = read_table(tables / "metric_definitions.parquet").sort("position")
    assert definitions["metric"].to_list() == [m.name for m in METRICS]
    counted = read_table(tables / "session_metrics.parquet").group_by("metric").agg(pl.col("defined").sum())
    joined = definitions.join(counted, on="metric")
    assert (joined["n_defined"] == joined["defined"]).all()
    whole = definitions["n_defined"] == definitions["n_sessions"]
    assert definitions.filter(whole)["why"].null_count() == whole.sum()
    assert definitions.filter(~whole)["why"].null_count() == 0


def test_metrics_that_files_do_not_support_are_absent_with_a_reason(tmp_path: Path) -> None:
    folder = derived(tmp_path / "derived", write(tmp_path / "raw", example()))
    present = set(read_table(folder / "session_metrics.parquet")["metric"])
    why = dict(read_table(folder / "metric_definitions.parquet").select("metric", "why").iter_rows())
    assert "psc" not in present
    assert why["psc"] == "there is no sessions/regimens and no sessions/violations"
    assert why["fqr"] == "there is no sessions/followups and no sessions/judgements"
    assert why["hit_3"] == "no turn has both an expert set and top_k"
    assert why["f1_core_marked"] == "no diagnosis has as_core"
    assert why["swds"] is None


def test_sessions_alone_and_nothing_else(tmp_path: Path) -> None:
    """A list of sessions with verdicts of their own: no metric is possible, and each says why."""
    raw = write(tmp_path / "raw", {"sessions": example()["sessions"]})
    pl.DataFrame({"model": ["m"], "item_id": ["c1"], "correct": [True]}).write_parquet(
        raw / "verdicts.parquet"
    )
    folder = derived(tmp_path / "derived", raw)
    assert read_table(folder / "session_metrics.parquet").is_empty()
    definitions = read_table(folder / "metric_definitions.parquet")
    assert definitions["why"].null_count() == 0
    assert definitions["n_sessions"].unique().to_list() == [1]


def test_empty_files_are_as_absent_ones(tmp_path: Path) -> None:
    """Files with columns and no row are possible: nothing was asked, listed or prescribed by anyone."""
    files = {
        stem: frame.clear() if stem != "sessions" else frame for stem, frame in frames(generate(2)).items()
    }
    raw = write(tmp_path / "raw", files)
    session = files["sessions"].select("model", pl.col("case_id").alias("item_id"), "run")
    session.with_columns(correct=pl.lit(True)).write_parquet(raw / "verdicts.parquet")
    folder = derived(tmp_path / "derived", raw)
    metrics = read_table(folder / "session_metrics.parquet")
    asked = read_table(folder / "sessions.parquet").filter(pl.col("t_dx") > 0)
    unknown = metrics.join(asked, on=["model", "case_id", "run"]).filter(pl.col("stage") == "history")
    assert not unknown["defined"].any()
    assert metrics.filter(pl.col("metric") == "psc")["value"].unique().to_list() == [1.0]


def test_tau_is_the_cards_and_stands_in_the_method(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", frames(generate(1)))
    (raw / "benchmark.yaml").write_text("sessions: {tau: 0.4}\n")
    folder = derived(tmp_path / "derived", raw)
    assert read_data(folder).card.sessions.tau == 0.4
    path = folder / "session_metrics.parquet"
    assert "τ = 0.4" in read_metadata(path)["method"]
    kept = read_table(path).filter(pl.col("metric") == "quality_kept", "defined")["value"]
    assert kept.unique().to_list() == [1.0]


def test_tables_of_sessions_that_are_gone_go(tmp_path: Path) -> None:
    folder = derived(tmp_path / "derived", write(tmp_path / "raw", frames(generate(1))))
    assert (folder / "session_followups.parquet").is_file()
    write_benchmark(read_benchmark(write(tmp_path / "other", example())), folder, Config())
    assert not (folder / "session_followups.parquet").exists()


SCRIPT = """
import sys
from pathlib import Path
from tests.unit.sessions.test_tables import derived
derived(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def test_the_same_bytes_for_one_thread_and_two(tmp_path: Path, root: Path) -> None:
    raw = write(tmp_path / "raw", frames(generate(7, n_models=6, n_cases=20)))
    made = []
    for threads in ("1", "2"):
        folder = tmp_path / threads
        environment = {**os.environ, "POLARS_MAX_THREADS": threads}
        command = [sys.executable, "-c", SCRIPT, str(folder), str(raw)]
        subprocess.run(command, check=True, cwd=root, env=environment)
        made.append({p.name: p.read_bytes() for p in sorted(folder.glob("*.parquet"))})
    assert made[0] == made[1]


def test_the_checks_say_what_is_odd_of_the_sessions(tmp_path: Path) -> None:
    files = example()
    files["sessions"] = pl.concat([files["sessions"], files["sessions"].with_columns(case_id=pl.lit("c2"))])
    write_benchmark(read_benchmark(write(tmp_path / "raw", files)), tmp_path / "derived", Config())
    derive("audit_data", tmp_path / "derived")
    found = read_table(tmp_path / "derived" / "data_quality.parquet").filter(
        pl.col("check").str.contains("session|cases_without")
    )
    assert found.select("check", "subject", "n", "status", "note").rows() == [
        ("cases_without_rows", "aius", 1, "attention", "1 case of the sessions without units."),
        ("cases_without_rows", "gold", 1, "attention", "1 case of the sessions without gold diagnoses."),
        (
            "sessions_with_missing_turns",
            "",
            1,
            "attention",
            "1 session with fewer recorded turns than t_dx.",
        ),
        (
            "sessions_without_differential",
            "",
            1,
            "attention",
            "1 session with t_dx and no differential: an empty list.",
        ),
        (
            "verdicts_from_sessions",
            "",
            2,
            "note",
            "2 verdicts made from the sessions: correct where the first diagnosis is a core one; 1 unscored.",
        ),
    ]


def test_a_benchmark_without_sessions_gives_no_rows(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    verdicts = pl.DataFrame({"model": ["m"], "item_id": ["c1"], "correct": [True]})
    verdicts.write_parquet(tmp_path / "raw" / "verdicts.parquet")
    folder = derived(tmp_path / "derived", tmp_path / "raw")
    assert read_table(folder / "session_metrics.parquet").is_empty()
    assert read_table(folder / "metric_definitions.parquet").is_empty()
