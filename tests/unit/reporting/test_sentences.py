"""What the reports say, on benchmarks small enough to check by hand."""

from __future__ import annotations

import html
import re

import polars as pl
import pytest

from analysis.reporting.sections import (
    boundary,
    comparisons,
    concordance,
    cost,
    failures,
    headline,
    hero,
    missing,
    provenance,
    quality,
    scores,
    strata,
)
from tests.unit.reporting.conftest import Derive, grid


def words(markup: str) -> str:
    """Return the text that a reader sees, without tables."""
    markup = re.sub(r"<table.*?</table>", "", markup, flags=re.S)
    text = html.unescape(re.sub(r"<[^>]+>", "", markup))
    return " ".join(text.replace("```{=html}", "").replace("```", "").split())


def test_a_clear_leader(view_of: Derive) -> None:
    view = view_of(grid({"a": "1" * 40, "b": "0" * 30 + "1" * 10}))
    lead, more = headline.leader(view) or ("", "")
    assert words(lead) == "a leads, ahead of the other model."
    assert words(more).startswith("a scores 100% (95% CI 91 to 100, 40 items). Against b, the next,")
    assert "the difference is +75 points on 40 common items" in words(more)
    assert "p < 0.001." in words(more)


def test_a_lead_that_is_not_significant_does_not_look_like_one(view_of: Derive) -> None:
    view = view_of(grid({"a": "1" * 21 + "0" * 19, "b": "1" * 20 + "0" * 20, "c": "0" * 40}))
    lead, more = headline.leader(view) or ("", "")
    assert words(lead) == "a scores highest, but is not distinguishable from b."
    assert words(more).endswith("adjusted p = 1.")
    ranks = re.findall(r"<td[^>]*>([\d\u2013]+)</td>\s*<td[^>]*><span class=\"letters\">", scores.board(view))
    assert ranks == ["1\u20132", "1\u20132", "3"]


def test_equal_scores_have_no_leader(view_of: Derive) -> None:
    view = view_of(grid({"a": "1100", "b": "0011", "c": "0110"}))
    lead, _ = headline.leader(view) or ("", "")
    assert words(lead) == "All 3 models have the same score, 50%."


def test_two_share_the_highest_score(view_of: Derive) -> None:
    view = view_of(grid({"a": "1110", "b": "0111", "c": "0000"}))
    lead, more = headline.leader(view) or ("", "")
    assert words(lead) == "a and b share the highest score, 75%."
    assert words(more).endswith("They are not distinguishable from c.")


def test_one_model_is_compared_with_nothing(view_of: Derive) -> None:
    view = view_of(grid({"only": "110"}))
    lead, more = headline.leader(view) or ("", "")
    assert words(lead) == "only scores 67%; it is the only model."
    assert words(more).endswith("With one model there is nothing to compare.")
    assert words(scores.ties(view)) == "Only one model: there is nothing to compare."
    assert (
        words(comparisons.show(view))
        == "There are no two models with common items, so nothing can be compared."
    )
    assert "A collective boundary takes several models." in words(boundary.counts(view))
    assert "Rank" not in scores.board(view)


def test_models_without_common_items_are_not_compared(view_of: Derive) -> None:
    view = view_of(grid({"a": "11   ", "b": "  000"}))
    lead, _ = headline.leader(view) or ("", "")
    assert words(lead) == "a has the highest score, but shares no items with the other model."
    lead, more = missing.unlike_items(view) or ("", "")
    assert lead == "The models answered different items."
    assert more.startswith("A model was scored on 2 to 3 items, and no item was answered by every model.")
    assert "No two neighbours in rank share items" in words(scores.tier_words(view))
    assert "not tested" in comparisons.show(view)
    assert "No item was answered by every model" in words(boundary.counts(view))


def test_nothing_scored_is_said_once_per_section(view_of: Derive) -> None:
    view = view_of(grid({"a": "xx", "b": "xx"}))
    assert words(headline.show(view)) == "No response is scored."
    assert words(scores.board(view)) == "No response is scored."
    assert words(boundary.counts(view)) == "No item has a scored response."
    assert words(missing.show(view)) == "No response is scored."
    assert "There are 4 rows excluded by verdict." in words(quality.show(view))


