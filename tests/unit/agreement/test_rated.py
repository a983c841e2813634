"""How ratings are laid out: scales, yes and no, the verdict as a rater, runs."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.errors import ConfigError
from analysis.tables.rated import criterion_groups, lay_out_ratings, ordered_codes
from tests.unit.agreement.conftest import Make, rating_rows, verdict_rows

ORDERED = "verdicts: {order: [incorrect, partial, correct]}"


def test_codes_follow_the_cards_order_and_keep_unused_places(make: Make) -> None:
    data = make(verdict_rows({"m": "10"}), rating_rows("h", "human", ["correct", "incorrect"]), ORDERED)
    matrix = lay_out_ratings(data)
    codes, positions, n_levels = ordered_codes(matrix.label, matrix)
    assert codes[0].tolist() == [1, 0]
    assert positions is not None
    assert positions.tolist() == [0.0, 2.0]
    assert n_levels == 2


def test_labels_outside_the_cards_verdicts_have_no_order(make: Make) -> None:
    ratings = rating_rows("h", "human", ["correct", "unsure"])
    matrix = lay_out_ratings(make(verdict_rows({"m": "10"}), ratings, ORDERED))
    # Together they have no order; the ratings that keep to the card's words do.
    assert ordered_codes(matrix.label, matrix)[1] is None
    correct = matrix.labels.index("correct")
    codes, positions, n_levels = ordered_codes(np.array([[correct, -1]]), matrix)
    assert positions is not None
    assert positions[codes[0, 0]] == 2.0
    assert (codes[0, 1], n_levels) == (-1, 1)
    # An unsure rater says neither yes nor no.
    assert matrix.positive[0].tolist() == [1, -1]


def test_a_rating_scale_orders_words_of_its_own(make: Make) -> None:
    card = ORDERED + "\nrating_scales: {severity: [none, mild, severe], size: [small, big]}"
    ratings = rating_rows("h", "human", ["severe", "none"])
    matrix = lay_out_ratings(make(verdict_rows({"m": "10"}), ratings, card))
    codes, positions, n_levels = ordered_codes(matrix.label[:1], matrix)
    assert codes.tolist() == [[1, 0]]
    assert positions is not None
    assert (positions.tolist(), n_levels) == ([0.0, 2.0], 2)


@pytest.mark.parametrize("labels", ["[none]", "[none, mild, none]"])
def test_a_rating_scale_needs_two_distinct_labels(make: Make, labels: str) -> None:
    with pytest.raises(ConfigError, match=r"scale 'severity' needs two labels or more, each once"):
        make(verdict_rows({"m": "1"}), None, f"rating_scales: {{severity: {labels}}}")


def test_yes_and_no_in_other_words(make: Make) -> None:
    matrix = lay_out_ratings(make(verdict_rows({"m": "10"}), rating_rows("h", "human", ["Yes", " no "])))
    assert matrix.positive[0].tolist() == [1, 0]
    other = lay_out_ratings(make(verdict_rows({"m": "10"}), rating_rows("h", "human", ["first", "tie"])))
    assert other.positive[0].tolist() == [-1, -1]


def test_numbers_between_zero_and_one_say_yes_at_one(make: Make) -> None:
    matrix = lay_out_ratings(make(verdict_rows({"m": "111"}), rating_rows("j", "judge", [1.0, 0.75, 0.0])))
    assert matrix.positive[0].tolist() == [1, 0, 0]
    likert = lay_out_ratings(make(verdict_rows({"m": "11"}), rating_rows("j", "judge", [1.0, 5.0])))
    assert likert.positive[0].tolist() == [-1, -1]


def test_the_verdict_joins_with_its_words(make: Make) -> None:
    data = make(verdict_rows({"m": "1p0x."}), rating_rows("h", "human", ["correct"] * 5), ORDERED)
    matrix = lay_out_ratings(data)
    assert matrix.raters == ("h", "verdict")
    # Excluded and unscored responses have no verdict to compare.
    assert matrix.positive[1].tolist() == [1, 0, 0, -1, -1]
    assert [matrix.labels[c] if c >= 0 else None for c in matrix.label[1]] == [
        "correct",
        "partial",
        "incorrect",
        None,
        None,
    ]


def test_a_verdict_in_other_words_is_compared_as_success(make: Make) -> None:
    matrix = lay_out_ratings(make(verdict_rows({"m": "10"}), rating_rows("j", "judge", ["yes", "yes"])))
    assert matrix.label[1].tolist() == [-1, -1]
    assert matrix.positive[1].tolist() == [1, 0]


def test_a_verdict_says_nothing_of_a_single_criterion(make: Make) -> None:
    ratings = rating_rows("j", "judge", ["yes", "no"], criterion_id="c1")
    assert lay_out_ratings(make(verdict_rows({"m": "10"}), ratings)).raters == ("j",)


def test_a_rating_without_a_run_is_of_the_only_run(make: Make) -> None:
    verdicts = [{"model": "m", "item_id": "i0", "run": 3, "verdict": "correct"}]
    matrix = lay_out_ratings(make(verdicts, rating_rows("j", "judge", ["yes"])))
    assert matrix.targets["run"].to_list() == [3]
    assert matrix.raters[-1] == "verdict"


def test_of_several_runs_it_cannot_be_told_which_was_rated(make: Make) -> None:
    verdicts = [{"model": "m", "item_id": "i0", "run": r, "verdict": "correct"} for r in (0, 1)]
    matrix = lay_out_ratings(make(verdicts, rating_rows("j", "judge", ["yes"])))
    assert matrix.raters == ("j",)


def test_items_rated_without_a_model_have_no_verdict(make: Make) -> None:
    matrix = lay_out_ratings(
        make(verdict_rows({"m": "10"}), rating_rows("h", "human", ["a", "b"], model=None))
    )
    assert matrix.raters == ("h",)


def test_one_name_and_two_kinds_are_two_raters(make: Make) -> None:
    ratings = rating_rows("x", "human", ["yes", None]) + rating_rows("x", "judge", [None, "no"])
    matrix = lay_out_ratings(make(verdict_rows({"m": "--1"}), ratings))
    assert matrix.raters == ("x (human)", "x (judge)")


def test_a_rater_called_verdict_keeps_its_kind(make: Make) -> None:
    matrix = lay_out_ratings(make(verdict_rows({"m": "1"}), rating_rows("verdict", "judge", ["yes"])))
    assert matrix.raters == ("verdict (judge)", "verdict")


def test_the_unit_is_the_item_or_its_declared_cluster(make: Make) -> None:
    verdicts = verdict_rows({"m": "11", "n": "11"})
    ratings = rating_rows("h", "human", ["yes", "no"]) + rating_rows("h", "human", ["yes", "no"], model="n")
    assert np.unique(lay_out_ratings(make(verdicts, ratings)).clusters).size == 2
    items = [{"item_id": "i0", "cluster_id": "p"}, {"item_id": "i1", "cluster_id": "p"}]
    clustered = make(verdicts, ratings, "cluster: cluster_id", items)
    assert np.unique(lay_out_ratings(clustered).clusters).size == 1


def test_groups_of_criteria(make: Make) -> None:
    ratings = [
        *rating_rows("j", "judge", ["yes", "no"], criterion_id="b", polarity="wanted", flagged=False),
        *rating_rows("j", "judge", ["yes", "no"], criterion_id="a", polarity="unwanted", flagged=True),
    ]
    matrix = lay_out_ratings(make(verdict_rows({"m": "11"}), ratings))
    groups = {name: int((mask & matrix.has_rating).sum()) for name, mask in criterion_groups(matrix)}
    assert groups == {
        "all": 4,
        "unflagged": 2,
        "polarity:unwanted": 2,
        "polarity:wanted": 2,
        "criterion:a": 2,
        "criterion:b": 2,
    }


def test_no_ratings_lay_out_to_nothing(make: Make) -> None:
    matrix = lay_out_ratings(make(verdict_rows({"m": "1"}), None))
    assert matrix.raters == ()
    assert matrix.targets.height == 0
