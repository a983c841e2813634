import numpy as np
import pytest

from analysis.stats.multiplicity import benjamini_hochberg, bonferroni, family_size, holm, max_t
from analysis.stats.westfall_young import pairwise_max_t

ALL = [bonferroni, holm, benjamini_hochberg]


def test_adjusted_by_hand():
    p = [0.01, 0.04, 0.03, 0.005]
    assert bonferroni(p).tolist() == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert holm(p).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p).tolist() == pytest.approx([0.02, 0.04, 0.04, 0.02])


@pytest.mark.parametrize("adjust", ALL)
def test_a_missing_value_leaves_the_family_and_nothing_else(adjust):
    p = np.array([0.01, 0.04, 0.03])
    padded = adjust([np.nan, 0.01, np.nan, 0.04, 0.03])
    np.testing.assert_array_equal(padded[[1, 3, 4]], adjust(p))
    assert np.isnan(padded[[0, 2]]).all()
    assert np.isnan(adjust([np.nan, np.nan])).all()
    assert adjust([]).size == 0
    assert family_size([np.nan, 0.2]) == 1


@pytest.mark.parametrize("adjust", ALL)
def test_shape_is_kept_and_impossible_values_are_refused(adjust):
    assert adjust([[0.1, np.nan], [np.nan, 0.2]]).shape == (2, 2)
    with pytest.raises(ValueError, match="p-values must be between 0 and 1"):
        adjust([0.5, 1.5])


def test_max_t_by_hand():
    null = np.array([[0.1, 2.5], [1.1, 0.2], [0.2, 0.3], [3.5, 1.0]])
    # Step down: the larger statistic against the row maxima, the smaller against its own column.
    assert max_t([1.0, 3.0], null).tolist() == pytest.approx([3 / 5, 2 / 5])
    assert max_t([1.0, 3.0], null, step_down=False).tolist() == pytest.approx([4 / 5, 2 / 5])
    assert max_t([-1.0, 3.0], -null).tolist() == pytest.approx([3 / 5, 2 / 5])


def test_max_t_leaves_out_what_was_not_compared():
    null = np.array([[0.1, np.nan, 2.5], [1.1, 99.0, 0.2]])
    adjusted = max_t([1.0, np.nan, 3.0], null)
    assert np.isnan(adjusted[1])
    np.testing.assert_array_equal(adjusted[[0, 2]], max_t([1.0, 3.0], null[:, [0, 2]]))
    with pytest.raises(ValueError, match="a resampled statistic of a comparison that was made is NaN"):
        max_t([1.0, 2.0, 3.0], null)
    with pytest.raises(ValueError, match="statistics have shape"):
        max_t([1.0], null)


def test_pairwise_max_t_on_missing_cells_and_constant_differences():
    rng = np.random.default_rng(0)
    scores = (rng.random((5, 80)) < 0.5).astype(float)
    scores[1] = scores[0]
    scores[2] = 1
    scores[3] = 0
    scores[4, :40], scores[3, 40:] = np.nan, np.nan
    p = pairwise_max_t(scores, rng=np.random.default_rng(0), n_resamples=300)
    first, second = np.triu_indices(5, 1)
    by_pair = dict(zip(zip(first.tolist(), second.tolist(), strict=True), p.tolist(), strict=True))
    assert by_pair[0, 1] == 1
    assert by_pair[2, 3] == pytest.approx(1 / 301)
    assert np.isnan(by_pair[3, 4])
    assert not np.isnan([v for k, v in by_pair.items() if k != (3, 4)]).any()
    assert pairwise_max_t(scores[:1], rng=np.random.default_rng(0), n_resamples=10).size == 0
