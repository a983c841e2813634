"""Flags of responses: how often they stand, and how often without success."""

from __future__ import annotations

import polars as pl

from analysis.figures.flag_outcomes import panels_of
from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

MOST_SENTENCES = 4
"""More flags than this are in the table only."""


def show(view: View) -> str:
    """Return between which models each flag's gap runs, as sentences, a figure and a table."""
    frame = view.results.table("flag_outcomes")
    found = [] if frame is None else panels_of({"flag_outcomes": frame})
    if not found:
        return absent(view.results.why_absent("flag_outcomes"))
    text = " ".join(sentence(view, flag, track, rows) for flag, track, rows in found[:MOST_SENTENCES])
    figure = figure_float(view, "flag_outcomes") if has_figure(view, "flag_outcomes") else ""
    return paragraph(text) + figure + _table(view, found)


def sentence(view: View, flag: str, track: str, rows: pl.DataFrame) -> str:
    """Return how often a flag stands without success, from the model with least to that with most."""
    where = "" if track == ALL else f" of track <bdi>{escape(track)}</bdi>"
    ordered = rows.sort(["gap", "model"], descending=[True, False])
    top, low = ordered.row(0, named=True), ordered.row(-1, named=True)
    scale = scale_for("percent", rows.select("ci_low", "ci_high").iter_rows())
    head = f"<code>{escape(flag)}</code> stands without success on"
    if top["gap"] == low["gap"]:
        whose = view.name(top["model"]) if rows.height == 1 else view.every
        return f"{head} {scale.value(top['gap'])} of the items{where} for {whose}."
    return (
        f"{head} {scale.value(low['gap'])} ({view.name(low['model'])}) to {scale.value(top['gap'])} "
        f"({view.name(top['model'])}) of the items{where}."
    )


def _table(view: View, found: list[tuple[str, str, pl.DataFrame]]) -> str:
    columns = [
        Column("model", "Model"),
        Column("n", "Items", "right"),
        Column("flagged", "Flagged", "right"),
        Column("failed", "Without success", "right"),
        Column("gap", "Share of items, %", "right"),
        Column("interval", view.ci),
        Column("of", "Of all failures, %", "right"),
    ]
    cells = []
    for flag, track, rows in found:
        where = "" if track == ALL else f" (track <bdi>{escape(track)}</bdi>)"
        scale = scale_for("percent", rows.select("ci_low", "ci_high").iter_rows())
        for row in rows.sort(["gap", "model"], descending=[True, False]).iter_rows(named=True):
            cells.append(
                {
                    "flag": f"<code>{escape(flag)}</code>{where}",
                    "model": view.name(row["model"]),
                    "n": count(row["n_items"]),
                    "flagged": count(row["n_flagged"]),
                    "failed": count(row["n_flagged_failed"]),
                    "gap": scale.bare(row["gap"]),
                    "interval": muted_range(scale.interval(row["ci_low"], row["ci_high"])),
                    "of": scale.bare(row["share_of_failures"]),
                }
            )
    return detail(
        view,
        "flag_outcomes",
        columns,
        cells,
        summary="Flags without success, by model",
        caption="Items with a flagged response that does not succeed; Wilson intervals.",
        groups="flag",
    )
