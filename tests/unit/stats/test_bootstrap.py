import numpy as np
import pytest

from analysis.stats.bootstrap import bootstrap_means, expanded_tail
from analysis.stats.nested import nested_bootstrap_means
from analysis.stats.resampling import (
    Resamples,
    SignFlips,
    child_generators,
    order_statistic_limits,
    resampling_counts,
)

METHODS = ["expanded", "percentile", "basic", "bca", "studentized"]


def boot(scores, seed=0, n_resamples=500, **options):
    return bootstrap_means(scores, rng=np.random.default_rng(seed), n_resamples=n_resamples, **options)


def counts(n_units, n_resamples, seed=0):
    child = child_generators(np.random.default_rng(seed), 1)[0]
    return np.concatenate([block.copy() for _, block in resampling_counts(child, n_units, n_resamples)])


def test_replicates_are_the_means_of_the_shared_resamples():
    scores = np.array([[0, 0.5, 1, 1, 0.25], [1, np.nan, 0, 0, np.nan]])
    k = counts(5, 500)
    assert np.all(k.sum(axis=1) == 5)
    seen = ~np.isnan(scores)
    expected = np.full((500, 2), np.nan)
    np.divide(k @ np.where(seen, scores, 0).T, k @ seen.T, out=expected, where=k @ seen.T > 0)
    np.testing.assert_allclose(boot(scores).replicates, expected, rtol=1e-14)


def test_weights_depend_on_the_generator_and_the_number_of_units_only():
    rng = np.random.default_rng(1)
    scores = rng.random((5, 30))
    alone = boot(scores[2:3])
    among = boot(scores)
    np.testing.assert_array_equal(alone.replicates[:, 0], among.replicates[:, 2])
    by_cluster = boot(scores, clusters=np.arange(30))
    np.testing.assert_array_equal(by_cluster.replicates, among.replicates)
    assert np.any(boot(scores, seed=2).replicates != among.replicates)


def test_counts_do_not_depend_on_the_block():
    for n_units in (3, 700, 70_000):
        child = [np.random.default_rng(5) for _ in range(2)]
        n = 40 if n_units < 1000 else 5
        one = np.concatenate([b.copy() for _, b in resampling_counts(child[0], n_units, n, block=1)])
        other = np.concatenate([b.copy() for _, b in resampling_counts(child[1], n_units, n, block=n)])
        np.testing.assert_array_equal(one, other)
        assert np.all(one.sum(axis=1) == n_units)


def test_draws_can_be_gone_through_again_and_need_not_be_kept(monkeypatch):
    table = np.arange(12.0).reshape(2, 6)
    for kind in (Resamples, SignFlips):
        kept = kind(np.random.default_rng(0), 6, 50)
        first = kept.sums(table)[0]
        np.testing.assert_array_equal(first, kept.sums(table)[0])
        monkeypatch.setattr("analysis.stats.resampling._KEPT_VALUES", 1)
        np.testing.assert_array_equal(first, kind(np.random.default_rng(0), 6, 50).sums(table)[0])
        monkeypatch.undo()


def test_whole_clusters_with_ragged_sizes():
    scores = np.array([[1, 0, 1, 1, 0, 1.0]])
    clusters = np.array([10, 10, 10, 3, 3, 8])
    k = counts(3, 500)
    # Clusters are numbered in the order of their codes: 3, 8, 10.
    top, bottom = k @ [1, 1, 2], k @ [2, 1, 3]
    result = boot(scores, clusters=clusters)
    np.testing.assert_allclose(result.replicates[:, 0], top / bottom, rtol=1e-14)
    assert result.n_clusters[0] == 3
    assert result.n_items[0] == 6
    macro = boot(scores, clusters=clusters, estimand="cluster")
    assert macro.estimate[0] == pytest.approx((0.5 + 1 + 2 / 3) / 3)
    np.testing.assert_allclose(macro.replicates[:, 0], k @ [0.5, 1, 2 / 3] / 3, rtol=1e-12)


