import numpy as np
import pytest

from analysis.stats.proportions import clopper_pearson_interval, jeffreys_interval, wilson_interval

ALL = [wilson_interval, clopper_pearson_interval, jeffreys_interval]


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (845, 2005, 40.0, 44.3),
        (76, 80, 87.8, 98.0),
        (2, 80, 0.7, 8.7),
        (3, 80, 1.3, 10.5),
        (327, 1586, 18.7, 22.7),
    ],
)
def test_wilson_gives_the_limits_printed_in_the_paper(successes, n, low, high):
    # 327 of 1,586 is the 20.6 % that the paper prints.
    interval = wilson_interval(successes, n, level=0.95)
    assert (round(100 * interval.low.item(), 1), round(100 * interval.high.item(), 1)) == (low, high)


def test_wilson_by_hand_for_one_of_four():
    z = 1.959963984540054
    centre, half = (1 + z**2 / 2) / (4 + z**2), z / (4 + z**2) * np.sqrt(0.75 + z**2 / 4)
    interval = wilson_interval(1, 4, level=0.95)
    np.testing.assert_allclose([interval.low, interval.high], [centre - half, centre + half], rtol=1e-14)


@pytest.mark.parametrize("method", ALL)
def test_no_success_and_no_failure_have_a_limit_at_the_end_and_a_width(method):
    for n in (1, 25, 10_000):
        none, all_of_them = method(0, n, level=0.95), method(n, n, level=0.95)
        assert none.low == 0 < none.high < 1 or n == 1
        assert none.low == 0
        assert none.high > 0
        assert all_of_them.high == 1
        assert all_of_them.low < 1
        np.testing.assert_allclose(none.high, 1 - all_of_them.low, rtol=1e-12)


@pytest.mark.parametrize("method", ALL)
def test_no_trial_has_no_interval(method):
    interval = method([0, 1], [0, 2], level=0.9)
    assert np.isnan(interval.low[0])
    assert np.isnan(interval.high[0])
    assert not np.isnan(interval.low[1])


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize(("successes", "n"), [(3, 2), (-1, 2), (np.nan, 2), (1, np.inf)])
def test_impossible_counts_are_refused(method, successes, n):
    with pytest.raises(ValueError, match="successes must be between 0 and n"):
        method(successes, n, level=0.95)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_that_is_no_probability_is_refused(method, level):
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        method(1, 2, level=level)
