"""A page per vignette of a rubric: its key, the responses' scores side by side, every rater's notes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl

from analysis.config import Config
from analysis.reporting.assets import write_assets, write_if_changed
from analysis.reporting.environment import reports_folder
from analysis.reporting.frame import ITEM_TITLE, page_variables
from analysis.reporting.markup import block, escape, named
from analysis.reporting.numbers import fixed, plural
from analysis.reporting.pandoc import to_html
from analysis.reporting.results import Results
from analysis.reporting.sections.hero import synthetic_banner
from analysis.reporting.sections.rubric_words import domain_titles, leading_kind, rubric_of
from analysis.reporting.source import read_project
from analysis.reporting.view import View

BODY = "VERDICT-ATLAS-BODY"
"""What stands in the one page that Pandoc makes, in place of each vignette's own."""

Row = dict[str, Any]


def write_rubric_pages(benchmark: str, *, config: Config, folder: Path) -> None:
    """Write ``items/index.html`` and a page per vignette.

    Parameters
    ----------
    benchmark : str
        The benchmark's name.
    config : Config
        The configuration: results folder and site title.
    folder : Path
        ``<site>/<benchmark>/items``; pages of vignettes that are gone are removed.
    """
    results = Path(config.results).resolve()
    view = View(Results.open(benchmark, results))
    keys = rubric_of(view)["keys"]
    names = page_names([key["item_id"] for key in keys])
    shell = _shell(benchmark, config, results)
    sheets = pl.read_parquet(view.results.folder / "rubric_sheets.parquet").filter(pl.col("round") == "main")
    sheets = sheets.sort("item_id", "model", "run", "rater_kind", "rater", "criterion_id")
    parts = {item[0]: part for item, part in sheets.group_by("item_id", maintain_order=True)}
    folder.mkdir(parents=True, exist_ok=True)
    keep = {"index.html", *names.values()}
    for old in folder.glob("*.html"):
        if old.name not in keep:
            old.unlink()
    for key in keys:
        own = parts.get(key["item_id"], sheets.clear())
        body = _vignette(view, key, own, results=view.results)
        _write(folder / names[key["item_id"]], shell, f"Vignette {key['item_id']}", body)
    _write(folder / "index.html", shell, "Vignettes", _index(view, keys, names))
    write_assets(folder.parent.parent / "assets")


def page_names(items: list[str]) -> dict[str, str]:
    """Return a file name per vignette: plain, distinct also where case does not count.

    Examples
    --------
    >>> page_names(["a/b", "A b", "index"])
    {'a/b': 'a-b.html', 'A b': 'A-b-2.html', 'index': 'index-2.html'}
    """
    taken, out = {"index"}, {}
    for item in items:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", item).strip(".-")[:80] or "item"
        name, n = plain, 1
        while name.lower() in taken:
            n += 1
            name = f"{plain}-{n}"
        taken.add(name.lower())
        out[item] = f"{name}.html"
    return out


def _shell(benchmark: str, config: Config, results: Path) -> str:
    project = read_project(reports_folder() / "_quarto.yml")
    variables = page_variables("item", config=config, results=results, benchmarks=[benchmark])
    return to_html(
        block(BODY),
        template=reports_folder() / str(project["format"]["html"]["template"]),
        metadata={**project, **variables, "hero": True},
        page="items",
        options={},
    )


def _write(path: Path, shell: str, title: str, body: str) -> None:
    html = shell.replace(ITEM_TITLE, escape(title)).replace(BODY, body)
    write_if_changed(path, html.encode("utf-8"))


def _index(view: View, keys: list[Row], names: dict[str, str]) -> str:
    rows = view.results.table("rubric_vignettes")
    flags = view.results.rows("safety_flags", kind="flag")
    known = {} if rows is None else {r["item_id"]: r for r in rows.iter_rows(named=True)}
    counts = (
        {}
        if flags is None
        else dict(flags.select("item_id", "model", "run").unique().group_by("item_id").len().iter_rows())
    )
    lines = []
    for key in keys:
        item, own = key["item_id"], known.get(key["item_id"])
        label, sheets = (own["comparability"], own["n_sheets"]) if own else ("", 0)
        lines.append(
            f'<tr><th scope="row"><a href="{escape(names[item])}">{named(item)}</a></th>'
            f"<td>{named(label)}</td><td>{escape(key.get('decision_point') or '')}</td>"
            f'<td class="number">{sheets}</td><td class="number">{counts.get(item, 0)}</td></tr>'
        )
    heads = ("Vignette", "Class", "Decision point", "Sheets", "Flagged responses")
    head = f"<tr>{''.join(f'<th>{h}</th>' for h in heads)}</tr>"
    return (
        f'<div class="hero">{synthetic_banner(view.results)}<p class="kicker">Vignettes</p>'
        f"<h1>{named(view.results.title, css='title')}</h1></div>"
        f'<div class="scroll"><table '
        f'class="items"><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></div>'
    )


