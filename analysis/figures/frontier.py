"""Cost per response against score, with the step line of models that no other dominates."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import BLANK, Row, data, finish, note, notes, options, pixels, segments
from analysis.figures.scatter import Plane, label_layers
from analysis.figures.select import ALL, in_track, interval_text, metric_of, n_text, with_intervals
from analysis.figures.text import isolate, listing, plural, usd
from analysis.figures.theme import SMALL, WIDTH, Theme
from analysis.figures.wording import axis_format, domain, is_rate, metric_axis, metric_title, write

WITHOUT = "No model has a cost: neither costs of responses nor prices are given."
SHAPES = {"open": "circle", "closed": "triangle-up", "not stated": "square"}
"""Shapes of open and closed models."""

FREE = 62.0
"""Width in pixels of the strip for models that cost nothing, which a log axis has no place for."""

LABELLED = 40
"""The most models that are labelled."""

MAX_BARS = 60
"""Beyond this many models intervals would cover everything: they are in the table."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return one row per model of track `all`: cost, score, limits, and whether it is on the frontier."""
    frame = in_track(tables["frontier"], ALL)
    metric = metric_of(frame, card)
    rows = frame.filter(pl.col("metric") == metric)
    scores = tables.get("model_scores")
    columns = ["model", "method", "ci_low", "ci_high", "n_items"]
    if scores is not None:
        limits = with_intervals(in_track(scores, ALL, metric), card).select(columns)
        return rows.join(limits, on="model", how="left", maintain_order="left")
    types = (pl.String, pl.Float64, pl.Float64, pl.Int64)
    return rows.with_columns(pl.lit(None, dtype=t).alias(c) for c, t in zip(columns[1:], types, strict=True))


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the plane of cost and score; models that cost nothing stand in a strip at its left."""
    import altair as alt

    frame = rows_of(tables, card)
    priced = frame.filter(pl.col("cost_per_response_usd").is_not_null())
    if priced.is_empty():
        return Absent(WITHOUT)
    metric = metric_of(in_track(tables["frontier"], ALL), card)
    who = identify(tables)
    bars = priced.height <= MAX_BARS
    free = bool((priced["cost_per_response_usd"] == 0).any())
    plane = _plane(priced, metric, bars=bars, free=free)
    rows = _points(priced, who, plane, theme, metric)
    layers = _axes(rows, plane, metric, card, theme, free=free)
    steps = _steps(rows, plane)
    if steps:
        layers.append(segments(steps, color=theme.accent, strokeWidth=1.6, strokeDash=[5, 3], opacity=0.9))
    layers += _marks(rows, theme, bars=bars)
    lines = [(s["px"], s["py"], s["ex"], s["ey"]) for s in steps]
    lines += [line for r in rows for line in r["lines"]] if bars else []
    order = sorted(
        range(len(rows)), key=lambda i: (not rows[i]["front"], -rows[i]["score"], rows[i]["label"])
    )
    points = [{k: v for k, v in r.items() if k != "lines"} for r in rows]
    labels, missing = label_layers(points, order[:LABELLED], plane, theme, lines=lines)
    layers += [*labels, notes(_key(priced, who, theme), theme)]
    chart = alt.layer(*layers, width=plane.width, height=plane.height)
    text = _subtitle(frame, priced, who, tables, card, bars=bars)
    if missing:
        text.append(f"{plural(missing, 'model')} without a label for want of room: see the table.")
    return finish(
        chart, theme, card, f"{metric_title(metric, card)} against cost per response", [" ".join(text)]
    )


def _plane(priced: pl.DataFrame, metric: str, *, bars: bool, free: bool) -> Plane:
    columns = ("estimate", "ci_low", "ci_high") if bars else ("estimate",)
    values = [v for c in columns for v in priced[c].to_list()]
    costs = [c for c in priced["cost_per_response_usd"].to_list() if c > 0]
    low, high = (min(costs), max(costs)) if costs else (0.001, 0.01)
    room = max(1.25, (high / low) ** 0.07)
    width = WIDTH - 78
    x = (low / room, high * room)
    if free:
        # the log axis begins to the right of the strip
        part = FREE / (width - FREE)
        x = (x[0] / (x[1] / x[0]) ** part, x[1])
    unit = is_rate(metric) or metric == "score"
    return Plane(width, 340, x, domain(values, unit=unit), log=True)


def _points(priced: pl.DataFrame, who: Identity, plane: Plane, theme: Theme, metric: str) -> list[Row]:
    rows = []
    for row in priced.iter_rows(named=True):
        cost = row["cost_per_response_usd"]
        px = FREE * 0.4 if cost == 0 else plane.px(cost)
        py = plane.py(row["estimate"])
        front = bool(row["on_frontier"])
        own = who.colour(row["model"], theme) if who.slots else theme.accent if front else theme.neutral
        low, high = row["ci_low"], row["ci_high"]
        rows.append(
            {
                "label": who.label(row["model"]),
                "ink": theme.ink if front or len(who.slots) else theme.soft,
                "colour": own,
                "fill": own if front else theme.surface,
                "shape": SHAPES[who.weights[row["model"]]],
                "front": front,
                "cost": cost,
                "score": row["estimate"],
                "price": usd(cost),
                "value": write(metric, row["estimate"]),
                "px": round(px, 2),
                "py": round(py, 2),
                "top": None if high is None else round(plane.py(high), 2),
                "bottom": None if low is None else round(plane.py(low), 2),
                "lines": [] if low is None else [(px, plane.py(high), px, plane.py(low))],
            }
        )
    return rows


def cost_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten within limits, and multiples of them where there are few.

    Examples
    --------
    >>> cost_ticks(0.0009, 0.02), cost_ticks(0.004, 0.006)
    ([0.001, 0.003, 0.01], [0.005])
    """
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        ticks = [float(f"{f * 10.0**e:.6g}") for e in range(first, last) for f in factors]
        ticks = [t for t in ticks if low <= t <= high * (1 + 1e-9)]
        if len(ticks) >= (3 if factors != (1, 2, 5) else 1):
            break
    return ticks


