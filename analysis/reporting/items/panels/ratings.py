"""What raters said about the responses to an item, beside the recorded verdict."""

from __future__ import annotations

from typing import Any

from analysis.reporting.items.cells import number, text
from analysis.reporting.items.panels.panel import Panel, table
from analysis.reporting.items.view import ItemView
from analysis.reporting.numbers import NONE

HEADS = {
    "run": ("Run", "num"),
    "criterion_id": ("Criterion", ""),
    "polarity": ("Polarity", ""),
    "label": ("Rating", ""),
    "value": ("Value", "num"),
    "flagged": ("Flagged", ""),
}


def show(view: ItemView, item_id: str) -> str:
    """Return the ratings of an item's responses as HTML; empty where nobody rated them."""
    if view.has("rubric_sheets"):
        # Ratings that follow a rubric have a panel of their own, with their notes.
        return ""
    rows = view.rows("ratings", item_id)
    if not rows:
        return ""
    verdicts = _verdicts(view, item_id)
    columns = view.filled("ratings", ("criterion_id", "polarity", "label", "value", "flagged"))
    if any(row["run"] for row in rows):
        columns = ["run", *columns]
    before = [c for c in columns if c in ("run", "criterion_id", "polarity")]
    after = [c for c in columns if c not in before]
    heads = [("Model", ""), *(HEADS[c] for c in before), ("Rater", ""), *(HEADS[c] for c in after)]
    heads.append(("Recorded verdict", ""))
    cells = []
    for row in rows:
        who = f'{text(row["rater"])} <span class="muted">{text(row["rater_kind"])}</span>'
        cells.append(
            [
                '<span class="muted">the item itself</span>'
                if row["model"] is None
                else view.name(row["model"]),
                *(_cell(row, c) for c in before),
                who,
                *(_cell(row, c) for c in after),
                _recorded(verdicts, row),
            ]
        )
    return table(heads, cells, more="<code>ratings.parquet</code>")


PANEL = Panel("ratings", "Ratings", ("ratings", "verdicts"), show)


def _verdicts(view: ItemView, item_id: str) -> dict[tuple[str, int | None], set[str | None]]:
    """Return the recorded verdicts by model and run, and by model alone (run None)."""
    found: dict[tuple[str, int | None], set[str | None]] = {}
    for row in view.rows("verdicts", item_id):
        for run in (row["run"], None):
            found.setdefault((row["model"], run), set()).add(row["verdict"] or _outcome(row))
    return found


def _outcome(row: dict[str, Any]) -> str | None:
    """Return the outcome of a response whose verdict is not given in words."""
    return None if row["correct"] is None else "correct" if row["correct"] else "not correct"


def _recorded(verdicts: dict[tuple[str, int | None], set[str | None]], row: dict[str, Any]) -> str:
    if row["model"] is None:
        return ""
    found = verdicts.get((row["model"], row["run"]))
    if found is None:
        return '<span class="muted">no response</span>'
    return text(next(iter(found))) if len(found) == 1 else '<span class="muted">differs by run</span>'


def _cell(row: dict[str, Any], column: str) -> str:
    value = row[column]
    if column == "flagged":
        return '<span class="tag bad">flagged</span>' if value else ""
    if column == "run":
        return NONE if value is None else str(value)
    if column == "value":
        return number(value)
    return "" if value is None else text(value)
