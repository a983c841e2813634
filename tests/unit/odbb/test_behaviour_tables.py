"""The tables about behaviour, on benchmarks small enough to work out by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import read_benchmark
from analysis.schemas import TABLES
from analysis.tables.concordance import compare_verdicts
from analysis.tables.data import BenchmarkData
from analysis.tables.decisiveness import relate_decisions
from analysis.tables.flag_outcomes import relate_flags
from analysis.tables.model_clusters import cluster_models, complete_linkage
from analysis.tables.rank_shifts import shift_ranks
from analysis.tables.review_outcomes import agree_by_class, count_rating_labels
from analysis.tables.score_distribution import distribute_scores, graded_metrics, summarise_scores
from analysis.tables.specialties import find_specialties
from analysis.tables.threshold_sensitivity import vary_thresholds
from analysis.tables.version_changes import compare_versions, version_pairs

Make = Callable[..., BenchmarkData]
NAMES = {"1": "correct", "0": "incorrect", "p": "partial", "x": "technical_failure"}


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes benchmark data of rows, a card and companions."""

    def build(
        rows: list[dict[str, Any]], card: str = "", **companions: list[dict[str, Any]]
    ) -> BenchmarkData:
        folder = tmp_path / "bench"
        folder.mkdir(exist_ok=True)
        (folder / "benchmark.yaml").write_text(card)
        for name, table in {"verdicts": rows, **companions}.items():
            pl.DataFrame(table, infer_schema_length=None).write_parquet(folder / f"{name}.parquet")
        made = read_benchmark(folder)
        settings = settings_for(made.card, Config())
        return BenchmarkData(made.verdicts, made.items, made.models, made.card, settings, made.ratings)

    return build


def row(model: str, item: int, mark: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "item_id": f"i{item}", "verdict": NAMES[mark]} | more


def checked(name: str, table: pl.DataFrame) -> pl.DataFrame:
    return TABLES[name].validate(table)


CARD = """
labels: {hard_one: {hard: true}, soft: {}}
decisions: {decisive: [act]}
"""


def behaving() -> list[dict[str, Any]]:
    return [
        row("a", 0, "1", labels=[], decision="act", flags=["knows"]),
        row("a", 1, "0", labels=["hard_one"], decision="act", flags=[]),
        row("a", 2, "p", labels=["soft"], decision="ask", flags=["knows"]),
        row("a", 3, "1", labels=[], decision="ask", flags=["knows"]),
        row("a", 4, "x", labels=["soft"], decision=None, flags=[]),
        row("b", 0, "0", labels=["hard_one"], decision="act", flags=["knows"]),
        row("b", 1, "0", labels=["hard_one"], decision="act", flags=[]),
        row("b", 2, "1", labels=[], decision="act", flags=[]),
    ]


def test_flags_against_success(make: Make) -> None:
    table = checked("flag_outcomes", relate_flags(make(behaving(), CARD)))
    counts = ["n_items", "n_flagged", "n_flagged_failed", "n_failed", "gap", "share_of_failures"]
    assert table.filter(pl.col("model") == "a").select(counts).row(0) == (5, 3, 1, 3, 0.2, 1 / 3)
    assert table.filter(pl.col("model") == "b").select(counts).row(0) == (3, 1, 1, 2, 1 / 3, 0.5)


def test_a_flag_of_one_run_and_the_success_of_another_are_told_apart(make: Make) -> None:
    rows = [
        row("a", 0, "1", run=0, flags=["knows"]),
        row("a", 0, "0", run=1, flags=[]),
        row("a", 1, "1", run=0, flags=[]),
        row("a", 1, "0", run=1, flags=["knows"]),
    ]
    table = relate_flags(make(rows))
    assert table.select("n_items", "n_flagged", "n_flagged_failed").row(0) == (2, 2, 1)


def test_decisions_against_failures(make: Make) -> None:
    table = checked("decisiveness", relate_decisions(make(behaving(), CARD)))
    a, b = table.sort("model").iter_rows(named=True)
    # The technical failure took no decision: four responses of a, not five.
    assert (a["n_responses"], a["n_decisive"], a["n_hard"], a["n_decisive_hard"]) == (4, 2, 1, 1)
    assert (a["correct_given_decisive"], a["correct_given_cautious"]) == (0.5, 0.5)
    assert (b["decisive_rate"], b["hard_given_decisive"]) == (1.0, 2 / 3)
    # Every response of b is decisive: nothing is known of the others.
    assert b["correct_given_cautious"] is None


