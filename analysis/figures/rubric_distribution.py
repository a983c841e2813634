"""How often each score of a rubric was given: bars that part at the middle of the scale."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.parts import Row, data, finish, label_column, note, notes, options, row_height, row_text
from analysis.figures.rubric_domains import KINDS, line_name
from analysis.figures.text import clean, count, isolate, percent, plural, short_labels
from analysis.figures.theme import SMALL, TEXT, WIDTH, Theme, interpolate, text_on

WITHOUT = "No sub-dimension of a rubric is scored."
MAX_LINES = 60
"""The most sub-dimensions that are shown."""


def rows_of(tables: Tables) -> tuple[pl.DataFrame, str]:
    """Return the distributions over all models by the leading raters, and who they are."""
    frame = tables["rubric_distribution"].filter(pl.col("model") == "all")
    have = set(frame["raters"].unique().to_list())
    kind = next((k for k in KINDS if k in have), "")
    lines = tables["applicability"].select("criterion_id", "title", "position", "domain").unique()
    frame = frame.filter(pl.col("raters") == kind).join(lines, on="criterion_id", how="left")
    return frame.sort("position", "criterion_id", "value"), kind


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a bar per sub-dimension."""
    import altair as alt

    frame, kind = rows_of(tables)
    frame = frame.filter(pl.col("n").sum().over("criterion_id") > 0)
    if frame.is_empty():
        return Absent(WITHOUT)
    lines = frame["criterion_id"].unique(maintain_order=True).to_list()
    hidden = lines[MAX_LINES:]
    frame = frame.filter(~pl.col("criterion_id").is_in(hidden))
    lines = lines[:MAX_LINES]
    titles = dict(frame.select("criterion_id", "title").unique().iter_rows())
    step, font = row_height(len(lines)), row_text(len(lines))
    labels = short_labels({c: line_name(c, clean(titles[c])) for c in lines}, 190, TEXT)
    left, right = label_column(list(labels.values()), font) + 10, 84.0
    width = max(180.0, WIDTH - 20 - left - right)
    values = frame["value"].unique().sort().to_list()
    bars, sides = _bars(frame, values, labels, theme, width)
    domain = [min(0.0, *(b["start"] for b in bars)), max(0.0, *(b["end"] for b in bars))]
    axis_y = options(title=None, labelColor=theme.ink, labelFontSize=font, labelPadding=8)
    y = alt.Y("label:N", scale=options(domain=list(labels.values()), padding=0.12), axis=axis_y)
    axis_x = options(title="Ratings below and above the middle of the scale (%)", format="%", grid=True,
                     labelExpr="format(abs(datum.value), '.0%')", domain=True, ticks=True, tickSize=4,
                     tickCount=5)  # fmt: skip
    x = alt.X("start:Q", scale=options(domain=domain, nice=False), axis=axis_x)
    base = alt.Chart(data(bars))
    tips = [
        alt.Tooltip(f"{f}:N", title=t)
        for f, t in (("label", "Sub-dimension"), ("score", "Score"), ("share", "Share"), ("n", "Ratings"))
    ]
    reach = domain[1] - domain[0]
    # A number stands inside its part where it fits.
    inside = [
        note(
            b["share"],
            align="center",
            colour=b["ink"],
            size=SMALL - 1,
            label=b["label"],
            middle=(b["start"] + b["end"]) / 2,
        )
        for b in bars
        if (b["end"] - b["start"]) / reach * width > 26
    ]
    layers: list[Any] = [
        base.mark_bar(stroke=theme.surface, strokeWidth=0.8).encode(
            y=y, x=x, x2=alt.X2("end:Q"), color=alt.Color("colour:N", scale=None), tooltip=tips
        ),
        notes(inside, theme, y=y, x=alt.X("middle:Q", scale=options(domain=domain, nice=False), axis=axis_x)),
        notes(sides, theme, y=y),
        notes(
            [note("n", width + 40, -10, align="right"), note("N/A", width + 80, -10, align="right")], theme
        ),
        notes(_key(values, theme), theme),
        _swatches(values, theme),
    ]
    chart = alt.layer(*layers, width=width, height=step * len(lines))
    text = [
        f"Single ratings of {KINDS[kind]}, all models and vignettes together. Scores below the middle of "
        "the scale stand left of 0, those above it right; the middle score is parted. N/A ratings are "
        "counted, not shown."
    ]
    if hidden:
        text.append(f"{plural(len(hidden), 'more sub-dimension')} in the table only.")
    return finish(chart, theme, card, "How often each score was given", text, width=left + width + right)


