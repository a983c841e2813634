"""What changed from one model of a family to the next: verdicts, labels, decisions, flags."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, fixed, listed, p_value, plural
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

MOST_PAIRS = 6
"""More pairs than this are in the table only."""
MOST_CHANGES = 4
KINDS = {"verdict": "verdict", "label": "label", "decision": "decision", "flag": "flag"}

Row = dict[str, Any]


def show(view: View) -> str:
    """Return what changed between every two models of a family, as sentences and a table."""
    rows = view.results.rows("version_changes", track=ALL)
    if rows is None:
        return absent(view.results.why_absent("version_changes"))
    pairs = rows.select("model_a", "model_b").unique(maintain_order=True).rows()
    parts = [paragraph(sentence(view, _of(rows, pair))) for pair in pairs[:MOST_PAIRS]]
    return "".join(parts) + _table(view, rows, pairs)


def _of(rows: pl.DataFrame, pair: tuple[Any, ...]) -> pl.DataFrame:
    return rows.filter(pl.col("model_a") == pair[0], pl.col("model_b") == pair[1])


def sentence(view: View, rows: pl.DataFrame) -> str:
    """Return the changes of one pair that no chance explains, the largest first."""
    first = rows.row(0, named=True)
    head = f"From {view.name(first['model_a'])} to {view.name(first['model_b'])}, on "
    head += f"{plural(first['n_items'], 'common item')}, "
    changed = rows.filter(pl.col("p_holm") < view.alpha)
    if not changed.height:
        return f"{head}nothing that was counted changes more than chance would (Holm)."
    order = changed.sort(pl.col("difference").abs(), "name", descending=[True, False])
    named = [_change(row) for row in order.head(MOST_CHANGES).iter_rows(named=True)]
    more = changed.height - len(named)
    text = f"{head}{listed(named)}"
    return f"{text}; {plural(more, 'further change')} in the table." if more else f"{text}."


def _change(row: Row) -> str:
    ratio = "" if row["ratio"] is None else f", {fixed(row['ratio'], 2)} times"
    name = f"<code>{escape(row['name'])}</code>"
    return f"{KINDS[row['kind']]} {name} goes from {count(row['count_a'])} to {count(row['count_b'])}{ratio}"


def _table(view: View, rows: pl.DataFrame, pairs: list[tuple[Any, ...]]) -> str:
    columns = [
        Column("name", "What"),
        Column("a", "Items before", "right"),
        Column("b", "Items after", "right"),
        Column("difference", "Difference", "right"),
        Column("ratio", "Ratio", "right"),
        Column("gone", "Only before", "right"),
        Column("new", "Only after", "right"),
        Column("p", "p, Holm", "right"),
    ]
    cells = []
    for pair in pairs:
        for row in _of(rows, pair).sort("kind", "name").iter_rows(named=True):
            cells.append(
                {
                    "pair": f"{view.name(row['model_a'])} to {view.name(row['model_b'])}",
                    "name": f"{KINDS[row['kind']]} <code>{escape(row['name'])}</code>",
                    "a": count(row["count_a"]),
                    "b": count(row["count_b"]),
                    "difference": fixed(row["difference"], 0, sign=True),
                    "ratio": "\u2013" if row["ratio"] is None else fixed(row["ratio"], 2),
                    "gone": count(row["n_only_a"]),
                    "new": count(row["n_only_b"]),
                    "p": escape(p_value(row["p_holm"], alpha=view.alpha)),
                }
            )
    return detail(
        view,
        "version_changes",
        columns,
        cells,
        summary="Everything that was counted, version by version",
        caption="Items on which each of two models of a family shows something in any run; exact McNemar "
        "tests, adjusted over the rows of a pair (Holm).",
        groups="pair",
    )