MODELS = [
    {"model": "b", "family": "f", "released": "2025-01"},
    {"model": "a", "family": "f", "released": None},
    {"model": "c", "family": "g", "released": None},
    {"model": "absent", "family": "f", "released": "2024-01"},
]


def test_versions_are_ordered_by_release_then_name(make: Make) -> None:
    data = make([row(m, 0, "1") for m in "abc"], models=MODELS)
    assert version_pairs(data.models) == [("b", "a")]


def test_what_changed_between_versions(make: Make) -> None:
    table = checked("version_changes", compare_versions(make(behaving(), CARD, models=MODELS)))
    rows = {(r["kind"], r["name"]): r for r in table.iter_rows(named=True)}
    hard = rows["label", "hard_one"]
    # On the three common items: b (the earlier) fails hard on i0 and i1, a on i1.
    assert (hard["model_a"], hard["model_b"], hard["n_items"]) == ("b", "a", 3)
    assert (hard["count_a"], hard["count_b"], hard["difference"], hard["ratio"]) == (2, 1, -1, 0.5)
    assert (hard["n_only_a"], hard["n_only_b"], hard["p_value"]) == (1, 0, 1.0)
    assert rows["label", "soft"]["ratio"] is None
    assert rows["decision", "act"]["count_a"] == 3
    assert rows["verdict", "correct"]["count_b"] == 1
    assert ("verdict", "technical_failure") not in rows  # a's item 4 is not common


def test_rank_shifts_by_hand(make: Make) -> None:
    rows, items = [], []
    for i in range(40):
        track = "x" if i < 20 else "y"
        items.append({"item_id": f"i{i}", "track": track})
        good, bad = ("a", "b") if track == "x" else ("b", "a")
        rows += [row(good, i, "1"), row(bad, i, "0"), row("c", i, "1" if i % 2 else "0")]
    table = checked("rank_shifts", shift_ranks(make(rows, items=items)))
    shifts = {r["model"]: r for r in table.iter_rows(named=True)}
    assert table.select("track_from", "track_to", "metric_from").unique().row(0) == ("x", "y", "correct")
    assert [shifts[m]["shift"] for m in "abc"] == [-2, 2, 0]
    assert (shifts["b"]["p_rises"], shifts["a"]["p_falls"]) == (1.0, 1.0)
    # No resample changes the order: there is no interval to give.
    assert shifts["c"]["ci_low"] is None


def test_rank_shifts_of_two_metrics_share_their_resamples(make: Make) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for i in range(60):
        for m, rate in (("a", 0.5), ("b", 0.5), ("c", 0.4)):
            hit = rng.random() < rate
            rows.append(row(m, i, "1" if hit else "0", same=float(hit)))
    table = shift_ranks(make(rows, "metrics: [same]"))
    # The two metrics are the same numbers: joint resamples never tell them apart.
    assert table["shift"].to_list() == [0, 0, 0]
    assert table["p_rises"].to_list() == table["p_falls"].to_list() == [0, 0, 0]


def test_specialties(make: Make) -> None:
    rows, items = [], []
    for i in range(45):
        kind = "common" if i < 20 else "rare" if i >= 40 else "hard"
        items.append({"item_id": f"i{i}", "question_type": kind})
        rows.append(row("a", i, "1" if kind == "common" else "0"))
        rows.append(row("b", i, "1" if kind == "rare" or (kind == "hard" and i % 2) else "0"))
    table = checked("specialties", find_specialties(make(rows, items=items)))
    by = {(r["value"], r["model"]): r for r in table.iter_rows(named=True)}
    assert (by["common", "a"]["lead"], by["common", "b"]["lead"]) == (1.0, -1.0)
    assert by["hard", "b"]["n_unique"] == 10
    # Five rare items are too few for a specialty, although b solves all of them.
    assert [k for k, r in by.items() if r["is_top_value"]] == [("common", "a"), ("hard", "b")]


def scored() -> list[dict[str, Any]]:
    values = {"a": [1.0, 0.05, 0.1, 0.0], "b": [0.5, 0.0, 0.1, 0.95]}
    return [
        row(m, i, "1" if v >= 0.5 else "0", score=v) for m, line in values.items() for i, v in enumerate(line)
    ]


