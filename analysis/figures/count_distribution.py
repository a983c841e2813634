"""How many items are solved by exactly k models, with the block that no model solves marked."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.parts import BLANK, Row, data, finish, label_column, note, notes, options, pixels
from analysis.figures.select import ALL, in_track, level_text, tracks_of
from analysis.figures.text import clean, count, listing, percent, plural, short_labels
from analysis.figures.theme import TEXT, WIDTH, Theme
from analysis.figures.wording import whole_ticks

WITHOUT = "No item has an answer of any model."

PLOT = WIDTH - 74
"""Width in pixels of a panel of bars."""

MAX_TRACKS = 40
"""The most tracks for which the zero block is shown apart."""


def bases_of(frame: pl.DataFrame) -> list[str]:
    """Return the bases that say something of their own: `complete` only where it differs."""
    answered = frame.filter(pl.col("basis") == "answered").sort("k")
    complete = frame.filter(pl.col("basis") == "complete").sort("k")
    same = answered.select("k", "n_items").equals(complete.select("k", "n_items"))
    return [
        b
        for b, f in (("answered", answered), ("complete", complete))
        if f.height and not (b == "complete" and same)
    ]


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw one panel of bars for each basis, and the zero block of each track."""
    import altair as alt

    frame = in_track(tables["count_distribution"], ALL)
    if frame.is_empty():
        return Absent(WITHOUT)
    bases = bases_of(frame)
    panels: list[Any] = [_bars(frame, basis, theme, alone=len(bases) == 1) for basis in bases]
    tracks = tracks_of(tables["count_distribution"])
    if 1 < len(tracks) <= MAX_TRACKS:
        panels.append(_tracks(tables["count_distribution"], tracks, theme))
    chart = alt.vconcat(*panels, spacing=26) if len(panels) > 1 else panels[0]
    return finish(chart, theme, card, _title(frame, bases[0]), _subtitle(frame, bases, tables, card))


def _zero(frame: pl.DataFrame, basis: str) -> Row:
    return frame.filter((pl.col("basis") == basis) & (pl.col("k") == 0)).row(0, named=True)


def _title(frame: pl.DataFrame, basis: str) -> str:
    models = int(frame["k"].max())  # type: ignore[arg-type]
    if models == 1:
        return "Items that the model solves"
    return f"How many of the {models} models solve each item"


def _subtitle(frame: pl.DataFrame, bases: list[str], tables: Tables, card: BenchmarkCard) -> list[str]:
    totals = {b: int(frame.filter(pl.col("basis") == b)["n_items"].sum()) for b in bases}
    first = totals[bases[0]]
    text = f"n = {plural(first, 'item')} answered by at least one model"
    if "complete" in totals and len(bases) > 1:
        text += f", {count(totals['complete'])} of them by every model"
    elif frame.filter(pl.col("basis") == "complete").is_empty():
        text += ", none of them by every model"
    return [f"{text}. {level_text(tables, card)} Wilson intervals."]


