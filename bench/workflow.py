"""The main job as a whole: cold, with nothing to do, after one change; and the tables beside a plain script.

``python -m bench.workflow`` works in a folder of its own and writes `bench/results/workflow.md`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from analysis.derived import RULES, read_derived
from bench.measure import Comparison, as_table, versions, write_result
from bench.plain_script import core_tables

ROOT = Path(__file__).resolve().parent.parent
LINKED = ("analysis", "config", "profiles", "queries", "reports", "rules", "environment.yml", "Snakefile")
CORE = (
    "score_models",
    "count_items",
    "cover_items",
    "compare_verdicts",
    "compare_models",
    "count_labels",
    "stratify_scores",
)


def run(folder: Path, *arguments: str) -> tuple[float, str]:
    """Run Snakemake on two cores; return its seconds and what it printed."""
    path = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
        cwd=folder,
        env={**os.environ, "PATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    return time.perf_counter() - start, done.stdout


def whole_runs(folder: Path) -> list[str]:
    """Measure the demonstration cold, again, and two benchmarks of which one changes."""
    for name in LINKED:
        (folder / name).symlink_to(ROOT / name)
    cold, _ = run(folder, "report")
    again, said = run(folder, "report")
    assert "Nothing to be done" in said
    demo = folder / "results/raw/demo"
    for name in ("one", "two"):
        target = folder / "results/raw" / name
        target.mkdir(parents=True)
        for file in demo.rglob("*"):
            if file.is_file():
                copy = target / file.relative_to(demo)
                copy.parent.mkdir(exist_ok=True)
                copy.write_bytes(file.read_bytes())
    run(folder, "report")
    part = next((folder / "results/raw/two/verdicts").glob("*.parquet"))
    pl.read_parquet(part).head(-1).write_parquet(part)
    changed, said = run(folder, "report")
    touched = set(re.findall(r"^\w+ (one|two)$", said, re.M))
    assert touched == {"two"}, touched
    return [
        "| run | seconds |",
        "|---|---:|",
        f"| demonstration (9 models, 2,000 items), cold, `--cores 2 report` | {cold:.1f} |",
        f"| again, nothing to do | {again:.1f} |",
        f"| two such benchmarks, one verdict file changed: only its benchmark is built | {changed:.1f} |",
    ]


def tables_beside_a_plain_script(derived: Path) -> Comparison:
    """Compute the core tables in one process both ways, and check that they agree."""
    import importlib

    from analysis.derived import read_data

    modules = [importlib.import_module(RULES[rule]) for rule in CORE]
    start = time.perf_counter()
    data = read_data(derived)
    for module in modules:
        module.derive(data)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    plain = core_tables(derived)
    theirs = time.perf_counter() - start
    tables = read_derived(derived)
    scores = tables["model_scores"].filter(track="all", metric="correct")
    for model, estimate, low, high in scores.select("model", "estimate", "ci_low", "ci_high").iter_rows():
        assert abs(plain["estimate"][model] - estimate) < 1e-12
        assert max(abs(plain["interval"][model][0] - low), abs(plain["interval"][model][1] - high)) < 5e-3
    path = tables["coverage"].filter(track="all", basis="answered", method="greedy").sort("step")
    assert list(path.select("model", "gained").iter_rows()) == plain["greedy"]
    counts = tables["count_distribution"].filter((pl.col("track") == "all") & (pl.col("basis") == "answered"))
    assert {k: n for k, n in counts.select("k", "n_items").iter_rows() if n} == plain["k"]
    agreed = "estimates, counts, greedy path equal; limits within 0.005"
    task = "core tables of the demonstration, every track (the script: all items only)"
    return Comparison(task, "pandas, scipy, statsmodels, scikit-learn script", ours, theirs, agreed)


def main() -> int:
    """Measure, print and write the result page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = whole_runs(folder)
        comparison = tables_beside_a_plain_script(folder / "results/derived/demo")
    body = "\n".join([*lines, "", as_table([comparison])])
    notes = f"{versions('snakemake', 'polars', 'pandas', 'scipy', 'statsmodels')}."
    path = write_result("workflow", "The main job", body, notes)
    sys.stdout.write(path.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
