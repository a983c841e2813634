"""How well systems ask, against how well they diagnose."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.parts import Row, data, finish, options
from analysis.figures.scatter import Plane, label_layers
from analysis.figures.session_parts import WITHOUT, ink_of, label_of, roles_of
from analysis.figures.text import isolate, plural
from analysis.figures.theme import WIDTH, Theme
from analysis.figures.wording import domain, share_ticks

LIMITS = ("estimate", "ci_low", "ci_high")


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return stage means of history and diagnosis with their limits, one row per system."""
    scores = tables["stage_scores"].filter(pl.col("estimate").is_not_null())
    history, diagnosis = (scores.filter(pl.col("stage") == s) for s in ("history", "diagnosis"))
    return history.select("model", "role", *(pl.col(c).alias(f"x_{c}") for c in LIMITS)).join(
        diagnosis.select("model", *(pl.col(c).alias(f"y_{c}") for c in LIMITS)),
        on="model",
        maintain_order="left",
    )


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a point for each system, with both intervals."""
    import altair as alt

    everyone = rows_of(tables, card)
    if everyone.is_empty():
        return Absent("No system has both history taking and diagnosis scored.")
    # Baselines lie far off and would press the models together: they stand in the table.
    frame = everyone.filter(pl.col("role") != "baseline")
    frame = everyone if frame.is_empty() else frame
    ends = {
        axis: domain([v for c in LIMITS for v in frame[f"{axis}_{c}"].to_list()], pad=0.09) for axis in "xy"
    }
    plane = Plane(WIDTH - 74, 330, ends["x"], ends["y"])
    rows, lines = _points(tables, frame, plane, theme)
    x = alt.X(
        "x:Q",
        scale=options(domain=list(plane.x), nice=False, zero=False),
        axis=options(title="Process: history taking (stage mean, 0 to 1)", format=".3~f", grid=True,
                     domain=True, values=share_ticks(*plane.x, 9)),
    )  # fmt: skip
    y = alt.Y(
        "y:Q",
        scale=options(domain=list(plane.y), nice=False, zero=False),
        axis=options(title="Outcome: diagnosis (stage mean, 0 to 1)", format=".3~f", grid=True,
                     values=share_ticks(*plane.y, 8)),
    )  # fmt: skip
    base = alt.Chart(data(rows))
    colour = alt.Color("colour:N", scale=None)
    bar: dict[str, Any] = {"strokeWidth": 1.4, "opacity": 0.6}
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in
            (("label", "System"), ("history", "History taking"), ("diagnosis", "Diagnosis"))]  # fmt: skip
    layers = [
        base.mark_rule(**bar)
        .transform_filter("isValid(datum.x_low)")
        .encode(x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q"), y=y, color=colour),
        base.mark_rule(**bar)
        .transform_filter("isValid(datum.y_low)")
        .encode(x=x, y=alt.Y("y_low:Q"), y2=alt.Y2("y_high:Q"), color=colour),
        base.mark_point(filled=True, opacity=1, size=75, stroke=theme.surface, strokeWidth=1).encode(
            x=x, y=y, color=colour, tooltip=tips,
            shape=alt.Shape("role:N", legend=None, scale=options(
                domain=["model", "baseline", "reference"], range=["circle", "square", "diamond"])),
        ),
    ]  # fmt: skip
    order = sorted(range(len(rows)), key=lambda i: (-rows[i]["y"], rows[i]["label"]))
    labels, missing = label_layers(rows, order, plane, theme, lines=lines)
    chart = alt.layer(*layers, *labels, width=plane.width, height=plane.height)
    text = (
        "Stage means of normalised primary metrics, with intervals over cases. "
        "Left of the others at the same height: as often right, on a worse history."
    )
    if "reference" in set(frame["role"]):
        text += " Diamonds: references."
    left_out = everyone.height - frame.height
    if left_out:
        text += f" {plural(left_out, 'baseline')} in the table only."
    if missing:
        text += f" {plural(missing, 'system')} without a label for want of room: see the table."
    return finish(chart, theme, card, "Process against outcome", [text])


def _points(
    tables: Tables, frame: pl.DataFrame, plane: Plane, theme: Theme
) -> tuple[list[Row], list[tuple[float, float, float, float]]]:
    who, roles = identify(tables), roles_of(tables)
    rows: list[Row] = []
    lines: list[tuple[float, float, float, float]] = []
    for r in frame.iter_rows(named=True):
        x, y = r["x_estimate"], r["y_estimate"]
        px, py = plane.px(x), plane.py(y)
        if r["x_ci_low"] is not None:
            lines.append((plane.px(r["x_ci_low"]), py, plane.px(r["x_ci_high"]), py))
        if r["y_ci_low"] is not None:
            lines.append((px, plane.py(r["y_ci_low"]), px, plane.py(r["y_ci_high"])))
        role = roles[r["model"]]
        rows.append(
            {
                "label": label_of(r["model"], role, who),
                "colour": ink_of(r["model"], role, who, theme),
                "role": role,
                "x": x,
                "y": y,
                "x_low": r["x_ci_low"],
                "x_high": r["x_ci_high"],
                "y_low": r["y_ci_low"],
                "y_high": r["y_ci_high"],
                "history": f"{x:.2f}",
                "diagnosis": f"{y:.2f}",
                "px": round(px, 2),
                "py": round(py, 2),
            }
        )
    return rows, lines


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say who of the models asks best and who diagnoses best."""
    frame = rows_of(tables, card)
    models = frame.filter(pl.col("role") == "model")
    frame = models if models.height else frame
    who = identify(tables)
    asks = frame.sort(["x_estimate", "model"], descending=[True, False]).row(0, named=True)
    names = frame.sort(["y_estimate", "model"], descending=[True, False]).row(0, named=True)
    first = isolate(who.spoken(asks["model"]))
    if asks["model"] == names["model"]:
        return (
            f"{first} is best at history taking ({asks['x_estimate']:.2f}) and at diagnosis "
            f"({asks['y_estimate']:.2f})."
        )
    return (
        f"Best at history taking is {first} ({asks['x_estimate']:.2f}), at diagnosis "
        f"{isolate(who.spoken(names['model']))} ({names['y_estimate']:.2f})."
    )


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say where the points lie."""
    everyone = rows_of(tables, card)
    frame = everyone.filter(pl.col("role") != "baseline")
    frame = everyone if frame.is_empty() else frame
    x, y = frame["x_estimate"].to_list(), frame["y_estimate"].to_list()
    return (
        f"Scatter plot of {plural(frame.height, 'system')}: history taking from {min(x):.2f} to {max(x):.2f} "
        f"across, diagnosis from {min(y):.2f} to {max(y):.2f} upwards."
    )


FIGURE = Figure(
    name="process_outcome",
    title="Process against outcome",
    needs=("models", "stage_scores"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
