"""Macro, balanced, conditional and staged endpoints, and families."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis.errors import ConfigError, DataError
from analysis.schemas import EndpointScores, FamilyProfiles
from analysis.stats.class_means import estimate_class_means
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.endpoint_scores import score_endpoints
from analysis.tables.family_profiles import profile_families
from tests.unit.episodes.conftest import Build, Row

STAGES = ["T1", "T1", "T2", "T2", "T2", "T3", "T3", "T3", "T3", "T3"]
RIGHT = [1, 0, 0, 0, 1, 1, 1, 1, 1, 0]


def staged_items() -> tuple[list[Row], dict[str, int]]:
    """Return one item per patient with its reference stage."""
    items = [
        {
            "item_id": f"p{i}",
            "cluster_id": f"p{i}",
            "component": "t",
            "stage": s,
            "bal": "yes" if i < 6 else None,
        }
        for i, s in enumerate(STAGES)
    ]
    return items, {f"p{i}": r for i, r in enumerate(RIGHT)}


def values(frame: pl.DataFrame, endpoint: str, model: str = "a") -> dict[tuple[str, str], Row]:
    """Return the first row of each statistic and part of an endpoint."""
    EndpointScores.validate(frame)
    rows = frame.filter(pl.col("endpoint") == endpoint, pl.col("model") == model)
    return {(r["statistic"], r["part"]): r for r in reversed(rows.rows(named=True))}


def test_recalls_their_mean_and_the_majority_class(build: Build) -> None:
    items, answers = staged_items()
    card = "cluster: cluster_id\nendpoints: {t: {component: t, classes: stage}}"
    found = values(score_endpoints(build(items, {"a": answers}, card)), "t")
    assert found["accuracy", ""]["estimate"] == pytest.approx(6 / 10)
    assert found["accuracy", ""]["baseline"] == pytest.approx(5 / 10)
    recalls = {"T1": (1, 2), "T2": (1, 3), "T3": (4, 5)}
    for stage, (hits, n) in recalls.items():
        row = found["recall", stage]
        assert (row["n_success"], row["n_items"]) == (hits, n)
    assert found["balanced", ""]["estimate"] == pytest.approx(np.mean([h / n for h, n in recalls.values()]))
    assert found["majority_baseline", "T3"]["estimate"] == pytest.approx(0.5)


def test_a_fixed_subset_is_the_same_for_every_model(build: Build) -> None:
    items, answers = staged_items()
    card = 'cluster: cluster_id\nendpoints: {b: {component: t, classes: stage, where: {bal: "yes"}}}'
    frame = score_endpoints(build(items, {"a": answers, "b": dict.fromkeys(answers, 1)}, card))
    for model in "ab":
        assert values(frame, "b", model)["accuracy", ""]["n_items"] == 6


def test_macro_over_groups_and_items_without_a_group(build: Build) -> None:
    items = [{"item_id": f"q{i}", "group": g} for i, g in enumerate(["x", "x", "x", "y", None])]
    answers = {"q0": 1, "q1": 1, "q2": 0, "q3": 0, "q4": 1}
    found = values(score_endpoints(build(items, {"a": answers}, "endpoints: {m: {groups: group}}")), "m")
    assert found["macro", ""]["estimate"] == pytest.approx((2 / 3 + 0) / 2)
    assert found["group", "x"]["estimate"] == pytest.approx(2 / 3)
    assert (found["accuracy", ""]["n_items"], found["accuracy", ""]["n_left_out"]) == (4, 1)
    assert found["accuracy", ""]["baseline"] is None


def test_a_class_that_resamples_may_lack_has_no_balanced_interval(build: Build) -> None:
    # As the pathology of the paper's cohort: 99 positive, one negative.
    items = [{"item_id": f"p{i}", "cluster_id": f"p{i}", "label": "-" if i == 0 else "+"} for i in range(100)]
    card = "cluster: cluster_id\nendpoints: {path: {classes: label}}"
    answers = {f"p{i}": int(i != 0) for i in range(100)}
    found = values(score_endpoints(build(items, {"a": answers}, card)), "path")
    assert found["accuracy", ""]["estimate"] == found["accuracy", ""]["baseline"] == pytest.approx(0.99)
    assert found["balanced", ""]["estimate"] == pytest.approx(0.5)
    assert found["balanced", ""]["ci_low"] is None


def test_balanced_resamples_are_those_by_hand() -> None:
    rng = np.random.default_rng(2)
    score, code, cluster = (rng.random(60) < 0.6) * 1.0, rng.integers(0, 3, 60), rng.integers(0, 25, 60)
    units = ResampledUnits.create(60, rng=np.random.default_rng(3), n_resamples=400, clusters=cluster)
    result = estimate_class_means(score, code, 3, units=units, level=0.9)
    found = []
    for _, weights in units.weights():
        for w in weights:
            parts = [np.sum(w * score * (code == k)) / np.sum(w * (code == k)) for k in range(3)]
            found.append(np.mean(parts))
    low, high = result["balanced"][1:]
    # The limits cut off a little more than the nominal tail, to make up for few clusters.
    assert np.quantile(found, 0.02) <= low <= np.quantile(found, 0.06)
    assert np.quantile(found, 0.94) <= high <= np.quantile(found, 0.98)


def cards(structures: str, invasions: str) -> tuple[list[Row], dict[str, Any]]:
    """Return two patients with three cards each: whether structure and invasion were right."""
    items: list[Row] = []
    answers: dict[str, Any] = {}
    for i, (s, v) in enumerate(zip(structures, invasions, strict=True)):
        for component, mark in (("structure", s), ("invasion", v)):
            item = f"{component}{i}"
            row = {"item_id": item, "cluster_id": f"P{i // 3}", "component": component, "card": f"k{i}"}
            items.append(row)
            if mark != "-":
                answers[item] = int(mark)
    return items, answers


def test_conditional_correctness_is_among_the_cards_with_the_condition(build: Build) -> None:
    items, answers = cards("110101", "101-01")
    card = "cluster: cluster_id\nendpoints: {inv: {component: invasion, given: structure, within: card}}"
    data = build(items, {"a": answers, "b": dict.fromkeys([i["item_id"] for i in items], 1)}, card)
    found = values(score_endpoints(data), "inv")
    # Card 3 has no invasion answer of a; of the other five, 0, 1 and 5 have the right structure.
    assert (found["given", ""]["n_success"], found["given", ""]["n_items"]) == (3, 5)
    assert (found["joint", ""]["n_success"], found["joint", ""]["n_items"]) == (2, 5)
    assert (found["conditional", ""]["n_success"], found["conditional", ""]["n_items"]) == (2, 3)
    assert found["conditional", ""]["n_left_out"] == 1


STAGING = """
cluster: cluster_id
endpoints:
  oracle: {classes: stage, staging: &s {evidence: invasion, slot: structure, reference: truth,
           rules: [{stage: T4, any_of: [orbit]}, {stage: T2, any_of: [para]}], otherwise: T1}}
  model: {classes: stage, staging: {<<: *s, slot_decided_by: where, within: card}}