def test_a_model_without_a_scored_response_is_named(view_of: Derive) -> None:
    view = view_of(grid({"a": "1100", "b": "0110", "gone": "xxxx"}))
    assert "Not ranked: gone has no scored response." in words(scores.board(view))
    assert "Every scored model answered every item." in words(boundary.counts(view))


def test_the_boundary_on_both_bases(view_of: Derive) -> None:
    view = view_of(grid({"a": "110000", "b": "011000", "c": "11000 "}))
    text = words(boundary.counts(view))
    assert text.startswith(
        "Of the 6 items that any model answered, no model solves 3 (50%, 95% CI 19 to 81)."
    )
    assert "All 3 models solve 1 (17%, 95% CI 3 to 56)." in text
    assert "Of the 5 items that every model answered, no model solves 2 (40%, 95% CI 12 to 77)." in text
    assert "Of the 3 unsolved items, all received only the worst verdict." in text


@pytest.mark.parametrize(
    ("marks", "lead"),
    [
        ({"a": "000", "b": "000"}, "No model solves any of the 3 items."),
        ({"a": "0", "b": "0"}, "No model solves the only item."),
        ({"a": "101", "b": "010"}, "Every item is solved by at least one model."),
        ({"a": "1", "b": "0"}, "The only item is solved by at least one model."),
    ],
)
def test_the_boundary_at_its_ends(view_of: Derive, marks: dict[str, str], lead: str) -> None:
    found = boundary.finding(view_of(grid(marks)))
    assert found is not None
    assert found[0] == lead


def test_what_an_ensemble_covers(view_of: Derive) -> None:
    view = view_of(grid({"a": "11110000", "b": "00011100", "c": "11000000"}))
    text = words(boundary.ensemble(view))
    assert "a covers most on its own (50%," in text
    assert "all 3 models together cover 75%" in text
    assert (
        "Adding b gains 2 items, the most that a second model can. In this order model 3 adds nothing."
        in text
    )
    assert "2 items are solved by one model alone" not in text
    assert "3 items are solved by one model alone; b has most of these, 2." in text


def test_agreement_is_that_of_the_pairs(view_of: Derive) -> None:
    view = view_of(grid({"a": "1100", "b": "1101", "c": "0011"}))
    text = words(concordance.show(view))
    assert text.startswith("a and b are most alike" if "a and b" in text else "b and a are most alike")
    assert "the same verdict on 75% of 4 common items, Cohen's \u03ba = 0.50." in text
    assert "with 0% of 4 common items, Cohen's \u03ba = \u22121.00." in text


def test_pairs_with_few_common_items_are_not_called_most_alike(view_of: Derive) -> None:
    view = view_of(grid({"a": "10" * 20, "b": "01" * 20, "c": "1" + " " * 39}))
    assert words(concordance.show(view)).startswith(
        "Only one pair has at least 30 common items: a and b give the same verdict on 0% of 40 common items"
    )


def test_intervals_are_the_first_that_a_model_has(view_of: Derive) -> None:
    frame = pl.concat(
        [
            grid({"a": "1100", "b": "1010", "c": "0110"}).with_columns(run=pl.lit(0)),
            grid({"a": "1001"}).with_columns(run=pl.lit(1)),
        ]
    )
    view = view_of(frame)
    scores_ = view.results.scores("correct")
    assert scores_ is not None
    assert dict(scores_.select("model", "method").iter_rows()) == {
        "a": "bootstrap",
        "b": "wilson",
        "c": "wilson",
    }
    assert view.results.interval_words("correct") == "Wilson, bootstrap for 1 model"


