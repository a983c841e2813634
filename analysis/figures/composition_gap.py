"""Marginal against joint correctness: right items, what independence would give, whole episodes right."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.episode_select import endpoint_words, main_endpoint, tracks_shown
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import Row, finish
from analysis.figures.row_panels import RowPanel, label_width, text_columns
from analysis.figures.select import ALL, level_text
from analysis.figures.text import clean, isolate, percent, plural, points
from analysis.figures.theme import WIDTH, Theme
from analysis.figures.wording import domain, whole_percent

WITHOUT = "No cluster has more than one scored item, or the card declares no cluster."


def rows_of(tables: Tables, card: BenchmarkCard) -> list[tuple[str, str, pl.DataFrame]]:
    """Return track, endpoint and a row per model of each panel, the highest joint success first."""
    gaps = tables["composition_gap"]
    limits = tables["episodes"].filter(pl.col("method") == "clopper_pearson")
    limits = limits.select("track", "endpoint", "model", "ci_low", "ci_high")
    found = []
    for track in tracks_shown(gaps, card):
        endpoint = main_endpoint(gaps, track, card)
        part = gaps.filter(pl.col("track") == track, pl.col("endpoint") == endpoint)
        if part.height:
            part = part.join(limits, on=["track", "endpoint", "model"], how="left", maintain_order="left")
            order = [pl.col("construction"), pl.col("joint").round(12), pl.col("model")]
            part = part.sort(*order, descending=[False, True, False])
            found.append((track, endpoint, part))
    return found


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a panel for each track."""
    import altair as alt

    found = rows_of(tables, card)
    if not found:
        return Absent(WITHOUT)
    who = identify(tables)
    left = max(label_width([who.label(m) for m in part["model"]]) for _, _, part in found)
    panels, widest = [], 0.0
    for track, endpoint, part in found:
        panel, width = _panel(track, endpoint, part, who, theme, left)
        panels.append(panel)
        widest = max(widest, left + width)
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=36)
    text = (
        f"Open circle: right items. Stroke: joint success if the parts failed independently. Filled point: "
        f"episodes with everything right, with {level_text(tables, card)} exact binomial interval."
    )
    if any(part["construction"].any() for _, _, part in found):
        text += " Diamonds, set apart below: models used in choosing the episodes."
    return finish(chart, theme, card, "Right item by item, and right together", [text], width=widest)


def _panel(
    track: str, endpoint: str, part: pl.DataFrame, who: Identity, theme: Theme, left: float
) -> tuple[Any, float]:
    labels = [who.label(m) for m in part["model"]]
    rows = part.to_dicts()
    cells = [
        [whole_percent(r["item_accuracy"]) for r in rows],
        [whole_percent(r["independent"]) for r in rows],
        [whole_percent(r["joint"]) for r in rows],
    ]
    columns = text_columns(("Items", "Expected", "Joint"), cells)
    side = sum(c.width for c in columns)
    width = max(170.0, WIDTH - 16 - left - side)
    lines: list[Row] = []
    marks: list[Row] = []
    ticks: list[Row] = []
    for label, r in zip(labels, rows, strict=True):
        own = who.colour(r["model"], theme) if who.slots else theme.accent
        ends = sorted((r["joint"], r["item_accuracy"]))
        lines.append({"label": label, "low": ends[0], "high": ends[1], "colour": theme.grid, "weight": 5.0})
        if r["ci_low"] is not None:
            bar = {"low": r["ci_low"], "high": r["ci_high"], "colour": own, "weight": 2.2}
            lines.append({"label": label, **bar})
        ticks.append({"label": label, "value": r["independent"], "colour": theme.ink})
        shape = "diamond" if r["construction"] else "circle"
        marks.append(
            {
                "label": label,
                "value": r["item_accuracy"],
                "shape": shape,
                "fill": theme.surface,
                "colour": theme.neutral,
                "tip": f"Right items {percent(r['item_accuracy'])}",
            }
        )
        marks.append(
            {
                "label": label,
                "value": r["joint"],
                "shape": shape,
                "fill": own,
                "colour": own,
                "tip": f"Joint {percent(r['joint'])}",
            }
        )
    values = [v for r in rows for v in (r["joint"], r["item_accuracy"], r["independent"], r["ci_low"])]
    ends_of_axis = domain([*values, *(r["ci_high"] for r in rows)], zero=True)
    panel = RowPanel(labels, ends_of_axis, "Share right (%)", width, theme)
    chart = panel.draw(
        lines=lines, ticks=ticks, points=marks, columns=columns, head=head(track, endpoint, part)
    )
    return chart, width + side


def head(track: str, endpoint: str, part: pl.DataFrame) -> str:
    """Say what a panel shows: track, endpoint, episodes."""
    low, high = min(part["n_clusters"].to_list()), max(part["n_clusters"].to_list())
    n = plural(low, "episode") if low == high else f"{low:,} to {plural(high, 'episode')}"
    where = "" if track == ALL else f"{clean(track)}: "
    return f"{where}{clean(endpoint_words(endpoint))}, {n}"


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how far joint success falls behind, and how it compares with independence."""
    who = identify(tables)
    text = []
    for track, endpoint, part in rows_of(tables, card):
        others = part.filter(~pl.col("construction"))
        part = others if others.height else part
        first = part.sort(pl.col("joint").round(12), "model", descending=[True, False]).row(0, named=True)
        best = part.sort(pl.col("item_accuracy").round(12), "model", descending=[True, False]).row(
            0, named=True
        )
        where = "J" if track == ALL else f"{isolate(clean(track))}: j"
        text.append(
            f"{where}oint success ({isolate(clean(endpoint_words(endpoint)))}) reaches at most "
            f"{percent(first['joint'])} ({isolate(who.spoken(first['model']))}), while "
            f"{isolate(who.spoken(best['model']))} has {percent(best['item_accuracy'])} of single items "
            f"right. It lies above what independent parts would give in {_above(part)} and below in "
            f"{_below(part)} of {plural(_known(part), 'model')} with an interval (those that leave out 0)."
        )
    return " ".join(text)


def _known(part: pl.DataFrame) -> int:
    return part["gap_independent_low"].count()


def _above(part: pl.DataFrame) -> int:
    return int((part["gap_independent_low"] > 0).sum())


def _below(part: pl.DataFrame) -> int:
    return int((part["gap_independent_high"] < 0).sum())


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what a reader sees."""
    who = identify(tables)
    text = []
    for track, endpoint, part in rows_of(tables, card):
        first = part.row(0, named=True)
        where = "" if track == ALL else f" in track {clean(track)}"
        widest = part.sort("gap_accuracy", "model").row(0, named=True)
        text.append(
            f"Dot plot of {plural(part.height, 'model')}{where}: share of right items, expected and actual "
            f"joint success ({clean(endpoint_words(endpoint))}). First is "
            f"{isolate(who.spoken(first['model']))} with {percent(first['joint'])} joint and "
            f"{percent(first['item_accuracy'])} of items; the widest gap is "
            f"{points(widest['gap_accuracy'])} points for {isolate(who.spoken(widest['model']))}."
        )
    return " ".join(text)


FIGURE = Figure(
    name="composition_gap",
    title="Marginal and joint correctness",
    needs=("models", "composition_gap", "episodes"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
