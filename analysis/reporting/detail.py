"""Tables of detail: folded away, cut where they get long, with the way to the rest."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.reporting.markup import escape
from analysis.reporting.numbers import plural
from analysis.reporting.static_table import Column, folded, static_table, table_float
from analysis.reporting.view import View

MOST_ROWS = 40
"""Rows of a table of detail on a page; the table to download has them all."""


def download(view: View, table: str, words: str = "") -> str:
    """Return a link to a table's Parquet file, as HTML."""
    shown = words or f"<code>{table}</code>"
    return f'<a href="{escape(view.tables_link)}/{table}.parquet" download>{shown}</a>'


def detail(
    view: View,
    table: str,
    columns: Sequence[Column],
    rows: Sequence[dict[str, str]],
    *,
    summary: str,
    caption: str,
    name: str = "",
    note: str = "",
    groups: str = "",
    fold: bool = True,
) -> str:
    """Return a table as a numbered float of Markdown, folded away; empty without rows.

    Parameters
    ----------
    view : View
        The benchmark.
    table : str
        Name of the derived table that the rows come from.
    columns : sequence of Column
        The columns in order; the first names the row.
    rows : sequence of dict
        Cells by column key, as HTML; those past `MOST_ROWS` are left to the download.
    summary : str
        The line that opens it, as text.
    caption : str
        The caption as Markdown, without anything from the data.
    name : str
        What identifiers are made of (default: the table's name with hyphens).
    note : str
        Note below the table, as HTML.
    groups : str
        Key whose value heads each group of rows.
    fold : bool
        False: the table stands open.
    """
    if not rows:
        return ""
    identifier = name or table.replace("_", "-")
    left = len(rows) - MOST_ROWS
    if left > 0:
        more = f"{plural(left, 'more row')} in the table {download(view, table)} (Parquet)."
        note = f"{note} {more}".strip()
    html = static_table(f"{identifier}-table", columns, rows[:MOST_ROWS], note=note, groups=groups)
    shown = table_float(f"tbl-{identifier}", html, caption)
    return folded(summary, shown) if fold else shown
