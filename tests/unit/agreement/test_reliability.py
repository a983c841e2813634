"""Many raters, numbers and orders: cases by hand and without variation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.stats.intraclass import ICC, estimate_icc
from analysis.stats.rank_agreement import estimate_differences, kendall_tau
from analysis.stats.reliability import category_counts, estimate_alpha, estimate_reliability
from tests.unit.agreement.conftest import units_of

NAN = math.nan


def test_fleiss_by_hand() -> None:
    # Two items, three raters: (3, 0) and (1, 2). Agreement (1 + 1/3) / 2, shares 2/3 and 1/3.
    codes = [[0, 1], [0, 1], [0, 0]]
    result = estimate_reliability(codes, 2, units=units_of(2), level=0.95)
    agreement, kappa, ac1 = result.estimate
    assert agreement == pytest.approx(2 / 3)
    assert kappa == pytest.approx((2 / 3 - 5 / 9) / (1 - 5 / 9))
    assert ac1 == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))


def test_one_class_leaves_ac1() -> None:
    result = estimate_reliability([[1, 1, 1], [1, 1, -1]], 3, units=units_of(3), level=0.95)
    agreement, kappa, ac1 = result.estimate
    assert (agreement, ac1) == (1.0, 1.0)
    assert math.isnan(kappa)
    assert result.n_items == 2


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_of_constant_ratings_is_not_defined(metric: str) -> None:
    result = estimate_alpha(np.full((3, 5), 0.3), metric, units=units_of(5), level=0.95)  # type: ignore[arg-type]
    assert math.isnan(result.estimate[0])
    assert result.n_items == 5


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_what_is_rated_once_does_not_count(metric: str) -> None:
    twice = np.array([[1, 2, 3, 2.0], [1, 2, 2, 2]])
    more = np.array([[1, 2, 3, 2, 3, NAN], [1, 2, 2, 2, NAN, 1]])
    one = estimate_alpha(twice, metric, units=units_of(4), level=0.95)  # type: ignore[arg-type]
    other = estimate_alpha(more, metric, units=units_of(6), level=0.95)  # type: ignore[arg-type]
    assert other.estimate[0] == pytest.approx(one.estimate[0])
    assert other.n_items == 4


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_nothing_rated_twice(metric: str) -> None:
    ratings = np.array([[1, NAN], [NAN, 2]])
    result = estimate_alpha(ratings, metric, units=units_of(2), level=0.95)  # type: ignore[arg-type]
    assert math.isnan(result.estimate[0])
    assert result.n_items == 0


def test_alpha_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match=r"^unknown metric 'ratio': nominal, ordinal, interval$"):
        estimate_alpha([[1.0], [1.0]], "ratio", units=units_of(1), level=0.95)  # type: ignore[arg-type]


def test_counts_of_categories() -> None:
    assert category_counts([[0, 1], [1, 1], [-1, 1]], 2).tolist() == [[1, 0], [1, 3]]
    with pytest.raises(ValueError, match="codes must be below 2"):
        category_counts([[2]], 2)


def test_icc_without_spread_or_with_one_rater() -> None:
    constant = estimate_icc(np.full((3, 6), 0.1), units=units_of(6), level=0.95)
    assert np.all(np.isnan(constant.estimate))
    alone = estimate_icc([[1.0, 2, 3]], units=units_of(3), level=0.95)
    assert np.all(np.isnan(alone.estimate))
    empty = estimate_icc([[1.0, NAN], [NAN, 2]], units=units_of(2), level=0.95)
    assert np.all(np.isnan(empty.estimate))
    assert empty.n_items == 0


def test_icc_of_items_whose_means_are_equal_has_no_value_for_the_mean_of_raters() -> None:
    # Ratings (1, 3) and (3, 1): nothing between items, so that (MSB - MSE) / MSB divides by nothing.
    result = dict(
        zip(ICC, estimate_icc([[1.0, 3], [3, 1]], units=units_of(2), level=0.95).estimate, strict=True)
    )
    assert result["icc_1_1"] == -1.0
    assert math.isnan(result["icc_1_k"])
    assert math.isnan(result["icc_c_k"])


def test_icc_of_identical_raters_is_one() -> None:
    same = np.tile([0.0, 0.25, 1.0, 0.5, 0.75], (3, 1))
    assert estimate_icc(same, units=units_of(5), level=0.95).estimate == pytest.approx(np.ones(6))


def test_differences_by_hand_and_of_a_constant_rater() -> None:
    result = estimate_differences([1, 2, 3, NAN], [1, 1, 1, 1], units=units_of(4), level=0.95)
    assert math.isnan(result["spearman"][0])
    assert result["mean_difference"][0] == 1.0
    assert result["mean_absolute_difference"][0] == 1.0
    assert result.n_items == 3


def test_kendall_of_ties() -> None:
    assert kendall_tau([1, 2, 3], [1, 2, 3]) == 1.0
    assert math.isnan(kendall_tau([1, 1, 1], [1, 2, 3]))
    with pytest.raises(ValueError, match=r"^scores of one set of models, got shapes \(2,\) and \(3,\)$"):
        kendall_tau([1, 2], [1, 2, 3])
