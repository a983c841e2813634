"""How many items an ensemble covers as models join it, up to the ceiling of them all."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.coverage_parts import (
    AXIS,
    MAX_DIAMONDS,
    ceiling_layers,
    key_layers,
    list_layers,
    list_width,
    method_key,
    point_size,
    steps_of,
    total_of,
    track_panels,
)
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import Row, data, finish, options
from analysis.figures.select import ALL, in_track, level_text, tracks_of
from analysis.figures.text import clean, count, isolate, listing, percent, plural
from analysis.figures.theme import WIDTH, Theme
from analysis.figures.wording import share_ticks, whole_ticks

WITHOUT = "No item has an answer of any model."

LISTED = 10
"""The most models that are listed beside the curve."""

MAX_TRACKS = 24
"""The most tracks that have a panel of their own."""


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the curve of all items, the order of greedy choice, and a panel for each track."""
    import altair as alt

    frame = in_track(tables["coverage"], ALL)
    greedy = steps_of(frame, "greedy")
    if greedy.is_empty():
        return Absent(WITHOUT)
    who = identify(tables)
    shown = _listed(greedy, who, theme)
    width = WIDTH - 16 - AXIS - list_width(shown)
    main = _main(frame, greedy, shown, who, width, theme, card)
    tracks = tracks_of(tables["coverage"])
    chart = main
    if 1 < len(tracks) <= MAX_TRACKS:
        chart = alt.vconcat(main, track_panels(tables["coverage"], tracks, theme), spacing=30)
    return finish(
        chart,
        theme,
        card,
        "Items that at least one model of an ensemble solves",
        _subtitle(greedy, tables, card),
    )


def _n(tables: Tables, track: str, row: Row) -> int:
    """Return the number of items of a track, also where nothing is covered."""
    counts = tables.get("count_distribution")
    if counts is not None:
        part = in_track(counts, track).filter(pl.col("basis") == "answered")
        if part.height:
            return int(part["n_items"].sum())
    return total_of(row)


def _subtitle(greedy: pl.DataFrame, tables: Tables, card: BenchmarkCard) -> list[str]:
    n = _n(tables, ALL, greedy.row(-1, named=True))
    text = f"n = {plural(n, 'item')} answered by at least one model." if n else ""
    if greedy["ci_low"].is_not_null().any():
        text += f" Shaded: {level_text(tables, card)} Wilson intervals of the greedy curve."
    return [text.strip()]


def _listed(greedy: pl.DataFrame, who: Identity, theme: Theme) -> list[Row]:
    """Return the first models of the greedy order, as many as add something or fit."""
    rows = []
    useful = greedy.filter((pl.col("gained") > 0) | (pl.col("step") == 1))
    for row in useful.head(LISTED).iter_rows(named=True):
        rows.append(
            {
                "step": row["step"],
                "label": who.label(row["model"]),
                "colour": who.colour(row["model"], theme),
                "share": row["share"],
                "gain": f"+{count(row['gained'])}",
            }
        )
    return rows


def _main(
    frame: pl.DataFrame,
    greedy: pl.DataFrame,
    shown: list[Row],
    who: Identity,
    width: float,
    theme: Theme,
    card: BenchmarkCard,
) -> Any:
    import altair as alt

    models = int(greedy["step"].max())  # type: ignore[arg-type]
    key = method_key(frame)
    height = max(190.0, 24 + 22.0 * (len(shown) + (greedy.height > len(shown))) + 18 * len(key) + 4)
    low, high = _range(greedy)
    x_scale = options(domain=[0.5, models + 0.9], nice=False, zero=False)
    y_scale = options(domain=[low, high], nice=False, zero=False)
    axis_x = options(
        title="Models in the ensemble", values=whole_ticks(1, models, width / 34), format="d", domain=True
    )
    axis_y = options(title="Items covered (%)", format=".1~%", grid=True, values=share_ticks(low, high, 6))
    x = alt.X("step:Q", scale=x_scale, axis=axis_x)
    y = alt.Y("share:Q", scale=y_scale, axis=axis_y)
    numbers = greedy.select("step", "gained", "covered", "share", "ci_low", "ci_high").to_dicts()
    rows = [
        {**row, "label": who.label(model), "colour": who.colour(model, theme)}
        for row, model in zip(numbers, greedy["model"].to_list(), strict=True)
    ]
    # the last step is drawn as wide as the others
    tail = [*rows, {**rows[-1], "step": models + 0.9}]
    layers: list[Any] = []
    if any(r["ci_low"] is not None for r in rows):
        layers.append(
            alt.Chart(data(tail))
            .mark_area(interpolate="step-after", color=theme.accent, opacity=0.13)
            .encode(x=x, y=alt.Y("ci_low:Q", scale=y_scale, axis=axis_y), y2=alt.Y2("ci_high:Q"))
        )
    layers.append(
        alt.Chart(data(tail))
        .mark_line(interpolate="step-after", color=theme.accent, strokeWidth=2)
        .encode(x=x, y=y)
    )
    layers += _other_methods(frame, x, y, theme, models)
    if models <= 60:
        layers.append(
            alt.Chart(data(rows))
            .mark_point(size=point_size(models), filled=True, opacity=1, stroke=theme.surface, strokeWidth=1)
            .encode(
                x=x,
                y=y,
                color=alt.Color("colour:N", scale=None),
                tooltip=[
                    alt.Tooltip("label:N", title="Model added"),
                    alt.Tooltip("step:Q", title="Size"),
                    alt.Tooltip("gained:Q", title="Newly covered"),
                    alt.Tooltip("share:Q", title="Covered", format=".1%"),
                ],
            )
        )
    at = height * (high - rows[-1]["share"]) / (high - low)
    near = next(r["step"] for r in rows if height * (high - r["share"]) / (high - low) - at < 18)
    layers += ceiling_layers(rows[-1], width * (near - 0.5) / (models + 0.4) - 8, at, theme)
    layers += list_layers(shown, greedy, width + 22, theme)
    layers += key_layers(key, width + 60, height, theme, models)
    return alt.layer(*layers, width=width, height=height)


