"""The written folder: the same bytes in another process, the raw contract, no contradiction inside a row."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from analysis.config import read_card
from analysis.ingest.benchmark import read_benchmark

STOPS = ["stop_missing_info", "stop_need_evidence"]
ACTS = ["proceed_with_treatment", "route_to_alternative_pathway"]


@pytest.fixture(scope="module")
def rows(odbb: Path) -> pl.DataFrame:
    return pl.read_parquet(odbb / "verdicts.parquet").join(
        pl.read_parquet(odbb / "items.parquet"), on="item_id"
    )


def has(label: str) -> pl.Expr:
    return pl.col("labels").list.contains(label)


def test_the_command_writes_the_same_bytes(odbb: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "analysis.demo.odbb", str(tmp_path / "again")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "not the authors' data" in done.stdout
    names = sorted(p.name for p in odbb.iterdir())
    assert names == [
        "benchmark.yaml",
        "items.parquet",
        "models.parquet",
        "ratings.parquet",
        "statements.parquet",
        "verdicts.parquet",
    ]
    for name in names:
        assert (odbb / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_the_folder_keeps_the_raw_contract(odbb: Path) -> None:
    benchmark = read_benchmark(odbb)
    assert benchmark.quarantine.height == 0
    assert benchmark.verdicts.height == 9 * 2005
    assert benchmark.items.height == 2005
    assert benchmark.ratings is not None


def test_the_card_says_that_the_data_are_reconstructed(odbb: Path) -> None:
    card = read_card(odbb / "benchmark.yaml")
    assert card.synthetic.startswith("Reconstructed from published aggregates, not the authors' data.")
    assert "reconstruction" in card.title
    assert card.hard_labels == ("F1", "F3")
    assert [name for name, label in card.labels.items() if label.technical] == ["T1", "T2"]
    assert [name for name, label in card.labels.items() if label.reserved] == ["F2", "F8", "F9", "F15"]
    assert len(card.labels) == 12 + 2 + 4


def test_every_label_and_decision_is_known_to_the_card(odbb: Path, rows: pl.DataFrame) -> None:
    card = read_card(odbb / "benchmark.yaml")
    used = set(rows["labels"].list.explode(empty_as_null=False).unique())
    assert used == {name for name, label in card.labels.items() if not label.reserved}
    assert set(rows["decision"].drop_nulls()) == {*STOPS, *ACTS}
    assert list(card.decisions.decisive) == ACTS


def test_correct_rows_carry_no_failure(rows: pl.DataFrame) -> None:
    correct = rows.filter(pl.col("verdict") == "correct")
    assert correct["labels"].list.len().max() == 0
    assert correct["score"].min() >= 0.5
    assert correct.filter((pl.col("gold_intent") == "stop") & ~pl.col("decision").is_in(STOPS)).is_empty()
    assert correct.filter((pl.col("gold_intent") == "proceed") & ~pl.col("decision").is_in(ACTS)).is_empty()


def test_rows_that_are_not_correct_say_why(rows: pl.DataFrame) -> None:
    failed = rows.filter(pl.col("verdict") != "correct")
    assert failed["labels"].list.len().min() >= 1


def test_technical_failures_have_no_content(rows: pl.DataFrame) -> None:
    technical = rows.filter(pl.col("verdict") == "technical_failure")
    assert technical.filter(has("T1") == has("T2")).is_empty()
    assert technical["score"].null_count() == technical["decision"].null_count() == technical.height
    assert rows.filter((has("T1") | has("T2")) & (pl.col("verdict") != "technical_failure")).is_empty()


def test_labels_follow_from_decision_and_gold(rows: pl.DataFrame) -> None:
    hard = rows.filter(has("F1") | has("F3"))
    assert (hard["gold_intent"] == "stop").all()
    assert hard["decision"].is_in(ACTS).all()
    assert rows.filter(has("F1") & has("F3")).is_empty()
    assert (rows.select(has("F5") == has("F6")).to_series()).all()
    stopped = rows.filter(has("F5"))
    assert (stopped["gold_intent"] == "proceed").all()
    assert stopped["decision"].is_in(STOPS).all()
    on_crc = rows.filter(has("F11") | has("F12") | has("F13") | has("F14") | has("F16"))
    assert (on_crc["track"] == "CRC").all()


def test_therapy_f1_grows_with_the_granularity(rows: pl.DataFrame) -> None:
    crc = rows.filter((pl.col("track") == "CRC") & (pl.col("verdict") != "technical_failure"))
    levels = [crc[f"therapy_f1_{name}"] for name in ("strict", "class", "family")]
    assert all(level.null_count() == 0 for level in levels)
    assert (levels[0] <= levels[1]).all()
    assert (levels[1] <= levels[2]).all()
    assert (crc["score"] == levels[0]).all()
    assert rows.filter(pl.col("track") == "NCCN")["therapy_f1_strict"].null_count() == 9 * 1586


def test_verdicts_follow_from_the_strict_therapy_f1(rows: pl.DataFrame) -> None:
    crc = rows.filter((pl.col("track") == "CRC") & (pl.col("verdict") != "technical_failure"))
    f1 = crc["therapy_f1_strict"]
    assert (f1.filter(crc["verdict"] == "correct") >= 0.67).all()
    assert (f1.filter(crc["verdict"] == "partial") > 0).all()
    assert (f1.filter(crc["verdict"] == "incorrect") == 0).all()


def test_partial_rows_stay_below_what_would_be_correct(rows: pl.DataFrame) -> None:
    partial = rows.filter(pl.col("verdict") == "partial")
    assert partial.filter((pl.col("gold_intent") == "stop") & (pl.col("score") >= 0.5)).is_empty()
    routed = partial.filter((pl.col("gold_intent") == "proceed") & pl.col("decision").is_in(ACTS))
    assert routed["score"].max() < 0.35
    # Neither the intent nor any content would be incorrect.
    assert partial.filter(pl.col("decision").is_in(ACTS) & (pl.col("gold_intent") == "stop")).is_empty()
    stopped = partial.filter((pl.col("gold_intent") == "proceed") & pl.col("decision").is_in(STOPS))
    assert stopped["score"].min() > 0
