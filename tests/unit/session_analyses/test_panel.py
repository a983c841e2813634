"""The panel of a case on its page: every session with it, turn by turn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.reporting.items.panels.sessions import show
from analysis.reporting.items.view import ItemView
from analysis.reporting.results import Results
from analysis.reporting.view import View
from tests.unit.session_analyses.conftest import Made


@pytest.fixture(scope="module")
def view(made: Made, tmp_path_factory: pytest.TempPathFactory) -> ItemView:
    results: Path = tmp_path_factory.mktemp("panel")
    (results / "derived").mkdir()
    (results / "derived" / "medconsult").symlink_to(made.folder)
    return ItemView(View(Results.open("medconsult", results)), frozenset({"case-007", "case-008"}))


def test_a_case_shows_every_session_with_its_turns(made: Made, view: ItemView) -> None:
    html = show(view, "case-007")
    heads = re.findall(r'scope="rowgroup">(.*?)</th>', html)
    assert len(heads) == 10
    assert sum("no diagnosis" in head for head in heads) == 1
    turns = made.simulation.tables["turns"]
    n = turns.filter(turns["case_id"] == "case-007").height
    assert html.count('<tr><td class="num">') == n
    case = next(c for c in made.simulation.cases if c.case_id == "case-007")
    needed = [unit.text for u, unit in case.units.items() if case.mni_of[u]]
    assert all(text in html for text in needed)


def test_values_of_the_primary_metrics_stand_beside_the_name(made: Made, view: ItemView) -> None:
    metrics = made.table("session_metrics")
    own = metrics.filter(
        metrics["model"] == "dogwood", metrics["case_id"] == "case-008", metrics["metric"] == "mni_comp"
    )
    head = next(
        h for h in re.findall(r'scope="rowgroup">(.*?)</th>', show(view, "case-008")) if "Dogwood" in h
    )
    assert f"mni_comp\u00a0{own['value'][0]:.2f}" in head


def test_a_case_that_nobody_consulted_shows_nothing(view: ItemView) -> None:
    assert show(view, "no such case") == ""