def _vignette(view: View, key: Row, sheets: pl.DataFrame, *, results: Results) -> str:
    title = (
        f'<div class="hero">{synthetic_banner(results)}<p class="kicker">Vignette</p>'
        f"<h1>{named(key['item_id'], css='title')}</h1>"
        f'<p class="lede">{escape(key.get("decision_point") or "")}</p>'
        '<p class="note"><a href="index.html">All vignettes</a></p></div>'
    )
    parts = [title, _key(view, key)]
    if not sheets.height:
        return "".join([*parts, '<p class="absent">No response to this vignette is rated.</p>'])
    return "".join(
        [*parts, _flags(view, key, sheets), _side_by_side(view, key, sheets), _notes(view, key, sheets)]
    )


def _key(view: View, key: Row) -> str:
    conditions = rubric_of(view)["rubric"]["conditions"]
    facts: list[tuple[str, str]] = [
        ("Task", named(key.get("task_type") or "unstated")),
        ("Audience", escape(key.get("audience") or "\u2013")),
        ("Conditions", _list([conditions.get(f, f) for f in key["features"]])),
        ("Evidence", _list(key.get("evidence") or [])),
        ("Acceptable alternatives", _list(key.get("acceptable_alternatives") or [])),
        ("Safety-critical errors", _list([_hazard(h) for h in key.get("hazards") or []])),
        ("Time limits", _list(key.get("time_limits") or [])),
        *((f"List: {escape(name)}", _list(values)) for name, values in sorted(key["lists"].items())),
        *(
            (f"Not elicited: {escape(f)}", escape(reason))
            for f, reason in sorted(key["not_elicited"].items())
        ),
        ("Settled", f"{escape(str(key['prespecified_at']).replace('T', ' '))} UTC"),
        ("SHA-256", f"<code>{escape(key['sha256'])}</code>"),
    ]
    items = "".join(f"<dt>{head}</dt><dd>{text}</dd>" for head, text in facts)
    head = "<summary>The key, settled before any rating</summary>"
    return f'<details class="more" open>{head}<dl class="key">{items}</dl></details>'


def _hazard(hazard: Row) -> str:
    limit = f" (limit: {hazard['time_limit']})" if hazard.get("time_limit") else ""
    return f"{hazard['id']}, {hazard['kind'].replace('_', ' ')}: {hazard['statement']}{limit}"


def _list(values: list[str]) -> str:
    if not values:
        return "none"
    return f"<ul>{''.join(f'<li>{escape(v)}</li>' for v in values)}</ul>"


def _responses(sheets: pl.DataFrame) -> list[tuple[str, int]]:
    return list(sheets.select("model", "run").unique(maintain_order=True).iter_rows())


def _label(view: View, model: str, run: int, runs: int) -> str:
    return view.name(model) + (f" (run {run})" if runs > 1 else "")


def _flags(view: View, key: Row, sheets: pl.DataFrame) -> str:
    flag = rubric_of(view)["rubric"]["flag"]
    if not flag:
        return ""
    raised = sheets.filter(
        (pl.col("criterion_id") == flag["id"]) & (pl.col("label").str.to_lowercase() == "yes")
    )
    if not raised.height:
        return '<p class="note">No response to this vignette is flagged.</p>'
    statements = {h["id"]: h["statement"] for h in key.get("hazards") or []}
    items = "".join(
        f'<li><strong class="flagged">{view.name(r["model"])}</strong>, by {named(r["rater"])}: '
        f"{named(r['case_criterion'])}, {escape(statements.get(r['case_criterion'], ''))}. "
        f"Triggering text: {escape(r['trigger'])}</li>"
        for r in raised.iter_rows(named=True)
    )
    return f"<h2>Flags</h2><ul>{items}</ul>"


