"""How near the models come to what none of them solves: scores of unsolved items."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, count, fixed, plural
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

SUBSETS = {"unsolved": "no model solves", "solved": "some model solves", "all": "all answered items"}
PERCENT = Scale("percent", 1)


def show(view: View) -> str:
    """Return how scores lie on unsolved items; empty without graded scores or unsolved items."""
    rows = view.results.rows("score_summaries", track=ALL)
    if rows is None or not rows.filter(pl.col("subset") == "unsolved").height:
        return ""
    unsolved = rows.filter(pl.col("subset") == "unsolved").sort("metric")
    lead = next((m for m in (view.metric, "score") if m in unsolved["metric"]), unsolved["metric"][0])
    text = sentence(unsolved.filter(pl.col("metric") == lead).row(0, named=True))
    figure = figure_float(view, "score_distribution") if has_figure(view, "score_distribution") else ""
    head = "\n### How near they come {#unsolved}\n"
    return head + paragraph(text) + figure + _table(view)


def sentence(row: dict[str, float]) -> str:
    """Return mean, median and the share near nothing, as a sentence."""
    return (
        f"On the {plural(int(row['n_items']), 'item')} that no model solves the mean of "
        f"<code>{escape(str(row['metric']))}</code> is {fixed(row['mean'], 2)}, the median "
        f"{fixed(row['median'], 2)}; {PERCENT.value(row['share_below_tenth'])} of its "
        f"{plural(int(row['n_cells']), 'cell')} (model and item) lie below 0.1."
    )


def _table(view: View) -> str:
    columns = [
        Column("subset", "Items that"),
        Column("items", "Items", "right"),
        Column("cells", "Cells", "right"),
        Column("mean", "Mean", "right"),
        Column("median", "Median", "right"),
        Column("quartiles", "Quartiles", "right"),
        Column("zero", "At 0, %", "right"),
        Column("tenth", "Below 0.1, %", "right"),
    ]
    frame = view.results.table("score_summaries")
    cells = []
    for row in [] if frame is None else frame.iter_rows(named=True):
        where = "" if row["track"] == ALL else f", track <bdi>{escape(row['track'])}</bdi>"
        cells.append(
            {
                "group": f"<code>{escape(row['metric'])}</code>{where}",
                "subset": SUBSETS[row["subset"]],
                "items": count(row["n_items"]),
                "cells": count(row["n_cells"]),
                "mean": fixed(row["mean"], 3),
                "median": fixed(row["median"], 3),
                "quartiles": f"{fixed(row['q25'], 2)} to {fixed(row['q75'], 2)}",
                "zero": PERCENT.bare(row["share_zero"]),
                "tenth": PERCENT.bare(row["share_below_tenth"]),
            }
        )
    cells.sort(key=lambda c: c["group"])
    return detail(
        view,
        "score_summaries",
        columns,
        cells,
        summary="Graded scores on unsolved and solved items",
        caption="Graded scores of cells (model and item), on items that no model solves and on the others.",
        groups="group",
    )
