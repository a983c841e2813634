"""Parts of the coverage figure: what stands beside the curve, and the small panels of tracks."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.figures.parts import BLANK, Row, data, label_column, note, notes, options, pixels
from analysis.figures.select import in_track
from analysis.figures.text import clean, count, percent, short_labels, text_width
from analysis.figures.theme import SMALL, TEXT, WIDTH, Theme
from analysis.figures.wording import share_ticks, whole_ticks

MAX_DIAMONDS = 24
"""Up to this many steps the optimum stands as diamonds, beyond it as a dotted line."""

AXIS = 50
"""Room in pixels for the vertical axis."""


def steps_of(frame: pl.DataFrame, method: str, basis: str = "answered") -> pl.DataFrame:
    """Return one row per ensemble size of a method."""
    part = frame.filter((pl.col("method") == method) & (pl.col("basis") == basis))
    return part.unique("step", keep="first", maintain_order=True).sort("step")


def total_of(row: Row) -> int:
    """Return the number of items of the basis, from covered items and their share."""
    return round(row["covered"] / row["share"]) if row["share"] else 0


def point_size(models: int) -> float:
    """Return the area of a point, in square pixels, by the number of steps."""
    return 60 if models <= 12 else 40 if models <= 24 else 22


def ceiling_layers(last: Row, room: float, at: float, theme: Theme) -> list[Any]:
    """Return the line of the ceiling, with as many words as fit before the curve comes near it."""
    import altair as alt

    share = percent(last["share"])
    texts = (f"Ceiling: all models together cover {share}", f"Ceiling: {share}")
    text = next((t for t in texts if text_width(t, SMALL) <= room), texts[-1])
    rule = alt.Chart(data([BLANK])).mark_rule(color=theme.alert, strokeDash=[4, 3], strokeWidth=1.3)
    return [rule.encode(**pixels(y=at)), notes([note(text, 2, at - 12, colour=theme.alert)], theme)]


def method_key(frame: pl.DataFrame) -> list[tuple[str, str]]:
    """Return method and words for each method there is, nothing where there is only one."""
    words = {"greedy": "Greedy order", "optimal": "Best ensemble of a size", "cross_fitted": "Cross-fitted"}
    have = set(frame["method"].unique().to_list())
    entries = [(method, text) for method, text in words.items() if method in have]
    return entries if len(entries) > 1 else []


def key_layers(
    key: list[tuple[str, str]], left: float, height: float, theme: Theme, models: int
) -> list[Any]:
    """Return the key of the methods, its last line at the foot of the panel."""
    import altair as alt

    layers: list[Any] = []
    words: list[Row] = []
    for i, (method, text) in enumerate(key):
        at = height - 4 - 18 * (len(key) - 1 - i)
        one = alt.Chart(data([BLANK]))
        if method == "optimal" and models <= MAX_DIAMONDS:
            mark = one.mark_point(
                shape="diamond", size=2.1 * point_size(models), color=theme.ink, strokeWidth=1.3, opacity=1
            )
            layers.append(mark.encode(**pixels(x=left - 14, y=at)))
        else:
            dash = {"optimal": [1, 2], "cross_fitted": [5, 4]}.get(method, [1, 0])
            colour = theme.accent if method == "greedy" else theme.ink
            rule = one.mark_rule(color=colour, strokeWidth=2, strokeDash=dash)
            layers.append(rule.encode(**pixels(x=left - 24, x2=left - 4, y=at)))
        words.append(note(text, left, at))
    return [*layers, notes(words, theme)] if words else []


def list_width(shown: list[Row]) -> float:
    """Return the width in pixels of the list beside the curve, its distance to the curve included."""
    return 22 + 38 + max(label_column([r["label"] for r in shown], TEXT), 70.0) + 56


def list_layers(shown: list[Row], greedy: pl.DataFrame, left: float, theme: Theme) -> list[Any]:
    """Return the greedy order in words beside the curve."""
    import altair as alt

    right = left + list_width(shown) - 22
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


def track_panels(frame: pl.DataFrame, tracks: list[str], theme: Theme) -> Any:
    """Return a small panel for each track, on one vertical scale."""
    import altair as alt

    across = min(3, len(tracks))
    width = (WIDTH - 20 - AXIS - 18 * (across - 1)) / across
    parts = {t: steps_of(in_track(frame, t), "greedy") for t in tracks}
    shares = [v for p in parts.values() for v in p["share"].to_list()]
    span = max(max(shares) - min(shares), 0.05)
    low = 0.0 if min(shares) < 0.3 else min(shares) - 0.1 * span
    high = max(shares) + 0.24 * span
    scale = options(domain=[low, high], nice=False, zero=False)
    names = short_labels({t: clean(t) for t in tracks}, 0.92 * width, SMALL)
    panels = []
    for i, track in enumerate(tracks):
        rows = parts[track].select("step", "share").to_dicts()
        models = rows[-1]["step"]
        tail = [*rows, {**rows[-1], "step": models + 0.9}]
        axis_y = options(
            title="Covered (%)" if i % across == 0 else None,
            format=".1~%",
            grid=True,
            values=share_ticks(low, high, 4),
            labels=i % across == 0,
        )
        axis_x = options(title=None, values=whole_ticks(1, models, width / 40), format="d", domain=True)
        x = alt.X("step:Q", scale=options(domain=[0.5, models + 0.9], nice=False, zero=False), axis=axis_x)
        y = alt.Y("share:Q", scale=scale, axis=axis_y)
        total = total_of(parts[track].row(-1, named=True))
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
                width=width,
                height=92,
            )
        )
    return alt.concat(*panels, columns=across, spacing={"row": 30, "column": 18})
