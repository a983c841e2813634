"""Every statement of the paper against the written files, one test each, by code that knows no solver."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.demo.odbb.measures import Record
from analysis.demo.odbb.statements import Statement, compare, main, meets, statements


@pytest.fixture(scope="module")
def record(odbb: Path) -> Record:
    return Record(odbb)


@pytest.mark.parametrize("statement", [s for s in statements() if not s.gives_way], ids=lambda s: s.name)
def test_statement_is_met(statement: Statement, record: Record) -> None:
    value = statement.value(record)
    assert meets(value, statement.printed), f"{statement.says}: printed {statement.printed}, measured {value}"


@pytest.mark.parametrize("statement", [s for s in statements() if s.gives_way], ids=lambda s: s.name)
def test_statement_that_gives_way_is_not_met_and_holds_as_recorded(
    statement: Statement, record: Record
) -> None:
    value = statement.value(record)
    assert not meets(value, statement.printed), "it is met: the table should not say that it gives way"
    assert meets(value, statement.instead), f"recorded {statement.instead}, measured {value}"


def test_the_comparison_counts_what_gives_way(odbb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = compare(odbb)
    assert table["as_recorded"].all()
    n_giving_way = sum(bool(s.gives_way) for s in statements())
    assert (~table["met"]).sum() == n_giving_way > 0
    assert main([str(odbb)]) == 0
    out = capsys.readouterr().out
    assert out.count("gives way:") == n_giving_way
    assert "FAILS" not in out
