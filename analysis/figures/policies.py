"""How ranks move under other policies for missing cells."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import (
    Row,
    data,
    finish,
    label_column,
    note,
    notes,
    pixels,
    row_height,
    row_text,
    segments,
)
from analysis.figures.select import ALL, in_track, metric_of
from analysis.figures.text import isolate, listing, plural, span
from analysis.figures.theme import SMALL, WIDTH, Theme
from analysis.figures.wording import write

WITHOUT = "Ranks are given under one policy for missing cells only."
POLICIES = {
    "exclude": "Own answers",
    "excluded_as_failure": "Excluded = 0",
    "unscored_as_failure": "Unscored = 0",
    "failure": "Excluded, unscored = 0",
    "missing_as_failure": "Never asked = 0 too",
    "common_items": "Common items",
}
"""Policies in order, and what they are called above their columns."""
STEP = 138.0
"""Least distance of two columns in pixels: their names stand side by side."""
MEANING = {
    "exclude": "own answers: each model's own scored items",
    "excluded_as_failure": "excluded = 0: excluded answers count 0",
    "unscored_as_failure": "unscored = 0: unscored answers count 0",
    "failure": "excluded, unscored = 0: both count 0",
    "missing_as_failure": "never asked = 0 too: items put to some model count 0 for the others",
    "common_items": "common items: those scored for every model",
}
"""Policies as a caption explains them."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return the ranks of track `all` and the primary metric under every policy there is a table of.

    A policy that changes no number of another has no rows, unless it is in force: one column says both.
    """
    frame = _every_policy(tables, card)
    seen: set[tuple[tuple[object, ...], ...]] = set()
    kept = []
    for policy in sorted(POLICIES, key=lambda p: p != card.missing):
        of_policy = frame.filter(pl.col("policy") == policy).sort("model")
        numbers = tuple(of_policy.select("model", "rank", "estimate", "n_items").iter_rows())
        if numbers not in seen:
            kept.append(policy)
        seen.add(numbers)
    return frame.filter(pl.col("policy").is_in(kept))


def _every_policy(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    frame = tables.get("denominators", tables["policies"])
    if frame.is_empty():
        frame = tables["policies"]
    return in_track(frame, ALL, metric_of(frame, card))


def moved(frame: pl.DataFrame) -> list[str]:
    """Return the models whose rank is not the same under every policy, in order of rank."""
    spread = frame.group_by("model").agg(
        pl.col("rank").min().alias("low"), pl.col("rank").max().alias("high"), pl.col("rank_in_force").min()
    )
    moving = spread.filter(pl.col("low") < pl.col("high"))
    return moving.sort("rank_in_force", "model", nulls_last=True)["model"].to_list()


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a line for each model from policy to policy."""
    import altair as alt

    if _every_policy(tables, card)["policy"].n_unique() < 2:
        return Absent(WITHOUT)
    frame = rows_of(tables, card)
    policies = [p for p in POLICIES if p in frame["policy"].unique().to_list()]
    changed = moved(frame)
    if not changed:
        return Absent("Every policy for missing cells gives the same ranks.")
    who = identify(tables)
    n = int(frame["rank"].max())  # type: ignore[arg-type]
    step, font = row_height(n), row_text(n)
    labels = [who.label(m) for m in frame["model"].unique().to_list()]
    side = label_column(labels, font) + 30
    apart = 210.0 if len(policies) == 2 else STEP * (len(policies) - 1)
    width = max(apart, min(330.0, WIDTH - 16 - 2 * side))
    at = {p: width * i / (len(policies) - 1) for i, p in enumerate(policies)}
    points = _points(frame, set(changed), at, step, who, theme)
    lines = [{**a, "ex": b["px"], "ey": b["py"]} for a, b in pairwise(points) if a["model"] == b["model"]]
    # models that keep their rank lie below those that move
    lines.sort(key=lambda r: r["moves"])
    strength = pixels(color="datum.colour", strokeWidth="datum.moves ? 2 : 1.2")
    tips = [alt.Tooltip("model:N", title="Model"), alt.Tooltip("policy:N", title="Policy"),
            alt.Tooltip("rank:Q", title="Rank"), alt.Tooltip("value:N", title="Score")]  # fmt: skip
    layers: list[Any] = [
        segments(lines, strength, strokeCap="round"),
        alt.Chart(data(points))
        .mark_point(filled=True, size=min(46, step * 2.4), opacity=1)
        .encode(**pixels(x="datum.px", y="datum.py", color="datum.colour"), tooltip=tips),
    ]
    layers.append(notes(_words(points, frame, policies, at, width, font, theme), theme))
    chart = alt.layer(*layers, width=width, height=step * n)
    metric = str(frame["metric"][0])
    text = (
        f"{plural(len(changed), 'model')} of {len(labels)} change rank; n under each policy at its column. "
    )
    text += f"In force: {_in_force(card)}."
    title = "Ranks under each policy for missing answers"
    return finish(
        chart, theme, card, title, [text + _metric_note(metric)], width=max(WIDTH - 60.0, width + 2 * side)
    )


