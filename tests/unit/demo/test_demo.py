"""The demonstration: same bytes on every run, the raw contract kept, and the picture that it promises."""

from __future__ import annotations

import datetime
import itertools
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.config import BenchmarkCard, read_card
from analysis.demo.cast import MODELS, QUESTION_TYPES, TRACKS
from analysis.demo.simulate import write_demo

SCORED = ("incorrect", "partial", "correct")
PLATEAU = ("borealis-2", "borealis-pro", "cobalt-70b", "dune-instruct", "ember-chat", "fjord-3")
TRAILING = ("cobalt-8b", "garnet-mini")
BOLD = ("borealis-pro", "ember-chat")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw") / "demo"
    write_demo(folder)
    return folder


@pytest.fixture(scope="module")
def verdicts(demo: Path) -> pl.DataFrame:
    files = sorted((demo / "verdicts").glob("*.parquet"))
    return pl.concat([pl.read_parquet(f) for f in files], how="diagonal")


@pytest.fixture(scope="module")
def items(demo: Path) -> pl.DataFrame:
    return pl.read_parquet(demo / "items.parquet")


@pytest.fixture(scope="module")
def ratings(demo: Path) -> pl.DataFrame:
    return pl.read_parquet(demo / "ratings.parquet")


@pytest.fixture(scope="module")
def card(demo: Path) -> BenchmarkCard:
    return read_card(demo / "benchmark.yaml")


