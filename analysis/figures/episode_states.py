"""Joint states of episodes: for each model, in how many exactly which parts are right."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.episode_select import tracks_shown
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import (
    BLANK,
    Row,
    data,
    finish,
    label_column,
    note,
    notes,
    pixels,
    row_height,
    row_text,
    segments,
)
from analysis.figures.select import ALL
from analysis.figures.text import clean, count, isolate, listing, percent, plural
from analysis.figures.theme import SMALL, WIDTH, Theme

WITHOUT = "Items have no components, or the card names no states of episodes."

MAX_COLUMNS = 8
"""The most states that have a column: those with most episodes."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return the states of the first track that has any."""
    frame = tables["episode_states"]
    tracks = tracks_shown(frame, card)
    return frame.filter(pl.col("track") == tracks[0]) if tracks else frame.clear()


def parts_of(frame: pl.DataFrame) -> list[str]:
    """Return the parts whose states are counted, in the card's order."""
    row = frame.filter(pl.col("holds").list.len() == 0).row(0, named=True)
    return list(row["fails"])


def columns_of(frame: pl.DataFrame) -> tuple[list[str], int]:
    """Return the states shown, most right parts first, and how many others there are."""
    totals = frame.group_by("state").agg(pl.col("n_clusters").sum(), pl.col("holds").first())
    kept = totals.sort(["n_clusters", "state"], descending=[True, False]).head(MAX_COLUMNS)
    parts = parts_of(frame)
    order = kept.to_dicts()
    order.sort(key=lambda r: (-len(r["holds"]), [parts.index(p) for p in r["holds"]]))
    return [r["state"] for r in order], totals.height - len(order)


