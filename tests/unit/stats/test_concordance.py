import numpy as np
import pytest

from analysis.stats.concordance import agreement_from_counts, pairwise_agreement
from analysis.stats.joint_counts import joint_counts


def test_agreement_and_kappa_by_hand():
    # Common items 0 to 3: the same on three; each says 1 twice and 0 twice, or once and thrice.
    result = pairwise_agreement([[0, 1, 1, 0, -1], [0, 1, 0, 0, 1]])
    assert result.n_items[0, 1] == 4
    assert result.agreement[0, 1] == 0.75
    expected = (2 * 1 + 2 * 3) / 16
    assert result.kappa[0, 1] == pytest.approx((0.75 - expected) / (1 - expected))


def test_kappa_is_undefined_where_chance_agrees_always():
    result = pairwise_agreement([[2, 2, 2], [2, 2, 2], [0, 2, 2]])
    assert np.isnan(result.kappa[0, 1])
    assert result.agreement[0, 1] == 1
    assert result.kappa[0, 2] == 0


def test_no_common_items_and_nobody():
    result = pairwise_agreement([[0, -1], [-1, 1]])
    assert result.n_items[0, 1] == 0
    assert np.isnan(result.agreement[0, 1])
    assert pairwise_agreement(np.zeros((0, 3), dtype=int)).kappa.shape == (0, 0)
    assert pairwise_agreement(np.full((2, 3), -1)).n_items[0, 1] == 0


def test_codes_need_not_be_dense():
    dense = pairwise_agreement([[0, 1, 2], [0, 2, 2]])
    sparse = pairwise_agreement([[5, 90, 1000], [5, 1000, 1000]])
    np.testing.assert_array_equal(dense.kappa, sparse.kappa)


def test_blocks_and_shards_add_up(monkeypatch):
    codes = np.random.default_rng(0).integers(-1, 4, (5, 103))
    whole = joint_counts(codes, 4)
    monkeypatch.setattr("analysis.stats.joint_counts._BLOCK_VALUES", 200)
    np.testing.assert_array_equal(joint_counts(codes, 4), whole)
    shards = joint_counts(codes[:, :50], 4) + joint_counts(codes[:, 50:], 4)
    np.testing.assert_array_equal(agreement_from_counts(shards).kappa, pairwise_agreement(codes).kappa)


def test_wrong_codes_are_refused():
    with pytest.raises(ValueError, match="codes must be below 2"):
        joint_counts([[0, 2]], 2)
    with pytest.raises(ValueError, match="codes must have shape"):
        joint_counts([0, 1], 2)
