"""Stage profiles of consultations: a small panel for each system, the others behind it in grey."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.parts import data, finish, label_column, note, notes, options
from analysis.figures.session_parts import STAGES, WITHOUT, ink_of, roles_of, systems_in_order
from analysis.figures.text import isolate, plural, shorten
from analysis.figures.theme import SMALL, WIDTH, Theme

ACROSS = 3
"""Panels side by side: more would leave no room for names."""

MOST = 24
"""Panels at most; the table has every system."""

STEP = 19.0


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return the stage means of every system, stages only."""
    frame = tables["stage_scores"]
    return frame.filter(pl.col("stage").is_in(list(STAGES)) & pl.col("estimate").is_not_null())


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the panels."""
    import altair as alt

    frame = rows_of(tables, card)
    if frame.is_empty():
        return Absent("No stage has a metric that is defined for any system.")
    who, roles = identify(tables), roles_of(tables)
    systems = [m for m in systems_in_order(tables) if m in set(frame["model"])]
    shown = systems[:MOST]
    stages = [s for s in STAGES if s in set(frame["stage"])]
    names = [STAGES[s] for s in stages]
    left = label_column(names, SMALL) + 8
    gap = 18.0
    width = (WIDTH - 16 - left - gap * (ACROSS - 1)) / ACROSS
    composite = dict(
        tables["stage_scores"].filter(pl.col("stage") == "composite").select("model", "estimate").iter_rows()
    )
    lines = []
    for start in range(0, len(shown), ACROSS):
        panels = []
        for i, model in enumerate(shown[start : start + ACROSS]):
            layers = _panel(frame, model, stages, who, roles, theme, first=i == 0)
            ink = theme.ink if roles[model] == "model" else theme.soft
            value = composite.get(model)
            heads = [
                note(shorten(who.label(model), width - 34, SMALL), 0, -9, colour=ink, weight="bold"),
                note("" if value is None else f"{value:.2f}", width, -9, align="right"),
            ]
            panels.append(alt.layer(*layers, notes(heads, theme), width=width, height=STEP * len(stages)))
        lines.append(alt.hconcat(*panels, spacing=gap, bounds="flush"))
    chart = alt.vconcat(*lines, spacing=30) if len(lines) > 1 else lines[0]
    text = [
        "Means of the normalised primary metrics of each stage, 0 to 1, higher is better, with intervals "
        "over cases. Grey: the other systems. At the right of a name: the composite, which hides what the "
        "bars show.",
        "People first, then models by composite, then baselines.",
    ]
    if len(systems) > MOST:
        text.append(f"{plural(len(systems) - MOST, 'more system')} in the table.")
    return finish(chart, theme, card, "Stage profiles", text)


def _panel(
    frame: pl.DataFrame,
    model: str,
    stages: list[str],
    who: Any,
    roles: dict[str, str],
    theme: Theme,
    *,
    first: bool,
) -> list[Any]:
    import altair as alt

    labels = [STAGES[s] for s in stages]
    axis_y = options(
        title=None, labels=first, labelColor=theme.ink, labelFontSize=SMALL, labelPadding=6, grid=False
    )
    y = alt.Y("stage:N", scale=options(domain=labels, padding=0.25), axis=axis_y)
    axis_x = options(title=None, values=[0, 0.5, 1], format=".1~f", grid=True, domain=False, labelFontSize=10)
    x = alt.X("value:Q", scale=options(domain=[0, 1], nice=False), axis=axis_x)
    rows = [
        {
            "stage": STAGES[r["stage"]],
            "value": r["estimate"],
            "low": r["ci_low"],
            "high": r["ci_high"],
            "zero": 0.0,
            "text": f"{r['estimate']:.2f}",
            "system": who.label(r["model"]),
        }
        for r in frame.filter(pl.col("model") == model).iter_rows(named=True)
    ]
    others = [
        {"stage": STAGES[r["stage"]], "value": r["estimate"]}
        for r in frame.filter(pl.col("model") != model).iter_rows(named=True)
    ]
    colour = ink_of(model, roles[model], who, theme)
    tips = [
        alt.Tooltip("system:N", title="System"),
        alt.Tooltip("stage:N", title="Stage"),
        alt.Tooltip("text:N", title="Mean"),
    ]
    base = alt.Chart(data(rows))
    layers = [
        base.mark_bar(color=colour, height=8, opacity=0.85).encode(
            y=y, x=x, x2=alt.X2("zero:Q"), tooltip=tips
        )
    ]
    if others:
        layers.append(
            alt.Chart(data(others)).mark_tick(color=theme.axis, thickness=1.2, height=12).encode(y=y, x=x)
        )
    layers.append(
        base.mark_rule(color=theme.ink, strokeWidth=1.4)
        .transform_filter("isValid(datum.low)")
        .encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    )
    return layers


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say which stage is weakest for most models, and who leads each."""
    frame = rows_of(tables, card).filter(pl.col("role") == "model")
    if frame.is_empty():
        return "Stage means of the baselines and references."
    who = identify(tables)
    n = frame["model"].n_unique()
    lowest = frame.sort("model", "estimate", "stage").unique("model", keep="first", maintain_order=True)
    counted = lowest.group_by("stage").len().sort("len", "stage", descending=[True, False])
    stage, most = counted.row(0)
    text = [
        f"{STAGES[stage]} is the weakest stage of {most} of {plural(n, 'model')}."
        if n > 1
        else f"The weakest stage is {STAGES[stage].lower()}."
    ]
    if n > 1:
        best = frame.sort(["estimate", "model"], descending=[True, False]).unique(
            "stage", keep="first", maintain_order=True
        )
        leads = {r["stage"]: r["model"] for r in best.iter_rows(named=True)}
        text.append(
            "Best by stage: "
            + "; ".join(f"{STAGES[s].lower()} {isolate(who.spoken(leads[s]))}" for s in STAGES if s in leads)
            + "."
        )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the panels hold."""
    frame = rows_of(tables, card)
    values = frame["estimate"].to_list()
    return (
        f"Small bar charts of {plural(frame['stage'].n_unique(), 'stage')} for "
        f"{plural(frame['model'].n_unique(), 'system')}; means from {min(values):.2f} to {max(values):.2f}."
    )


FIGURE = Figure(
    name="stage_profiles",
    title="Stage profiles",
    needs=("models", "stage_scores"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
