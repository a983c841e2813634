"""All core derived tables from verdict files: 200 models in 200 Parquet files, up to 10^8 rows.

``python -m bench.tables_at_scale`` writes the files to a temporary folder and measures each size in
a process of its own: seconds by the clock on both cores, largest resident set.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from bench.measure import versions, write_result

N_MODELS = 200
SIZES = (5_000, 50_000, 500_000)
MODULES = ("model_scores", "counts", "coverage", "concordance", "comparisons", "policies")


def write_files(folder: Path, n_items: int) -> None:
    """Write one file a model: difficulty of items against ability of models."""
    rng = np.random.default_rng(0)
    items = pl.Series("item_id", [f"item-{i:07d}" for i in range(n_items)])
    difficulty = rng.normal(size=n_items)
    for m in range(N_MODELS):
        p = 1 / (1 + np.exp(-(rng.normal() * 0.7 - difficulty * 1.5)))
        frame = pl.DataFrame({"item_id": items, "correct": rng.random(n_items) < p})
        frame = frame.with_columns(model=pl.lit(f"model-{m:03d}"))
        frame.write_parquet(folder / f"model-{m:03d}.parquet")


def measure(folder: Path) -> None:
    """Pack the files and derive every core table; print seconds and memory as JSON."""
    import importlib

    from analysis.config import BenchmarkCard, Config, settings_for
    from analysis.packing import pack_benchmark

    card = BenchmarkCard()
    start = time.perf_counter()
    data = pack_benchmark(folder, card, settings_for(card, Config()))
    seconds = {"files to matrix": time.perf_counter() - start}
    for name in MODULES:
        begin = time.perf_counter()
        importlib.import_module(f"analysis.tables.{name}").derive(data)
        seconds[name] = time.perf_counter() - begin
    seconds["all"] = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    json.dump({"seconds": seconds, "peak": peak}, sys.stdout)


def main() -> int:
    """Measure every size, print and write the result page."""
    found = []
    for n_items in SIZES:
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "verdicts").mkdir()
            write_files(Path(name) / "verdicts", n_items)
            command = [sys.executable, "-m", "bench.tables_at_scale", name]
            found.append(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))
    lines = [
        "| seconds | " + " | ".join(f"{N_MODELS * n:,} rows" for n in SIZES) + " |",
        "|---|---:|---:|---:|",
    ]
    for step in found[0]["seconds"]:
        lines.append(f"| {step} | " + " | ".join(f"{f['seconds'][step]:.1f}" for f in found) + " |")
    lines.append("| peak memory (GB) | " + " | ".join(f"{f['peak']:.2f}" for f in found) + " |")
    notes = f"200 models in 200 files; seconds by the clock. {versions('polars', 'numpy', 'scipy')}."
    path = write_result("tables_at_scale", "Core tables from verdict files", "\n".join(lines), notes)
    sys.stdout.write(path.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(measure(Path(sys.argv[1])) if len(sys.argv) > 1 else main())
