"""An open question's rubric: its criteria with how many responses meet each, and the responses' scores."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import polars as pl

from analysis.reporting.items.cells import number, text
from analysis.reporting.items.panels.panel import Panel, table
from analysis.reporting.items.view import ItemView
from analysis.reporting.numbers import NONE, Scale, count
from analysis.rubric_labels import label_values

POINTS = Scale("plain", 1)


def show(view: ItemView, item_id: str) -> str:
    """Return the criteria and the scores of an item as HTML; empty where it has no rubric."""
    criteria = view.rows("criteria", item_id)
    if not criteria:
        return ""
    scores = view.rows("consultation_items", item_id)
    return _criteria(view, item_id, criteria, {r["rater"] for r in scores}) + _scores(view, scores)


PANEL = Panel("rubric", "Rubric", ("criteria", "consultation_items", "ratings"), show)


def _criteria(view: ItemView, item_id: str, criteria: list[dict[str, Any]], raters: set[str]) -> str:
    """Return the criteria, each with how many labels of the scored raters say yes."""
    yes: dict[str, int] = defaultdict(int)
    said: dict[str, int] = defaultdict(int)
    rows = [r for r in view.rows("ratings", item_id) if r["rater"] in raters and r["model"] is not None]
    labels = pl.DataFrame(rows, schema={"criterion_id": pl.String, "label": pl.String, "value": pl.Float64})
    read = label_values(labels, view.report.results.card)
    for criterion, value in zip(labels["criterion_id"], read, strict=True):
        if value is not None and value >= 0:
            said[criterion] += 1
            yes[criterion] += value > 0
    heads = [("Criterion", ""), ("Kind", ""), ("Weight", "num"), ("Labels yes", "num")]
    named = any(row["text"] for row in criteria)
    if named:
        heads.insert(1, ("What it asks", ""))
    cells = []
    for row in sorted(criteria, key=lambda r: (r["polarity"] == "negative", r["kind"], r["criterion_id"])):
        error = row["polarity"] == "negative"
        kind = f"{text(row['kind'])}{' <span class=muted>error</span>' if error else ''}"
        key = row["criterion_id"]
        met = f"{count(yes[key])} of {count(said[key])}" if said[key] else NONE
        weight = f"\u2212{number(row['weight'])}" if error else number(row["weight"])
        cells.append([text(key), *([text(row["text"])] if named else []), kind, weight, met])
    return table(heads, cells, more="<code>criteria.parquet</code>")


def _scores(view: ItemView, scores: list[dict[str, Any]]) -> str:
    if not scores:
        return ""
    heads = [
        ("Model", ""),
        ("Rater", ""),
        ("Met", "num"),
        ("Errors", "num"),
        ("Deduction", "num"),
        ("Score of 100", "num"),
    ]
    several = any(r["run"] for r in scores)
    if several:
        heads.insert(1, ("Run", "num"))
    cells = [
        [
            view.name(r["model"]),
            *([str(r["run"])] if several else []),
            text(r["rater"]),
            f"{count(r['n_met'])} of {count(r['n_applicable'])}" if r["n_applicable"] else NONE,
            count(r["n_errors"]),
            POINTS.bare(r["deduction"]),
            POINTS.bare(r["score"]),
        ]
        for r in scores
    ]
    return table(heads, cells, more="<code>consultation_items.parquet</code>")
