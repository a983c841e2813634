"""How often tests, tiers, letters, ranks and best sets are wrong when nothing is different."""

import itertools

import numpy as np
import pytest

from analysis.stats.confidence_set import model_confidence_set
from analysis.stats.multiplicity import holm
from analysis.stats.paired import compare_pairs
from analysis.stats.ranks import rank_intervals
from analysis.stats.sign_flip import binomial_sign_flip, lattice_sign_flip
from analysis.stats.tiers import adjacent_tiers
from analysis.stats.westfall_young import pairwise_max_t

ALPHA = 0.05


def upper(share, n):
    """Return three standard errors above a share of n simulations."""
    return share + 3 * np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("n", [1, 5, 17, 60, 400])
def test_size_of_the_binomial_test_is_at_most_alpha(n):
    from scipy.stats import binom

    k = np.arange(n + 1)
    p, mass = binomial_sign_flip(k, n - k), binom.pmf(k, n, 0.5)
    for alpha in (0.001, 0.01, 0.05, 0.2, 0.5):
        assert mass[p <= alpha].sum() <= alpha * (1 + 1e-9)


@pytest.mark.parametrize("sizes", [[1, 2, 3, 4, 5, 6], [1] * 4 + [2] * 5, [6, 10, 15, 15, 30, 2, 3]])
def test_size_of_the_graded_test_is_at_most_alpha(sizes):
    sizes = np.array(sizes)
    values, counts = np.unique(sizes, return_counts=True)
    p = []
    for signs in itertools.product((-1, 1), repeat=sizes.size):
        d = sizes * np.array(signs)
        p.append(lattice_sign_flip(values, counts, int(min(d[d > 0].sum(), -d[d < 0].sum()))))
    p = np.array(p)
    for alpha in np.unique(p):
        assert np.mean(p <= alpha + 1e-12) == pytest.approx(alpha)


def pairs_of(scores, **options):
    """Compare consecutive rows of simulated data, two by two."""
    return compare_pairs(
        scores, pairs=np.arange(scores.shape[0]).reshape(-1, 2),
        **({"rng": np.random.default_rng(0), "n_resamples": 399, "n_permutations": 399} | options),
        level=0.9,
    )  # fmt: skip


def test_size_of_random_flips():
    rng = np.random.default_rng(1)
    scores = rng.random((1200, 30))
    result = pairs_of(scores)
    assert set(result.method) == {"sign_flip_monte_carlo"}
    rejected = np.mean(result.p_value <= ALPHA)
    assert upper(ALPHA, 600) >= rejected >= ALPHA - 0.03


def unequal_runs(n_pairs, n_items, mean, concentration, runs):
    """Two models with the same success rate on every item, and different numbers of runs."""
    rng = np.random.default_rng(12)
    rates = rng.beta(mean * concentration, (1 - mean) * concentration, (n_pairs, n_items))
    scores = (rng.random((max(runs), 2 * n_pairs, n_items)) < np.repeat(rates, 2, axis=0)).astype(float)
    scores[runs[0] :, 0::2] = np.nan
    scores[runs[1] :, 1::2] = np.nan
    return scores


@pytest.mark.parametrize(
    ("n_items", "mean", "concentration", "runs"),
    [(50, 0.05, 2, (1, 10)), (100, 0.05, 50, (1, 10)), (60, 0.3, 2, (1, 4))],
)
def test_unequal_runs_need_their_own_tests(n_items, mean, concentration, runs):
    n_pairs = 600
    scores = unequal_runs(n_pairs, n_items, mean, concentration, runs)
    cells, n_runs = np.nanmean(scores, axis=0), np.sum(~np.isnan(scores), axis=0)
    plain = np.mean(pairs_of(cells).p_value <= ALPHA)
    matched = pairs_of(cells, matched_runs=scores)
    resampled = pairs_of(cells, n_runs=n_runs)
    assert set(matched.method) == {"matched_runs_sign_flip_exact"}
    assert set(resampled.method) == {"item_bootstrap"}
    assert np.mean(matched.p_value <= ALPHA) <= upper(ALPHA, n_pairs)
    assert np.mean(resampled.p_value <= ALPHA) <= upper(ALPHA + 0.01, n_pairs)
    if mean == 0.05:
        # What a plain sign flip of unequal means would do.
        assert plain > ALPHA + 0.01