def _side_by_side(view: View, key: Row, sheets: pl.DataFrame) -> str:
    kind = leading_kind(view)
    scores = view.results.rows("rubric_scores", item_id=key["item_id"], raters=kind)
    if scores is None:
        return ""
    known = {(r["unit"], r["name"], r["model"], r["run"]): r for r in scores.iter_rows(named=True)}
    responses = _responses(sheets)
    runs = max(run for _, run in responses) + 1
    head = "".join(f"<th>{_label(view, m, r, runs)}</th>" for m, r in responses)
    lines = [
        ("composite", n, f"<strong>{w}</strong>")
        for n, w in (("weighted", "Composite"), ("unweighted", "Composite, unweighted"))
    ]
    titles, domain_of = _titles(view, key)
    for domain, title in domain_titles(view).items():
        lines.append(("domain", domain, f"<strong>{escape(domain)} {escape(title)}</strong>"))
        lines += [
            ("subdimension", c, f"{escape(c)} {escape(t)}")
            for c, t in titles.items()
            if domain_of.get(c) == domain
        ]
    rows = []
    for unit, name, shown in lines:
        cells = [known.get((unit, name, m, r)) for m, r in responses]
        if not any(cells):
            continue
        texts = "".join(f'<td class="number">{_score(cell)}</td>' for cell in cells)
        rows.append(f'<tr class="{unit}"><th scope="row">{shown}</th>{texts}</tr>')
    flagged = "".join(
        f'<td class="number">{_flagged(known.get(("composite", "unweighted", m, r)))}</td>'
        for m, r in responses
    )
    rows.insert(0, f'<tr><th scope="row"><strong>Flagged</strong></th>{flagged}</tr>')
    who = {"human": "the human raters", "judge": "the judges", "scorer": "the scorers"}[kind]
    return (
        f"<h2>Scores side by side</h2><p>Means of {who}; + marks what applies only because the response "
        f"volunteers it.</p>"
        f'<div class="scroll"><table class="items"><thead><tr><th>Score</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _titles(view: View, key: Row) -> tuple[dict[str, str], dict[str, str]]:
    """Return title and domain of the score lines of a vignette's sheets."""
    domains = rubric_of(view)["rubric"]["domains"]
    lines = [(f, d["id"]) for d in domains for f in d["fields"] if f["kind"] == "score"]
    titles = {f["id"]: f["title"] for f, _ in lines} | {c["id"]: c["title"] for c in key["criteria"]}
    domain_of = {f["id"]: d for f, d in lines} | {c["id"]: c["domain"] for c in key["criteria"]}
    return titles, domain_of


def _score(row: Row | None) -> str:
    if row is None or row["score"] is None:
        return "N/A"
    return fixed(row["score"], 2) + ("+" if row["volunteered"] else "")


def _flagged(row: Row | None) -> str:
    if row is None or row["flagged"] is None:
        return "\u2013"
    return '<strong class="flagged">yes</strong>' if row["flagged"] else "no"


def _notes(view: View, key: Row, sheets: pl.DataFrame) -> str:
    titles, _ = _titles(view, key)
    rubric = rubric_of(view)["rubric"]
    counts = {f["id"]: f["title"] for d in rubric["domains"] for f in d["fields"] if f["kind"] == "count"}
    flag = rubric["flag"] or {}
    others = {flag.get("id"): flag.get("title"), flag.get("reviewed_id"): "Key reviewed"}
    order = [*titles, *counts, *(k for k in others if k)]
    names = {**titles, **counts, **{k: v for k, v in others.items() if k}}
    responses = _responses(sheets)
    runs = max(run for _, run in responses) + 1
    parts = []
    for model, run in responses:
        own = sheets.filter((pl.col("model") == model) & (pl.col("run") == run))
        raters = own.select("rater", "rater_kind").unique(maintain_order=True).rows()
        cells = {(r["criterion_id"], r["rater"]): r for r in own.iter_rows(named=True)}
        head = "".join(f"<th>{named(rater)} <small>{escape(kind)}</small></th>" for rater, kind in raters)
        rows = []
        for line in order:
            found = [cells.get((line, rater)) for rater, _ in raters]
            if any(found):
                texts = "".join(f"<td>{_cell(c)}</td>" for c in found)
                shown = names[line] if line in others else f"{line} {names[line]}"
                rows.append(f'<tr><th scope="row">{escape(shown)}</th>{texts}</tr>')
        body = f"<thead><tr><th>Line</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
        table = f'<div class="scroll"><table class="items notes">{body}</table></div>'
        summary = f"{_label(view, model, run, runs)}: scores and notes of {plural(len(raters), 'rater')}"
        parts.append(f'<details class="more"><summary>{summary}</summary>{table}</details>')
    return f"<h2>Every rater\u2019s notes</h2>{''.join(parts)}"


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    score = "N/A" if not row["applicable"] else fixed(row["value"], 0) if row["value"] is not None else ""
    head = [score, row["label"] if row["applicable"] and row["label"] else ""]
    text = f"<strong>{escape(' '.join(filter(None, head)))}</strong>"
    extra = [
        (row["note"], ""),
        (row["reason"], "Reason: "),
        (row["list_items"], "List: "),
        (row["error_ids"], "Error: "),
        (row["case_criterion"], "Criterion: "),
        (row["trigger"], "Text: "),
    ]
    words = "".join(f"<br><small>{word}{escape(value)}</small>" for value, word in extra if value)
    return text + words
