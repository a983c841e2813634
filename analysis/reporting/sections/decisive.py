"""What comes of decisive responses: hard failures, successes, and the cautious ones beside them."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.numbers import Scale, count
from analysis.reporting.results import ALL
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

PERCENT = Scale("percent", 1)


def show(view: View) -> str:
    """Return the outcomes of decisive and cautious responses as a table; empty without decisive ones."""
    rows = view.results.rows("decisiveness", track=ALL)
    if rows is None or not rows["n_decisive"].sum():
        return ""
    hard = bool(view.results.card.hard_labels)
    columns = [
        Column("model", "Model"),
        Column("n", "Responses", "right"),
        Column("decisive", "Decisive, %", "right"),
    ]
    if hard:
        columns += [
            Column("hard", "Hard failures, %", "right"),
            Column("given", "Of decisive ones, %", "right"),
            Column("interval", view.ci),
        ]
    columns += [
        Column("right", "Decisive and right, %", "right"),
        Column("cautious", "Others right, %", "right"),
    ]
    cells = []
    for row in rows.sort(pl.col("decisive_rate"), "model", descending=[True, False]).iter_rows(named=True):
        cells.append(
            {
                "model": view.name(row["model"]),
                "n": count(row["n_responses"]),
                "decisive": PERCENT.bare(row["decisive_rate"]),
                "hard": PERCENT.bare(row["hard_rate"]),
                "given": PERCENT.bare(row["hard_given_decisive"]),
                "interval": muted_range(
                    PERCENT.interval(row["hard_given_decisive_low"], row["hard_given_decisive_high"])
                ),
                "right": PERCENT.bare(row["correct_given_decisive"]),
                "cautious": PERCENT.bare(row["correct_given_cautious"]),
            }
        )
    return detail(
        view,
        "decisiveness",
        columns,
        cells,
        summary="What comes of decisive responses",
        caption="Responses with a decision: how many are decisive, and what comes of them and of the others.",
    )
