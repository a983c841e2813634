"""The exact sign-flip distribution against going through all flips."""

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from analysis.stats.sign_flip import (
    SMALLEST_P,
    binomial_sign_flip,
    enumerated_sign_flip,
    exact_work,
    lattice_sign_flip,
)


def all_flips(differences) -> Fraction:
    sizes = [abs(d) for d in differences]
    reached = [
        abs(sum(s * d for s, d in zip(signs, sizes, strict=True))) >= abs(sum(differences))
        for signs in itertools.product((-1, 1), repeat=len(sizes))
    ]
    return Fraction(sum(reached), len(reached))


def lattice_p(differences) -> float:
    d = np.asarray(differences)
    values, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    return lattice_sign_flip(values, counts, int(min(d[d > 0].sum(), -d[d < 0].sum())))


@pytest.mark.parametrize(
    "differences",
    [
        [1],
        [1, -1],
        [2, 1, -1],
        [1, 1, 1, 1, 1],
        [3, -1, -1, -1],
        [2, 2, 2, 1],
        [6, 3, 2, -1, 4, 0, 0],
        [60, 30, 20, 15, 12, -60, 45],
        [5, 5, -5, 5, 5, -5, 5],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ],
)
def test_lattice_counts_what_all_flips_give(differences):
    assert lattice_p(differences) == pytest.approx(float(all_flips(differences)), rel=1e-13)
    assert enumerated_sign_flip(np.abs(np.array(differences, float)), sum(differences)) == all_flips(
        differences
    )


def test_binomial_is_the_tail_of_the_discordant_items_in_exact_arithmetic():
    for b, c in [(0, 1), (1, 9), (7, 12), (3, 40), (200, 280)]:
        tail = Fraction(sum(comb(b + c, k) for k in range(min(b, c) + 1)), 2 ** (b + c))
        assert binomial_sign_flip(b, c) == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-12)


def test_far_tail_keeps_its_relative_accuracy():
    # 150 differences of 1 and 100 of 2, all positive but one of each.
    values, counts, smaller = np.array([1, 2]), np.array([150, 100]), 3
    ways = sum(comb(150, i) * comb(100, j) for i in range(4) for j in range(2) if i + 2 * j <= 3)
    assert lattice_sign_flip(values, counts, smaller) == pytest.approx(
        float(Fraction(2 * ways, 2**250)), rel=1e-11
    )


def test_probabilities_below_the_smallest_number_are_not_zero():
    assert binomial_sign_flip(3000, 0) == SMALLEST_P
    assert lattice_sign_flip(np.array([1, 2]), np.array([2000, 2000]), 0) == SMALLEST_P


def test_one_size_of_difference_is_the_binomial_test_whatever_its_size():
    for step in (1, 7):
        p = lattice_sign_flip(np.array([step]), np.array([30]), 9 * step)
        assert p == pytest.approx(binomial_sign_flip(21, 9).item(), rel=1e-13)


def test_no_difference_gives_one():
    assert lattice_p([0, 0]) == 1
    assert enumerated_sign_flip(np.zeros(0), 0.0) == 1
    np.testing.assert_array_equal(binomial_sign_flip([0, 4], [0, 4]), 1.0)


def test_work_counts_the_additions_of_the_convolution():
    # 3 values: the most frequent enters through its distribution function, 2 are convolved.
    assert exact_work(np.array([1]), np.array([500]), 200) == 201
    assert exact_work(np.array([1, 2, 3]), np.array([2, 100, 1]), 1000) == 3 * 3 + 6 * 2 + 206
    assert exact_work(np.zeros(0, int), np.zeros(0, int), 0) == 0
