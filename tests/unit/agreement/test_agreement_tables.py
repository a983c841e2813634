"""`agreement`, `agreement_statistics`, `reliability`, `raters`, `judge_correction`: worked out by hand."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.capabilities import possible_tables
from analysis.schemas import Agreement
from analysis.store import conform
from analysis.tables import agreement, judge_correction, reliability
from analysis.tables.data import BenchmarkData
from tests.unit.agreement.conftest import Make, rating_rows, verdict_rows

ORDERED = "verdicts: {order: [incorrect, partial, correct]}"
GOOD, HALF, BAD = "correct", "partial", "incorrect"


def table(data: BenchmarkData, module: object, name: str) -> pl.DataFrame:
    """Return a derived table, validated as it would be on writing."""
    return conform(module.derive(data)[name][0], name)  # type: ignore[attr-defined]


def test_the_columns_are_those_of_the_contract() -> None:
    assert Agreement.column_names() == [
        "rater_a",
        "rater_b",
        "criterion_group",
        "n",
        "agreement",
        "kappa",
        "kappa_linear",
        "kappa_quadratic",
        "ci_low",
        "ci_high",
        "sensitivity",
        "specificity",
        "balanced_accuracy",
    ]


def test_a_judge_against_a_human(make: Make) -> None:
    human = rating_rows("doc", "human", [GOOD, GOOD, HALF, BAD, BAD, GOOD])
    judge = rating_rows("bot", "judge", [GOOD, HALF, HALF, BAD, GOOD, None])
    data = make(verdict_rows({"m": "------1"}), human + judge, ORDERED)
    (row,) = table(data, agreement, "agreement").iter_rows(named=True)
    assert (row["rater_a"], row["rater_b"], row["n"]) == ("bot", "doc", 5)
    assert row["agreement"] == pytest.approx(0.6)
    # Margins of the five: human (2, 1, 2), judge (1, 2, 2) of incorrect, partial, correct.
    assert row["kappa"] == pytest.approx((0.6 - 8 / 25) / (1 - 8 / 25))
    assert row["kappa_linear"] == pytest.approx(1 - (3 / 5) / (23 / 25))
    assert (row["sensitivity"], row["specificity"]) == (0.5, pytest.approx(2 / 3))


def test_the_reference_is_human_then_verdict_then_scorer(make: Make) -> None:
    ratings = [
        *rating_rows("zoe", "human", ["yes", "no"]),
        *rating_rows("abe", "human", ["yes", "no"]),
        *rating_rows("rule", "scorer", ["yes", "no"]),
        *rating_rows("bot", "judge", ["yes", "no"]),
    ]
    data = make(verdict_rows({"m": "10"}), ratings)
    found = table(data, agreement, "agreement")
    pairs = set(found.select("rater_a", "rater_b").rows())
    assert ("bot", "rule") in pairs
    assert ("rule", "verdict") in pairs
    assert ("verdict", "abe") in pairs
    assert ("abe", "zoe") in pairs
    assert len(pairs) == 10
    same_kind = found.filter(pl.col("rater_a") == "abe")
    assert same_kind["sensitivity"].to_list() == [None]


def test_unordered_labels_have_no_weighted_kappa(make: Make) -> None:
    ratings = rating_rows("a", "human", ["first", "tie", "second"]) + rating_rows(
        "b", "human", ["first", "second", "second"]
    )
    (row,) = table(make(verdict_rows({"m": "111"}), ratings), agreement, "agreement").iter_rows(named=True)
    assert row["kappa"] is not None
    assert row["kappa_linear"] is None
    assert row["kappa_quadratic"] is None


def test_one_class_is_null_not_nan(make: Make) -> None:
    ratings = rating_rows("a", "human", ["yes"] * 4) + rating_rows("b", "human", ["yes"] * 4)
    data = make(verdict_rows({"m": "----1"}), ratings)
    (row,) = table(data, agreement, "agreement").iter_rows(named=True)
    assert (row["n"], row["agreement"], row["kappa"], row["ci_low"]) == (4, 1.0, None, None)


def test_numbers_are_compared_at_their_places_and_sizes(make: Make) -> None:
    ratings = rating_rows("a", "judge", [0.0, 0.5, 1.0, 1.0]) + rating_rows(
        "b", "judge", [0.0, 1.0, 1.0, 0.5]
    )
    statistics = table(make(verdict_rows({"m": "----1"}), ratings), agreement, "agreement_statistics")
    values = dict(statistics.select("statistic", "estimate").iter_rows())
    assert values["mean_absolute_difference"] == 0.25
    assert values["mean_difference"] == 0.0
    assert values["kappa_quadratic"] == pytest.approx(1 - (2 * 0.25 / 4) / (5.5 / 16))
    assert "sensitivity" not in values


def test_repeated_judgements_are_a_pair_of_their_own(make: Make) -> None:
    ratings = [
        {"model": "m", "item_id": f"i{i}", "run": run, "rater": "bot", "rater_kind": "judge", "value": value}
        for i, pair in enumerate([(1, 1), (2, 3), (5, 4), (3, 3)])
        for run, value in enumerate(pair)
    ]
    data = make(verdict_rows({"m": "1111"}), ratings)
    statistics = table(data, agreement, "agreement_statistics").filter(pl.col("rater_b") == "bot (repeat)")
    values = dict(statistics.select("statistic", "estimate").iter_rows())
    assert values["mean_absolute_difference"] == 0.5
    assert values["mean_difference"] == 0.0
    assert values["spearman"] == pytest.approx(0.9486833)


def test_runs_of_the_model_are_no_repeated_judgement(make: Make) -> None:
    verdicts = [{"model": "m", "item_id": "i0", "run": r, "verdict": GOOD} for r in (0, 1)]
    ratings = [
        {"model": "m", "item_id": "i0", "run": r, "rater": "bot", "rater_kind": "judge", "label": "yes"}
        for r in (0, 1)
    ]
    found = table(make(verdicts, ratings), agreement, "agreement")
    assert found["rater_b"].to_list() == ["verdict"]


def test_reliability_groups(make: Make) -> None:
    ratings = [
        *rating_rows("a", "human", ["yes", "no", "no"]),
        *rating_rows("b", "human", ["yes", "no", "yes"]),
        *rating_rows("bot", "judge", ["yes", "yes", None]),
    ]
    found = table(make(verdict_rows({"m": "---1"}), ratings), reliability, "reliability")
    assert found.select("raters", "n_raters", "n_ratings", "n").unique().sort("raters").rows() == [
        ("all", 3, 8, 3),
        ("human", 2, 6, 3),
    ]
    agreed = found.filter(pl.col("raters") == "all", pl.col("statistic") == "agreement")["estimate"][0]
    assert agreed == pytest.approx((1 + 1 / 3 + 0) / 3)


def test_raters_and_the_verdict_that_is_one_of_them(make: Make) -> None:
    line = "10" * 12
    words = ["yes" if mark == "1" else "no" for mark in line]
    ratings = rating_rows("own", "judge", words) + rating_rows("odd", "judge", ["no", *words[1:]])
    found = table(make(verdict_rows({"m": line}), ratings), reliability, "raters")
    assert dict(found.select("rater", "is_verdict").iter_rows()) == {
        "own": True,
        "odd": False,
        "verdict": False,
    }
    assert found.filter(pl.col("rater") == "own")["share_positive"][0] == 0.5


def test_ratings_of_unknown_items_are_counted(make: Make) -> None:
    ratings = [{"model": "m", "item_id": "i0::x", "rater": "j", "rater_kind": "judge", "label": "yes"}]
    found = table(make(verdict_rows({"m": "1"}), ratings), reliability, "raters")
    assert found.select("rater", "n_without_verdict").rows() == [("j", 1)]


def test_without_ratings_every_table_is_empty(make: Make) -> None:
    data = make(verdict_rows({"m": "10"}))
    for module in (agreement, reliability, judge_correction):
        assert all(frame.height == 0 for frame, _ in module.derive(data).values())


def test_ratings_make_the_tables_possible(make: Make, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("raw")
    pl.DataFrame(verdict_rows({"m": "1"})).write_parquet(folder / "verdicts.parquet")
    names = {"agreement", "agreement_statistics", "reliability", "raters", "judge_correction"}
    assert not names & set(possible_tables(folder, None))
    pl.DataFrame(rating_rows("a", "human", ["yes"])).write_parquet(folder / "ratings.parquet")
    assert names <= set(possible_tables(folder, None))


def test_two_runs_give_the_same_tables(make: Make) -> None:
    verdicts = verdict_rows({"m": "1p0" * 8, "n": "p10" * 8})
    ratings = [
        *rating_rows("a", "human", [GOOD, HALF, BAD] * 6),
        *rating_rows("b", "judge", [GOOD, GOOD, BAD, HALF] * 6),
        *rating_rows("b", "judge", [GOOD, BAD, BAD, HALF] * 6, model="n"),
    ]
    for module in (agreement, reliability, judge_correction):
        one, two = (module.derive(make(verdicts, ratings, ORDERED)) for _ in range(2))
        for name in one:
            assert_frame_equal(one[name][0], two[name][0])


def test_judges_are_corrected_by_the_majority_of_humans(make: Make) -> None:
    truth = [GOOD] * 12 + [BAD] * 8
    lenient = [GOOD] * 14 + [BAD] * 6
    ratings = [
        *rating_rows("a", "human", truth),
        *rating_rows("b", "human", truth),
        *rating_rows("c", "human", lenient),
        *rating_rows("bot", "judge", lenient + [GOOD] * 30 + [BAD] * 10),
    ]
    found = table(
        make(verdict_rows({"m": "-" * 60 + "1"}), ratings, ORDERED), judge_correction, "judge_correction"
    )
    assert found["method"].to_list() == ["human_only", "judge_only", "ppi", "rogan_gladen"]
    assert found["n_human"].unique().to_list() == [20]
    assert found["n_judge_only"].unique().to_list() == [40]
    by = {row["method"]: row for row in found.iter_rows(named=True)}
    assert by["human_only"]["estimate"] == 0.6
    assert by["judge_only"]["estimate"] == pytest.approx(44 / 60)
    assert by["human_only"]["bias"] == pytest.approx(0.1)
    # Sensitivity 1, specificity 6/8, and the judge says yes to 3/4 of the rest.
    assert by["rogan_gladen"]["estimate"] == pytest.approx((0.75 - 0.25) / 0.75)
    assert by["ppi"]["worth_it"] is True
    assert by["ppi"]["note"].startswith("Worth it: the judge makes 20 human labels count as ")


def test_the_verdict_is_a_judge_of_every_response(make: Make) -> None:
    ratings = rating_rows("a", "human", [GOOD, BAD] * 6)
    data = make(verdict_rows({"m": "10" * 6 + "1" * 20}), ratings, ORDERED)
    found = table(data, judge_correction, "judge_correction")
    assert found["judge"].unique().to_list() == ["verdict"]
    assert found.select("n_human", "n_judge_only").unique().rows() == [(12, 20)]


def test_few_human_labels_are_said_to_be_few(make: Make) -> None:
    ratings = rating_rows("a", "human", [GOOD, BAD, GOOD])
    found = table(
        make(verdict_rows({"m": "101" + "1" * 9}), ratings, ORDERED), judge_correction, "judge_correction"
    )
    powered = found.filter(pl.col("method") == "ppi").row(0, named=True)
    assert powered["note"] == "Only 3 human labels: too few to correct the recorded verdict."
    assert (powered["ci_low"], powered["worth_it"]) == (None, False)


def test_all_labelled_by_humans_needs_no_judge(make: Make) -> None:
    ratings = rating_rows("a", "human", [GOOD, BAD] * 10)
    found = table(
        make(verdict_rows({"m": "10" * 10}), ratings, ORDERED), judge_correction, "judge_correction"
    )
    powered = found.filter(pl.col("method") == "ppi").row(0, named=True)
    assert powered["note"] == "Humans labelled all that the recorded verdict did: their labels stand alone."
    assert powered["estimate"] == 0.5
