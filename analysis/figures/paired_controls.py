"""Forest plot of paired controls: what another condition changes, model by model."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.pairwise import alpha_of
from analysis.figures.parts import Row, finish
from analysis.figures.row_panels import RowPanel, label_width, text_columns
from analysis.figures.select import level_text
from analysis.figures.text import clean, isolate, listing, percent, plural, points, short_labels
from analysis.figures.theme import LABEL_WIDTH, TEXT, WIDTH, Theme
from analysis.figures.wording import domain

WITHOUT = "The card declares no controls, or no model answered a question under both conditions."

ENDPOINTS = {
    "item_weighted": "by question",
    "cluster_macro": "by cluster",
    "all_correct": "whole clusters right",
}
"""Endpoints in words."""


def rows_of(tables: Tables) -> list[tuple[str, pl.DataFrame]]:
    """Return each control's name and its primary rows, the largest difference first."""
    frame = tables["paired_controls"].filter("primary", pl.col("difference").is_not_null())
    found = []
    for (name,), part in frame.group_by("control", maintain_order=True):
        order = part.sort([pl.col("difference").round(12), "model"], descending=[True, False])
        found.append((str(name), order))
    return found


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a panel for each control."""
    import altair as alt

    found = rows_of(tables)
    if not found:
        return Absent(WITHOUT)
    labels = labels_of(tables, found)
    left = max(label_width([labels[m] for m in part["model"]]) for _, part in found)
    panels, widest = [], 0.0
    for name, part in found:
        panel, width = _panel(name, part, labels, card, theme, left)
        panels.append(panel)
        widest = max(widest, left + width)
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=36)
    text = (
        f"Points: changed − baseline, {level_text(tables, card)} paired bootstrap intervals over clusters. "
        f"Filled: Holm-adjusted sign-flip p below {alpha_of(card):g}. +/−: questions corrected and harmed; "
        "B/W/S: clusters better, worse and the same."
    )
    return finish(chart, theme, card, "What the other condition changes", [text], width=widest)


def labels_of(tables: Tables, found: list[tuple[str, pl.DataFrame]]) -> dict[str, str]:
    """Return labels of models, and of pairs of models that the card names."""
    who = identify(tables)
    names = sorted({m for _, part in found for m in part["model"]})
    other = {m: clean(m) for m in names if m not in who.labels}
    return {**who.labels, **short_labels(other, LABEL_WIDTH, TEXT)}


def _panel(
    name: str, part: pl.DataFrame, labels: dict[str, str], card: BenchmarkCard, theme: Theme, left: float
) -> tuple[Any, float]:
    rows = part.to_dicts()
    own = [labels[r["model"]] for r in rows]
    cells = [
        [points(r["difference"]) for r in rows],
        [f"{r['n_corrected']}/{r['n_harmed']}" for r in rows],
        [f"{r['n_better']}/{r['n_worse']}/{r['n_unchanged']}" for r in rows],
    ]
    columns = text_columns(("Points", "+/−", "B/W/S"), cells)
    side = sum(c.width for c in columns)
    width = max(150.0, WIDTH - 16 - left - side)
    lines: list[Row] = []
    marks: list[Row] = []
    for label, r in zip(own, rows, strict=True):
        clear = r["p_holm"] is not None and r["p_holm"] < alpha_of(card)
        colour = theme.accent if r["difference"] >= 0 else theme.alert
        if r["ci_low"] is not None:
            bar = {"low": r["ci_low"], "high": r["ci_high"], "colour": colour, "weight": 2.2}
            lines.append({"label": label, **bar})
        tip = f"{percent(r['score_baseline'])} to {percent(r['score_changed'])}"
        fill = colour if clear else theme.surface
        look = {"shape": "circle", "fill": fill, "colour": colour, "tip": tip}
        marks.append({"label": label, "value": r["difference"], **look})
    values = [v for r in rows for v in (r["difference"], r["ci_low"], r["ci_high"])]
    ends = domain([0.0, *values], unit=False, pad=0.08)
    first = rows[0]
    named = f"{clean(first['changed'])} − {clean(first['baseline'])}"
    conditions = "changed − baseline" if name in _pairs(card) else named
    axis = f"{conditions}, {ENDPOINTS[first['endpoint']]} (points)"
    panel = RowPanel(own, ends, axis, width, theme)
    n = max(part["n_items"].to_list())
    clusters = max(part["n_clusters"].to_list())
    head = f"{clean(name)}: {plural(n, 'question')} in {plural(clusters, 'cluster')}"
    return panel.draw(lines=lines, points=marks, columns=columns, head=head, zero=True), width + side


def _pairs(card: BenchmarkCard) -> set[str]:
    """Return the controls whose conditions are models."""
    return {name for name, control in card.controls.items() if control.models}


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say for each control what is changed, and for which models it makes a difference."""
    text = []
    found = rows_of(tables)
    labels = labels_of(tables, found)
    for name, part in found:
        meaning = clean(card.controls[name].meaning) if name in card.controls else ""
        clear = part.filter(pl.col("p_holm") < alpha_of(card))
        head = f"{isolate(clean(name))}{f' ({isolate(meaning)})' if meaning else ''}: "
        if clear.is_empty():
            text.append(f"{head}no difference stands after adjustment for {plural(part.height, 'model')}.")
            continue
        better = clear.filter(pl.col("difference") > 0)["model"].to_list()
        worse = clear.filter(pl.col("difference") < 0)["model"].to_list()
        parts = [
            f"{word} for {listing([isolate(labels[m]) for m in models], 3)}"
            for word, models in (("higher", better), ("lower", worse))
            if models
        ]
        text.append(f"{head}{' and '.join(parts)} of {plural(part.height, 'model')}.")
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what a reader sees."""
    found = rows_of(tables)
    low = min(v for _, part in found for v in part["difference"].to_list())
    high = max(v for _, part in found for v in part["difference"].to_list())
    return (
        f"Forest plot of paired differences in {plural(len(found), 'control')}, from {points(low)} to "
        f"{points(high)} points. {caption(tables, card)}"
    )


FIGURE = Figure(
    name="paired_controls",
    title="Paired controls",
    needs=("models", "paired_controls"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
