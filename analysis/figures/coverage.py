"""How many items an ensemble covers as models join it, up to the ceiling of them all."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import BLANK, Row, data, finish, label_column, note, notes, pixels
from analysis.figures.select import ALL, in_track, level_text, tracks_of
from analysis.figures.text import clean, count, isolate, listing, percent, plural, short_labels, text_width
from analysis.figures.theme import SMALL, TEXT, WIDTH, Theme
from analysis.figures.wording import share_ticks, whole_ticks

WITHOUT = "No item has an answer of any model."

MAX_DIAMONDS = 24
"""Up to this many steps the optimum stands as diamonds, beyond it as a dotted line."""

LISTED = 10
"""The most models that are listed beside the curve."""

MAX_TRACKS = 24
"""The most tracks that have a panel of their own."""

AXIS = 50
"""Room in pixels for the vertical axis."""


def steps_of(frame: pl.DataFrame, method: str, basis: str = "answered") -> pl.DataFrame:
    """Return one row per ensemble size of a method."""
    part = frame.filter((pl.col("method") == method) & (pl.col("basis") == basis))
    return part.unique("step", keep="first", maintain_order=True).sort("step")


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the curve of all items, the order of greedy choice, and a panel for each track."""
    import altair as alt

    frame = in_track(tables["coverage"], ALL)
    greedy = steps_of(frame, "greedy")
    if greedy.is_empty():
        return Absent(WITHOUT)
    who = identify(tables)
    shown = _listed(greedy, who, theme)
    width = WIDTH - 16 - AXIS - _list_width(shown)
    main = _main(frame, greedy, shown, who, width, theme, card)
    tracks = tracks_of(tables["coverage"])
    chart = main
    if 1 < len(tracks) <= MAX_TRACKS:
        chart = alt.vconcat(main, _tracks(tables["coverage"], tracks, theme), spacing=30)
    return finish(
        chart,
        theme,
        card,
        "Items that at least one model of an ensemble solves",
        _subtitle(greedy, tables, card),
    )


def _total(row: Row) -> int:
    """Return the number of items of the basis, from covered items and their share."""
    return round(row["covered"] / row["share"]) if row["share"] else 0


