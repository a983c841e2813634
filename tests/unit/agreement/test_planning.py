"""Planning, repeated runs, Shapley values and cross-fitting: by hand."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from analysis.stats.cross_fitting import cross_fitted_coverage
from analysis.stats.pass_at_k import estimate_run_noise, expected_any, pass_at_k, pass_hat_k
from analysis.stats.planning import (
    detectable_difference,
    effective_discordance,
    exact_power,
    items_needed,
)
from analysis.stats.shapley import shapley_coverage
from tests.unit.agreement.conftest import units_of


def test_items_for_the_detectable_difference_are_those_there_are() -> None:
    n = np.array([60.0, 500, 4000])
    for discordance in (0.05, 0.2, 0.6):
        difference = detectable_difference(n, discordance, alpha=0.01, power=0.9)
        needed = items_needed(difference, discordance, alpha=0.01, power=0.9)
        assert np.all(np.abs(needed - n) <= 1)


def test_too_few_items_detect_nothing() -> None:
    found = detectable_difference([3, 6, 0], 0.5, alpha=0.05, power=0.8)
    assert math.isnan(found[0])
    assert 0.5 < found[1] < 1
    assert math.isnan(found[2])


def test_no_observed_discordance_still_leaves_room_for_one_sided_change() -> None:
    none = detectable_difference(200, 0.0, alpha=0.05, power=0.8)
    assert none == pytest.approx(detectable_difference(200, 0.001, alpha=0.05, power=0.8))
    assert 0.03 < none < 0.04


def test_exact_power_by_hand() -> None:
    # Six items, all discordant: p < 0.05 only if all six go one way.
    assert exact_power(6, 1.0, 0.0, alpha=0.05) == pytest.approx(2 / 64)
    assert exact_power(6, 1.0, 1.0, alpha=0.05) == pytest.approx(1.0)
    assert exact_power(5, 1.0, 1.0, alpha=0.05) == 0.0
    assert exact_power(10, 0.0, 0.0, alpha=0.05) == 0.0


def test_planning_refuses_what_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"^difference 0\.3 must not exceed discordance 0\.2 in \[0, 1\]$"):
        exact_power(10, 0.2, 0.3, alpha=0.05)
    with pytest.raises(ValueError, match=r"^alpha and power must be between 0 and 1$"):
        items_needed(0.1, 0.2, alpha=0.05, power=1.0)
    with pytest.raises(ValueError, match=r"^difference must be in \(0, 1\] and discordance in \[0, 1\]$"):
        items_needed(0.0, 0.2, alpha=0.05, power=0.8)


def test_graded_differences_of_one_size_are_scaled_zero_one_differences() -> None:
    difference = np.array([0.5, -0.5, 0, 0, 0.5])
    discordance, step = effective_discordance(np.abs(difference).mean(), (difference**2).mean())
    assert discordance == pytest.approx(0.6)
    assert step == pytest.approx(0.5)
    none = effective_discordance(0.0, 0.0)
    assert (float(none[0]), float(none[1])) == (0.0, 1.0)


def test_pass_at_k_is_the_share_of_choices_with_a_success() -> None:
    runs = [1, 0, 0, 1, 0]
    for k in range(1, 6):
        choices = [p[:k] for p in permutations(runs)]
        assert pass_at_k(5, 2, k) == pytest.approx(np.mean([max(c) for c in choices]))
        assert pass_hat_k(5, 2, k) == pytest.approx(np.mean([min(c) for c in choices]))


def test_two_runs_say_nothing_of_five() -> None:
    assert math.isnan(pass_at_k(2, 2, 5))
    assert math.isnan(pass_hat_k(2, 2, 5))
    with pytest.raises(ValueError, match=r"^k must be at least 1, got 0$"):
        pass_at_k(2, 2, 0)
    with pytest.raises(ValueError, match=r"^successes must be between 0 and the number of runs$"):
        pass_at_k(2, 3, 1)


def test_noise_of_runs_alone_and_of_items_alone() -> None:
    # Every item has one success and one failure: the items do not differ.
    noisy = estimate_run_noise(np.tile([[1.0], [0.0]], (1, 8)), units=units_of(8), level=0.95)
    assert (noisy.between, noisy.within, noisy.share_of_runs) == (0.0, 0.5, 1.0)
    calm = estimate_run_noise(np.tile([1.0, 0, 1, 0], (2, 2)), units=units_of(8), level=0.95)
    assert (calm.within, calm.share_of_runs) == (0.0, 0.0)
    assert calm.between == pytest.approx(2 / 7)
    assert calm.se_now == calm.se_many_runs


def test_noise_without_repeated_items() -> None:
    noise = estimate_run_noise([[1.0, 0, 1]], units=units_of(3), level=0.95)
    assert noise.n_repeated == 0
    assert math.isnan(noise.within)
    assert math.isnan(noise.share_of_runs)


def test_expected_coverage_at_one_run() -> None:
    assert expected_any([[0.5, 0.0], [0.5, 0.0]]).tolist() == [0.75, 0.0]
    with pytest.raises(ValueError, match=r"^p_success must be in \[0, 1\]$"):
        expected_any([[1.5]])


def test_shapley_values_are_mean_marginal_contributions() -> None:
    rng = np.random.default_rng(4)
    for p in (rng.integers(0, 2, (4, 6)).astype(float), rng.random((5, 3))):
        n_models = p.shape[0]
        total = np.zeros(p.shape)
        orders = list(permutations(range(n_models)))
        for order in orders:
            missed = np.ones(p.shape[1])
            for model in order:
                total[model] += missed * p[model]
                missed = missed * (1 - p[model])
        assert shapley_coverage(p) == pytest.approx(total / len(orders))


def test_cross_fitting_of_one_perfect_model() -> None:
    solved = np.array([[1] * 10, [0] * 10], dtype=bool)
    fitted = cross_fitted_coverage(solved, rng=np.random.default_rng(0), n_halvings=5)
    assert np.all(fitted.item_share == 1.0)
    assert fitted.chosen[0].tolist() == [1.0, 0.0]


def test_cross_fitting_sees_through_a_lucky_choice() -> None:
    # Ten models guess; the best of them in sample is no better than the others.
    rng = np.random.default_rng(3)
    solved = rng.random((10, 60)) < 0.5
    fitted = cross_fitted_coverage(solved, rng=np.random.default_rng(0), n_halvings=40)
    best = solved.mean(axis=1).max()
    assert fitted.item_share[0].mean() < best - 0.02
    assert fitted.item_share[-1].mean() == pytest.approx(solved.any(axis=0).mean())


def test_clusters_stay_whole_and_one_cluster_cannot_be_halved() -> None:
    solved = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool)
    fitted = cross_fitted_coverage(solved, rng=np.random.default_rng(0), n_halvings=3, clusters=[0, 0, 1, 1])
    # Whichever half chooses, the model that is best there solves nothing on the other.
    assert fitted.item_share[0].sum() == 0
    with pytest.raises(ValueError, match=r"^at least two items or clusters and one halving, got 1 and 3$"):
        cross_fitted_coverage(solved, rng=np.random.default_rng(0), n_halvings=3, clusters=[5] * 4)
