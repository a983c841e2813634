"""Success by the number of decisions of an episode, and how long episodes stay right."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.episode_select import endpoint_words, main_endpoint, tracks_shown
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import Row, data, finish, note, notes, options
from analysis.figures.select import ALL
from analysis.figures.text import clean, count, isolate, percent, plural
from analysis.figures.theme import SMALL, WIDTH, Theme

WITHOUT = "Fewer than two depths of episodes have enough episodes, or the card declares no cluster."

FEW = 5
"""Depths with fewer episodes than this are in the table only."""

NAMED = 4
"""Models that are drawn strong and named: those with the highest success."""


def panels_of(tables: Tables, card: BenchmarkCard) -> list[tuple[str, str, str, pl.DataFrame]]:
    """Return kind, track, endpoint and rows of each panel, steps with few episodes left out."""
    frame = tables["episode_depth"]
    found = []
    for track in tracks_shown(frame, card):
        of_track = frame.filter(pl.col("track") == track)
        endpoint = main_endpoint(of_track, track, card)
        for kind in ("decisions", "turn"):
            rows = of_track.filter(pl.col("kind") == kind)
            if kind == "decisions":
                rows = rows.filter(pl.col("endpoint") == endpoint)
            enough = rows.group_by("step").agg(pl.col("n_clusters").max().alias("most"))
            steps = enough.filter(pl.col("most") >= FEW)["step"]
            rows = rows.filter(pl.col("step").is_in(steps.implode()), pl.col("share").is_not_null())
            if rows["step"].n_unique() >= 2:
                found.append((kind, track, rows["endpoint"][0], rows.sort("model", "step")))
    return found


def leaders(rows: pl.DataFrame) -> list[str]:
    """Return the models with most successful episodes over the steps shown (at the last turn: surviving)."""
    if rows["kind"][0] == "turn":
        reached = rows.filter(pl.col("survival").is_not_null())
        last = reached.filter(pl.col("step") == pl.col("step").max().over("model"))
        ranked = last.sort([pl.col("survival").round(12), "model"], descending=[True, False])
    else:
        total = rows.group_by("model").agg(
            (pl.col("n_success").sum() / pl.col("n_clusters").sum()).round(12).alias("share")
        )
        ranked = total.sort(["share", "model"], descending=[True, False])
    return ranked["model"].to_list()


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a panel for each track and kind."""
    import altair as alt

    found = panels_of(tables, card)
    if not found:
        return Absent(WITHOUT)
    who = identify(tables)
    panels = [_panel(kind, track, endpoint, rows, who, theme) for kind, track, endpoint, rows in found]
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=30)
    text = (
        f"The {min(NAMED, max(len(leaders(r)) for *_, r in found))} models with the highest success are "
        "named, the others are thin lines. n: episodes with exactly (turns: at least) so many. Steps with "
        f"fewer than {FEW} episodes are in the table."
    )
    return finish(chart, theme, card, "Whole episodes right, by depth", [text])


