"""What the report says of consultations: numbers of the tables, no names as markup, limits of the data."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.config import Config
from analysis.derived import derive, read_derived, read_state, write_benchmark
from analysis.figures import FIGURES, LIGHT, Absent
from analysis.ingest.benchmark import read_benchmark
from analysis.reporting.items.panels import rubric
from analysis.reporting.items.view import ItemView
from analysis.reporting.results import Results
from analysis.reporting.sections import consultation
from analysis.reporting.view import View
from tests.unit.consultation.conftest import CRITERIA, RATINGS, Write, rate

Open = Callable[..., View]


@pytest.fixture
def open_view(write: Write, tmp_path: Path) -> Open:
    """Return a function that derives the tables of a small benchmark and opens its page."""

    def build(**changes: Any) -> View:
        folder = tmp_path / "results" / "derived" / "bench"
        write_benchmark(read_benchmark(write(**changes)), folder, Config())
        derive("score_consultations", folder)
        return View(Results.open("bench", tmp_path / "results"))

    return build


def words(markdown: str) -> str:
    """Return the text of a page's part, without markup."""
    apart = re.sub(r"</(td|th|p)>", " ", markdown)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", apart)).split())


def test_sentences_name_leader_errors_formula_and_limits(open_view: Open) -> None:
    text = words(consultation.show(open_view()))
    assert (
        "By the labels of judge on 3 questions, a scores highest, 68.9 (95% CI 50.0 to 78.3) of 100" in text
    )
    assert "; b has 25.0." in text
    assert "Where each of the 2 cases counts once, the same model leads with 64.2" in text
    assert "at least one major error in 33.3% (a) to 50.0% (b)" in text
    assert "(by kind: core 2, evidence 1 and conditional 1; criteria may carry weights of their own)" in text
    assert "less points for each triggered error (major 10 and minor 2), kept within 0 and 100" in text
    assert "1 model lacks a scored answer to some questions (at most 1, b)" in text
    assert "No interval can be computed for rare and urgent: one case says nothing about others" in text
    assert "Intervals of plan rest on fewer than 5 cases and are rough" in text


def test_the_formula_is_the_card_s(open_view: Open) -> None:
    card = (
        "consultation: {requirements: {core: 3, evidence: 1, conditional: 1}, "
        "errors: {major: 40, minor: 0}, deduct: once}\n"
    )
    text = words(consultation.show(open_view(card=card)))
    assert "core 3, evidence 1 and conditional 1" in text
    assert "less points for the dearest triggered error of each kind (major 40 and minor 0)" in text
    # Without a cluster there are no cases to speak of.
    assert "cases counts once" not in text


def test_a_rater_who_is_a_model_is_named(open_view: Open) -> None:
    ratings = [{**row, "rater": "a"} for row in RATINGS]
    assert "a is one of the models" in words(consultation.show(open_view(ratings=ratings)))
    assert "is one of the models" not in words(consultation.show(open_view()))


def test_other_raters_have_a_table(open_view: Open) -> None:
    ratings = [*RATINGS, *rate("a", "q2", "nn", rater="nurse")]
    text = words(consultation.show(open_view(ratings=ratings)))
    assert "By the labels of judge" in text
    assert "Scores by the labels of other raters" in text
    assert "nurse" in text


def test_names_are_never_markup(open_view: Open) -> None:
    evil = "<script>alert(1)</script>"
    ratings = [
        {**row, "model": evil if row["model"] == "a" else row["model"], "rater": evil} for row in RATINGS
    ]
    items = [{"item_id": q, "tags": [evil, "$x$ `y` {{< z >}}"]} for q in ("q1", "q2", "q3")]
    page = consultation.show(open_view(ratings=ratings, items=items, card=""))
    assert "<script" not in page
    assert "{{<" not in page
    assert "alert(1)" in words(page)


def test_without_a_rubric_the_reason_stands(tmp_path: Path) -> None:
    folder, raw = tmp_path / "results" / "derived" / "bench", tmp_path / "raw" / "bench"
    raw.mkdir(parents=True)
    pl.DataFrame({"model": ["a"], "item_id": ["q1"], "correct": [True]}).write_parquet(
        raw / "verdicts.parquet"
    )
    write_benchmark(read_benchmark(raw), folder, Config())
    text = words(consultation.show(View(Results.open("bench", tmp_path / "results"))))
    assert "There is no criteria.parquet with a ratings.parquet beside it." in text
    assert "A score is" not in text


def test_the_figure_says_what_it_shows(open_view: Open) -> None:
    view = open_view()
    folder = view.results.folder
    tables, card = read_derived(folder), read_state(folder)[1]
    figure = FIGURES["consultation"]
    assert not isinstance(figure.attempt(tables, card, LIGHT), Absent)
    assert "a leads with 68.9 of 100 over all questions" in re.sub(
        "[\u2068\u2069]", "", figure.caption(tables, card)
    )
    assert "3 tags" in figure.alt_text(tables, card)


def test_the_card_keeps_its_order_through_the_derived_folder(open_view: Open) -> None:
    card = "consultation: {requirements: {core: 1, evidence: 1, conditional: 1, a kind: 2}}\n"
    view = open_view(card=card)
    assert list(view.results.card.consultation.requirements) == ["core", "evidence", "conditional", "a kind"]
    assert list(read_state(view.results.folder)[1].consultation.errors) == ["major", "minor"]


def test_endpoints_may_use_those_declared_before_them_whatever_their_names(open_view: Open) -> None:
    endpoints = "{z: {all_of: [care]}, strict: {all_of: [z, image]}}"
    card = f"cluster: cluster_id\nepisodes: {{endpoints: {endpoints}}}\n"
    items = [
        {"item_id": "q1", "cluster_id": "c1", "component": "care"},
        {"item_id": "q2", "cluster_id": "c1", "component": "image"},
        {"item_id": "q3", "cluster_id": "c2", "component": "care"},
    ]
    view = open_view(card=card, items=items)
    assert list(read_state(view.results.folder)[1].episodes.endpoints) == ["z", "strict"]


def test_the_page_of_a_question_shows_its_rubric(open_view: Open) -> None:
    criteria = [{**row, "text": "<b>Names</b> the drug"} for row in CRITERIA]
    view = ItemView(open_view(criteria=criteria), frozenset({"q1", "q2"}))
    page = rubric.PANEL.show(view, "q1")
    assert "<b>Names" not in page
    text = words(page)
    # The core criterion is met by a and not by b; the conditional one does not apply to a.
    assert "1 <b>Names</b> the drug core 2 1 of 2" in text
    assert "3 <b>Names</b> the drug conditional 1 1 of 1" in text
    assert "4 <b>Names</b> the drug major error \u221210 1 of 2" in text
    assert "a judge 1 of 2 1 10.0 56.7" in text
    assert rubric.PANEL.show(view, "q9") == ""
