"""Kernels against statsmodels, scipy, scikit-learn, scikit-posthocs and pingouin."""

import numpy as np
import pytest

from analysis.stats.concordance import pairwise_agreement
from analysis.stats.letters import compact_letters
from analysis.stats.mcnemar import cochran_q, mcnemar_test
from analysis.stats.multiplicity import benjamini_hochberg, bonferroni, holm
from analysis.stats.paired import compare_pairs
from analysis.stats.proportions import clopper_pearson_interval, jeffreys_interval, wilson_interval


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(wilson_interval, "wilson"), (clopper_pearson_interval, "beta"), (jeffreys_interval, "jeffreys")],
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_proportion_intervals(ours, theirs, level):
    from statsmodels.stats.proportion import proportion_confint

    for n in (1, 2, 25, 1586, 500_000):
        x = np.unique(np.linspace(0, n, 9).round())
        low, high = proportion_confint(x, n, alpha=1 - level, method=theirs)
        interval = ours(x, n, level=level)
        inner = (x > 0) & (x < n)
        np.testing.assert_allclose(interval.low[inner], low[inner], rtol=1e-9)
        np.testing.assert_allclose(interval.high[inner], high[inner], rtol=1e-9)
        if theirs != "jeffreys":  # statsmodels does not set its limits at the ends to 0 and 1.
            np.testing.assert_allclose(interval.low, np.nan_to_num(low), rtol=1e-9, atol=1e-15)


def test_exact_mcnemar():
    from statsmodels.stats.contingency_tables import mcnemar

    rng = np.random.default_rng(0)
    for b, c in rng.integers(0, 60, (40, 2)).tolist():
        expected = mcnemar([[5, b], [c, 7]], exact=True).pvalue if b + c else 1.0
        assert mcnemar_test(b, c).p_value == pytest.approx(min(expected, 1.0), rel=1e-10)


def test_mid_p_is_the_exact_p_less_the_mass_of_the_observed_split():
    from scipy.stats import binom

    for b, c in [(1, 9), (0, 4), (12, 30)]:
        expected = 2 * binom.cdf(min(b, c), b + c, 0.5) - binom.pmf(b, b + c, 0.5)
        assert mcnemar_test(b, c, method="mid_p").p_value == pytest.approx(expected, rel=1e-10)


def test_cochran_q():
    import pandas as pd
    import pingouin
    from statsmodels.stats.contingency_tables import cochrans_q

    rng = np.random.default_rng(1)
    scores = (rng.random((5, 60)) < rng.random(60) * np.array([[0.5], [0.7], [0.8], [0.9], [1.0]])).astype(
        int
    )
    ours, theirs = cochran_q(scores), cochrans_q(scores.T)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    model, item = np.indices(scores.shape)
    frame = pd.DataFrame({"model": model.ravel(), "item": item.ravel(), "score": scores.ravel()})
    table = pingouin.cochran(frame, dv="score", within="model", subject="item")
    assert ours.statistic == pytest.approx(float(table["Q"].iloc[0]), rel=1e-9)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(bonferroni, "bonferroni"), (holm, "holm"), (benjamini_hochberg, "fdr_bh")]
)
def test_adjusted_p_values(ours, theirs):
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(2)
    for size in (1, 2, 30, 300):
        p = rng.random(size) ** 3
        p[: size // 4] = p[size // 4 : 2 * (size // 4)]
        np.testing.assert_allclose(ours(p), multipletests(p, method=theirs)[1], rtol=1e-12)


def test_exact_permutation_test_of_graded_scores():
    from scipy.stats import permutation_test

    rng = np.random.default_rng(3)
    for levels in (2, 3, 4):
        scores = rng.integers(0, levels, (2, 11)) / (levels - 1)
        ours = compare_pairs(
            scores, rng=np.random.default_rng(0), n_resamples=50, n_permutations=50, level=0.95
        )
        theirs = permutation_test(
            scores, lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
            n_resamples=np.inf, vectorized=True,
        )  # fmt: skip
        assert ours.p_value[0] == pytest.approx(theirs.pvalue, rel=1e-10)


def test_kappa_and_agreement_on_common_items():
    from sklearn.metrics import cohen_kappa_score

    codes = np.random.default_rng(4).choice(4, size=(6, 80), p=[0.5, 0.3, 0.15, 0.05])
    codes[0, :10], codes[3, 5:30] = -1, -1
    ours = pairwise_agreement(codes)
    for a in range(6):
        for b in range(6):
            both = (codes[a] >= 0) & (codes[b] >= 0)
            assert ours.n_items[a, b] == both.sum()
            assert ours.agreement[a, b] == pytest.approx(np.mean(codes[a, both] == codes[b, both]))
            assert ours.kappa[a, b] == pytest.approx(cohen_kappa_score(codes[a, both], codes[b, both]))


def test_letters_share_where_scikit_posthocs_letters_do():
    import pandas as pd
    from scikit_posthocs import compact_letter_display

    rng = np.random.default_rng(5)
    for n in (3, 6, 12):
        centre = np.sort(rng.normal(0, 2, n))[::-1]
        differs = np.abs(np.subtract.outer(centre, centre)) > 1.2
        frame = pd.DataFrame(np.where(differs, 0.001, 1.0))
        theirs = [word.replace(" ", "") for word in compact_letter_display(frame, alpha=0.05).tolist()]
        ours = compact_letters(differs)
        for a in range(n):
            for b in range(n):
                assert bool(set(ours[a]) & set(ours[b])) == bool(set(theirs[a]) & set(theirs[b])) or a == b
        assert len(set("".join(ours))) <= len(set("".join(theirs)))
