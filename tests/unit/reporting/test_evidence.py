"""What the pages say of raters, plans, runs, ensembles, stability and checks, on data checked by hand."""

from __future__ import annotations

import re

import polars as pl
import pytest

from analysis.reporting.sections import (
    checks,
    ensembles,
    judges,
    missing,
    planning,
    quality,
    raters,
    reliability,
    runs,
    stability,
)
from tests.unit.reporting.conftest import Derive, grid
from tests.unit.reporting.test_sentences import words


def ratings(marks: dict[str, str], kinds: dict[str, str], model: str | None = None) -> pl.DataFrame:
    """Return ratings from one string per rater: 1 correct, 0 incorrect, space missing."""
    rows = [
        (model, f"i{j:03d}", rater, kinds[rater], "correct" if mark == "1" else "incorrect")
        for rater, string in marks.items()
        for j, mark in enumerate(string)
        if mark != " "
    ]
    names = dict.fromkeys(("model", "item_id", "rater", "rater_kind", "label"), pl.String)
    return pl.DataFrame(rows, schema=names, orient="row")


def test_two_raters_as_a_sentence(view_of: Derive) -> None:
    marks = {"h": "1" * 20 + "0" * 20, "j": "1" * 15 + "0" * 25}
    found = ratings(marks, {"h": "human", "j": "judge"}, "a")
    view = view_of(grid({"a": "10" * 20, "b": "1" * 40}), ratings=found)
    pairs = {(r["rater_a"], r["rater_b"]): words(raters.sentence(r)) for r in raters.pair_rows(view)}
    # 35 of 40 agree; chance 0.5 * 0.375 + 0.5 * 0.625 = 0.5, so kappa is 0.75.
    text = pairs["j", "h"]
    assert re.fullmatch(
        r"j agrees with h on 8[78](\.5)?% of 40 ratings; \u03ba 0.75 \(0\.\d\d to 0\.\d\d\)\.", text
    ), text
    page = words(raters.show(view))
    assert page.startswith("80 ratings by 1 human rater (h) and 1 judge (j) are known.")
    assert text in page


def test_one_category_throughout_has_no_kappa(view_of: Derive) -> None:
    found = ratings({"h": "1" * 10, "j": "1" * 10}, {"h": "human", "j": "judge"}, "a")
    view = view_of(grid({"a": "10" * 5}), ratings=found)
    row = next(r for r in raters.pair_rows(view) if (r["rater_a"], r["rater_b"]) == ("j", "h"))
    assert "both use one category throughout, so \u03ba is not defined." in words(raters.sentence(row))


@pytest.mark.parametrize(("yes", "named"), [("1" * 37 + "0", True), ("10" * 19, False)])
def test_ac1_is_named_where_one_category_prevails(view_of: Derive, yes: str, named: bool) -> None:
    found = ratings({"h": yes + "01", "j": yes + "10"}, {"h": "human", "j": "judge"}, "a")
    view = view_of(grid({"a": "10" * 20}), ratings=found)
    row = next(r for r in raters.pair_rows(view) if (r["rater_a"], r["rater_b"]) == ("j", "h"))
    assert ("One category prevails" in raters.sentence(row)) is named


def test_a_verdict_taken_from_a_rater_is_warned_of_and_left_out(view_of: Derive) -> None:
    marks = "10" * 15
    found = ratings({"h": marks, "j": "1100" * 7 + "11"}, {"h": "human", "j": "judge"}, "a")
    view = view_of(grid({"a": marks, "b": "1" * 30}), ratings=found)
    assert [words(w) for w in raters.warnings(view)] == [
        "The recorded verdict never differs from h: it was probably taken from that rater. Agreement of the "
        "verdict with that rater says nothing and is left out."
    ]
    pairs = {frozenset((r["rater_a"], r["rater_b"])) for r in raters.pair_rows(view)}
    assert pairs == {frozenset(("h", "j")), frozenset(("j", "verdict"))}