def test_weighted_mean_and_its_standard_error_use_the_same_weights():
    scores, weights = np.array([[1, 0, 1, 0.5]]), np.array([1, 2, 0.5, 1])
    result = boot(scores, weights=weights)
    mean = np.average(scores[0], weights=weights)
    assert result.estimate[0] == pytest.approx(mean)
    residual = weights * (scores[0] - mean)
    assert result.std_error[0] == pytest.approx(np.sqrt(4 / 3 * np.sum(residual**2)) / weights.sum())


def test_items_of_weight_zero_are_no_items():
    result = boot(np.array([[1, 0, 1.0]]), weights=np.array([1, 1, 0]))
    assert result.n_items[0] == 2
    assert result.estimate[0] == 0.5


def test_standard_error_of_a_plain_mean():
    values = np.random.default_rng(0).random(40)
    assert boot(values[None]).std_error[0] == pytest.approx(values.std(ddof=1) / np.sqrt(40), rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_constant_data_have_an_estimate_and_no_interval(method):
    for scores in (np.zeros((1, 25)), np.ones((1, 1)), np.full((1, 30), 1 / 3), np.full((1, 7), 0.1234567)):
        result = boot(scores).interval(0.95, method)
        assert result.estimate[0] == pytest.approx(scores[0, 0])
        assert np.isnan(result.ci_low[0])
        assert np.isnan(result.ci_high[0])
        assert np.isnan(result.std_error[0])


@pytest.mark.parametrize("method", METHODS)
def test_constant_data_in_ragged_clusters_and_weights_too(method):
    clusters, weights = np.array([0, 0, 1, 2, 2, 2]), np.array([1, 2, 3, 1, 0.3, 7])
    result = boot(np.full((1, 6), 0.7), clusters=clusters, weights=weights).interval(0.9, method)
    assert np.isnan(result.ci_low[0])


def test_interval_methods_by_their_definitions():
    scores = np.random.default_rng(3).random((1, 50))
    result = boot(scores, n_resamples=999)
    ordered = np.sort(result.replicates[:, 0])
    percentile = result.interval(0.9, "percentile")
    assert (percentile.ci_low[0], percentile.ci_high[0]) == (ordered[49], ordered[949])
    basic = result.interval(0.9, "basic")
    assert basic.ci_low[0] == 2 * result.estimate[0] - ordered[949]
    tail = expanded_tail(0.05, 50)
    k = int(1000 * tail)
    assert result.interval(0.9, "expanded").ci_low[0] == ordered[k - 1]
    assert k < 50


def test_expanded_tail_tends_to_the_nominal_one():
    tails = expanded_tail(0.025, [1, 2, 20, 100, 10**6])
    assert tails[0] == tails[1] < tails[2] < tails[3] < tails[4]
    assert tails[4] == pytest.approx(0.025, rel=1e-4)


def test_a_model_with_few_cells_ignores_resamples_without_them():
    scores = np.full((2, 30), np.nan)
    scores[0] = np.arange(30) % 2
    scores[1, :2] = [0, 1]
    result = boot(scores)
    assert np.isnan(result.replicates[:, 1]).any()
    interval = result.interval(0.95)
    assert (interval.ci_low[1], interval.ci_high[1]) == (0, 1)
    assert interval.n_items.tolist() == [30, 2]


def test_a_model_without_a_cell_has_no_estimate():
    result = boot(np.array([[np.nan, np.nan], [1, 0]])).interval(0.95)
    assert np.isnan(result.estimate[0])
    assert result.n_items[0] == 0
    assert result.estimate[1] == 0.5


def test_compact_integers_with_a_mask_are_the_same_as_floats():
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 2, (4, 60)).astype(np.int8)
    observed = rng.random((4, 60)) < 0.8
    compact = boot(scores, observed=observed)
    plain = boot(np.where(observed, scores, np.nan))
    np.testing.assert_array_equal(compact.replicates, plain.replicates)
    np.testing.assert_array_equal(compact.interval(0.95, "bca").ci_low, plain.interval(0.95, "bca").ci_low)
    np.testing.assert_array_equal(compact.estimate, plain.estimate)


