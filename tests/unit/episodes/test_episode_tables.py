"""Episodes, states, nested requirements, depth and groups, from data small enough to count by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from analysis.errors import DataError
from analysis.schemas import DERIVED
from analysis.tables import composition, episodes
from analysis.tables.data import BenchmarkData
from analysis.tables.episode_checks import episode_findings
from analysis.tables.model_scores import score_models
from tests.unit.episodes.conftest import Build, pathway

CARD = """
cluster: cluster_id
episodes:
  endpoints:
    image: {all_of: [pathology, t_stage]}
    strict: {all_of: [image, care]}
  nested: [pathology, t_stage, care]
  states: [care, image]
  depth: care
"""
PATIENTS = ["1 1 11", "1 0 11", "0 1 1", "1 1 10", "1 1 1", "0 0 01"]


def made(data: BenchmarkData) -> dict[str, pl.DataFrame]:
    """Return every table on episodes, validated against its schema."""
    found = {**episodes.derive(data), **composition.derive(data)}
    for name, (frame, _) in found.items():
        DERIVED[name].validate(frame)
    return {name: frame for name, (frame, _) in found.items()}


def cell(frame: pl.DataFrame, column: str, **keys: Any) -> Any:
    """Return the one value of a column where the keys hold."""
    rows = frame.filter(*(pl.col(k) == v for k, v in keys.items()))
    assert rows.height == 1, rows
    return rows[column][0]


def test_endpoints_count_whole_patients(build: Build) -> None:
    items, answers = pathway(PATIENTS)
    found = made(build(items, {"a": answers}, CARD))["episodes"].filter(pl.col("track") == "L6")
    expected = {
        "all_correct": 2,
        "all_correct:pathology": 4,
        "all_correct:t_stage": 4,
        "all_correct:care": 4,
        "image": 3,
        "strict": 2,
    }
    assert {e: cell(found, "n_success", endpoint=e, method="wilson") for e in expected} == expected
    assert found["n_clusters"].unique().to_list() == [6]
    assert set(found["method"]) == {"clopper_pearson", "cluster_bootstrap", "wilson"}
    # Exact binomial limits of 2 of 6, from the beta quantiles.
    assert cell(found, "ci_low", endpoint="strict", method="clopper_pearson") == pytest.approx(
        0.043272, abs=1e-6
    )
    assert cell(found, "ci_high", endpoint="strict", method="clopper_pearson") == pytest.approx(
        0.777222, abs=1e-6
    )


def test_states_and_nested_requirements(build: Build) -> None:
    items, answers = pathway(PATIENTS)
    tables = made(build(items, {"a": answers}, CARD))
    states = tables["episode_states"].filter(pl.col("track") == "L6")
    counts = dict(zip(states["state"], states["n_clusters"], strict=True))
    assert counts == {"none": 1, "care": 2, "image": 1, "care + image": 2}
    nested = tables["episode_nested"].filter(pl.col("track") == "L6")
    assert nested.select("step", "requirement", "n_success").rows() == [
        (1, "pathology", 4),
        (2, "t_stage", 3),
        (3, "care", 2),
    ]
    assert nested["kept"].to_list() == pytest.approx([4 / 6, 3 / 4, 2 / 3])


def test_depth_counts_the_declared_decisions_and_follows_turns(build: Build) -> None:
    items, answers = pathway(PATIENTS)
    depth = made(build(items, {"a": answers}, CARD))["episode_depth"].filter(pl.col("track") == "L6")
    by = depth.filter(pl.col("kind") == "decisions", pl.col("endpoint") == "all_correct:care").sort("step")
    assert by.select("step", "n_clusters", "n_items", "n_success").rows() == [(1, 2, 2, 2), (2, 4, 8, 2)]
    assert by["item_accuracy"].to_list() == pytest.approx([1.0, 6 / 8])
    turns = depth.filter(pl.col("kind") == "turn").sort("step")
    assert turns["endpoint"].unique().to_list() == ["all_correct:care"]
    rows = turns.select("n_clusters", "n_success", "n_at_risk", "n_failed").rows()
    # Turn 2: four patients have it, two are right in both; three were right before it, one fails at it.
    assert rows == [(6, 5, 6, 1), (4, 2, 3, 1)]
    assert turns["survival"].to_list() == pytest.approx([5 / 6, 5 / 6 * 2 / 3])


def test_the_gap_is_against_the_product_of_the_components(build: Build) -> None:
    items, answers = pathway(PATIENTS)
    gap = made(build(items, {"a": answers}, CARD))["composition_gap"].filter(pl.col("track") == "L6")
    row = gap.row(by_predicate=pl.col("endpoint") == "strict", named=True)
    assert row["parts"] == ["pathology", "t_stage", "care"]
    assert row["joint"] == pytest.approx(2 / 6)
    assert row["item_accuracy"] == pytest.approx(16 / 22)
    assert row["independent"] == pytest.approx((4 / 6) ** 3)
    assert (row["weakest"], row["weakest_part"]) == (pytest.approx(4 / 6), "pathology")
    assert row["lowest_possible"] == pytest.approx(0.0)
    care = gap.row(by_predicate=pl.col("endpoint") == "all_correct:care", named=True)
    p = 8 / 10
    assert care["parts"] == []
    assert care["independent"] == pytest.approx((2 * p + 4 * p**2) / 6)
    assert care["weakest"] is None


def test_an_incomplete_patient_is_counted_and_not_judged(build: Build) -> None:
    items, answers = pathway(["1 1 11", "1 1 11", "0 1 11"])
    other = {**answers, "P0-c1": None, "P2-c0": None}
    found = made(build(items, {"a": answers, "b": other}, CARD))["episodes"]
    rows = found.filter(pl.col("track") == "L6", pl.col("method") == "wilson", pl.col("endpoint") == "strict")
    # P2 of b is wrong in pathology already: leaving out only the undecided would be biased.
    assert rows.sort("model").select("model", "n_clusters", "n_success", "n_incomplete").rows() == [
        ("a", 3, 2, 0),
        ("b", 1, 1, 2),
    ]


def test_unscored_answers_are_wrong_where_the_card_says_so(build: Build) -> None:
    items, answers = pathway(["1 1 11", "1 1 11"])
    other = {**answers, "P0-c1": None}
    found = made(build(items, {"a": answers, "b": other}, CARD + "missing: failure\n"))["episodes"]
    assert cell(found, "n_success", track="L6", model="b", endpoint="strict", method="wilson") == 1
    assert cell(found, "n_clusters", track="L6", model="b", endpoint="strict", method="wilson") == 2


def test_a_component_missing_for_some_patients_is_counted(build: Build) -> None:
    items, answers = pathway(["1 1 11", "- 1 11", "1 1 00"])
    found = made(build(items, {"a": answers}, CARD))["episodes"]
    keys = {"track": "L6", "method": "wilson"}
    assert cell(found, "n_clusters", endpoint="strict", **keys) == 2
    assert cell(found, "n_without", endpoint="strict", **keys) == 1
    # Everything that a patient has can be right without the component.
    assert cell(found, "n_clusters", endpoint="all_correct", **keys) == 3
    assert cell(found, "n_success", endpoint="all_correct", **keys) == 2


def test_items_that_nobody_has_a_score_for_ask_for_nothing(build: Build) -> None:
    items, answers = pathway(["1 1 11", "1 1 11"])
    answers = {k: (None if k in ("P0-c1", "P1-c1") else v) for k, v in answers.items()}
    found = made(build(items, {"a": answers}, CARD))["episodes"]
    assert cell(found, "n_success", track="L6", endpoint="strict", method="wilson") == 2
    assert cell(found, "n_items", track="L6", endpoint="strict", method="wilson") == 6


def test_a_model_without_the_task_has_no_row(build: Build) -> None:
    items, answers = pathway(["1 1 11", "0 1 11"])
    items.append({"item_id": "q", "cluster_id": "Q", "track": "L1"})
    found = made(build(items, {"a": {**answers, "q": 1}, "text": {"q": 1}}, CARD))
    assert set(found["episodes"].filter(pl.col("track") == "L6")["model"]) == {"a"}
    assert set(found["episodes"].filter(pl.col("track") == "L1")["model"]) == {"a", "text"}


def test_clusters_of_one_item_have_episodes_but_no_gap(build: Build) -> None:
    items = [{"item_id": f"q{i}", "cluster_id": f"c{i}"} for i in range(5)]
    tables = made(build(items, {"a": {f"q{i}": i % 2 for i in range(5)}}))
    assert cell(tables["episodes"], "n_clusters", endpoint="all_correct", method="wilson") == 5
    assert tables["composition_gap"].is_empty()
    assert tables["episode_states"].is_empty()
    assert tables["episode_depth"].filter(pl.col("kind") == "turn").is_empty()


def test_turns_are_counted_in_order_whatever_their_numbers(build: Build) -> None:
    # Positions with a hole (1, 4) and two items at one turn (both must be right).
    rows = [("x", "A", 1), ("y", "A", 4), ("z", "A", 4), ("u", "B", 2), ("v", "B", 3)]
    items = [{"item_id": i, "cluster_id": c, "position": float(p)} for i, c, p in rows]
    found = made(build(items, {"a": {"x": 1, "y": 1, "z": 0, "u": 1, "v": 1}}))["episode_depth"]
    turns = found.filter(pl.col("kind") == "turn").sort("step")
    assert turns.select("step", "n_clusters", "n_items", "n_success").rows() == [(1, 2, 2, 2), (2, 2, 5, 1)]


def test_a_cluster_without_positions_leaves_the_curve_only(build: Build) -> None:
    rows = [("x", "A", 1), ("y", "A", 2), ("u", "B", 1), ("v", "B", None)]
    items = [{"item_id": i, "cluster_id": c, "position": p} for i, c, p in rows]
    tables = made(build(items, {"a": {"x": 1, "y": 0, "u": 1, "v": 1}}))
    turns = tables["episode_depth"].filter(pl.col("kind") == "turn")
    assert turns["n_clusters"].to_list() == [1, 1]
    assert cell(tables["episodes"], "n_clusters", endpoint="all_correct", method="wilson") == 2


def test_groups_have_endpoints_and_item_accuracy(build: Build) -> None:
    items, answers = pathway(PATIENTS)
    for item in items:
        item["source"] = "matched" if item["cluster_id"] < "P3" else "assigned"
    card = CARD + "  groups: [source]\n  construction_models: [a]\n"
    found = made(build(items, {"a": answers}, card))["episode_groups"].filter(pl.col("track") == "L6")
    assert cell(found, "n_success", value="matched", endpoint="strict") == 1
    assert cell(found, "n", value="matched", endpoint="accuracy:care") == 5
    assert cell(found, "n_success", value="matched", endpoint="accuracy:care") == 5
    assert cell(found, "share", value="assigned", endpoint="accuracy:care") == pytest.approx(3 / 5)
    assert found["construction"].all()


def test_item_weighted_and_cluster_macro_stand_side_by_side(build: Build) -> None:
    items = [{"item_id": f"q{i}", "cluster_id": "A" if i < 3 else f"B{i}"} for i in range(5)]
    scores = score_models(build(items, {"a": {"q0": 1, "q1": 1, "q2": 1, "q3": 0, "q4": 1}}))
    of = {m: cell(scores, "estimate", metric=m) for m in ("item_weighted", "cluster_macro", "correct")}
    assert of["item_weighted"] == of["correct"] == pytest.approx(4 / 5)
    assert of["cluster_macro"] == pytest.approx(2 / 3)


def test_what_episodes_rest_on_is_counted(build: Build) -> None:
    rows = [("x", "A", 1), ("y", "A", 4), ("z", "A", 4), ("u", "B", 1), ("v", "B", None), ("w", "C", 1)]
    items = [{"item_id": i, "cluster_id": c, "position": p} for i, c, p in rows]
    items += [{"item_id": "p", "cluster_id": "D", "component": "care"}]
    items += [{"item_id": "q", "cluster_id": "D", "component": "mri"}]
    answers = {i["item_id"]: 1 for i in items}
    data = build(items, {"a": answers, "b": {k: v for k, v in answers.items() if k != "u"}})
    found = {f.check: (f.n, f.of) for f in episode_findings(data)}
    assert found == {
        "clusters_of_one_item": (1, 4),
        "clusters_without_component": (3, 4),
        "incomplete_episodes": (1, 8),
        "positions_unplaced": (2, 4),
        "positions_shared": (1, 4),
        "positions_holes": (1, 4),
    }


BAD = {
    "episodes: {depth: care}": "needs clusters, and the card declares none",
    "episodes: {depth: surgery}": "names 'surgery', which is not a component of the items",
    "episodes: {endpoints: {x: {all_of: [care, mri]}}}": "names 'mri', which is not",
    "episodes: {endpoints: {care: {all_of: [t_stage]}}}": "has the name of a component",
    "episodes: {tracks: [L7]}": "names the track 'L7', which no item has",
    "episodes: {groups: [centre]}": "names the item column 'centre', which the items do not",
    "episodes: {groups: [component]}": "varies within 2 clusters",
}


@pytest.mark.parametrize("card", BAD, ids=range(len(BAD)))
def test_a_card_that_does_not_fit_is_refused(build: Build, card: str) -> None:
    items, answers = pathway(["1 1 11", "0 1 11"])
    cluster = "" if "declares none" in BAD[card] else "cluster: cluster_id\n"
    with pytest.raises(DataError, match=BAD[card]):
        build(items, {"a": answers}, cluster + card)