def test_labels_decisions_and_strata(view_of: Derive) -> None:
    frame = grid({"a": "11001100", "b": "10001000"}).with_columns(
        pl.when(pl.col("verdict") == "incorrect").then(["bad"]).otherwise([]).alias("labels"),
        pl.when(pl.col("verdict") == "correct")
        .then(pl.lit("act"))
        .otherwise(pl.lit("ask"))
        .alias("decision"),
        pl.when(pl.col("item_id") < "i004")
        .then(pl.lit("first"))
        .otherwise(pl.lit("second"))
        .alias("question_type"),
    )
    card = {"labels": {"bad": {"hard": True, "meaning": "wrong"}}, "decisions": {"decisive": ["act"]}}
    view = view_of(frame, card)
    assert "The rate runs from 50% (a) to 75% (b)." in words(failures.labels(view))
    assert "a is decisive most often (50% of its items), b least (25%)." in words(failures.decisions(view))
    lead, more = failures.finding(view) or ("", "")
    assert words(lead) == "Hard failures range from 50% to 75% of items."
    assert words(more).startswith("a has fewest (95% CI")
    assert "question_type" in words(strata.show(view))


def test_the_cost_frontier(view_of: Derive) -> None:
    frame = grid({"a": "1110", "b": "1100", "c": "1000"}).with_columns(
        cost_usd=pl.col("model").replace_strict({"a": 0.02, "b": 0.01, "c": 0.05})
    )
    view = view_of(frame)
    text = words(cost.show(view))
    assert "the frontier is b ($0.0100 per response, 50%), a ($0.0200 per response, 75%)." in text
    assert "Of the others, c scores highest; a dominates it." in text
    lead, _ = cost.finding(view) or ("", "")
    assert lead == "2 of 3 priced models are on the cost frontier."


def test_missing_cells_and_what_the_policies_would_do(view_of: Derive) -> None:
    view = view_of(grid({"a": "11xx", "b": "1110"}))
    text = words(missing.show(view))
    assert text.startswith("The policy in force is exclude: each model's own cells.")
    assert "Counting excluded answers as 0 moves 2 of 2 models, up to 1 rank" in text
    assert "; b then leads." in text


def test_a_complete_benchmark_needs_no_policy(view_of: Derive) -> None:
    text = words(missing.show(view_of(grid({"a": "11", "b": "10"}))))
    assert (
        text
        == "Every model has a scored cell for every item, so no policy for missing cells changes anything."
    )


def test_the_banner_says_what_the_card_says(view_of: Derive) -> None:
    view = view_of(grid({"a": "10"}), {"synthetic": "Simulated with <dice>."})
    banner = hero.synthetic_banner(view.results)
    assert words(banner) == "Not original data.Simulated with <dice>."
    assert "<dice>" not in banner
    assert banner in hero.show(view)


def test_counts_in_the_head_agree_in_number(view_of: Derive) -> None:
    view = view_of(grid({"a": "1"}))
    assert words(hero.facts(view.results)) == "model1item1response1"


def test_provenance_comes_from_the_tables(view_of: Derive) -> None:
    view = view_of(grid({"a": "10", "b": "01"}), {"alpha": 0.01, "seed": 7})
    about = view.results.metadata("model_scores")
    page = provenance.provenance(view) + provenance.methods(view)
    for shown in (about["config_sha256"], about["version"], *about["inputs"].values(), about["method"]):
        assert shown in html.unescape(page)
    assert "0.01" in page
    assert re.search(r">Seed</th>\s*<td[^>]*>7</td>", page)
    assert "Wilson, bootstrap (expanded percentile)" in page
    assert '"tables/pairwise_tests.parquet"' in page


def test_absent_tables_say_why(view_of: Derive) -> None:
    view = view_of(grid({"a": "10", "b": "01"}))
    assert words(failures.labels(view)) == "No verdict file has a column labels or failure_label."
    assert words(failures.decisions(view)) == "No verdict file has a column decision."
    assert words(strata.show(view)).startswith("Items have no question_type")
    assert words(cost.show(view)).startswith(
        "Nothing gives costs: no cost_usd, no total_cost_usd, no prices."
    )


def test_chance_corrected_agreement_is_named_where_it_differs(view_of: Derive) -> None:
    marks = {"a": "1" * 18 + "00", "b": "1" * 18 + "01", "c": "1" * 10 + "0" * 10, "d": "1" * 9 + "0" * 11}
    text = words(concordance.show(view_of(grid(marks))))
    assert text.startswith("a and b are most alike" if "a and b are" in text else "b and a are most alike")
    assert "Corrected for chance, c and d agree most (\u03ba = 0.90)." in text
