"""Joint outcomes against plain loops, survival against statsmodels, gaps against resampling by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight

from analysis.stats.composition import STATISTICS, composition_gaps, gap_differences
from analysis.stats.episodes import Outcomes, count_clusters, joint_outcomes, joint_states
from analysis.stats.resampling import Resamples
from analysis.stats.survival import NEVER, turn_curve


@st.composite
def answered_items(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return right and answered (3 models), clusters and parts (two, or none) of up to 12 items."""
    n = draw(st.integers(0, 12))

    def column(top: int, low: int = 0) -> np.ndarray:
        return np.array(draw(st.lists(st.integers(low, top), min_size=n, max_size=n)), dtype=np.int64)

    answered = np.array([column(1) for _ in range(3)], dtype=bool).reshape(3, n)
    right = np.array([column(1) for _ in range(3)], dtype=bool).reshape(3, n) & answered
    return right, answered, column(3), column(1, -1)


@settings(max_examples=60, deadline=None)
@given(answered_items())
def test_outcomes_are_those_of_a_plain_loop(case: tuple[np.ndarray, ...]) -> None:
    right, answered, clusters, parts = case
    counts = count_clusters(right, answered, clusters, parts=parts, n_parts=2)
    names = sorted(set(clusters.tolist()))
    for chosen in (None, [0], [0, 1]):
        found = joint_outcomes(counts, chosen)
        for m, (g, name) in itertools.product(range(3), enumerate(names)):
            asked = [
                [
                    i
                    for i in range(clusters.size)
                    if clusters[i] == name and parts[i] == p and answered[:, i].any()
                ]
                for p in (range(2) if chosen is None else chosen)
            ]
            everything = [i for part in asked for i in part]
            has = bool(everything) if chosen is None else all(asked)
            known = has and all(answered[m, i] for i in everything)
            assert found.known[m, g] == known
            assert found.success[m, g] == (known and all(right[m, i] for i in everything))


def test_joint_states_count_every_known_cluster_once() -> None:
    rng = np.random.default_rng(4)
    known = rng.random((2, 50)) < 0.9
    outcomes = [
        Outcomes(known, known & (rng.random((2, 50)) < p), np.ones(50, bool), np.ones(50, int), known * 1)
        for p in (0.3, 0.6, 0.8)
    ]
    counts, n = joint_states(outcomes)
    assert counts.sum(axis=1).tolist() == n.tolist() == known.sum(axis=1).tolist()
    only_last = ~outcomes[0].success & ~outcomes[1].success & outcomes[2].success
    assert counts[:, 4].tolist() == only_last.sum(axis=1).tolist()


def test_survival_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(11)
    length = rng.integers(1, 7, 80)
    wrong = rng.random((80, 6)) < 0.2
    first = np.array(
        [next((t + 1 for t in range(n) if w[t]), NEVER) for w, n in zip(wrong, length, strict=True)]
    )
    curve = turn_curve(first, length, 6, level=0.95)
    failed = first != NEVER
    theirs = SurvfuncRight(np.where(failed, first, length).astype(float), failed.astype(float))
    at = {int(t): i for i, t in enumerate(theirs.surv_times)}
    for t in range(1, 7):
        if t in at:
            i = at[t]
            assert curve.survival[t - 1] == pytest.approx(theirs.surv_prob[i], abs=1e-12)
            # log-log limits from their Greenwood standard error of S.
            s, se = theirs.surv_prob[i], theirs.surv_prob_se[i]
            width = 1.959963984540054 * se / (s * abs(np.log(s)))
            assert curve.survival_low[t - 1] == pytest.approx(s ** np.exp(width), abs=1e-9)
            assert curve.survival_high[t - 1] == pytest.approx(s ** np.exp(-width), abs=1e-9)