def _range(greedy: pl.DataFrame) -> tuple[float, float]:
    values = [v for c in ("share", "ci_low", "ci_high") for v in greedy[c].to_list() if v is not None]
    low, high = min(values), max(values)
    room = max(high - low, 0.05)
    # room above for the words on the ceiling; zero stays in where it is near
    return (0.0 if low < 0.25 else low - 0.15 * room), high + 0.16 * room


def _other_methods(frame: pl.DataFrame, x: Any, y: Any, theme: Theme, models: int) -> list[Any]:
    import altair as alt

    layers: list[Any] = []
    optimal = steps_of(frame, "optimal").select("step", "share").to_dicts()
    if optimal:
        base = alt.Chart(data(optimal))
        mark = (
            base.mark_point(
                shape="diamond", size=2.1 * point_size(models), color=theme.ink, strokeWidth=1.3, opacity=1
            )
            if models <= MAX_DIAMONDS
            else base.mark_line(interpolate="step-after", strokeDash=[1, 2], color=theme.ink, strokeWidth=1.5)
        )
        layers.append(mark.encode(x=x, y=y))
    cross = steps_of(frame, "cross_fitted").select("step", "share").to_dicts()
    if cross:
        mark = alt.Chart(data(cross)).mark_line(strokeDash=[5, 4], color=theme.ink, strokeWidth=1.5)
        layers.append(mark.encode(x=x, y=y))
    return layers


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the best model covers, how fast others add, and where the ceiling lies."""
    frame = in_track(tables["coverage"], ALL)
    greedy = steps_of(frame, "greedy")
    who = identify(tables)
    first, last = greedy.row(0, named=True), greedy.row(-1, named=True)
    text = [f"{isolate(who.spoken(first['model']))} alone covers {percent(first['share'])}"]
    if greedy.height > 1:
        text[0] += f"; all {greedy.height} models together cover {percent(last['share'])}, the ceiling"
        enough = greedy.filter(pl.col("covered") == last["covered"]).row(0, named=True)
        if 1 < enough["step"] < greedy.height:
            text.append(f"In greedy order, {enough['step']} models reach it.")
    text[0] += "."
    if greedy.height > 1:
        text.append("Each step adds the model that covers most of what is left.")
    optimal = steps_of(frame, "optimal")
    if optimal.height:
        both = greedy.join(optimal.select("step", best="covered"), on="step").with_columns(
            more=pl.col("best") - pl.col("covered")
        )
        most = (
            both.sort(["more", "step"], descending=[True, False]).row(0, named=True) if both.height else None
        )
        text.append(
            f"The best ensemble of a size covers up to {plural(most['more'], 'item')} more than the greedy."
            if most and most["more"] > 0
            else "No ensemble of a size covers more than the greedy one."
        )
    if steps_of(frame, "cross_fitted").height:
        text.append("The cross-fitted curve chooses on one part of the items and counts on the others.")
    complete = steps_of(frame, "greedy", "complete")
    if complete.height and complete.row(-1, named=True)["covered"] != last["covered"]:
        end = complete.row(-1, named=True)
        text.append(
            f"Of the items that every model answered, all models together cover {percent(end['share'])}."
        )
    tracks = tracks_of(tables["coverage"])
    if 1 < len(tracks) <= MAX_TRACKS:
        ends = {
            t: steps_of(in_track(tables["coverage"], t), "greedy").row(-1, named=True)["share"]
            for t in tracks
        }
        lowest = min(ends, key=lambda t: (ends[t], t))
        if ends[lowest] < max(ends.values()):
            text.append(
                f"The lowest ceiling is that of track {listing([clean(lowest)])} ({percent(ends[lowest])})."
            )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say how the curve rises."""
    greedy = steps_of(in_track(tables["coverage"], ALL), "greedy")
    who = identify(tables)
    points = ", ".join(
        f"{row['step']}: {percent(row['share'])} with {isolate(who.spoken(row['model']))}"
        for row in greedy.head(5).iter_rows(named=True)
    )
    end = greedy.row(-1, named=True)
    text = f"Step curve of items covered by ensembles of growing size. {points}."
    if greedy.height > 5:
        text += f" With all {greedy.height} models: {percent(end['share'])}."
    return text


FIGURE = Figure(
    name="coverage",
    title="Items covered by ensembles of models",
    needs=("models", "coverage"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
