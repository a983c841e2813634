"""The audit trail of a scorer: per response, the fields, slots and thresholds that led to its verdict."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from analysis.reporting.items.cells import number, text
from analysis.reporting.items.panels.panel import MOST_TABLE_BYTES, Panel
from analysis.reporting.items.view import ItemView
from analysis.reporting.numbers import plural

MOST_STEPS = 100
"""Steps of one response that are shown; those past it are counted."""

COLUMNS = {
    "phase": ("Phase", ""),
    "field": ("Field", ""),
    "outcome": ("Outcome", ""),
    "found": ("Found", ""),
    "expected": ("Expected", ""),
    "value": ("Value", "num"),
    "threshold": ("Threshold", "num"),
}
FILE = "<code>audit_trail.parquet</code>"


def show(view: ItemView, item_id: str) -> str:
    """Return an item's audit trail as one table, folded away: a group of rows per response, in rank order."""
    rows = view.rows("audit_trail", item_id)
    if not rows:
        return ""
    columns = view.filled("audit_trail", tuple(COLUMNS))
    several = any(row["run"] for row in rows)
    responses = [list(steps) for _, steps in groupby(rows, key=lambda row: (row["model"], row["run"]))]
    groups: list[str] = []
    size = 0
    for steps in responses:
        group = _response(view, steps, columns, several=several)
        size += len(group)
        if groups and size > MOST_TABLE_BYTES:
            break
        groups.append(group)
    left = len(responses) - len(groups)
    note = f'<p class="note">{plural(left, "more response")} in {FILE}.</p>' if left else ""
    heads = "".join(f'<th scope="col"{css}>{head}</th>' for head, css in (_head(c) for c in columns))
    summary = f"{plural(len(rows), 'step')} of {plural(len(responses), 'response')}"
    return (
        f'<details class="more"><summary>{summary}</summary><div class="scroll"><table>'
        f"<thead><tr>{heads}</tr></thead>\n{''.join(groups)}</table></div>{note}</details>"
    )


PANEL = Panel("audit-trail", "Audit trail of the scorer", ("audit_trail",), show)


def _head(column: str) -> tuple[str, str]:
    head, css = COLUMNS[column]
    return head, f' class="{css}"' if css else ""


def _response(view: ItemView, steps: list[dict[str, Any]], columns: list[str], *, several: bool) -> str:
    """Return the rows of a response below a row that names it and the verdict that its trail states."""
    first = steps[0]
    stated = [step["outcome"] for step in steps if step["phase"] == "verdict"]
    which = f", run {first['run']}" if several else ""
    verdict = f": {text(stated[-1])}" if stated else ""
    span = len(columns)
    left = len(steps) - MOST_STEPS
    lines = [
        f'<tr><th colspan="{span}" scope="rowgroup">{view.name(first["model"])}{which}{verdict}</th></tr>'
    ]
    lines += [_row(step, columns) for step in steps[:MOST_STEPS]]
    if left > 0:
        more = f"{plural(left, 'more step')} in {FILE}"
        lines.append(f'<tr><td colspan="{span}" class="muted">{more}</td></tr>')
    return f"<tbody>{chr(10).join(lines)}</tbody>\n"


def _row(step: dict[str, Any], columns: list[str]) -> str:
    """Return a step as a row; empty cells at its end are left out, since there are very many rows."""
    cells = [_cell(step[c], c) for c in columns]
    while cells and cells[-1].endswith("></td>"):
        cells.pop()
    return f"<tr>{''.join(cells)}</tr>"


def _cell(value: Any, column: str) -> str:
    if column in ("value", "threshold"):
        return f'<td class="num">{number(value)}</td>'
    return f"<td>{'' if value is None else text(value)}</td>"
