"""The paper's numbers out of the ordinary tables, which know no model by name."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analysis.config import Config, settings_for
from analysis.ingest.benchmark import read_benchmark
from analysis.tables.concordance import compare_verdicts
from analysis.tables.counts import count_items, count_unique_solves, distribute_counts
from analysis.tables.data import BenchmarkData
from analysis.tables.decisiveness import relate_decisions
from analysis.tables.flag_outcomes import relate_flags
from analysis.tables.model_clusters import cluster_models
from analysis.tables.rank_shifts import shift_ranks
from analysis.tables.review_outcomes import agree_by_class, count_rating_labels
from analysis.tables.score_distribution import distribute_scores, summarise_scores
from analysis.tables.specialties import find_specialties
from analysis.tables.strata import stratify_scores
from analysis.tables.version_changes import compare_versions


@pytest.fixture(scope="module")
def data(odbb: Path) -> BenchmarkData:
    made = read_benchmark(odbb)
    settings = settings_for(made.card, Config())
    return BenchmarkData(made.verdicts, made.items, made.models, made.card, settings, made.ratings)


def test_the_wall(data: BenchmarkData) -> None:
    items = count_items(data)
    unsolved = items.filter(pl.col("k") == 0)
    assert unsolved.height == 845
    assert unsolved["all_partial"].sum() == 481
    universal = items.filter(pl.col("all_incorrect") & (pl.col("track") == "NCCN"))
    assert universal.height == 9
    assert set(universal["question_type"]) <= {"in_guide_handoff_resolution", "upstream_routing_decision"}
    counts = distribute_counts(data).filter((pl.col("track") == "all") & (pl.col("basis") == "answered"))
    by_k = dict(counts.select("k", "n_items").iter_rows())
    assert (by_k[0], by_k[9]) == (845, 78)
    assert round(100 * (by_k[7] + by_k[8]) / 2005, 1) == 14.8


def test_zero_correct_items_by_question_type(data: BenchmarkData) -> None:
    strata = stratify_scores(data).filter(pl.col("stratum") == "question_type")
    zero = dict(strata.select("value", "n_zero_correct").unique().iter_rows())
    assert zero == {
        "parallel_option_disambiguation": 200,
        "missing_information_request": 165,
        "in_guide_handoff_resolution": 105,
        "upstream_routing_decision": 71,
        "evidence_resolution_request": 24,
        "single_path_decision": 2,
        "crc_therapy_recommendation": 278,
    }


def test_unique_solves_and_specialties(data: BenchmarkData) -> None:
    unique = count_unique_solves(data).filter((pl.col("track") == "all") & (pl.col("basis") == "answered"))
    top = unique.sort("n_unique", descending=True).head(2)
    assert top.select("model", "n_unique").rows() == [("minimax-m2.7", 57), ("gpt-5.5", 52)]
    best = find_specialties(data).filter(pl.col("is_top_value") & (pl.col("stratum") == "question_type"))
    evidence = best.filter(pl.col("value") == "evidence_resolution_request")
    assert evidence.select("model", pl.col("estimate").round(3)).row(0) == ("minimax-m2.7", 0.448)
    assert evidence["lead"].item() == pytest.approx(30 / 67 - 26 / 69)


def test_the_gap(data: BenchmarkData) -> None:
    flags = relate_flags(data).filter(
        (pl.col("track") == "NCCN") & (pl.col("flag") == "reasoning_has_gold_step")
    )
    gaps = {m: round(100 * g, 1) for m, g in flags.select("model", "gap").iter_rows()}
    assert (gaps["qwen-3.6-plus"], gaps["glm-5"], gaps["minimax-m2.7"]) == (9.1, 8.4, 8.3)
    assert gaps["gemini-3.1-pro-preview"] == 3.1
    # The flag alone is not the gap: correct responses carry it too.
    assert (flags["n_flagged"] > flags["n_flagged_failed"]).all()


def test_decisiveness(data: BenchmarkData) -> None:
    rows = relate_decisions(data)
    assert set(rows["track"]) == {"NCCN", "all"}
    rates = dict(rows.filter(pl.col("track") == "NCCN").select("model", "n_decisive").iter_rows())
    assert (rates["gpt-5.5"], rates["gemini-3.1-pro-preview"]) == (428, 523)
    assert (rows["n_decisive_hard"] == rows["n_hard"]).all()


def test_the_two_gemini_versions(data: BenchmarkData) -> None:
    changes = compare_versions(data).filter(
        (pl.col("track") == "NCCN") & (pl.col("model_b") == "gemini-3.1-pro-preview")
    )
    found = {
        (k, n): (a, b) for k, n, a, b in changes.select("kind", "name", "count_a", "count_b").iter_rows()
    }
    assert found["label", "F1"] == (56, 158)
    assert found["label", "F3"] == (48, 173)
    assert found["decision", "stop_need_evidence"] == (155, 4)
    ratio = changes.filter(pl.col("name") == "F3")["ratio"].item()
    assert round(ratio, 1) == 3.6


def test_ranks_from_nccn_to_crc(data: BenchmarkData) -> None:
    shifts = shift_ranks(data).filter(
        (pl.col("track_from") == "NCCN")
        & (pl.col("metric_from") == "correct")
        & (pl.col("track_to") == "CRC")
        & (pl.col("metric_to") == "therapy_f1_class")
    )
    ranks = {m: (a, b) for m, a, b in shifts.select("model", "rank_from", "rank_to").iter_rows()}
    assert ranks["glm-5.1"] == (2, 1)
    assert ranks["gpt-5.5"] == (6, 4)
    assert ranks["gemini-2.5-pro"] == (8, 6)
    assert ranks["gemini-3.1-pro-preview"] == (9, 7)
    assert ranks["glm-5"] == (3, 9)
    drop = shifts.filter(pl.col("model") == "glm-5").row(0, named=True)
    assert drop["ci_high"] < 0


def test_content_scores_on_unsolved_items(data: BenchmarkData) -> None:
    wall = summarise_scores(data).filter(
        (pl.col("track") == "all") & (pl.col("metric") == "score") & (pl.col("subset") == "unsolved")
    )
    row = wall.row(0, named=True)
    assert row["n_cells"] == 7605
    assert (round(row["mean"], 2), round(row["median"], 2)) == (0.09, 0.0)
    assert round(100 * row["share_below_tenth"], 1) == 69.4
    bins = distribute_scores(data).filter(
        (pl.col("track") == "all") & (pl.col("metric") == "score") & (pl.col("subset") == "unsolved")
    )
    assert bins.head(2)["share"].sum() == pytest.approx(row["share_below_tenth"])


def test_the_open_weight_cluster(data: BenchmarkData) -> None:
    clusters = cluster_models(compare_verdicts(data)).filter(pl.col("track") == "all")
    tight = clusters.filter(pl.col("level") > 0.77)
    last = tight.filter(pl.col("step") == tight["step"].max())
    group = last.filter(pl.col("size") > 1)["model"].to_list()
    assert group == ["glm-5", "glm-5.1", "qwen-3.6-plus"]


def test_reviews(data: BenchmarkData) -> None:
    agreed = agree_by_class(data).filter(pl.col("rater_a") == "scorer")
    found = {
        (b, label): (k, n)
        for b, label, k, n in agreed.select("rater_b", "label", "n_agreed", "n").iter_rows()
    }
    assert found == {
        ("doctor_a", "correct"): (41, 43),
        ("doctor_a", "partial"): (73, 75),
        ("doctor_a", "incorrect"): (5, 5),
        ("doctor_b", "correct"): (34, 40),
        ("doctor_b", "partial"): (71, 78),
        ("doctor_b", "incorrect"): (4, 4),
    }
    labels = count_rating_labels(data)
    counts = {
        (w, label): (k, n) for w, label, k, n in labels.select("who", "label", "count", "n").iter_rows()
    }
    assert counts["every human", "traceable"] == (76, 80)
    assert counts["every human", "wrong"] == (2, 80)
    assert counts["any human", "wrong"] == (3, 80)
