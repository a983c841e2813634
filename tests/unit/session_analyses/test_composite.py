"""Normalisation, composites and what of their order is sure: against values by hand and plain computation."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.composite import (
    bound_ranks,
    draw_weights,
    equal_weights,
    normalise,
    percentile_limits,
    rank_draws,
)
from analysis.stats.hidden_errors import attribute_drop, cross_errors


def test_normalised_by_bounds_and_direction() -> None:
    assert normalise([1.0, 3.0], low=1, high=5, higher_is_better=True).tolist() == [0.0, 0.5]
    assert normalise([1.0, 3.0], low=1, high=5, higher_is_better=False).tolist() == [1.0, 0.5]
    unbounded = normalise([0.0, 0.25, np.nan], low=0, high=None, higher_is_better=False)
    np.testing.assert_allclose(unbounded, [1.0, 0.8, np.nan])


@pytest.mark.parametrize(("value", "high"), [(-0.1, 1.0), (1.1, 1.0), (-0.1, None)])
def test_values_outside_the_bounds_are_refused(value: float, high: float | None) -> None:
    with pytest.raises(ValueError, match="values outside the bounds 0 to"):
        normalise([value], low=0, high=high, higher_is_better=True)


def test_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValueError, match="bounds are not in order: 1, 1"):
        normalise([1.0], low=1, high=1, higher_is_better=True)


def test_equal_weights_of_metrics_and_of_groups() -> None:
    groups = [0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3]  # the twelve primary metrics by stage
    assert equal_weights(groups, by_group=False).tolist() == [1 / 12] * 12
    weights = equal_weights(groups, by_group=True)
    np.testing.assert_allclose([weights[:5].sum(), weights[5:7].sum(), weights[10:].sum()], 0.25)
    np.testing.assert_allclose(weights[0], 1 / 20)


def test_drawn_weights_are_uniform_on_the_simplex() -> None:
    """Mean 1 / K and variance (K - 1) / (K^2 (K + 1)) of a Dirichlet distribution with parameters 1."""
    drawn = draw_weights([0, 0, 1], by_group=False, n_draws=40_000, rng=np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0)
    np.testing.assert_allclose(drawn.mean(axis=0), 1 / 3, atol=0.005)
    np.testing.assert_allclose(drawn.var(axis=0), 2 / (9 * 4), atol=0.001)
    stages = draw_weights([0, 0, 1], by_group=True, n_draws=40_000, rng=np.random.default_rng(1))
    assert (stages[:, 0] == stages[:, 1]).all()
    # Of two groups, one weight is uniform between 0 and 1.
    np.testing.assert_allclose(stages[:, 2].var(), 1 / 12, atol=0.002)


def test_rank_draws_by_hand() -> None:
    scores = np.array([0.9, 0.8, 0.1])
    drawn = np.array([[0.9, 0.8, 0.1], [0.5, 0.6, 0.1], [0.5, 0.5, 0.1], [0.1, 0.2, 0.3]])
    found = rank_draws(scores, drawn, level=0.9)
    assert found.rank.tolist() == [1, 2, 3]
    # Of the tie in the third draw the ranks keep the order, and the shares count half for each.
    assert found.p_first.tolist() == [0.375, 0.375, 0.25]
    assert found.mean_rank.tolist() == [(1 + 2 + 1 + 3) / 4, (2 + 1 + 2 + 2) / 4, (3 + 3 + 3 + 1) / 4]
    assert (found.p_same_order, found.p_same_first) == (0.5, 0.5)
    assert found.p_above[0].tolist() == [0.0, 0.375, 0.75]
    assert (found.rank_low[0], found.rank_high[0]) == (1, 3)
    # Tau-b against (1, 2, 3): 1; 1/3; 2 of 3 pairs untied, tau-b 2/sqrt(3*2); -1.
    assert found.tau == pytest.approx(np.mean([1, 1 / 3, 2 / np.sqrt(6), -1]))


def test_a_model_that_is_better_throughout_is_never_overtaken() -> None:
    rng = np.random.default_rng(2)
    metrics = rng.uniform(0.2, 0.6, (12, 4))
    metrics[:, 0] = metrics[:, 1:].max(axis=1) + 0.01
    weights = draw_weights(np.arange(12), by_group=False, n_draws=500, rng=rng)
    found = rank_draws(metrics.mean(axis=0), weights @ metrics, level=0.95)
    assert found.p_above[0, 1:].tolist() == [1.0, 1.0, 1.0]
    assert (found.rank_low[0], found.rank_high[0]) == (1, 1)


@pytest.mark.parametrize(
    ("scores", "drawn"), [([0.1], [[np.nan]]), ([np.nan], [[0.1]]), ([0.1, 0.2], [[0.1]])]
)
def test_scores_that_cannot_be_ranked_are_refused(scores: list[float], drawn: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="scores"):
        rank_draws(scores, drawn, level=0.95)


def test_simultaneous_bounds_cover_all_differences_together() -> None:
    """Of resamples of independent normal means, 95% keep every difference within the limits."""
    rng = np.random.default_rng(3)
    scores = np.array([0.0, 1.0, 1.2, 4.0])
    replicates = scores + rng.normal(0, [0.3, 0.3, 0.6, 0.2], (4000, 4))
    found = bound_ranks(scores, replicates, level=0.95)
    differences = replicates[:, :, None] - replicates[:, None, :]
    upper = np.triu_indices(4, 1)
    inside = (differences > found.low) & (differences < found.high)
    assert inside[:, upper[0], upper[1]].all(axis=1).mean() == pytest.approx(0.95, abs=0.005)
    # 4.0 stands above all and 0.0 may share the last place with none that is 4.0.
    assert (found.rank_low[3], found.rank_high[3]) == (1, 1)
    assert found.rank_low[1] == 2
    assert found.rank_high[2] == 4
    np.testing.assert_allclose(found.low, -found.high.T)


def test_differences_without_spread_are_certain() -> None:
    found = bound_ranks([0.2, 0.5], np.tile([0.2, 0.5], (100, 1)), level=0.95)
    assert np.isnan(found.low).all()
    assert (found.rank_low.tolist(), found.rank_high.tolist()) == ([2, 1], [2, 1])


def test_attribution_is_the_mean_over_all_orders() -> None:
    rng = np.random.default_rng(4)
    credit, kept = rng.random(6), rng.random((3, 6))
    plain = np.zeros((3, 6))
    for order in permutations(range(3)):
        left = credit.copy()
        for k in order:
            plain[k] += (left - left * kept[k]) / 6
            left = left * kept[k]
    found = attribute_drop(credit, kept)
    np.testing.assert_allclose(found, plain, atol=1e-15)
    np.testing.assert_allclose(found.sum(axis=0), credit * (1 - kept.prod(axis=0)))


def test_attribution_of_unknown_factors_is_unknown() -> None:
    found = attribute_drop([1.0, np.nan, 1.0], [[0.5, 0.5, np.nan], [1.0, 1.0, 1.0]])
    assert found[:, 0].tolist() == [0.5, 0.0]
    assert np.isnan(found[:, 1:]).all()
    with pytest.raises(ValueError, match="factors must be in"):
        attribute_drop([1.0], [[1.5]])


def test_exclusive_errors_part_the_sessions() -> None:
    failed = np.random.default_rng(5).random((3, 200)) < 0.3
    found = cross_errors(failed)
    parts = [found[f"{k} only"] for k in range(3)] + [found["several"], found["none"]]
    assert (np.sum(parts, axis=0) == 1).all()
    assert (found["any"] == failed.any(axis=0)).all()
    assert found["1"].sum() == failed[1].sum()


def test_limits_over_few_cases_are_those_of_student() -> None:
    # Means of 5 standard normal values, resampled: spread sqrt(4/5) of the standard error.
    replicates = np.sqrt(4 / 5) * stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)[:, None]
    low, high = percentile_limits(replicates, 5, level=0.95)
    assert high[0] == pytest.approx(stats.t.ppf(0.975, 4), rel=0.01)
    assert low[0] == pytest.approx(-high[0])