def _n(tables: Tables, track: str, row: Row) -> int:
    """Return the number of items of a track, also where nothing is covered."""
    counts = tables.get("count_distribution")
    if counts is not None:
        part = in_track(counts, track).filter(pl.col("basis") == "answered")
        if part.height:
            return int(part["n_items"].sum())
    return _total(row)


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
    key = _key(frame)
    height = max(190.0, 24 + 22.0 * (len(shown) + (greedy.height > len(shown))) + 18 * len(key) + 4)
    low, high = _range(greedy)
    x_scale = alt.Scale(domain=[0.5, models + 0.9], nice=False, zero=False)
    y_scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    axis_x = alt.Axis(
        title="Models in the ensemble", values=whole_ticks(1, models, width / 34), format="d", domain=True
    )
    axis_y = alt.Axis(title="Items covered (%)", format=".1~%", grid=True, values=share_ticks(low, high, 6))
    x = alt.X("step:Q", scale=x_scale, axis=axis_x)
    y = alt.Y("share:Q", scale=y_scale, axis=axis_y)
    rows = [
        {**row, "colour": who.colour(row["model"], theme), "label": who.label(row["model"])}
        for row in greedy.select(
            "step", "model", "gained", "covered", "share", "ci_low", "ci_high"
        ).iter_rows(named=True)
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
            .mark_point(size=_size(models), filled=True, opacity=1, stroke=theme.surface, strokeWidth=1)
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
    layers += _ceiling(rows[-1], width * (near - 0.5) / (models + 0.4) - 8, at, theme)
    layers += _list(shown, greedy, width + 22, theme)
    layers += _draw_key(key, width + 60, height, theme, models)
    return alt.layer(*layers).properties(width=width, height=height)


def _size(models: int) -> float:
    """Return the area of a point, in square pixels, by the number of steps."""
    return 60 if models <= 12 else 40 if models <= 24 else 22


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
                shape="diamond", size=2.1 * _size(models), color=theme.ink, strokeWidth=1.3, opacity=1
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


def _ceiling(last: Row, room: float, at: float, theme: Theme) -> list[Any]:
    import altair as alt

    share = percent(last["share"])
    texts = (f"Ceiling: all models together cover {share}", f"Ceiling: {share}")
    text = next((t for t in texts if text_width(t, SMALL) <= room), texts[-1])
    rule = alt.Chart(data([BLANK])).mark_rule(color=theme.alert, strokeDash=[4, 3], strokeWidth=1.3)
    return [rule.encode(**pixels(y=at)), notes([note(text, 2, at - 12, colour=theme.alert)], theme)]


def _key(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """Return method and words for each method there is, nothing where there is only one."""
    words = {"greedy": "Greedy order", "optimal": "Best ensemble of a size", "cross_fitted": "Cross-fitted"}
    have = set(frame["method"].unique().to_list())
    entries = [(method, text) for method, text in words.items() if method in have]
    return entries if len(entries) > 1 else []


def _draw_key(key: list[tuple[str, str]], left: float, height: float, theme: Theme, models: int) -> list[Any]:
    import altair as alt

    layers: list[Any] = []
    words: list[Row] = []
    for i, (method, text) in enumerate(key):
        at = height - 4 - 18 * (len(key) - 1 - i)
        one = alt.Chart(data([BLANK]))
        if method == "optimal" and models <= MAX_DIAMONDS:
            mark = one.mark_point(
                shape="diamond", size=2.1 * _size(models), color=theme.ink, strokeWidth=1.3, opacity=1
            )
            layers.append(mark.encode(**pixels(x=left - 14, y=at)))
        else:
            dash = {"optimal": [1, 2], "cross_fitted": [5, 4]}.get(method, [1, 0])
            colour = theme.accent if method == "greedy" else theme.ink
            rule = one.mark_rule(color=colour, strokeWidth=2, strokeDash=dash)
            layers.append(rule.encode(**pixels(x=left - 24, x2=left - 4, y=at)))
        words.append(note(text, left, at))
    return [*layers, notes(words, theme)] if words else []


def _list_width(shown: list[Row]) -> float:
    """Return the width in pixels of the list beside the curve, its distance to the curve included."""
    return 22 + 38 + max(label_column([r["label"] for r in shown], TEXT), 70.0) + 56


def _list(shown: list[Row], greedy: pl.DataFrame, left: float, theme: Theme) -> list[Any]:
    """Return the greedy order in words beside the curve."""
    import altair as alt

    right = left + _list_width(shown) - 22
    words = [note("Greedy order", left, 2), note("Items added", right, 2, align="right")]
    dots: list[Row] = []
    for i, row in enumerate(shown):
        at = 24 + 22 * i
        words += [
            note(str(row["step"]), left + 14, at, align="right"),
            note(row["label"], left + 38, at, colour=theme.ink, size=TEXT),
            note(row["gain"], right, at, align="right"),
        ]
        dots.append({"px": left + 26, "py": at, "colour": row["colour"]})
    rest = greedy.filter(~pl.col("step").is_in([r["step"] for r in shown]))
    if rest.height:
        gained = int(rest["gained"].sum())
        text = f"{rest.height} more: +{count(gained)}" if gained else f"{rest.height} more add nothing"
        words.append(note(text, left + 38, 24 + 22 * len(shown)))
    points = (
        alt.Chart(data(dots))
        .mark_point(size=60, filled=True, opacity=1)
        .encode(**pixels(x="datum.px", y="datum.py", color="datum.colour"))
    )
    return [points, notes(words, theme)]


def _tracks(frame: pl.DataFrame, tracks: list[str], theme: Theme) -> Any:
    """Return a small panel for each track, on one vertical scale."""
    import altair as alt

    across = min(3, len(tracks))
    width = (WIDTH - 20 - AXIS - 18 * (across - 1)) / across
    parts = {t: steps_of(in_track(frame, t), "greedy") for t in tracks}
    shares = [v for p in parts.values() for v in p["share"].to_list()]
    span = max(max(shares) - min(shares), 0.05)
    low = 0.0 if min(shares) < 0.3 else min(shares) - 0.1 * span
    high = max(shares) + 0.24 * span
    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    names = short_labels({t: clean(t) for t in tracks}, 0.92 * width, SMALL)
    panels = []
    for i, track in enumerate(tracks):
        rows = parts[track].select("step", "share").to_dicts()
        models = rows[-1]["step"]
        tail = [*rows, {**rows[-1], "step": models + 0.9}]
        axis_y = alt.Axis(
            title="Covered (%)" if i % across == 0 else None,
            format=".1~%",
            grid=True,
            values=share_ticks(low, high, 4),
            labels=i % across == 0,
        )
        axis_x = alt.Axis(title=None, values=whole_ticks(1, models, width / 40), format="d", domain=True)
        x = alt.X("step:Q", scale=alt.Scale(domain=[0.5, models + 0.9], nice=False, zero=False), axis=axis_x)
        y = alt.Y("share:Q", scale=scale, axis=axis_y)
        total = _total(parts[track].row(-1, named=True))
        at = 92 * (high - rows[-1]["share"]) / (high - low)
        words = [
            note(names[track], 0, -25, colour=theme.ink, weight="bold"),
            note(f"n = {count(total)}" if total else "", 0, -9),
            note(percent(rows[-1]["share"]), 3, at - 10, colour=theme.alert),
        ]
        panels.append(
            alt.layer(
                alt.Chart(data(rows[-1:]))
                .mark_rule(color=theme.alert, strokeDash=[4, 3], strokeWidth=1.1)
                .encode(y=y),
                alt.Chart(data(tail))
                .mark_line(interpolate="step-after", color=theme.accent, strokeWidth=1.8)
                .encode(x=x, y=y),
                notes(words, theme),
            ).properties(width=width, height=92)
        )
    return alt.concat(*panels, columns=across, spacing={"row": 30, "column": 18})


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the best model covers, how fast others add, and where the ceiling lies."""
    frame = in_track(tables["coverage"], ALL)
    greedy = steps_of(frame, "greedy")
    who = identify(tables)
    first, last = greedy.row(0, named=True), greedy.row(-1, named=True)
    text = [f"{isolate(who.label(first['model']))} alone covers {percent(first['share'])}"]
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
        text.append(
            f"The lowest ceiling is that of track {listing([clean(lowest)])} ({percent(ends[lowest])})."
        )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say how the curve rises."""
    greedy = steps_of(in_track(tables["coverage"], ALL), "greedy")
    who = identify(tables)
    points = ", ".join(
        f"{row['step']}: {percent(row['share'])} with {isolate(who.label(row['model']))}"
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
