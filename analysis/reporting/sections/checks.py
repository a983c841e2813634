"""Every check of the data and what it found: what needs attention first, what is in order last."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import download
from analysis.reporting.markup import block, escape, paragraph
from analysis.reporting.numbers import plural
from analysis.reporting.view import View

MOST_OF_A_KIND = 12
"""Rows of one check that are listed; the table to download has them all."""
KINDS = ("attention", "note")
"""Kinds of findings, the more serious first."""


def show(view: View) -> str:
    """Return the findings of the checks: attention, notes, then what was found in order, folded away."""
    rows = view.results.table("data_quality")
    if rows is None:
        return ""
    listed = [_items(rows.filter(pl.col("status") == kind), kind) for kind in KINDS]
    shown = "".join(f'<ul class="checks">{items}</ul>' for items in listed if items)
    whole = block(shown) if shown else ""
    return paragraph(summary(rows)) + whole + _by_subject(view, rows) + _in_order(view, rows)


def summary(rows: pl.DataFrame) -> str:
    """Return how many checks there were and what came of them, as a sentence."""
    worst = {check: _worst(own["status"].to_list()) for (check,), own in rows.group_by("check")}
    counts = {kind: sum(v == kind for v in worst.values()) for kind in (*KINDS, "ok")}
    text = f"The data went through {plural(len(worst), 'check')}: "
    serious = f"{counts['attention']} need{'s' if counts['attention'] == 1 else ''} attention"
    if not counts["attention"]:
        serious = "none needs attention"
    return f"{text}{serious}, {counts['note']} left a note, {counts['ok']} found everything in order."


def _worst(statuses: list[str]) -> str:
    return next((kind for kind in KINDS if kind in statuses), "ok")


def _main(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of whole checks, and those of single subjects where a check has no row of its own."""
    whole = set(rows.filter(pl.col("subject") == "")["check"])
    return rows.filter((pl.col("subject") == "") | ~pl.col("check").is_in(sorted(whole)))


def _items(rows: pl.DataFrame, kind: str) -> str:
    tag = f'<span class="tag{" bad" if kind == "attention" else ""}">{kind}</span>'
    items = []
    for _, own in _main(rows).group_by("check", maintain_order=True):
        notes = own["note"].to_list()
        items += [f"<li>{tag} <bdi>{escape(note)}</bdi></li>" for note in notes[:MOST_OF_A_KIND]]
        if len(notes) > MOST_OF_A_KIND:
            items.append(
                f'<li class="muted">{plural(len(notes) - MOST_OF_A_KIND, "more")} of this kind.</li>'
            )
    return "".join(items)


def _by_subject(view: View, rows: pl.DataFrame) -> str:
    """Return what was found of single models, labels and raters under checks listed above, folded away."""
    found = rows.filter(pl.col("status") != "ok")
    single = found.join(_main(found), on=["check", "subject"], how="anti", maintain_order="left")
    items, n = [], 0
    for (check,), own in single.group_by("check", maintain_order=True):
        notes = own["note"].to_list()
        n += len(notes)
        shown = "".join(f"<li><bdi>{escape(note)}</bdi></li>" for note in notes[:MOST_OF_A_KIND])
        if len(notes) > MOST_OF_A_KIND:
            left = plural(len(notes) - MOST_OF_A_KIND, "more line")
            shown += f'<li class="muted">{left} in the table {download(view, "data_quality")}.</li>'
        items.append(f"<p><strong>{escape(_check(str(check)))}</strong></p><ul>{shown}</ul>")
    if not items:
        return ""
    summary = f"<summary>By model, label or rater, {plural(n, 'line')}</summary>"
    return block(f'<details class="more">{summary}{"".join(items)}</details>')


def _in_order(view: View, rows: pl.DataFrame) -> str:
    ok = rows.filter(pl.col("status") == "ok")
    notes = [n for _, own in ok.group_by("check", maintain_order=True) for n in own["note"][:MOST_OF_A_KIND]]
    if not notes:
        return ""
    items = "".join(f"<li><bdi>{escape(note)}</bdi></li>" for note in notes)
    summary = f"<summary>Checked and found in order, {plural(len(notes), 'line')}</summary>"
    return block(f'<details class="more">{summary}<ul>{items}</ul></details>')


def _check(check: str) -> str:
    """Return a check's name as words.

    Examples
    --------
    >>> _check("missing_cells")
    'Missing cells'
    """
    return check.replace("_", " ").capitalize()
