"""How often a response is flagged and still does not succeed.

Of a flag that says that the reasoning holds the right step, that is the knowledge-to-action gap.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import Row, data, finish, label_column, note, notes, options, row_height, row_text
from analysis.figures.select import ALL, in_track
from analysis.figures.strata import model_order
from analysis.figures.text import clean, count, isolate, percent, plural, spaced, wrap
from analysis.figures.theme import SMALL, WIDTH, Theme
from analysis.figures.wording import domain, share_ticks

WITHOUT = "No response is flagged."
MAX_PANELS = 3
"""The most flags that have a panel: those that most often stand without success."""


def track_of(frame: pl.DataFrame, flag: str) -> str:
    """Return the only track in which a flag occurs, or `all`: elsewhere its denominator means nothing."""
    own = frame.filter((pl.col("flag") == flag) & (pl.col("track") != ALL) & (pl.col("n_flagged") > 0))
    tracks = own["track"].unique().to_list()
    return str(tracks[0]) if len(tracks) == 1 else ALL


def panels_of(tables: Tables) -> list[tuple[str, str, pl.DataFrame]]:
    """Return flag, track and rows of each panel, the flag that most often stands without success first."""
    frame = tables["flag_outcomes"]
    totals = (
        in_track(frame, ALL)
        .group_by("flag")
        .agg(pl.col("n_flagged_failed").sum(), pl.col("n_flagged").sum())
        .filter(pl.col("n_flagged") > 0)
        .sort(["n_flagged_failed", "flag"], descending=[True, False])
    )
    found = []
    for flag in totals["flag"]:
        track = track_of(frame, flag)
        found.append((flag, track, in_track(frame, track).filter(pl.col("flag") == flag)))
    return found


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a panel for each flag: gap and interval of every model."""
    import altair as alt

    every = panels_of(tables)
    if not every:
        return Absent(WITHOUT)
    panels = every[:MAX_PANELS]
    who = identify(tables)
    names = {m for _, _, rows in panels for m in rows["model"].unique().to_list()}
    models = model_order(tables, card, names)
    step, font = row_height(len(models)), row_text(len(models))
    labels = [who.label(m) for m in models]
    left, gap = label_column(labels, font) + 10, 28.0
    width = max(120.0, (WIDTH - 16 - left - gap * (len(panels) - 1)) / len(panels))
    heads = {f: wrap(spaced(f), 0.96 * width, SMALL, bold=True, max_lines=2) for f, _, _ in panels}
    drawn = [
        _panel(rows, _heads(heads[flag], track, rows, theme), labels, i == 0, width, step, font, who, theme)
        for i, (flag, track, rows) in enumerate(panels)
    ]
    chart = alt.hconcat(*drawn, spacing=gap, bounds="flush")
    text = "Share of items with the flag in a response that does not succeed; Wilson intervals. "
    text += "Models in order of their score over all items."
    if len(every) > len(panels):
        text += f" {plural(len(every) - len(panels), 'further flag')} in the table only."
    total = left + width * len(panels) + gap * (len(panels) - 1)
    return finish(chart, theme, card, "Flagged, and still without success", [text], width=max(total, 420))


def _heads(lines: list[str], track: str, rows: pl.DataFrame, theme: Theme) -> list[Row]:
    where = "" if track == ALL else f"{clean(track)}, "
    most = count(int(rows["n_items"].max()))  # type: ignore[arg-type]
    words = [
        note(line, 0, -24 - 15 * i, colour=theme.ink, weight="bold") for i, line in enumerate(reversed(lines))
    ]
    return [*words, note(f"{where}n = {most}", 0, -9)]


def _panel(
    frame: pl.DataFrame,
    heads: list[Row],
    labels: list[str],
    is_first: bool,
    width: float,
    step: float,
    font: float,
    who: Identity,
    theme: Theme,
) -> Any:
    import altair as alt

    rows = [
        {
            "label": who.label(r["model"]),
            "gap": r["gap"],
            "low": r["ci_low"],
            "high": r["ci_high"],
            "colour": who.colour(r["model"], theme) if who.slots else theme.accent,
            "value": percent(r["gap"]),
            "of": f"{count(r['n_flagged_failed'])} of {count(r['n_items'])}",
        }
        for r in frame.iter_rows(named=True)
    ]
    ends = domain([v for r in rows for v in (r["gap"], r["low"], r["high"])], zero=True)
    axis_y = options(title=None, labels=is_first, labelColor=theme.ink, labelFontSize=font, labelPadding=8)
    y = alt.Y("label:N", scale=options(domain=labels, padding=0), axis=axis_y)
    axis_x = options(
        title="Items (%)" if is_first else None,
        titleAnchor="start",
        format=".1~%",
        grid=True,
        domain=True,
        ticks=True,
        tickSize=4,
        values=share_ticks(*ends, int(width / 46) + 1),
    )
    x = alt.X("gap:Q", scale=options(domain=list(ends), nice=False, zero=True), axis=axis_x)
    base, colour = alt.Chart(data(rows)), alt.Color("colour:N", scale=None)
    tips = [
        alt.Tooltip(f"{f}:N", title=t)
        for f, t in (("label", "Model"), ("value", "Without success"), ("of", "Items"))
    ]
    return alt.layer(
        base.mark_rule(strokeWidth=2, strokeCap="round")
        .transform_filter("isValid(datum.low)")
        .encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
        base.mark_point(size=44, filled=True, opacity=1).encode(y=y, x=x, color=colour, tooltip=tips),
        notes(heads, theme),
        width=width,
        height=step * len(labels),
    )


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say, for each panel's flag, between which models the gap runs."""
    who, text = identify(tables), []
    for flag, track, rows in panels_of(tables)[:MAX_PANELS]:
        where = "" if track == ALL else f" in {isolate(clean(track))}"
        ordered = rows.sort(["gap", "model"], descending=[True, False])
        top, low = ordered.row(0, named=True), ordered.row(-1, named=True)
        head = f"{isolate(spaced(flag))}{where}"
        if rows.height == 1:
            text.append(f"{head}: {percent(top['gap'])} of the items.")
            continue
        text.append(
            f"{head}: from {percent(low['gap'])} ({isolate(who.spoken(low['model']))}) to "
            f"{percent(top['gap'])} ({isolate(who.spoken(top['model']))}) of the items."
        )
    return " ".join(["Items flagged without success, by flag and model.", *text])


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what is compared."""
    panels = panels_of(tables)[:MAX_PANELS]
    values = [v for _, _, rows in panels for v in rows["gap"].to_list()]
    models = {m for _, _, rows in panels for m in rows["model"].to_list()}
    return (
        f"Dot plot of {plural(len(panels), 'flag')} and {plural(len(models), 'model')}: items flagged "
        f"without success, from {percent(min(values))} to {percent(max(values))}."
    )


FIGURE = Figure(
    name="flag_outcomes",
    title="Flagged, and still without success",
    needs=("models", "flag_outcomes"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
