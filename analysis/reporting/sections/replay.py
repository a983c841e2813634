"""The case explorer: a few sessions turn by turn, with what was revealed and what each metric counted."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.markup import block, escape, paragraph
from analysis.reporting.numbers import NONE, fixed, plural
from analysis.reporting.sections.session_metrics import metric_name
from analysis.reporting.static_table import Column, static_table
from analysis.reporting.view import View

KEY = ("model", "case_id", "run")


def show(view: View) -> str:
    """Return the replayed sessions, each folded away but the first; empty where there are none."""
    chosen = view.results.table("replayed_sessions")
    if chosen is None:
        return ""
    examples = chosen.sort("number").to_dicts()
    words = (
        f"{plural(len(examples), 'session')}, each an example of something and the first of its kind by the "
        "stated measure. Units in bold are necessary for the diagnosis; struck ones are not and count as "
        "redundancy. "
        "Of bits of information IGE counts gains, not losses."
    )
    return (
        "\n### Sessions turn by turn {#replay}\n"
        + paragraph(words)
        + "".join(_session(view, one, number) for number, one in enumerate(examples, start=1))
    )


def _session(view: View, one: dict[str, Any], number: int) -> str:
    key = {k: one[k] for k in KEY}
    title = f"{escape(one['example'].capitalize())}: {view.name(one['model'])}, {escape(_case(view, key))}"
    looked_for = one["reason"][:1].upper() + one["reason"][1:]
    why = f"{escape(looked_for)}; one of {plural(one['n_alike'], 'such session')}."
    if view.item_places.get(one["case_id"]):
        why += f" All sessions with this case: {view.item(one['case_id'])}."
    opened = " open" if number == 1 else ""
    head = f'<details class="more replay"{opened}><summary>{title}</summary><p class="note">{why}</p>'
    parts = [
        _turns(view, key, number),
        _diagnosis(view, key),
        _plan(view, key),
        _after(view, key),
        _scores(view, key),
    ]
    return block(head + "".join(parts) + "</details>")


def _case(view: View, key: dict[str, Any]) -> str:
    cases = view.results.rows("session_cases", case_id=key["case_id"])
    title = None if cases is None else cases["title"][0]
    run = f", run {key['run']}" if key["run"] else ""
    return (f"{title} ({key['case_id']})" if title else str(key["case_id"])) + run


def _turns(view: View, key: dict[str, Any], number: int) -> str:
    rows = view.results.rows("replayed_turns", **key)
    if rows is None:
        return '<p class="absent">No turns are recorded.</p>'
    columns = [
        Column("question", "Turn"),
        Column("told", "Revealed"),
        Column("mni", "Necessary", "right"),
        Column("cpr", "Redundant", "right"),
        Column("gain", "Bits", "right"),
        Column("hit", "Hit@1"),
        Column("notes", "Counted"),
    ]
    cells = [_turn(row) for row in rows.sort("turn").iter_rows(named=True)]
    return static_table(f"replay-{number}-table", columns, cells)


def _turn(row: dict[str, Any]) -> dict[str, str]:
    told = [_unit(text, row) for text in row["revealed"]]
    notes = []
    if row["repeats"] is not None:
        new = bool(row["necessary"] or row["beyond"])
        notes.append(f"repeats turn {row['repeats']}, {'something' if new else 'nothing'} new")
    if row["too_late"]:
        notes.append(
            f"should have come before {escape(', '.join(_spaced(t) for t in row['too_late']))} (POVR)"
        )
    if not row["counted"]:
        notes.append("after the diagnosis: not counted")
    template = f' <span class="range">{escape(_spaced(row["template"]))}</span>' if row["template"] else ""
    hit = NONE if row["hit"] is None else "yes" if row["hit"] else "no"
    if row["hit"] is False:
        expert = escape(", ".join(_spaced(t) for t in row["expert"][:3]))
        hit = f'<span class="words">no, rather {expert}</span>'
    gain = row["information_gain"]
    return {
        "question": f'<span class="words">{row["turn"]}. {escape(row["question"] or NONE)}{template}</span>',
        "told": f'<span class="words">{"<br>".join(told) or NONE}</span>',
        "mni": f"{row['n_necessary_so_far']} of {row['n_necessary']}" if row["n_necessary"] else NONE,
        "cpr": fixed(row["beyond_weight"] or 0.0, 1),
        "gain": NONE if gain is None else fixed(gain, 2),
        "hit": hit,
        "notes": f'<span class="words">{"; ".join(notes)}</span>',
    }


def _unit(text: str, row: dict[str, Any]) -> str:
    if text in row["necessary"]:
        return f"<strong>{escape(text)}</strong>"
    return f"<s>{escape(text)}</s>" if text in row["beyond"] else escape(text)


def _diagnosis(view: View, key: dict[str, Any]) -> str:
    gold = view.results.rows("session_gold", case_id=key["case_id"])
    if gold is None:
        return ""
    core = dict(gold.select("diagnosis", "core").iter_rows())
    listed = view.results.rows("session_differentials", **key)
    items = []
    if listed is not None:
        for row in listed.sort("rank", "diagnosis").iter_rows(named=True):
            kind = core.get(row["diagnosis"])
            mark = "wrong" if kind is None else "core" if kind else "right, not core"
            items.append(f"{row['rank']}. {escape(row['diagnosis'])} ({mark})")
    missed = [d for d in core if listed is None or d not in set(listed["diagnosis"])]
    text = "; ".join(items) or "none given"
    text += f". Missed: {escape(', '.join(sorted(missed)))}" if missed else ""
    return f"<p><b>Diagnosis.</b> {text}.</p>"


def _plan(view: View, key: dict[str, Any]) -> str:
    lines = view.results.rows("session_regimens", plan="initial", **key)
    broken = view.results.rows("session_violations", plan="initial", **key)
    if lines is None and broken is None and view.results.table("session_regimens") is None:
        return ""
    drugs = "none" if lines is None else ", ".join(_line(r) for r in lines.sort("line").iter_rows(named=True))
    text = f"<p><b>Plan.</b> {drugs}.</p>"
    if broken is not None:
        found = [
            f"<li>{'<strong>hard</strong>, ' if r['hard'] else ''}{escape(r['severity'])} "
            f"{escape(_spaced(r['kind']))}: {escape(r['note'] or r['drug'] or '')}</li>"
            for r in broken.sort("violation").iter_rows(named=True)
        ]
        text += f"<ul>{''.join(found)}</ul>"
    elif view.results.table("session_violations") is not None:
        text += "<p>The safety critic finds nothing.</p>"
    return text


def _line(row: dict[str, Any]) -> str:
    dose = "" if row["dose"] is None else f" {row['dose']:g} {row['dose_unit'] or ''}".rstrip()
    often = "" if row["per_day"] is None else f", {row['per_day']:g} a day"
    return escape(f"{row['drug']}{dose}{often}")


def _after(view: View, key: dict[str, Any]) -> str:
    turns = view.results.rows("session_followups", **key)
    judged = view.results.rows("session_judgements", metric="fqr", repeat=0, rater_kind="judge", **key)
    values = {}
    if judged is not None:
        means = judged.group_by("target").agg(pl.col("value").sort().mean())
        values = dict(means.iter_rows())
    items = []
    if turns is not None:
        for row in turns.sort("turn").iter_rows(named=True):
            value = values.get(str(row["turn"]))
            said = "not judged" if value is None else f"judged {fixed(value, 2)}"
            items.append(f"<li>{escape(row['question'] or _spaced(row['intent'] or ''))} \u2013 {said}</li>")
    text = f"<p><b>Follow-up.</b></p><ul>{''.join(items)}</ul>" if items else ""
    changes = view.results.rows("session_adaptations", **key)
    if changes is not None:
        for row in changes.sort("constraint").iter_rows(named=True):
            met = {True: "met", False: "not met", None: "not judged"}[row["satisfied"]]
            before, after = row["quality_before"], row["quality_after"]
            quality = ""
            if before is not None and after is not None:
                quality = f"; quality {fixed(before, 2)} before, {fixed(after, 2)} after"
            name = escape(row["kind"] or row["constraint"] or "unnamed")
            text += f"<p>New constraint ({name}): {met}{quality}.</p>"
    return text


def _scores(view: View, key: dict[str, Any]) -> str:
    rows = view.results.rows("session_metrics", tier="primary", **key)
    definitions = view.results.table("metric_definitions")
    if rows is None or definitions is None:
        return ""
    values = dict(rows.select("metric", "value").iter_rows())
    told = [
        f"{metric_name(view, m)}\u00a0{NONE if values[m] is None else fixed(values[m], 2)}"
        for m in definitions.sort("position")["metric"]
        if m in values
    ]
    return f"<p><b>Metrics.</b> {', '.join(told)}.</p>"


def _spaced(text: str) -> str:
    return text.replace("_", " ")
