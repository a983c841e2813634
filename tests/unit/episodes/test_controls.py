"""Paired controls: the same questions under two conditions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis.errors import DataError
from analysis.schemas import PairedControls
from analysis.stats.multiplicity import holm
from analysis.tables.episode_checks import episode_findings
from analysis.tables.paired_controls import compare_conditions
from tests.unit.episodes.conftest import Build, Row

CARD = """
cluster: cluster_id
controls:
  history: {column: track, baseline: snapshot, changed: history, match: question, primary: item_weighted}
"""


def turns(history: list[str], snapshot: list[str]) -> tuple[list[Row], dict[str, Any]]:
    """Return items and answers from one string per patient and condition; `-` where nothing was asked."""
    items: list[Row] = []
    answers: dict[str, Any] = {}
    for track, lines in (("history", history), ("snapshot", snapshot)):
        for p, line in enumerate(lines):
            for t, mark in enumerate(line):
                item, question = f"{track}-{p}-{t}", f"{p}-{t}"
                row = {"item_id": item, "track": track, "cluster_id": f"P{p}", "question": question}
                items.append({**row, "position": t + 1})
                if mark != "-":
                    answers[item] = int(mark)
    return items, answers


HISTORY, SNAPSHOT = ["111", "10", "1", "11", "011"], ["101", "11", "0", "10", "011"]


def by_endpoint(frame: pl.DataFrame, model: str = "a") -> dict[str, Row]:
    """Return a model's rows by endpoint."""
    PairedControls.validate(frame)
    return {r["endpoint"]: r for r in frame.filter(pl.col("model") == model).iter_rows(named=True)}


def flipped(differences: np.ndarray) -> float:
    """Return the two-sided p of all sign flips, gone through one by one."""
    observed = abs(differences.sum())
    signs = np.array(list(product((-1, 1), repeat=differences.size)))
    return float(np.mean(np.abs(signs @ differences) >= observed - 1e-9))


def test_differences_flips_and_counts_are_those_by_hand(build: Build) -> None:
    items, answers = turns(HISTORY, SNAPSHOT)
    rows = by_endpoint(compare_conditions(build(items, {"a": answers}, CARD)))
    item = rows["item_weighted"]
    assert (item["baseline"], item["changed"], item["primary"]) == ("snapshot", "history", True)
    assert item["score_changed"] == pytest.approx(9 / 11)
    assert item["score_baseline"] == pytest.approx(7 / 11)
    assert item["difference"] == pytest.approx(2 / 11)
    assert (item["n_items"], item["n_clusters"], item["n_unpaired"]) == (11, 5, 0)
    assert (item["n_corrected"], item["n_harmed"]) == (3, 1)
    assert (item["n_better"], item["n_worse"], item["n_unchanged"]) == (3, 1, 1)
    sums = np.array([1, -1, 1, 1, 0])
    assert item["p_value"] == pytest.approx(flipped(sums))
    macro = rows["cluster_macro"]
    means = sums / np.array([3, 2, 1, 2, 3])
    assert macro["difference"] == pytest.approx(means.mean())
    assert macro["p_value"] == pytest.approx(flipped(means))
    joint = rows["all_correct"]
    # Right throughout: P0, P2, P3 with the history, P1 without.
    assert (joint["score_changed"], joint["score_baseline"]) == (pytest.approx(3 / 5), pytest.approx(1 / 5))
    assert joint["p_value"] == pytest.approx(flipped(np.array([1, -1, 1, 1, 0])))
    assert {r["method"] for r in rows.values()} == {"cluster_sign_flip_exact"}


def test_exchanging_the_conditions_exchanges_the_signs(build: Build) -> None:
    items, answers = turns(HISTORY, SNAPSHOT)
    one = by_endpoint(compare_conditions(build(items, {"a": answers}, CARD)))
    turned = CARD.replace("baseline: snapshot, changed: history", "baseline: history, changed: snapshot")
    two = by_endpoint(compare_conditions(build(items, {"a": answers}, turned)))
    for endpoint in one:
        assert one[endpoint]["difference"] == pytest.approx(-two[endpoint]["difference"])
        assert one[endpoint]["ci_low"] == pytest.approx(-two[endpoint]["ci_high"])
        assert one[endpoint]["p_value"] == two[endpoint]["p_value"]
        assert one[endpoint]["n_better"] == two[endpoint]["n_worse"]


