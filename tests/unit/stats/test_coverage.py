import itertools

import numpy as np
import pytest

from analysis.stats import ensembles, optimal
from analysis.stats.coverage import greedy_coverage, optimal_coverage, solve_patterns, unique_solves
from analysis.stats.greedy import marginal_gains


def by_all_sets(solved):
    n_models = solved.shape[0]
    out = []
    for size in range(1, n_models + 1):
        sets = list(itertools.combinations(range(n_models), size))
        covered = [int(solved[list(s)].any(axis=0).sum()) for s in sets]
        out.append((sets[int(np.argmax(covered))], max(covered)))
    return out


def random_solved(seed):
    rng = np.random.default_rng(seed)
    n_models, n_items = rng.integers(1, 9), rng.integers(0, 40)
    return rng.random((n_models, n_items)) < rng.choice([0.08, 0.3, 0.6])


def test_greedy_ties_go_to_the_model_that_solves_more_then_to_the_first():
    solved = np.array([[0, 0, 1, 0, 0], [1, 1, 0, 1, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 1]], dtype=bool)
    path = greedy_coverage(solved)
    assert path.order.tolist() == [1, 2, 3, 0]
    assert path.gained.tolist() == [3, 1, 1, 0]
    assert path.covered.tolist() == [3, 4, 5, 5]
    assert greedy_coverage([[1, 0], [0, 1]]).order.tolist() == [0, 1]


def test_greedy_is_what_counting_anew_at_each_step_gives():
    for seed in range(30):
        solved = random_solved(seed)
        path = greedy_coverage(solved)
        covered = np.zeros(solved.shape[1], dtype=bool)
        left = list(range(solved.shape[0]))
        for model, gained in zip(path.order.tolist(), path.gained.tolist(), strict=True):
            gains = {m: int((solved[m] & ~covered).sum()) for m in left}
            best = max(left, key=lambda m: (gains[m], int(solved[m].sum()), -m))
            assert (model, gained) == (best, gains[best])
            covered |= solved[model]
            left.remove(model)


def test_unique_solves_and_patterns():
    solved = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0]], dtype=bool)
    assert unique_solves(solved).tolist() == [1, 1, 0]
    patterns, counts = solve_patterns(np.tile(solved, 3))
    assert counts.tolist() == [3, 3, 3]
    assert patterns.shape == (3, 3)
    assert unique_solves(np.zeros((2, 0))).tolist() == [0, 0]


@pytest.mark.parametrize("enumerated", [20, 4, 0])
def test_optimum_is_the_first_of_all_sets(enumerated, monkeypatch):
    # 20: by enumeration; 4 and 0: by bounds and integer programmes.
    monkeypatch.setattr(optimal, "MAX_MODELS", enumerated)
    monkeypatch.setattr(optimal, "MAX_OPEN", enumerated)
    for seed in range(25):
        solved = random_solved(seed)
        result = optimal_coverage(solved)
        assert [(e.members, e.covered) for e in result] == by_all_sets(solved)
        assert all(e.proven and e.first and e.bound == e.covered for e in result)


def test_without_work_the_bound_still_holds(monkeypatch):
    monkeypatch.setattr(optimal, "MAX_MODELS", 0)
    monkeypatch.setattr(optimal, "MAX_OPEN", 0)
    for limit in (optimal.MAX_PROGRAMME, 0):
        monkeypatch.setattr(optimal, "MAX_PROGRAMME", limit)
        unproven = 0
        for seed in range(25):
            solved = random_solved(seed)
            for (_, best), e in zip(by_all_sets(solved), optimal_coverage(solved, work=0.0), strict=True):
                assert e.covered <= best <= e.bound
                assert e.covered == int(solved[list(e.members)].any(axis=0).sum())
                unproven += not e.proven
        assert unproven > 0


def test_more_models_than_are_enumerated():
    rng = np.random.default_rng(0)
    solved = rng.random((24, 60)) < np.linspace(0.05, 0.4, 24)[:, None]
    result = optimal_coverage(solved)
    pairs = max(int(solved[list(s)].any(axis=0).sum()) for s in itertools.combinations(range(24), 2))
    triples = max(int(solved[list(s)].any(axis=0).sum()) for s in itertools.combinations(range(24), 3))
    assert [e.covered for e in result[1:3]] == [pairs, triples]
    assert all(e.proven for e in result)
    assert np.all(np.diff([e.covered for e in result]) >= 0)
    greedy = greedy_coverage(solved)
    assert all(e.covered >= g for e, g in zip(result, greedy.covered, strict=True))


def test_nobody_and_nothing():
    assert optimal_coverage(np.zeros((0, 3))) == []
    assert [e.members for e in optimal_coverage(np.zeros((2, 3)))] == [(0,), (0, 1)]
    assert [e.covered for e in optimal_coverage(np.zeros((25, 4)))] == [0] * 25
    assert optimal_coverage(np.zeros((25, 4)))[2].members == (0, 1, 2)
    assert greedy_coverage(np.zeros((2, 0))).covered.tolist() == [0, 0]
    with pytest.raises(ValueError, match="solved must have shape"):
        greedy_coverage([1, 0])


def test_marginal_gains_by_hand():
    solved = np.array([[1, 1, 0], [0, 1, 1]], dtype=bool)
    assert marginal_gains(solved, greedy_coverage(solved)).tolist() == [[2, 2], [0, 1], [0, 0]]


def test_an_ensemble_says_the_truth_about_its_proof():
    with pytest.raises(ValueError, match="proven optimal exactly where it reaches its bound"):
        ensembles.OptimalEnsemble(1, (0,), 3, 4, True, True)
    with pytest.raises(ValueError, match="more is covered than the bound allows"):
        ensembles.OptimalEnsemble(1, (0,), 5, 4, False, True)
    with pytest.raises(ValueError, match="distinct indices"):
        ensembles.OptimalEnsemble(2, (1, 0), 3, 4, False, True)
