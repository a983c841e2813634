"""Joint correctness of 100 models on 10,000 clusters of 10 items, beside a straightforward pandas loop.

Run as ``python -m bench.episodes``. Measured is everything from the models x items matrix to estimates
and intervals: item-weighted and cluster-macro accuracy, all-correct success and composition gaps of every
model, and the differences of all of them between every two models, on 2,000 joint resamples of clusters.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.composition import GAPS, composition_gaps, gap_differences
from analysis.stats.episodes import count_clusters, joint_outcomes
from analysis.stats.paired import compare_pairs
from analysis.stats.resampling import Resamples, child_generators
from bench.measure import Comparison, as_table, versions, write_result

N_MODELS, N_CLUSTERS, N_ITEMS, N_RESAMPLES = 100, 10_000, 10, 2_000
SAMPLE = 4
"""Resamples that the loop is timed on; its time is proportional to them."""


def simulate(n_models: int, n_clusters: int, n_items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return right answers (models x items), clusters and two components."""
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(n_clusters), n_items)
    hard = np.repeat(rng.normal(0, 0.7, n_clusters), n_items)
    skill = np.linspace(2.5, 0.5, n_models)[:, None]
    right = rng.random((n_models, clusters.size)) < 1 / (1 + np.exp(hard - skill))
    return right, clusters, np.tile([0, 1], clusters.size // 2)


def ours(right: np.ndarray, clusters: np.ndarray, parts: np.ndarray, n_resamples: int) -> dict[str, Any]:
    """Return every estimate, interval and paired difference."""
    observed = np.ones_like(right)
    counts = count_clusters(right, observed, clusters, parts=parts, n_parts=2)
    joint, components = joint_outcomes(counts), [joint_outcomes(counts, [c]) for c in range(2)]
    (weights_rng,) = child_generators(np.random.default_rng(7), 1)
    draws = Resamples(weights_rng, joint.known.shape[1], n_resamples)
    gaps = composition_gaps(joint, components, draws)
    upper, lower = np.triu_indices(right.shape[0], 1)
    pairs = np.stack([upper, lower], axis=1)
    differences = gap_differences(
        joint, components, draws, gaps, pairs, statistics=("joint", *GAPS), level=0.95
    )
    means = {
        estimand: bootstrap_means(
            right.astype(np.int8),
            rng=np.random.default_rng(7),
            n_resamples=n_resamples,
            clusters=clusters,
            estimand=estimand,  # type: ignore[arg-type]
        )
        for estimand in ("item", "cluster")
    }
    # Exact tests and intervals of the paired differences in accuracy.
    tests = compare_pairs(
        right.astype(np.int8),
        rng=np.random.default_rng(7),
        n_resamples=n_resamples,
        n_permutations=2_000,
        level=0.95,
        clusters=clusters,
    )
    limits = {name: gaps.limits(name, 0.95) for name in ("joint", *GAPS)}
    limits |= {name: (m.interval(0.95).ci_low, m.interval(0.95).ci_high) for name, m in means.items()}
    return {
        "gaps": gaps,
        "differences": differences,
        "means": means,
        "tests": tests,
        "limits": limits,
        "draws": draws,
    }


def pandas_loop(right: np.ndarray, clusters: np.ndarray, weights: list[np.ndarray]) -> np.ndarray:
    """Return joint success, item accuracy and macro accuracy per resample and model, the plain way."""
    frame = pd.DataFrame(right.T).assign(cluster=clusters)
    found = []
    for w in weights:
        # The resample: the rows of every cluster, as often as it was drawn.
        drawn = np.repeat(np.arange(w.size), w.astype(int))
        rows = (drawn[:, None] * (clusters.size // w.size) + np.arange(clusters.size // w.size)).ravel()
        sample = frame.iloc[rows].assign(copy=np.repeat(np.arange(drawn.size), clusters.size // w.size))
        by = sample.drop(columns="cluster").groupby("copy")
        found.append(
            np.stack([by.all().mean(), sample.drop(columns=["cluster", "copy"]).mean(), by.mean().mean()])
        )
    return np.array(found)


def timed(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return elapsed and processor seconds and the result."""
    elapsed, cpu = time.perf_counter(), time.process_time()
    result = run()
    return time.perf_counter() - elapsed, time.process_time() - cpu, result


def main() -> Path:
    """Measure and write the result page."""
    right, clusters, parts = simulate(N_MODELS, N_CLUSTERS, N_ITEMS)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with threadpool_limits(2):
        elapsed, cpu, made = timed(lambda: ours(right, clusters, parts, N_RESAMPLES))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    weights = []
    for _, block in made["draws"]._blocks(np.float64):
        weights += [row.copy() for row in block[: SAMPLE - len(weights)]]
        if len(weights) == SAMPLE:
            break
    _, loop_cpu, replicates = timed(lambda: pandas_loop(right, clusters, weights))
    gaps, means = made["gaps"], made["means"]
    expected = np.stack(
        [
            gaps.replicates[0, :, :SAMPLE].T,
            means["item"].replicates[:SAMPLE],
            means["cluster"].replicates[:SAMPLE],
        ],
        axis=1,
    )
    np.testing.assert_allclose(replicates, expected, atol=1e-9)
    line = Comparison(
        f"{N_CLUSTERS:,} clusters x {N_ITEMS} items x {N_MODELS} models, {N_RESAMPLES:,} resamples",
        "pandas: take the rows of every resample, group by cluster",
        cpu,
        loop_cpu * N_RESAMPLES / SAMPLE,
        f"equal to 1e-9 on {SAMPLE} resamples",
        extrapolated=True,
    )
    n_pairs = N_MODELS * (N_MODELS - 1) // 2
    notes = (
        f"Ours: {elapsed:.1f} s elapsed on two threads, {peak:.1f} GB at most "
        f"({before / 2**20:.1f} GB of it data and interpreter), for every model and all {n_pairs:,} pairs: "
        "joint success, three composition gaps, item-weighted and macro accuracy, with intervals, and a "
        "cluster sign-flip test of each pair. Seconds in the table are processor time; the loop computes "
        f"three replicates per model and no pair. {versions('numpy', 'pandas')}."
    )
    return write_result("episodes", "Joint correctness over clusters", as_table([line]), notes)


if __name__ == "__main__":
    print(main().read_text(encoding="utf-8"))
