"""The paper's main tables by plain counting on the written files: neither solver nor pipeline is asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analysis.demo.npcbench.choices import STRUCTURES
from analysis.demo.npcbench.printed import printed


@pytest.fixture(scope="module")
def rows(npcbench: Path) -> pl.DataFrame:
    items = pl.read_parquet(npcbench / "items.parquet")
    cells = pl.read_parquet(npcbench / "verdicts.parquet").filter(
        pl.col("verdict").is_in(["correct", "incorrect"])
    )
    right = (pl.col("verdict") == "correct").alias("right")
    return cells.with_columns(right).join(items, on="item_id")


def test_joint_states(rows: pl.DataFrame) -> None:
    """Table A20: C, F and their intersection."""
    own = rows.filter((pl.col("track") == "L6") & (pl.col("model") == "hulu-med-32b"))
    care = pl.col("right").filter(pl.col("component") == "care").all().alias("care")
    image = pl.col("right").filter(pl.col("component") != "care").all().alias("image")
    by = own.group_by("cluster_id").agg(care, image)
    counts = (by["care"].sum(), by["image"].sum(), (by["care"] & by["image"]).sum(), by.height)
    assert counts == (19, 48, 10, 100)


def test_outcomes_by_source(rows: pl.DataFrame) -> None:
    """Table A21, Claude-4.6: care 84.3 and 76.5, strict 12.0 and 26.7."""
    own = rows.filter((pl.col("track") == "L6") & (pl.col("model") == "claude-4.6"))
    found = {}
    for (source,), part in own.group_by("pathology_source"):
        care = part.filter(pl.col("component") == "care")["right"]
        strict = part.group_by("cluster_id").agg(pl.col("right").all())["right"]
        found[source] = (care.sum(), care.len(), strict.sum(), strict.len())
    assert found == {"matched": (97, 115, 3, 25), "assigned": (78, 102, 20, 75)}


def test_turns(rows: pl.DataFrame) -> None:
    """Table A10, Gemini-3.1-Pro-Preview: 87.9, 88.6, 71.0."""
    own = rows.filter((pl.col("track") == "L5") & (pl.col("model") == "gemini-3.1-pro-preview"))
    by = own.group_by("cluster_id").agg(pl.col("right").mean().alias("share"))
    assert round(100 * own["right"].sum() / 305, 1) == 87.9
    assert round(100 * float(np.mean(by["share"].to_numpy())), 1) == 88.6
    assert (by["share"] == 1).sum() == 71


def test_history_against_snapshot(rows: pl.DataFrame) -> None:
    """Table A25, GPT-OSS-20B: 52.8, 48.2, 46 corrected and 32 harmed."""
    own = rows.filter(pl.col("model") == "gpt-oss-20b")
    history, snapshot = (
        own.filter(pl.col("track") == track).select("question", "right")
        for track in ("L5 full history", "L5 snapshot")
    )
    both = history.join(snapshot, on="question", suffix="_snapshot")
    a, b = both["right"], both["right_snapshot"]
    assert (a.sum(), b.sum(), (a & ~b).sum(), (~a & b).sum(), both.height) == (161, 147, 46, 32, 305)


def test_image_evidence(rows: pl.DataFrame) -> None:
    """Table A23, HealthGPT-8B: 21.1 and 17.9 over patients, 8 better, 10 worse, 7 unchanged."""
    own = rows.filter(pl.col("model") == "healthgpt-pro-8b")
    by = [
        own.filter(pl.col("track") == track)
        .group_by("cluster_id")
        .agg(pl.col("right").mean())
        .sort("cluster_id")
        for track in ("L6 predicted evidence", "L6 reference evidence")
    ]
    predicted, reference = (frame["right"].to_numpy() for frame in by)
    assert (round(100 * predicted.mean(), 1), round(100 * reference.mean(), 1)) == (21.1, 17.9)
    change = np.sign(np.round(reference - predicted, 9))
    assert [(change == s).sum() for s in (1, -1, 0)] == [8, 10, 7]


def test_stages_from_cards(rows: pl.DataFrame) -> None:
    """Table A17, Hulu-Med-32B: 52 right in reference slots, 35 in the named ones, 99 on the reference."""
    own = rows.filter((pl.col("track") == "L3 cards") & (pl.col("model") == "hulu-med-32b"))
    named = own.filter(pl.col("component") == "structure").select("card", pl.col("decision").alias("slot"))
    cards = own.filter(pl.col("component") == "invasion").join(named, on="card")
    stage = {s: t for t, group in STRUCTURES.items() for s in group}
    right = {"oracle": 0, "model": 0, "gold": 0}
    for _, part in cards.group_by("cluster_id"):
        truth = part["class"][0]
        for how, slot, said in (
            ("oracle", "structure", "decision"),
            ("model", "slot", "decision"),
            ("gold", "structure", "invasion_label"),
        ):
            shown = [stage[s] for s, d in part.select(slot, said).iter_rows() if d == "present"]
            right[how] += max(shown, default="T1") == truth
    assert right == {"oracle": 52, "model": 35, "gold": 99}


def test_consultation_scores_by_the_formula_in_the_open(npcbench: Path) -> None:
    """Table A29, GPT-5.1: 58.4 over all questions, 85.4 for the elderly, 14.6 % with a major error."""
    ratings = pl.read_parquet(npcbench / "ratings.parquet").filter(
        pl.col("rater") == "gpt-oss-120b", pl.col("model") == "gpt-5.1"
    )
    weight = {"core": 2, "evidence": 1, "conditional": 1, "major": 10, "minor": 2}
    tags = dict(pl.read_parquet(npcbench / "items.parquet").select("item_id", "tags").iter_rows())
    scores, major = {}, {}
    for (item,), part in ratings.group_by("item_id"):
        kinds = [c.split("-")[0] for c in part["criterion_id"]]
        true = [label == "true" for label in part["label"]]
        wanted = [(weight[k], t) for k, t in zip(kinds, true, strict=True) if k not in ("major", "minor")]
        points = sum(weight[k] for k, t in zip(kinds, true, strict=True) if t and k in ("major", "minor"))
        share = sum(w for w, t in wanted if t) / sum(w for w, _ in wanted)
        scores[item] = min(100.0, max(0.0, 100 * share - points))
        major[item] = any(t and k == "major" for k, t in zip(kinds, true, strict=True))
    assert len(scores) == 103
    assert round(float(np.mean(list(scores.values()))), 1) == 58.4
    assert round(float(np.mean([s for i, s in scores.items() if tags[i] == ["elderly"]])), 1) == 85.4
    assert sum(major.values()) == 15


def test_tags_are_disjoint_and_their_means_give_the_printed_totals(npcbench: Path) -> None:
    """Table A29: six tags of 35, 11, 4, 8, 43 and 2 questions; the weighted means print as the totals."""
    tags = pl.read_parquet(npcbench / "items.parquet").filter(pl.col("track") == "O1")["tags"]
    assert set(tags.list.len()) == {1}
    assert sorted(tags.list.first().value_counts()["count"]) == [2, 4, 8, 11, 35, 43]
    table = printed("table_a29")
    n = {head: int(size) for head, size in table.totals.items()}
    for model in table.models:
        mean = sum(table.value(model, head) * size for head, size in n.items()) / sum(n.values())
        assert mean == pytest.approx(table.value(model, "Score"), abs=0.1)


def test_the_unflagged_audit(npcbench: Path) -> None:
    """Table A31, GPT-OSS-120B: 262 labels, 0.840, kappa 0.665."""
    ratings = pl.read_parquet(npcbench / "ratings.parquet").filter(pl.col("label").is_not_null())
    human = ratings.filter(pl.col("rater") == "physicians (targeted)")
    flagged = human.group_by("model", "item_id").agg(pl.col("flagged").any())
    human = human.drop("flagged").join(flagged, on=["model", "item_id"]).filter(~pl.col("flagged"))
    judge = ratings.filter(pl.col("rater") == "gpt-oss-120b")
    both = human.join(judge, on=["model", "item_id", "criterion_id"], suffix="_judge")
    h, j = (both["label"] == "true").to_numpy(), (both["label_judge"] == "true").to_numpy()
    agreement, chance = (h == j).mean(), h.mean() * j.mean() + (1 - h.mean()) * (1 - j.mean())
    assert (both.height, round(agreement, 3), round((agreement - chance) / (1 - chance), 3)) == (
        262,
        0.84,
        0.665,
    )
