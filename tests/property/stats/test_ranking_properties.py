import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analysis.stats.confidence_set import model_confidence_set
from analysis.stats.coverage import greedy_coverage, optimal_coverage, unique_solves
from analysis.stats.frontier import frontier_probability, pareto_frontier
from analysis.stats.letters import compact_letters
from analysis.stats.multiplicity import benjamini_hochberg, bonferroni, holm, max_t
from analysis.stats.ranks import rank_intervals
from analysis.stats.tiers import adjacent_tiers
from tests.property.stats.strategies import QUICK, score_matrices, symmetric_relations

p_values = st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=12)


@QUICK
@given(p_values, st.randoms(use_true_random=False))
def test_adjustment_orders_and_bounds(p, random):
    p = np.array(p)
    order = list(range(p.size))
    random.shuffle(order)
    known = ~np.isnan(p)
    b, h, q = bonferroni(p), holm(p), benjamini_hochberg(p)
    for adjusted, adjust in ((b, bonferroni), (h, holm), (q, benjamini_hochberg)):
        np.testing.assert_array_equal(adjusted[order], adjust(p[order]))
        np.testing.assert_array_equal(np.isnan(adjusted), ~known)
    assert np.all(
        (p[known] <= q[known] + 1e-15) & (q[known] <= h[known] + 1e-15) & (h[known] <= b[known] + 1e-15)
    )


@QUICK
@given(st.integers(1, 8), st.integers(0, 2**32))
def test_step_down_max_t_never_exceeds_the_single_step(n, seed):
    rng = np.random.default_rng(seed)
    statistics, null = rng.normal(0, 2, n), rng.normal(size=(50, n))
    down, single = max_t(statistics, null), max_t(statistics, null, step_down=False)
    assert np.all((down <= single) & (down > 0))
    order = rng.permutation(n)
    np.testing.assert_array_equal(max_t(statistics[order], null[:, order]), down[order])
    largest = np.argmax(np.abs(statistics))
    assert down[largest] == single[largest]


@QUICK
@given(p_values, st.integers(0, 2**32), st.floats(0.01, 0.5))
def test_tiers_start_only_where_a_tested_difference_favours_the_upper_model(p, seed, alpha):
    p = np.array(p)
    difference = np.where(np.isnan(p), np.nan, np.random.default_rng(seed).normal(size=p.size))
    tiers = adjacent_tiers(p, difference, alpha=alpha)
    starts = np.diff(tiers.tier) == 1
    assert np.all(p[starts] < alpha / max(tiers.n_tested, 1))
    assert np.all(difference[starts] > 0)
    assert not np.any(starts & tiers.reversal[:-1])


@QUICK
@given(symmetric_relations())
def test_models_share_a_letter_exactly_when_they_do_not_differ(differs):
    letters = [set(word) for word in compact_letters(differs)]
    assert all(letters)
    for a in range(differs.shape[0]):
        for b in range(a):
            assert bool(letters[a] & letters[b]) != differs[a, b]
    # No letter is redundant: each has a pair, or a lone holder, of its own.
    for letter in set().union(*letters):
        holders = [i for i, own in enumerate(letters) if letter in own]
        assert any(letters[a] & letters[b] == {letter} for a in holders for b in holders)


@QUICK
@given(symmetric_relations(), st.integers(0, 2**32))
def test_rank_intervals_hold_the_observed_rank(differs, seed):
    rng = np.random.default_rng(seed)
    n = differs.shape[0]
    score = rng.permutation(n).astype(float)
    low, high = rank_intervals(differs, np.subtract.outer(score, score))
    rank = 1 + np.count_nonzero(score[None, :] > score[:, None], axis=1)
    assert np.all((low >= 1) & (low <= rank) & (rank <= high) & (high <= n))
    order = rng.permutation(n)
    moved = rank_intervals(differs[np.ix_(order, order)], np.subtract.outer(score[order], score[order]))
    np.testing.assert_array_equal(moved[0], low[order])
    np.testing.assert_array_equal(moved[1], high[order])


@QUICK
@given(score_matrices(max_models=5), st.randoms(use_true_random=False))
def test_the_best_set_does_not_depend_on_the_order_of_models(scores, random):
    order = list(range(scores.shape[0]))
    random.shuffle(order)

    def best(table):
        return model_confidence_set(table, rng=np.random.default_rng(0), n_resamples=60, alpha=0.1)

    one, other = best(scores), best(scores[order])
    np.testing.assert_array_equal(one.p_value[order], other.p_value)
    assert one.included.any() or np.isnan(scores).all()


points = st.lists(
    st.tuples(st.one_of(st.integers(0, 4), st.just(float("nan"))), st.integers(0, 4)), min_size=1, max_size=9
)


@QUICK
@given(points)
def test_frontier_by_its_definition(table):
    cost, score = np.array(table, dtype=float).T
    frontier = pareto_frontier(cost, score)
    for i in range(cost.size):
        beaten = [
            j for j in range(cost.size)
            if (score[j] >= score[i] and cost[j] < cost[i]) or (score[j] > score[i] and cost[j] <= cost[i])
        ]  # fmt: skip
        assert frontier.on_frontier[i] == (not np.isnan(cost[i]) and not beaten)
        if beaten and not np.isnan(cost[i]):
            assert frontier.dominated_by[i] in beaten
            assert frontier.on_frontier[frontier.dominated_by[i]]
    np.testing.assert_array_equal(
        np.nan_to_num(frontier_probability(cost, score[None])), frontier.on_frontier
    )


@QUICK
@given(score_matrices(missing=False, levels=1), st.randoms(use_true_random=False))
def test_coverage_counts_do_not_depend_on_labels(solved, random):
    rows, columns = list(range(solved.shape[0])), list(range(solved.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    moved = solved[np.ix_(rows, columns)]
    best, moved_best = optimal_coverage(solved), optimal_coverage(moved)
    assert [e.covered for e in best] == [e.covered for e in moved_best]
    np.testing.assert_array_equal(unique_solves(solved)[rows], unique_solves(moved))
    path = greedy_coverage(solved)
    np.testing.assert_array_equal(path.order, greedy_coverage(solved[:, columns]).order)
    assert np.all(np.diff(path.gained) <= 0)
    assert all(e.covered >= g for e, g in zip(best, path.covered, strict=True))
    assert path.covered[-1] == int(solved.any(axis=0).sum())
