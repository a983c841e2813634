"""Relabelling, symmetry, and agreement of different ways to the same answer."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from analysis.stats import sign_flip
from analysis.stats.concordance import agreement_from_counts, pairwise_agreement
from analysis.stats.joint_counts import joint_counts
from analysis.stats.paired import compare_pairs
from tests.property.stats.strategies import QUICK, score_matrices


def compare(scores, **options):
    return compare_pairs(
        scores,
        **(
            {"rng": np.random.default_rng(0), "n_resamples": 60, "n_permutations": 99, "level": 0.9} | options
        ),
    )


def by_pair(result, names):
    out = {}
    for i in range(result.first.size):
        a, b = names[result.first[i]], names[result.second[i]]
        sign = 1 if a < b else -1
        limits = (result.ci_low[i], result.ci_high[i])
        limits = limits if sign > 0 else (-limits[1], -limits[0])
        out[min(a, b), max(a, b)] = (
            sign * result.difference[i],
            *limits,
            result.p_value[i],
            result.n_items[i],
        )
    return out


@QUICK
@given(score_matrices(), st.randoms(use_true_random=False))
def test_order_of_models_does_not_matter(scores, random):
    order = list(range(scores.shape[0]))
    random.shuffle(order)
    clusters = np.arange(scores.shape[1]) // 2
    for options in ({}, {"clusters": clusters}, {"weights": 1.0 + np.arange(scores.shape[1])}):
        straight = by_pair(compare(scores, **options), list(range(scores.shape[0])))
        shuffled = by_pair(compare(scores[order], **options), order)
        assert straight.keys() == shuffled.keys()
        for pair, values in straight.items():
            np.testing.assert_array_equal(values, shuffled[pair])


@QUICK
@given(score_matrices(), st.randoms(use_true_random=False))
def test_order_of_items_does_not_matter_to_exact_answers(scores, random):
    order = list(range(scores.shape[1]))
    random.shuffle(order)
    clusters = np.arange(scores.shape[1]) // 3
    for options, shuffled in (({}, {}), ({"clusters": clusters}, {"clusters": clusters[order]})):
        one, other = compare(scores, **options), compare(scores[:, order], **shuffled)
        np.testing.assert_array_equal(one.p_value, other.p_value)
        np.testing.assert_array_equal(one.difference, other.difference)


@QUICK
@given(score_matrices())
def test_counts_and_rows_agree(scores):
    """Singleton clusters take the way through rows of units, plain items that through counts."""
    counted, rows = compare(scores), compare(scores, clusters=np.arange(scores.shape[1]))
    np.testing.assert_allclose(counted.p_value, rows.p_value, rtol=1e-12)
    np.testing.assert_allclose(counted.difference, rows.difference, rtol=1e-12, atol=1e-15)
    for name in ("n_items", "n_better", "n_worse"):
        np.testing.assert_array_equal(getattr(counted, name), getattr(rows, name))
    np.testing.assert_array_equal(np.isnan(counted.ci_low), np.isnan(rows.ci_low))


@QUICK
@given(score_matrices())
def test_p_values_are_probabilities_and_one_without_a_difference(scores):
    result = compare(scores)
    tested = result.n_items > 0
    assert np.all((result.p_value[tested] > 0) & (result.p_value[tested] <= 1))
    assert np.all(result.p_value[tested & (result.difference == 0)] == 1)
    assert np.all(result.p_value[tested] >= 2.0 ** (1 - result.n_items[tested].astype(float)) - 1e-15)


@QUICK
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=12))
def test_counting_agrees_with_going_through_all_flips(differences):
    d = np.array(differences)
    values, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    smaller = int(min(d[d > 0].sum(), -d[d < 0].sum()))
    counted = sign_flip.lattice_sign_flip(values, counts, smaller)
    enumerated = sign_flip.enumerated_sign_flip(np.abs(d.astype(float)), float(d.sum()))
    np.testing.assert_allclose(counted, enumerated, rtol=1e-12)


@QUICK
@given(st.lists(st.integers(-3, 3), min_size=25, max_size=60), st.integers(0, 2**32))
def test_random_flips_agree_with_counting(differences, seed):
    d = np.array(differences, dtype=float)
    assume(np.any(d != 0))
    # Weights that are powers of a small irrational number take scores off every lattice.
    scores = np.stack([d, np.zeros(d.size)])
    exact = compare(scores).p_value[0]
    flips = np.random.default_rng(seed).integers(0, 2, (4000, d.size)) * 2 - 1
    drawn = np.mean(np.abs(flips @ d) >= abs(d.sum()))
    assert abs(drawn - exact) <= 5 * np.sqrt(exact * (1 - exact) / 4000) + 1e-9


@QUICK
@given(st.integers(0, 400), st.integers(0, 400), st.integers(1, 30))
def test_a_clearer_split_has_a_smaller_p(b, c, more):
    if b >= c:
        assert sign_flip.binomial_sign_flip(b + more, c) <= sign_flip.binomial_sign_flip(b, c)
    assert sign_flip.binomial_sign_flip(b, c) == sign_flip.binomial_sign_flip(c, b)


@QUICK
@given(score_matrices(levels=3), st.integers(0, 14))
def test_shards_add_up_to_the_whole(scores, cut):
    codes = np.where(np.isnan(scores), -1, np.rint(np.nan_to_num(scores) * 3)).astype(int)
    whole = joint_counts(codes, 4)
    np.testing.assert_array_equal(joint_counts(codes[:, :cut], 4) + joint_counts(codes[:, cut:], 4), whole)
    np.testing.assert_array_equal(whole, whole.transpose(1, 0, 3, 2))
    agreement = agreement_from_counts(whole)
    np.testing.assert_array_equal(agreement.kappa, pairwise_agreement(codes).kappa)
    np.testing.assert_array_equal(agreement.agreement, agreement.agreement.T)
    has_cell = ~np.isnan(scores)
    np.testing.assert_array_equal(agreement.n_items, has_cell.astype(int) @ has_cell.T.astype(int))