def _bars(frame: pl.DataFrame, basis: str, theme: Theme, *, alone: bool) -> Any:
    import altair as alt

    part = frame.filter(pl.col("basis") == basis).sort("k")
    models = int(part["k"].max())  # type: ignore[arg-type]
    total = int(part["n_items"].sum())
    whiskers = models <= 60
    tops = [*part["share"].to_list(), *(part["ci_high"].drop_nulls().to_list() if whiskers else [])]
    top = 1.04 * float(max(tops))
    height = 170 if basis == "answered" else 120
    half = min(0.42, 30 * (models + 1) / PLOT)
    rows = [
        {
            **row,
            "left": row["k"] - half,
            "right": row["k"] + half,
            "colour": theme.alert if row["k"] == 0 else theme.neutral,
            "text": percent(row["share"]),
            "top": row["ci_high"] if row["n_items"] and row["ci_high"] is not None else row["share"],
        }
        for row in part.select("k", "n_items", "share", "ci_low", "ci_high").iter_rows(named=True)
    ]
    scale_x = options(domain=[-0.6, models + 0.6], nice=False, zero=False)
    axis_x = options(
        title=f"Models that solve the item (of {models})",
        values=whole_ticks(0, models, 17),
        format="d",
        domain=True,
        labelPadding=4,
    )
    y_scale = options(domain=[0, top], nice=False)
    axis_y = options(title="Items (%)", format=".1~%", grid=True, tickCount=4)
    x = alt.X("k:Q", scale=scale_x, axis=axis_x)
    base = alt.Chart(data(rows))
    tips = [
        alt.Tooltip("k:Q", title="Models"),
        alt.Tooltip("n_items:Q", title="Items"),
        alt.Tooltip("share:Q", title="Share", format=".1%"),
        alt.Tooltip("ci_low:Q", title="Lower limit", format=".1%"),
        alt.Tooltip("ci_high:Q", title="Upper limit", format=".1%"),
    ]
    layers: list[Any] = [
        base.mark_rect().encode(
            x=alt.X("left:Q", scale=scale_x, axis=axis_x),
            x2=alt.X2("right:Q"),
            y=alt.Y("share:Q", scale=y_scale, axis=axis_y),
            y2=alt.Y2Datum(0),
            color=alt.Color("colour:N", scale=None),
            tooltip=tips,
        )
    ]
    if whiskers:
        layers.append(
            base.mark_rule(strokeWidth=1.2, color=theme.ink, opacity=0.75)
            .transform_filter("isValid(datum.ci_low) && datum.n_items > 0")
            .encode(x=x, y=alt.Y("ci_low:Q", scale=y_scale, axis=axis_y), y2=alt.Y2("ci_high:Q"))
        )
    if models <= 12:
        words = [note(r["text"], k=r["k"], top=r["top"], align="center") for r in rows if r["k"] > 0]
        above = alt.Y("top:Q", scale=y_scale, axis=axis_y)
        layers.append(notes(words, theme, x=x, y=above, baseline="bottom", dy=-3))
    zero = _zero(frame, basis)
    peak = rows[0]["top"] if whiskers else zero["share"]
    at = PLOT * 0.6 / (models + 1.2)
    leader = alt.Chart(data([BLANK])).mark_rule(color=theme.alert, strokeWidth=1)
    layers.append(leader.encode(**pixels(x=at, y=-20, y2=height * (1 - peak / top) - 3)))
    words = [_zero_note(zero, models, at, theme)]
    if not alone:
        name = "Items that any model answered" if basis == "answered" else "Items that every model answered"
        words.append(note(f"{name} (n = {count(total)})", 0, -54, colour=theme.ink, size=TEXT))
    layers.append(notes(words, theme))
    return alt.layer(*layers, width=PLOT, height=height)


def _zero_note(zero: Row, models: int, at: float, theme: Theme) -> Row:
    """Return the words above the zero block."""
    who = "No model solves" if models > 1 else "The model does not solve"
    text = f"{who} {plural(zero['n_items'], 'item')}: {percent(zero['share'])}"
    if zero["ci_low"] is not None:
        text += f" [{percent(zero['ci_low'])}, {percent(zero['ci_high'])}]"
    return note(text, max(0.0, at - 6), -30, colour=theme.alert, size=TEXT, weight="bold")


