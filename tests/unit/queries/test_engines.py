"""Both engines give the same rows in the same order, on the demonstration and on real data sets."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.config import read_config
from analysis.demo.simulate import write_demo
from analysis.derived import RULES, derive, write_benchmark
from analysis.errors import VerdictAtlasError
from analysis.ingest.benchmark import read_benchmark
from analysis.queries import find_query, list_queries, run_query
from analysis.queries.run import Engine

NAMES = [q.name for q in list_queries()]
REAL = ("helm_safety", "jailbreakbench", "llmdrift", "pandalm", "tau_trials", "xsum_halluc")


def build(raw: Path, derived: Path, rules: list[str]) -> None:
    write_benchmark(read_benchmark(raw), derived, read_config())
    for rule in rules:
        derive(rule, derived)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Derived tables of the demonstration."""
    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder / "raw" / "demo")
    build(folder / "raw" / "demo", folder / "derived" / "demo", list(RULES))
    return folder / "derived" / "demo"


@pytest.mark.parametrize("name", NAMES)
def test_engines_agree_on_the_demonstration(name: str, demo: Path) -> None:
    first, second = (run_query(find_query(name), demo, engine=e) for e in ("duckdb", "polars"))
    assert_frame_equal(first, second, check_exact=True)
    # The demonstration answers every question.
    assert first.height > 0


def test_rows_come_in_one_order_only(demo: Path, tmp_path: Path) -> None:
    # Tables in reverse order: a query whose ORDER BY leaves ties would now give other rows.
    folder = tmp_path / "demo"
    folder.mkdir()
    for path in demo.glob("*.parquet"):
        pl.read_parquet(path).reverse().write_parquet(folder / path.name)
    for name in NAMES:
        for engine in ("duckdb", "polars"):
            found = run_query(find_query(name), folder, engine=engine)
            assert_frame_equal(found, run_query(find_query(name), demo, engine=engine), check_exact=True)


@pytest.mark.parametrize("benchmark", REAL)
def test_engines_agree_on_real_data(benchmark: str, data_dir: Path, tmp_path: Path) -> None:
    derived = tmp_path / benchmark
    build(data_dir / benchmark, derived, [r for r in RULES if r != "cover_items"])
    outcomes = []
    for name in NAMES:
        first, second = (outcome(name, derived, engine) for engine in ("duckdb", "polars"))
        if isinstance(first, pl.DataFrame) and isinstance(second, pl.DataFrame):
            assert_frame_equal(first, second, check_exact=True)
        else:
            assert first == second
        outcomes.append(first)
    assert sum(isinstance(found, pl.DataFrame) for found in outcomes) >= 14


def outcome(name: str, derived: Path, engine: Engine) -> pl.DataFrame | str:
    """Return the rows, or what is said where the benchmark lacks a table."""
    try:
        return run_query(find_query(name), derived, engine=engine)
    except VerdictAtlasError as error:
        return str(error)
