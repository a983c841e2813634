import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.proportions import clopper_pearson_interval, jeffreys_interval, wilson_interval
from tests.property.stats.strategies import QUICK, score_matrices

METHODS = ["expanded", "percentile", "basic", "bca", "studentized"]


@QUICK
@given(st.integers(1, 3000), st.integers(0, 3000), st.floats(0.01, 0.999))
def test_proportion_intervals_are_sane(n, x, level):
    x = min(x, n)
    for method in (wilson_interval, clopper_pearson_interval, jeffreys_interval):
        interval, mirrored = method(x, n, level=level), method(n - x, n, level=level)
        assert 0 <= interval.low <= x / n + 1e-12
        assert x / n - 1e-12 <= interval.high <= 1
        assert interval.low < interval.high
        np.testing.assert_allclose(interval.low, 1 - mirrored.high, rtol=1e-9, atol=1e-12)
        if x < n:
            following = method(x + 1, n, level=level)
            assert following.low >= interval.low
            assert following.high >= interval.high
        wider = method(x, n, level=(1 + level) / 2)
        assert wider.low <= interval.low
        assert wider.high >= interval.high


@QUICK
@given(score_matrices(), st.sampled_from(METHODS), st.booleans())
def test_an_interval_exists_exactly_where_resamples_differ(scores, method, clustered):
    clusters = np.arange(scores.shape[1]) // 2 if clustered else None
    boot = bootstrap_means(scores, rng=np.random.default_rng(0), n_resamples=80, clusters=clusters)
    result = boot.interval(0.9, method)
    for m in range(scores.shape[0]):
        defined = boot.replicates[:, m][~np.isnan(boot.replicates[:, m])]
        if np.unique(defined).size <= 1:
            assert np.isnan(result.ci_low[m])
        elif method != "studentized":
            assert result.ci_low[m] <= result.ci_high[m]
        if method in ("expanded", "percentile", "bca") and not np.isnan(result.ci_low[m]):
            assert np.nanmin(scores[m]) <= result.ci_low[m]
            assert result.ci_high[m] <= np.nanmax(scores[m])


@QUICK
@given(score_matrices(), st.randoms(use_true_random=False))
def test_replicates_follow_relabelling_and_shifts(scores, random):
    order = list(range(scores.shape[0]))
    random.shuffle(order)
    boot = bootstrap_means(scores, rng=np.random.default_rng(3), n_resamples=50)
    shuffled = bootstrap_means(scores[order], rng=np.random.default_rng(3), n_resamples=50)
    np.testing.assert_array_equal(boot.replicates[:, order], shuffled.replicates)
    moved = bootstrap_means(2 * scores + 1, rng=np.random.default_rng(3), n_resamples=50)
    np.testing.assert_allclose(moved.replicates, 2 * boot.replicates + 1, rtol=1e-12)


@QUICK
@given(score_matrices(missing=False), st.integers(1, 5))
def test_whole_number_weights_are_repeated_items(scores, weight):
    """Weights w say the same of the estimate as w copies of the item in one cluster."""
    weights = np.ones(scores.shape[1])
    weights[0] = weight
    copies = np.repeat(np.arange(scores.shape[1]), weights.astype(int))
    weighted = bootstrap_means(scores, rng=np.random.default_rng(1), n_resamples=40, weights=weights)
    repeated = bootstrap_means(
        scores[:, copies], rng=np.random.default_rng(1), n_resamples=40, clusters=copies
    )
    np.testing.assert_allclose(weighted.replicates, repeated.replicates, rtol=1e-12)
    np.testing.assert_allclose(weighted.std_error, repeated.std_error, rtol=1e-9)
