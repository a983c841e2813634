"""Numbers as a reader sees them. Rounding happens here, at display, and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

MINUS = "\u2212"
DASH = "\u2013"
NONE = "\u2013"
"""Stands where there is no value."""


def count(n: int) -> str:
    """Return a count with thousands separated.

    Examples
    --------
    >>> count(12345)
    '12,345'
    """
    return f"{n:,}"


def plural(n: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun in the right number.

    Examples
    --------
    >>> plural(1, "item"), plural(2005, "item"), plural(0, "reply", "replies")
    ('1 item', '2,005 items', '0 replies')
    """
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def listed(parts: Sequence[str], *, most: int | None = None, rest: str = "other", last: str = "and") -> str:
    """Join parts as a sentence does; past `most`, say how many more there are.

    Examples
    --------
    >>> listed(["A", "B", "C"])
    'A, B and C'
    >>> listed(["A", "B", "C", "D"], most=2)
    'A, B and 2 others'
    """
    parts = list(parts)
    if most is not None and len(parts) > most + 1:
        left = len(parts) - most
        parts = [*parts[:most], f"{left:,} {rest}s"]
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def fixed(x: float, decimals: int, *, sign: bool = False) -> str:
    """Return a number with a fixed number of decimals, a true minus sign and no negative zero.

    Examples
    --------
    >>> fixed(-1.25, 1), fixed(-0.01, 1), fixed(0.44, 1, sign=True)
    ('\u22121.2', '0.0', '+0.4')
    """
    text = f"{x:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        return text.lstrip("-")
    if text.startswith("-"):
        return MINUS + text[1:]
    return f"+{text}" if sign else text


def significant(x: float, digits: int = 3) -> str:
    """Return a number with so many significant digits, never in exponent form.

    Examples
    --------
    >>> significant(0.0012345), significant(1234.5), significant(0)
    ('0.00123', '1,234', '0')
    """
    if x == 0 or not math.isfinite(x):
        return "0" if x == 0 else NONE
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(x))))
    return fixed(x, min(decimals, 12))


def p_value(p: float | None, *, alpha: float = 0.05) -> str:
    """Return a p-value as it stands in a table: rounded, but never across alpha.

    Examples
    --------
    >>> p_value(0.6123), p_value(0.0031), p_value(0.00004), p_value(0.0499), p_value(1.0)
    ('0.61', '0.003', '<0.001', '0.0499', '1')
    """
    if p is None or math.isnan(p):
        return NONE
    if p < 0.001:
        return "<0.001"
    if p >= 1:
        return "1"
    if p > 0.99:
        return ">0.99"
    decimals = 2 if p >= 0.1 else 3
    while decimals < 6 and (round(p, decimals) < alpha) != (p < alpha):
        decimals += 1
    return f"{p:.{decimals}f}"


