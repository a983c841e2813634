"""Packed large benchmarks give the same tables as the ordinary path."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.config import BenchmarkCard, Config, settings_for
from analysis.errors import DataError
from analysis.ingest.benchmark import read_benchmark
from analysis.packing import pack_benchmark
from analysis.tables import comparisons, concordance, counts, coverage, model_scores, policies
from analysis.tables.data import BenchmarkData

CORE = (model_scores, counts, coverage, concordance, comparisons, policies)


def write_files(folder: Path) -> None:
    """Write five models in files of their own: all states of cells, shuffled rows, two tracks."""
    rng = np.random.default_rng(5)
    items = [f"i{i:03d}" for i in range(60)]
    for model in "abcde":
        frame = pl.DataFrame(
            {
                "model": model,
                "item_id": items,
                "verdict": rng.choice(["correct", "partial", "incorrect", "technical_failure"], 60).tolist(),
                "track": ["s" if i < 25 else "t" for i in range(60)],
            }
        )
        frame = frame.with_columns(verdict=pl.when(pl.Series(rng.random(60) > 0.1)).then("verdict"))
        frame.sample(fraction=1 if model == "a" else 0.8, shuffle=True, seed=1).write_parquet(
            folder / f"{model}.parquet"
        )


@pytest.mark.parametrize("module", CORE, ids=lambda m: m.__name__.split(".")[-1])
def test_packed_tables_are_the_ordinary_ones(tmp_path: Path, module: object) -> None:
    folder = tmp_path / "bench"
    (folder / "verdicts").mkdir(parents=True)
    write_files(folder / "verdicts")
    card = BenchmarkCard()
    settings = settings_for(card, Config())
    read = read_benchmark(folder)
    ordinary = module.derive(BenchmarkData(read.verdicts, read.items, read.models, card, settings))  # type: ignore[attr-defined]
    packed = module.derive(pack_benchmark(folder, card, settings))  # type: ignore[attr-defined]
    assert ordinary.keys() == packed.keys()
    for name, (frame, _) in ordinary.items():
        assert_frame_equal(packed[name][0], frame)


def test_repeated_runs_and_spread_models_are_left_to_the_ordinary_path(tmp_path: Path) -> None:
    card = BenchmarkCard()
    settings = settings_for(card, Config())
    rows = pl.DataFrame({"model": "a", "item_id": ["x", "x"], "run": [0, 1], "correct": [True, False]})
    one = tmp_path / "one"
    one.mkdir()
    rows.write_parquet(one / "verdicts.parquet")
    with pytest.raises(DataError, match="has several rows of one model and item"):
        pack_benchmark(one, card, settings)
    two = tmp_path / "two" / "verdicts"
    two.mkdir(parents=True)
    rows.head(1).write_parquet(two / "p.parquet")
    rows.tail(1).write_parquet(two / "q.parquet")
    with pytest.raises(DataError, match=r"a stands in verdicts/p\.parquet too"):
        pack_benchmark(two.parent, card, settings)
