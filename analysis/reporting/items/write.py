"""Writes the list of items, their pages, and where each item stands for the report to link."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from analysis.config import Config
from analysis.reporting.assets import write_assets
from analysis.reporting.environment import reports_folder
from analysis.reporting.frame import FramedPage, page_variables
from analysis.reporting.items.catalogue import read_catalogue
from analysis.reporting.items.cells import text
from analysis.reporting.items.listing import bounds_words, list_page
from analysis.reporting.items.pages import FOLDER, Page, build_pages, places_of
from analysis.reporting.markup import block, escape, inline, named
from analysis.reporting.numbers import count
from analysis.reporting.pandoc import to_html
from analysis.reporting.results import Results
from analysis.reporting.sections.hero import synthetic_banner
from analysis.reporting.source import read_project
from analysis.reporting.view import View

PLACES_FILE = "items.json"
"""Where every item stands."""


def write_items(benchmark: str, *, config: Config, folder: Path) -> None:
    """Write ``items.html``, ``items.json`` and the pages ``items/0001.html`` and on.

    Parameters
    ----------
    benchmark : str
        The benchmark's name.
    config : Config
        The configuration: results folder, site title, most items.
    folder : Path
        ``<site>/<benchmark>``.
    """
    results = Path(config.results).resolve()
    view = View(Results.open(benchmark, results))
    catalogue = read_catalogue(view.results)
    pages = build_pages(view, catalogue, most_items=config.item_pages)
    places = places_of(pages)
    left_out = catalogue.left_out(places)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    write_assets(folder.parent / "assets")
    scripts = ["../assets/items.js"]
    head, middle, end = _frame(view, config, results, page="items", scripts=scripts)
    body = list_page(view, catalogue, places)
    title = escape(f"Items: {view.results.title}")
    (folder / "items.html").write_text("".join([head, title, middle, body, end]), encoding="utf-8")
    head, middle, end = _frame(view, config, results, page="item-page", scripts=[])
    head_note = f'<p class="note">{bounds_words(left_out, listing=False)}</p>{_label_key(view)}'
    for i, page in enumerate(pages):
        title = escape(f"Items, page {i + 1}: {view.results.title}")
        html = "".join([head, title, middle, _item_page(view, pages, i, head_note), end])
        (folder / FOLDER / page.file).write_text(html, encoding="utf-8")
    _remove_others(folder / FOLDER, pages)
    (folder / PLACES_FILE).write_text(_places(benchmark, places, left_out), encoding="utf-8")


def _frame(
    view: View, config: Config, results: Path, *, page: FramedPage, scripts: list[str]
) -> tuple[str, str, str]:
    """Return a page's document up to its title, up to its body, and after it.

    The template is filled once for all pages: their bodies are ready HTML and need no Pandoc.
    """
    project = read_project(reports_folder() / "_quarto.yml")
    variables = page_variables(page, config=config, results=results, benchmarks=[view.results.benchmark])
    # No text can hold its own digest, so the marks cannot occur in what surrounds them.
    digest = hashlib.sha256(json.dumps(variables, sort_keys=True).encode()).hexdigest()
    title, body = f"title-{digest}", f"body-{digest}"
    site = escape(config.site_title)
    html = to_html(
        block(body),
        template=reports_folder() / str(project["format"]["html"]["template"]),
        metadata={
            **project,
            **variables,
            "hero": True,
            "scripts": scripts,
            "page-title": inline(f"{title} \u2013 {site}"),
        },
        page="items.html",
        options={},
    )
    before, _, rest = html.partition(title)
    middle, _, after = rest.partition(body)
    return before, middle, after


def _item_page(view: View, pages: list[Page], i: int, head_note: str) -> str:
    page, results = pages[i], view.results
    first = sum(len(p.items) for p in pages[:i]) + 1
    total = sum(len(p.items) for p in pages)
    last = first + len(page.items) - 1
    span = f"Item {count(first)}" if first == last else f"Items {count(first)} to {count(last)}"
    steps = _steps(pages, i)
    return (
        f'<div class="hero">{synthetic_banner(results)}'
        '<p class="kicker"><a href="../items.html">Items</a></p>'
        f"<h1>{named(results.title, css='title')}</h1>"
        f'<p class="lede">{span} of {count(total)}, by track and identifier.</p>'
        f"{head_note}{steps}</div>\n{page.body}{steps}"
    )


def _label_key(view: View) -> str:
    """Return what the card says of its labels, folded away; empty where it says nothing."""
    card = view.results.card
    lines = [
        f"<dt>{text(label)}</dt><dd>{text(rule.meaning)}</dd>"
        for label, rule in card.labels.items()
        if rule.meaning and not rule.reserved
    ]
    if not lines:
        return ""
    summary = "<summary>What the labels mean</summary>"
    return f'<details class="more">{summary}<dl class="key">{"".join(lines)}</dl></details>'


def _steps(pages: list[Page], i: int) -> str:
    """Return the links to the pages before and after."""
    links = []
    if i:
        links.append(f'<li><a class="button" rel="prev" href="{pages[i - 1].file}">Page {i}</a></li>')
    links.append('<li><a class="button" href="../items.html">All items</a></li>')
    if i + 1 < len(pages):
        links.append(f'<li><a class="button" rel="next" href="{pages[i + 1].file}">Page {i + 2}</a></li>')
    return f'<ul class="buttons">{"".join(links)}</ul>'


def _remove_others(folder: Path, pages: list[Page]) -> None:
    keep = {page.file for page in pages}
    for old in folder.glob("[0-9]*.html"):
        if old.name not in keep:
            old.unlink()


def _places(benchmark: str, places: dict[str, str], left_out: dict[str, tuple[int, int]]) -> str:
    groups = {group: {"left_out": n, "items": of} for group, (n, of) in left_out.items()}
    document = {"benchmark": benchmark, "groups": groups, "items": dict(sorted(places.items()))}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
