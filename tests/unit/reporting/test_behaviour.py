"""What the pages say of flags, versions, other rankings, thresholds, groups and labels, checked by hand."""

from __future__ import annotations

import html
import re

import polars as pl
import pytest

from analysis.reporting.sections import (
    clusters,
    decisive,
    flags,
    rank_shifts,
    rated_labels,
    specialties,
    thresholds,
    unsolved,
    versions,
)
from tests.unit.reporting.conftest import Derive, grid
from tests.unit.reporting.test_evidence import ratings
from tests.unit.reporting.test_sentences import words


def cells(page: str) -> str:
    """Return everything on a page as one line of text, tables included."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


MARKS = {"a": "1100" * 10, "b": "1000" * 10, "c": "1100" * 5 + "0011" * 5}


def flagged(every: int, name: str) -> pl.DataFrame:
    """Return the verdicts of `MARKS`, every so many items of a flagged with a name."""
    frame = grid(MARKS)
    number = pl.col("item_id").str.extract(r"(\d+)").cast(pl.Int64)
    on = (pl.col("model") == "a") & (number % every == 0)
    return frame.with_columns(
        pl.when(on).then(pl.lit([name])).otherwise(pl.lit([], pl.List(pl.String))).alias("flags")
    )


def test_flags_without_success_are_counted_by_model(view_of: Derive) -> None:
    view = view_of(flagged(3, "<b>knows"))
    page = flags.show(view)
    # Fourteen items of a are flagged; it fails on those that leave 2 or 3 by four: 3, 6, 15, 18, 27, 30, 39.
    assert "<b>knows" not in page
    assert "&lt;b&gt;knows" in page
    assert "stands without success on 0.0% (c) to 17.5% (a) of the items." in words(page)
    assert "a 40 14 7 17.5" in cells(page)


def test_no_flags_is_said(view_of: Derive) -> None:
    assert "No response is flagged." in words(flags.show(view_of(grid(MARKS))))


def test_versions_of_a_family_name_what_changed(view_of: Derive) -> None:
    models = pl.DataFrame(
        {"model": ["a", "b", "c"], "family": ["f", "f", None], "released": ["2024-01-01", "2025-01-01", None]}
    )
    view = view_of(grid(MARKS), models=models)
    page = words(versions.show(view))
    assert "From a to b, on 40 common items, " in page
    assert "verdict correct goes from 20 to 10, 0.50 times" in page
    assert "From a to c" not in page


def test_without_families_there_are_no_versions(view_of: Derive) -> None:
    page = words(versions.show(view_of(grid(MARKS))))
    assert "No two models with verdicts are of one family." in page


def test_ranks_in_two_tracks(view_of: Derive) -> None:
    items = pl.DataFrame({"item_id": [f"i{i:03d}" for i in range(40)], "track": ["x"] * 20 + ["y"] * 20})
    most, few = "1" * 18 + "00", "0" * 18 + "11"
    view = view_of(grid({"a": most + few, "b": few + most}), items=items)
    page = words(rank_shifts.show(view))
    assert "From correct in x to correct in y, 2 of 2 models change rank; a goes from 1 to 2." in page
    assert "Beyond chance are the shifts of a and b." in page


def test_no_model_changes_rank(view_of: Derive) -> None:
    items = pl.DataFrame({"item_id": [f"i{i:03d}" for i in range(40)], "track": ["x"] * 20 + ["y"] * 20})
    view = view_of(grid({"a": "10" * 20, "b": "0" * 40}), items=items)
    assert "no model changes rank." in words(rank_shifts.show(view))


def scored(values: dict[str, list[float]]) -> pl.DataFrame:
    rows = [(m, f"i{j:03d}", v) for m, own in values.items() for j, v in enumerate(own)]
    return pl.DataFrame(
        rows, schema={"model": pl.String, "item_id": pl.String, "score": pl.Float64}, orient="row"
    )


def test_the_leader_by_threshold_stretch_by_stretch(view_of: Derive) -> None:
    view = view_of(scored({"a": [0.6] * 10, "b": [0.3] * 5 + [1.0] * 5}))
    page = words(thresholds.show(view))
    # Up to 0.30 both have every cell above, and the first by name leads; up to 0.60 only a has.
    assert "The leader depends on where score is cut: a from 0.05 to 0.60; b from 0.65 to 1.00." in page


def test_graded_scores_of_unsolved_items(view_of: Derive) -> None:
    view = view_of(scored({"a": [0.0, 0.5, 1.0, 0.2], "b": [0.1, 0.0, 1.0, 0.0]}))
    page = words(unsolved.show(view))
    # Three items are unsolved; their six cells sum to 0.8 and three of them are 0.
    assert "On the 3 items that no model solves the mean of score is 0.13, the median 0.05;" in page
    assert "50.0% of its 6 cells" in page


def test_groups_of_models_join_level_by_level(view_of: Derive) -> None:
    page = cells(clusters.show(view_of(grid({"a": "1" * 20, "b": "1" * 18 + "00", "c": "0" * 20}))))
    assert "90.0 a + b 2" in page
    assert "0.0 a and b + c 3" in page


def test_specialties_name_where_a_model_leads(view_of: Derive) -> None:
    items = pl.DataFrame(
        {"item_id": [f"i{i:03d}" for i in range(40)], "question_type": ["<x>"] * 20 + ["y"] * 20}
    )
    page = specialties.show(view_of(grid({"a": "1" * 20 + "0" * 20, "b": "0" * 20 + "1" * 20}), items=items))
    assert "&lt;x&gt; (20 items)" in page.replace("</bdi>", "").replace("<bdi>", "")
    assert "<x>" not in page


def test_labels_of_raters_and_agreement_by_class(view_of: Derive) -> None:
    marks = {"h": "1" * 20 + "0" * 20, "j": "1" * 15 + "0" * 25}
    view = view_of(grid({"a": "10" * 20}), ratings=ratings(marks, {"h": "human", "j": "judge"}, "a"))
    page = cells(rated_labels.show(view))
    assert "correct h j 15 20 75" in page
    assert "incorrect h j 20 20 100" in page


@pytest.mark.parametrize("hard", [True, False])
def test_outcomes_of_decisive_responses(view_of: Derive, hard: bool) -> None:
    frame = grid(MARKS).with_columns(
        decision=pl.when(pl.col("verdict") == "correct").then(pl.lit("stop")).otherwise(pl.lit("go")),
        labels=pl.when(pl.col("verdict") == "correct")
        .then(pl.lit([], pl.List(pl.String)))
        .otherwise(pl.lit(["harm"])),
    )
    card = {"decisions": {"decisive": ["go"]}, "labels": {"harm": {"hard": hard}}}
    page = cells(decisive.show(view_of(frame, card=card)))
    # Whoever goes ahead is wrong here, and whoever stops is right.
    assert ("Of decisive ones, %" in page) is hard
    assert ("b 40 75.0 75.0 100.0" if hard else "b 40 75.0 0.0 100.0") in page


def test_nothing_to_show_is_nothing_on_the_page(view_of: Derive) -> None:
    view = view_of(grid({"a": "1100", "b": "1000"}))
    for section in (unsolved, clusters, rated_labels, decisive, specialties, thresholds):
        assert section.show(view) == ""
