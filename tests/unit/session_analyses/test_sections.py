"""What the page says of the simulated consultations is what the tables hold."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from analysis.reporting.results import Results
from analysis.reporting.sections import (
    hidden_errors,
    replay,
    session_judges,
    session_metrics,
    sessions,
    variants,
)
from analysis.reporting.view import View
from tests.unit.session_analyses.conftest import Made


@pytest.fixture(scope="module")
def view(made: Made, tmp_path_factory: pytest.TempPathFactory) -> View:
    results: Path = tmp_path_factory.mktemp("page")
    (results / "derived").mkdir()
    (results / "derived" / "medconsult").symlink_to(made.folder)
    return View(Results.open("medconsult", results))


def plain(html: str) -> str:
    """Return the words of a piece of a page."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).replace("\u00a0", " ").split())


def test_who_consulted_whom(view: View) -> None:
    text = plain(sessions.who_and_what(view))
    assert text.startswith("1,600 sessions of 6 models, 3 baselines and 1 reference with 160 cases, ")
    assert "In 160 sessions no diagnosis was made." in text


def test_shares_of_draws_that_keep_the_order(made: Made, view: View) -> None:
    text = plain(sessions.order(view))
    assert "By the composite Alder (thinking) is first of 6 models." in text
    of = {r["source"]: r for r in made.table("composite_orders").iter_rows(named=True)}
    changed = 1 - of["weights"]["p_same_order"]
    assert f"it is first in {100 * of['weights']['p_same_first']:.0f}% of the draws" in text
    assert f"The whole order changes in {100 * changed:.0f}% of the weights" in text


def test_the_composite_stands_beside_its_stages(view: View) -> None:
    text = sessions.stages(view)
    heads = [plain(h) for h in re.findall(r"<th [^>]*scope=\"col\"[^>]*>(.*?)</th>", text, re.S)]
    assert heads[-6:] == [
        *("History taking", "Diagnosis", "Treatment", "Follow-up", "Composite", "Stages alike"),
    ]


def test_metrics_that_cannot_tell_a_refusal(made: Made, view: View) -> None:
    text = plain(session_metrics.validity(view))
    rows = made.table("metric_validity").filter(pl.col("tier") == "primary", pl.col("role") == "baseline")
    good = rows.group_by("metric").agg(pl.col("as_wished").all()).filter("as_wished").height
    assert f"{good} of 12 primary metrics rank every model above every baseline." in text
    assert "CPRw ↓, PSC ↑, DDIV ↓ and PCR ↓ do not: Refusal (baseline) is better than some model" in text
    assert "(baseline) (baseline)" not in text


def test_the_drop_and_its_parts(made: Made, view: View) -> None:
    text = plain(hidden_errors.show(view))
    rows = made.table("hidden_indicators").filter(pl.col("model") == "alder-think")
    own = dict(rows.select("quantity", "estimate").iter_rows())
    assert f"Alder (thinking) earns {own['static']:.2f}; once the way to it counts as well, " in text
    assert f"Of the drop of {own['drop']:.2f}, {own['drop_history']:.2f} is due to history, " in text


def test_agreement_of_judges_with_humans(made: Made, view: View) -> None:
    text = plain(session_judges.show(view))
    rows = made.table("judge_reliability").filter(
        pl.col("comparison") == "judge_human", pl.col("unit") == "judgement"
    )
    graded = rows.filter(pl.col("statistic") == "kappa_quadratic")
    binary = rows.filter(pl.col("statistic") == "kappa", ~pl.col("metric").is_in(graded["metric"].to_list()))
    values = sorted([*graded["estimate"], *binary["estimate"]])
    assert f"between κ = {values[0]:.2f} (DRSS) and {values[-1]:.2f} (PSC)" in text


def test_metrics_on_which_thinking_helps(made: Made, view: View) -> None:
    text = plain(variants.show(view))
    rows = made.table("paired_factors").filter(
        pl.col("base_model") == "all", pl.col("tier") == "primary", pl.col("p_holm") < 0.05
    )
    assert f"the thinking variant is better on {rows.filter(pl.col('advantage') > 0).height} of 12" in text
    assert "and worse on none" in text


def test_every_example_is_replayed(made: Made, view: View) -> None:
    html = replay.show(view)
    assert html.count("<details") == made.table("replayed_sessions").height == 6
    turns = made.table("replayed_turns")
    first = made.table("replayed_sessions").filter(pl.col("number") == 1)
    own = turns.filter(pl.col("case_id") == first["case_id"][0], pl.col("model") == first["model"][0])
    opened = plain(html.split("<details")[1])
    for row in own.iter_rows(named=True):
        assert f"{row['turn']}. {row['question']}" in opened
        assert all(unit in opened for unit in row["necessary"])
