"""Estimates, states of cells, bases and policies, worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from analysis.cells import cell_verdicts
from analysis.errors import DataError
from analysis.tables.counts import count_items, count_unique_solves, distribute_counts
from analysis.tables.coverage import cover_items
from analysis.tables.model_scores import score_models
from analysis.tables.policies import compare_policies
from tests.unit.tables.conftest import Make, grid


def scores(data, method="bootstrap", metric="correct", track="all"):
    return score_models(data).filter(method=method, metric=metric, track=track).sort("rank")


def test_states_of_cells_and_the_denominator(make: Make) -> None:
    data = make(grid({"a": "110x.", "b": "1--0-"}))
    rows = (
        scores(data)
        .select("model", "rank", "estimate", "n_items", "n_excluded", "n_unscored", "n_missing")
        .rows()
    )
    assert rows == [("a", 1, 2 / 3, 3, 1, 1, 0), ("b", 2, 1 / 2, 2, 0, 0, 3)]


def test_an_excluded_row_beside_a_scored_one_leaves_the_cell(make: Make) -> None:
    rows = [
        {"model": "a", "item_id": "x", "run": 0, "verdict": "technical_failure"},
        {"model": "a", "item_id": "x", "run": 1, "verdict": "correct"},
        {"model": "a", "item_id": "y", "run": 0, "verdict": "technical_failure"},
        {"model": "a", "item_id": "y", "run": 1, "verdict": None},
    ]
    found = scores(make(rows)).select("estimate", "n_items", "n_excluded", "n_unscored").row(0)
    assert found == (1.0, 1, 1, 0)


def test_equal_estimates_are_ordered_by_code_point(make: Make) -> None:
    data = make(grid({"é": "10", "z": "01", "Z": "10", "a": "10"}))
    assert scores(data)["model"].to_list() == ["Z", "a", "z", "é"]


def test_wilson_is_left_out_where_runs_repeat(make: Make) -> None:
    rows = [
        *grid({"a": "101", "b": "111"}),
        {"model": "b", "item_id": "i0", "run": 1, "verdict": "incorrect"},
    ]
    rows = [{"run": 0, **row} for row in rows]
    assert scores(make(rows), "wilson")["model"].to_list() == ["a"]
    assert scores(make(rows))["model"].to_list() == ["b", "a"]


def test_wilson_is_left_out_where_the_card_declares_the_cluster(make: Make) -> None:
    data = make(grid({"a": "1010", "b": "1110"}, cluster_id="c"), card="cluster: cluster_id")
    assert score_models(data)["method"].unique().to_list() == ["cluster_bootstrap"]
    # One cluster: nothing can be resampled, so there is no interval.
    primary = score_models(data).filter(pl.col("metric") == "correct")
    assert primary.select("ci_low", "ci_high", "n_clusters").rows() == [(None, None, 1)] * 2


def test_constant_data_have_no_bootstrap_interval(make: Make) -> None:
    row = scores(make(grid({"a": "1111", "b": "0000"})))
    assert row.select("ci_low", "ci_high").rows() == [(None, None)] * 2
    wilson = scores(make(grid({"a": "1111", "b": "0000"})), "wilson")
    assert wilson["ci_low"][0] == pytest.approx(0.5101, abs=1e-4)
    assert wilson["ci_high"][1] == pytest.approx(0.4899, abs=1e-4)


def test_a_model_without_a_cell_in_a_track_has_no_row_there(make: Make) -> None:
    rows = [{**row, "track": "t" if row["item_id"] == "i0" else "u"} for row in grid({"a": "10", "b": "-1"})]
    assert scores(make(rows), track="t")["model"].to_list() == ["a"]
    assert scores(make(rows), track="u")["model"].to_list() == ["b", "a"]


def test_rates_count_an_item_once_whatever_run_shows_it(make: Make) -> None:
    rows = [
        {
            "model": "a",
            "item_id": "x",
            "run": r,
            "correct": False,
            "labels": labels,
            "decision": d,
            "flags": f,
        }
        for r, labels, d, f in [(0, ["F1"], "stop", ["g"]), (1, ["F1", "F9"], "proceed", [])]
    ] + [
        {
            "model": "a",
            "item_id": "y",
            "run": 0,
            "correct": None,
            "labels": [],
            "decision": "stop",
            "flags": [],
        }
    ]
    card = "labels: {F1: {hard: true}}\ndecisions: {decisive: [proceed]}"
    table = score_models(make(rows, card)).filter(method="wilson", track="all").sort("metric")
    rates = table.filter(pl.col("metric") != "correct").select("metric", "estimate", "n_items").rows()
    assert rates == [("decisive", 0.5, 2), ("flag:g", 0.5, 2), ("hard_failure", 0.5, 2)]


def test_the_decisive_rate_is_over_items_with_a_decision(make: Make) -> None:
    rows = grid({"a": "1010"})
    for row, decision in zip(rows, ["go", "wait", None, None], strict=True):
        row["decision"] = decision
    table = score_models(make(rows, "decisions: {decisive: [go]}")).filter(metric="decisive", method="wilson")
    assert table.select("estimate", "n_items", "n_missing").rows() == [(0.5, 2, 2)]


def test_item_counts(make: Make) -> None:
    data = make(grid({"a": "1p0.", "b": "1p0-", "c": "0p0x"}))
    table = count_items(data).select("item_id", "k", "n_models", "mean_score", "all_partial", "all_incorrect")
    assert table.rows() == [
        ("i0", 2, 3, 2 / 3, False, False),
        ("i1", 0, 3, 0.0, True, False),
        ("i2", 0, 3, 0.0, False, True),
    ]


def test_solved_at_holds_for_repeated_runs(make: Make) -> None:
    rows = [
        {"model": "a", "item_id": "x", "run": run, "correct": ok}
        for run, ok in enumerate([True, False, False])
    ]
    assert count_items(make(rows))["k"].to_list() == [0]
    assert count_items(make(rows, "solved_at: 0.3333333333333333"))["k"].to_list() == [1]


def test_both_bases(make: Make) -> None:
    data = make(grid({"a": "110-", "b": "10-0"}))
    table = distribute_counts(data).select("basis", "k", "n_items", "share").rows()
    assert table == [
        ("answered", 0, 2, 0.5),
        ("answered", 1, 1, 0.25),
        ("answered", 2, 1, 0.25),
        ("complete", 0, 0, 0.0),
        ("complete", 1, 1, 0.5),
        ("complete", 2, 1, 0.5),
    ]
    assert count_unique_solves(data).select("basis", "model", "n_unique").rows() == [
        ("answered", "a", 1),
        ("answered", "b", 0),
        ("complete", "a", 1),
        ("complete", "b", 0),
    ]


def test_no_complete_item_no_complete_rows(make: Make) -> None:
    data = make(grid({"a": "1-", "b": "-1"}))
    assert distribute_counts(data)["basis"].unique().to_list() == ["answered"]
    assert cover_items(data)["basis"].unique().to_list() == ["answered"]


def test_greedy_takes_what_the_optimum_avoids(make: Make) -> None:
    # b covers most alone; a and c together cover everything.
    data = make(grid({"a": "111000", "b": "011110", "c": "000111"}))
    table = cover_items(data).filter(basis="answered").sort("method", "step", "model")
    greedy = table.filter(method="greedy").select("step", "model", "gained", "covered").rows()
    assert greedy == [(1, "b", 4, 4), (2, "a", 1, 5), (3, "c", 1, 6)]
    optimal = table.filter(method="optimal").select("step", "model", "gained", "covered").rows()
    assert optimal[:3] == [(1, "b", 4, 4), (2, "a", 3, 6), (2, "c", 3, 6)]


def test_cross_fitted_coverage_is_no_higher_than_greedy(make: Make) -> None:
    rng = np.random.default_rng(1)
    outcomes = {m: "".join(rng.choice(["0", "1"], 60, p=[0.7, 0.3])) for m in "abcdef"}
    table = cover_items(make(grid(outcomes))).filter(basis="answered").sort("step")
    greedy, fitted = table.filter(method="greedy"), table.filter(method="cross_fitted")
    assert fitted["model"].to_list() == greedy["model"].to_list()
    assert (fitted["covered"] <= greedy["covered"]).all()
    assert fitted["covered"][0] < greedy["covered"][0]
    # All models together cover the same, whoever chooses.
    assert fitted["covered"][-1] == greedy["covered"][-1]
    assert fitted["gained"].sum() == fitted["covered"][-1]


def test_policies(make: Make) -> None:
    data = make(grid({"a": "1x", "b": "11"}))
    table = (
        compare_policies(data)
        .select("policy", "model", "rank", "estimate", "n_items", "rank_in_force")
        .rows()
    )
    assert sorted(table) == [
        ("common_items", "a", 1, 1.0, 1, 1),
        ("common_items", "b", 2, 1.0, 1, 2),
        ("exclude", "a", 1, 1.0, 1, 1),
        ("exclude", "b", 2, 1.0, 2, 2),
        ("failure", "a", 2, 0.5, 2, 1),
        ("failure", "b", 1, 1.0, 2, 2),
    ]


def test_policy_error_names_the_cells(make: Make) -> None:
    data = make(grid({"a": "1x", "b": "11"}), card="missing: error")
    with pytest.raises(DataError, match=r"column 'missing': cells \(model, item\) have no scored run"):
        score_models(data)


@pytest.mark.parametrize(
    ("verdicts", "card", "expected"),
    [
        (["correct", "incorrect", "correct"], "", "correct"),
        (["correct", "partial"], "", "partial"),
        (["partial", "incorrect"], "", "incorrect"),
        (["partial", "incorrect"], "verdicts: {order: [partial, incorrect, correct]}", "partial"),
        (["correct", "correct", "partial", "partial", None], "", "partial"),
    ],
)
def test_the_verdict_of_a_cell(make: Make, verdicts: list[str | None], card: str, expected: str) -> None:
    rows = [{"model": "a", "item_id": "x", "run": i, "verdict": v} for i, v in enumerate(verdicts)]
    data = make(rows, card)
    assert cell_verdicts(data.verdicts, data.card)["verdict"].to_list() == [expected]


def test_verdicts_are_derived_from_scores(make: Make) -> None:
    rows = [{"model": "a", "item_id": i, "score": s} for i, s in [("w", 0.0), ("x", 0.4), ("y", 1.0)]]
    data = make(rows)
    assert cell_verdicts(data.verdicts, data.card)["verdict"].to_list() == ["incorrect", "partial", "correct"]
    assert scores(data)["estimate"].to_list() == [1 / 3]
    assert scores(data, metric="score")["estimate"].to_list() == pytest.approx([1.4 / 3])


def test_weights_count_only_when_declared(make: Make) -> None:
    items = [{"item_id": "i0", "weight": 3.0}, {"item_id": "i1", "weight": 1.0}]
    assert scores(make(grid({"a": "10"}), items=items))["estimate"].to_list() == [0.5]
    assert scores(make(grid({"a": "10"}), "weight: weight", items=items))["estimate"].to_list() == [0.75]
