"""Beside the publication: what it says of the same data, and what is measured here."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, plural, significant
from analysis.reporting.static_table import Column, folded, static_table, table_float
from analysis.reporting.view import View

Row = dict[str, Any]


def show(view: View) -> str:
    """Return which statements hold here, which do not and why; empty without statements."""
    rows = view.results.table("statements")
    if rows is None:
        return ""
    head = "\n## Beside the publication {#published}\n"
    parts = [head, paragraph(sentence(rows))]
    for title, own, name in (
        ("Statements that do not hold here", rows.filter(~pl.col("met")), "statements-open"),
        ("Statements that hold", rows.filter("met"), "statements-met"),
    ):
        if own.height:
            shown = table_float(f"tbl-{name}", _table(own, name), f"{title}: printed and measured.")
            parts.append(shown if name == "statements-open" else folded(f"{title}, one by one", shown))
    return "".join(parts)


def sentence(rows: pl.DataFrame) -> str:
    """Return how many printed values hold, as a sentence."""
    met, n = int(rows["met"].sum()), rows.height
    if met == n:
        which = "The printed value holds" if n == 1 else f"All {count(n)} printed values hold"
        return f"{which} here, to the precision of the print."
    return (
        f"{count(met)} of {plural(n, 'printed value')} {'holds' if met == 1 else 'hold'} here, to the "
        f"precision of the print; {count(n - met)} {'does' if n - met == 1 else 'do'} not, for the reasons "
        "below."
    )


def _table(rows: pl.DataFrame, name: str) -> str:
    columns = [
        Column("says", "Statement"),
        Column("printed", "Printed", "right"),
        Column("measured", "Measured", "right"),
        Column("why", "Why" if name == "statements-open" else "How it was read"),
    ]
    if not rows["reason"].count() and not rows["note"].count():
        columns.pop()
    cells = []
    for row in rows.iter_rows(named=True):
        why = " ".join(filter(None, (row["reason"], row["note"])))
        cells.append(
            {
                "place": f"<bdi>{escape(row['place'])}</bdi>",
                "says": _statement(row),
                "printed": escape(row["printed"]),
                "measured": measured(row["measured"], row["printed"]),
                "why": f'<span class="words">{escape(why)}</span>',
            }
        )
    return static_table(f"{name}-table", columns, cells, groups="place")


def _statement(row: Row) -> str:
    text = f'<span class="words">{escape(row["says"])}</span>'
    if row["quantity"]:
        text += f'<br><span class="range"><code>{escape(row["quantity"])}</code></span>'
    return text


def measured(value: float | None, printed: str) -> str:
    """Return the measured value on the scale of the printed one, with a digit more.

    Examples
    --------
    >>> measured(0.37201, "0.372"), measured(0.6635, "66.4 %"), measured(1.0, "yes"), measured(0.0, "yes")
    ('0.3720', '66.35 %', 'yes', 'no')
    """
    if value is None:
        return "\u2013"
    if printed.strip() == "yes":
        return "yes" if value == 1 else "no"
    percent = printed.strip().endswith("%")
    shown = 100 * value if percent else value
    match = re.search(r"\.(\d+)", printed)
    decimals = len(match[1]) if match else 0
    if not decimals and float(shown).is_integer():
        text = f"{shown:,.0f}"
    elif "<" in printed or ">" in printed:
        text = significant(shown)
    else:
        text = f"{shown:,.{decimals + 1}f}"
    return escape(f"{text.replace('-', chr(0x2212))}{' %' if percent else ''}")
