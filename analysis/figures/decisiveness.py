"""How often models take a decisive step, against how often they fail hard."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import Row, data, finish, options
from analysis.figures.scatter import Plane, label_layers
from analysis.figures.select import ALL, in_track, interval_text, n_text, with_intervals
from analysis.figures.text import isolate, listing, percent, plural, spaced
from analysis.figures.theme import WIDTH, Theme
from analysis.figures.wording import domain, share_ticks

WITHOUT = "Needs decisions that the card calls decisive and labels that it calls hard."

MAX_BARS = 60
"""Beyond this many models intervals would cover everything: they are in the table."""

LABELLED = 40
"""The most models that are labelled."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return decisive rate, hard-failure rate and their limits, one row per model."""
    scores = tables["model_scores"]
    limits = ("estimate", "ci_low", "ci_high")
    decisive, hard = (
        with_intervals(in_track(scores, ALL, metric), card) for metric in ("decisive", "hard_failure")
    )
    return decisive.select("model", "n_items", "method", *(pl.col(c).alias(f"x_{c}") for c in limits)).join(
        hard.select("model", *(pl.col(c).alias(f"y_{c}") for c in limits)), on="model", maintain_order="left"
    )


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a point for each model, with both intervals."""
    import altair as alt

    frame = rows_of(tables, card)
    if frame.is_empty():
        return Absent(WITHOUT)
    who = identify(tables)
    ends = {
        axis: domain([v for c in ("estimate", "ci_low", "ci_high") for v in frame[f"{axis}_{c}"].to_list()])
        for axis in "xy"
    }
    plane = Plane(WIDTH - 74, 330, ends["x"], ends["y"])
    rows = _points(frame, who, plane, theme)
    crowded = len(rows) > 12
    x = alt.X(
        "x:Q",
        scale=options(domain=list(plane.x), nice=False, zero=False),
        axis=options(title="Items with a decisive decision (%)", format=".1~%", grid=True, domain=True,
                      values=share_ticks(*plane.x, 9)),
    )  # fmt: skip
    y = alt.Y(
        "y:Q",
        scale=options(domain=list(plane.y), nice=False, zero=False),
        axis=options(title="Items with a hard failure (%)", format=".1~%", grid=True,
                      values=share_ticks(*plane.y, 8)),
    )  # fmt: skip
    base = alt.Chart(data(rows))
    colour = alt.Color("colour:N", scale=None)
    bar: dict[str, Any] = {"strokeWidth": 1 if crowded else 1.6, "opacity": 0.35 if crowded else 0.7}
    tips = [alt.Tooltip("label:N", title="Model"), alt.Tooltip("decisive:N", title="Decisive"),
            alt.Tooltip("hard:N", title="Hard failure")]  # fmt: skip
    layers = (
        []
        if len(rows) > MAX_BARS
        else [
            base.mark_rule(**bar)
            .transform_filter("isValid(datum.x_low)")
            .encode(x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q"), y=y, color=colour),
            base.mark_rule(**bar)
            .transform_filter("isValid(datum.y_low)")
            .encode(x=x, y=alt.Y("y_low:Q"), y2=alt.Y2("y_high:Q"), color=colour),
        ]
    )
    point: dict[str, Any] = {"size": 40 if crowded else 75, "stroke": theme.surface, "strokeWidth": 1}
    layers.append(
        base.mark_point(filled=True, opacity=1, **point)
        .encode(x=x, y=y, color=colour, tooltip=tips)
    )  # fmt: skip
    lines = [line for r in rows for line in r.pop("lines")]
    order = _order(rows)[:LABELLED]
    labels, missing = label_layers(rows, order, plane, theme, lines=lines if len(rows) <= MAX_BARS else ())
    chart = alt.layer(*layers, *labels, width=plane.width, height=plane.height)
    text = n_text(frame["n_items"].to_list())
    if len(rows) <= MAX_BARS:
        text += f"; {interval_text(_with_limits(frame), tables, card)}"
    text += "."
    text += " Lower right is better: decisive without hard failures."
    if missing:
        text += f" {plural(missing, 'model')} without a label for want of room: see the table."
    return finish(chart, theme, card, "Decisiveness against hard failures", [text])


def _order(rows: list[Row]) -> list[int]:
    """Return the points' numbers: first those that no other betters in both respects, then by failures."""

    def bettered(r: Row) -> bool:
        return any(
            o["x"] >= r["x"] and o["y"] <= r["y"] and (o["x"], o["y"]) != (r["x"], r["y"]) for o in rows
        )

    return sorted(range(len(rows)), key=lambda i: (bettered(rows[i]), -rows[i]["y"], rows[i]["label"]))


def _with_limits(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("model", "method", ci_low="x_ci_low")


def _points(frame: pl.DataFrame, who: Identity, plane: Plane, theme: Theme) -> list[Row]:
    rows = []
    for row in frame.iter_rows(named=True):
        x, y = row["x_estimate"], row["y_estimate"]
        px, py = plane.px(x), plane.py(y)
        lines = []
        if row["x_ci_low"] is not None:
            lines.append((plane.px(row["x_ci_low"]), py, plane.px(row["x_ci_high"]), py))
        if row["y_ci_low"] is not None:
            lines.append((px, plane.py(row["y_ci_low"]), px, plane.py(row["y_ci_high"])))
        rows.append(
            {
                "label": who.label(row["model"]),
                "colour": who.colour(row["model"], theme),
                "x": x,
                "y": y,
                "x_low": row["x_ci_low"],
                "x_high": row["x_ci_high"],
                "y_low": row["y_ci_low"],
                "y_high": row["y_ci_high"],
                "decisive": percent(x),
                "hard": percent(y),
                "px": round(px, 2),
                "py": round(py, 2),
                "lines": lines,
            }
        )
    return rows


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say who is most decisive and who fails hard most often, and what both mean."""
    frame = rows_of(tables, card)
    who = identify(tables)
    most = frame.sort(["x_estimate", "model"], descending=[True, False]).row(0, named=True)
    worst = frame.sort(["y_estimate", "model"], descending=[True, False]).row(0, named=True)
    first = isolate(who.spoken(most["model"]))
    if most["model"] == worst["model"] and frame.height > 1:
        text = [
            f"{first} is the most decisive ({percent(most['x_estimate'])} of its items) "
            f"and has the most hard failures ({percent(most['y_estimate'])})."
        ]
    else:
        text = [
            f"Most decisive is {first} ({percent(most['x_estimate'])} of its items, "
            f"{percent(most['y_estimate'])} with a hard failure); hard failures are most frequent for "
            f"{isolate(who.spoken(worst['model']))} ({percent(worst['y_estimate'])})."
        ]
    if card.decisions.decisive:
        text.append(f"Decisive are {listing([spaced(d) for d in card.decisions.decisive], 6)}.")
    if card.hard_labels:
        text.append(f"Hard failures are {listing([spaced(label) for label in card.hard_labels], 6)}.")
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say where the points lie."""
    frame = rows_of(tables, card)
    x, y = frame["x_estimate"].to_list(), frame["y_estimate"].to_list()
    return (
        f"Scatter plot of {plural(frame.height, 'model')}: decisive rate from {percent(min(x))} to "
        f"{percent(max(x))} across, hard-failure rate from {percent(min(y))} to {percent(max(y))} upwards."
    )


FIGURE = Figure(
    name="decisiveness",
    title="Decisiveness against hard failures",
    needs=("models", "model_scores"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
