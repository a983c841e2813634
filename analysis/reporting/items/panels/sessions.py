"""Consultation sessions with a patient: what each system asked and was told, diagnosed and scored."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from analysis.reporting.items.cells import text, texts
from analysis.reporting.items.panels.panel import MOST_TABLE_BYTES, Panel
from analysis.reporting.items.view import ItemView
from analysis.reporting.numbers import NONE, fixed, plural

MOST_TURNS = 60
"""Turns of one session that are shown; those past it are counted."""

FILE = "<code>sessions/turns.parquet</code>"
Row = dict[str, Any]
Session = tuple[str, int]


def show(view: ItemView, item_id: str) -> str:
    """Return the sessions with a case as one table, folded away: a group of turns per session."""
    sessions = view.rows("sessions", item_id)
    if not sessions:
        return ""
    units = {r["aiu_id"]: r["text"] or r["aiu_id"] for r in _rows(view, "session_aius", item_id)}
    turns, listed, measured = (
        _by_session(_rows(view, name, item_id))
        for name in ("session_turns", "session_differentials", "session_metrics")
    )
    several = any(row["run"] for row in sessions)
    groups: list[str] = []
    size = 0
    for row in sessions:
        key = (row["model"], row["run"])
        head = _head(view, row, listed.get(key, []), measured.get(key, []), several=several)
        group = _group(head, turns.get(key, []), units)
        size += len(group)
        if groups and size > MOST_TABLE_BYTES:
            break
        groups.append(group)
    left = len(sessions) - len(groups)
    note = f'<p class="note">{plural(left, "more session")} in {FILE}.</p>' if left else ""
    heads = '<th scope="col" class="num">Turn</th><th scope="col">Asked</th><th scope="col">Revealed</th>'
    summary = plural(len(sessions), "session")
    return (
        f'<details class="more"><summary>{summary}, turn by turn</summary><div class="scroll"><table>'
        f"<thead><tr>{heads}</tr></thead>\n{''.join(groups)}</table></div>{note}</details>"
    )


PANEL = Panel("sessions", "Consultation sessions", ("sessions", "session_metrics"), show)


def _rows(view: ItemView, table: str, item_id: str) -> list[Row]:
    return view.rows(table, item_id) if view.has(table) else []


def _by_session(rows: list[Row]) -> dict[Session, list[Row]]:
    """Return rows by model and run; rows of a session stand together, in the order of their key."""
    return {key: list(part) for key, part in groupby(rows, key=lambda row: (row["model"], row["run"]))}


def _head(view: ItemView, session: Row, listed: list[Row], measured: list[Row], *, several: bool) -> str:
    """Return what a session came to: diagnoses in their order, and the primary metrics."""
    which = f", run {session['run']}" if several else ""
    ranked = sorted(listed, key=lambda r: (r["rank"], r["diagnosis"]))
    diagnosis = texts(r["diagnosis"] for r in ranked) or "no diagnosis"
    scores = ", ".join(
        f"{text(r['metric'])}\u00a0{NONE if r['value'] is None else fixed(r['value'], 2)}"
        for r in measured
        if r["tier"] == "primary"
    )
    after = "" if session["t_dx"] is None else f" after {plural(session['t_dx'], 'turn')}"
    muted = f' <span class="muted">{scores}</span>' if scores else ""
    return f"{view.name(session['model'])}{which}: {diagnosis}{after}{muted}"


def _group(head: str, turns: list[Row], units: dict[str, str]) -> str:
    lines = [f'<tr><th colspan="3" scope="rowgroup">{head}</th></tr>']
    for row in turns[:MOST_TURNS]:
        asked = row["question"] or row["template"]
        template = row["template"] if row["question"] else None
        kind = "" if template is None else f' <span class="muted">{text(template)}</span>'
        # Units are sentences with commas of their own.
        told = "; ".join(text(units.get(u, u)) for u in row["revealed"])
        lines.append(
            f'<tr><td class="num">{row["turn"]}</td><td>{text(asked)}{kind}</td><td>{told}</td></tr>'
        )
    left = len(turns) - MOST_TURNS
    if left > 0:
        lines.append(f'<tr><td colspan="3" class="muted">{plural(left, "more turn")} in {FILE}</td></tr>')
    return f"<tbody>{chr(10).join(lines)}</tbody>\n"
