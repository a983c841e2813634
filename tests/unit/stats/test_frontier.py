import numpy as np
import pytest

from analysis.stats.frontier import frontier_probability, pareto_frontier


def test_frontier_by_hand():
    cost = [1.0, 2.0, 3.0, 4.0, 2.5]
    score = [0.3, 0.5, 0.5, 0.8, 0.2]
    frontier = pareto_frontier(cost, score)
    assert frontier.on_frontier.tolist() == [True, True, False, True, False]
    # The last is dominated by the first two; the one with the higher score is named.
    assert frontier.dominated_by.tolist() == [-1, -1, 1, -1, 1]


def test_ties_in_both_stay_together_or_leave_together():
    assert pareto_frontier([1, 1], [0.5, 0.5]).on_frontier.tolist() == [True, True]
    frontier = pareto_frontier([1, 1, 1], [0.5, 0.5, 0.6])
    assert frontier.on_frontier.tolist() == [False, False, True]
    assert frontier.dominated_by.tolist() == [2, 2, -1]


def test_a_tie_in_one_is_dominated():
    assert pareto_frontier([1, 2], [0.5, 0.5]).on_frontier.tolist() == [True, False]
    assert pareto_frontier([1, 1], [0.4, 0.5]).on_frontier.tolist() == [False, True]


def test_no_cost_or_no_score_is_off_the_frontier_and_dominates_none():
    frontier = pareto_frontier([np.nan, 1.0, 2.0], [0.9, 0.5, np.nan])
    assert frontier.on_frontier.tolist() == [False, True, False]
    assert frontier.dominated_by.tolist() == [-1, -1, -1]


def test_nobody_at_all():
    assert pareto_frontier([], []).on_frontier.size == 0
    with pytest.raises(ValueError, match="cost and score must have one value per model"):
        pareto_frontier([1], [1, 2])


@pytest.mark.parametrize("varying", [False, True])
def test_probability_is_the_share_of_resamples_on_the_frontier(varying):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, (200, 7)) / 4
    cost = rng.integers(1, 4, (200, 7) if varying else 7).astype(float)
    cost[..., 3] = np.nan
    scores[::5, 2] = np.nan
    costs = np.broadcast_to(cost, scores.shape)
    on = [pareto_frontier(c, s).on_frontier for c, s in zip(costs, scores, strict=True)]
    expected = np.mean(on, axis=0)
    expected[3] = np.nan
    np.testing.assert_array_equal(frontier_probability(cost, scores), expected)


def test_probability_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="cost has shape"):
        frontier_probability([1.0], np.ones((3, 2)))
    with pytest.raises(ValueError, match="score_replicates must have shape"):
        frontier_probability([1.0], [0.5])