def _tracks(frame: pl.DataFrame, tracks: list[str], theme: Theme) -> Any:
    """Return the share of items that no model solves, track by track."""
    import altair as alt

    zero = frame.filter((pl.col("k") == 0) & (pl.col("basis") == "answered") & pl.col("track").is_in(tracks))
    totals = dict(
        frame.filter(pl.col("basis") == "answered").group_by("track").agg(pl.col("n_items").sum()).iter_rows()
    )
    names = short_labels({t: clean(t) for t in tracks}, 170, TEXT)
    rows = [
        {
            "track": names[row["track"]],
            "share": row["share"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "text": f"{percent(row['share'])}",
            "n": count(totals[row["track"]]),
        }
        for row in zero.sort(["share", "track"], descending=[True, False]).iter_rows(named=True)
    ]
    left = max(label_column([r["track"] for r in rows], TEXT) + 8, 58)
    width = WIDTH - 20 - left - 110
    y = alt.Y(
        "track:N",
        scale=options(domain=[r["track"] for r in rows], padding=0),
        axis=options(title=None, labelColor=theme.ink, labelFontSize=TEXT, labelPadding=8),
    )
    top = max(v for r in rows for v in (r["share"], r["high"]) if v is not None)
    x = alt.X(
        "share:Q",
        scale=options(domain=[0, min(1.02, top * 1.06 + 0.01)], nice=False),
        axis=options(title="Items of the track that no model solves (%)", format=".1~%", grid=True,
                      tickCount=5, domain=True, ticks=True, tickSize=4),
    )  # fmt: skip
    base = alt.Chart(data(rows))
    return alt.layer(
        base.mark_rule(strokeWidth=2.2, color=theme.alert)
        .transform_filter("isValid(datum.low)")
        .encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(size=58, filled=True, color=theme.alert, opacity=1).encode(y=y, x=x),
        notes([cell for r in rows for cell in _track_cells(r, width, theme)], theme, y=y),
        notes(
            [note("Unsolved", width + 52, -9, align="right"), note("n", width + 106, -9, align="right")],
            theme,
        ),
        width=width,
        height=22 * len(rows),
    )


def _track_cells(row: Row, width: float, theme: Theme) -> list[Row]:
    share = note(row["text"], width + 52, align="right", size=TEXT, colour=theme.ink, track=row["track"])
    return [share, note(row["n"], width + 106, align="right", track=row["track"])]


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how large the zero block is, on which basis, and where it is largest."""
    frame = in_track(tables["count_distribution"], ALL)
    models = int(frame["k"].max())  # type: ignore[arg-type]
    bases = bases_of(frame)
    text = [_sentence(frame, bases[0], models, tables, card)]
    if len(bases) > 1:
        start = (
            "Where models answered different items, few answers make an item look unsolved: "
            "among items that every model answered, "
        )
        text.append(_sentence(frame, "complete", models, tables, card, start=start))
    full = frame.filter((pl.col("basis") == bases[0]) & (pl.col("k") == models)).row(0, named=True)
    if models > 1:
        text.append(
            f"Every model solves {plural(full['n_items'], 'item')} ({percent(full['share'])})."
            if full["n_items"]
            else "No item is solved by every model."
        )
    tracks = tracks_of(tables["count_distribution"])
    if 1 < len(tracks) <= MAX_TRACKS:
        zero = tables["count_distribution"].filter(
            (pl.col("k") == 0) & (pl.col("basis") == "answered") & pl.col("track").is_in(tracks)
        )
        worst = zero.sort(["share", "track"], descending=[True, False]).row(0, named=True)
        if worst["n_items"]:
            text.append(
                f"The share is largest in track {listing([clean(worst['track'])])} "
                f"({percent(worst['share'])})."
            )
    return " ".join(text)


def _sentence(
    frame: pl.DataFrame, basis: str, models: int, tables: Tables, card: BenchmarkCard, start: str = ""
) -> str:
    zero = _zero(frame, basis)
    total = int(frame.filter(pl.col("basis") == basis)["n_items"].sum())
    who = "no model solves" if models > 1 else "the model does not solve"
    text = f"{start}{who} {count(zero['n_items'])} of {plural(total, 'item')}: {percent(zero['share'])}"
    if not zero["n_items"]:
        solved = "each is solved by at least one model" if models > 1 else "the model solves each"
        text = f"{start}of {plural(total, 'item')} {solved}: {percent(zero['share'])} unsolved"
    if zero["ci_low"] is not None:
        limits = f"{percent(zero['ci_low'])} to {percent(zero['ci_high'])}"
        text += f" ({level_text(tables, card)} Wilson interval {limits})"
    return (text[0].upper() + text[1:] if not start else text) + "."


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say how items are distributed over the number of models that solve them."""
    frame = in_track(tables["count_distribution"], ALL)
    basis = bases_of(frame)[0]
    part = frame.filter(pl.col("basis") == basis).sort("k")
    models = int(part["k"].max())  # type: ignore[arg-type]
    if models <= 12:
        bars = ", ".join(f"{row['k']}: {percent(row['share'])}" for row in part.iter_rows(named=True))
    else:
        most = part.filter(pl.col("k") > 0).sort(["share", "k"], descending=[True, False]).row(0, named=True)
        bars = f"0: {percent(_zero(frame, basis)['share'])}; "
        bars += f"most frequent beyond 0 is {most['k']}: {percent(most['share'])}"
    return f"Bar chart of the share of items by how many of {plural(models, 'model')} solve them. {bars}."


FIGURE = Figure(
    name="count_distribution",
    title="How many models solve each item",
    needs=("count_distribution",),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
