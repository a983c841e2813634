"""What a page learns from its environment, and what it does without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import VerdictAtlasError
from analysis.reporting.environment import (
    BENCHMARK,
    LINKS,
    RESULTS,
    links,
    named_benchmarks,
    reports_folder,
    results_folder,
)
from analysis.reporting.results import CARD_FILE, METADATA_KEY
from analysis.reporting.view import open_view
from tests.unit.reporting.conftest import derive_all, grid


def test_without_a_name_a_report_shows_the_first_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    derive_all(tmp_path, "second", grid({"a": "1"}))
    results = derive_all(tmp_path, "first", grid({"a": "1"}))
    monkeypatch.delenv(BENCHMARK, raising=False)
    monkeypatch.delenv(LINKS, raising=False)
    monkeypatch.setenv(RESULTS, str(results))
    assert named_benchmarks(results) == ["first", "second"]
    view = open_view()
    assert view.results.benchmark == "first"
    page = reports_folder() / "_site"
    assert (page / view.tables_link / "model_scores.parquet").resolve().is_file()
    monkeypatch.setenv(BENCHMARK, "second")
    monkeypatch.setenv(LINKS, "site")
    assert (open_view().results.benchmark, open_view().figures_link) == ("second", "figures")


def test_the_results_lie_beside_the_pages_unless_told(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.delenv(RESULTS, raising=False)
    assert results_folder() == root / "results"
    monkeypatch.delenv(LINKS, raising=False)
    assert links(root / "results", "b") == (
        "../../results/figures/b",
        "../../results/derived/b",
        "../../results/site/b/",
    )


def test_nothing_derived_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BENCHMARK, raising=False)
    with pytest.raises(
        VerdictAtlasError, match=r"^there are no derived tables in .*; snakemake tables makes them$"
    ):
        named_benchmarks(tmp_path)


def test_the_light_reader_agrees_with_the_store() -> None:
    from analysis import derived, store

    assert (METADATA_KEY, CARD_FILE) == (store.METADATA_KEY, derived.CARD_FILE)
