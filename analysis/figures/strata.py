"""Scores by stratum and model, with how many items of the stratum no model solves."""

from __future__ import annotations

import math

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.matrix import Group, Scale, draw_matrix
from analysis.figures.parts import Row, finish
from analysis.figures.select import ALL, in_track, metric_of
from analysis.figures.text import count, isolate, listing, natural, percent, plural, short_labels, spaced
from analysis.figures.theme import TEXT, Theme
from analysis.figures.wording import is_rate, metric_title, number, write, write_cell

WITHOUT = "The card names no strata, and the items have no question type."

FEW = 10
"""Cells with fewer items are set in italics."""

MAX_VALUES = 60
"""The most values of a stratum that are shown: those with most items."""


def model_order(tables: Tables, card: BenchmarkCard, models: set[str]) -> list[str]:
    """Return models in the order of their rank in track `all`, those without one at the end."""
    scores = tables.get("model_scores")
    ranks: dict[str, int] = {}
    if scores is not None:
        part = in_track(scores, ALL)
        part = part.filter(pl.col("metric") == metric_of(part, card))
        ranks = dict(part.select("model", "rank").unique().iter_rows())
    return sorted(models, key=lambda m: (ranks.get(m, len(ranks) + 1), m))


def scale_of(values: list[float], title: str, *, rate: bool, zero: bool = False) -> Scale:
    """Return a colour scale that begins and ends at round values."""
    low, high = min(values), max(values)
    if rate:
        step = 0.1 if high - low > 0.15 or zero is False else 0.05
        low = 0.0 if zero else max(0.0, math.floor(low / step) * step)
        high = min(1.0, max(low + step, math.ceil(high / step - 1e-9) * step))
        return Scale(low, high, title, f"{100 * low:.0f}%", f"{100 * high:.0f}%")
    return Scale(low, high, title, number(low), number(high))


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the matrix of strata and models."""
    frame = tables["strata"]
    if frame.is_empty():
        return Absent(WITHOUT)
    metric = card.primary_metric
    who = identify(tables)
    models = model_order(tables, card, set(frame["model"].unique().to_list()))
    groups, cells, hidden = _layout(frame, models, who, metric)
    values = [c["value"] for c in cells.values()]
    scale = scale_of(values, metric_title(metric, card), rate=is_rate(metric))
    chart, width = draw_matrix(
        groups, [who.label(m) for m in models], cells, scale, ("Items", "Unsolved"), theme, last=theme.alert
    )
    text = f"Cells: {metric_title(metric, card).lower()}{' (%)' if is_rate(metric) else ''}; n under Items. "
    text += "Unsolved: share of the items that no model solves."
    if any(c["style"] == "italic" for c in cells.values()):
        text += f" Italic: fewer than {FEW} items."
    if any(c["weight"] == "bold" for c in cells.values()):
        text += " Bold: best of the stratum."
    if hidden:
        text += f" {plural(hidden, 'value')} with few items are in the table only."
    title = f"{metric_title(metric, card)}, by {listing([*_strata_names(frame), 'model'], 6)}"
    return finish(chart, theme, card, title, [text], width=max(width, 420))


def _strata_names(frame: pl.DataFrame) -> list[str]:
    return [spaced(s) for s in sorted(frame["stratum"].unique().to_list())]


def _layout(
    frame: pl.DataFrame, models: list[str], who: Identity, metric: str
) -> tuple[list[Group], dict[tuple[int, str, str], Row], int]:
    groups: list[Group] = []
    cells: dict[tuple[int, str, str], Row] = {}
    hidden = 0
    strata = sorted(frame["stratum"].unique().to_list())
    for i, stratum in enumerate(strata):
        part = frame.filter(pl.col("stratum") == stratum)
        sizes = part.group_by("value").agg(pl.col("n_stratum_items").max(), pl.col("n_zero_correct").max())
        ranked = sizes.sort(["n_stratum_items", "value"], descending=[True, False])
        hidden += max(0, ranked.height - MAX_VALUES)
        kept = ranked.head(MAX_VALUES)
        values = sorted(kept["value"].to_list(), key=natural)
        labels = short_labels({v: spaced(v) for v in values}, 170, TEXT)
        sides = {}
        for row in kept.iter_rows(named=True):
            n, zero = row["n_stratum_items"], row["n_zero_correct"]
            sides[labels[row["value"]]] = (count(n), percent(zero / n, 0) if n else "–")
        groups.append(Group(spaced(stratum) if len(strata) > 1 else "", list(labels.values()), sides))
        best = dict(part.group_by("value").agg(pl.col("estimate").max()).iter_rows())
        for row in part.iter_rows(named=True):
            if row["value"] not in labels:
                continue
            cells[i, labels[row["value"]], who.label(row["model"])] = {
                "value": row["estimate"],
                "text": write_cell(metric, row["estimate"]),
                "n": count(row["n_items"]),
                "style": "italic" if row["n_items"] < FEW else "normal",
                "weight": "bold" if len(models) > 1 and row["estimate"] == best[row["value"]] else "normal",
            }
    return groups, cells, hidden


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say where models do worst, and where most items are solved by none."""
    frame = tables["strata"]
    metric = card.primary_metric
    means = frame.group_by("stratum", "value").agg(
        pl.col("estimate").sort().mean(),
        pl.col("n_zero_correct").max(),
        pl.col("n_stratum_items").max(),
    )
    low = means.sort("estimate", "stratum", "value").row(0, named=True)
    names = listing(_strata_names(frame))
    text = [f"{metric_title(metric, card)} by {names} for {plural(frame['model'].n_unique(), 'model')}."]
    text.append(
        f"Averaged over models it is lowest for {isolate(spaced(low['value']))} "
        f"({write(metric, low['estimate'])})."
    )
    worst = (
        means.filter(pl.col("n_stratum_items") > 0)
        .with_columns(share=pl.col("n_zero_correct") / pl.col("n_stratum_items"))
        .sort(["share", "stratum", "value"], descending=[True, False, False])
    )
    if worst.height:
        row = worst.row(0, named=True)
        text.append(
            f"The share of items that no model solves is largest for {isolate(spaced(row['value']))}: "
            f"{count(row['n_zero_correct'])} of {count(row['n_stratum_items'])} ({percent(row['share'])})."
        )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the matrix holds."""
    frame = tables["strata"]
    metric = card.primary_metric
    low, high = frame["estimate"].min(), frame["estimate"].max()
    return (
        f"Matrix of {plural(frame.select('stratum', 'value').n_unique(), 'stratum value')} and "
        f"{plural(frame['model'].n_unique(), 'model')}; cells from {write(metric, low)} to "  # type: ignore[arg-type]
        f"{write(metric, high)}, stronger colour meaning more."  # type: ignore[arg-type]
    )


FIGURE = Figure(
    name="strata",
    title="Scores by stratum",
    needs=("models", "strata"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
