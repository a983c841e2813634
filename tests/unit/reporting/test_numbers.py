"""Numbers as a reader sees them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.reporting.numbers import (
    MINUS,
    Scale,
    decimals_for,
    fixed,
    listed,
    money,
    p_equals,
    p_value,
    plural,
    scale_for,
    significant,
    span,
)


@given(st.floats(min_value=0, max_value=1), st.sampled_from([0.01, 0.05, 0.1]))
def test_a_rounded_p_value_stands_on_its_own_side_of_alpha(p: float, alpha: float) -> None:
    text = p_value(p, alpha=alpha)
    if text[0] in "<>":
        bound = float(text[1:])
        assert p < bound if text[0] == "<" else p > bound
        assert (bound <= alpha) if text[0] == "<" else (bound > alpha)
    elif abs(p - alpha) > 1e-6:
        assert (float(text) < alpha) == (p < alpha)


@pytest.mark.parametrize(
    ("p", "table", "sentence"),
    [
        (0.6123, "0.61", "p = 0.61"),
        (0.0031, "0.003", "p = 0.003"),
        (0.00099, "<0.001", "p < 0.001"),
        (0.0496, "0.0496", "p = 0.0496"),
        (0.995, ">0.99", "p > 0.99"),
        (1.0, "1", "p = 1"),
        (None, "\u2013", "not tested"),
    ],
)
def test_p_values(p: float | None, table: str, sentence: str) -> None:
    assert p_value(p) == table
    assert p_equals(p) == sentence


def test_no_negative_zero_and_a_true_minus() -> None:
    assert fixed(-0.04, 1) == "0.0"
    assert fixed(-0.04, 1, sign=True) == "0.0"
    assert fixed(-1234.5, 1) == f"{MINUS}1,234.5"
    assert fixed(0.25, 1, sign=True) == "+0.2"


@pytest.mark.parametrize(
    ("half", "decimals"), [(12, 0), (5, 0), (4.9, 1), (0.5, 1), (0.49, 2), (0.0001, 2), (0, 2)]
)
def test_the_last_digit_is_at_most_a_fifth_of_the_half_width(half: float, decimals: int) -> None:
    assert decimals_for([half], most=2) == decimals
    assert decimals == 2 or 10**-decimals <= half / 5


def test_a_share_of_few_items_has_no_decimals_and_one_of_many_has() -> None:
    few, many = scale_for("percent", [(0.21, 0.78)]), scale_for("percent", [(0.4, 0.443)])
    assert few.value(0.5) == "50%"
    assert many.value(0.4213) == "42.1%"
    assert many.interval(0.4, 0.443) == "40.0 to 44.3"
    assert many.points(-0.012) == f"{MINUS}1.2 points"
    assert many.interval(None, None) == "\u2013"


def test_a_metric_without_intervals_is_shown_by_its_size() -> None:
    assert scale_for("plain", [(None, None)], values=[0.123456]).value(0.123456) == "0.123"
    assert scale_for("plain", [], values=[52.5]).value(52.5) == "52.50"
    assert scale_for("plain", [], values=[12345.6]).value(12345.6) == "12,346"
    assert Scale("plain", 2).points(0.5) == "+0.50"


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "\u2013"),
        (0.0, "$0"),
        (0.000412, "$0.000412"),
        (0.5, "$0.500"),
        (3.4, "$3.40"),
        (98765.4, "$98,765"),
    ],
)
def test_money(usd: float | None, text: str) -> None:
    assert money(usd) == text


def test_words() -> None:
    assert [plural(n, "model") for n in (0, 1, 2000)] == ["0 models", "1 model", "2,000 models"]
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"], most=2) == "a, b and c"
    assert listed(["a", "b", "c", "d"], most=2) == "a, b and 2 others"
    assert span(2, 2) == "2"
    assert significant(225.4, 2) == "225"
