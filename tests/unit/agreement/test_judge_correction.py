"""Shares of yes from judges and humans: cases by hand and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.stats.judge_correction import judge_bias, prediction_powered, share_of_yes
from analysis.stats.rogan_gladen import rogan_gladen

HUMAN = [1] * 6 + [0] * 4
JUDGE = [1] * 5 + [0] + [1] + [0] * 3


def test_full_weight_by_hand() -> None:
    # The judge says yes to 70 of 100 more; on ten responses humans say 0.6 and the judge 0.6.
    share = prediction_powered(HUMAN, JUDGE, [1] * 70 + [0] * 30, level=0.95, judge_weight=1.0)
    assert share.estimate == pytest.approx(0.7 + 0.6 - 0.6)


def test_no_weight_is_the_humans_alone() -> None:
    share = prediction_powered(HUMAN, JUDGE, [1] * 70 + [0] * 30, level=0.95, judge_weight=0.0)
    assert share.estimate == pytest.approx(0.6)


def test_a_useless_judge_gets_no_weight() -> None:
    human = [1, 0] * 30
    judge = [1, 1, 0, 0] * 15
    share = prediction_powered(human, judge, [1, 0] * 200, level=0.95)
    assert share.judge_weight == 0.0
    assert share.estimate == 0.5


def test_a_judge_that_always_says_yes_is_ignored() -> None:
    share = prediction_powered(HUMAN, [1] * 10, [1] * 50, level=0.95)
    assert (share.judge_weight, share.estimate) == (0.0, 0.6)


def test_nothing_more_than_the_humans_saw() -> None:
    share = prediction_powered(HUMAN, JUDGE, [], level=0.95)
    assert (share.judge_weight, share.estimate, share.n_judge) == (0.0, 0.6, 0)


def test_without_humans_there_is_no_estimate() -> None:
    share = prediction_powered([], [], [1, 0], level=0.95)
    assert math.isnan(share.estimate)
    assert math.isnan(share.ci_low)


def test_agreement_in_all_of_few_labels_is_not_certainty() -> None:
    labels = [1] * 18 + [0] * 2
    rest = [1] * 900 + [0] * 100
    share = prediction_powered(labels, labels, rest, level=0.95)
    plain = prediction_powered(labels, labels, rest, level=0.95, small_sample=False, judge_weight=1.0)
    assert plain.ci_high - plain.ci_low < 0.04
    assert share.ci_high - share.ci_low > 0.1
    assert share.ci_low <= share.estimate <= share.ci_high <= 1.0


def test_clusters_of_copies_count_once() -> None:
    single = prediction_powered(HUMAN, JUDGE, [1, 0] * 20, level=0.95, judge_weight=0.5, small_sample=False)
    copies = prediction_powered(
        HUMAN * 4,
        JUDGE * 4,
        [1, 0] * 80,
        level=0.95,
        judge_weight=0.5,
        small_sample=False,
        clusters=list(range(10)) * 4,
        clusters_only=(np.arange(40) + 10).tolist() * 4,
    )
    assert copies.estimate == pytest.approx(single.estimate)
    # Fifty clusters: the factor 50 / 49 is all that differs.
    assert copies.std_error == pytest.approx(single.std_error * math.sqrt(50 / 49))


def test_bias_by_hand() -> None:
    bias = judge_bias([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], level=0.95)
    assert bias.estimate == pytest.approx(0.2)
    assert bias.ci_low < 0.2 < bias.ci_high


def test_share_of_yes_over_clusters() -> None:
    share = share_of_yes([1, 1, 0, 0], level=0.95, clusters=[0, 0, 1, 1])
    # Two clusters with means 1 and 0: standard error 1/2.
    assert share.std_error == pytest.approx(0.5)
    assert (share.ci_low, share.ci_high) == (0.0, 1.0)
    assert math.isnan(share_of_yes([], level=0.95).estimate)


def test_rogan_gladen_by_hand() -> None:
    # Sensitivity 0.9, specificity 0.8, the judge says yes to 55 %: (0.55 - 0.2) / 0.7.
    human = [1] * 50 + [0] * 50
    judge = [1] * 45 + [0] * 5 + [1] * 10 + [0] * 40
    share = rogan_gladen(human, judge, [1] * 550 + [0] * 450, level=0.95)
    assert share.estimate == pytest.approx(0.5)
    assert share.ci_low < 0.5 < share.ci_high


@pytest.mark.parametrize(
    ("human", "judge", "rest"),
    [
        ([1, 1, 1], [1, 1, 0], [1, 0]),
        ([1, 0, 1], [1, 0, 0], []),
        ([1, 1, 0, 0], [0, 1, 1, 0], [1, 0]),
        ([1, 1, 0, 0], [0, 0, 1, 1], [1, 0]),
    ],
    ids=["no human no", "no judge label more", "no better than chance", "worse than chance"],
)
def test_rogan_gladen_where_there_is_none(human: list[int], judge: list[int], rest: list[int]) -> None:
    assert math.isnan(rogan_gladen(human, judge, rest, level=0.95).estimate)


def test_labels_must_be_zero_or_one() -> None:
    with pytest.raises(ValueError, match=r"^human must be a vector of 0 and 1$"):
        prediction_powered([0.5], [1], [], level=0.95)
    with pytest.raises(ValueError, match=r"^human and judge labels differ in number: 2 and 1$"):
        prediction_powered([1, 0], [1], [], level=0.95)
    with pytest.raises(ValueError, match=r"^judge_weight must be in \[0, 1\], got 1\.5$"):
        prediction_powered([1, 0], [1, 0], [], level=0.95, judge_weight=1.5)
