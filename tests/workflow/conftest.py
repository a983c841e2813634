"""A workspace of its own for every run of the workflow."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

LINKED = ("analysis", "config", "profiles", "queries", "reports", "rules", "environment.yml", "Snakefile")
Run = Callable[..., subprocess.CompletedProcess[str]]


def make_workspace(root: Path, folder: Path) -> Path:
    """Lay out a folder in which Snakemake runs with this repository's code and its own results."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in LINKED:
        (folder / name).symlink_to(root / name)
    return folder


def run_snakemake(workspace: Path, *arguments: str, cores: int = 2) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a workspace; standard output and error come together, as a person sees them."""
    bin_folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": bin_folder + os.pathsep + os.environ["PATH"]}
    environment.pop("VERDICT_ATLAS_BENCHMARK", None)
    return subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", str(cores), *arguments],
        cwd=workspace,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def write_raw(workspace: Path, name: str, frame: pl.DataFrame, card: str = "") -> Path:
    """Write a raw benchmark of one verdict file."""
    folder = workspace / "results" / "raw" / name
    folder.mkdir(parents=True)
    frame.write_parquet(folder / "verdicts.parquet")
    if card:
        (folder / "benchmark.yaml").write_text(card)
    return folder


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Path:
    """An empty workspace."""
    return make_workspace(root, tmp_path / "workspace")
