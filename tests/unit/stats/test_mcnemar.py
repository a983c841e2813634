import numpy as np
import pytest

from analysis.stats.mcnemar import CochranQ, cochran_q, mcnemar_test
from analysis.stats.pass_at_k import pass_at_k, pass_hat_k


def test_exact_and_mid_p_by_hand():
    # 1 of 6 discordant items: twice (1 + 6) / 64, less the mass of the observed split for mid-p.
    assert mcnemar_test(5, 1).p_value == pytest.approx(14 / 64)
    assert mcnemar_test(5, 1, method="mid_p").p_value == pytest.approx(14 / 64 - 6 / 64)


@pytest.mark.parametrize("method", ["exact", "mid_p"])
def test_no_discordant_items_and_a_draw_give_one(method):
    np.testing.assert_array_equal(mcnemar_test([0, 4], [0, 4], method=method).p_value, 1.0)


def test_wrong_counts_are_refused():
    with pytest.raises(ValueError, match="counted in integers"):
        mcnemar_test(1.5, 2)
    with pytest.raises(ValueError, match="counted in integers"):
        mcnemar_test(-1, 2)
    with pytest.raises(ValueError, match="unknown method 'asymptotic'"):
        mcnemar_test(1, 2, method="asymptotic")


def test_cochran_of_two_models_is_mcnemars_chi_squared():
    first, second = np.repeat([[1, 0, 1, 0], [0, 1, 1, 0]], [9, 3, 4, 4], axis=1)
    assert cochran_q([first, second]).statistic == pytest.approx((9 - 3) ** 2 / (9 + 3))


def test_cochran_leaves_out_items_that_one_model_misses():
    scores = np.array([[1, 1, 0, 1], [0, 1, 0, np.nan], [0, 0, 0, 1]])
    assert cochran_q(scores) == cochran_q(scores[:, :3])
    assert cochran_q(scores).n_items == 3


def test_cochran_without_differences_or_models():
    assert cochran_q(np.ones((3, 5))) == CochranQ(0.0, 2, 1.0, 5)
    assert cochran_q(np.ones((3, 0))).p_value == 1
    assert np.isnan(cochran_q(np.ones((1, 5))).p_value)
    with pytest.raises(ValueError, match="for scores of 0 and 1"):
        cochran_q([[0.5, 1]])


def test_pass_at_k_counts_subsets():
    assert pass_at_k(4, 2, 2) == pytest.approx(1 - 1 / 6)
    assert pass_hat_k(4, 2, 2) == pytest.approx(1 / 6)
    assert pass_at_k(4, 4, 4) == 1
    assert pass_hat_k(4, 3, 4) == 0
    with pytest.raises(ValueError, match="k must be at least 1"):
        pass_at_k(2, 1, 0)
    with pytest.raises(ValueError, match="successes must be between"):
        pass_at_k(2, 3, 1)
