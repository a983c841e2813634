"""Raters and coefficients as the sections on raters name them."""

from __future__ import annotations

from typing import Any

from analysis.reporting.markup import named
from analysis.reporting.numbers import Scale, count

COEFFICIENT = Scale("plain", 2)
"""How coefficients of agreement are shown."""
KINDS = {"human": "human", "verdict": "recorded verdict", "scorer": "scorer", "judge": "judge"}
"""Kinds of raters as words, those with more authority first."""

Row = dict[str, Any]


def rater_name(rater: str, *, first: bool = False) -> str:
    """Return a rater's name as HTML, as the beginning of a sentence has it or within one."""
    if rater == "verdict":
        return "The recorded verdict" if first else "the recorded verdict"
    return named(rater or "(empty)")


def raters_of(kind: str) -> str:
    """Return the raters of a kind as words."""
    return {"all": "all raters", "human": "human raters"}.get(kind, f"{KINDS.get(kind, kind)}s")


def pair_cells(row: Row) -> dict[str, str]:
    """Return the cells that every row about a pair of raters begins with."""
    return {"a": rater_name(row["rater_a"]), "b": rater_name(row["rater_b"]), "n": count(row["n"])}


def coefficient(symbol: str, value: float, low: float | None, high: float | None) -> str:
    """Return a coefficient with its interval, as a sentence has it."""
    text = f"{symbol}\u00a0{COEFFICIENT.bare(value)}"
    return text if low is None or high is None else f"{text} ({COEFFICIENT.interval(low, high)})"
