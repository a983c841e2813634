"""How often each failure label stands among each model's items."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.matrix import Group, draw_matrix
from analysis.figures.parts import Row, finish
from analysis.figures.select import ALL, in_track, level_text, n_text
from analysis.figures.strata import model_order, scale_of
from analysis.figures.text import count, isolate, listing, percent, plural, short_labels, spaced
from analysis.figures.theme import TEXT, Theme
from analysis.figures.wording import whole_percent

WITHOUT = "No response carries a failure label."

MAX_LABELS = 60
"""The most labels that are shown: the most frequent ones."""

KINDS = ("Hard failures", "Other failures", "Technical faults")
"""Groups of labels, in order."""


def totals_of(frame: pl.DataFrame, card: BenchmarkCard) -> pl.DataFrame:
    """Return per label its count and rate over all models, its kind first, then by count."""
    kinds = {
        label: 0 if meaning.hard else 2 if meaning.technical else 1 for label, meaning in card.labels.items()
    }
    kind = pl.col("label").replace_strict(kinds, default=1, return_dtype=pl.Int64)
    return (
        frame.group_by("label")
        .agg(pl.col("count").sum(), pl.col("n_items").sum())
        .with_columns(kind.alias("kind"), rate=pl.col("count") / pl.col("n_items"))
        .sort(["kind", "count", "label"], descending=[False, True, False])
    )


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the matrix of labels and models."""
    frame = in_track(tables["failure_labels"], ALL)
    if frame.is_empty() or not frame["count"].sum():
        return Absent(WITHOUT)
    who = identify(tables)
    totals = totals_of(frame, card)
    kept = totals.sort(["count", "label"], descending=[True, False]).head(MAX_LABELS)["label"].to_list()
    labels = short_labels({label: spaced(label) for label in sorted(kept)}, 170, TEXT)
    groups = []
    for i, kind in enumerate(KINDS):
        part = totals.filter((pl.col("kind") == i) & pl.col("label").is_in(kept))
        if part.height:
            sides = {
                labels[r["label"]]: (count(r["count"]), percent(r["rate"]))
                for r in part.iter_rows(named=True)
            }
            groups.append((i, Group(kind, list(sides), sides)))
    place = {kind: j for j, (kind, _) in enumerate(groups)}
    kinds = dict(totals.select("label", "kind").iter_rows())
    cells: dict[tuple[int, str, str], Row] = {}
    for row in frame.filter(pl.col("label").is_in(kept)).iter_rows(named=True):
        cells[place[kinds[row["label"]]], labels[row["label"]], who.label(row["model"])] = {
            "value": row["rate"],
            "text": whole_percent(row["rate"]),
            "n": f"{count(row['count'])} of {count(row['n_items'])}",
            "style": "normal",
            "weight": "normal",
        }
    scale = scale_of([c["value"] for c in cells.values()], "Items with the label", rate=True, zero=True)
    models = model_order(tables, card, set(frame["model"].unique().to_list()))
    shown = [g if len(groups) > 1 else Group("", g.values, g.sides) for _, g in groups]
    chart, width = draw_matrix(
        shown, [who.label(m) for m in models], cells, scale, ("Count", "All models"), theme
    )
    sizes = frame.group_by("model").agg(pl.col("n_items").max())["n_items"].to_list()
    text = f"{n_text(sizes)} per model. Cells: items with the label in any run (%); items may have several."
    hidden = totals.height - len(kept)
    if hidden:
        text += f" {plural(hidden, 'rare label')} in the table only."
    return finish(chart, theme, card, "Failure labels, by model", [text], width=max(width, 420))


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say which label is most frequent, where a label is most frequent, and which are hard."""
    frame = in_track(tables["failure_labels"], ALL)
    totals = totals_of(frame, card)
    most = totals.sort(["count", "label"], descending=[True, False]).row(0, named=True)
    sizes = frame.group_by("model").agg(pl.col("n_items").max())["n_items"]
    text = [
        f"The most frequent label is {isolate(spaced(most['label']))}: {count(most['count'])} of "
        f"{count(int(sizes.sum()))} pairs of model and item ({percent(most['rate'])})."
    ]
    top = frame.sort(["rate", "label", "model"], descending=[True, False, False]).row(0, named=True)
    text.append(
        f"The highest rate is that of {isolate(spaced(top['label']))} in "
        f"{isolate(identify(tables).spoken(top['model']))}: {percent(top['rate'])}"
        + _limits(top, tables, card)
        + "."
    )
    hard = totals.filter((pl.col("kind") == 0) & (pl.col("count") > 0))["label"].to_list()
    if hard:
        text.append(f"Hard failures are {listing([spaced(label) for label in hard], 6)}.")
    return " ".join(text)


def _limits(row: Row, tables: Tables, card: BenchmarkCard) -> str:
    if row["ci_low"] is None:
        return ""
    limits = f"{percent(row['ci_low'])} to {percent(row['ci_high'])}"
    return f" ({level_text(tables, card)} interval {limits})"


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the matrix holds."""
    frame = in_track(tables["failure_labels"], ALL)
    totals = totals_of(frame, card).sort(["count", "label"], descending=[True, False])
    first = ", ".join(
        f"{isolate(spaced(row['label']))} {percent(row['rate'])}"
        for row in totals.head(5).iter_rows(named=True)
    )
    return (
        f"Matrix of {plural(totals.height, 'failure label')} and "
        f"{plural(frame['model'].n_unique(), 'model')}. "
        f"Over all models: {first}."
    )


FIGURE = Figure(
    name="failure_labels",
    title="Failure labels",
    needs=("models", "failure_labels"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
