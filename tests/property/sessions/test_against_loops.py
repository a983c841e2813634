"""Column-wise metrics against one session at a time in plain Python, on generated sessions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analysis.ingest.benchmark import read_benchmark
from analysis.sessions.definitions import METRICS
from analysis.sessions.measure import measure_sessions
from tests.property.sessions.generated import frames, generate
from tests.property.sessions.plain import session_metrics
from tests.unit.sessions.worked_example import write

TAU = 0.9


@pytest.mark.parametrize("seed", range(12))
def test_same_values(tmp_path: Path, seed: int) -> None:
    raw = generate(seed)
    folder = write(tmp_path / "bench", frames(raw))
    index, values = measure_sessions(read_benchmark(folder).sessions, tau=TAU)
    assert set(values) == {m.name for m in METRICS}
    expected = {(s["model"], s["case_id"], s["run"]): session_metrics(s, raw, TAU) for s in raw["sessions"]}
    assert index.n == len(expected)
    for i, key in enumerate(index.sessions.select("model", "case_id", "run").iter_rows()):
        for name, value in values.items():
            should = expected[key][name]
            assert value[i] == pytest.approx(np.nan if should is None else should, nan_ok=True, abs=1e-9), (
                key,
                name,
            )


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    made = frames(generate(3))
    shuffled = {stem: frame.sample(fraction=1, shuffle=True, seed=1) for stem, frame in made.items()}
    a, b = (
        measure_sessions(read_benchmark(write(tmp_path / name, files)).sessions, tau=TAU)[1]
        for name, files in (("a", made), ("b", shuffled))
    )
    assert {n: v.tobytes() for n, v in a.items()} == {n: v.tobytes() for n, v in b.items()}


@pytest.mark.parametrize("seed", range(4))
def test_values_stay_within_their_bounds(tmp_path: Path, seed: int) -> None:
    folder = write(tmp_path / "bench", frames(generate(100 + seed)))
    _, values = measure_sessions(read_benchmark(folder).sessions, tau=TAU)
    for metric in METRICS:
        value = values[metric.name][~np.isnan(values[metric.name])]
        assert (value >= metric.low - 1e-12).all(), metric.name
        assert metric.high is None or (value <= metric.high + 1e-12).all(), metric.name


def test_files_in_parts_are_one_file(tmp_path: Path) -> None:
    made = frames(generate(5))
    whole = read_benchmark(write(tmp_path / "whole", made)).sessions
    parts = write(tmp_path / "parts", {s: f for s, f in made.items() if s not in ("turns", "sessions")})
    for stem in ("turns", "sessions"):
        for (model,), part in made[stem].partition_by("model", as_dict=True).items():
            place = parts / "sessions" / stem / f"model={model}" / "part.parquet"
            place.parent.mkdir(parents=True)
            part.drop("model").write_parquet(place)
    split = read_benchmark(parts).sessions
    key = {"sessions": ["model", "case_id", "run"], "session_turns": ["model", "case_id", "run", "turn"]}
    for table, columns in key.items():
        assert split[table].sort(columns).equals(whole[table].sort(columns))
    assert isinstance(split["sessions"], pl.DataFrame)
