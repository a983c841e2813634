"""The simulated benchmark, derived once for all tests of this folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from analysis.config import Config
from analysis.demo.medconsult.write import Simulation, simulate, write_medconsult
from analysis.derived import derive, write_benchmark
from analysis.ingest.benchmark import read_benchmark
from analysis.store import read_table

RULES = (
    "measure_sessions",
    "score_sessions",
    "find_hidden_errors",
    "assess_judges",
    "validate_metrics",
    "compare_variants",
    "replay_sessions",
)


@dataclass(frozen=True)
class Made:
    """The simulation, and the derived folder that the pipeline made of its files."""

    simulation: Simulation
    raw: Path
    folder: Path

    def table(self, name: str) -> pl.DataFrame:
        """Return a derived table."""
        return read_table(self.folder / f"{name}.parquet")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Simulate, read and derive."""
    path = tmp_path_factory.mktemp("medconsult")
    write_medconsult(path / "raw")
    write_benchmark(read_benchmark(path / "raw"), path / "derived", Config())
    for rule in RULES:
        derive(rule, path / "derived")
    return Made(simulate(), path / "raw", path / "derived")
