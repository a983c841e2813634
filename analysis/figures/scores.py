"""Forest plot of scores, with tiers as bands and ties in columns beside it."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import (
    Row,
    data,
    finish,
    label_column,
    note,
    notes,
    options,
    pixels,
    row_height,
    row_text,
)
from analysis.figures.select import ALL, in_track, interval_text, metric_of, n_text, with_intervals
from analysis.figures.text import count, isolate, listing, plural, span
from analysis.figures.theme import SMALL, WIDTH, Theme
from analysis.figures.wording import axis_format, domain, is_rate, metric_axis, metric_title, write

WITHOUT = "No model has a scored item."

MAX_LETTERS = 10
"""Longest compact letter display that is shown; beyond it the rank interval says the same."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return one row per model of track `all` and the primary metric, with tier and ties."""
    scores = tables["model_scores"]
    metric = metric_of(scores, card)
    rows = with_intervals(in_track(scores, ALL, metric), card)
    columns = ["model", "tier", "letters", "rank_low", "rank_high", "in_best_set", "reversal"]
    if "tiers" in tables:
        tiers = in_track(tables["tiers"], ALL, metric).select(columns)
        return rows.join(tiers, on="model", how="left", maintain_order="left")
    types = (pl.Int64, pl.String, pl.Int64, pl.Int64, pl.Boolean, pl.Boolean)
    empty = [pl.lit(None, dtype=t).alias(c) for c, t in zip(columns[1:], types, strict=True)]
    return rows.with_columns(empty)


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the forest plot."""
    frame = rows_of(tables, card)
    if frame.is_empty():
        return Absent(WITHOUT)
    metric = metric_of(tables["model_scores"], card)
    who = identify(tables)
    rows = _marks(frame, who, theme, metric)
    columns = _columns(rows)
    left = label_column([r["label"] for r in rows], row_text(len(rows))) + 8
    width = max(170.0, WIDTH - 16 - left - sum(w for _, _, w, _ in columns))
    chart = _panel(rows, columns, width, theme, card, metric)
    return finish(
        chart,
        theme,
        card,
        f"{metric_title(metric, card)}, by model",
        _subtitle(frame, tables, card),
        width=left + width + sum(w for _, _, w, _ in columns),
    )


def _marks(frame: pl.DataFrame, who: Identity, theme: Theme, metric: str) -> list[Row]:
    rows = []
    for row in frame.iter_rows(named=True):
        best = bool(row["in_best_set"])
        own = who.colour(row["model"], theme) if who.slots else theme.accent if best else theme.neutral
        rows.append(
            {
                "label": who.label(row["model"]),
                "estimate": row["estimate"],
                "low": row["ci_low"],
                "high": row["ci_high"],
                "colour": own,
                "fill": own if best or row["tier"] is None else theme.surface,
                "score": write(metric, row["estimate"]),
                "n": count(row["n_items"]),
                "letters": row["letters"] or "",
                "ranks": span(row["rank_low"], row["rank_high"]) if row["rank_low"] else "",
                "tier": row["tier"],
            }
        )
    return rows


def _columns(rows: list[Row]) -> list[tuple[str, str, float, str]]:
    """Return the text columns at the side: field, header, width in pixels, alignment."""
    columns = [("score", "Score", 52.0, "right")]
    if len({r["n"] for r in rows}) > 1:
        columns.append(("n", "n", 46.0, "right"))
    if any(r["ranks"] for r in rows) and len(rows) > 1:
        columns.append(("ranks", "Rank", 50.0 if len(rows) < 100 else 60.0, "right"))
        longest = label_column([r["letters"] for r in rows], SMALL)
        if max(len(r["letters"]) for r in rows) <= MAX_LETTERS:
            columns.append(("letters", "Ties", max(36.0, longest + 14), "left"))
    if len({r["tier"] for r in rows} - {None}) > 1:
        columns.append(("tier", "Tier", 34.0, "right"))
    return columns


def _panel(
    rows: list[Row],
    columns: list[tuple[str, str, float, str]],
    width: float,
    theme: Theme,
    card: BenchmarkCard,
    metric: str,
) -> Any:
    import altair as alt

    n = len(rows)
    step = row_height(n)
    labels = [r["label"] for r in rows]
    y = alt.Y(
        "label:N",
        scale=options(domain=labels, padding=0),
        axis=options(title=None, labelColor=theme.ink, labelFontSize=row_text(n), labelPadding=8),
    )
    total = width + sum(w for _, _, w, _ in columns)
    limits = [v for r in rows for v in (r["estimate"], r["low"], r["high"])]
    unit = is_rate(metric) or metric == "score"
    x = alt.X(
        "estimate:Q",
        scale=options(domain=list(domain(limits, unit=unit)), nice=False, zero=False),
        axis=options(
            title=metric_axis(metric, card),
            format=axis_format(metric),
            grid=True,
            tickCount=max(3, int(width / 60)),
            domain=True,
            ticks=True,
            tickSize=4,
        ),
    )
    layers: list[Any] = []
    if len({r["tier"] for r in rows} - {None}) > 1:
        # bands run under the text columns too: they are what ties a row to its tier
        odd = [r for r in rows if (r["tier"] or 0) % 2]
        band = alt.Chart(data(odd)).mark_rect(color=theme.ink, opacity=0.055)
        layers.append(band.encode(y=y, **pixels(x=0, x2=total)))
    base = alt.Chart(data(rows))
    shown = [
        alt.Tooltip("label:N", title="Model"),
        alt.Tooltip("score:N", title="Score"),
        alt.Tooltip("low:Q", title="Lower limit", format=".3f"),
        alt.Tooltip("high:Q", title="Upper limit", format=".3f"),
        alt.Tooltip("n:N", title="Items"),
    ]
    layers.append(
        base.mark_rule(strokeWidth=2.2, strokeCap="round")
        .transform_filter("isValid(datum.low)")
        .encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=alt.Color("colour:N", scale=None))
    )
    layers.append(
        base.mark_point(size=min(62, step * 3), strokeWidth=2, opacity=1).encode(
            y=y,
            x=x,
            stroke=alt.Stroke("colour:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            tooltip=shown,
        )
    )
    layers += _side(rows, columns, width, y, theme)
    return alt.layer(*layers, width=width, height=step * n)


def _side(
    rows: list[Row], columns: list[tuple[str, str, float, str]], width: float, y: Any, theme: Theme
) -> list[Any]:
    cells: list[Row] = []
    headers: list[Row] = []
    left = width
    for field, header, wide, align in columns:
        at = left + wide - 4 if align == "right" else left + 14
        headers.append(note(header, at, -9, align=align))
        look: Row = {"size": row_text(len(rows)), "colour": theme.ink} if field == "score" else {}
        for i, row in enumerate(rows):
            text = row[field]
            if field == "tier":
                # the number stands at the first row of its band
                begins = text is not None and (i == 0 or rows[i - 1]["tier"] != text)
                text = str(text) if begins else ""
            cells.append(note(text, at, align=align, label=row["label"], **look))
        left += wide
    return [notes(cells, theme, y=y), notes(headers, theme)] if columns else []


def _subtitle(frame: pl.DataFrame, tables: Tables, card: BenchmarkCard) -> list[str]:
    text = f"{n_text(frame['n_items'].to_list())}; {interval_text(frame, tables, card)}."
    if frame["tier"].drop_nulls().n_unique() > 1:
        text += " Bands are tiers; models of one tier need not be tied (see Rank and Ties)."
    if frame["in_best_set"].any() and frame.height > 1:
        text += " Filled points: not distinguishable from the best model."
    return [text]


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say who leads, by how much, and what the columns mean."""
    frame = rows_of(tables, card)
    metric = metric_of(tables["model_scores"], card)
    who = identify(tables)
    text = [
        f"{metric_title(metric, card)}: {plural(frame.height, 'model')}, {_intervals(frame, tables, card)}."
    ]
    text.append(_leader(frame, who, metric))
    best = frame.filter(pl.col("in_best_set").fill_null(False))
    if best.height > 1:
        text.append(
            f"The best set, which cannot be told apart on common items, has {plural(best.height, 'model')}."
        )
    tiers = frame["tier"].drop_nulls().n_unique()
    if tiers > 1:
        text.append(
            f"Bands are the {tiers} tiers: a new one begins where the test against the next model in rank is "
            "significant. Rank is the interval of ranks that all pairwise tests (Holm) allow; models that "
            "share a letter under Ties do not differ significantly."
        )
    flipped = frame.filter(pl.col("reversal").fill_null(False))["model"].to_list()
    if flipped:
        names = listing([who.spoken(m) for m in flipped])
        text.append(f"On common items, the next model in rank is significantly better than {names}.")
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what a reader sees in the forest plot."""
    frame = rows_of(tables, card)
    metric = metric_of(tables["model_scores"], card)
    who = identify(tables)
    last = frame.row(-1, named=True)
    text = f"Forest plot of {plural(frame.height, 'model')} in order of their score. "
    text += _leader(frame, who, metric)
    if frame["estimate"].n_unique() > 1:
        text += f" Last is {isolate(who.spoken(last['model']))} with {write(metric, last['estimate'])}."
    return text


def _intervals(frame: pl.DataFrame, tables: Tables, card: BenchmarkCard) -> str:
    return f"{interval_text(frame, tables, card)}, {n_text(frame['n_items'].to_list())}"


def _leader(frame: pl.DataFrame, who: Identity, metric: str) -> str:
    row = frame.row(0, named=True)
    equal = frame.filter(pl.col("estimate").round(12) == round(row["estimate"], 12))["model"].to_list()
    if len(equal) > 1:
        names = listing([who.spoken(m) for m in equal])
        return f"{names} share the highest score, {write(metric, row['estimate'])}."
    text = f"{isolate(who.spoken(row['model']))} leads with {write(metric, row['estimate'])}"
    if row["ci_low"] is not None:
        text += f" [{write(metric, row['ci_low'])}, {write(metric, row['ci_high'])}]"
    return text + "."


FIGURE = Figure(
    name="scores",
    title="Scores, intervals and tiers",
    needs=("models", "model_scores"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
