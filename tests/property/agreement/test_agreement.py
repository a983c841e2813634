"""What must hold of agreement, correction, planning and ensembles whatever the data are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from analysis.stats.agreement import kappas_from_counts, pairwise_kappas
from analysis.stats.cross_fitting import cross_fitted_coverage
from analysis.stats.intraclass import estimate_icc
from analysis.stats.joint_counts import joint_counts
from analysis.stats.judge_correction import prediction_powered
from analysis.stats.pass_at_k import pass_at_k, pass_hat_k
from analysis.stats.planning import detectable_difference, exact_power, items_needed
from analysis.stats.rank_agreement import estimate_differences, kendall_tau
from analysis.stats.reliability import estimate_alpha, estimate_reliability
from analysis.stats.shapley import shapley_coverage
from tests.unit.agreement.conftest import units_of

FEW = settings(max_examples=40, deadline=None)
CODES = arrays.arrays(np.int64, st.tuples(st.just(3), st.integers(2, 30)), elements=st.integers(-1, 3))
TABLES = arrays.arrays(np.int64, (4, 4), elements=st.integers(0, 20))
BITS = st.lists(st.integers(0, 1), min_size=2, max_size=40)


@FEW
@given(CODES)
def test_kappa_is_symmetric_and_at_most_the_agreement(codes: np.ndarray) -> None:
    kappas = pairwise_kappas(codes, 4)
    for values in (kappas.agreement, kappas.kappa, kappas.kappa_linear, kappas.kappa_quadratic):
        assert np.array_equal(values, values.T, equal_nan=True)
    known = ~np.isnan(kappas.kappa)
    assert np.all(kappas.kappa[known] <= kappas.agreement[known] + 1e-12)


@FEW
@given(TABLES, st.permutations(range(4)))
def test_plain_kappa_does_not_know_the_order(counts: np.ndarray, order: list[int]) -> None:
    moved = counts[np.ix_(order, order)]
    assert kappas_from_counts(moved).kappa == pytest.approx(
        float(kappas_from_counts(counts).kappa), nan_ok=True
    )


@FEW
@given(TABLES)
def test_reversing_the_order_changes_no_weighted_kappa(counts: np.ndarray) -> None:
    one, other = kappas_from_counts(counts), kappas_from_counts(counts[::-1, ::-1])
    assert other.kappa_linear == pytest.approx(float(one.kappa_linear), nan_ok=True)
    assert other.kappa_quadratic == pytest.approx(float(one.kappa_quadratic), nan_ok=True)


@FEW
@given(CODES, st.integers(0, 30))
def test_shards_of_ratings_add_up(codes: np.ndarray, cut: int) -> None:
    whole = joint_counts(codes, 4)
    parts = joint_counts(codes[:, :cut], 4) + joint_counts(codes[:, cut:], 4)
    assert np.array_equal(kappas_from_counts(whole).kappa, kappas_from_counts(parts).kappa, equal_nan=True)


@FEW
@given(CODES)
def test_kappas_are_never_above_one_nor_intervals_outside(codes: np.ndarray) -> None:
    result = estimate_reliability(codes, 4, units=units_of(codes.shape[1], n_resamples=60), level=0.9)
    for estimate, low, high in zip(result.estimate, result.ci_low, result.ci_high, strict=True):
        assert np.isnan(estimate) or estimate <= 1 + 1e-12
        assert np.isnan(low) or low <= high <= 1 + 1e-12


NUMBERS = arrays.arrays(np.float64, st.tuples(st.just(3), st.integers(3, 20)), elements=st.integers(0, 6))


@FEW
@given(NUMBERS, st.sampled_from([0.5, 2.0, 10.0]), st.sampled_from([-3.0, 0.0, 1.5]))
def test_interval_statistics_do_not_know_unit_or_origin(
    ratings: np.ndarray, unit: float, origin: float
) -> None:
    units = units_of(ratings.shape[1], n_resamples=20)
    moved = ratings * unit + origin
    one = estimate_alpha(ratings, "interval", units=units, level=0.9)
    other = estimate_alpha(moved, "interval", units=units, level=0.9)
    assert other.estimate[0] == pytest.approx(float(one.estimate[0]), nan_ok=True, abs=1e-9)
    first = estimate_icc(ratings, units=units, level=0.9)
    second = estimate_icc(moved, units=units, level=0.9)
    assert second.estimate == pytest.approx(np.array(first.estimate), nan_ok=True, abs=1e-8)


@FEW
@given(NUMBERS)
def test_ordinal_alpha_knows_the_order_only(ratings: np.ndarray) -> None:
    units = units_of(ratings.shape[1], n_resamples=20)
    one = estimate_alpha(ratings, "ordinal", units=units, level=0.9)
    other = estimate_alpha(np.exp(ratings), "ordinal", units=units, level=0.9)
    assert np.array_equal(one.estimate, other.estimate, equal_nan=True)
    assert np.array_equal(one.ci_low, other.ci_low, equal_nan=True)


@FEW
@given(NUMBERS)
def test_the_same_resamples_give_the_same_digits(ratings: np.ndarray) -> None:
    n = ratings.shape[1]
    results = [
        estimate_differences(ratings[0], ratings[1], units=units_of(n, n_resamples=40), level=0.9)
        for _ in range(2)
    ]
    for name in ("estimate", "std_error", "ci_low", "ci_high"):
        assert np.array_equal(getattr(results[0], name), getattr(results[1], name), equal_nan=True)


@FEW
@given(NUMBERS)
def test_swapping_raters_turns_differences_round(ratings: np.ndarray) -> None:
    units = units_of(ratings.shape[1], n_resamples=40)
    one = estimate_differences(ratings[0], ratings[1], units=units, level=0.9)
    other = estimate_differences(ratings[1], ratings[0], units=units, level=0.9)
    assert other["spearman"][0] == pytest.approx(one["spearman"][0], nan_ok=True)
    assert other["mean_difference"][0] == pytest.approx(-one["mean_difference"][0])
    assert other["mean_absolute_difference"] == pytest.approx(one["mean_absolute_difference"], nan_ok=True)


@FEW
@given(BITS, st.data())
def test_corrected_shares_are_shares(human: list[int], data: st.DataObject) -> None:
    judge = data.draw(st.lists(st.integers(0, 1), min_size=len(human), max_size=len(human)))
    rest = data.draw(st.lists(st.integers(0, 1), max_size=60))
    share = prediction_powered(human, judge, rest, level=0.95)
    assert 0 <= share.ci_low <= share.estimate <= share.ci_high <= 1
    assert 0 <= share.judge_weight <= 1
    turned = prediction_powered(
        [1 - y for y in human], [1 - y for y in judge], [1 - y for y in rest], level=0.95
    )
    assert turned.estimate == pytest.approx(1 - share.estimate)
    assert turned.ci_low == pytest.approx(1 - share.ci_high)


@FEW
@given(st.integers(1, 12), st.data())
def test_more_runs_pass_more_and_all_pass_less(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    any_of = [float(pass_at_k(n, c, k)) for k in range(1, n + 1)]
    all_of = [float(pass_hat_k(n, c, k)) for k in range(1, n + 1)]
    assert any_of[0] == pytest.approx(c / n) == pytest.approx(all_of[0])
    assert np.all(np.diff(any_of) >= -1e-12)
    assert np.all(np.diff(all_of) <= 1e-12)
    # Of the failures: any succeeds where not all fail.
    assert any_of == pytest.approx([1 - float(pass_hat_k(n, n - c, k)) for k in range(1, n + 1)])
    assert np.isnan(pass_at_k(n, c, n + 1))


@FEW
@given(
    st.integers(20, 3000),
    st.floats(0.01, 1.0),
    st.sampled_from([0.05, 0.01, 0.001]),
    st.sampled_from([0.6, 0.8, 0.95]),
)
def test_planning_inverts_itself(n: int, discordance: float, alpha: float, power: float) -> None:
    difference = float(detectable_difference(n, discordance, alpha=alpha, power=power))
    assume(not np.isnan(difference))
    needed = float(items_needed(difference, discordance, alpha=alpha, power=power))
    assert abs(needed - n) <= 1
    assert float(detectable_difference(2 * n, discordance, alpha=alpha, power=power)) < difference


@FEW
@given(st.integers(5, 120), st.floats(0.05, 1.0), st.floats(0.0, 1.0))
def test_power_is_symmetric_and_below_alpha_without_a_difference(n: int, q: float, share: float) -> None:
    d = q * share
    assert exact_power(n, q, d, alpha=0.05) == pytest.approx(exact_power(n, q, -d, alpha=0.05), abs=1e-12)
    assert exact_power(n, q, 0.0, alpha=0.05) <= 0.05 + 1e-12
    assert exact_power(n, q, d, alpha=0.05) >= exact_power(n, q, 0.0, alpha=0.05) - 1e-12


SOLVED = arrays.arrays(np.bool_, st.tuples(st.integers(2, 6), st.integers(2, 24)))


@FEW
@given(SOLVED)
def test_shapley_shares_are_efficient_and_symmetric(solved: np.ndarray) -> None:
    shares = shapley_coverage(solved)
    assert shares.sum(axis=0) == pytest.approx(solved.any(axis=0).astype(float))
    assert np.all(shares[~solved] == 0)
    twin = shapley_coverage(np.vstack([solved, solved[:1]]))
    assert np.array_equal(twin[0], twin[-1])


@FEW
@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.floats(0, 1)))
def test_shapley_of_chances_sums_to_the_chance_of_any(p: np.ndarray) -> None:
    assert shapley_coverage(p).sum(axis=0) == pytest.approx(1 - np.prod(1 - p, axis=0), abs=1e-12)


@FEW
@given(SOLVED, st.integers(0, 2**16))
def test_cross_fitted_coverage_grows_to_that_of_all_models(solved: np.ndarray, seed: int) -> None:
    fitted = cross_fitted_coverage(solved, rng=np.random.default_rng(seed), n_halvings=4)
    by_size = fitted.item_share.sum(axis=1)
    assert np.all(np.diff(by_size) >= -1e-9)
    assert by_size[-1] == pytest.approx(float(solved.any(axis=0).sum()))
    # Nothing chosen elsewhere beats the best set chosen here.
    assert by_size[0] <= solved.sum(axis=1).max() + 1e-9


@FEW
@given(arrays.arrays(np.float64, (2, 8), elements=st.integers(0, 5)))
def test_kendalls_tau_turns_with_the_order(scores: np.ndarray) -> None:
    one, other = float(kendall_tau(scores[0], scores[1])), float(kendall_tau(scores[0], -scores[1]))
    assert other == pytest.approx(-one, nan_ok=True)
    assert np.isnan(one) or -1 - 1e-12 <= one <= 1 + 1e-12
