"""The verdicts on an item: a row per model and run."""

from __future__ import annotations

from typing import Any

from analysis.reporting.items.cells import number, text, texts
from analysis.reporting.items.panels.panel import Panel, table
from analysis.reporting.items.view import ItemView
from analysis.reporting.markup import escape
from analysis.reporting.numbers import plural

LISTS = ("labels", "flags")
HEADS = {"labels": "Labels", "decision": "Decision", "flags": "Flags", "score": "Score"}


def show(view: ItemView, item_id: str) -> str:
    """Return the verdicts on an item as HTML, and which models have none."""
    rows = view.rows("verdicts", item_id)
    if not rows:
        return ""
    columns = _columns(view, rows)
    heads = [("Model", "")]
    if "run" in columns:
        heads.append(("Run", "num"))
    heads += [("Verdict", ""), ("Correct", "")]
    heads += [(_head(c), "" if c in (*LISTS, "decision") else "num") for c in columns if c != "run"]
    cells = [_cells(view, row, columns) for row in rows]
    return table(heads, cells, more="<code>verdicts.parquet</code>") + _runs(view, rows) + _silent(view, rows)


PANEL = Panel("verdicts", "Verdicts", ("verdicts",), show)


def _columns(view: ItemView, rows: list[dict[str, Any]]) -> list[str]:
    """Return the columns beside verdict and success: runs where any is not 0, and what has values."""
    own = ["run"] if any(row["run"] for row in rows) else []
    metrics = [m for m in view.report.results.card.metrics if m not in ("correct", "score")]
    return own + view.filled("verdicts", ("score", *metrics, "labels", "decision", "flags"))


def _head(column: str) -> str:
    return HEADS.get(column) or f"<bdi>{escape(column)}</bdi>"


def _cells(view: ItemView, row: dict[str, Any], columns: list[str]) -> list[str]:
    cells = [view.name(row["model"])]
    if "run" in columns:
        cells.append(str(row["run"]))
    cells += [text(row["verdict"]), _success(row)]
    for column in columns:
        if column in LISTS:
            cells.append(texts(row[column]))
        elif column == "decision":
            cells.append("" if row[column] is None else text(row[column]))
        elif column != "run":
            cells.append(number(row[column]))
    return cells


def _success(row: dict[str, Any]) -> str:
    if row["excluded"]:
        return '<span class="muted">excluded</span>'
    if row["correct"] is None:
        return '<span class="muted">not scored</span>'
    return "<b>yes</b>" if row["correct"] else "no"


def _runs(view: ItemView, rows: list[dict[str, Any]]) -> str:
    """Return which models solve the item over their runs, where any has several."""
    runs: dict[str, list[bool]] = {}
    for row in rows:
        if row["correct"] is not None:
            runs.setdefault(row["model"], []).append(row["correct"])
    if not any(len(outcomes) > 1 for outcomes in runs.values()):
        return ""
    bar = view.report.results.card.solved_at
    solved = [
        f"{view.name(model)} ({sum(outcomes)} of {len(outcomes)})"
        for model, outcomes in runs.items()
        if sum(outcomes) / len(outcomes) >= bar
    ]
    share = f"at least {bar * 100:g}% of its scored runs"
    if not solved:
        return f'<p class="note">No model is correct in {share}.</p>'
    return f'<p class="note">Correct in {share}: {", ".join(solved)}.</p>'


def _silent(view: ItemView, rows: list[dict[str, Any]]) -> str:
    answered = {row["model"] for row in rows}
    silent = [model for model in view.models if model not in answered]
    if not silent:
        return ""
    has = "has" if len(silent) == 1 else "have"
    names = view.report.names(silent, most=4)
    return f'<p class="note">{plural(len(silent), "model")} {has} no response: {names}.</p>'
