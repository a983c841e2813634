"""From right diagnoses to sound consultations: what falls away on the way, one waterfall per system."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.parts import data, finish, label_column, note, notes, options
from analysis.figures.session_parts import WITHOUT, roles_of, systems_in_order
from analysis.figures.text import isolate, percent, plural, shorten
from analysis.figures.theme import SMALL, WIDTH, Theme
from analysis.figures.wording import whole_percent

ACROSS = 3
MOST = 12
"""Panels at most: the table has every system."""

STEP = 18.0
NAMES = {
    "right": "Right diagnosis",
    "history_only": "Thin history",
    "safety_only": "Unsafe plan",
    "adaptation_only": "Failed revision",
    "several": "Several of them",
    "none": "Sound throughout",
}
"""Steps of the waterfall, in order."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return the exclusive errors at the threshold in force."""
    frame = tables["hidden_errors"]
    return frame.filter(pl.col("in_force") & pl.col("error").is_in(list(NAMES)) & (pl.col("n_sessions") > 0))


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the waterfalls."""
    import altair as alt

    frame = rows_of(tables, card)
    if frame.is_empty():
        return Absent("No session has a diagnosis and a further stage that could fail.")
    who, roles = identify(tables), roles_of(tables)
    systems = [m for m in systems_in_order(tables) if m in set(frame["model"])]
    # A system without a right diagnosis hides nothing.
    right = dict(frame.select("model", "n_right").iter_rows())
    systems = [m for m in systems if right[m]]
    if not systems:
        return Absent("No session has a right diagnosis, so none hides an error.")
    shown = systems[:MOST]
    kinds = [k for k in NAMES if k == "right" or k in set(frame["error"])]
    labels = [NAMES[k] for k in kinds]
    left = label_column(labels, SMALL) + 8
    gap = 18.0
    width = (WIDTH - 16 - left - gap * (ACROSS - 1)) / ACROSS
    lines = []
    for start in range(0, len(shown), ACROSS):
        panels = []
        for i, model in enumerate(shown[start : start + ACROSS]):
            layers = _panel(frame, model, kinds, theme, width, first=i == 0)
            ink = theme.ink if roles[model] == "model" else theme.soft
            heads = [note(shorten(who.label(model), width, SMALL), 0, -9, colour=ink, weight="bold")]
            panels.append(alt.layer(*layers, notes(heads, theme), width=width, height=STEP * len(kinds)))
        lines.append(alt.hconcat(*panels, spacing=gap, bounds="flush"))
    chart = alt.vconcat(*lines, spacing=30) if len(lines) > 1 else lines[0]
    at = frame["coverage_at"][0]
    text = [
        "Shares of all sessions (%). Each step takes off the right diagnoses that fail in one way only; "
        "those that fail in several ways are a step of their own, so the steps sum.",
        f"Thin history: less than {percent(at, 0)} of the necessary information. Unsafe plan: a hard "
        "violation. Failed revision: the constraint was not met, or the regimen lost quality.",
    ]
    hidden = len(systems) - len(shown)
    if hidden:
        text.append(f"{plural(hidden, 'more system')} in the table.")
    return finish(chart, theme, card, "Errors that right diagnoses hide", text)


def _panel(
    frame: pl.DataFrame, model: str, kinds: list[str], theme: Theme, width: float, *, first: bool
) -> list[Any]:
    import altair as alt

    own = {r["error"]: r for r in frame.filter(pl.col("model") == model).iter_rows(named=True)}
    one = next(iter(own.values()))
    level = one["n_right"] / one["n_sessions"]
    rows, words = [], []
    for i, kind in enumerate(kinds):
        if kind in ("right", "none"):
            low, high = 0.0, level
            share = level
        else:
            share = own[kind]["share_of_all"]
            low, high = level - share, level
            level -= share
        colour = theme.accent if kind in ("right", "none") else theme.alert
        rows.append(
            {
                "step": NAMES[kind],
                "low": max(low, 0.0),
                "high": high,
                "colour": colour,
                "text": percent(share),
            }
        )
        beside = width * high + 4 if high < 0.8 else width * max(low, 0.0) - 4
        sign = "" if kind in ("right", "none") else "−"
        words.append(
            note(f"{sign}{whole_percent(share)}" if share or not sign else "0", beside, STEP * (i + 0.5),
                 align="left" if high < 0.8 else "right", size=11)
        )  # fmt: skip
        if high >= 0.8 and low <= 0.12:
            words[-1] |= {"px": width * high - 4, "colour": theme.surface}
    axis_y = options(
        title=None, labels=first, labelColor=theme.ink, labelFontSize=SMALL, labelPadding=6, grid=False
    )
    y = alt.Y("step:N", scale=options(domain=[NAMES[k] for k in kinds], padding=0.2), axis=axis_y)
    axis_x = options(title=None, values=[0, 0.5, 1], format=".0%", grid=True, labelFontSize=10)
    x = alt.X("low:Q", scale=options(domain=[0, 1], nice=False), axis=axis_x)
    tips = [alt.Tooltip("step:N", title="Step"), alt.Tooltip("text:N", title="Share of all sessions")]
    bars = (
        alt.Chart(data(rows))
        .mark_bar(opacity=0.9)
        .encode(y=y, x=x, x2=alt.X2("high:Q"), color=alt.Color("colour:N", scale=None), tooltip=tips)
    )
    return [bars, notes(words, theme)]


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how many right diagnoses hide an error, at best and at worst."""
    frame = tables["hidden_errors"].filter(
        pl.col("in_force")
        & (pl.col("error") == "any")
        & (pl.col("role") == "model")
        & (pl.col("n_right") > 0)
    )
    if frame.is_empty():
        return "Steps from right diagnoses to sound consultations."
    who = identify(tables)
    rows = frame.sort("share", "model")
    best, worst = rows.row(0, named=True), rows.row(-1, named=True)

    def told(row: dict[str, Any]) -> str:
        return f"{row['n']:,} of {row['n_right']:,} for {isolate(who.spoken(row['model']))}"

    if rows.height == 1:
        return f"Right diagnoses that hide an error: {told(best)} ({percent(best['share'])})."
    return (
        f"Of the right diagnoses, between {percent(best['share'])} ({told(best)}) and "
        f"{percent(worst['share'])} ({told(worst)}) hide an error."
    )


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the waterfalls hold."""
    frame = rows_of(tables, card)
    n = frame.filter(pl.col("n_right") > 0)["model"].n_unique()
    return f"Waterfall charts of {plural(n, 'system')}, from right diagnoses to sound consultations."


FIGURE = Figure(
    name="hidden_errors",
    title="Errors that right diagnoses hide",
    needs=("models", "hidden_errors", "stage_scores"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
