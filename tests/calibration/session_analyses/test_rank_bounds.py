"""Simultaneous rank bounds hold where models tie; percentiles of resampled ranks do not."""

from __future__ import annotations

import numpy as np

from analysis.stats.composite import bound_ranks, rank_draws

TRUTH = np.array([0.5, 0.5, 0.5, 0.5, 0.42])
"""Four models tie for the first place, one is worse."""

N_CASES, N_RESAMPLES, N_DATASETS = 120, 300, 300


def test_bounds_hold_for_all_models_together() -> None:
    rng = np.random.default_rng(20_260_112)
    # Of tied models each may stand anywhere among them: an interval is right if it leaves all of these.
    best = np.array([1, 1, 1, 1, 5])
    worst = np.array([4, 4, 4, 4, 5])
    together = by_percentiles = 0
    for _ in range(N_DATASETS):
        case = rng.normal(0, 0.1, (N_CASES, 1))
        scores = TRUTH + case + rng.normal(0, 0.25, (N_CASES, TRUTH.size))
        weights = rng.multinomial(N_CASES, np.full(N_CASES, 1 / N_CASES), size=N_RESAMPLES)
        replicates = weights @ scores / N_CASES
        means = scores.mean(axis=0)
        found = bound_ranks(means, replicates, level=0.9)
        # The worse model's own place is not decided by few cases: its bounds need only hold it.
        held = (found.rank_low <= best) & (found.rank_high >= worst)
        together += bool(held.all())
        ranks = rank_draws(means, replicates, level=0.9)
        by_percentiles += bool(((ranks.rank_low <= best) & (ranks.rank_high >= worst)).all())
    assert together / N_DATASETS >= 0.9 - 2 * np.sqrt(0.09 / N_DATASETS)
    assert by_percentiles / N_DATASETS < 0.6
