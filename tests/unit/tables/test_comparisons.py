"""Pairs, families, tiers, letters, costs and labels, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from analysis.tables.comparisons import assign_tiers, compare_models
from analysis.tables.concordance import compare_verdicts
from analysis.tables.costs import price_models
from analysis.tables.decisions import count_decisions
from analysis.tables.families import adjust_tests, compare_all_models
from analysis.tables.frontier import trace_frontier
from analysis.tables.labels import count_labels
from analysis.tables.strata import stratify_scores
from tests.unit.tables.conftest import Make, grid


def test_pairs_stand_once_the_higher_ranked_first(make: Make) -> None:
    data = make(grid({"a": "1000", "b": "1110", "c": "1100"}))
    table = compare_models(data).select("model_a", "model_b", "difference", "n_better", "n_worse", "adjacent")
    assert sorted(table.rows()) == [
        ("b", "a", 0.5, 2, 0, False),
        ("b", "c", 0.25, 1, 0, True),
        ("c", "a", 0.25, 1, 0, True),
    ]


def test_exact_p_and_both_families(make: Make) -> None:
    # 8 discordant items, all for a: p = 2 / 2^8. b and c agree everywhere: p = 1.
    data = make(grid({"a": "1" * 8, "b": "0" * 8, "c": "0" * 8}))
    table = compare_models(data).sort("model_a", "model_b")
    p = 2 / 256
    assert table["p_value"].to_list() == pytest.approx([p, p, 1.0])
    assert table["p_bonferroni"].to_list() == [pytest.approx(2 * p), None, 1.0]
    assert table["p_holm"].to_list() == pytest.approx([3 * p, 3 * p, 1.0])
    assert table["significant"].to_list() == [True, True, False]
    tiers = assign_tiers(data, compare_models(data)).sort("rank")
    assert tiers.select("model", "tier", "letters", "rank_low", "rank_high").rows() == [
        ("a", 1, "a", 1, 1),
        ("b", 2, "b", 2, 3),
        ("c", 2, "b", 2, 3),
    ]
    assert tiers["alpha_adjusted"].to_list() == pytest.approx([0.025] * 3)


def test_other_families(make: Make) -> None:
    # p = 2 / 2^8 twice and 1: Benjamini-Hochberg doubles nothing of the first two but 3/2.
    data = make(grid({"a": "1" * 8, "b": "0" * 8, "c": "0" * 8}))
    tests = compare_models(data)
    table = adjust_tests(data, tests).sort("model_a", "model_b")
    assert table["p_benjamini_hochberg"].to_list() == pytest.approx([3 / 256, 3 / 256, 1.0])
    assert table["p_holm"].to_list() == tests.sort("model_a", "model_b")["p_holm"].to_list()
    varied = make(grid({"a": "1" * 55 + "0" * 5, "b": "0" * 5 + "1" * 55, "c": "10" * 30}))
    by_pair = {row[2:4]: row[-1] for row in adjust_tests(varied, compare_models(varied)).rows()}
    assert by_pair["a", "b"] > 0.5
    assert max(by_pair["a", "c"], by_pair["b", "c"]) < 0.01


def test_the_omnibus_test(make: Make) -> None:
    # The example of Cochran's Q worked out in `analysis.stats.mcnemar`, one incomplete item aside.
    row = compare_all_models(make(grid({"a": "111101", "b": "01010x", "c": "000101"}))).row(0, named=True)
    assert (row["n_models"], row["n_items"], row["degrees_of_freedom"]) == (3, 5, 2)
    assert (row["statistic"], row["p_value"]) == (
        pytest.approx(4.6667, abs=1e-4),
        pytest.approx(0.0970, abs=1e-4),
    )
    clustered = make(grid({"a": "10", "b": "01"}, cluster_id="c"), "cluster: cluster_id")
    assert compare_all_models(clustered).height == 0


def test_pairs_without_common_items_leave_every_family(make: Make) -> None:
    data = make(grid({"a": "11111111--------", "b": "--------11111110", "c": "--------00000000"}))
    table = compare_models(data)
    alone = table.filter(pl.col("n_items") == 0)
    assert alone.height == 2
    assert alone.select("p_value", "p_bonferroni", "p_holm", "difference").rows() == [(None,) * 4] * 2
    tested = table.filter(pl.col("n_items") > 0)
    assert tested["p_bonferroni"].to_list() == tested["p_value"].to_list()
    tiers = assign_tiers(data, table).sort("rank")
    assert tiers.select("model", "tier", "p_next").rows()[:2] == [
        ("a", 1, None),
        ("b", 1, pytest.approx(2 / 128)),
    ]
    assert tiers["tier"].to_list() == [1, 1, 2]


def test_a_reversal_starts_no_tier(make: Make) -> None:
    # a ranks first on its own items, yet loses to b on every common item.
    data = make(grid({"a": "1" * 20 + "0" * 9, "b": "-" * 20 + "1" * 6 + "0" * 3 + "0" * 4}))
    tiers = assign_tiers(data, compare_models(data)).sort("rank")
    assert tiers.select("model", "tier", "reversal").rows() == [("a", 1, True), ("b", 1, False)]


def test_the_best_set_holds_what_cannot_be_told_from_the_best(make: Make) -> None:
    half = "10" * 30
    data = make(grid({"a": "1" * 55 + "0" * 5, "b": "0" * 5 + "1" * 55, "c": half}))
    tiers = assign_tiers(data, compare_models(data))
    assert tiers.filter("in_best_set")["model"].to_list() == ["a", "b"]


def test_one_model_has_no_pairs_and_one_tier(make: Make) -> None:
    data = make(grid({"a": "10"}))
    tests = compare_models(data)
    assert tests.height == 0
    assert assign_tiers(data, tests).select(
        "tier", "letters", "rank_low", "rank_high", "in_best_set"
    ).rows() == [(1, "a", 1, 1, True)]


def test_clusters_flip_whole(make: Make) -> None:
    # Six clusters of two items, all for a: p = 2 / 2^6, not 2 / 2^12.
    rows = [
        {**r, "cluster_id": str(int(r["item_id"][1:]) // 2)} for r in grid({"a": "1" * 12, "b": "0" * 12})
    ]
    clustered = compare_models(make(rows, "cluster: cluster_id"))
    assert clustered["p_value"].to_list() == pytest.approx([2 / 64])
    assert clustered["method"].to_list() == ["cluster_sign_flip_exact"]
    assert compare_models(make(rows))["p_value"].to_list() == pytest.approx([2 / 4096])


def test_concordance(make: Make) -> None:
    data = make(grid({"a": "1p0-", "b": "100x"}))
    row = compare_verdicts(data).row(0, named=True)
    assert (row["model_a"], row["model_b"], row["n_items"]) == ("a", "b", 3)
    assert row["agreement"] == pytest.approx(2 / 3)
    assert row["correct_agreement"] == 1.0
    # Expected agreement: (1/3)(1/3) + (1/3)(2/3) = 1/3.
    assert row["kappa"] == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))


def test_kappa_of_one_class_is_null(make: Make) -> None:
    assert compare_verdicts(make(grid({"a": "11", "b": "11"})))["kappa"].to_list() == [None]


def test_labels_count_excluded_and_unscored_items_and_keep_zeros(make: Make) -> None:
    rows = grid({"a": "0x.", "b": "10-"})
    for row, labels in zip(rows, [["F1"], ["T1"], ["F1", "F1"], [], []], strict=True):
        row["labels"] = labels
    table = count_labels(make(rows, "labels: {F1: one, F2: two, T1: tech}")).filter(track="all")
    assert table.select("model", "label", "count", "n_items").rows() == [
        ("a", "F1", 2, 3),
        ("a", "F2", 0, 3),
        ("a", "T1", 1, 3),
        ("b", "F1", 0, 2),
        ("b", "F2", 0, 2),
        ("b", "T1", 0, 2),
    ]


def test_decisions(make: Make) -> None:
    rows = grid({"a": "10"})
    rows[0]["decision"], rows[1]["decision"] = "go", "wait"
    table = count_decisions(make(rows, "decisions: {decisive: [go, leap]}"))
    assert table.select("decision", "count", "rate", "decisive").rows() == [
        ("go", 1, 0.5, True),
        ("leap", 0, 0.0, True),
        ("wait", 1, 0.5, False),
    ]


def test_strata_count_what_no_model_solves(make: Make) -> None:
    rows = [
        {**r, "question_type": "q" if r["item_id"] < "i2" else "r"} for r in grid({"a": "1000", "b": "1010"})
    ]
    table = stratify_scores(make(rows))
    assert table.select(
        "value", "model", "n_items", "estimate", "n_zero_correct", "n_stratum_items"
    ).rows() == [
        ("q", "a", 2, 0.5, 1, 2),
        ("q", "b", 2, 0.5, 1, 2),
        ("r", "a", 2, 0.0, 1, 2),
        ("r", "b", 2, 0.5, 1, 2),
    ]


def priced(model: str, **columns: object) -> list[dict[str, object]]:
    return [{"model": model, "item_id": f"i{i}", "correct": True, **columns} for i in range(2)]


def test_where_costs_come_from(make: Make) -> None:
    none = {"cost_usd": None, "input_tokens": None, "output_tokens": None}
    rows = (
        priced("by_total", **{**none, "cost_usd": 9.0})
        + priced("by_rows", **{**none, "cost_usd": 0.5})
        + priced("by_tokens", **{**none, "cost_usd": 0.0, "input_tokens": 1e6, "output_tokens": 5e5})
        + priced("zero", **{**none, "cost_usd": 0.0})
        + priced("given_away", **{**none, "cost_usd": 0.0})
        + priced("unpriced", **none)
    )
    models = "model,total_cost_usd,input_price_usd,output_price_usd\nby_total,4,,\nby_tokens,,2,4\n"
    data = make(rows, "free_models: [given_away]", models)
    table = price_models(data).select("model", "basis", "cost_usd").rows()
    assert table == [
        ("by_rows", "cost_usd", 1.0),
        ("by_tokens", "tokens", 8.0),
        ("by_total", "total_cost_usd", 4.0),
        ("given_away", "cost_usd", 0.0),
        ("unpriced", "unpriced", None),
        ("zero", "unpriced", None),
    ]
    frontier = trace_frontier(data).select("model", "cost_per_response_usd", "on_frontier", "dominated_by")
    assert {row[0]: row[1:] for row in frontier.rows()} == {
        "by_rows": (0.5, False, "given_away"),
        "by_tokens": (4.0, False, "given_away"),
        "by_total": (2.0, False, "given_away"),
        "given_away": (0.0, True, None),
        "unpriced": (None, False, None),
        "zero": (None, False, None),
    }


def test_costs_do_not_depend_on_the_order_of_rows(make: Make) -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"model": m, "item_id": f"i{i}", "run": r, "correct": bool(i % 2), "cost_usd": float(rng.random())}
        for m in "ab"
        for i in range(400)
        for r in range(2)
    ]
    one, other = make(rows), make(rows)
    shuffled = replace(other, verdicts=other.verdicts.sample(fraction=1, shuffle=True, seed=5))
    assert price_models(one).equals(price_models(shuffled))
    kept = ["model", "cost_usd", "cost_per_response_usd"]
    assert trace_frontier(one).select(kept).equals(trace_frontier(shuffled).select(kept))


def test_equal_cost_and_score_both_stay_on_the_frontier(make: Make) -> None:
    rows = grid({"a": "10", "b": "01"}, cost_usd=1.0)
    table = trace_frontier(make(rows))
    assert table["on_frontier"].to_list() == [True, True]
    assert table["dominated_by"].to_list() == [None, None]