def models_of(frame: pl.DataFrame, card: BenchmarkCard) -> list[str]:
    """Return the models, those with most episodes right first; those used in choosing them last."""
    parts = parts_of(frame)
    whole = frame.filter(pl.col("holds").list.len() == len(parts))
    whole = whole.sort([pl.col("share").round(12), "model"], descending=[True, False])
    apart = set(card.episodes.construction_models)
    return sorted(whole["model"].to_list(), key=lambda model: model in apart)


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a column of bars for each state, below dots that say which parts are right in it."""
    frame = rows_of(tables, card)
    if frame.is_empty():
        return Absent(WITHOUT)
    who = identify(tables)
    chart, width, hidden = _bars(frame, who, theme, card)
    totals = sorted(set(frame["n_total"].to_list()))
    n = count(totals[0]) if len(totals) == 1 else f"{count(totals[0])} to {count(totals[-1])}"
    text = f"Bars: share of a model’s {n} episodes in exactly this state, with their number. Filled dot: "
    text += "right; open dot: not right. Every episode is in one column."
    if hidden:
        text += f" {plural(hidden, 'rarer state')} in the table only."
    if set(card.episodes.construction_models) & set(frame["model"]):
        text += " † used in choosing the episodes."
    names = listing([clean(p) for p in parts_of(frame)], 6)
    title = f"Where {names} are right together"
    return finish(chart, theme, card, title, [text], width=max(width, 420))


def _bars(frame: pl.DataFrame, who: Identity, theme: Theme, card: BenchmarkCard) -> tuple[Any, float, int]:
    import altair as alt

    models, parts = models_of(frame, card), parts_of(frame)
    states, hidden = columns_of(frame)
    apart = set(card.episodes.construction_models)
    labels = [who.label(m) + (" †" if m in apart else "") for m in models]
    step, font = row_height(len(labels)), row_text(len(labels))
    names = [clean(p) for p in parts]
    left = max(label_column(labels, font), label_column(names, SMALL)) + 12
    gap = 14.0
    wide = max(54.0, (WIDTH - 16 - left) / len(states) - gap)
    top = 20.0 * len(parts) + 14
    found = {(r["model"], r["state"]): r for r in frame.iter_rows(named=True)}
    holds = {r["state"]: r["holds"] for r in frame.iter_rows(named=True)}
    most = max(r["share"] for r in found.values() if r["state"] in states) or 1.0
    room = wide - 26
    bars: list[Row] = []
    texts: list[Row] = [note(n, -10, -top + 10 + 20 * i, align="right") for i, n in enumerate(names)]
    texts += [
        note(x, -10, step * (i + 0.5), align="right", colour=theme.ink, size=font)
        for i, x in enumerate(labels)
    ]
    dots: list[Row] = []
    stems: list[Row] = []
    for c, state in enumerate(states):
        at = c * (wide + gap)
        right = [i for i, p in enumerate(parts) if p in holds[state]]
        if len(right) > 1:
            ys = [-top + 10 + 20 * i for i in (right[0], right[-1])]
            stems.append({"px": at + 7, "py": ys[0], "ex": at + 7, "ey": ys[1]})
        for i in range(len(parts)):
            fill = theme.ink if i in right else theme.surface
            edge = theme.ink if i in right else theme.neutral
            dots.append({"px": at + 7, "py": -top + 10 + 20 * i, "fill": fill, "edge": edge})
        colour = theme.accent if len(right) == len(parts) else theme.alert if not right else theme.neutral
        for i, model in enumerate(models):
            row = found.get((model, state))
            if row is None:
                continue
            length = room * row["share"] / most
            y = step * i + step * 0.18
            of = f"{count(row['n_clusters'])} of {count(row['n_total'])}"
            tip = f"{labels[i]}, {state}: {of} ({percent(row['share'])})"
            if row["n_clusters"]:
                bars.append(
                    {
                        "px": at,
                        "py": y,
                        "ex": at + max(length, 1.0),
                        "ey": y + step * 0.64,
                        "colour": colour,
                        "tip": tip,
                    }
                )
            texts.append(note(count(row["n_clusters"]), at + length + 4, step * (i + 0.5), colour=theme.ink))
    width = len(states) * (wide + gap)
    ends = pixels(x="datum.px", y="datum.py", x2="datum.ex", y2="datum.ey", color="datum.colour")
    layers = [
        alt.Chart(data([BLANK])).mark_rule(color=theme.grid).encode(**pixels(x=0, x2=width, y=-4, y2=-4)),
        alt.Chart(
            data(bars or [{**BLANK, "px": 0, "py": 0, "ex": 0, "ey": 0, "colour": theme.surface, "tip": ""}])
        )
        .mark_rect()
        .encode(**ends, tooltip=alt.Tooltip("tip:N", title="State")),
    ]
    if stems:
        layers.append(segments(stems, color=theme.ink, strokeWidth=2.4))
    place = pixels(x="datum.px", y="datum.py")
    layers.append(
        alt.Chart(data(dots))
        .mark_point(size=70, strokeWidth=1.6, opacity=1)
        .encode(**place, fill=alt.Fill("fill:N", scale=None), stroke=alt.Stroke("edge:N", scale=None))
    )
    layers.append(notes(texts, theme))
    chart = alt.layer(*layers, width=width, height=step * len(models))
    return chart, left + width, hidden


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how often the parts are right together and apart, for the best model and overall."""
    frame = rows_of(tables, card)
    who = identify(tables)
    parts, models = parts_of(frame), models_of(frame, card)
    own = frame.filter(pl.col("model") == models[0])
    rows = {len(r["holds"]): r for r in own.iter_rows(named=True)}
    whole, nothing = rows[len(parts)], rows[0]
    n = whole["n_total"]
    track = frame["track"][0]
    where = "" if track == ALL else f"{isolate(clean(track))}: "
    text = (
        f"{where}{isolate(who.spoken(models[0]))} has {listing([isolate(clean(p)) for p in parts])} right "
        f"together in {count(whole['n_clusters'])} of {plural(n, 'episode')} "
        f"({percent(whole['share'])}), and none of them in {count(nothing['n_clusters'])}. "
    )
    never = frame.filter(pl.col("holds").list.len() == len(parts), pl.col("n_clusters") == 0).height
    have = "has" if never == 1 else "have"
    text += f"{plural(never, 'model')} of {len(models)} never {have} them right together."
    return text


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what a reader sees."""
    frame = rows_of(tables, card)
    states, _ = columns_of(frame)
    models = models_of(frame, card)
    return (
        f"Bars for {plural(len(models), 'model')} in {plural(len(states), 'column')}, one for each joint "
        f"state of {listing([clean(p) for p in parts_of(frame)], 6)}, from all right to none right. "
        f"{caption(tables, card)}"
    )


FIGURE = Figure(
    name="episode_states",
    title="Joint states of episodes",
    needs=("models", "episode_states"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