def test_survival_without_failures_has_no_limits_and_holes_end_the_curve() -> None:
    curve = turn_curve([NEVER, NEVER], [2, 1], 3, level=0.95)
    assert curve.survival[:2].tolist() == [1.0, 1.0]
    assert np.isnan(curve.survival[2])
    assert np.isnan(curve.survival_low).all()
    assert curve.n_episodes.tolist() == [2, 1, 0]


def _gap_by_hand(
    weights: np.ndarray, joint: np.ndarray, parts: np.ndarray, n: np.ndarray, right: np.ndarray
) -> dict[str, float]:
    """Return the statistics of one model from cluster weights, cluster by cluster."""
    total = weights.sum()
    found = {"joint": (weights * joint).sum() / total}
    found["item_accuracy"] = (weights * right).sum() / (weights * n).sum()
    if parts.size:
        shares = [(weights * part).sum() / total for part in parts]
        found["independent"], found["weakest"] = float(np.prod(shares)), min(shares)
    else:
        p = found["item_accuracy"]
        found["independent"] = sum(w * p**k for w, k in zip(weights, n, strict=True)) / total
        found["weakest"] = np.nan
    found["gap_accuracy"] = found["joint"] - found["item_accuracy"]
    found["gap_independent"] = found["joint"] - found["independent"]
    found["gap_weakest"] = found["joint"] - found["weakest"]
    return found


@pytest.mark.parametrize("with_parts", [True, False])
def test_gaps_and_their_resamples_are_those_computed_by_hand(with_parts: bool) -> None:
    rng = np.random.default_rng(5)
    n_items, n_clusters = 90, 20
    clusters, parts = rng.integers(0, n_clusters, n_items), rng.integers(0, 2, n_items)
    clusters[:n_clusters], parts[:n_clusters] = np.arange(n_clusters), 0
    clusters[n_clusters : 2 * n_clusters], parts[n_clusters : 2 * n_clusters] = np.arange(n_clusters), 1
    right = rng.random((2, n_items)) < 0.8
    counts = count_clusters(right, np.ones_like(right), clusters, parts=parts, n_parts=2)
    joint = joint_outcomes(counts)
    of_parts = [joint_outcomes(counts, [0]), joint_outcomes(counts, [1])] if with_parts else []
    draws = Resamples(np.random.default_rng(1), n_clusters, 40)
    gaps = composition_gaps(joint, of_parts, draws)
    weights = np.vstack([np.ones(n_clusters), *(w.copy() for _, w in draws._blocks(np.float64))])
    for m in range(2):
        success = np.array([p.success[m] for p in of_parts])
        for b, w in enumerate(weights):
            by_hand = _gap_by_hand(w, joint.success[m], success, joint.n_items, joint.n_right[m])
            ours = gaps.estimate[:, m] if b == 0 else gaps.replicates[:, m, b - 1]
            np.testing.assert_allclose(ours, [by_hand[s] for s in STATISTICS], atol=1e-12)
    low, high = gaps.limits("gap_accuracy", 0.9)
    assert np.all(low <= gaps.of("gap_accuracy"))
    assert np.all(gaps.of("gap_accuracy") <= high)


def test_pairs_are_compared_on_the_clusters_that_both_know() -> None:
    rng = np.random.default_rng(7)
    right = rng.random((3, 60)) < 0.7
    answered = np.ones_like(right)
    answered[2, :10] = False
    clusters = np.repeat(np.arange(20), 3)
    joint = joint_outcomes(count_clusters(right & answered, answered, clusters))
    draws = Resamples(np.random.default_rng(1), 20, 300)
    gaps = composition_gaps(joint, [], draws)
    pairs = np.array([[0, 1], [0, 2]])
    (same,) = gap_differences(joint, [], draws, gaps, pairs, statistics=["joint"], level=0.95)
    assert same.n_clusters.tolist() == [20, 16]
    both = joint.known[2]
    expected = joint.success[0, both].mean() - joint.success[2, both].mean()
    assert same.difference[1] == pytest.approx(expected, abs=1e-12)
    assert same.difference[0] == pytest.approx(joint.success[0].mean() - joint.success[1].mean(), abs=1e-12)
    # The pair that knows the same clusters gives the same, whichever way it is computed.
    restricted = joint.among(both)
    again = composition_gaps(restricted, [], draws)
    (cut,) = gap_differences(restricted, [], draws, again, pairs, statistics=["joint"], level=0.95)
    assert (cut.difference[1], cut.low[1], cut.high[1]) == (same.difference[1], same.low[1], same.high[1])