def p_equals(p: float | None, *, alpha: float = 0.05, symbol: str = "p") -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> p_equals(0.6123), p_equals(0.00004)
    ('p = 0.61', 'p < 0.001')
    """
    text = p_value(p, alpha=alpha)
    if text == NONE:
        return "not tested"
    return f"{symbol} {text[0]} {text[1:]}" if text[0] in "<>" else f"{symbol} = {text}"


def money(usd: float | None) -> str:
    """Return an amount of US dollars: cents from a dollar upwards, three significant digits below.

    Examples
    --------
    >>> money(1234.5), money(2.5), money(0.000412), money(0.0), money(None)
    ('$1,234', '$2.50', '$0.000412', '$0', '\u2013')
    """
    if usd is None:
        return NONE
    if usd == 0:
        return "$0"
    if usd >= 1000:
        return f"${usd:,.0f}"
    return f"${usd:,.2f}" if usd >= 1 else f"${significant(usd)}"


def span(low: int, high: int) -> str:
    """Return a range of whole numbers, one number where both ends are equal.

    Examples
    --------
    >>> span(1, 3), span(2, 2)
    ('1\u20133', '2')
    """
    return f"{low}" if low == high else f"{low}{DASH}{high}"


def level_name(level: float) -> str:
    """Return the name of an interval at a confidence level.

    Examples
    --------
    >>> level_name(0.95)
    '95% CI'
    """
    return f"{level * 100:g}% CI"


def decimals_for(half_widths: Iterable[float | None], *, most: int) -> int:
    """Return how many decimals the intervals support: the last digit is at most a fifth of a half-width.

    Parameters
    ----------
    half_widths : iterable of float or None
        Half-widths of the intervals in the unit of display; the median of those above 0 counts.
    most : int
        Never more decimals than this; returned too where no interval has a width.

    Examples
    --------
    >>> decimals_for([1.9], most=2), decimals_for([12.0], most=2), decimals_for([0.3], most=2)
    (1, 0, 2)
    """
    widths = sorted(w for w in half_widths if w is not None and math.isfinite(w) and w > 0)
    if not widths:
        return most
    median = widths[len(widths) // 2]
    return max(0, min(most, math.ceil(-math.log10(median / 5) - 1e-9)))


@dataclass(frozen=True)
class Scale:
    """How the values of one column are shown: as percentages or plain, with how many decimals.

    Parameters
    ----------
    kind : {'percent', 'plain'}
        Proportions are shown as percentages, their differences as points.
    decimals : int
        Decimals of the number as shown.
    """

    kind: Literal["percent", "plain"]
    decimals: int

    @property
    def factor(self) -> float:
        """What a value is multiplied with to be shown."""
        return 100.0 if self.kind == "percent" else 1.0

    @property
    def unit(self) -> str:
        """The unit as it stands in a column's head."""
        return "%" if self.kind == "percent" else ""

    def bare(self, x: float | None) -> str:
        """Return the value without its unit."""
        return NONE if x is None else fixed(x * self.factor, self.decimals)

    def value(self, x: float | None) -> str:
        """Return the value with its unit."""
        return self.bare(x) + ("%" if self.kind == "percent" and x is not None else "")

    def interval(self, low: float | None, high: float | None) -> str:
        """Return the interval's two ends, joined by `to`."""
        return NONE if low is None or high is None else f"{self.bare(low)} to {self.bare(high)}"

    def difference(self, d: float | None) -> str:
        """Return a signed difference without its unit."""
        return NONE if d is None else fixed(d * self.factor, self.decimals, sign=True)

    def difference_interval(self, low: float | None, high: float | None) -> str:
        """Return the ends of a difference's interval, signed."""
        return NONE if low is None or high is None else f"{self.difference(low)} to {self.difference(high)}"

    def points(self, d: float | None) -> str:
        """Return a signed difference with its unit."""
        text = self.difference(d)
        if self.kind == "plain" or d is None:
            return text
        return f"{text} point{'' if text[1:] == '1' else 's'}"


def scale_for(
    kind: Literal["percent", "plain"],
    intervals: Iterable[tuple[float | None, float | None]],
    *,
    values: Iterable[float | None] = (),
) -> Scale:
    """Choose the decimals of a column from its intervals, or from its values where it has none.

    Examples
    --------
    >>> scale_for("percent", [(0.93, 0.97), (0.90, 0.95)]).value(0.9512)
    '95.1%'
    """
    factor = 100.0 if kind == "percent" else 1.0
    halves = [None if a is None or b is None else (b - a) / 2 * factor for a, b in intervals]
    if any(h for h in halves):
        return Scale(kind, decimals_for(halves, most=2 if kind == "percent" else 4))
    if kind == "percent":
        return Scale(kind, 1)
    largest = max((abs(v) for v in values if v is not None), default=1.0)
    return Scale(kind, 3 if largest <= 1 else 2 if largest < 100 else 1 if largest < 1000 else 0)
