"""Faults seen in other tools, which must not occur here."""

import numpy as np
import pytest

from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.frontier import pareto_frontier
from analysis.stats.letters import compact_letters
from analysis.stats.mcnemar import mcnemar_test
from analysis.stats.multiplicity import benjamini_hochberg, bonferroni, holm
from analysis.stats.paired import compare_pairs
from analysis.stats.pass_at_k import pass_at_k
from analysis.stats.proportions import wilson_interval

OPTIONS = {"n_resamples": 1000, "n_permutations": 1000, "level": 0.95}


def test_no_standard_error_of_zero_at_0_of_25():
    result = bootstrap_means(np.zeros((1, 25)), rng=np.random.default_rng(0), n_resamples=500)
    assert np.isnan(result.std_error[0])
    wilson = wilson_interval(0, 25, level=0.95)
    assert wilson.high - wilson.low > 0.1


def test_intervals_follow_their_seed_and_nothing_else():
    scores = np.random.default_rng(0).random((2, 30))

    def limits(seed):
        np.random.seed(99)  # noqa: NPY002 - the global seed must not matter
        return bootstrap_means(scores, rng=np.random.default_rng(seed), n_resamples=200).interval(0.95)

    one, again, other = limits(1), limits(1), limits(2)
    np.testing.assert_array_equal(one.ci_low, again.ci_low)
    assert np.all(one.ci_low != other.ci_low)


def test_fractional_scores_are_not_truncated():
    scores = np.array([[0.9, 0.5, 0.7, 0.6, 1.0, 0.8], [0.4, 0.6, 0.2, 0.5, 0.5, 0.7]])
    ab = compare_pairs(scores, rng=np.random.default_rng(0), pairs=[(0, 1)], **OPTIONS)
    ba = compare_pairs(scores, rng=np.random.default_rng(0), pairs=[(1, 0)], **OPTIONS)
    assert ab.p_value[0] == ba.p_value[0]
    # Differences +5 -1 +5 +1 +5 +1 tenths: sums of at least 16 are reached by 4 of 64 flips.
    assert ab.p_value[0] == pytest.approx(8 / 64)


def test_no_discordant_pairs_is_an_answer():
    assert mcnemar_test(0, 0).p_value == 1
    same = np.array([[1, 0, 1], [1, 0, 1.0]])
    assert compare_pairs(same, rng=np.random.default_rng(0), **OPTIONS).p_value[0] == 1


def test_letters_do_not_run_out_at_52():
    assert len(set(compact_letters(~np.eye(60, dtype=bool)))) == 60


@pytest.mark.parametrize("adjust", [bonferroni, holm, benjamini_hochberg])
def test_one_missing_p_value_does_not_spoil_a_family(adjust):
    assert np.isnan(adjust([0.01, np.nan, 0.02])).tolist() == [False, True, False]


def test_items_that_models_share_are_compared_as_pairs():
    # Two models that agree on nearly all of 400 items of very different difficulty.
    rng = np.random.default_rng(1)
    first = (rng.random(400) < 0.5).astype(float)
    second = first.copy()
    second[np.flatnonzero(first)[:12]] = 0
    result = compare_pairs([first, second], rng=np.random.default_rng(0), **OPTIONS)
    unpaired = (first.mean() - second.mean()) / np.sqrt(2 * 0.25 / 400)
    assert abs(unpaired) < 1
    assert result.p_value[0] == pytest.approx(2 / 2**12)
    assert result.ci_low[0] > 0


def test_estimate_and_standard_error_of_clusters_weigh_alike():
    # The standard error of the item-weighted mean is near what leaving clusters out gives.
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 30, 60)
    clusters = np.repeat(np.arange(60), sizes)
    scores = (rng.random(clusters.size) < np.repeat(rng.random(60), sizes)).astype(float)
    for estimand in ("item", "cluster"):
        boot = bootstrap_means(
            scores[None], rng=np.random.default_rng(0), n_resamples=50, clusters=clusters, estimand=estimand
        )
        kept = [scores[clusters != c] for c in range(60)]
        groups = [clusters[clusters != c] for c in range(60)]
        if estimand == "item":
            means = [k.mean() for k in kept]
        else:
            means = [
                np.mean([k[g == c].mean() for c in np.unique(g)]) for k, g in zip(kept, groups, strict=True)
            ]
        jackknife = np.sqrt(59 / 60 * np.sum((means - np.mean(means)) ** 2))
        assert boot.std_error[0] == pytest.approx(jackknife, rel=0.05)


def test_the_frontier_keeps_no_dominated_tie():
    frontier = pareto_frontier([2.0, 1.0, 2.0], [0.5, 0.5, 0.5])
    assert frontier.on_frontier.tolist() == [False, True, False]


def test_there_is_no_pass_at_5_from_two_runs():
    assert np.isnan(pass_at_k(2, 1, 5))


def test_rounding_does_not_break_ties_of_sums():
    # 0.1 + 0.2 - 0.3 is not 0 in floating point; on tenths it is.
    d = np.array([0.1, 0.2, -0.3])
    result = compare_pairs([d + 0.5, np.full(3, 0.5)], rng=np.random.default_rng(0), **OPTIONS)
    assert result.p_value[0] == 1