def test_joint_success_lies_within_frechet_bounds() -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        right = rng.random((1, 40)) < rng.random()
        counts = count_clusters(
            right, np.ones_like(right), np.tile(np.arange(20), 2), parts=np.repeat([0, 1], 20), n_parts=2
        )
        parts = [joint_outcomes(counts, [0]), joint_outcomes(counts, [1])]
        gaps = composition_gaps(joint_outcomes(counts, [0, 1]), parts, Resamples(rng, 20, 10))
        assert gaps.lowest_possible()[0] - 1e-12 <= gaps.of("joint")[0] <= gaps.of("weakest")[0] + 1e-12


def two_parts(first: range, second: range, n: int = 20) -> tuple[Outcomes, list[Outcomes]]:
    """Return outcomes of n episodes of two parts, each right in the episodes given."""
    right = np.array([[g in part for part in (first, second) for g in range(n)]])
    counts = count_clusters(
        right, np.ones_like(right), np.tile(range(n), 2), parts=np.repeat([0, 1], n), n_parts=2
    )
    return joint_outcomes(counts), [joint_outcomes(counts, [0]), joint_outcomes(counts, [1])]


@pytest.mark.parametrize(
    ("first", "second", "expected", "told"),
    [
        # Never right together, where one episode is expected to be: no finding; where five are: one.
        (range(4), range(4, 9), 4 * 5 / 20, False),
        (range(10), range(10, 20), 10 * 10 / 20, True),
        # Never wrong together, where 1.2 and 5 episodes are expected to be.
        (range(4, 20), range(14), 4 * 6 / 20, False),
        (range(10, 20), range(10), 10 * 10 / 20, True),
    ],
)
def test_an_empty_cell_is_a_finding_only_where_independence_would_hardly_leave_it_empty(
    first: range, second: range, expected: float, told: bool
) -> None:
    joint, parts = two_parts(first, second)
    gaps = composition_gaps(joint, parts, Resamples(np.random.default_rng(1), 20, 400))
    assert gaps.of("gap_independent")[0] == pytest.approx(-expected / 20)
    assert gaps.p_empty[0] == pytest.approx(np.exp(-expected))
    low, high = gaps.limits("gap_independent", 0.95)
    assert np.isnan(low[0]) == np.isnan(high[0]) == (not told)
    if told:
        assert high[0] < 0
    draws = Resamples(np.random.default_rng(1), 20, 400)
    itself = np.array([[0, 0]])
    (pair,) = gap_differences(joint, parts, draws, gaps, itself, statistics=["gap_independent"], level=0.95)
    assert np.isnan(pair.low[0])


def test_an_empty_cell_of_items() -> None:
    # 50 episodes of three items; four of them fail in one item each, none in two.
    clusters = np.repeat(range(50), 3)
    right = np.ones((1, 150))
    right[0, [0, 30, 61, 92]] = 0
    joint = joint_outcomes(count_clusters(right, np.ones_like(right), clusters))
    gaps = composition_gaps(joint, [], Resamples(np.random.default_rng(1), 50, 400))
    p = 146 / 150
    assert gaps.p_empty[0] == pytest.approx(np.exp(-50 * (1 - p**3 - 3 * (1 - p) * p**2)))
    assert np.isnan(gaps.limits("gap_independent", 0.95)).all()
    assert not np.isnan(gaps.limits("gap_accuracy", 0.95)).any()