@pytest.fixture(scope="module")
def cells(verdicts: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return the mean over scored runs of every model and item that has one."""
    scored = verdicts.filter(pl.col("verdict").is_in(SCORED))
    correct = (pl.col("verdict") == "correct").mean()
    return (
        scored.group_by("model", "item_id")
        .agg(value=correct, partial=(pl.col("verdict") == "partial").all())
        .join(items, on="item_id")
    )


@pytest.fixture(scope="module")
def estimates(cells: pl.DataFrame) -> dict[str, float]:
    return dict(cells.group_by("model").agg(pl.col("value").mean()).iter_rows())


# Bytes


def test_two_runs_write_the_same_bytes(demo: Path, tmp_path: Path) -> None:
    # Another process with another hash seed and one polars thread: nothing may depend on either.
    command = [sys.executable, "-m", "analysis.demo", str(tmp_path / "again")]
    subprocess.run(
        command, check=True, env={"PYTHONHASHSEED": "7", "POLARS_MAX_THREADS": "1"}, capture_output=True
    )
    written = sorted(p.relative_to(demo) for p in demo.rglob("*") if p.is_file())
    again = sorted(p.relative_to(tmp_path / "again") for p in (tmp_path / "again").rglob("*") if p.is_file())
    assert written == again
    assert len(written) == 9 + 4
    for path in written:
        assert (demo / path).read_bytes() == (tmp_path / "again" / path).read_bytes(), path


def test_writing_over_an_older_copy_changes_nothing(tmp_path: Path) -> None:
    write_demo(tmp_path)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    write_demo(tmp_path)
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}


# The raw contract


def test_every_model_has_its_file_of_verdicts(demo: Path) -> None:
    files = {f.stem: pl.read_parquet(f) for f in (demo / "verdicts").iterdir()}
    assert sorted(files) == sorted(m.model for m in MODELS)
    for name, frame in files.items():
        assert frame["model"].unique().to_list() == [name]


def test_one_row_per_model_item_and_run(verdicts: pl.DataFrame) -> None:
    assert verdicts.select("model", "item_id", "run").is_duplicated().sum() == 0


def test_columns_have_the_types_of_the_contract(verdicts: pl.DataFrame) -> None:
    assert dict(verdicts.schema) == {
        "model": pl.String,
        "item_id": pl.String,
        "run": pl.Int32,
        "verdict": pl.String,
        "score": pl.Float64,
        "labels": pl.List(pl.String),
        "decision": pl.String,
        "flags": pl.List(pl.String),
        "cost_usd": pl.Float64,
        "input_tokens": pl.Int64,
        "output_tokens": pl.Int64,
        "latency_s": pl.Float64,
    }


def test_scores_follow_the_verdicts(verdicts: pl.DataFrame) -> None:
    scored = verdicts.filter(pl.col("verdict").is_in(SCORED))
    assert scored["score"].null_count() == 0
    assert scored["score"].is_between(0, 1).all()
    limits = scored.group_by("verdict").agg(low=pl.col("score").min(), high=pl.col("score").max())
    by_verdict = {v: (low, high) for v, low, high in limits.iter_rows()}
    assert by_verdict["incorrect"][1] < by_verdict["partial"][0]
    assert by_verdict["partial"][1] < by_verdict["correct"][0]
    others = verdicts.filter(~pl.col("verdict").is_in(SCORED) | pl.col("verdict").is_null())
    assert others.height > 0
    assert others["score"].null_count() == others.height


def test_items_fit_the_card(items: pl.DataFrame, card: BenchmarkCard) -> None:
    assert items.height == 2000
    assert items["item_id"].n_unique() == 2000
    assert set(items["track"]) == {t.name for t in TRACKS}
    assert set(items["question_type"]) == {q.name for q in QUESTION_TYPES}
    assert card.cluster in items.columns
    assert set(card.strata or ()) <= set(items.columns)
    # A patient keeps one track and one specialty, and the turns are numbered without holes.
    per_patient = items.group_by("cluster_id").agg(
        tracks=pl.col("track").n_unique(),
        specialties=pl.col("specialty").n_unique(),
        last=pl.col("position").max(),
        n=pl.len(),
    )
    assert per_patient.select(pl.col("tracks", "specialties").max()).row(0) == (1, 1)
    assert (per_patient["last"] == per_patient["n"]).all()
    assert per_patient["n"].max() == 7


def test_labels_and_decisions_are_those_of_the_card(verdicts: pl.DataFrame, card: BenchmarkCard) -> None:
    used = set(verdicts["labels"].explode().drop_nulls())
    assert used == set(card.labels)
    assert all(label.meaning for label in card.labels.values())
    assert card.hard_labels == (
        "unsafe_action",
        "premature_commitment",
        "contraindicated",
        "conflict_ignored",
    )
    assert [n for n, label in card.labels.items() if label.technical] == [
        "invalid_output",
        "truncated_output",
    ]
    assert set(card.decisions.decisive) < set(verdicts["decision"].drop_nulls())


def test_labels_stand_where_they_belong(verdicts: pl.DataFrame, card: BenchmarkCard) -> None:
    technical = [n for n, label in card.labels.items() if label.technical]
    of = pl.col("labels").list
    failed = verdicts.filter(pl.col("verdict") == "technical_failure")
    assert failed.select(of.len().eq(1) & of.first().is_in(technical)).to_series().all()
    assert failed["decision"].null_count() == failed.height
    wrong = verdicts.filter(pl.col("verdict").is_in(["incorrect", "partial"]))
    assert wrong.select(of.len().min()).item() >= 1
    assert not set(wrong["labels"].explode()) & set(technical)
    assert verdicts.filter(pl.col("verdict") == "correct").select(of.len().max()).item() == 0


def test_the_card_says_that_everything_is_simulated(card: BenchmarkCard) -> None:
    assert card.synthetic.startswith("Simulated data.")
    assert "(simulated)" in card.title


def test_every_way_to_a_cost_is_there(demo: Path, verdicts: pl.DataFrame) -> None:
    models = pl.read_csv(demo / "models.csv")
    assert models["model"].to_list() == [m.model for m in MODELS]
    per_row = set(verdicts.filter(pl.col("cost_usd").is_not_null())["model"])
    priced = set(models.drop_nulls(["input_price_usd", "output_price_usd"])["model"])
    invoiced = set(models.drop_nulls("total_cost_usd")["model"])
    ways = [per_row, priced, invoiced]
    assert [len(w) for w in ways] == [3, 4, 1]
    assert all(not a & b for a, b in itertools.combinations(ways, 2))
    assert {m.model for m in MODELS} - set.union(*ways) == {"ember-chat"}
    assert verdicts["cost_usd"].drop_nulls().min() > 0
    assert models["weights"].value_counts().sort("weights").rows() == [("closed", 5), ("open", 4)]
    assert [datetime.date.fromisoformat(d).isoformat() for d in models["released"]] == models[
        "released"
    ].to_list()


def test_ratings_are_of_responses_that_exist(ratings: pl.DataFrame, verdicts: pl.DataFrame) -> None:
    key = ["model", "item_id", "run"]
    assert ratings.select(*key, "rater").is_duplicated().sum() == 0
    scored = verdicts.filter(pl.col("verdict").is_in(SCORED))
    assert ratings.join(scored, on=key, how="anti").height == 0
    kinds = ratings.select("rater", "rater_kind").unique().sort("rater")
    assert kinds.rows() == [("clinician-a", "human"), ("clinician-b", "human"), ("judge-lumen", "judge")]
    responses = {r: frame.select(key) for (r,), frame in ratings.group_by("rater")}
    assert responses["judge-lumen"].height == 9 * 80
    for human in ("clinician-a", "clinician-b"):
        assert 9 * 30 * 0.9 < responses[human].height < 9 * 30
        # The judge rated all that the clinicians did.
        assert responses[human].join(responses["judge-lumen"], on=key, how="anti").height == 0


# The picture


def test_some_cells_are_missing_and_some_rows_unscored(verdicts: pl.DataFrame, items: pl.DataFrame) -> None:
    seen = verdicts.group_by("model").agg(n=pl.col("item_id").n_unique())
    missing = {m: items.height - n for m, n in seen.iter_rows() if n < items.height}
    assert missing == {"fjord-3": 38}
    unscored = verdicts.filter(pl.col("verdict").is_null())
    assert unscored["model"].unique().to_list() == ["garnet-mini"]
    assert unscored["item_id"].n_unique() == 17
    failed = verdicts.filter(pl.col("verdict") == "technical_failure")
    assert set(failed["model"]) == {m.model for m in MODELS}


def test_scored_runs_are_equal_for_all_models_on_an_item(verdicts: pl.DataFrame) -> None:
    scored = verdicts.filter(pl.col("verdict").is_in(SCORED))
    runs = scored.group_by("model", "item_id").len()
    per_item = runs.group_by("item_id").agg(pl.col("len").n_unique())
    assert per_item["len"].max() == 1
    assert sorted(runs["len"].unique()) == [1, 3]


def test_one_model_leads_six_tie_and_two_trail(estimates: dict[str, float]) -> None:
    order = sorted(estimates, key=lambda m: -estimates[m])
    assert order[0] == "aster-2"
    assert set(order[1:7]) == set(PLATEAU)
    assert set(order[7:]) == set(TRAILING)
    gaps = [estimates[a] - estimates[b] for a, b in itertools.pairwise(order)]
    assert gaps[0] > 0.05
    assert max(gaps[1:6]) < 0.02
    assert gaps[6] > 0.05


def test_over_a_third_of_the_items_is_solved_by_no_model(cells: pl.DataFrame) -> None:
    solved = cells.group_by("item_id").agg(k=(pl.col("value") >= 0.5).sum(), partial=pl.col("partial").all())
    assert solved.height == 2000
    unsolved = (solved["k"] == 0).mean()
    assert 1 / 3 < unsolved < 0.40
    assert (solved["k"] == 9).mean() > 0.05
    assert solved["partial"].sum() >= 10
    # Far more than independent models would leave: the blind spot is shared.
    rates = cells.group_by("model").agg(s=(pl.col("value") >= 0.5).mean())["s"]
    independent = (1 - rates).product()
    assert unsolved > 10 * independent


def test_question_types_differ_widely(cells: pl.DataFrame) -> None:
    rates = dict(cells.group_by("question_type").agg(pl.col("value").mean()).iter_rows())
    assert sorted(rates, key=lambda t: -rates[t])[0] == "next_step"
    assert rates["next_step"] > 0.5
    assert rates["pathway_choice"] < 0.15
    assert rates["handover"] < 0.05


def test_bold_models_commit_more_and_fail_harder(verdicts: pl.DataFrame, card: BenchmarkCard) -> None:
    hard = pl.col("labels").list.set_intersection(list(card.hard_labels)).list.len() > 0
    rates = verdicts.group_by("model").agg(
        hard=hard.mean(), decisive=pl.col("decision").is_in(card.decisions.decisive).mean()
    )
    bold, cautious = rates.filter(pl.col("model").is_in(BOLD)), rates.filter(~pl.col("model").is_in(BOLD))
    assert bold["decisive"].min() > cautious["decisive"].max() + 0.1
    assert bold["hard"].min() > 1.5 * cautious["hard"].max()
    assert bold["hard"].min() > 2.5 * cautious["hard"].median()


def test_knowledge_to_action_gap(verdicts: pl.DataFrame) -> None:
    knew = pl.col("flags").list.contains("reasoning_has_gold_step") & pl.col("verdict").is_in(
        ["incorrect", "partial"]
    )
    gap = verdicts.group_by("model").agg(knew.mean().alias("gap"))["gap"]
    assert gap.min() > 0.01
    assert gap.max() < 0.09


def test_ranks_differ_between_tracks(cells: pl.DataFrame) -> None:
    by_track = cells.group_by("track", "model").agg(pl.col("value").mean())
    rank = {
        track: frame.sort("value", descending=True)["model"].to_list().index("fjord-3") + 1
        for (track,), frame in by_track.group_by("track")
    }
    assert rank["guideline"] == 7
    assert rank["case"] == 2


def test_the_judge_is_more_lenient_than_the_clinicians(ratings: pl.DataFrame, verdicts: pl.DataFrame) -> None:
    joined = ratings.join(
        verdicts.select("model", "item_id", "run", "verdict"), on=["model", "item_id", "run"]
    )
    same = dict(joined.group_by("rater").agg((pl.col("label") == pl.col("verdict")).mean()).iter_rows())
    assert same["clinician-a"] > same["clinician-b"] > same["judge-lumen"] > 0.6
    partial = joined.filter(pl.col("verdict") == "partial")
    upgraded = dict(partial.group_by("rater").agg((pl.col("label") == "correct").mean()).iter_rows())
    assert upgraded["judge-lumen"] > upgraded["clinician-a"]
    assert_frame_equal(ratings, ratings.sort("rater", "model", "item_id", "run"))
