"""The audit trail of a scorer: per response, the fields, slots and thresholds that led to its verdict."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from analysis.reporting.items.cells import number, text
from analysis.reporting.items.panels.panel import Panel, table
from analysis.reporting.items.view import ItemView
from analysis.reporting.numbers import plural

MOST_RESPONSES = 100
"""Responses of one item whose trail is shown; those past it are counted."""

COLUMNS = {
    "phase": ("Phase", ""),
    "field": ("Field", ""),
    "outcome": ("Outcome", ""),
    "found": ("Found", ""),
    "expected": ("Expected", ""),
    "value": ("Value", "num"),
    "threshold": ("Threshold", "num"),
}


def show(view: ItemView, item_id: str) -> str:
    """Return an item's audit trail as HTML: a part per response that opens without a script."""
    rows = view.rows("audit_trail", item_id)
    columns = view.filled("audit_trail", tuple(COLUMNS))
    several = any(row["run"] for row in rows)
    responses = [
        (model, run, list(steps))
        for (model, run), steps in groupby(rows, key=lambda r: (r["model"], r["run"]))
    ]
    parts = [
        _response(view, model, run if several else None, steps, columns)
        for model, run, steps in responses[:MOST_RESPONSES]
    ]
    left = len(responses) - MOST_RESPONSES
    if left > 0:
        more = f"{plural(left, 'more response')} in <code>audit_trail.parquet</code>."
        parts.append(f'<p class="note">{more}</p>')
    return "".join(parts)


PANEL = Panel("audit-trail", "Audit trail of the scorer", ("audit_trail",), show)


def _response(
    view: ItemView, model: str, run: int | None, steps: list[dict[str, Any]], columns: list[str]
) -> str:
    stated = [step["outcome"] for step in steps if step["phase"] == "verdict"]
    verdict = f": {text(stated[-1])}" if stated else ""
    which = "" if run is None else f", run {run}"
    summary = f'{view.name(model)}{which}{verdict} <span class="muted">({plural(len(steps), "step")})</span>'
    heads = [("Step", ""), *(COLUMNS[c] for c in columns)]
    cells = [[str(step["step"]), *(_cell(step, c) for c in columns)] for step in steps]
    body = table(heads, cells, more="<code>audit_trail.parquet</code>")
    return f'<details class="more"><summary>{summary}</summary>{body}</details>'


def _cell(step: dict[str, Any], column: str) -> str:
    value = step[column]
    if column in ("value", "threshold"):
        return number(value)
    return "" if value is None else text(value)
