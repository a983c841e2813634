"""Comparisons of pairs, worked out by hand or by going through all flips."""

import itertools

import numpy as np
import pytest

from analysis.stats import pair_methods, pair_rows, pair_tests
from analysis.stats.paired import compare_pairs

OPTIONS = {"n_resamples": 400, "n_permutations": 999, "level": 0.95}


def compare(scores, seed=0, **options):
    return compare_pairs(scores, rng=np.random.default_rng(seed), **(OPTIONS | options))


def flips_p(differences):
    sizes = np.abs(differences)
    signs = np.array(list(itertools.product((-1, 1), repeat=len(sizes))))
    return np.mean(np.abs(signs @ sizes) >= abs(np.sum(differences)) - 1e-9)


def test_binary_pair_by_hand():
    first, second = [1, 1, 1, 1, 1, 0, 0, 1], [0, 0, 0, 0, 0, 1, 0, 1]
    result = compare([first, second])
    assert (result.n_items[0], result.n_better[0], result.n_worse[0]) == (8, 5, 1)
    assert result.difference[0] == 0.5
    assert result.p_value[0] == pytest.approx(2 * (1 + 6) / 64)
    assert result.method[0] == "sign_flip_exact"


def test_graded_scores_are_counted_exactly():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 3, (2, 12)) / 2
    result = compare(scores)
    assert result.p_value[0] == pytest.approx(flips_p(scores[0] - scores[1]), rel=1e-12)
    assert result.method[0] == "sign_flip_exact"


def test_means_of_different_numbers_of_runs_share_a_lattice():
    # Cells of 2 and of 3 runs, equal within an item: thirds and halves lie on sixths.
    scores = np.array([[1 / 3, 0.5, 1, 2 / 3, 0.5, 1], [0, 0, 2 / 3, 1, 0, 1 / 3]])
    result = compare(scores, n_runs=np.array([[3, 2, 3, 3, 2, 3]] * 2))
    assert result.p_value[0] == pytest.approx(flips_p(scores[0] - scores[1]), rel=1e-12)
    assert result.method[0] == "sign_flip_exact"


def test_pairs_use_the_items_both_have():
    nan = np.nan
    result = compare([[1, 0, 1, nan], [0, nan, 1, 1], [nan, nan, nan, 0]])
    assert result.first.tolist() == [0, 0, 1]
    assert result.n_items.tolist() == [2, 0, 1]
    assert result.difference.tolist()[0] == 0.5
    assert result.difference[2] == 1
    assert np.isnan(result.difference[1])
    assert np.isnan(result.p_value[1])
    assert result.method.tolist() == ["sign_flip_exact", "none", "sign_flip_exact"]
    assert result.interval_method[1] == "none"


def test_identical_models_give_one_and_no_interval():
    scores = np.array([[0, 0.5, 1, 1], [0, 0.5, 1, 1]])
    result = compare(scores)
    assert result.p_value[0] == 1
    assert result.difference[0] == 0
    assert np.isnan(result.ci_low[0])


def test_a_constant_difference_has_no_bootstrap_interval():
    result = compare(np.array([[0.9, 0.7, 0.5], [0.6, 0.4, 0.2]]))
    assert np.isnan(result.ci_low[0])
    assert result.difference[0] == pytest.approx(0.3)
    assert result.p_value[0] == pytest.approx(0.25)


def test_clusters_flip_as_a_whole():
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 2, (2, 24)).astype(float)
    clusters = np.repeat([7, 3, 9, 1, 20, 4, 5, 6], 3)
    result = compare(scores, clusters=clusters)
    sums = [np.sum((scores[0] - scores[1])[clusters == c]) for c in np.unique(clusters)]
    assert result.p_value[0] == pytest.approx(flips_p(sums), rel=1e-12)
    assert result.method[0] == "cluster_sign_flip_exact"


def test_item_weights_change_estimate_and_test():
    scores = np.array([[1, 1, 0, 1, 1.0], [0, 0, 1, 1, 0]])
    weights = np.array([3, 1, 2, 1, 1])
    result = compare(scores, weights=weights)
    d = (scores[0] - scores[1]) * weights
    assert result.difference[0] == pytest.approx(d.sum() / weights.sum())
    assert result.p_value[0] == pytest.approx(flips_p(d), rel=1e-12)