def _panel(kind: str, track: str, endpoint: str, rows: pl.DataFrame, who: Identity, theme: Theme) -> Any:
    import altair as alt

    order = leaders(rows)
    strong = order[:NAMED]
    value = "survival" if kind == "turn" else "share"
    right = 150.0
    width, height = WIDTH - 16 - 40 - right, 190.0
    steps = sorted(rows["step"].unique().to_list())
    n = {s: int(rows.filter(pl.col("step") == s)["n_clusters"].max()) for s in steps}  # type: ignore[arg-type]
    colours = _colours(strong, who, theme)
    lines: list[Row] = [
        {
            "label": who.label(r["model"]),
            "strong": r["model"] in strong,
            "step": r["step"],
            "value": r[value],
            "colour": colours.get(r["model"], theme.neutral),
            "weight": 2.4 if r["model"] in strong else 0.9,
            "opacity": 1.0 if r["model"] in strong else 0.5,
            "tip": f"{who.label(r['model'])}: {percent(r[value])}",
        }
        for r in rows.iter_rows(named=True)
        if r[value] is not None
    ]
    x = alt.X(
        "step:Q",
        scale=options(domain=[min(steps) - 0.15, max(steps) + 0.15], nice=False, zero=False),
        axis=options(
            title="Decisions in the episode" if kind == "decisions" else "Turn",
            values=steps,
            format="d",
            domain=True,
            ticks=True,
            tickSize=4,
            titlePadding=22,
        ),
    )
    y = alt.Y(
        "value:Q",
        scale=options(domain=[0, 1], nice=False),
        axis=options(
            title="Episodes right (%)" if kind == "decisions" else "Still right (%)",
            format=".0%",
            grid=True,
            values=[0, 0.25, 0.5, 0.75, 1],
        ),
    )
    base = alt.Chart(data(lines))
    shared = {"color": alt.Color("colour:N", scale=None), "detail": "label:N"}
    layers = [
        base.mark_line(interpolate="step-after" if kind == "turn" else "linear").encode(
            x=x,
            y=y,
            strokeWidth=alt.StrokeWidth("weight:Q", scale=None),
            opacity=alt.Opacity("opacity:Q", scale=None),
            **shared,
        ),
        alt.Chart(data([r for r in lines if r["strong"]] or lines))
        .mark_point(filled=True, size=34, opacity=1)
        .encode(x=x, y=y, tooltip=alt.Tooltip("tip:N", title="Model"), **shared),
    ]
    span = max(steps) - min(steps) + 0.3
    texts = [
        note(f"n={count(n[s])}", (s - min(steps) + 0.15) / span * width, height + 26, align="center", size=11)
        for s in steps
    ]
    where = "" if track == ALL else f"{clean(track)}: "
    what = "by number of decisions" if kind == "decisions" else "up to each turn"
    texts.append(
        note(f"{where}{clean(endpoint_words(endpoint))}, {what}", 0, -14, colour=theme.ink, weight="bold")
    )
    texts += _names(lines, strong, who, colours, width, height, theme)
    return alt.layer(*layers, notes(texts, theme), width=width, height=height)


def _colours(strong: list[str], who: Identity, theme: Theme) -> dict[str, str]:
    if who.slots:
        return {m: who.colour(m, theme) for m in strong}
    return {m: theme.series[i] for i, m in enumerate(strong)}


def _names(
    lines: list[Row],
    strong: list[str],
    who: Identity,
    colours: dict[str, str],
    width: float,
    height: float,
    theme: Theme,
) -> list[Row]:
    """Return the names of the strong lines at their ends, pushed apart where they would overlap."""
    ends = []
    for model in strong:
        own = [r for r in lines if r["label"] == who.label(model)]
        if own:
            ends.append((height * (1 - own[-1]["value"]), model))
    ends.sort()
    placed: list[float] = []
    for y, _ in ends:
        placed.append(max(y, placed[-1] + SMALL + 3) if placed else y)
    overflow = (placed[-1] - height) if placed else 0.0
    if overflow > 0:
        placed = [y - overflow for y in placed]
    return [
        note(who.label(model), width + 8, y, colour=colours[model])
        for (_, model), y in zip(ends, placed, strict=True)
    ]


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how success falls from the shallowest to the deepest episodes."""
    who = identify(tables)
    text = []
    for kind, track, endpoint, rows in panels_of(tables, card):
        steps = rows["step"].to_list()
        first, last = min(steps), max(steps)
        model = leaders(rows)[0]
        own = {r["step"]: r for r in rows.filter(pl.col("model") == model).iter_rows(named=True)}
        where = "" if track == ALL else f"{isolate(clean(track))}, "
        value = "survival" if kind == "turn" else "share"
        if any(step not in own or own[step][value] is None for step in (first, last)):
            continue
        if kind == "decisions":
            text.append(
                f"{where}{isolate(clean(endpoint_words(endpoint)))}: {isolate(who.spoken(model))} succeeds "
                f"in {percent(own[first]['share'])} of episodes with {plural(first, 'decision')} and in "
                f"{percent(own[last]['share'])} of those with {last}."
            )
        else:
            text.append(
                f"{where}{isolate(who.spoken(model))} is still right after turn {last} in "
                f"{percent(own[last]['survival'])} (Kaplan–Meier; shorter episodes are censored)."
            )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what a reader sees."""
    found = panels_of(tables, card)
    n = max(len(leaders(rows)) for *_, rows in found)
    return f"Lines of {plural(n, 'model')} in {plural(len(found), 'panel')}. {caption(tables, card)}"


FIGURE = Figure(
    name="episode_depth",
    title="Success by depth",
    needs=("models", "episode_depth"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