def _metric_note(metric: str) -> str:
    return "" if metric == "correct" else f" Metric: {metric}."


def _in_force(card: BenchmarkCard) -> str:
    return POLICIES.get(card.missing, card.missing.replace("_", " ")).lower()


def _points(
    frame: pl.DataFrame, changed: set[str], at: dict[str, float], step: float, who: Identity, theme: Theme
) -> list[Row]:
    place = {p: i for i, p in enumerate(at)}
    rows = []
    for row in frame.filter(pl.col("policy").is_in(list(at))).iter_rows(named=True):
        moves = row["model"] in changed
        own = who.colour(row["model"], theme) if who.slots else theme.accent
        rows.append(
            {
                "model": who.label(row["model"]),
                "policy": row["policy"],
                "rank": row["rank"],
                "value": write("correct" if row["metric"] == "correct" else row["metric"], row["estimate"]),
                "moves": moves,
                "colour": own if moves else theme.axis,
                "px": at[row["policy"]],
                "py": (row["rank"] - 0.5) * step,
                "order": place[row["policy"]],
            }
        )
    rows.sort(key=lambda r: (r["model"], r["order"]))
    return [{k: v for k, v in r.items() if k != "order"} for r in rows]


def _words(
    points: list[Row],
    frame: pl.DataFrame,
    policies: list[str],
    at: dict[str, float],
    width: float,
    font: float,
    theme: Theme,
) -> list[Row]:
    words = []
    for i, policy in enumerate(policies):
        sizes = frame.filter(pl.col("policy") == policy)["n_items"].to_list()
        # Outer heads stand over the names beside them and leave the inner ones their room.
        align = "right" if i == 0 else "left" if i == len(policies) - 1 else "center"
        x = at[policy] + {"left": -8.0, "right": 8.0, "center": 0.0}[align]
        words.append(note(POLICIES[policy], x, -26, align=align, colour=theme.ink))
        words.append(note(f"n = {span(min(sizes), max(sizes))}", x, -10, align=align))
    for p in points:
        ink = theme.ink if p["moves"] else theme.soft
        for policy, sign in ((policies[0], -1), (policies[-1], 1)):
            if p["policy"] == policy:
                align = "right" if sign < 0 else "left"
                words.append(note(str(p["rank"]), p["px"] + sign * 10, p["py"], align=align, size=SMALL))
                far = p["px"] + sign * 32
                words.append(note(p["model"], far, p["py"], align=align, size=font, colour=ink))
    return words


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say which models move, and how far."""
    frame = rows_of(tables, card)
    changed = moved(frame)
    who = identify(tables)
    if not changed:
        return "Every policy for missing cells gives the same ranks."
    spread = (
        frame.group_by("model")
        .agg(pl.col("rank").min().alias("low"), pl.col("rank").max().alias("high"))
        .with_columns(gap=pl.col("high") - pl.col("low"))
        .sort(["gap", "model"], descending=[True, False])
        .row(0, named=True)
    )
    names = listing([who.spoken(m) for m in changed], 6)
    return (
        f"The rank of {names} depends on how missing answers are counted. The widest range is that of "
        f"{isolate(who.spoken(spread['model']))}: ranks {spread['low']} to {spread['high']}. "
        f"{_meanings(frame)}"
    )


def _meanings(frame: pl.DataFrame) -> str:
    shown = frame["policy"].unique().to_list()
    text = "; ".join(meaning for policy, meaning in MEANING.items() if policy in shown)
    return f"{text[0].upper()}{text[1:]}. A policy that changes no number of one shown has no column."


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say how ranks move."""
    frame = rows_of(tables, card)
    return (
        f"Line chart of the ranks of {plural(frame['model'].n_unique(), 'model')} under "
        f"{plural(frame['policy'].n_unique(), 'policy', 'policies')} for missing answers; "
        f"{plural(len(moved(frame)), 'model')} do not keep their rank."
    )


FIGURE = Figure(
    name="policies",
    title="Ranks under policies for missing answers",
    needs=("models", "policies"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
