"""The page on sessions names every file and column that is read, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.ingest.benchmark import read_benchmark
from analysis.ingest.session_contract import COLUMNS, known_columns
from analysis.schemas.sessions import FILES, JUDGED, SESSION_TABLES
from analysis.sessions.definitions import METRICS
from analysis.sessions.measure import measure_sessions


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "sessions.md").read_text(encoding="utf-8")


def test_columns_are_those_of_the_schemas() -> None:
    assert {t: [c.name for c in columns] for t, columns in COLUMNS.items()} == {
        t: list(schema.columns()) for t, schema in SESSION_TABLES.items()
    }


@pytest.mark.parametrize("table", COLUMNS)
def test_every_column_of_a_file_is_documented(page: str, table: str) -> None:
    row = re.search(rf"^\| `{FILES[table]}` \|(.*)$", page, re.M)
    assert row is not None
    named = set(re.findall(r"[a-z_]+", row.group(1)))
    assert set(known_columns(table)) <= named


def test_every_judged_metric_is_documented(page: str) -> None:
    assert all(f"`{metric}`" in page for metric in JUDGED)


def test_every_metric_stands_among_the_decisions_or_the_definitions(root: Path) -> None:
    text = (root / "docs" / "medconsult-decisions.md").read_text(encoding="utf-8")
    forms = [m.name for m in METRICS if m.form_of]
    assert [name for name in forms if f"`{name}`" not in text] == []


def test_the_example_builds_a_benchmark(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.search(r"```python\n(.*?)```", page, re.S)
    assert code is not None
    (tmp_path / "results" / "raw" / "mine" / "sessions").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    exec(code.group(1), {})
    benchmark = read_benchmark(tmp_path / "results" / "raw" / "mine")
    assert benchmark.verdicts["correct"].to_list() == [True]
    _, values = measure_sessions(benchmark.sessions, tau=0.9)
    assert (values["hit_1"][0], values["f1_core"][0]) == (1.0, pytest.approx(2 / 3))