def test_scores_on_items_that_nobody_solves(make: Make) -> None:
    data = make(scored())
    assert graded_metrics(data) == ["score"]
    summaries = checked("score_summaries", summarise_scores(data))
    wall = summaries.filter(pl.col("subset") == "unsolved").row(0, named=True)
    # Items 1 and 2: 0.05, 0, 0.1, 0.1.
    assert (wall["n_items"], wall["n_cells"], wall["share_zero"]) == (2, 4, 0.25)
    assert (wall["mean"], wall["median"]) == (pytest.approx(0.0625), pytest.approx(0.075))
    assert wall["share_below_tenth"] == 0.5
    bins = checked("score_distribution", distribute_scores(data)).filter(pl.col("subset") == "unsolved")
    assert bins.filter(pl.col("n_cells") > 0).select("bin", "low", "n_cells").rows() == [
        (0, 0.0, 1),
        (1, 0.05, 1),
        (2, 0.1, 2),
    ]
    everything = distribute_scores(data).filter(pl.col("subset") == "all")
    assert everything["n_cells"].sum() == 8
    assert everything.row(19, named=True)["n_cells"] == 2  # 0.95 and 1


def test_yes_and_no_are_no_graded_score(make: Make) -> None:
    data = make([row("a", 0, "1", score=1.0), row("a", 1, "0", score=0.0)])
    assert graded_metrics(data) == []
    assert distribute_scores(data).is_empty()


def test_thresholds(make: Make) -> None:
    table = checked("threshold_sensitivity", vary_thresholds(make(scored())))
    shares = {(r["model"], r["step"]): (r["share"], r["rank"]) for r in table.iter_rows(named=True)}
    assert shares["a", 2] == (0.5, 2)  # 1 and 0.1 reach 0.1
    assert shares["b", 2] == (0.75, 1)
    assert shares["a", 20] == (0.25, 1)
    assert shares["b", 19] == (0.25, 1 + 1)


def test_clusters_join_those_that_agree_most(make: Make) -> None:
    marks = {"a": "111100", "b": "111000", "c": "000111"}
    data = make([row(m, i, mark) for m, line in marks.items() for i, mark in enumerate(line)])
    table = checked("model_clusters", cluster_models(compare_verdicts(data)))
    first = table.filter(pl.col("step") == 1)
    assert first["cluster"].to_list() == [1, 1, 2]
    assert first["level"].unique().to_list() == [5 / 6]
    last = table.filter(pl.col("step") == 2)
    # Complete linkage: the joined group agrees as little as its least alike pair, b and c.
    assert (last["size"].to_list(), last["level"].unique().to_list()) == ([3, 3, 3], [0.0])


def test_complete_linkage_is_scipys() -> None:
    from scipy.cluster.hierarchy import fcluster, linkage

    rng = np.random.default_rng(8)
    similarity = rng.random((9, 9))
    similarity = (similarity + similarity.T) / 2
    condensed = 1 - similarity[np.triu_indices(9, 1)]
    tree = linkage(condensed, "complete")
    for n_steps, (level, group) in enumerate(complete_linkage(similarity), start=1):
        assert 1 - level == pytest.approx(tree[n_steps - 1, 2])
        theirs = fcluster(tree, 9 - n_steps, "maxclust")
        same = group[:, None] == group[None, :]
        np.testing.assert_array_equal(same, theirs[:, None] == theirs[None, :])


def test_reviews_by_category(make: Make) -> None:
    def rating(item: int, rater: str, label: str, kind: str = "human") -> dict[str, Any]:
        return {"model": "a", "item_id": f"i{item}", "criterion_id": "q", "rater": rater,
                "rater_kind": kind, "label": label}  # fmt: skip

    ratings = [
        rating(0, "r", "good"), rating(0, "s", "good"),
        rating(1, "r", "good"), rating(1, "s", "bad"),
        rating(2, "r", "bad"), rating(2, "s", "bad"),
        rating(3, "r", "bad"),
    ]  # fmt: skip
    data = make([row("a", i, "1") for i in range(4)], ratings=ratings)
    by_class = checked("agreement_by_class", agree_by_class(data))
    found = {(r["rater_a"], r["label"]): (r["n"], r["n_agreed"]) for r in by_class.iter_rows(named=True)}
    assert found == {("r", "good"): (2, 1), ("r", "bad"): (1, 1), ("s", "good"): (1, 1), ("s", "bad"): (2, 1)}
    labels = checked("rating_labels", count_rating_labels(data))
    counts = {(r["who"], r["label"]): (r["count"], r["n"]) for r in labels.iter_rows(named=True)}
    assert counts["r", "bad"] == (2, 4)
    # The item that only r has rated is nobody's common judgement.
    assert counts["every human", "bad"] == (1, 3)
    assert counts["any human", "bad"] == (2, 3)


def test_without_ratings_there_are_no_rows(make: Make) -> None:
    data = make([row("a", 0, "1")])
    assert agree_by_class(data).is_empty()
    assert count_rating_labels(data).is_empty()
