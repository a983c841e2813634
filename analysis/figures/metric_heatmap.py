"""Every primary and secondary metric of consultations against every system, with arrows for the direction."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.matrix import Group, Scale, draw_matrix
from analysis.figures.parts import Row, finish
from analysis.figures.session_parts import STAGES, WITHOUT, systems_in_order
from analysis.figures.text import isolate, plural
from analysis.figures.theme import Theme

ARROWS = {"higher": "↑", "lower": "↓"}
TIERS = ("primary", "secondary")


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return the means of primary and secondary metrics, with label and order."""
    names = tables["metric_definitions"].select("metric", "label", "position")
    frame = tables["session_scores"].filter(pl.col("tier").is_in(TIERS) & pl.col("estimate").is_not_null())
    arrow = pl.col("direction").replace_strict(ARROWS, return_dtype=pl.String)
    return (
        frame.join(names, on="metric", how="left", maintain_order="left")
        .with_columns(shown=pl.col("label") + " " + arrow)
        .sort("position", "model")
    )


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the matrix."""
    frame = rows_of(tables, card)
    if frame.is_empty():
        return Absent("No metric is defined for any session.")
    who = identify(tables)
    present = set(frame["model"])
    systems = [m for m in systems_in_order(tables) if m in present]
    groups: list[Group] = []
    cells: dict[tuple[int, str, str], Row] = {}
    for stage, title in STAGES.items():
        part = frame.filter(pl.col("stage") == stage)
        if part.is_empty():
            continue
        shown = part["shown"].unique(maintain_order=True).to_list()
        tiers = dict(part.select("shown", "tier").iter_rows())
        at = len(groups)
        groups.append(Group(title, shown, {s: ("1°" if tiers[s] == "primary" else "2°",) for s in shown}))
        best = dict(part.group_by("shown").agg(pl.col("normalised").max()).iter_rows())
        for r in part.iter_rows(named=True):
            cells[at, r["shown"], who.label(r["model"])] = {
                "value": r["normalised"],
                "text": _short(r["estimate"]),
                "n": f"{r['n_defined']:,} of {r['n_sessions']:,} sessions",
                "style": "normal",
                "weight": "bold" if r["normalised"] >= best[r["shown"]] - 1e-12 else "normal",
            }
    scale = Scale(0.0, 1.0, "Normalised, 1 is best", "0", "1")
    chart, width = draw_matrix(groups, [who.label(m) for m in systems], cells, scale, ("Tier",), theme)
    text = (
        "Cells: means over sessions as the metric runs; arrows: which way is better; colour: normalised, so "
        "that dark is good whichever way it runs. Bold: best. Tier 1° enters the composite. Intervals are in "
        "the table."
    )
    return finish(chart, theme, card, "Metrics of consultation sessions", [text], width=max(width, 420))


def _short(value: float) -> str:
    """Return a value with two decimals, a bare point before them below 1."""
    text = f"{value:.2f}"
    return text[1:] if text.startswith("0.") else text


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say who is best on most primary metrics."""
    frame = rows_of(tables, card).filter((pl.col("tier") == "primary") & (pl.col("role") == "model"))
    if frame.is_empty():
        return "Means of the metrics, as they run."
    best = frame.filter(pl.col("normalised") >= pl.col("normalised").max().over("metric") - 1e-12)
    counted = best.group_by("model").len().sort("len", "model", descending=[True, False])
    model, n = counted.row(0)
    total = frame["metric"].n_unique()
    name = isolate(identify(tables).spoken(model))
    if frame["model"].n_unique() < 2:
        return f"Means of {name} on {plural(total, 'primary metric')} and on the secondary ones."
    of = plural(total, "primary metric")
    return f"Among the models, {name} is best, alone or with others, on {n} of {of}."


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the matrix holds."""
    frame = rows_of(tables, card)
    return (
        f"Matrix of {plural(frame['metric'].n_unique(), 'metric')} and "
        f"{plural(frame['model'].n_unique(), 'system')}, by stage of the consultation."
    )


FIGURE = Figure(
    name="metric_heatmap",
    title="Metrics of consultation sessions",
    needs=("models", "session_scores", "stage_scores", "metric_definitions"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
