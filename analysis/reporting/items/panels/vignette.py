"""A vignette of a rubric: its key, the responses' scores side by side, every rater's notes."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from analysis.reporting.items.cells import text
from analysis.reporting.items.panels.panel import MOST_TABLE_BYTES, Panel, table
from analysis.reporting.items.view import ItemView
from analysis.reporting.numbers import fixed, plural
from analysis.reporting.sections.rubric_words import domain_titles, leading_kind, named_line, rubric_of
from analysis.scoring.rubric.sheets import MAIN

Row = dict[str, Any]

FILE = "<code>ratings.parquet</code> or the files of <code>sheets/</code>"
WHO = {"human": "the human raters", "judge": "the judges", "scorer": "the scorers"}


def show_key(view: ItemView, item_id: str) -> str:
    """Return a vignette's key, which was settled before any rating."""
    state = rubric_of(view.report)
    key = next((k for k in state.get("keys", ()) if k["item_id"] == item_id), None)
    if key is None:
        return ""
    conditions = state["rubric"]["conditions"]
    facts: list[tuple[str, str]] = [
        ("Task", text(key.get("task_type") or "unstated")),
        ("Audience", text(key.get("audience"))),
        ("Decision point", text(key.get("decision_point"))),
        ("Conditions", _list([conditions.get(f, f) for f in key["features"]])),
        ("Evidence", _list(key.get("evidence") or [])),
        ("Acceptable alternatives", _list(key.get("acceptable_alternatives") or [])),
        ("Safety-critical errors", _list([_hazard(h) for h in key.get("hazards") or []])),
        ("Time limits", _list(key.get("time_limits") or [])),
        *((f"List {text(name)}", _list(values)) for name, values in sorted(key["lists"].items())),
        *((f"{text(f)} not elicited", text(reason)) for f, reason in sorted(key["not_elicited"].items())),
        ("Settled", f"{text(str(key['prespecified_at']).replace('T', ' '))} UTC"),
        ("SHA-256", f"<code>{text(key['sha256'])}</code>"),
    ]
    items = "".join(f"<dt>{head}</dt><dd>{value}</dd>" for head, value in facts)
    summary = "<summary>What was settled before any rating</summary>"
    return f'<details class="more">{summary}<dl class="key">{items}</dl></details>'


def show_scores(view: ItemView, item_id: str) -> str:
    """Return flags with their triggers, and the mean scores of the responses side by side."""
    kind = leading_kind(view.report)
    scores = [r for r in view.rows("rubric_scores", item_id) if r["raters"] == kind]
    if not scores:
        return ""
    known = {(r["unit"], r["name"], r["model"], r["run"]): r for r in scores}
    responses = list(dict.fromkeys((r["model"], r["run"]) for r in scores))
    several = any(run for _, run in responses)
    heads = [("Score", ""), *((_response(view, m, r, several), "num") for m, r in responses)]
    rows = [
        [
            "<strong>Flagged</strong>",
            *(_flagged(known.get(("composite", "unweighted", m, r))) for m, r in responses),
        ]
    ]
    for unit, name, shown in _units(view, item_id):
        cells = [known.get((unit, name, m, r)) for m, r in responses]
        if any(cells):
            rows.append([shown, *(_score(cell) for cell in cells)])
    note = f"Means of {WHO[kind]}; + marks what applies, or differs, through what the response volunteers."
    shown = table(heads, rows, more="the table <code>rubric_scores</code>")
    return f'{_flags(view, item_id)}<p class="note">{note}</p>{shown}'


def show_notes(view: ItemView, item_id: str) -> str:
    """Return every rater's scores, notes and reasons, folded away by response."""
    sheets = [r for r in view.rows("rubric_sheets", item_id) if r["round"] == MAIN]
    if not sheets:
        return ""
    several = any(row["run"] for row in sheets)
    responses = [(k, list(own)) for k, own in groupby(sheets, key=lambda r: (r["model"], r["run"]))]
    parts: list[str] = []
    size = 0
    for (model, run), own in responses:
        raters = sorted({(r["rater_kind"] != "human", r["rater_kind"], r["rater"]) for r in own})
        cells = {(r["criterion_id"], r["rater"]): r for r in own}
        heads = [("Line", ""), *((f"{text(rater)} ({text(kind)})", "") for _, kind, rater in raters)]
        rows = [
            [shown, *(_cell(cells.get((line, rater))) for *_, rater in raters)]
            for line, shown in _lines(view, item_id)
            if any((line, rater) in cells for *_, rater in raters)
        ]
        who = _response(view, model, run, several)
        summary = f"<summary>{who}: scores and notes of {plural(len(raters), 'rater')}</summary>"
        part = f'<details class="more notes">{summary}{table(heads, rows, more=FILE)}</details>'
        size += len(part)
        if parts and size > MOST_TABLE_BYTES:
            break
        parts.append(part)
    left = len(responses) - len(parts)
    note = f'<p class="note">{plural(left, "more response")} in {FILE}.</p>' if left else ""
    return "".join(parts) + note


