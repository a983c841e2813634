"""Time and memory of every kernel from 10^6 to 10^8 cells: 200 models, up to 500,000 items.

Run as ``python -m bench.scale``; each size runs in a process of its own, whose largest resident set
is read with ``resource.getrusage``. Times are processor seconds on one thread, which do not depend
on what else the machine does: read how they grow.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.measure import versions, write_result

N_MODELS = 200
SIZES = (5_000, 50_000, 500_000)
NOTES = (
    "200 models, binary scores, 2,000 resamples; processor seconds on one thread (linear algebra included), "
    "peak memory of the whole process with its input (a byte per cell, and another for which cells exist "
    "where 2 % are missing)."
)


def simulate(n_items: int, missing: float) -> tuple[np.ndarray, np.ndarray | None]:
    """Return scores of models of different strength on items of different difficulty."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(0, 1.5, n_items).astype(np.float32)
    scores = np.empty((N_MODELS, n_items), dtype=np.int8)
    observed = np.ones(scores.shape, dtype=np.bool_) if missing else None
    for m, ability in enumerate(np.linspace(-1, 1, N_MODELS)):
        scores[m] = rng.random(n_items, dtype=np.float32) < 1 / (1 + np.exp(difficulty - np.float32(ability)))
        if observed is not None:
            observed[m] = rng.random(n_items, dtype=np.float32) >= missing
            scores[m, ~observed[m]] = 0
    return scores, observed


def kernels(scores: np.ndarray, observed: np.ndarray | None) -> dict[str, Callable[[], Any]]:
    """Return the calls to time, by name."""
    from analysis.stats.bootstrap import bootstrap_means
    from analysis.stats.concordance import pairwise_agreement
    from analysis.stats.confidence_set import model_confidence_set
    from analysis.stats.coverage import greedy_coverage, optimal_coverage, unique_solves
    from analysis.stats.frontier import frontier_probability
    from analysis.stats.letters import compact_letters
    from analysis.stats.paired import compare_pairs

    draws = {"n_resamples": 2000, "observed": observed}
    solved = scores > 0
    kept: dict[str, Any] = {}

    def boot() -> None:
        kept["boot"] = bootstrap_means(scores, rng=np.random.default_rng(0), **draws)
        kept["boot"].interval(0.95)

    def pairs() -> None:
        kept["pairs"] = compare_pairs(
            scores, rng=np.random.default_rng(0), n_permutations=10_000, level=0.95, **draws
        )

    def letters() -> None:
        differs = np.zeros((N_MODELS, N_MODELS), dtype=bool)
        differs[kept["pairs"].first, kept["pairs"].second] = kept["pairs"].p_value < 1e-6
        compact_letters(differs | differs.T)

    codes = scores if observed is None else np.where(observed, scores, np.int8(-1))
    return {
        "joint bootstrap of means": boot,
        "all 19,900 paired tests and intervals": pairs,
        "model confidence set": lambda: model_confidence_set(
            scores, rng=np.random.default_rng(0), alpha=0.05, **draws
        ),
        "agreement and kappa of all pairs": lambda: pairwise_agreement(codes),
        "greedy coverage": lambda: greedy_coverage(solved),
        "unique solves": lambda: unique_solves(solved),
        "optimal ensembles (bounds)": lambda: optimal_coverage(solved),
        "frontier probability": lambda: frontier_probability(np.arange(200.0), kept["boot"].replicates),
        "letters": letters,
    }


def one_size(n_items: int, missing: float) -> dict[str, float]:
    """Time every kernel once at one size; peak memory in GB under ``peak``."""
    out = {}
    for name, run in kernels(*simulate(n_items, missing)).items():
        start = time.process_time()
        run()
        out[name] = time.process_time() - start
    out["all of them"] = sum(out.values())
    out["peak memory (GB)"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return out


def main() -> int:
    """Run all sizes, complete and with missing cells, and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=2, type=float, metavar=("ITEMS", "MISSING"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(one_size(int(arguments.one[0]), arguments.one[1])))
        return 0
    columns = {}
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    for missing in (0.0, 0.02):
        for n_items in SIZES:
            command = [sys.executable, "-m", "bench.scale", "--one", str(n_items), str(missing)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread)
            name = f"{n_items:,} items" + (", 2 % missing" if missing else "")
            columns[name] = json.loads(done.stdout.splitlines()[-1])
            print(name, columns[name], flush=True)
    lines = ["| seconds | " + " | ".join(columns) + " |", "|---" + "|---:" * len(columns) + "|"]
    for row in next(iter(columns.values())):
        lines.append(f"| {row} | " + " | ".join(f"{column[row]:.2f}" for column in columns.values()) + " |")
    body = "\n".join([*lines, "", versions("numpy", "scipy") + "."])
    print(body)
    write_result("scale", "Statistics kernels at scale", body, NOTES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