def test_no_items_at_all():
    result = boot(np.ones((2, 0))).interval(0.95)
    assert np.isnan(result.estimate).all()
    assert result.n_items.tolist() == [0, 0]


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="unknown interval method 'normal'"):
        boot(np.ones((1, 3))).interval(0.95, "normal")
    with pytest.raises(ValueError, match="estimand must be 'item' or 'cluster'"):
        boot(np.ones((1, 3)), estimand="model")
    with pytest.raises(ValueError, match="scores must have shape"):
        boot(np.ones(3))


def test_limits_exchange_when_signs_change():
    replicates = np.random.default_rng(0).standard_normal((37, 3))
    low, high = order_statistic_limits(replicates, [0.025, 0.01, 0.3], 0.05)
    mirrored_low, mirrored_high = order_statistic_limits(-replicates, 0.05, [0.025, 0.01, 0.3])
    np.testing.assert_array_equal(low, -mirrored_high)
    np.testing.assert_array_equal(high, -mirrored_low)


def test_nested_levels_are_what_they_say():
    rng = np.random.default_rng(0)
    runs = rng.integers(0, 2, (4, 2, 30)).astype(float)
    runs[2:, 0, 10:] = np.nan
    clusters = np.arange(30) // 3
    spread = {}
    for levels in (("run",), ("item",), ("cluster",), ("cluster", "item", "run")):
        result = nested_bootstrap_means(
            runs, rng=np.random.default_rng(1), n_resamples=400, levels=levels, clusters=clusters
        )
        spread[levels] = result.replicates.std(axis=0)
        assert result.estimate == pytest.approx(np.nanmean(runs, axis=0).mean(axis=1))
    assert np.all(spread["cluster", "item", "run"] > spread["cluster",])
    # Runs alone: the unbiased variance of a cell's mean is p (1 - p) / (r - 1) for r runs.
    p, r = np.nanmean(runs, axis=0), np.sum(~np.isnan(runs), axis=0)
    expected = np.sqrt(np.sum(p * (1 - p) / (r - 1), axis=1)) / 30
    np.testing.assert_allclose(spread["run",], expected, rtol=0.12)
    # Items alone, within clusters: that of a sum of three is three times their sample variance.
    within = np.sum([(p[:, clusters == c].var(axis=1, ddof=1)) * 3 for c in range(10)], axis=0)
    np.testing.assert_allclose(spread["item",], np.sqrt(within) / 30, rtol=0.12)


def test_single_runs_have_no_variation_of_runs():
    runs = np.random.default_rng(0).integers(0, 2, (1, 2, 20)).astype(float)
    result = nested_bootstrap_means(runs, rng=np.random.default_rng(0), n_resamples=50, levels=("run",))
    assert np.isnan(result.interval(0.95).ci_low).all()


def test_nested_cluster_macro_and_its_refusals():
    runs = np.array([[[1, 0, 1, 1, 0, 1.0]]])
    clusters = np.array([0, 0, 0, 1, 1, 2])
    result = nested_bootstrap_means(
        runs,
        rng=np.random.default_rng(1),
        n_resamples=300,
        levels=("cluster",),
        clusters=clusters,
        estimand="cluster",
    )
    assert result.estimate[0] == pytest.approx((2 / 3 + 0.5 + 1) / 3)
    possible = {
        round(sum(c) / 3, 9)
        for c in [(a, b, d) for a in (2 / 3, 0.5, 1) for b in (2 / 3, 0.5, 1) for d in (2 / 3, 0.5, 1)]
    }
    assert {round(v, 9) for v in result.replicates[:, 0].tolist()} <= possible
    with pytest.raises(ValueError, match="levels are among cluster, item and run"):
        nested_bootstrap_means(runs, rng=np.random.default_rng(1), n_resamples=3, levels=("patient",))
    with pytest.raises(ValueError, match="no studentized interval"):
        result.interval(0.9, "studentized")
