"""Scores track by track: small forest plots where tracks are few, a matrix where they are many."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.matrix import Group, draw_matrix
from analysis.figures.parts import Row, data, finish, label_column, note, notes, options, row_height, row_text
from analysis.figures.select import in_track, interval_text, metric_of, tracks_of, with_intervals
from analysis.figures.strata import model_order, scale_of
from analysis.figures.text import clean, count, isolate, plural, short_labels
from analysis.figures.theme import SMALL, TEXT, WIDTH, Theme
from analysis.figures.wording import (
    axis_format,
    domain,
    is_rate,
    metric_axis,
    metric_title,
    share_ticks,
    write,
    write_cell,
)

WITHOUT = "The items have fewer than two tracks."
MAX_PANELS = 4
"""The most tracks that have a panel of their own."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return one row per track and model, without track `all`."""
    scores = tables["model_scores"]
    tracks = tracks_of(scores)
    part = scores.filter(pl.col("track").is_in(tracks) & (pl.col("metric") == metric_of(scores, card)))
    return with_intervals(part, card)


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the panels or the matrix."""
    frame = rows_of(tables, card)
    tracks = tracks_of(frame)
    if len(tracks) < 2:
        return Absent(WITHOUT)
    metric = metric_of(tables["model_scores"], card)
    who = identify(tables)
    models = model_order(tables, card, set(frame["model"].unique().to_list()))
    if len(tracks) <= MAX_PANELS:
        chart, width = _panels(frame, tracks, models, who, theme, metric, card)
        text = f"{interval_text(frame, tables, card, of='track and model')}; "
        text = f"{text[0].upper()}{text[1:]}n: the most items that a model answered. "
        text += "Models in order of their score over all items."
    else:
        chart, width = _matrix(frame, tracks, models, who, theme, metric, card)
        unit = " (%)" if is_rate(metric) else ""
        text = f"Cells: {metric_title(metric, card).lower()}{unit}; n: the most items that a model answered. "
        text += "Intervals are in the table. Bold: best of the track."
    return finish(
        chart, theme, card, f"{metric_title(metric, card)}, by track and model", [text], width=max(width, 420)
    )


def _panels(
    frame: pl.DataFrame,
    tracks: list[str],
    models: list[str],
    who: Any,
    theme: Theme,
    metric: str,
    card: BenchmarkCard,
) -> tuple[Any, float]:
    import altair as alt

    step, font = row_height(len(models)), row_text(len(models))
    labels = [who.label(m) for m in models]
    left = label_column(labels, font) + 10
    gap = 28.0
    width = max(84.0, (WIDTH - 16 - left - gap * (len(tracks) - 1)) / len(tracks))
    values = [v for c in ("estimate", "ci_low", "ci_high") for v in frame[c].to_list()]
    unit = is_rate(metric) or metric == "score"
    ends = domain(values, unit=unit)
    heads_of = short_labels({t: clean(t) for t in tracks}, 0.92 * width, SMALL)
    panels = []
    for i, track in enumerate(tracks):
        rows = [
            {
                "label": who.label(r["model"]),
                "estimate": r["estimate"],
                "low": r["ci_low"],
                "high": r["ci_high"],
                "colour": who.colour(r["model"], theme) if who.slots else theme.accent,
                "value": write(metric, r["estimate"]),
                "n": count(r["n_items"]),
            }
            for r in in_track(frame, track).iter_rows(named=True)
        ]
        axis_y = options(title=None, labels=i == 0, labelColor=theme.ink, labelFontSize=font, labelPadding=8)
        y = alt.Y("label:N", scale=options(domain=labels, padding=0), axis=axis_y)
        axis_x = options(
            title=metric_axis(metric, card) if i == 0 else None,
            titleAnchor="start",
            format=axis_format(metric),
            grid=True,
            domain=True,
            ticks=True,
            tickSize=4,
            **(
                {"values": share_ticks(*ends, int(width / 46) + 1)}
                if unit
                else {"tickCount": int(width / 50)}
            ),
        )
        x = alt.X("estimate:Q", scale=options(domain=list(ends), nice=False, zero=False), axis=axis_x)
        base = alt.Chart(data(rows))
        colour = alt.Color("colour:N", scale=None)
        most = max(int(r["n"].replace(",", "")) for r in rows)
        head = heads_of[track]
        heads = [note(head, 0, -24, colour=theme.ink, weight="bold"), note(f"n = {most:,}", 0, -9)]
        tips = [
            alt.Tooltip(f"{f}:N", title=t)
            for f, t in (("label", "Model"), ("value", "Score"), ("n", "Items"))
        ]
        panels.append(
            alt.layer(
                base.mark_rule(strokeWidth=2, strokeCap="round")
                .transform_filter("isValid(datum.low)")
                .encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
                base.mark_point(size=44, filled=True, opacity=1).encode(y=y, x=x, color=colour, tooltip=tips),
                notes(heads, theme),
                width=width,
                height=step * len(labels),
            )
        )
    return alt.hconcat(*panels, spacing=gap, bounds="flush"), left + width * len(tracks) + gap * (
        len(tracks) - 1
    )


def _matrix(
    frame: pl.DataFrame,
    tracks: list[str],
    models: list[str],
    who: Any,
    theme: Theme,
    metric: str,
    card: BenchmarkCard,
) -> tuple[Any, float]:
    names = short_labels({t: clean(t) for t in tracks}, 170, TEXT)
    best = dict(frame.group_by("track").agg(pl.col("estimate").max()).iter_rows())
    most = dict(frame.group_by("track").agg(pl.col("n_items").max()).iter_rows())
    cells: dict[tuple[int, str, str], Row] = {}
    for row in frame.iter_rows(named=True):
        cells[0, names[row["track"]], who.label(row["model"])] = {
            "value": row["estimate"],
            "text": write_cell(metric, row["estimate"]),
            "n": count(row["n_items"]),
            "style": "normal",
            "weight": "bold" if len(models) > 1 and row["estimate"] == best[row["track"]] else "normal",
        }
    group = Group("", [names[t] for t in tracks], {names[t]: (count(most[t]),) for t in tracks})
    scale = scale_of([c["value"] for c in cells.values()], metric_title(metric, card), rate=is_rate(metric))
    return draw_matrix([group], [who.label(m) for m in models], cells, scale, ("n",), theme)


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say who leads in each track, and which track is hardest."""
    frame = rows_of(tables, card)
    metric = metric_of(tables["model_scores"], card)
    who = identify(tables)
    tracks = tracks_of(frame)
    leaders = []
    for track in tracks[:6]:
        top = in_track(frame, track).row(0, named=True)
        leaders.append(
            f"{isolate(clean(track))}: {isolate(who.spoken(top['model']))} ({write(metric, top['estimate'])})"
        )
    text = [f"First in rank, by track: {'; '.join(leaders)}."]
    if len(tracks) > 6:
        text = [f"First in rank, in the first 6 of {len(tracks)} tracks: {'; '.join(leaders)}."]
    means = (
        frame.group_by("track")
        .agg(pl.col("estimate").sort().mean())
        .sort("estimate", "track")
        .row(0, named=True)
    )
    text.append(
        f"Averaged over models, {isolate(clean(means['track']))} is hardest "
        f"({write(metric, means['estimate'])})."
    )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what is compared."""
    frame = rows_of(tables, card)
    metric = metric_of(tables["model_scores"], card)
    values = frame["estimate"].to_list()
    return (
        f"Scores of {plural(frame['model'].n_unique(), 'model')} in "
        f"{plural(len(tracks_of(frame)), 'track')}, from {write(metric, min(values))} to "
        f"{write(metric, max(values))}."
    )


FIGURE = Figure(
    name="scores_by_track",
    title="Scores by track",
    needs=("models", "model_scores"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
