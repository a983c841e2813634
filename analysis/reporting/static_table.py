"""Static tables with great-tables: its structure and accessible heads, the site's own style."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from analysis.reporting.markup import block, escape


@dataclass(frozen=True)
class Column:
    """A column of a static table.

    Parameters
    ----------
    key : str
        Key of its cells; ASCII, since it becomes a part of identifiers.
    head : str
        Its head, as HTML.
    align : {'left', 'right', 'center'}
        Alignment of head and cells.
    spanner : str
        Head above this and the neighbouring columns with the same spanner, as HTML.
    """

    key: str
    head: str
    align: Literal["left", "right", "center"] = "left"
    spanner: str = ""


def static_table(
    identifier: str,
    columns: Sequence[Column],
    rows: Sequence[dict[str, str]],
    *,
    note: str = "",
    groups: str = "",
) -> str:
    """Return a table as HTML, in a container that scrolls when the table is wider than the page.

    Parameters
    ----------
    identifier : str
        Identifier of the table on its page: fixed, so that the same rows give the same bytes.
    columns : sequence of Column
        The columns in order; the first names the row.
    rows : sequence of dict
        Cells by column key, as HTML.
    note : str
        A line below the table, as HTML.
    groups : str
        Key of cells that part the rows into groups, which must be adjacent.
    """
    from great_tables import GT, html

    keys = [c.key for c in columns]
    data = {key: [row.get(key, "") for row in rows] for key in [*keys, *([groups] if groups else [])]}
    frame = pl.DataFrame(data, schema=dict.fromkeys(data, pl.String))
    table = GT(frame, rowname_col=keys[0], groupname_col=groups or None, id=identifier)
    table = table.fmt_passthrough(columns=[*data], escape=False).cols_label(
        {c.key: html(c.head) for c in columns[1:]}
    )
    table = table.tab_stubhead(html(columns[0].head))
    for align in ("left", "right", "center"):
        chosen = [c.key for c in columns[1:] if c.align == align]
        if chosen:
            table = table.cols_align(align, columns=chosen)
    for i, spanner in enumerate(dict.fromkeys(c.spanner for c in columns if c.spanner)):
        under = [c.key for c in columns if c.spanner == spanner]
        table = table.tab_spanner(html(spanner), columns=under, id=f"s{i}")
    if note:
        table = table.tab_source_note(html(note))
    return f'<div class="scroll">\n{_without_style(table.as_raw_html())}\n</div>'


def table_float(identifier: str, table: str, caption: str) -> str:
    """Return a table as a numbered float of Markdown, to which `@tbl-…` can refer.

    Parameters
    ----------
    identifier : str
        Begins with ``tbl-``.
    table : str
        The table as HTML.
    caption : str
        The caption as Markdown.
    """
    return f"\n::: {{#{identifier}}}\n{block(table)}\n{caption}\n:::\n"


def folded(summary: str, markdown: str) -> str:
    """Return Markdown that is folded away below a line that opens it."""
    return (
        block(f'<details class="more"><summary>{escape(summary)}</summary>') + markdown + block("</details>")
    )


def _without_style(html: str) -> str:
    """Drop the table's own style sheet and wrapper: the site's style sheet knows both colour schemes."""
    html = re.sub(r"<style>.*?</style>\s*", "", html, flags=re.S)
    table = re.search(r"<table\b.*</table>", html, flags=re.S)
    assert table is not None, "great-tables wrote no table"
    text = table.group(0).replace(
        'data-quarto-disable-processing="false"', 'data-quarto-disable-processing="true"'
    )
    return re.sub(r"\n\s*\n", "\n", text)
