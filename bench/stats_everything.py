"""A whole comparison of models, against tools that do one."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.confidence_set import model_confidence_set
from analysis.stats.letters import compact_letters
from analysis.stats.multiplicity import holm
from analysis.stats.paired import compare_pairs
from analysis.stats.ranks import rank_intervals
from analysis.stats.tiers import adjacent_tiers
from analysis.stats.westfall_young import pairwise_max_t
from bench.measure import Comparison, best_of

ARENA = """
import json, logging, sys, time, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
sys.path.insert(0, sys.argv[1])
import pandas as pd
import arena
frame = pd.read_json(sys.argv[2], orient="records", lines=True)
args = arena.ReportArgs(max_diff=1.0)
start = time.process_time()
result = arena.summarize_benchmark(frame, args)
seconds = time.process_time() - start
table = result.summary
pairs = {f"{a}|{b}": p for a, b, p in zip(table["model_a"], table["model_b"], table["pvalue"])}
print(json.dumps({"seconds": seconds, "pairs": pairs}))
"""


def everything(scores: np.ndarray) -> dict[str, Any]:
    """Compute means, intervals, all paired tests, adjustments, tiers, letters, ranks and best set."""
    m = scores.shape[0]
    options = {"rng": np.random.default_rng(0), "n_resamples": 2000}
    boot = bootstrap_means(scores, **options)
    means = boot.interval(0.95)
    pairs = compare_pairs(scores, **options, n_permutations=10_000, level=0.95)
    adjusted = holm(pairs.p_value)
    pairwise_max_t(scores, **options)
    best = model_confidence_set(scores, **options, alpha=0.05)
    p, d, differs = np.full((m, m), np.nan), np.zeros((m, m)), np.zeros((m, m), dtype=bool)
    p[pairs.first, pairs.second] = p[pairs.second, pairs.first] = pairs.p_value
    d[pairs.first, pairs.second], d[pairs.second, pairs.first] = pairs.difference, -pairs.difference
    differs[pairs.first, pairs.second] = differs[pairs.second, pairs.first] = adjusted < 0.05
    order = np.lexsort((np.arange(m), -means.estimate))
    p, d, differs = (table[np.ix_(order, order)] for table in (p, d, differs))
    tiers = adjacent_tiers(np.diagonal(p, 1), np.diagonal(d, 1), alpha=0.05)
    return {
        "means": means,
        "pairs": pairs,
        "tiers": tiers,
        "letters": compact_letters(differs),
        "ranks": rank_intervals(differs, d),
        "best": best,
    }


def solved_or_not(n_models: int, n_items: int) -> np.ndarray:
    """Return binary scores of models of different strength."""
    rng = np.random.default_rng(4)
    rates = rng.random(n_items) * np.linspace(0.6, 1.0, n_models)[:, None]
    return (rng.random((n_models, n_items)) < rates).astype(float)


def against_evalstats() -> list[Comparison]:
    """Compare with evalstats.compare on 20 and 50 models."""
    import evalstats
    import pandas as pd

    rows = []
    for n_models in (20, 50):
        scores = solved_or_not(n_models, 300)
        model, item = np.indices(scores.shape)
        frame = pd.DataFrame(
            {
                "model": [f"m{i:02d}" for i in model.ravel()],
                "item": [f"i{i:03d}" for i in item.ravel()],
                "score": scores.ravel(),
            }
        )
        own_time, result = best_of(lambda scores=scores: everything(scores))
        loaded = evalstats.load_from(frame)
        their_time, theirs = best_of(
            lambda loaded=loaded: evalstats.compare(loaded, factors="model", metric="score"), 1
        )
        means = {name: float(theirs.entity_stats[name].mean) for name in theirs.labels}
        np.testing.assert_allclose(
            result["means"].estimate, [means[f"m{i:02d}"] for i in range(n_models)], rtol=1e-9
        )
        rows.append(
            Comparison(
                f"everything on {n_models} models x 300 binary items",
                "evalstats.compare", own_time, their_time, "means equal to 1e-9",
            )
        )  # fmt: skip
    return rows


def against_eval_arena() -> list[Comparison]:
    """Compare with eval-arena's summary of a benchmark, where a checkout is named."""
    checkout, python = os.environ.get("EVAL_ARENA"), os.environ.get("EVAL_ARENA_PYTHON")
    if not checkout or not python:
        return []
    scores = solved_or_not(30, 500)
    fixed = {"benchmark_id": "b", "count": 1}
    records = [
        fixed | {"model": f"m{a:02d}", "example_id": f"e{i}", "pass1": float(s), "correct": int(s)}
        for a, row in enumerate(scores)
        for i, s in enumerate(row)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.jsonl"
        path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
        done = subprocess.run(
            [python, "-c", ARENA, checkout, str(path)],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
    theirs = json.loads(done.stdout.splitlines()[-1])
    own_time, result = best_of(lambda: everything(scores))
    pairs = result["pairs"]
    for a, b, p in zip(pairs.first, pairs.second, pairs.p_value, strict=True):
        if (found := theirs["pairs"].get(f"m{a:02d}|m{b:02d}")) is not None:
            np.testing.assert_allclose(found, p, rtol=1e-6)
    return [
        Comparison(
            "everything on 30 models x 500 binary items (theirs without its pages)",
            "eval-arena summarize_benchmark", own_time, theirs["seconds"], "p equal to 1e-6",
        )
    ]  # fmt: skip
