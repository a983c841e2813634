"""How often intervals of composition gaps and balanced recalls hold what they are of, on known data."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.class_means import estimate_class_means
from analysis.stats.composition import composition_gaps, gap_differences
from analysis.stats.episodes import count_clusters, joint_outcomes
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.resampling import Resamples

N_SETS, N_CLUSTERS = 500, 60


def coverage(low: np.ndarray, high: np.ndarray, truth: float) -> float:
    """Return the share of intervals, among those that exist, that hold the truth."""
    some = ~np.isnan(low)
    assert some.mean() > 0.9
    return float(np.mean((low[some] <= truth) & (truth <= high[some])))


@pytest.fixture(scope="module")
def two_parts() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return data sets as models: two components, right in 0.7 and 0.5 of clusters, in 0.45 together."""
    rng = np.random.default_rng(12)
    # Of both, the first only, the second only, none.
    state = rng.choice(4, p=[0.45, 0.25, 0.05, 0.25], size=(N_SETS, N_CLUSTERS))
    right = np.concatenate([state <= 1, (state == 0) | (state == 2)], axis=1)
    return right, np.tile(np.arange(N_CLUSTERS), 2), np.repeat([0, 1], N_CLUSTERS)


def test_gaps_between_components(two_parts: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    right, clusters, parts = two_parts
    counts = count_clusters(right, np.ones_like(right), clusters, parts=parts, n_parts=2)
    components = [joint_outcomes(counts, [0]), joint_outcomes(counts, [1])]
    draws = Resamples(np.random.default_rng(5), N_CLUSTERS, 800)
    joint = joint_outcomes(counts, [0, 1])
    gaps = composition_gaps(joint, components, draws)
    truths = {"gap_independent": 0.45 - 0.7 * 0.5, "gap_accuracy": 0.45 - 0.6, "gap_weakest": 0.45 - 0.5}
    found = {name: coverage(*gaps.limits(name, 0.95), truth) for name, truth in truths.items()}
    assert 0.93 <= found["gap_independent"] <= 0.98
    assert 0.93 <= found["gap_accuracy"] <= 0.98
    # A rare event (0.05): few clusters are right in the second component alone.
    assert 0.85 <= found["gap_weakest"] <= 0.99
    pairs = np.arange(N_SETS).reshape(-1, 2)
    (between,) = gap_differences(
        joint, components, draws, gaps, pairs, statistics=["gap_independent"], level=0.95
    )
    assert 0.92 <= coverage(between.low, between.high, 0.0) <= 0.985


def test_gaps_between_items_of_ragged_episodes() -> None:
    rng = np.random.default_rng(13)
    length = np.tile([1, 1, 1, 2, 2, 5], N_CLUSTERS // 6)
    clusters = np.repeat(np.arange(N_CLUSTERS), length)
    # An episode is easy or hard: its items fall together.
    easy = rng.random((N_SETS, N_CLUSTERS)) < 0.5
    chance = np.where(easy, 0.9, 0.5)[:, clusters]
    right = rng.random(chance.shape) < chance
    joint = joint_outcomes(count_clusters(right, np.ones_like(right), clusters))
    gaps = composition_gaps(joint, [], Resamples(np.random.default_rng(5), N_CLUSTERS, 800))
    success = np.mean([(0.9**n + 0.5**n) / 2 for n in length])
    truth = success - np.mean([0.7**n for n in length])
    assert 0.92 <= coverage(*gaps.limits("gap_independent", 0.95), truth) <= 0.98


def test_balanced_recall_with_a_rare_class() -> None:
    rng = np.random.default_rng(14)
    code = np.repeat([0, 1], [15, 85])
    units = ResampledUnits.create(100, rng=np.random.default_rng(6), n_resamples=600)
    held = []
    for _ in range(250):
        score = (rng.random(100) < np.where(code == 0, 0.4, 0.8)).astype(float)
        result = estimate_class_means(score, code, 2, units=units, level=0.95)
        _, low, high = result["balanced"]
        held.append(low <= 0.6 <= high)
    assert 0.92 <= np.mean(held) <= 0.99
