"""The kernel against a slow independent one, and its intervals against the bootstrap of means."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.rubric import RubricScores, ratio_means, score_rubric


def slow_score(labels: list[tuple[float, float, int, bool]], deduct: str) -> float:
    """Score one response by going through its labels: value, weight, kind, is it an error."""
    total = sum(w for _, w, _, error in labels if not error)
    if total == 0:
        return float("nan")
    earned = sum(v * w for v, w, _, error in labels if not error) / total
    by_kind: dict[int, list[float]] = {}
    for v, w, kind, error in labels:
        if error:
            by_kind.setdefault(kind, []).append(v * w)
    points = sum(max(p) if deduct == "once" else sum(p) for p in by_kind.values())
    points = 100 * points / total if deduct == "weight" else points
    return min(100.0, max(0.0, 100 * earned - points))


@pytest.mark.parametrize("deduct", ["each", "once", "weight"])
def test_against_one_response_at_a_time(deduct: str) -> None:
    rng = np.random.default_rng(5)
    n, n_responses = 900, 60
    response = rng.integers(n_responses - 1, size=n)  # the last response has no label
    kind = rng.integers(5, size=n)
    error = kind >= 3
    value = rng.choice([0.0, 1.0, 0.5], size=n)
    weight = np.where(error, rng.choice([2.0, 10.0, 30.0], size=n), rng.choice([0.0, 1.0, 2.5], size=n))
    made = score_rubric(response, value, weight, kind, error, n_responses=n_responses, deduct=deduct)  # type: ignore[arg-type]
    expected = [
        slow_score(
            [(value[i], weight[i], int(kind[i]), bool(error[i])) for i in np.flatnonzero(response == r)],
            deduct,
        )
        for r in range(n_responses)
    ]
    np.testing.assert_allclose(made.score, expected, rtol=1e-12)
    assert np.isnan(made.score[-1])
    assert (made.score == 0).any()


def test_ratio_means_are_the_bootstrap_of_means_over_clusters() -> None:
    rng = np.random.default_rng(6)
    clusters = np.sort(rng.integers(30, size=100))
    values = rng.integers(101, size=(2, 100)).astype(float)
    units = ResampledUnits.create(100, rng=np.random.default_rng(7), n_resamples=500, clusters=clusters)
    made = ratio_means(units.totals(values), units.totals(np.ones((2, 100))), units, level=0.9)
    other = bootstrap_means(
        values / 100, rng=np.random.default_rng(7), n_resamples=500, clusters=clusters
    ).interval(0.9)
    np.testing.assert_allclose(made.estimate / 100, other.estimate, rtol=1e-6)
    np.testing.assert_allclose(made.limits.low / 100, other.ci_low, atol=1e-6)
    np.testing.assert_allclose(made.limits.high / 100, other.ci_high, atol=1e-6)
    assert made.n_units.tolist() == [len(np.unique(clusters))] * 2


def test_one_case_has_no_interval() -> None:
    units = ResampledUnits.create(3, rng=np.random.default_rng(1), n_resamples=100)
    made = ratio_means(np.array([[5.0, 0, 0]]), np.array([[2.0, 0, 0]]), units, level=0.95)
    assert made.estimate.tolist() == [2.5]
    assert np.isnan([made.limits.low[0], made.limits.high[0]]).all()


def test_scores_outside_their_range_are_refused() -> None:
    with pytest.raises(ValueError, match="outside 0 to 100"):
        RubricScores(np.array([1.0]), np.array([0.0]), np.array([101.0]))
    with pytest.raises(ValueError, match="negative"):
        RubricScores(np.array([1.0]), np.array([-1.0]), np.array([50.0]))
