"""Statements of a publication beside what is measured, and the summary of each track."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analysis.errors import DataError
from analysis.ingest.benchmark import read_benchmark
from analysis.reporting.sections import published, tracks
from tests.unit.reporting.conftest import Derive, grid
from tests.unit.reporting.test_behaviour import cells
from tests.unit.reporting.test_sentences import words

STATEMENTS = pl.DataFrame(
    {
        "place": ["3.1", "3.1", "Table <2>"],
        "says": ["n", "a leads", "<b>share</b>"],
        "printed": ["4", "yes", "66.4 %"],
        "measured": [4.0, 1.0, 0.75],
        "met": [True, True, False],
        "reason": [None, None, "the counts say otherwise"],
    }
)


def test_statements_stand_beside_what_is_measured(view_of: Derive) -> None:
    page = published.show(view_of(grid({"a": "1110", "b": "1000"}), statements=STATEMENTS))
    assert "2 of 3 printed values hold here, to the precision of the print; 1 does not" in words(page)
    assert "66.4 % 75.00 % the counts say otherwise" in cells(page)
    assert "a leads yes yes" in cells(page)
    assert "<b>share" not in page


def test_no_statements_no_section(view_of: Derive) -> None:
    assert published.show(view_of(grid({"a": "10"}))) == ""


@pytest.mark.parametrize(
    ("column", "change", "message"),
    [
        ("met", pl.Series([True, None, False]), "is neither true nor false"),
        ("measured", pl.Series(["a", "b", "c"]), "measured"),
    ],
)
def test_bad_statements_are_refused(tmp_path: Path, column: str, change: pl.Series, message: str) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    grid({"a": "10"}).write_parquet(folder / "verdicts.parquet")
    STATEMENTS.with_columns(change.alias(column)).write_parquet(folder / "statements.parquet")
    with pytest.raises(DataError, match=message):
        read_benchmark(folder)
    STATEMENTS.drop("printed").write_parquet(folder / "statements.parquet")
    with pytest.raises(DataError, match=r"statements\.parquet, column 'printed': is missing"):
        read_benchmark(folder)


def test_each_track_has_its_leader_tiers_and_boundary(view_of: Derive) -> None:
    items = pl.DataFrame({"item_id": [f"i{i:03d}" for i in range(80)], "track": ["x"] * 40 + ["<y>"] * 40})
    marks = {"a": "1" * 36 + "0" * 44, "b": "0" * 40 + "1" * 40}
    page = tracks.show(view_of(grid(marks), items=items))
    text = words(page)
    assert "x (40 items): a scores highest, 90%" in text
    assert "2 tiers: a (p < 0.001 against the next); b." in text
    assert "Together the models solve 90.0% of the items; none solves 4 of 40 (10.0%)." in text
    assert "Together the models solve all 40 items." in text
    assert "<y>" not in page