def test_scores_off_any_lattice_use_all_flips_when_few_and_random_ones_when_many():
    rng = np.random.default_rng(8)
    few, many = rng.random((2, 11)), rng.random((2, 60))
    exact = compare(few)
    assert exact.method[0] == "sign_flip_exact"
    assert exact.p_value[0] == pytest.approx(flips_p(few[0] - few[1]), rel=1e-12)
    drawn = compare(many, n_permutations=20_000)
    assert drawn.method[0] == "sign_flip_monte_carlo"
    d = many[0] - many[1]
    signs = np.random.default_rng(1).choice([-1, 1], size=(50_000, 60))
    truth = np.mean(np.abs(signs @ d) >= abs(d.sum()))
    assert drawn.p_value[0] == pytest.approx(truth, abs=4 * np.sqrt(truth / 20_000))


def test_random_flips_agree_with_and_without_missing_cells():
    # Rows of pairs and shared flips are two ways to the same numbers.
    rng = np.random.default_rng(8)
    scores = rng.random((3, 40))
    shared = compare(scores)
    padded = np.concatenate([scores, [np.where(np.arange(40) < 39, 0.5, np.nan)]])
    own = compare(padded, pairs=[(0, 1), (0, 2), (1, 2)])
    np.testing.assert_array_equal(shared.p_value, own.p_value)
    np.testing.assert_array_equal(shared.ci_low, own.ci_low)


def test_exchange_of_models_changes_signs_only():
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 4, (3, 30)) / 3
    scores[0, :4] = np.nan
    pairs = np.array([(0, 1), (1, 2), (0, 2)])
    one, other = compare(scores, pairs=pairs), compare(scores, pairs=pairs[:, ::-1])
    np.testing.assert_array_equal(one.p_value, other.p_value)
    np.testing.assert_array_equal(one.difference, -other.difference)
    np.testing.assert_array_equal(one.ci_low, -other.ci_high)
    np.testing.assert_array_equal(one.n_better, other.n_worse)


def test_unequal_runs_are_never_flipped_plainly():
    rng = np.random.default_rng(4)
    runs = rng.integers(0, 2, (3, 2, 12)).astype(float)
    runs[1:, 0, 5:] = np.nan
    scores = np.nanmean(runs, axis=0)
    n_runs = np.sum(~np.isnan(runs), axis=0)
    matched = compare(scores, n_runs=n_runs, matched_runs=runs)
    d = np.concatenate([(runs[:, 0] - runs[:, 1]).mean(axis=0)[:5], (runs[0, 0] - runs[0, 1])[5:]])
    assert matched.method[0] == "matched_runs_sign_flip_exact"
    assert matched.p_value[0] == pytest.approx(flips_p(d), rel=1e-12)
    assert matched.difference[0] == pytest.approx(np.mean(scores[0] - scores[1]))
    assert compare(scores, n_runs=n_runs).method[0] == "item_bootstrap"
    assert compare(scores, n_runs=n_runs, clusters=np.arange(12) // 2).method[0] == "cluster_bootstrap"
    assert compare(scores).method[0] == "sign_flip_exact"


def test_runs_are_matched_by_number_then_by_order():
    nan = np.nan
    first = np.array([[1, 1, nan, nan], [0, nan, 1, nan], [nan, 0, 0, nan]])
    second = np.array([[0, nan, 1, 1], [1, 0, nan, 1], [1, nan, nan, 0]])
    difference, matched = pair_rows.matched_run_differences(first, second)
    # Item 0: runs 0 and 1 of both. Item 1: no shared number, first scored run of each. Item 2: the
    # same, run 1 against run 0. Item 3: nothing of the first model.
    assert difference.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert matched.tolist() == [True, True, True, False]


def test_tests_that_would_take_too_long_are_drawn_and_say_so(monkeypatch):
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 3, (2, 40)) / 2
    exact = compare(scores)
    monkeypatch.setattr(pair_tests, "MAX_EXACT_WORK", 10)
    drawn = compare(scores, n_permutations=20_000)
    assert drawn.method[0] == "sign_flip_monte_carlo"
    assert drawn.p_value[0] == pytest.approx(exact.p_value[0], abs=0.02)
    monkeypatch.setattr(pair_methods, "MAX_FLIP_WORK", 10)
    off_lattice = np.random.default_rng(0).random((2, 400))
    off_lattice[0, 3] = np.nan
    normal = compare(off_lattice)
    assert normal.method[0] == "sign_flip_normal"
    monkeypatch.undo()
    drawn = compare(off_lattice, n_permutations=20_000)
    assert normal.p_value[0] == pytest.approx(drawn.p_value[0], abs=0.02)


def test_shared_flips_serve_lattices_too(monkeypatch):
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 101, (4, 60)) / 100
    clusters = np.arange(60) // 2
    exact = compare(scores, clusters=clusters)
    monkeypatch.setattr(pair_tests, "MAX_EXACT_WORK", 10)
    shared = compare(scores, clusters=clusters, n_permutations=4000)
    assert set(shared.method) == {"cluster_sign_flip_monte_carlo"}
    monkeypatch.setattr(pair_methods.Comparison, "_may_share", lambda self: False)
    by_rows = compare(scores, clusters=clusters, n_permutations=4000)
    np.testing.assert_array_equal(shared.p_value, by_rows.p_value)
    np.testing.assert_allclose(shared.p_value, exact.p_value, atol=0.03)


