"""How near models come on items that none solves: scores there, beside those on solved items."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.parts import data, finish, note, notes, options, segments
from analysis.figures.select import ALL, in_track
from analysis.figures.text import count, isolate, percent, spaced
from analysis.figures.theme import WIDTH, Theme
from analysis.figures.wording import write

WITHOUT = "No metric lies between 0 and 1 with values between them."
HEADS = {"unsolved": "Items that no model solves", "solved": "Items that some model solves"}
HEIGHT = 190.0


def metric_of(tables: Tables, card: BenchmarkCard) -> str:
    """Return the metric shown: the primary one, else `score`, else the first of the table."""
    found = tables["score_distribution"]["metric"].unique().sort().to_list()
    return next((m for m in (card.primary_metric, "score") if m in found), str(found[0]))


def rows_of(tables: Tables, card: BenchmarkCard, name: str) -> pl.DataFrame:
    """Return the rows of a table, track `all`, metric shown."""
    return in_track(tables[name], ALL, metric_of(tables, card))


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the two histograms, with mean and median."""
    import altair as alt

    bins, sums = (rows_of(tables, card, name) for name in ("score_distribution", "score_summaries"))
    subsets = [s for s in HEADS if sums.filter(pl.col("subset") == s).height]
    if "unsolved" not in subsets:
        return Absent("Every answered item is solved by some model.")
    gap, left = 34.0, 46.0
    width = (WIDTH - 16 - left - gap * (len(subsets) - 1)) / len(subsets)
    top = float(bins.filter(pl.col("subset").is_in(subsets))["share"].max())  # type: ignore[arg-type]
    panels = [
        _panel(
            bins.filter(pl.col("subset") == s),
            sums.filter(pl.col("subset") == s).row(0, named=True),
            metric_of(tables, card),
            (width, top, i == 0),
            theme,
        )
        for i, s in enumerate(subsets)
    ]
    chart = alt.hconcat(*panels, spacing=gap, bounds="flush")
    text = "Cells of model and item, in bins of 0.05. Line: mean; dashed: median."
    title = f"{spaced(metric_of(tables, card)).capitalize()} on items that no model solves"
    return finish(chart, theme, card, title, [text])


def _panel(
    bins: pl.DataFrame, summary: dict[str, Any], metric: str, size: tuple[float, float, bool], theme: Theme
) -> Any:
    import altair as alt

    width, top, is_first = size
    colour = theme.alert if summary["subset"] == "unsolved" else theme.neutral
    rows = [
        {
            "low": r["low"],
            "high": r["high"],
            "share": r["share"],
            "bin": f"{r['low']:.2f} to {r['high']:.2f}",
            "n": count(r["n_cells"]),
            "of": percent(r["share"]),
        }
        for r in bins.iter_rows(named=True)
        if r["n_cells"]
    ]
    x = alt.X(
        "low:Q",
        bin="binned",
        scale=options(domain=[0, 1], nice=False),
        axis=options(
            title=spaced(metric), values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", titleAnchor="start"
        ),
    )
    y = alt.Y(
        "share:Q",
        scale=options(domain=[0, top * 1.04], nice=False),
        axis=options(
            title="Cells (%)" if is_first else None, labels=is_first, format=".0%", grid=True, tickCount=5
        ),
    )
    tips = [alt.Tooltip(f"{f}:N", title=t) for f, t in (("bin", "Score"), ("of", "Share"), ("n", "Cells"))]
    bars = (
        alt.Chart(data(rows))
        .mark_bar(color=colour, binSpacing=1)
        .encode(x=x, x2=alt.X2("high:Q"), y=y, tooltip=tips)
    )
    mean, median = (
        segments([{"px": width * x, "ex": width * x, "py": 0.0, "ey": HEIGHT}], strokeWidth=1.6, **look)
        for x, look in (
            (summary["mean"], {"color": theme.ink}),
            (summary["median"], {"color": theme.ink, "strokeDash": [4, 3]}),
        )
    )
    about = (
        f"mean {write(metric, summary['mean'])}, median {write(metric, summary['median'])}; "
        f"{percent(summary['share_below_tenth'])} below 0.1"
    )
    words = [
        note(HEADS[summary["subset"]], 0, -38, colour=theme.ink, weight="bold"),
        note(f"{count(summary['n_items'])} items, {count(summary['n_cells'])} cells", 0, -23),
        note(about, 0, -8),
    ]
    return alt.layer(bars, mean, median, notes(words, theme), width=width, height=HEIGHT)


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how scores lie on unsolved items."""
    sums = rows_of(tables, card, "score_summaries").filter(pl.col("subset") == "unsolved")
    if sums.is_empty():
        return "Every answered item is solved by some model."
    row, metric = sums.row(0, named=True), metric_of(tables, card)
    return (
        f"On the {count(row['n_items'])} items that no model solves, {isolate(spaced(metric))} has mean "
        f"{write(metric, row['mean'])} and median {write(metric, row['median'])} over "
        f"{count(row['n_cells'])} cells of model and item; {percent(row['share_below_tenth'])} lie below 0.1."
    )


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the histograms show."""
    sums = rows_of(tables, card, "score_summaries")
    parts = [
        f"{HEADS[r['subset']].lower()}: {percent(r['share_below_tenth'])} below 0.1"
        for r in sums.filter(pl.col("subset").is_in(list(HEADS))).iter_rows(named=True)
    ]
    return f"Histograms of scores; {'; '.join(parts)}."


FIGURE = Figure(
    name="score_distribution",
    title="Scores on items that no model solves",
    needs=("score_distribution", "score_summaries"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