def test_clusters_must_flip_as_a_whole():
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(30), 4)
    shared = rng.normal(0, 1, (900, 30))[:, clusters]
    scores = ((shared + rng.normal(0, 0.5, (900, 120))) > 0).astype(float)
    assert np.mean(pairs_of(scores, clusters=clusters).p_value <= ALPHA) <= upper(ALPHA, 450)
    assert np.mean(pairs_of(scores).p_value <= ALPHA) > 0.12


def equal_models(seed, n_models=6, n_items=80):
    rng = np.random.default_rng(seed)
    rates = rng.beta(1.2, 1.2, n_items)
    return (rng.random((n_models, n_items)) < rates).astype(float)


def analyse(scores, n_resamples=200):
    order = np.lexsort((np.arange(scores.shape[0]), -scores.mean(axis=1)))
    ranked = scores[order]
    m = ranked.shape[0]
    result = compare_pairs(
        ranked, rng=np.random.default_rng(0), n_resamples=10, n_permutations=10, level=0.95
    )
    square = {name: np.full((m, m), np.nan) for name in ("p", "d")}
    square["p"][result.first, result.second] = result.p_value
    square["d"][result.first, result.second] = result.difference
    tiers = adjacent_tiers(np.diagonal(square["p"], 1), np.diagonal(square["d"], 1), alpha=ALPHA)
    return order, result, tiers


def test_family_wise_error_of_tiers_holm_ranks_and_best_set_when_all_are_equal():
    n = 250
    wrong_tier = wrong_holm = wrong_max_t = wrong_best = 0
    for seed in range(n):
        scores = equal_models(seed)
        _, result, tiers = analyse(scores)
        wrong_tier += tiers.tier[-1] > 1
        wrong_holm += bool(np.any(holm(result.p_value) < ALPHA))
        options = {"rng": np.random.default_rng(seed), "n_resamples": 199}
        wrong_max_t += bool(np.any(pairwise_max_t(scores, **options) < ALPHA))
        wrong_best += not model_confidence_set(scores, alpha=ALPHA, **options).included.all()
    assert wrong_tier / n <= upper(ALPHA, n)
    assert wrong_holm / n <= upper(ALPHA, n)
    assert wrong_max_t / n <= upper(ALPHA, n)
    assert wrong_best / n <= upper(ALPHA, n)


def test_ranks_and_best_set_hold_the_truth_when_models_differ():
    n, rates = 200, np.array([0.62, 0.62, 0.55, 0.4, 0.35])
    ranks_low = 1 + np.count_nonzero(rates[None, :] > rates[:, None], axis=1)
    ranks_high = rates.size - np.count_nonzero(rates[None, :] < rates[:, None], axis=1)
    missed_rank = missed_best = 0
    separated = 0
    for seed in range(n):
        rng = np.random.default_rng(1000 + seed)
        scores = (rng.random((5, 150)) < rates[:, None]).astype(float)
        result = compare_pairs(scores, rng=rng, n_resamples=10, n_permutations=10, level=0.95)
        differs, sign = np.zeros((5, 5), dtype=bool), np.zeros((5, 5))
        significant = holm(result.p_value) < ALPHA
        for a, b, s, d in zip(result.first, result.second, significant, result.difference, strict=True):
            differs[a, b] = differs[b, a] = s
            sign[a, b], sign[b, a] = d, -d
        low, high = rank_intervals(differs, sign)
        # A tied model's true ranks are a range; an interval is wrong if it misses all of it.
        missed_rank += bool(np.any((low > ranks_high) | (high < ranks_low)))
        separated += bool(differs[0, 4])
        best = model_confidence_set(scores, rng=np.random.default_rng(seed), n_resamples=199, alpha=ALPHA)
        missed_best += not (best.included[0] and best.included[1])
    assert missed_rank / n <= upper(ALPHA, n)
    assert missed_best / n <= upper(ALPHA, n)
    assert separated / n > 0.9
