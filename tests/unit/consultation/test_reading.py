"""What a person reads when a rubric, or the labels on it, cannot be used: whole messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.config import read_card
from analysis.errors import ConfigError, DataError
from analysis.ingest.benchmark import read_benchmark
from tests.unit.consultation.conftest import CRITERIA, ITEMS, RATINGS, Write, rate


def refusal(folder: Path) -> str:
    with pytest.raises(DataError) as caught:
        read_benchmark(folder)
    return str(caught.value)


def test_a_criterion_without_polarity_is_refused(write: Write) -> None:
    criteria = [*CRITERIA, {"item_id": "q3", "criterion_id": "3", "kind": "tone"}]
    message = refusal(write(criteria=criteria))
    assert (
        "- criteria.parquet, column 'kind': has no polarity: the card does not name the kind, and the column "
        "polarity says nothing\n  found: 'tone'\n  rows: 1 (first: row 10)\n"
        "  allowed: a kind of the card (core, evidence, conditional, major, minor), or positive or negative "
        "in the column polarity"
    ) in message


def test_a_lenient_run_sets_it_aside_and_counts_it(write: Write) -> None:
    criteria = [*CRITERIA, {"item_id": "q3", "criterion_id": "3", "kind": "tone"}]
    made = read_benchmark(write(criteria=criteria), lenient=True)
    assert made.criteria is not None
    assert made.criteria.height == len(CRITERIA)
    reasons = made.quarantine.filter(made.quarantine["file"] == "criteria.parquet")["reason"].to_list()
    assert any("has no polarity" in reason for reason in reasons)


def test_the_file_may_say_polarity_and_weight_of_other_kinds(write: Write) -> None:
    criteria = [{**row, "polarity": None, "weight": None} for row in CRITERIA]
    criteria.append(
        {"item_id": "q3", "criterion_id": "3", "kind": "tone", "polarity": "Unwanted", "weight": 4.0}
    )
    made = read_benchmark(write(criteria=criteria)).criteria
    assert made is not None
    tone = made.filter(made["kind"] == "tone").row(0, named=True)
    assert (tone["polarity"], tone["weight"]) == ("negative", 4.0)


def test_a_polarity_against_the_card_is_refused(write: Write) -> None:
    criteria = [{**row, "polarity": "positive"} for row in CRITERIA]
    message = refusal(write(criteria=criteria))
    assert (
        "contradicts the card's polarity of the kind\n  found: 'major is positive', 'minor is positive'"
        in message
    )
    assert "rows: 3 (first: row 4, 5, 7)" in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": None}, "column 'kind': is null"),
        ({"criterion_id": "2"}, "column 'criterion_id': stands more than once within its question"),
        ({"item_id": "q9"}, "column 'item_id': is an item that neither items.parquet nor the verdicts have"),
        ({"weight": -1.0}, "column 'weight': is negative"),
        ({"weight": float("nan")}, "column 'weight': is not finite"),
    ],
)
def test_odd_criteria(write: Write, change: dict[str, object], message: str) -> None:
    criteria = [{"weight": None, **row} for row in CRITERIA]
    criteria[0] = {**criteria[0], **change}
    assert f"criteria.parquet, {message}" in refusal(write(criteria=criteria))


def test_columns_that_must_be_there(write: Write) -> None:
    message = refusal(write(criteria=[{k: v for k, v in row.items() if k != "kind"} for row in CRITERIA]))
    assert "criteria.parquet, column 'kind': is missing" in message


def test_a_label_that_says_neither_yes_nor_no_is_refused(write: Write) -> None:
    ratings = [*RATINGS, *rate("b", "q3", "yy")]
    ratings[-1]["label"] = "perhaps"
    message = refusal(write(ratings=ratings))
    assert (
        "- ratings.parquet, column 'label': does not say whether the criterion is met\n  found: 'perhaps'\n"
        in message
    )
    assert "allowed: yes or no (true, met, 1" in message
    made = read_benchmark(write(ratings=ratings), lenient=True)
    assert made.ratings is not None
    assert made.ratings.height == len(ratings) - 1


def test_a_rating_without_a_model_is_refused(write: Write) -> None:
    ratings = [*RATINGS, *rate("b", "q3", "y")]
    ratings[-1]["model"] = None
    assert "column 'model': is null for a criterion of the rubric" in refusal(write(ratings=ratings))


def test_a_rater_of_the_card_who_rates_nothing(write: Write) -> None:
    message = refusal(write(card="consultation: {raters: [jury]}\n"))
    assert (
        "- benchmark.yaml, key 'consultation.raters': names the rater 'jury', who rates nothing\n" in message
    )
    assert "allowed: judge" in message


def test_a_tag_column_that_is_not_there(write: Write) -> None:
    message = refusal(write(card="consultation: {tags: topic}\n"))
    assert "key 'consultation.tags': names the item column 'topic', which the items do not have" in message


def test_a_tag_named_all(write: Write) -> None:
    items = [{**row, "tags": [*row["tags"], "all"]} for row in ITEMS]
    assert "column 'tags': is a tag named 'all', which stands for every question together" in refusal(
        write(items=items)
    )


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("{requirements: {core: 1}, errors: {core: 5}}", "'core' is both a requirement and an error"),
        ("{requirements: {core: 0}}", "every weight is 0"),
        ("{requirements: {core: -1}}", "core: -1.0 is no weight"),
        ("{errors: {major: .inf}}", "major: inf is no weight"),
        ("{deduct: twice}", "consultation.deduct"),
        ("{rater: [a]}", "did you mean 'raters'?"),
    ],
)
def test_odd_cards(tmp_path: Path, card: str, message: str) -> None:
    path = tmp_path / "benchmark.yaml"
    path.write_text(f"consultation: {card}\n")
    with pytest.raises(ConfigError) as caught:
        read_card(path)
    assert message in str(caught.value)


def test_the_audit_counts_the_rubric_and_what_lies_beside_it(write: Write) -> None:
    other = {"model": "a", "item_id": "q1", "criterion_id": "style", "label": "florid", "rater": "judge"}
    ratings = [*(r for r in RATINGS if r["item_id"] != "q3"), {**other, "rater_kind": "judge"}]
    audit = read_benchmark(write(ratings=ratings)).audit
    counts = {check: (n, note) for check, n, note in audit.select("check", "n", "note").iter_rows()}
    assert counts["criteria"] == (9, "9 criteria of 3 questions read")
    assert counts["criteria_without_ratings"] == (2, "2 criteria of the rubric without any rating")
    assert counts["ratings_outside_rubric"][0] == 1
