"""Every number that the paper prints against the ordinary tables, one test each."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analysis.config import Config
from analysis.demo.npcbench.printed import printed_tables, prints_as
from analysis.demo.npcbench.statements import (
    DerivedTables,
    Statement,
    compare,
    limits_as_markdown,
    main,
    statements,
)
from analysis.derived import derive, write_benchmark
from analysis.ingest.benchmark import read_benchmark

LIMITS = 0.1
"""How far our bootstrap limits may lie from the paper's, in widths of its interval."""

HELD = [s for s in statements() if not s.gives_way and not s.reading.ours]


@pytest.fixture(scope="module")
def tables(npcbench: Path) -> DerivedTables:
    return DerivedTables(npcbench)


@pytest.mark.parametrize("statement", HELD, ids=lambda s: s.name)
def test_statement_is_met(statement: Statement, tables: DerivedTables) -> None:
    value = statement.measure(tables)
    assert prints_as(value, statement.printed), f"printed {statement.printed}, measured {value}"


@pytest.mark.parametrize("statement", [s for s in statements() if s.gives_way], ids=lambda s: s.name)
def test_statement_that_gives_way_is_not_met_and_holds_as_recorded(
    statement: Statement, tables: DerivedTables
) -> None:
    value = statement.measure(tables)
    assert not prints_as(value, statement.printed), "it is met: nothing should be said to give way"
    assert prints_as(value, statement.instead), f"recorded {statement.instead}, measured {value}"


@pytest.mark.parametrize("statement", [s for s in statements() if s.reading.ours], ids=lambda s: s.name)
def test_bootstrap_limits_are_near_the_printed_ones(statement: Statement, tables: DerivedTables) -> None:
    table = next(t for t in printed_tables().values() if t.place == statement.place)
    width = table.value(statement.row, "high") - table.value(statement.row, "low")
    assert statement.measure(tables) == pytest.approx(float(statement.printed), abs=LIMITS * width)


def test_every_printed_number_has_a_statement() -> None:
    tables = printed_tables().values()
    n = sum(len(t.columns) * len(t.rows) + len(t.totals) for t in tables)
    assert len(statements()) == n
    assert len({s.name for s in statements()}) == n
    assert len(HELD) > 0.9 * n


def test_the_derived_folder_says_the_same(
    npcbench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "derived" / "npcbench"
    write_benchmark(read_benchmark(npcbench), folder, Config())
    for rule in (
        "score_models",
        "join_episodes",
        "score_endpoints",
        "compare_conditions",
        "audit_judges",
        "score_consultations",
    ):
        derive(rule, folder)
    assert main([str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.count("gives way:") == sum(bool(s.gives_way) for s in statements())
    assert "FAILS" not in out


def test_the_page_shows_the_limits_as_they_are(npcbench: Path, root: Path) -> None:
    page = (root / "docs" / "npcbench.md").read_text(encoding="utf-8")
    table = compare(npcbench)
    assert limits_as_markdown(table) in page
    held = table.filter(~pl.col("ours"))
    counts = f"Of {table.height} numbers {held.height} are counts and point values"
    assert f"{counts}, and {held['met'].sum()} of them hold." in " ".join(page.split())
