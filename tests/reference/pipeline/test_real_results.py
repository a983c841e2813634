"""Every real data set reproduces the numbers that plain independent code computed from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.config import Config
from analysis.derived import RULES, derive, read_derived, write_benchmark
from analysis.ingest.benchmark import read_benchmark

SETS = (
    "gsm8k_2021",
    "helm_safety",
    "jailbreakbench",
    "llmdrift",
    "medagents",
    "pandalm",
    "tau_trials",
    "xsum_halluc",
)
TOLERANCE = {"rel": 1e-9, "abs": 1e-9}

Derived = tuple[dict[str, pl.DataFrame], dict[str, Any]]


@pytest.fixture(scope="module", params=SETS)
def derived(
    request: pytest.FixtureRequest, data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Derived:
    """Every derived table of one data set, and its reference numbers."""
    folder = data_dir / request.param
    out = tmp_path_factory.mktemp(request.param)
    write_benchmark(read_benchmark(folder), out, Config())
    for rule in RULES:
        derive(rule, out)
    return read_derived(out), json.loads((folder / "reference.json").read_text())


def test_everything_is_read(derived: Derived) -> None:
    tables, reference = derived
    assert tables["verdicts"].height == reference["n_rows"]
    assert tables["models"].height == reference["n_models"]
    assert tables["items"].height == reference["n_items"]
    assert set(tables["model_scores"]["track"]) == set(reference["tracks"])


def test_scores_and_ranks(derived: Derived) -> None:
    tables, reference = derived
    scores = tables["model_scores"].filter(metric="correct")
    for track, expected in reference["tracks"].items():
        boot = scores.filter((pl.col("track") == track) & pl.col("method").str.contains("bootstrap")).sort(
            "rank"
        )
        assert boot["model"].to_list() == expected["rank_order"], track
        for row in boot.iter_rows(named=True):
            want = expected["model_scores"][row["model"]]
            assert row["estimate"] == pytest.approx(want["estimate"], **TOLERANCE)
            for name in ("n_items", "n_excluded", "n_unscored", "n_missing"):
                assert row[name] == want[name], (track, row["model"], name)


def test_wilson_limits_stand_exactly_where_they_are_valid(derived: Derived) -> None:
    tables, reference = derived
    wilson = tables["model_scores"].filter(metric="correct", method="wilson")
    for track, expected in reference["tracks"].items():
        rows = {row["model"]: row for row in wilson.filter(track=track).iter_rows(named=True)}
        want = {m: s["wilson"] for m, s in expected["model_scores"].items() if "wilson" in s}
        assert set(rows) == set(want), track
        for model, limits in want.items():
            assert [rows[model]["ci_low"], rows[model]["ci_high"]] == pytest.approx(limits, **TOLERANCE)


def test_counts(derived: Derived) -> None:
    tables, reference = derived
    for track, expected in reference["tracks"].items():
        rows = tables["count_distribution"].filter(track=track)
        answered = rows.filter(basis="answered")
        assert answered["n_items"].sum() == expected["n_answered"]
        assert histogram(answered) == expected["k_histogram"]
        zero = answered.filter(k=0)
        assert [zero["ci_low"][0], zero["ci_high"][0]] == pytest.approx(expected["zero_wilson"], **TOLERANCE)
        complete = rows.filter(basis="complete")
        assert complete["n_items"].sum() == expected["complete"]["n_items"]
        assert histogram(complete) == expected["complete"]["k_histogram"]
    counts = tables["item_counts"]
    assert counts.height == reference["tracks"]["all"]["n_answered"]


def histogram(rows: pl.DataFrame) -> dict[str, int]:
    return {str(k): n for k, n in rows.filter(pl.col("n_items") > 0).select("k", "n_items").iter_rows()}


def test_unique_solves(derived: Derived) -> None:
    tables, reference = derived
    for track, expected in reference["tracks"].items():
        rows = tables["unique_solves"].filter(track=track)
        assert (
            dict(rows.filter(basis="answered").select("model", "n_unique").iter_rows()) == expected["unique"]
        )
        complete = dict(rows.filter(basis="complete").select("model", "n_unique").iter_rows())
        # No rows where no item is complete, though the reference lists zeros.
        assert complete == (expected["complete"]["unique"] if expected["complete"]["n_items"] else {})


def test_greedy_coverage(derived: Derived) -> None:
    tables, reference = derived
    for track, expected in reference["tracks"].items():
        rows = tables["coverage"].filter(track=track, basis="answered", method="greedy").sort("step")
        assert [list(row) for row in rows.select("model", "gained", "covered").iter_rows()] == expected[
            "greedy"
        ]


def test_the_optimum_is_never_worse_than_the_greedy_ensemble(derived: Derived) -> None:
    tables, _ = derived
    coverage = tables["coverage"]
    key = ["track", "basis", "step"]
    greedy = coverage.filter(method="greedy").select(*key, greedy="covered")
    optimal = (
        coverage.filter(method="optimal")
        .group_by(key)
        .agg(pl.col("covered").n_unique().alias("values"), pl.col("covered").first(), pl.len().alias("size"))
    )
    both = greedy.join(optimal, on=key, how="full", coalesce=True)
    assert both.filter(pl.any_horizontal(pl.all().is_null())).height == 0
    assert both.filter((pl.col("covered") < pl.col("greedy")) | (pl.col("values") != 1)).height == 0
    assert both.filter(pl.col("size") != pl.col("step")).height == 0
    first = both.filter(step=1)
    assert first["covered"].to_list() == first["greedy"].to_list()


def test_concordance(derived: Derived) -> None:
    tables, reference = derived
    for track, expected in reference["tracks"].items():
        rows = tables["concordance"].filter(track=track)
        found = {frozenset(r[:2]): r[2:] for r in rows.drop("track").iter_rows()}
        for pair, want in expected["concordance"].items():
            n, agreement, correct_agreement, _ = found[frozenset(pair.split("\t"))]
            assert n == want["n"]
            assert correct_agreement == pytest.approx(want["correct_agreement"], **TOLERANCE)
            if "agreement" in want:
                assert agreement == pytest.approx(want["agreement"], **TOLERANCE)


def test_adjacent_pairs(derived: Derived) -> None:
    tables, reference = derived
    tests = tables["pairwise_tests"].filter(metric="correct")
    for track, expected in reference["tracks"].items():
        rows = {(r["model_a"], r["model_b"]): r for r in tests.filter(track=track).iter_rows(named=True)}
        adjacent = {key for key, r in rows.items() if r["adjacent"]}
        assert adjacent == {(want["a"], want["b"]) for want in expected["adjacent"]}
        for want in expected["adjacent"]:
            row = rows[want["a"], want["b"]]
            assert (row["n_items"], row["n_better"], row["n_worse"]) == (
                want["n"],
                want["better"],
                want["worse"],
            )
            if want["n"] == 0:
                assert (row["difference"], row["p_value"], row["p_holm"]) == (None, None, None)
                continue
            assert row["difference"] == pytest.approx(want["difference"], **TOLERANCE)
            if want["p"] is not None:
                assert row["p_value"] == pytest.approx(want["p"], rel=1e-9)


def test_tiers(derived: Derived) -> None:
    tables, reference = derived
    for track, expected in reference["tracks"].items():
        if "tiers" in expected:
            rows = tables["tiers"].filter(track=track, metric="correct")
            assert dict(rows.select("model", "tier").iter_rows()) == expected["tiers"], track


def test_labels(derived: Derived) -> None:
    tables, reference = derived
    rows = tables["failure_labels"].filter((pl.col("track") == "all") & (pl.col("count") > 0))
    found = {f"{r['model']}\t{r['label']}": r["count"] for r in rows.iter_rows(named=True)}
    assert found == reference.get("label_counts", {})
    n_items = dict(
        tables["failure_labels"].filter(track="all").select("model", "n_items").unique().iter_rows()
    )
    assert n_items == reference.get("label_n_items", {})