"""


def evidence() -> tuple[list[Row], dict[str, Any]]:
    """Return two patients with two cards each: what was seen, and where the model puts it."""
    # patient, slot, truth, stage, decision on invasion, decision on the slot
    rows = [
        ("P0", "orbit", "1", "T4", "1", "para"),
        ("P0", "para", "0", "T4", "0", "para"),
        ("P1", "orbit", "0", "T2", "0", "orbit"),
        ("P1", "para", "1", "T2", "1", "para"),
    ]
    items: list[Row] = []
    answers: dict[str, Any] = {}
    for i, (patient, slot, truth, stage, seen, where) in enumerate(rows):
        base = {"cluster_id": patient, "structure": slot, "card": f"k{i}", "truth": truth, "stage": stage}
        items += [
            {"item_id": f"v{i}", "component": "invasion", **base},
            {"item_id": f"w{i}", "component": "where", **base},
        ]
        answers |= {f"v{i}": (int(seen == truth), seen), f"w{i}": (int(where == slot), where)}
    return items, answers


def test_oracle_slots_and_model_slots_give_their_stages(build: Build) -> None:
    items, answers = evidence()
    frame = score_endpoints(build(items, {"a": answers}, STAGING))
    oracle, model = values(frame, "oracle"), values(frame, "model")
    assert oracle["accuracy", ""]["n_success"] == 2
    # The model put the invaded orbit into the other slot: T2 instead of T4.
    assert model["accuracy", ""]["n_success"] == 1
    assert (model["recall", "T4"]["n_success"], model["recall", "T2"]["n_success"]) == (0, 1)
    assert oracle["ceiling", ""]["n_success"] == 2


def test_missing_evidence_is_absent_and_no_evidence_is_left_out(build: Build) -> None:
    items, answers = evidence()
    part = {k: v for k, v in answers.items() if k == "v1"}
    found = values(score_endpoints(build(items, {"a": answers, "b": part}, STAGING)), "oracle", "b")
    # Of P0 only the absent slot is known: stage T1 by default; P1 has nothing.
    assert (found["accuracy", ""]["n_items"], found["accuracy", ""]["n_success"]) == (1, 0)
    assert found["accuracy", ""]["n_left_out"] == 1


BAD = {
    "t: {track: L9}": "asks for track 'L9', which no item has",
    "t: {component: mri}": "names the component 'mri', which no item there has",
    "t: {classes: grade}": "names the item column 'grade', which the items do not have",
    "t: {where: {stage: T9}}": "asks for stage 'T9', which no item has",
}


@pytest.mark.parametrize("endpoint", BAD, ids=range(len(BAD)))
def test_an_endpoint_that_does_not_fit_is_refused(build: Build, endpoint: str) -> None:
    items, answers = staged_items()
    with pytest.raises(DataError, match=BAD[endpoint]):
        build(items, {"a": answers}, f"strata: [stage]\nendpoints: {{{endpoint}}}")


def test_an_endpoint_that_contradicts_itself_is_refused(build: Build) -> None:
    items, answers = staged_items()
    with pytest.raises(ConfigError, match="given needs component"):
        build(items, {"a": answers}, "endpoints: {t: {given: t}}")


def test_families_count_what_is_not_available(build: Build) -> None:
    items = [{"item_id": f"{t}{i}", "track": t} for t in ("text", "image") for i in range(4)]
    answers = {
        "a1": {f"text{i}": int(i < 3) for i in range(4)} | {f"image{i}": int(i < 1) for i in range(4)},
        "a2": {f"text{i}": int(i < 1) for i in range(4)} | {f"image{i}": int(i < 2) for i in range(4)},
        "a3": {f"text{i}": int(i < 2) for i in range(4)},
        "b1": {f"text{i}": 1 for i in range(4)},
    }
    models = [{"model": m, "family": m[0].upper()} for m in answers]
    frame = profile_families(build(items, answers, "", models=models))
    FamilyProfiles.validate(frame)
    found = {(r["track"], r["family"]): r for r in frame.iter_rows(named=True)}
    text, image = found["text", "A"], found["image", "A"]
    assert (text["n_models"], text["n_available"], text["median"], text["best_model"]) == (3, 3, 0.5, "a1")
    # a3 has no image task: neither a failure nor a zero.
    assert (image["n_available"], image["median"], image["best_model"]) == (2, pytest.approx(0.375), "a2")
    assert text["n_best_models"] == 2
    assert (found["image", "B"]["n_available"], found["image", "B"]["median"]) == (0, None)
    assert (found["text", "B"]["rank"], found["text", "A"]["rank"], found["image", "B"]["rank"]) == (
        1,
        2,
        None,
    )
