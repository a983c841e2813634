"""Values from the data as the cells of an item's tables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from analysis.reporting.markup import clean, escape
from analysis.reporting.numbers import MINUS, NONE, plural

MOST_CHARACTERS = 600
"""Characters of one text from the data; those past it are counted."""


@lru_cache(maxsize=1 << 14)
def text(value: str | None) -> str:
    """Return text from the data as HTML, cut where it is long; a dash for null."""
    if value is None:
        return NONE
    line = clean(value)
    if not line.strip():
        return '<span class="muted">(empty)</span>'
    left = len(line) - MOST_CHARACTERS
    if left <= 0:
        # Only text beyond ASCII can run the other way; the pages hold many thousands of cells.
        return escape(line) if line.isascii() else f"<bdi>{escape(line)}</bdi>"
    more = plural(left, "more character")
    return f'<bdi>{escape(line[:MOST_CHARACTERS])}</bdi>\u2026 <span class="muted">({more})</span>'


def texts(values: Iterable[str]) -> str:
    """Return several texts from the data as HTML, parted by commas; empty for none."""
    return ", ".join(map(text, values))


def number(x: float | None) -> str:
    """Return a number as it was recorded, to six significant digits; empty for null.

    Fewer digits could show a value and the threshold that it misses as equal.

    Examples
    --------
    >>> number(0.66999), number(3.0), number(None)
    ('0.66999', '3', '')
    """
    return "" if x is None else f"{x:.6g}".replace("-", MINUS)
