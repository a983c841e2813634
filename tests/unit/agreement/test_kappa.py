"""Kappas worked out by hand, and every case without variation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.stats.accuracy import ACCURACY, estimate_accuracy
from analysis.stats.agreement import distances, estimate_agreement, kappas_from_counts, pairwise_kappas
from tests.unit.agreement.conftest import units_of


def test_kappa_by_hand() -> None:
    # Cohen's 1960 layout: observed 0.70, expected 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    kappas = kappas_from_counts([[40, 10], [20, 30]])
    assert kappas.agreement == pytest.approx(0.7)
    assert kappas.kappa == pytest.approx(0.4)


def test_weighted_kappas_by_hand() -> None:
    # Distances observed: one step twice of 4. Margins (2, 1, 1) and (1, 2, 1).
    kappas = kappas_from_counts([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    expected = (2 * 2 * 1 + 2 * 1 * 2 + 1 * 1 * 1 + 1 * 1 * 1 + 1 * 1 * 2 + 1 * 2 * 1) / 16
    assert kappas.kappa_linear == pytest.approx(1 - 0.25 / expected)
    assert kappas.agreement == 0.75


@pytest.mark.parametrize("kind", ["kappa", "kappa_linear", "kappa_quadratic"])
def test_one_class_has_agreement_but_no_kappa(kind: str) -> None:
    kappas = kappas_from_counts([[7, 0], [0, 0]])
    assert kappas.agreement == 1.0
    assert math.isnan(getattr(kappas, kind))


def test_one_constant_rater_agrees_as_chance_does() -> None:
    kappas = kappas_from_counts([[6, 2], [0, 0]])
    assert (kappas.agreement, kappas.kappa, kappas.kappa_quadratic) == (0.75, 0.0, 0.0)


def test_two_constant_raters_of_different_categories() -> None:
    kappas = kappas_from_counts([[0, 5], [0, 0]])
    assert (kappas.agreement, kappas.kappa) == (0.0, 0.0)


def test_nothing_in_common() -> None:
    kappas = pairwise_kappas([[0, -1], [-1, 1]], 2)
    assert kappas.n[0, 1] == 0
    assert math.isnan(kappas.agreement[0, 1])
    assert math.isnan(kappas.kappa[0, 1])


def test_a_category_that_nobody_used_keeps_its_distance() -> None:
    used = kappas_from_counts([[3, 1], [1, 3]], positions=[0, 2])
    with_middle = kappas_from_counts([[3, 0, 1], [0, 0, 0], [1, 0, 3]])
    assert used.kappa_quadratic == pytest.approx(with_middle.kappa_quadratic)
    assert used.kappa_linear == pytest.approx(with_middle.kappa_linear)


def test_positions_off_any_lattice_and_their_scale() -> None:
    counts = [[5, 2, 1], [1, 6, 2], [0, 1, 4]]
    at = np.array([0.0, math.pi, 9.0])
    one = kappas_from_counts(counts, positions=at)
    other = kappas_from_counts(counts, positions=at * 7.5 + 2)
    assert one.kappa_linear == pytest.approx(float(other.kappa_linear), abs=1e-5)


def test_positions_must_be_as_many_as_categories() -> None:
    with pytest.raises(ValueError, match=r"^positions must be 3 finite numbers, got \[0\.0, 1\.0\]$"):
        distances(3, [0, 1])


def test_estimates_carry_units_and_common_items() -> None:
    first, second = [0, 1, 1, 0, -1, 1], [0, 1, 0, 0, 1, -1]
    result = estimate_agreement(first, second, 2, units=units_of(6, [0, 0, 1, 1, 2, 3]), level=0.9)
    assert (result.n_items, result.n_clusters) == (4, 2)
    assert result["agreement"][0] == 0.75
    assert result.method == ("bootstrap_bca",) * 4


def test_agreement_of_single_items_has_wilson_limits() -> None:
    result = estimate_agreement([0, 1, 1, 0], [0, 1, 1, 1], 2, units=units_of(4), level=0.95)
    assert result.method[0] == "wilson"
    assert result["agreement"] == pytest.approx((0.75, 0.3006, 0.9544), abs=1e-4)


def test_perfect_agreement_has_no_bootstrap_interval() -> None:
    result = estimate_agreement([0, 1] * 10, [0, 1] * 10, 2, units=units_of(20), level=0.95)
    estimate, low, high = result["kappa"]
    assert estimate == 1.0
    assert math.isnan(low)
    assert math.isnan(high)


def test_no_interval_where_many_resamples_have_one_class() -> None:
    # One disagreement in 12: a third of the resamples see only one category.
    first = [0] * 12
    second = [1] + [0] * 11
    result = estimate_agreement(first, second, 2, units=units_of(12), level=0.95)
    assert result["kappa"][0] == 0.0
    assert math.isnan(result["kappa"][1])


def test_raters_of_other_lengths_are_refused() -> None:
    message = r"^both raters and the units must have one length, got \(2,\), \(2,\), \(3,\)$"
    with pytest.raises(ValueError, match=message):
        estimate_agreement([0, 1], [0, 1], 2, units=units_of(3), level=0.95)
    with pytest.raises(ValueError, match=r"^codes must be below 2$"):
        estimate_agreement([0, 2], [0, 1], 2, units=units_of(2), level=0.95)


def test_accuracy_by_hand() -> None:
    # 8 yes and 4 no by the reference: 6 hits, 1 false alarm.
    reference = [1] * 8 + [0] * 4
    rating = [1] * 6 + [0] * 2 + [1] + [0] * 3
    result = estimate_accuracy(rating, reference, units=units_of(12), level=0.95)
    values = dict(zip(ACCURACY, result.estimate, strict=True))
    assert values["sensitivity"] == 0.75
    assert values["specificity"] == 0.75
    assert values["balanced_accuracy"] == 0.75
    assert values["positive_agreement"] == pytest.approx(12 / 15)
    assert values["negative_agreement"] == pytest.approx(6 / 9)
    assert result.method[:3] == ("wilson", "wilson", "bootstrap_bca")


def test_a_reference_without_a_no_has_no_specificity() -> None:
    result = estimate_accuracy([1, 0, 1], [1, 1, 1], units=units_of(3), level=0.95)
    assert result["sensitivity"][0] == pytest.approx(2 / 3)
    assert math.isnan(result["specificity"][0])
    assert math.isnan(result["balanced_accuracy"][0])