def _axes(
    rows: list[Row], plane: Plane, metric: str, card: BenchmarkCard, theme: Theme, *, free: bool
) -> list[Any]:
    import altair as alt

    start = plane.x[0] * (plane.x[1] / plane.x[0]) ** (FREE / plane.width) if free else plane.x[0]
    ticks = cost_ticks(start, plane.x[1])
    x = alt.X(
        "cost:Q",
        scale=options(type="log", domain=list(plane.x), nice=False),
        axis=options(
            title="Cost per response (USD, log scale)",
            values=ticks,
            labelExpr="'$' + format(datum.value, '~g')"
            if ticks and min(ticks) >= 1e-4
            else "'$' + datum.value",
            grid=True,
        ),
    )
    y = alt.Y(
        "score:Q",
        scale=options(domain=list(plane.y), nice=False, zero=False),
        axis=options(title=metric_axis(metric, card), format=axis_format(metric), grid=True, tickCount=7),
    )
    frame = [{"cost": plane.x[1], "score": plane.y[0]}]
    layers: list[Any] = [alt.Chart(data(frame)).mark_point(opacity=0).encode(x=x, y=y)]
    left = FREE if free else 0.0
    base: dict[str, Any] = {"color": theme.axis, "strokeWidth": 1}
    layers.append(
        alt.Chart(data([BLANK])).mark_rule(**base).encode(**pixels(x=left, x2=plane.width, y=plane.height))
    )
    if free:
        # a gap in the base line says that the strip is not on the scale
        layers.append(
            alt.Chart(data([BLANK])).mark_rule(**base).encode(**pixels(x=0, x2=left - 12, y=plane.height))
        )
        layers.append(
            alt.Chart(data([BLANK]))
            .mark_rule(color=theme.axis, strokeDash=[2, 3])
            .encode(**pixels(x=left - 6, y=0, y2=plane.height))
        )
        layers.append(notes([note("free", (left - 12) / 2, plane.height + 13, align="center")], theme))
    return layers


def _steps(rows: list[Row], plane: Plane) -> list[Row]:
    """Return the pieces of the step line from each model on the frontier to the next, dearer and better."""
    front = sorted((r for r in rows if r["front"]), key=lambda r: (r["px"], -r["py"]))
    if not front:
        return []
    path: list[Row] = []
    for row in front:
        if path:
            path.append({"px": row["px"], "py": path[-1]["py"]})
        path.append({"px": row["px"], "py": row["py"]})
    path.append({"px": plane.width, "py": path[-1]["py"]})
    return [
        {"px": a["px"], "py": a["py"], "ex": b["px"], "ey": b["py"]}
        for a, b in pairwise(path)
        if (a["px"], a["py"]) != (b["px"], b["py"])
    ]