def test_only_questions_answered_under_both_conditions_count(build: Build) -> None:
    items, answers = turns(HISTORY, SNAPSHOT)
    items.append({"item_id": "extra", "track": "history", "cluster_id": "P0", "question": "more"})
    answers = {k: v for k, v in answers.items() if k != "snapshot-0-1"} | {"extra": 1}
    rows = by_endpoint(compare_conditions(build(items, {"a": answers}, CARD)))
    assert (rows["item_weighted"]["n_items"], rows["item_weighted"]["n_unpaired"]) == (10, 2)
    # P0 lacks a question, so it cannot be right throughout; its two others are left out with it.
    assert (rows["all_correct"]["n_clusters"], rows["all_correct"]["n_unpaired"]) == (4, 4)


def test_a_condition_that_one_model_lacks_is_said_and_not_compared(build: Build) -> None:
    items, answers = turns(HISTORY, SNAPSHOT)
    half = {k: v for k, v in answers.items() if k.startswith("history")}
    items.append({"item_id": "q", "track": "L1", "cluster_id": "Q"})
    data = build(items, {"a": answers, "b": half, "text": {"q": 1}}, CARD)
    frame = compare_conditions(data)
    assert set(frame["model"]) == {"a", "b"}
    row = by_endpoint(frame, "b")["item_weighted"]
    assert (row["n_items"], row["n_unpaired"], row["difference"], row["p_value"]) == (0, 11, None, None)
    assert row["note"] == "Answered only under 'history'."
    found = {f.check: (f.subject, f.n) for f in episode_findings(data)}
    assert (found["unpaired_answers"], found["one_condition_only"]) == (("history", 11), ("history", 1))
    # The family is the models that were compared.
    assert (
        by_endpoint(frame, "a")["item_weighted"]["p_holm"]
        == by_endpoint(frame, "a")["item_weighted"]["p_value"]
    )


def test_multiplicity_is_over_the_models_of_an_endpoint(build: Build) -> None:
    items, answers = turns(["1"] * 8, ["0"] * 8)
    other = {k: (v if k != "snapshot-0-0" else 1) for k, v in answers.items()}
    frame = compare_conditions(build(items, {"a": answers, "b": other}, CARD))
    for _, rows in frame.group_by("endpoint"):
        assert rows.sort("model")["p_holm"].to_list() == pytest.approx(
            holm(rows.sort("model")["p_value"].to_numpy())
        )


def test_conditions_may_be_models(build: Build) -> None:
    items = [{"item_id": f"q{i}", "cluster_id": f"c{i // 2}"} for i in range(8)]
    plain, thinking = ({f"q{i}": int(m) for i, m in enumerate(line)} for line in ("10101010", "11101011"))
    card = "cluster: cluster_id\ncontrols: {thinking: {models: {base: [plain, thinking]}}}"
    row = by_endpoint(compare_conditions(build(items, {"plain": plain, "thinking": thinking}, card)), "base")
    assert (row["cluster_macro"]["baseline"], row["cluster_macro"]["changed"]) == ("plain", "thinking")
    assert row["cluster_macro"]["difference"] == pytest.approx(2 / 8)
    assert (row["item_weighted"]["n_corrected"], row["item_weighted"]["n_harmed"]) == (2, 0)


def test_without_clusters_questions_flip_one_by_one(build: Build) -> None:
    items, answers = turns(["1"] * 6 + ["0"], ["0"] * 6 + ["1"])
    row = by_endpoint(
        compare_conditions(build(items, {"a": answers}, CARD.replace("cluster: cluster_id", "")))
    )
    assert row["item_weighted"]["method"] == "sign_flip_exact"
    assert row["item_weighted"]["p_value"] == pytest.approx(flipped(np.array([1] * 6 + [-1])))


BAD = {
    "column: track, baseline: snapshot, changed: cine, match: question": "names the condition 'cine'",
    "column: arm, baseline: snapshot, changed: history, match: question": "names the item column 'arm'",
    "column: track, baseline: snapshot, changed: history, match: cluster_id": "is the same for several items",
    "column: track, baseline: snapshot, changed: history, match: position": "is the same for several items",
    "models: {x: [a, z]}": "names the model 'z', which has no verdicts",
    "column: track, baseline: snapshot, changed: history, match: lone": "is shared by items of",
}


@pytest.mark.parametrize("control", BAD, ids=range(len(BAD)))
def test_a_control_that_does_not_fit_is_refused(build: Build, control: str) -> None:
    items, answers = turns(HISTORY, SNAPSHOT)
    for item in items:
        item["lone"] = None
    for item, lone in (("history-0-0", "x"), ("snapshot-1-0", "x")):
        next(i for i in items if i["item_id"] == item)["lone"] = lone
    with pytest.raises(DataError, match=BAD[control]):
        build(items, {"a": answers}, f"cluster: cluster_id\ncontrols: {{c: {{{control}}}}}")
