"""Scores, rates and counts of consultations against values worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from analysis.tables.consultation import count_criteria, derive, score_consultations, score_responses
from analysis.tables.data import BenchmarkData
from tests.unit.consultation.conftest import CRITERIA, ITEMS, RATINGS, rate

Make = Callable[..., BenchmarkData]


def scores_of(data: BenchmarkData) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows = score_consultations(data, score_responses(data))
    return {(r["tag"], r["model"], r["statistic"]): r for r in rows.iter_rows(named=True)}


def test_every_response_is_scored_by_the_formula(make: Make) -> None:
    rows = score_responses(make())
    found = {(r["model"], r["item_id"]): r for r in rows.iter_rows(named=True)}
    # a, q1: core met (2), evidence not (1), conditional does not apply; a major error costs 10.
    assert found["a", "q1"]["earned"] == pytest.approx(2 / 3)
    assert found["a", "q1"]["score"] == pytest.approx(100 * 2 / 3 - 10)
    assert (found["a", "q1"]["n_not_applicable"], found["a", "q1"]["n_errors"]) == (1, 1)
    # b, q1: evidence and conditional of 2 + 1 + 1.
    assert found["b", "q1"]["score"] == pytest.approx(50)
    # b, q2: nothing met, and an error: not below 0.
    assert (found["b", "q2"]["deduction"], found["b", "q2"]["score"]) == (10, 0)
    assert found["a", "q3"]["score"] == pytest.approx(50)
    assert set(rows["case_id"]) == {"c1", "c2"}


def test_means_over_questions_and_over_cases(make: Make) -> None:
    scores = scores_of(make())
    q1 = 100 * 2 / 3 - 10
    assert scores["all", "a", "item_mean"]["estimate"] == pytest.approx((q1 + 100 + 50) / 3)
    assert scores["all", "a", "case_mean"]["estimate"] == pytest.approx(((q1 + 100) / 2 + 50) / 2)
    # b has no response to q3: it is missing, neither a failure nor a zero.
    b = scores["all", "b", "item_mean"]
    assert (b["estimate"], b["n_items"], b["n_cases"], b["n_missing"]) == (pytest.approx(25), 2, 1, 1)


def test_overlapping_tags_count_a_question_in_each(make: Make) -> None:
    scores = scores_of(make())
    n = {tag: scores[tag, "a", "item_mean"]["n_items"] for tag in ("all", "plan", "urgent", "rare")}
    assert n == {"all": 3, "plan": 3, "urgent": 1, "rare": 1}
    assert scores["plan", "a", "item_mean"]["estimate"] == scores["all", "a", "item_mean"]["estimate"]


def test_error_rates_count_responses_and_shares_count_criteria(make: Make) -> None:
    scores = scores_of(make())
    # q3 lists no major error: its response cannot have one and counts.
    assert scores["all", "a", "error:major"]["estimate"] == pytest.approx(1 / 3)
    assert scores["all", "b", "error:major"]["estimate"] == pytest.approx(1 / 2)
    assert scores["all", "a", "error:major"]["rank"] == 1
    share = scores["all", "a", "avoided:major"]
    assert (share["estimate"], share["n_criteria"]) == (pytest.approx(1 / 2), 2)
    # A criterion that does not apply leaves its share.
    assert ("all", "a", "met:conditional") not in scores
    evidence = scores["all", "a", "met:evidence"]
    assert (evidence["estimate"], evidence["n_criteria"]) == (pytest.approx(1 / 3), 3)


def test_an_interval_that_cannot_be_computed_says_so(make: Make) -> None:
    scores = scores_of(make())
    one = scores["urgent", "a", "item_mean"]
    assert (one["ci_low"], one["ci_high"], one["method"]) == (None, None, "none: one question")
    same_case = scores["all", "b", "item_mean"]
    assert (same_case["ci_low"], same_case["method"]) == (None, "none: one case")
    assert scores["all", "a", "item_mean"]["method"] == "case_bootstrap"


def test_equal_scores_everywhere_have_no_interval(make: Make) -> None:
    ratings = [*rate("a", "q1", "yyynn"), *rate("a", "q2", "yn"), *rate("a", "q3", "yy")]
    row = scores_of(make(ratings=ratings))["all", "a", "item_mean"]
    assert (row["estimate"], row["ci_low"], row["method"]) == (100, None, "none: every resample is equal")


def test_without_a_cluster_questions_are_resampled(make: Make) -> None:
    row = scores_of(make(card=""))["all", "a", "item_mean"]
    assert (row["method"], row["n_cases"]) == ("item_bootstrap", 3)


def test_runs_of_a_question_are_averaged_first(make: Make) -> None:
    ratings = [
        *rate("a", "q2", "yn", run=0),
        *rate("a", "q2", "nn", run=1),
        *rate("a", "q3", "yy", run=0),
    ]
    scores = scores_of(make(ratings=ratings))
    assert scores["all", "a", "item_mean"]["estimate"] == pytest.approx((50 + 100) / 2)
    assert scores["all", "a", "item_mean"]["n_items"] == 2


def test_unlabelled_criteria_leave_the_score_and_are_counted(make: Make) -> None:
    rows = score_responses(make(ratings=[*rate("a", "q1", "y-.--"), *rate("b", "q2", "-y")]))
    found = {r["model"]: r for r in rows.iter_rows(named=True)}
    assert (found["a"]["score"], found["a"]["n_unrated"], found["a"]["n_applicable"]) == (100, 4, 1)
    # Only an error is labelled: nothing could be earned, so there is no score.
    assert (found["b"]["score"], found["b"]["n_errors"]) == (None, 1)


def test_a_response_without_labelled_errors_leaves_the_error_rate(make: Make) -> None:
    ratings = [*rate("a", "q1", "yyy--"), *rate("a", "q2", "yy")]
    rate_of = scores_of(make(ratings=ratings))["all", "a", "error:major"]
    assert (rate_of["estimate"], rate_of["n_items"]) == (1.0, 1)


def test_errors_count_where_nothing_could_be_earned(make: Make) -> None:
    scores = scores_of(make(ratings=[*rate("b", "q2", "-y"), *rate("b", "q1", "---ny")]))
    assert ("all", "b", "item_mean") not in scores
    major = scores["all", "b", "error:major"]
    assert (major["estimate"], major["n_items"], major["n_missing"]) == (0.5, 2, 1)


def test_three_ways_of_deducting(make: Make) -> None:
    criteria = [
        {"item_id": "q1", "criterion_id": "1", "kind": "core", "weight": None},
        {"item_id": "q1", "criterion_id": "2", "kind": "major", "weight": 5.0},
        {"item_id": "q1", "criterion_id": "3", "kind": "major", "weight": 30.0},
    ]
    ratings = rate("a", "q1", "yyy")
    for deduct, points in (("each", 35.0), ("once", 30.0), ("weight", 100 * 35 / 2)):
        data = make(criteria=criteria, ratings=ratings, card=f"consultation: {{deduct: {deduct}}}\n")
        assert score_responses(data)["deduction"].to_list() == [points]


def test_values_give_part_of_the_weight(make: Make) -> None:
    base = {"model": "a", "rater": "judge", "rater_kind": "judge", "item_id": "q3"}
    ratings = [
        {**base, "criterion_id": "1", "value": 0.5},
        {**base, "criterion_id": "2", "value": 1.0},
    ]
    assert score_responses(make(ratings=ratings))["score"].to_list() == [75.0]


def test_chosen_raters_alone_are_scored(make: Make) -> None:
    ratings = [*RATINGS, *rate("a", "q2", "nn", rater="nurse")]
    both = score_responses(make(ratings=ratings))
    assert set(both["rater"]) == {"judge", "nurse"}
    one = score_responses(make(ratings=ratings, card="consultation: {raters: [nurse]}\n"))
    assert set(one["rater"]) == {"nurse"}


def test_criteria_are_counted_by_tag_and_kind(make: Make) -> None:
    counts = {(r["tag"], r["kind"]): r for r in count_criteria(make()).iter_rows(named=True)}
    assert counts["all", "all"]["n_criteria"] == len(CRITERIA)
    assert (counts["all", "all"]["n_items"], counts["all", "all"]["n_cases"]) == (3, 2)
    assert counts["all", "evidence"]["n_criteria"] == 3
    assert counts["rare", "all"]["n_criteria"] == 2
    assert (counts["all", "core"]["weight"], counts["all", "core"]["polarity"]) == (2, "positive")


def test_a_text_column_serves_as_tag_and_null_has_none(make: Make) -> None:
    items = [{**{k: v for k, v in row.items() if k != "tags"}, "question_type": t} for row, t in
             zip(ITEMS, ["plan", None, "plan"], strict=True)]  # fmt: skip
    scores = scores_of(make(items=items))
    assert scores["plan", "a", "item_mean"]["n_items"] == 2
    assert {tag for tag, _, _ in scores} == {"all", "plan"}


def test_the_order_of_rows_does_not_matter(make: Make) -> None:
    first = derive(make())
    again = derive(make(ratings=RATINGS[::-1], criteria=CRITERIA[::-1], items=ITEMS[::-1]))
    for name, (frame, _) in first.items():
        key = frame.columns
        assert frame.sort(key).equals(again[name][0].sort(key)), name


def test_ratings_of_other_criteria_are_left_alone(make: Make) -> None:
    other = {"model": "a", "item_id": "q1", "criterion_id": "style", "label": "florid", "rater": "judge"}
    data = make(ratings=[*RATINGS, {**other, "rater_kind": "judge"}])
    assert data.ratings is not None
    assert data.ratings.filter(pl.col("criterion_id") == "style").height == 1
    assert score_responses(data).equals(score_responses(make()))
