"""Where items are hard: scores and unsolved items within the declared item columns."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, count, plural
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent, kind_of


def show(view: View) -> str:
    """Return the strata in words, as a figure and with their unsolved items."""
    rows = view.results.table("strata")
    if rows is None:
        return absent(view.results.why_absent("strata"))
    text = " ".join(filter(None, (sentence(view, rows, s) for s in rows["stratum"].unique().sort())))
    parts = [paragraph(text)] if text else []
    return "".join([*parts, figure_float(view, "strata"), _table(view, rows)])


def _values(rows: pl.DataFrame, stratum: str) -> pl.DataFrame:
    """Return one row per value of a stratum, the one with the largest unsolved share first."""
    values = rows.filter(pl.col("stratum") == stratum).unique(["value"], keep="first", maintain_order=True)
    share = pl.col("n_zero_correct") / pl.col("n_stratum_items")
    return values.with_columns(share.alias("share")).sort(["share", "value"], descending=[True, False])


def sentence(view: View, rows: pl.DataFrame, stratum: str) -> str:
    """Return where most items of a stratum are left unsolved."""
    values = _values(rows, stratum)
    if values.height == 1:
        return f"Every item has the same <code>{escape(stratum)}</code>, {_value(values['value'][0])}."
    if not values["n_zero_correct"].sum():
        return ""
    top, last = values.row(0, named=True), values.row(-1, named=True)
    text = (
        f"By <code>{escape(stratum)}</code>, {_value(top['value'])} is left unsolved most often: no model "
        f"solves {count(top['n_zero_correct'])} of its {plural(top['n_stratum_items'], 'item')} "
        f"({_share(top)})"
    )
    return f"{text}, against {_share(last)} for {_value(last['value'])}."


def _value(value: str) -> str:
    return f"<bdi><strong>{escape(value)}</strong></bdi>"


def _share(row: dict[str, float]) -> str:
    return Scale("percent", 1 if row["n_stratum_items"] >= 200 else 0).value(row["share"])


def _of(view: View, scale: Scale, row: dict[str, Any]) -> str:
    """Return a score with the model whose it is."""
    return f'<span class="words">{scale.bare(row["estimate"])} {view.name(row["model"])}</span>'


def _table(view: View, rows: pl.DataFrame) -> str:
    """Return every value with its items, its unsolved items and the range of the models' scores."""
    cells = []
    metric = view.metric
    scale = Scale(
        kind_of(metric), min(view.scale.decimals, 1) if kind_of(metric) == "percent" else view.scale.decimals
    )
    for stratum in rows["stratum"].unique().sort():
        for row in _values(rows, stratum).iter_rows(named=True):
            models = rows.filter((pl.col("stratum") == stratum) & (pl.col("value") == row["value"]))
            best = models.sort(["estimate", "model"], descending=[True, False]).row(0, named=True)
            worst = models.sort(["estimate", "model"], descending=[False, False]).row(0, named=True)
            cells.append(
                {
                    "stratum": f"<code>{escape(stratum)}</code>",
                    "value": f"<bdi>{escape(row['value'])}</bdi>",
                    "n": count(row["n_stratum_items"]),
                    "zero": count(row["n_zero_correct"]),
                    "share": _share(row),
                    "best": _of(view, scale, best),
                    "worst": _of(view, scale, worst),
                }
            )
    columns = [
        Column("value", "Stratum"),
        Column("n", "Items", "right"),
        Column("zero", "Unsolved", "right"),
        Column("share", "Share", "right"),
        Column("best", f"Highest score{', %' if scale.kind == 'percent' else ''}"),
        Column("worst", f"Lowest score{', %' if scale.kind == 'percent' else ''}"),
    ]
    table = static_table("strata-table", columns, cells, groups="stratum")
    return table_float("tbl-strata", table, "Strata, those with the largest share of unsolved items first.")