def _marks(rows: list[Row], theme: Theme, *, bars: bool) -> list[Any]:
    import altair as alt

    base = alt.Chart(data([{k: v for k, v in r.items() if k != "lines"} for r in rows]))
    crowded = len(rows) > 12
    layers: list[Any] = []
    if bars:
        layers.append(
            base.transform_filter("isValid(datum.top)")
            .mark_rule(strokeWidth=1.2 if crowded else 1.8, opacity=0.4 if crowded else 0.75)
            .encode(**pixels(x="datum.px", y="datum.top", y2="datum.bottom", color="datum.colour"))
        )
    layers.append(
        base.mark_point(size=55 if crowded else 85, opacity=1, strokeWidth=1.8).encode(
            **pixels(x="datum.px", y="datum.py"),
            shape=alt.Shape("shape:N", scale=None),
            stroke=alt.Stroke("colour:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            tooltip=[
                alt.Tooltip("label:N", title="Model"),
                alt.Tooltip("price:N", title="Cost per response"),
                alt.Tooltip("value:N", title="Score"),
            ],
        )
    )
    return layers


def _key(priced: pl.DataFrame, who: Identity, theme: Theme) -> list[Row]:
    """Return the key of the shapes as text above the panel, only of those that occur."""
    have = {who.weights[m] for m in priced["model"].to_list()}
    if have == {"not stated"}:
        return []
    signs = {"open": "● open weights", "closed": "▲ closed", "not stated": "■ weights not stated"}
    text = "    ".join(sign for weights, sign in signs.items() if weights in have)
    return [note(text, 0, -10, colour=theme.soft, size=SMALL)]


def _subtitle(
    frame: pl.DataFrame,
    priced: pl.DataFrame,
    who: Identity,
    tables: Tables,
    card: BenchmarkCard,
    *,
    bars: bool,
) -> list[str]:
    numbers = priced["n_items"].drop_nulls().to_list()
    text = [n_text(numbers) if numbers else plural(priced.height, "model")]
    if bars and priced["ci_low"].is_not_null().any():
        text[0] += f"; {interval_text(priced, tables, card)}"
    text[0] += "."
    text.append(
        "Filled, on the dashed frontier: no other model scores as much for less, or more at the same cost."
    )
    unpriced = frame.filter(pl.col("cost_per_response_usd").is_null())["model"].to_list()
    if unpriced:
        text.append(f"No cost known: {listing([who.label(m) for m in unpriced], 4)}.")
    return text


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say which models are on the frontier, and which have no cost."""
    frame = rows_of(tables, card)
    metric = metric_of(in_track(tables["frontier"], ALL), card)
    who = identify(tables)
    front = frame.filter("on_frontier").sort(["cost_per_response_usd", "model"])
    priced = frame.filter(pl.col("cost_per_response_usd").is_not_null())
    points = [
        f"{isolate(who.spoken(r['model']))} ({usd(r['cost_per_response_usd'])} per response, "
        f"{write(metric, r['estimate'])})"
        for r in front.iter_rows(named=True)
    ]
    text = [
        f"Of {plural(priced.height, 'model')} with a cost, {front.height} are on the frontier: "
        f"{'; '.join(points)}."
    ]
    if front.height == 1:
        text = [f"Of {plural(priced.height, 'model')} with a cost, only {points[0]} is on the frontier."]
    doubtful = front.filter(pl.col("p_on_frontier").is_not_null() & (pl.col("p_on_frontier") < 0.95))
    if doubtful.height:
        shares = [f"{isolate(who.spoken(r['model']))} ({100 * r['p_on_frontier']:.0f}%)"
                  for r in doubtful.iter_rows(named=True)]  # fmt: skip
        text.append(f"On it in fewer than 95% of resamples: {', '.join(shares)}.")
    free = frame.filter(pl.col("cost_per_response_usd") == 0)["model"].to_list()
    if free:
        text.append(
            f"Free of cost, and so left of the log axis: {listing([who.spoken(m) for m in free], 6)}."
        )
    unpriced = frame.filter(pl.col("cost_per_response_usd").is_null())["model"].to_list()
    if unpriced:
        text.append(f"Not shown, for want of a cost: {listing([who.spoken(m) for m in unpriced], 12)}.")
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the plane shows."""
    frame = rows_of(tables, card)
    costs = frame["cost_per_response_usd"].drop_nulls()
    who = identify(tables)
    ordered = frame.filter("on_frontier").sort(["cost_per_response_usd", "model"])
    front = [who.spoken(m) for m in ordered["model"].to_list()]
    return (
        f"Scatter plot of {plural(len(costs), 'model')}: cost per response from {usd(costs.min())} to "  # type: ignore[arg-type]
        f"{usd(costs.max())} across on a log scale, score upwards. "  # type: ignore[arg-type]
        f"On the frontier, from cheap to dear: {listing(front, 6)}."
    )


FIGURE = Figure(
    name="frontier",
    title="Cost against score",
    needs=("models", "frontier"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