def test_many_pairs_are_summed_up_by_kind(view_of: Derive) -> None:
    marks = {f"j{i}": ("1" * (10 + 4 * i) + "0" * 40)[:40] for i in range(5)}
    view = view_of(grid({"a": "10" * 20}), ratings=ratings(marks, dict.fromkeys(marks, "judge")))
    texts = [words(t) for t in raters.summaries(raters.pair_rows(view))]
    assert len(texts) == 1
    assert texts[0].startswith("10 pairs of two judges: \u03ba runs from")
    assert "for j0 and j4 to" in texts[0]
    assert "All 5 raters together: Fleiss\u2019 \u03ba" in words(" ".join(reliability.together(view)))


def test_a_judge_that_is_never_wrong_is_worth_it(view_of: Derive) -> None:
    truth = "1101001011" * 20
    found = ratings({"h": truth[:50], "j": truth}, {"h": "human", "j": "judge"}, "a")
    view = view_of(grid({"a": "10" * 100, "b": "01" * 100}), ratings=found)
    text = words(judges.show(view))
    assert "j, on a: Worth it: the judge makes 50 human labels count as" in text
    assert "takes the responses that humans labelled as a random sample" in text


def test_a_single_human_rating_corrects_nothing(view_of: Derive) -> None:
    view = view_of(grid({"a": "10"}), ratings=ratings({"h": "1"}, {"h": "human"}, "a"))
    text = words(raters.show(view))
    assert text.startswith("1 rating by 1 human rater (h) is known.")
    assert "The recorded verdict, on a: Only 1 human label: too few to correct the recorded verdict." in text


def test_a_rater_asked_again_is_compared_with_itself(view_of: Derive) -> None:
    again = pl.concat(
        [
            ratings({"j": marks}, {"j": "judge"}, "a").with_columns(run=pl.lit(run, dtype=pl.Int64))
            for run, marks in enumerate(("1" * 10 + "0" * 10, "1" * 10 + "0" * 9 + "1"))
        ]
    )
    view = view_of(grid({"a": "10" * 10}), ratings=again)
    texts = [words(raters.sentence(r)) for r in raters.pair_rows(view)]
    assert any(text.startswith("j, asked again, agrees with itself on 95% of 20 ratings;") for text in texts)


def test_without_ratings_one_line_says_so(view_of: Derive) -> None:
    view = view_of(grid({"a": "10", "b": "01"}))
    assert words(raters.show(view)) == "There is no ratings.parquet."
    assert judges.show(view) == ""


def test_plans_name_the_items_that_a_difference_needs(view_of: Derive) -> None:
    view = view_of(grid({"a": "10" * 50, "b": "1100" * 25}))
    rows = view.results.rows("planning_items", track="all", metric="correct", difference=0.02)
    assert rows is not None
    text = words(planning.show(view))
    assert f"Two models 2 points apart need {rows['items_needed'][0]:,.0f} items; there are 100." in text
    least = view.results.rows("planning", track="all", metric="correct")
    assert least is not None
    assert f"if it is at least {100 * least['detectable'][0]:.1f} points." in text
    assert "80% (\u03b1 = 0.05, two-sided)" in text


def test_pairs_without_enough_items_are_counted(view_of: Derive) -> None:
    view = view_of(grid({"a": "110", "b": "100"}))
    assert "For the pair no difference could be found so surely: it shares too few items." in words(
        planning.show(view)
    )


def test_plans_for_a_single_model_say_why_not(view_of: Derive) -> None:
    assert words(planning.show(view_of(grid({"a": "10"})))) == (
        "There are no two models with common items, so nothing can be planned."
    )


def repeated(first: dict[str, str], second: dict[str, str]) -> pl.DataFrame:
    """Return verdicts of two runs."""
    return pl.concat(
        [grid(marks).with_columns(run=pl.lit(r, dtype=pl.Int64)) for r, marks in enumerate((first, second))]
    )


def test_runs_of_every_item(view_of: Derive) -> None:
    view = view_of(repeated({"a": "1100", "b": "1111"}, {"a": "1010", "b": "    "}))
    text = words(runs.show(view))
    assert text.startswith("In 2 runs a solves 75% (95% CI")
    assert "of the items at least once (pass@2) and 25% (95% CI" in text.replace("&#64;", "@")
    assert "against 50% in one run." in text