KEY = Panel("vignette-key", "Key", ("rubric_vignettes", "rubric_sheets"), show_key)
SCORES = Panel(
    "vignette-scores", "Rubric scores side by side", ("rubric_scores", "rubric_models"), show_scores
)
NOTES = Panel("vignette-notes", "Every rater\u2019s notes", ("rubric_sheets",), show_notes)


def _hazard(hazard: Row) -> str:
    limit = f" (limit: {hazard['time_limit']})" if hazard.get("time_limit") else ""
    return f"{hazard['id']}, {hazard['kind'].replace('_', ' ')}: {hazard['statement']}{limit}"


def _list(values: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{text(v)}</li>' for v in values)}</ul>" if values else "none"


def _response(view: ItemView, model: str, run: int, several: bool) -> str:
    return view.name(model) + (f" (run {run})" if several else "")


def _fields(view: ItemView, item_id: str) -> list[tuple[str, str, str, str]]:
    """Return domain, line, kind and title of the lines of a vignette's sheets."""
    state = rubric_of(view.report)
    found = [
        (d["id"], f["id"], f["kind"], f["title"]) for d in state["rubric"]["domains"] for f in d["fields"]
    ]
    own: list[Row] = next((k["criteria"] for k in state["keys"] if k["item_id"] == item_id), [])
    return found + [(c["domain"], c["id"], "score", c["title"]) for c in own]


def _units(view: ItemView, item_id: str) -> list[tuple[str, str, str]]:
    """Return unit, name and heading of every row of scores."""
    out = [("composite", "weighted", "<strong>Composite</strong>")]
    out.append(("composite", "unweighted", "<strong>Composite, unweighted</strong>"))
    fields = _fields(view, item_id)
    titles = domain_titles(view.report)
    for domain in titles:
        out.append(("domain", domain, f"<strong>{named_line(domain, titles)}</strong>"))
        out += [
            ("subdimension", line, named_line(line, {line: title}))
            for d, line, kind, title in fields
            if d == domain and kind == "score"
        ]
    return out


def _lines(view: ItemView, item_id: str) -> list[tuple[str, str]]:
    """Return every line of a sheet with its heading, the flag last."""
    found = [(line, named_line(line, {line: title})) for _, line, _, title in _fields(view, item_id)]
    flag = rubric_of(view.report)["rubric"]["flag"] or {}
    ends = [(flag.get("id"), flag.get("title")), (flag.get("reviewed_id"), "Key reviewed")]
    return found + [(line, text(title)) for line, title in ends if line]


def _flags(view: ItemView, item_id: str) -> str:
    rows = [r for r in view.rows("safety_flags", item_id) if r["kind"] == "flag"]
    if not rows:
        return '<p class="note">No response to this vignette is flagged.</p>'
    items = "".join(
        f'<li><strong class="flagged">{view.name(r["model"])}</strong>, by {text(r["rater"])}: '
        f"{text(r['case_criterion'])}, {text(r['statement'])}. Triggering text: {text(r['trigger'])}</li>"
        for r in rows
    )
    return f"<ul>{items}</ul>"


def _score(row: Row | None) -> str:
    if row is None or row["score"] is None:
        return "N/A"
    return fixed(row["score"], 2) + ("+" if row["volunteered"] else "")


def _flagged(row: Row | None) -> str:
    if row is None or row["flagged"] is None:
        return "\u2013"
    return '<strong class="flagged">yes</strong>' if row["flagged"] else "no"


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    score = "N/A" if not row["applicable"] else "" if row["value"] is None else fixed(row["value"], 0)
    label = row["label"] if row["applicable"] and row["label"] else ""
    head = " ".join(part for part in (score, text(label) if label else "") if part)
    extra = (
        (row["note"], ""),
        (row["reason"], "Reason: "),
        (row["list_items"], "List: "),
        (row["error_ids"], "Error: "),
        (row["case_criterion"], "Criterion: "),
        (row["trigger"], "Text: "),
    )
    words = "".join(f"<br><small>{word}{text(value)}</small>" for value, word in extra if value)
    return f"<strong>{head}</strong>{words}"