def test_more_units_than_fit_into_memory(monkeypatch):
    rng = np.random.default_rng(7)
    scores = rng.random((3, 500)) + np.array([[0.0], [0.03], [0.05]])
    scores[0, :20] = np.nan
    clusters = np.arange(500) // 2
    n_runs = np.tile([[1], [1], [3]], 500)
    joint = compare(scores, clusters=clusters, n_runs=n_runs, n_permutations=4000, n_resamples=2000)
    monkeypatch.setattr("analysis.stats.resampling._KEPT_VALUES", 1)
    monkeypatch.setattr(pair_methods, "rows_per_block", lambda n_items: 1)
    large = compare(scores, clusters=clusters, n_runs=n_runs, n_permutations=4000, n_resamples=2000)
    assert large.method.tolist() == ["cluster_sign_flip_normal", "cluster_student", "cluster_student"]
    assert joint.method.tolist() == [
        "cluster_sign_flip_monte_carlo",
        "cluster_bootstrap",
        "cluster_bootstrap",
    ]
    assert large.interval_method.tolist() == ["student", "student", "bootstrap_expanded"]
    np.testing.assert_allclose(large.p_value, joint.p_value, atol=0.02)
    np.testing.assert_allclose(large.ci_low, joint.ci_low, atol=0.004)


def test_large_data_take_limits_from_counts(monkeypatch):
    rng = np.random.default_rng(9)
    scores = (rng.random((3, 3000)) < np.array([[0.3], [0.5], [0.55]])).astype(float)
    scores[2, :300] = np.nan
    joint = compare(scores, n_resamples=4000)
    monkeypatch.setattr("analysis.stats.resampling._KEPT_VALUES", 1)
    counted = compare(scores, n_resamples=4000)
    width = joint.ci_high - joint.ci_low
    np.testing.assert_allclose((counted.ci_low - joint.ci_low) / width, 0, atol=0.06)
    np.testing.assert_allclose((counted.ci_high - joint.ci_high) / width, 0, atol=0.06)
    monkeypatch.setattr("analysis.stats.pair_intervals.MIN_EXPANDED", 10**9)
    resampled = compare(scores, n_resamples=4000)
    np.testing.assert_allclose((resampled.ci_low - joint.ci_low) / width, 0, atol=0.06)


def test_tests_without_intervals():
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 3, (3, 20)) / 2
    for options in ({}, {"clusters": np.arange(20) // 2}):
        bare, full = compare(scores, n_resamples=0, **options), compare(scores, **options)
        np.testing.assert_array_equal(bare.p_value, full.p_value)
        assert np.isnan(bare.ci_low).all()
        assert set(bare.interval_method) == {"none"}
    with pytest.raises(ValueError, match="need n_resamples of at least 1"):
        compare(scores, n_resamples=0, n_runs=np.arange(60).reshape(3, 20) + 1)


def test_nothing_to_compare():
    assert compare(np.ones((1, 5))).p_value.size == 0
    assert compare(np.ones((0, 5))).p_value.size == 0
    assert compare(np.ones((3, 4)), pairs=[]).p_value.size == 0
    empty = compare(np.ones((2, 0)))
    assert np.isnan(empty.p_value[0])
    assert empty.method[0] == "none"


def test_one_item():
    result = compare([[1], [0]])
    assert result.p_value[0] == 1
    assert np.isnan(result.ci_low[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": [(0, 2)]}, "pairs must name models 0 to 1"),
        ({"pairs": [(1, 1)]}, "a pair has two different models"),
        ({"clusters": [0, -1, 2]}, "cluster codes must be integers of at least 0"),
        ({"weights": [1, np.nan, 1]}, "weights must be finite and at least 0"),
        ({"n_runs": [1, 1, 1]}, r"n_runs has shape \(3,\)"),
        ({"matched_runs": np.ones((2, 3))}, "matched_runs must have shape"),
        ({"level": 95}, "level must be between 0 and 1"),
        ({"n_resamples": -1}, "the number of draws must be at least 1"),
        ({"interval": "normal"}, "unknown interval 'normal'"),
    ],
)
def test_wrong_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        compare(np.ones((2, 3)), **options)


def test_infinite_scores_are_refused():
    with pytest.raises(ValueError, match="scores must be finite"):
        compare([[np.inf, 1], [0, 0]])
