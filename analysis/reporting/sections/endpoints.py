"""The card's further endpoints, each beside the majority-class baseline where classes are declared."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, scale_for
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

WORDS = {
    "accuracy": "accuracy",
    "macro": "mean of the groups",
    "balanced": "mean of the classes’ recalls",
    "majority_baseline": "majority class",
    "given": "condition right",
    "joint": "both right",
    "conditional": "right, given the condition",
    "ceiling": "mapping on reference evidence",
}
"""Statistics in words."""


def show(view: View) -> str:
    """Return the declared endpoints in words and as tables; empty where the card declares none."""
    frame = view.results.table("endpoint_scores")
    if frame is None:
        return ""
    names = frame["endpoint"].unique(maintain_order=True).to_list()
    names = [n for n in view.results.card.endpoints if n in names]
    texts = [sentence(view, name, frame.filter(pl.col("endpoint") == name)) for name in names]
    head = "\n### Declared endpoints {#endpoints}\n"
    return head + "".join(paragraph(t) for t in texts if t) + _table(view, frame, names)


def sentence(view: View, name: str, rows: pl.DataFrame) -> str:
    """Return how many models stay at or below the majority-class baseline; empty without classes."""
    rows = rows.filter(pl.col("statistic") == "accuracy", pl.col("baseline").is_not_null())
    rows = rows.unique("model", keep="first", maintain_order=True)
    if rows.is_empty():
        return ""
    scale = scale_for("percent", [])
    below = rows.filter(pl.col("estimate") <= pl.col("baseline") + 1e-12).height
    low, high = min(rows["baseline"].to_list()), max(rows["baseline"].to_list())
    base = scale.value(low) if low == high else f"{scale.value(low)} to {scale.value(high)}"
    return (
        f"<bdi><strong>{escape(name)}</strong></bdi>: always the most frequent class would be right in "
        f"{base}; {below} of {rows.height} models are not above that."
    )


def _table(view: View, frame: pl.DataFrame, names: list[str]) -> str:
    columns = [
        Column("model", "Model"),
        Column("what", "Statistic"),
        Column("n", "Right of all", "right"),
        Column("estimate", "%", "right"),
        Column("interval", view.ci),
        Column("out", "Left out", "right"),
    ]
    cells = []
    for name in names:
        rows = frame.filter(pl.col("endpoint") == name)
        meaning = view.results.card.endpoints[name].meaning
        head = f"<bdi>{escape(name)}</bdi>{f': {escape(meaning)}' if meaning else ''}"
        best = rows.with_columns(
            (pl.col("method") != "wilson").alias("_last"), pl.col("ci_low").is_null().alias("_none")
        )
        best = best.sort("_none", "_last", maintain_order=True)
        best = best.unique(["model", "statistic", "part"], keep="first", maintain_order=True)
        order = {k: i for i, k in enumerate([*WORDS, "group", "recall"])}
        for row in sorted(
            best.iter_rows(named=True), key=lambda r: (r["model"], order[r["statistic"]], r["part"])
        ):
            cells.append({"group": head, **_cells(view, row)})
    return detail(
        view,
        "endpoint_scores",
        columns,
        cells,
        summary="Every declared endpoint, by model",
        caption="Wilson intervals where every cluster holds one item, else the bootstrap over clusters.",
        groups="group",
    )


def _cells(view: View, row: dict[str, Any]) -> dict[str, str]:
    part = f"<bdi>{escape(row['part'])}</bdi>"
    what = WORDS.get(row["statistic"]) or f"{row['statistic']} {part}"
    if row["statistic"] == "majority_baseline":
        what += f" ({part})"
    low, high = row["ci_low"], row["ci_high"]
    limits = "–" if low is None else muted_range(scale_for("percent", [(low, high)]).interval(low, high))
    of = (
        count(row["n_items"])
        if row["n_success"] is None
        else f"{count(row['n_success'])} of {count(row['n_items'])}"
    )
    return {
        "model": view.name(row["model"]),
        "what": what,
        "n": of,
        "estimate": scale_for("percent", []).bare(row["estimate"]),
        "interval": limits,
        "out": count(row["n_left_out"]),
    }
