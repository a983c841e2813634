"""The joint bootstrap against arch and scipy, on the very same resamples.

Their draws are turned into counts and handed to our kernel in place of its own, so what is compared
is the arithmetic of replicates and intervals, to rounding.
"""

import numpy as np
import pytest

from analysis.stats import resampling
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.confidence_set import model_confidence_set


@pytest.fixture
def use_draws(monkeypatch):
    """Let our kernel use given index draws, shape (B, G)."""

    def use(indices):
        counts = np.stack([np.bincount(row, minlength=indices.shape[1]) for row in indices]).astype(float)

        def given(rng, n_units, n_resamples, *, dtype=np.float64, block=None):
            assert counts.shape == (n_resamples, n_units)
            yield slice(0, n_resamples), counts.astype(dtype)

        monkeypatch.setattr(resampling, "resampling_counts", given)

    return use


def arch_draws(n, n_resamples, seed):
    from arch.bootstrap import IIDBootstrap

    bootstrap = IIDBootstrap(np.arange(n), seed=np.random.default_rng(seed))
    return np.array([data[0][0] for data in bootstrap.bootstrap(n_resamples)])


def test_replicates_are_archs(use_draws):
    from arch.bootstrap import IIDBootstrap

    scores = np.random.default_rng(0).random((4, 60))
    use_draws(arch_draws(60, 300, seed=7))
    ours = bootstrap_means(scores, rng=np.random.default_rng(0), n_resamples=300)
    theirs = IIDBootstrap(scores.T, seed=np.random.default_rng(7)).apply(lambda x: x.mean(axis=0), 300)
    np.testing.assert_allclose(ours.replicates, theirs, rtol=1e-12)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentized"])
def test_intervals_are_archs(use_draws, method):
    from arch.bootstrap import IIDBootstrap

    values = np.random.default_rng(1).gamma(0.5, size=80)
    use_draws(arch_draws(80, 1999, seed=3))
    ours = bootstrap_means(values[None], rng=np.random.default_rng(0), n_resamples=1999)
    interval = ours.interval(0.9, method)

    def error(params, x):
        return np.array([x.std(ddof=1) / np.sqrt(x.size)])

    options = {"std_err_func": error} if method == "studentized" else {}
    theirs = (
        IIDBootstrap(values, seed=np.random.default_rng(3))
        .conf_int(lambda x: np.array([x.mean()]), 1999, method=method, size=0.9, **options)
        .ravel()
    )
    replicates = ours.replicates[:, 0]
    if method == "studentized":
        # arch multiplies by the bootstrap standard error, we by the one that the draws are divided by.
        theirs = (theirs - ours.estimate[0]) / replicates.std() * ours.std_error[0] + ours.estimate[0]
        replicates = ours.estimate[0] - ours._t_replicates[:, 0] * ours.std_error[0]
    if method == "basic":
        replicates = 2 * ours.estimate[0] - replicates
    # They interpolate at (B - 1) p, we take the order statistic at (B + 1) p: two ranks apart at most.
    for own, other in zip((interval.ci_low[0], interval.ci_high[0]), theirs, strict=True):
        low, high = sorted((own, other))
        assert np.count_nonzero((replicates > low + 1e-12) & (replicates < high - 1e-12)) <= 1


def test_bca_and_percentile_are_scipys(use_draws):
    from scipy.stats import bootstrap

    values = (np.random.default_rng(2).random(120) < 0.08).astype(float)
    draws = np.random.default_rng(5).integers(0, 120, (999, 120))

    use_draws(draws)
    ours = bootstrap_means(values[None], rng=np.random.default_rng(0), n_resamples=999)
    replicates = values[draws].mean(axis=1)
    np.testing.assert_allclose(ours.replicates[:, 0], replicates, rtol=1e-12)
    for ours_name, theirs_name in (("bca", "BCa"), ("percentile", "percentile"), ("basic", "basic")):
        theirs = bootstrap(
            (values,), np.mean, n_resamples=0, method=theirs_name, confidence_level=0.9,
            bootstrap_result=type("Result", (), {"bootstrap_distribution": replicates})(), vectorized=True,
        ).confidence_interval  # fmt: skip
        interval = ours.interval(0.9, ours_name)
        # On this lattice of 1/120 limits are the same or neighbours.
        assert interval.ci_low[0] == pytest.approx(theirs.low, abs=1 / 120 + 1e-9)
        assert interval.ci_high[0] == pytest.approx(theirs.high, abs=1 / 120 + 1e-9)


@pytest.mark.parametrize("n_models", [2, 5, 9])
def test_model_confidence_set_is_archs(use_draws, n_models):
    from arch.bootstrap import MCS

    rng = np.random.default_rng(n_models)
    scores = rng.random((n_models, 150)) + rng.random(150) + np.linspace(0, 0.12, n_models)[:, None]
    theirs = MCS(
        -scores.T, size=0.1, reps=400, block_size=1, method="R", bootstrap="circular",
        seed=np.random.default_rng(11),
    )  # fmt: skip
    theirs.compute()
    use_draws(np.array(theirs._bootstrap_indices))
    ours = model_confidence_set(scores, rng=np.random.default_rng(0), n_resamples=400, alpha=0.1)
    expected = theirs.pvalues["Pvalue"].sort_index().to_numpy()
    # Ours is the add-one estimate; the best model has 1 in both.
    plain = np.where(ours.p_value < 1, (ours.p_value * 401 - 1) / 400, 1)
    np.testing.assert_allclose(plain, expected, atol=1e-12)
    assert np.flatnonzero(ours.included).tolist() == sorted(theirs.included)


def test_cluster_bootstrap_is_archs_on_clusters(use_draws):
    from arch.bootstrap import IIDBootstrap

    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(12), rng.integers(1, 9, 12))
    scores = rng.random(clusters.size)
    top = np.bincount(clusters, scores)
    size = np.bincount(clusters).astype(float)
    use_draws(arch_draws(12, 200, seed=9))
    ours = bootstrap_means(scores[None], rng=np.random.default_rng(0), n_resamples=200, clusters=clusters)
    theirs = IIDBootstrap(top, size, seed=np.random.default_rng(9)).apply(lambda t, s: t.sum() / s.sum(), 200)
    np.testing.assert_allclose(ours.replicates, theirs, rtol=1e-12)