def colour_of(value: int, values: list[int], theme: Theme) -> str:
    """Return the colour of a score on a scale that parts in its middle."""
    low, high = values[0], values[-1]
    return interpolate(theme.diverging, (value - low) / ((high - low) or 1))


def _bars(
    frame: pl.DataFrame, values: list[int], labels: dict[str, str], theme: Theme, width: float
) -> tuple[list[Row], list[Row]]:
    middle = (values[0] + values[-1]) / 2
    bars: list[Row] = []
    sides: list[Row] = []
    for (line,), part in frame.group_by("criterion_id", maintain_order=True):
        total = int(part["n"].sum())
        shares = {row["value"]: row["n"] / total for row in part.iter_rows(named=True)}
        at = -sum(s if v < middle else s / 2 if v == middle else 0.0 for v, s in shares.items())
        for value in values:
            share = shares.get(value, 0.0)
            colour = colour_of(value, values, theme)
            if share:
                bars.append(
                    {
                        "label": labels[str(line)],
                        "start": round(at, 9),
                        "end": round(at + share, 9),
                        "colour": colour,
                        "ink": text_on(colour, theme),
                        "score": str(value),
                        "share": percent(share, 0),
                        "n": count(round(share * total)),
                    }
                )
            at += share
        sides += [
            note(count(total), width + 40, align="right", label=labels[str(line)]),
            note(count(int(part["n_not_applicable"][0])), width + 80, align="right", label=labels[str(line)]),
        ]
    return bars, sides


def _key(values: list[int], theme: Theme) -> list[Row]:
    return [note(str(v), 7 + 30 * i, -28, align="left", colour=theme.ink) for i, v in enumerate(values)]


def _swatches(values: list[int], theme: Theme) -> Any:
    import altair as alt

    from analysis.figures.parts import pixels

    rows = [
        {"px": 30 * i - 3, "py": -28, "colour": colour_of(v, values, theme)} for i, v in enumerate(values)
    ]
    mark = alt.Chart(data(rows)).mark_point(
        shape="square", size=70, filled=True, opacity=1, stroke=theme.axis, strokeWidth=0.8
    )
    return mark.encode(**pixels(x="datum.px", y="datum.py", color="datum.colour"))


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say which sub-dimension is scored highest and lowest, and where an end of the scale is crowded."""
    frame, _ = rows_of(tables)
    frame = frame.filter(pl.col("n").sum().over("criterion_id") > 0)
    means = (
        frame.group_by("criterion_id", "title")
        .agg(mean=(pl.col("value") * pl.col("n")).sum() / pl.col("n").sum())
        .sort(["mean", "criterion_id"])
    )
    low, high = means.row(0, named=True), means.row(-1, named=True)
    text = (
        f"Lowest on average: {_named(low)} ({low['mean']:.2f}); highest: {_named(high)} ({high['mean']:.2f})."
    )
    ends = [int(frame["value"].min()), int(frame["value"].max())]  # type: ignore[arg-type]
    crowded = frame.filter(pl.col("value").is_in(ends) & (pl.col("share") > 0.15))
    if crowded.height:
        n = crowded["criterion_id"].n_unique()
        text += f" More than 15% of ratings lie at an end of the scale in {plural(n, 'sub-dimension')}."
    return text


def _named(row: Row) -> str:
    return isolate(line_name(row["criterion_id"], clean(row["title"])))


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what is shown."""
    frame, kind = rows_of(tables)
    total = int(frame["n"].sum())
    return (
        f"Diverging bars of {plural(total, 'rating')} of {KINDS[kind]} on "
        f"{plural(frame['criterion_id'].n_unique(), 'sub-dimension')}."
    )


FIGURE = Figure(
    name="rubric_distribution",
    title="Distribution of rubric scores",
    needs=("models", "rubric_distribution", "applicability"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
