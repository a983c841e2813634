"""The written folder: the same bytes in another process, the raw contract, nothing that is not printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from analysis.config import read_card
from analysis.demo.npcbench.printed import printed, printed_tables
from analysis.ingest.benchmark import read_benchmark


@pytest.fixture(scope="module")
def rows(npcbench: Path) -> pl.DataFrame:
    items = pl.read_parquet(npcbench / "items.parquet")
    return pl.read_parquet(npcbench / "verdicts.parquet").join(items, on="item_id")


def test_the_command_writes_the_same_bytes(npcbench: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "analysis.demo.npcbench", str(tmp_path / "npcbench")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "not the authors' data" in done.stdout
    names = sorted(p.name for p in npcbench.iterdir())
    assert names == [
        "benchmark.yaml",
        "criteria.parquet",
        "items.parquet",
        "models.parquet",
        "ratings.parquet",
        "statements.parquet",
        "verdicts.parquet",
    ]
    for name in names:
        assert (npcbench / name).read_bytes() == (tmp_path / "npcbench" / name).read_bytes(), name


def test_the_folder_keeps_the_raw_contract(npcbench: Path, rows: pl.DataFrame) -> None:
    benchmark = read_benchmark(npcbench)
    assert benchmark.quarantine.height == 0
    assert benchmark.verdicts.height == rows.height
    assert benchmark.criteria is not None
    assert benchmark.criteria.height == 1726
    assert benchmark.statements is not None
    assert benchmark.statements.height > 500
    lost = {"items_without_verdicts", "model_without_verdicts", "ratings_without_verdict", "model_not_listed"}
    assert lost.isdisjoint(benchmark.audit["check"])


def test_the_card_says_that_the_data_are_reconstructed(npcbench: Path) -> None:
    card = read_card(npcbench / "benchmark.yaml")
    assert card.synthetic.startswith("Reconstructed from published aggregates, not the authors' data.")
    assert "reconstruction" in card.title


@pytest.mark.parametrize(
    ("track", "tables"),
    [
        ("L3 pathology", ["table_a14"]),
        ("L3 sequence", ["table_a14"]),
        ("L3 cards", ["table_a14"]),
        ("L3 panel", ["table_a15", "table_a18"]),
        ("L3 staging", ["table_a18"]),
        ("L5", ["table_a10"]),
        ("L5 full history", ["table_a25"]),
        ("L5 snapshot", ["table_a25"]),
        ("L6", ["table_a20", "table_a21"]),
        ("L6 predicted evidence", ["table_a23"]),
        ("L6 reference evidence", ["table_a23"]),
        ("O1", ["table_a29"]),
    ],
)
def test_only_models_with_a_printed_row_have_answers(
    rows: pl.DataFrame, track: str, tables: list[str]
) -> None:
    models = {m for t in tables for m in printed(t).models}
    assert set(rows.filter(pl.col("track") == track)["model"]) == models


def test_every_model_of_a_printed_row_is_listed(npcbench: Path) -> None:
    listed = set(pl.read_parquet(npcbench / "models.parquet")["model"])
    tables = [t for name, t in printed_tables().items() if name not in ("table_2", "table_a31")]
    named = {row for t in tables for row in t.rows if row in listed or "-" in row}
    assert named == listed


def test_six_treatment_items_are_asked_and_not_scored(rows: pl.DataFrame) -> None:
    aside = rows.filter(pl.col("verdict") == "not_scored")
    assert aside["item_id"].n_unique() == 6
    assert set(aside["track"]) == {"L6"}
    assert set(aside["pathology_source"]) == {"matched"}
    assert aside.group_by("item_id").len()["len"].to_list() == [11] * 6


def test_decisions_agree_with_verdicts_where_there_is_a_reference(rows: pl.DataFrame) -> None:
    staged = rows.filter(
        pl.col("decision").is_not_null(), ~pl.col("component").is_in(["structure", "invasion"])
    )
    right = staged["decision"] == staged["class"]
    assert (right == (staged["verdict"] == "correct")).all()
    cards = rows.filter(pl.col("component") == "invasion")
    assert ((cards["decision"] == cards["invasion_label"]) == (cards["verdict"] == "correct")).all()
    named = rows.filter(pl.col("component") == "structure")
    assert ((named["decision"] == named["structure"]) == (named["verdict"] == "correct")).all()


def test_the_serving_judge_is_one_rater_throughout(npcbench: Path) -> None:
    ratings = pl.read_parquet(npcbench / "ratings.parquet")
    key = ["model", "item_id", "criterion_id", "rater"]
    assert ratings.select(key).is_unique().all()
    judge = ratings.filter(pl.col("rater") == "gpt-oss-120b")
    assert judge.height == 6 * 1726
    audited = ratings.filter(pl.col("rater_kind") == "human", pl.col("label").is_not_null())
    lost = audited.join(judge, on=["model", "item_id", "criterion_id"], how="anti")
    assert lost.is_empty()
