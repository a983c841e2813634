"""The command ``python -m analysis.queries``."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from analysis.queries import list_queries
from analysis.queries.__main__ import main


@pytest.fixture
def results(hand_made: Path, tmp_path: Path) -> Path:
    shutil.copytree(hand_made, tmp_path / "results" / "derived" / "small")
    return tmp_path / "results"


def run(results: Path, *arguments: str) -> int:
    return main([*arguments, "--results", str(results)])


def test_without_a_query_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(q.name in shown for q in list_queries())


def test_rows_are_shown_with_their_number(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(results, "flipping_runs", "--benchmark", "small") == 0
    shown = capsys.readouterr().out
    assert "Runs that flip" in shown
    assert "o'brien" in shown
    assert shown.endswith("2 rows\n")


def test_the_only_benchmark_needs_no_name_and_engines_show_the_same(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = []
    for engine in ("duckdb", "polars"):
        assert run(results, "hardest_items", "--engine", engine, "--set", "top=5", "--rows", "2") == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert outputs[0].endswith("2 rows, 3 more (--rows 0 shows all, --out writes them)\n")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_are_written(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    out = tmp_path / f"rows.{ending}"
    assert run(results, "excluded_and_unscored", "--out", str(out)) == 0
    frame = pl.read_csv(out) if ending == "csv" else pl.read_parquet(out)
    assert frame["model"].to_list() == ["'=calc" if ending == "csv" else "=calc", "o'brien", "alpha"]
    assert capsys.readouterr().out == f"3 rows written to {out}\n"


def test_names_neither_act_as_markup_nor_on_the_terminal(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = results / "derived" / "small" / "models.parquet"
    name = "[red]x[/red] \x1b[31m \u202e <b>"
    models = pl.read_parquet(file).with_columns(name=pl.lit(name))
    models.write_parquet(file)
    assert run(results, "cost_per_correct") == 0
    assert r"[red]x[/red] \x1b[31m \u202e <b>" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing_like_it"], "no query is called 'nothing_like_it'"),
        (["hardest_items", "--benchmark", "smell"], "no benchmark is called 'smell'; did you mean small?"),
        (["hardest_items", "--set", "top"], "--set top: write NAME=VALUE"),
        (["hardest_items", "--set", "top=x"], "parameter top: 'x' is not a whole number"),
    ],
)
def test_errors_are_one_message_and_the_exit_code_is_1(
    results: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(results, *arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(message)


def test_with_several_benchmarks_one_must_be_named(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (results / "derived" / "another").mkdir()
    assert run(results, "hardest_items") == 1
    assert capsys.readouterr().err == "say which benchmark with --benchmark: there are another, small\n"


def test_nothing_built_says_how_to_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "hardest_items") == 1
    assert capsys.readouterr().err.endswith("holds none; snakemake tables builds them\n")
