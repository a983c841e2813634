"""`Panel`: one kind of fact about an item, and the table that panels share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.reporting.items.view import ItemView
from analysis.reporting.numbers import plural

MOST_ROWS = 200
"""Rows of a panel's table on one item; those past it are counted."""
MOST_TABLE_BYTES = 200_000
"""A panel's table on one item ends before the row with which it would be larger."""


@dataclass(frozen=True)
class Panel:
    """A kind of fact that is shown of every item.

    Parameters
    ----------
    name : str
        Its name, ASCII: the class of its element.
    title : str
        Its heading.
    tables : tuple of str
        Validated or derived tables that it needs. Where a benchmark lacks one, the panel is not shown.
    show : callable
        From the view and an item's identifier to HTML, empty where there is nothing to show. Text
        from the data must pass `text` or `analysis.reporting.markup.escape`; the result must not depend
        on anything but the tables, and needs no identifiers (an item's heading has one).
    """

    name: str
    title: str
    tables: tuple[str, ...]
    show: Callable[[ItemView, str], str]


def table(heads: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], *, more: str = "") -> str:
    """Return a table as HTML: the first column names the row.

    Parameters
    ----------
    heads : sequence of (str, str)
        Head and class (`num` for numbers) of each column.
    rows : sequence of sequences of str
        Cells as HTML; those past `MOST_ROWS` or `MOST_TABLE_BYTES` are counted below the table.
    more : str
        The file that holds the rows that are left out, as HTML.
    """
    top = "".join(f'<th scope="col"{_css(css)}>{head}</th>' for head, css in heads)
    opened = [f"<td{_css(css)}>" for _, css in heads[1:]]
    lines: list[str] = []
    size = 0
    for row in rows[:MOST_ROWS]:
        cells = "".join([f"{tag}{cell}</td>" for tag, cell in zip(opened, row[1:], strict=True)])
        line = f'<tr><th scope="row">{row[0]}</th>{cells}</tr>\n'
        size += len(line)
        if lines and size > MOST_TABLE_BYTES:
            break
        lines.append(line)
    left = len(rows) - len(lines)
    note = f'<p class="note">{plural(left, "more row")} in {more}.</p>' if left else ""
    head = f"<thead><tr>{top}</tr></thead>"
    return f'<div class="scroll"><table>{head}<tbody>\n{"".join(lines)}</tbody></table></div>{note}'


def _css(css: str) -> str:
    return f' class="{css}"' if css else ""
