"""Values printed in papers and in the documentation of R packages.

The R code that prints them stands in each test.
"""

import numpy as np
import pytest

from analysis.stats.letters import compact_letters
from analysis.stats.mcnemar import cochran_q, mcnemar_test
from analysis.stats.paired import compare_pairs
from analysis.stats.sign_flip import lattice_sign_flip
from analysis.stats.tiers import adjacent_tiers

# Fisher (1935), The Design of Experiments, section 21: Darwin's maize, eighths of an inch.
MAIZE = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48])


def test_fishers_permutation_test_of_darwins_maize():
    # Of 32,768 arrangements of signs, Fisher counts 863 with a sum of 314 or more.
    values, counts = np.unique(np.abs(MAIZE), return_counts=True)
    p = lattice_sign_flip(values, counts, 67 + 48)
    assert p == pytest.approx(2 * 863 / 32768, rel=1e-12)
    scores = np.stack([MAIZE, np.zeros(15)]) / 8
    result = compare_pairs(
        scores, rng=np.random.default_rng(0), n_resamples=100, n_permutations=100, level=0.95
    )
    assert result.p_value[0] == pytest.approx(2 * 863 / 32768, rel=1e-12)


def test_exact_mcnemar_of_the_exact2x2_vignette():
    # exact2x2: x <- matrix(c(21, 9, 2, 12), 2, 2); mcnemar.exact(x)  prints p-value = 0.06543
    assert round(mcnemar_test(2, 9).p_value.item(), 5) == 0.06543


def test_cochran_q_of_the_r_help_list():
    # R-help, 18 September 2006: cochranq.test(K) prints Cochran's Q = 23.9298, p-value = 0.01303
    # for a 4 x 12 matrix K filled by columns, its 12 columns being compared (df = 11).
    answers = "110011011111111110001111111100000101111101010101"
    subjects = [answers[i : i + 4] for i in range(0, 48, 4)]
    columns = [[int(answer) for answer in subject] for subject in subjects]
    result = cochran_q(columns)
    assert round(result.statistic, 4) == 23.9298
    assert result.degrees_of_freedom == 11
    assert round(result.p_value, 5) == 0.01303


def test_letters_of_the_multcompview_documentation():
    # dif3 <- c(FALSE, FALSE, TRUE); names(dif3) <- c("A-B", "A-C", "B-C")
    # multcompLetters(dif3)  prints  A "ab"  B "a"  C "b"
    assert compact_letters([[0, 0, 0], [0, 0, 1], [0, 1, 0]]) == ["ab", "a", "b"]


def test_the_adjacent_rule_of_the_odbb_paper():
    # Nine models, eight adjacent pairs: 0.05 / 8 = 0.00625, printed as 0.0063.
    p = np.full(8, 0.5)
    p[0] = 0.005
    tiers = adjacent_tiers(p, np.full(8, 0.01), alpha=0.05)
    assert tiers.alpha_adjusted == 0.05 / 8 == 0.00625
    assert tiers.tier.tolist() == [1] + [2] * 8