def test_runs_of_some_items_say_on_how_many(view_of: Derive) -> None:
    view = view_of(repeated({"a": "11001100"}, {"a": "1010    "}))
    assert "In 2 runs (on 4 of 8 items, those with 2 runs) a solves 75%" in words(runs.show(view))


def test_an_ensemble_here_and_elsewhere(view_of: Derive) -> None:
    view = view_of(grid({"a": "1" * 20 + "0" * 20, "b": "0" * 15 + "1" * 10 + "0" * 15, "c": "0" * 40}))
    rows = ensembles.chosen_rows(view, "ensembles")
    assert rows is not None
    assert rows["basis"][0] == "complete"
    fitted = rows.filter((pl.col("method") == "cross_fitted") & (pl.col("size") == 2))["share"][0]
    text = words(ensembles.show(view))
    assert re.search(rf"2 models cover 6[23](\.5)?% here, {100 * fitted:.0f}%? ?", text), text
    assert "A perfect choice among the answers of all 3 models solves 6" in text
    assert "the best single model, a, 50%" in text
    # Shapley: a solves 15 items alone and 5 with b, which is 17.5; b 5 alone and 5 with a, 7.5.
    assert "a contributes most: 17.5 items" in text


def test_few_items_of_all_models_are_not_preferred(view_of: Derive) -> None:
    view = view_of(grid({"a": "1" * 40, "b": "1" + " " * 39, "c": "0" * 40}))
    rows = ensembles.chosen_rows(view, "ensembles")
    assert rows is not None
    assert rows["basis"][0] == "answered"
    assert "what a model was not asked, it does not solve" in words(ensembles.show(view))


def test_one_model_has_no_ensemble(view_of: Derive) -> None:
    assert ensembles.show(view_of(grid({"a": "10"}))) == ""


def test_a_track_that_decides_who_leads(view_of: Derive) -> None:
    track = pl.when(pl.col("item_id") < "i004").then(pl.lit("<x>")).otherwise(pl.lit("y")).alias("track")
    view = view_of(grid({"a": "11110000", "b": "00000111"}).with_columns(track))
    text = words(stability.influence(view))
    assert "Without <x> the leader is b." in text
    assert "<x>" not in stability.influence(view)
    assert "The track that weighs most is <x>: without it 2 models change rank" in text


def test_no_part_to_leave_out(view_of: Derive) -> None:
    assert words(stability.influence(view_of(grid({"a": "10", "b": "01"})))) == (
        "There is one track and no declared cluster, so no part can be left out."
    )


def test_quiet_policies_are_named_together(view_of: Derive) -> None:
    text = words(missing.show(view_of(grid({"a": "111x", "b": "1000"}))))
    assert text.startswith(
        "The policy in force is exclude: each model's own cells. Against the policy in force"
    )
    assert "no rank changes under excluded_as_failure, unscored_as_failure, failure" in text


def test_a_policy_does_not_hide_the_cells_that_it_leaves_out(view_of: Derive) -> None:
    view = view_of(grid({"a": "11xx10", "b": "1110 1"}), {"missing": "common_items"})
    text = words(missing.show(view))
    assert text.startswith("The policy in force is common_items")
    assert "a scored cell for every item" not in text + words(quality.show(view))


def test_nothing_solved_is_no_ensemble(view_of: Derive) -> None:
    assert ensembles.show(view_of(grid({"a": "0000", "b": "0000"}))) == ""


def test_checks_put_attention_first(view_of: Derive) -> None:
    view = view_of(grid({"<a>": "111 ", "b": "10xx"}))
    shown = checks.show(view)
    text = words(shown)
    assert re.search(r"The data went through \d+ checks: \d+ needs? attention, \d+ left a note", text)
    listed = shown[: shown.index("<details")]
    assert 0 < listed.index('bad">attention') < listed.rindex('tag">note')
    assert listed.rindex('bad">attention') < listed.index('tag">note')
    assert "1 of 8 cells (model and item): no row at all" in text
    assert "Checked and found in order" in text
    assert "<a>" not in shown
    table = view.results.table("data_quality")
    assert table is not None
    for note in table["note"]:
        assert note in text
