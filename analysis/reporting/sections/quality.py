"""What was read, what was not used and what the checks found: nothing is lost without a line here."""

from __future__ import annotations

import polars as pl

from analysis.reporting.markup import block, escape, paragraph
from analysis.reporting.numbers import count, plural
from analysis.reporting.sections import checks, single_items, stability
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent

GROUPS = {
    "rows_read": "Read",
    "rows": "Read",
    "items": "Read",
    "models": "Read",
    "ratings": "Read",
    "audit_trail": "Read",
    "criteria": "Read",
    "rubric_sheets": "Read",
    "rubric_round": "Read",
    "excluded_rows": "Not scored",
    "unscored_rows": "Not scored",
    "missing_cells": "Not scored",
    "ragged_runs": "Not scored",
    "quarantined_rows": "Set aside",
}
"""Headings of the audit's checks; what is not named here stands under the last one."""
LAST = "Worth knowing"
ORDER = ("Read", "Not scored", "Set aside", LAST)
MOST_OF_A_KIND = 12
"""Rows of one check that are listed; the table to download has them all."""


def show(view: View) -> str:
    """Return the audit in words and tables."""
    audit = view.results.table("audit")
    if audit is None:
        return absent("There is no audit table.")
    head = paragraph(summary(view, audit)) + single_items.every(view) + single_items.flagged(view)
    return head + checks.show(view) + _cells_by_model(view) + _audit(view, audit)


def summary(view: View, audit: pl.DataFrame) -> str:
    """Return the main counts as a sentence."""
    n = dict(audit.filter(pl.col("subject") == "").select("check", "n").iter_rows())
    text = (
        f"{plural(n.get('rows', 0), 'row')} of verdicts on {plural(n.get('items', 0), 'item')} by "
        f"{plural(n.get('models', 0), 'model')} {'was' if n.get('rows') == 1 else 'were'} read."
    )
    parts = []
    for check, words in (
        ("excluded_rows", "excluded by verdict"),
        ("unscored_rows", "without a score"),
        ("quarantined_rows", "set aside"),
    ):
        if n.get(check):
            parts.append(f"{plural(n[check], 'row')} {words}")
    if n.get("missing_cells"):
        parts.append(f"{plural(n['missing_cells'], 'cell')} (model and item) without any row")
    if not parts:
        return f"{text} Nothing was excluded, unscored, missing or set aside."
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{text} There {'is' if listed.startswith('1 ') else 'are'} {listed}."


def _cells_by_model(view: View) -> str:
    """Return scored, excluded, unscored and missing cells of every model, where any cell is not scored."""
    rows = view.standings
    if rows is None:
        return ""
    kinds = ("n_excluded", "n_unscored", "n_missing")
    if rows.select(kinds).sum().row(0) == (0, 0, 0):
        if stability.any_cell_without_score(view):
            return ""
        each = view.every[0].upper() + view.every[1:]
        return paragraph(f"{each} has a scored cell for every item.", css="note")
    cells = [
        {"model": view.name(row["model"]), "n_items": count(row["n_items"])}
        | {kind: count(row[kind]) if row[kind] else '<span class="muted">0</span>' for kind in kinds}
        for row in rows.iter_rows(named=True)
    ]
    columns = [
        Column("model", "Model"),
        Column("n_items", "Scored", "right"),
        Column("n_excluded", "Excluded", "right"),
    ]
    columns += [Column("n_unscored", "Unscored", "right"), Column("n_missing", "Missing", "right")]
    table = static_table("cells-table", columns, cells)
    return table_float("tbl-cells", table, "Cells (model and item) by what became of them.")


def _audit(view: View, audit: pl.DataFrame) -> str:
    grouped: dict[str, list[str]] = {name: [] for name in ORDER}
    for (check,), rows in audit.group_by(["check"], maintain_order=True):
        said = rows.filter((pl.col("n") > 0) | (pl.col("check") == "label_never_used"))
        notes = [_sentence(note, subject) for note, subject in said.select("note", "subject").iter_rows()]
        shown = [f"<li><bdi>{escape(note)}</bdi></li>" for note in notes[:MOST_OF_A_KIND]]
        if len(notes) > MOST_OF_A_KIND:
            link = f'<a href="{escape(view.tables_link)}/audit.parquet" download>audit table</a>'
            shown.append(
                f'<li class="muted">{plural(len(notes) - MOST_OF_A_KIND, "more line")} in the {link}.</li>'
            )
        grouped[GROUPS.get(str(check), LAST)] += shown
    parts = [f"<h4>{name}</h4><ul>{''.join(lines)}</ul>" for name, lines in grouped.items() if lines]
    n = sum(map(len, grouped.values()))
    summary = f"<summary>The whole audit, {plural(n, 'line')}</summary>"
    return block(f'<details class="more">{summary}{"".join(parts)}</details>')


def _sentence(note: str, subject: str) -> str:
    """Return a note as a sentence; a name at its beginning keeps its spelling."""
    note = note.strip()
    if not (subject and note.startswith(subject)):
        note = note[:1].upper() + note[1:]
    return note + ("" if note.endswith((".", "!", "?")) else ".")
