"""`planning`, `repeated_runs`, `ensembles`, `denominators`, `influence`, `data_quality`: by hand."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.store import conform
from analysis.tables import data_quality, denominators, ensembles, influence, planning, repeated_runs
from analysis.tables.data import BenchmarkData
from tests.unit.agreement.conftest import Make, rating_rows, verdict_rows

EVERY = (planning, repeated_runs, ensembles, denominators, influence, data_quality)


def table(data: BenchmarkData, module: object, name: str) -> pl.DataFrame:
    """Return a derived table, validated as it would be on writing."""
    return conform(module.derive(data)[name][0], name)  # type: ignore[attr-defined]


def runs(model: str, outcomes: list[str]) -> list[dict[str, object]]:
    """Return rows from one string of 1 and 0 per item, one character per run."""
    return [
        {"model": model, "item_id": f"i{i}", "run": run, "correct": mark == "1"}
        for i, line in enumerate(outcomes)
        for run, mark in enumerate(line)
    ]


def test_what_a_comparison_detects(make: Make) -> None:
    # 100 common items, 20 discordant.
    a, b = "1" * 60 + "0" * 40, "1" * 45 + "0" * 15 + "1" * 5 + "0" * 35
    (row,) = table(make(verdict_rows({"a": a, "b": b})), planning, "planning").iter_rows(named=True)
    assert (row["model_a"], row["model_b"], row["adjacent"], row["n_items"]) == ("a", "b", True, 100)
    assert (row["discordance"], row["step"], row["design_effect"]) == pytest.approx((0.2, 1.0, 1.0))
    assert row["difference"] == pytest.approx(0.1)
    # Connor: sqrt(n) d = z(0.975) sqrt(q) + z(0.8) sqrt(q - d^2).
    d = row["detectable"]
    assert 10 * d == pytest.approx(1.959964 * 0.2**0.5 + 0.841621 * (0.2 - d * d) ** 0.5, rel=1e-6)


def test_pairs_without_common_items_have_no_plan(make: Make) -> None:
    data = make(verdict_rows({"a": "11--", "b": "--10"}))
    assert table(data, planning, "planning").height == 0
    assert table(data, planning, "planning_items").height == 0


def test_clusters_of_copies_make_a_design_effect(make: Make) -> None:
    rows = verdict_rows({"a": "1100" * 12, "b": "1001" * 12})
    items = [{"item_id": f"i{i}", "cluster_id": f"c{i % 4}"} for i in range(48)]
    data = make(rows, card="cluster: cluster_id", items=items)
    (row,) = table(data, planning, "planning").iter_rows(named=True)
    assert row["n_clusters"] == 4
    assert row["design_effect"] > 10


def test_items_needed_grow_with_what_there_is_to_see(make: Make) -> None:
    data = make(verdict_rows({"a": "1" * 60 + "0" * 40, "b": "1" * 50 + "0" * 50}))
    found = table(data, planning, "planning_items")
    assert found["difference"].to_list() == [0.01, 0.02, 0.03, 0.05, 0.1]
    assert found["items_needed"].is_sorted(descending=True)
    assert (found["items_needed"] <= found["items_needed_adjusted"]).all()


def test_repeated_runs_say_how_many_items_are_short(make: Make) -> None:
    found = table(make(runs("a", ["11", "10", "0"])), repeated_runs, "repeated_runs")
    by = {(r["statistic"], r["k"]): r for r in found.iter_rows(named=True)}
    assert by["pass_at", 1]["estimate"] == pytest.approx(0.5)
    assert by["pass_at", 2]["estimate"] == 1.0
    assert by["pass_hat", 2]["estimate"] == 0.5
    assert (by["pass_at", 2]["n_items"], by["pass_at", 2]["n_short"]) == (2, 1)
    assert by["pass_at", 2]["same_items"] == 0.75
    assert ("pass_at", 3) not in by


def test_single_runs_have_no_repeated_runs(make: Make) -> None:
    data = make(verdict_rows({"a": "10", "b": "11"}))
    assert table(data, repeated_runs, "repeated_runs").height == 0
    assert table(data, repeated_runs, "run_noise").height == 0


def test_noise_of_runs(make: Make) -> None:
    found = table(make(runs("a", ["10", "01", "11", "00"])), repeated_runs, "run_noise")
    (row,) = found.iter_rows(named=True)
    assert (row["n_items"], row["n_repeated"], row["mean_runs"], row["var_runs"]) == (4, 4, 2.0, 0.25)


def test_ensembles_by_hand(make: Make) -> None:
    data = make(verdict_rows({"a": "111000", "b": "001100", "c": "100000"}))
    found = table(data, ensembles, "ensembles").filter(pl.col("basis") == "complete")
    by = {(r["method"], r["size"]): r for r in found.iter_rows(named=True)}
    assert by["greedy", 1]["share"] == by["best_single", 1]["share"] == 0.5
    assert by["greedy", 2]["share"] == by["greedy", 3]["share"] == pytest.approx(4 / 6)
    assert by["greedy", 1]["model"] == by["best_single", 1]["model"] == "a"
    # Two of three models solve the first and the third item.
    assert by["majority", 3]["share"] == pytest.approx(2 / 6)
    assert by["mean_single", 1]["share"] == pytest.approx(6 / 18)
    assert by["cross_fitted", 3]["optimism"] == pytest.approx(0.0)
    assert ("one_run", 1) not in by


def test_a_half_is_no_majority(make: Make) -> None:
    found = table(make(verdict_rows({"a": "11", "b": "10"})), ensembles, "ensembles")
    majority = found.filter(pl.col("method") == "majority", pl.col("basis") == "complete")
    assert majority["share"].to_list() == [0.5]


def test_coverage_shares_sum_to_the_items_covered(make: Make) -> None:
    data = make(verdict_rows({"a": "111000", "b": "001100", "c": "1000-0"}))
    found = table(data, ensembles, "coverage_shares")
    answered = found.filter(pl.col("basis") == "answered")
    assert answered.select("model", "n_solved", "n_unique").rows() == [("a", 3, 1), ("b", 2, 1), ("c", 1, 0)]
    assert answered["shapley"].to_list() == pytest.approx([2.0, 1.5, 0.5])
    assert answered["share_of_coverage"].sum() == pytest.approx(1.0)
    assert found.filter(pl.col("basis") == "complete")["n_items"].unique().to_list() == [5]


def test_one_run_each_covers_less_than_what_counts_as_solved(make: Make) -> None:
    data = make(runs("a", ["10", "11"]) + runs("b", ["00", "10"]))
    by = {
        (r["method"], r["size"]): r["share"]
        for r in table(data, ensembles, "ensembles")
        .filter(pl.col("basis") == "complete")
        .iter_rows(named=True)
    }
    assert by["greedy", 2] == 1.0
    assert by["one_run", 1] == 0.75
    assert by["one_run", 2] == 0.75


def test_many_models_have_rows_for_small_ensembles_and_for_all(make: Make) -> None:
    lines = {f"m{i:02d}": "".join("01"[(i * j) % 7 == 1] for j in range(12)) for i in range(33)}
    found = table(make(verdict_rows(lines)), ensembles, "ensembles").filter(pl.col("basis") == "complete")
    sizes = dict(found.group_by("method").agg("size").iter_rows())
    assert sorted(sizes["greedy"]) == [*range(1, 31), 33]
    assert sorted(sizes["cross_fitted"]) == [*range(1, 31)]


def test_policies_for_missing_scores(make: Make) -> None:
    # a: one excluded of five; b: one unscored; c: one never asked.
    data = make(verdict_rows({"a": "1110x", "b": "110.0", "c": "100-0"}))
    found = table(data, denominators, "denominators")
    estimate = {(r["policy"], r["model"]): r["estimate"] for r in found.iter_rows(named=True)}
    assert estimate["exclude", "a"] == 0.75
    assert estimate["excluded_as_failure", "a"] == 0.6
    assert estimate["unscored_as_failure", "a"] == 0.75
    assert estimate["unscored_as_failure", "b"] == 0.4
    assert estimate["failure", "c"] == 0.25
    assert estimate["missing_as_failure", "c"] == 0.2
    assert estimate["common_items", "a"] == 1.0
    assert estimate["common_items", "c"] == pytest.approx(1 / 3)


def test_a_model_that_only_failed_is_ranked_where_failures_count(make: Make) -> None:
    found = table(make(verdict_rows({"a": "11", "b": "xx"})), denominators, "denominators")
    ranked = found.group_by("policy").agg("model").sort("policy")
    assert dict(ranked.iter_rows()) == {
        "common_items": ["a"],
        "exclude": ["a"],
        "excluded_as_failure": ["a", "b"],
        "failure": ["a", "b"],
        "missing_as_failure": ["a", "b"],
        "unscored_as_failure": ["a"],
    }
    null = found.filter(pl.col("policy") == "failure", pl.col("model") == "b")
    assert null.select("rank", "estimate", "rank_in_force").rows() == [(2, 0.0, None)]


def test_agreement_of_two_rankings(make: Make) -> None:
    data = make(verdict_rows({"a": "11xx", "b": "1110", "c": "1000"}))
    found = table(data, denominators, "rank_agreement")
    row = found.filter(pl.col("policy_a") == "exclude", pl.col("policy_b") == "failure").row(0, named=True)
    assert (row["leader_a"], row["leader_b"]) == ("a", "b")
    assert (row["n_models"], row["n_moved"], row["max_rank_change"]) == (3, 2, 1)
    assert row["kendall_tau"] == pytest.approx(1 / 3)


def test_leaving_a_track_out(make: Make) -> None:
    rows = verdict_rows({"a": "1111", "b": "0011", "c": "1000"})
    items = [{"item_id": f"i{i}", "track": "s" if i < 2 else "t"} for i in range(4)]
    data = make(rows, items=items)
    found = table(data, influence, "influence").sort("left_out")
    assert found["left_out"].to_list() == ["s", "t"]
    without_t = found.row(1, named=True)
    assert (without_t["n_items_left_out"], without_t["model_most_moved"]) == (2, "b")
    assert (without_t["rank_before"], without_t["rank_after"]) == (2, 3)
    stability = table(data, influence, "rank_stability")
    b = stability.filter(pl.col("model") == "b").row(0, named=True)
    assert (b["rank"], b["rank_best"], b["rank_worst"], b["without_worst"]) == (2, 2, 3, "t")


def test_a_model_of_one_track_leaves_with_it(make: Make) -> None:
    items = [{"item_id": f"i{i}", "track": "s" if i < 2 else "t"} for i in range(4)]
    data = make(verdict_rows({"a": "1111", "b": "0011", "c": "10--"}), items=items)
    found = table(data, influence, "influence").sort("left_out")
    assert found["n_models"].to_list() == [2, 3]
    stability = table(data, influence, "rank_stability")
    assert stability.filter(pl.col("model") == "c")["n_left_out"].to_list() == [1]


def test_clusters_are_left_out_only_if_declared(make: Make) -> None:
    items = [{"item_id": f"i{i}", "cluster_id": f"c{i % 2}"} for i in range(4)]
    rows = verdict_rows({"a": "1101", "b": "0011"})
    assert table(make(rows, items=items), influence, "influence").height == 0
    declared = table(make(rows, card="cluster: cluster_id", items=items), influence, "influence")
    assert declared["left_out"].sort().to_list() == ["c0", "c1"]


def quality(data: BenchmarkData) -> dict[tuple[str, str], dict[str, object]]:
    """Return the findings by check and subject."""
    found = table(data, data_quality, "data_quality")
    return {(row["check"], row["subject"]): row for row in found.iter_rows(named=True)}


def test_a_clean_benchmark_says_that_all_was_looked_for(make: Make) -> None:
    found = quality(make([{**row, "cost_usd": 0.1} for row in verdict_rows({"a": "10", "b": "11"})]))
    assert {row["status"] for row in found.values()} == {"ok"}
    assert found["duplicate_rows", ""]["note"] == "No model, item and run stands twice."
    assert ("excluded_cells", "") in found


def test_every_oddity_has_a_row(make: Make) -> None:
    rows = [
        *verdict_rows({"a": "1x.0", "b": "1-10"}),
        {"model": "a", "item_id": "i0", "verdict": "incorrect"},
        {"model": "a", "item_id": "I0", "verdict": "correct"},
    ]
    items = [
        {"item_id": "I0", "cluster_id": "p"},
        *({"item_id": f"i{i}", "cluster_id": "p"} for i in range(4)),
    ]
    found = quality(make(rows, items=items, lenient=True))
    assert found["duplicate_rows", ""]["n"] == 1
    assert found["excluded_cells", ""]["n"] == 1
    assert found["unscored_cells", "a"]["n"] == 1
    assert found["missing_cells", ""]["n"] == 2
    assert found["items_of_one_model", ""]["n"] == 2
    assert found["items_of_one_model", "a"]["note"] == "a: 1 of its 3 items is scored for no other model."
    assert found["near_identical_items", ""]["n"] == 1
    assert found["unpriced_rows", ""]["n"] == 8
    assert found["undeclared_clusters", ""]["status"] == "attention"


def test_label_use_is_audited(make: Make) -> None:
    rows = [
        {"model": "a", "item_id": "i0", "verdict": "incorrect", "labels": ["odd"]},
        {"model": "a", "item_id": "i1", "verdict": "incorrect", "labels": []},
        {"model": "a", "item_id": "i2", "verdict": "correct", "labels": ["known"]},
    ]
    found = quality(make(rows, card="labels: {known: fine, never: unseen}"))
    assert found["failures_without_label", ""]["n"] == 1
    assert found["labels_on_success", ""]["n"] == 1
    assert found["label_use", "odd"]["note"] == "odd stands in 1 row, but not in the card."
    assert found["label_use", "never"]["status"] == "attention"
    assert found["label_use", "known"]["status"] == "ok"


def test_unequal_runs_and_identical_models(make: Make) -> None:
    rows = verdict_rows({"a": "10" * 10, "b": "10" * 10}) + [
        {"model": "c", "item_id": f"i{i}", "run": r, "verdict": "correct"} for i in range(20) for r in (0, 1)
    ]
    for row in rows:
        row.setdefault("run", 0)
    found = quality(make(rows))
    assert found["identical_models", ""]["note"] == "a and b agree on all 20 common items."
    assert found["unequal_runs", ""]["status"] == "attention"


def test_ratings_that_match_nothing_are_named(make: Make) -> None:
    ratings = [{"model": "a", "item_id": "i0::0", "rater": "j", "rater_kind": "judge", "label": "yes"}]
    found = quality(make(verdict_rows({"a": "1"}), ratings))
    assert found["ratings_without_verdict", ""]["note"] == (
        "1 of 1 rating is of a model and item without a verdict, such as item i0::0: no verdict can be set "
        "beside it."
    )


def test_the_verdict_that_is_a_rater_is_named(make: Make) -> None:
    words = ["yes", "no"] * 10
    found = quality(make(verdict_rows({"m": "10" * 10}), rating_rows("own", "judge", words)))
    assert found["rater_is_verdict", "own"]["status"] == "attention"


@pytest.mark.parametrize("module", EVERY, ids=lambda m: m.__name__.rsplit(".", 1)[-1])
def test_two_runs_give_the_same_tables(make: Make, module: object) -> None:
    rows = runs("a", ["11", "10", "00", "01", "11"]) + runs("b", ["1", "0", "1", "1", "0"])
    one, two = (module.derive(make(rows)) for _ in range(2))  # type: ignore[attr-defined]
    for name, (frame, method) in one.items():
        assert_frame_equal(frame, two[name][0])
        assert method
        conform(frame, name)


@pytest.mark.parametrize("module", EVERY, ids=lambda m: m.__name__.rsplit(".", 1)[-1])
def test_one_model_and_one_item_are_enough(make: Make, module: object) -> None:
    for name, (frame, _) in module.derive(make(verdict_rows({"a": "1"}))).items():  # type: ignore[attr-defined]
        conform(frame, name)


@pytest.mark.parametrize("module", EVERY, ids=lambda m: m.__name__.rsplit(".", 1)[-1])
def test_nothing_scored_at_all(make: Make, module: object) -> None:
    data = make(verdict_rows({"a": "xx", "b": ".."}))
    for name, (frame, _) in module.derive(data).items():  # type: ignore[attr-defined]
        conform(frame, name)
