"""Joint bootstrap intervals of many models against arch and scipy."""

from __future__ import annotations

import numpy as np

from analysis.stats.bootstrap import BootstrapMeans, bootstrap_means
from bench.measure import Comparison, best_of

N_RESAMPLES = 10_000


def scores_of_50_models(kind: str) -> np.ndarray:
    """Return 50 models x 1,000 items: graded 0, 0.5 or 1, or continuous."""
    rng = np.random.default_rng(1)
    ability = np.linspace(0.3, 0.7, 50)[:, None]
    noise = rng.random((50, 1000)) * 0.6 + ability - 0.3
    return np.round(noise * 2) / 2 if kind == "graded" else noise


def _close(ours: BootstrapMeans, low: np.ndarray, high: np.ndarray) -> str:
    # Different draws: limits agree within Monte Carlo error, here a tenth of an interval's width.
    own = ours.interval(0.95, "percentile")
    width = own.ci_high - own.ci_low
    worst = max(np.max(np.abs(own.ci_low - low) / width), np.max(np.abs(own.ci_high - high) / width))
    if worst > 0.1:
        raise AssertionError(f"limits differ by {worst:.2f} of their width")
    return f"limits within {worst:.1%} of their width (other draws)"


def against_arch() -> list[Comparison]:
    """Compare with arch: percentile intervals of 50 means, 10,000 resamples."""
    from arch.bootstrap import IIDBootstrap

    rows = []
    for kind in ("graded", "continuous"):
        scores = scores_of_50_models(kind)

        def ours(scores: np.ndarray = scores) -> BootstrapMeans:
            boot = bootstrap_means(scores, rng=np.random.default_rng(0), n_resamples=N_RESAMPLES)
            boot.interval(0.95, "percentile")
            return boot

        def theirs(scores: np.ndarray = scores) -> np.ndarray:
            bootstrap = IIDBootstrap(np.ascontiguousarray(scores.T), seed=np.random.default_rng(0))
            return bootstrap.conf_int(lambda x: x.mean(axis=0), N_RESAMPLES, method="percentile")

        own_time, boot = best_of(ours)
        their_time, limits = best_of(theirs, 1)
        rows.append(
            Comparison(
                f"joint bootstrap, 50 models x 1,000 {kind} items, 10,000 resamples",
                "arch IIDBootstrap",
                own_time,
                their_time,
                _close(boot, *limits),
            )
        )
    return rows


def against_scipy() -> list[Comparison]:
    """Compare with scipy.stats.bootstrap, vectorised over models."""
    from scipy.stats import bootstrap

    rows = []
    for kind in ("graded", "continuous"):
        scores = scores_of_50_models(kind)
        own_time, boot = best_of(
            lambda scores=scores: bootstrap_means(
                scores, rng=np.random.default_rng(0), n_resamples=N_RESAMPLES
            )
        )
        own_interval, _ = best_of(lambda boot=boot: boot.interval(0.95, "percentile"))
        their_time, result = best_of(
            lambda scores=scores: bootstrap(
                (scores,), np.mean, axis=-1, n_resamples=N_RESAMPLES, method="percentile", batch=100,
                rng=np.random.default_rng(0), vectorized=True,
            ),
            1,
        )  # fmt: skip
        limits = result.confidence_interval
        rows.append(
            Comparison(
                f"the same, {kind}",
                "scipy.stats.bootstrap",
                own_time + own_interval,
                their_time,
                _close(boot, limits.low, limits.high),
            )
        )
    return rows


RUNS = (against_arch, against_scipy)
