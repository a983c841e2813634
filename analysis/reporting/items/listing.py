"""The list of a benchmark's items: by outcome, with the way to the page of each."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.items.catalogue import Catalogue, among, natural_key, read_catalogue
from analysis.reporting.items.cells import text
from analysis.reporting.items.panels.registry import PANELS
from analysis.reporting.markup import block, escape, named
from analysis.reporting.numbers import count, listed, plural
from analysis.reporting.sections.hero import synthetic_banner
from analysis.reporting.view import View

MOST_LISTED = 5_000
"""Of a benchmark with more items than this, the list holds those that have a place on a page."""

HEADS = {
    "unsolved": "Solved by no model",
    "some": "Solved by some models",
    "every": "Solved by every model that was scored",
    "unscored": "Without a scored response",
}
JUMP = {
    "unsolved": "no model",
    "some": "some models",
    "every": "every scored model",
    "unscored": "not known",
}
WORDS = {
    "unsolved": "that no model solves",
    "some": "that some models solve",
    "every": "that every scored model solves",
    "unscored": "without a scored response",
}


FIND = (
    '<form class="controls" id="controls" hidden>'
    '<label>Find <input type="search" id="find" autocomplete="off" placeholder="item, track, type"></label>'
    '<span class="shown" role="status"></span></form>'
)
"""The box to search the list with; its script shows it, since it does nothing without it."""


def show(view: View) -> str:
    """Return the list as Markdown for the page of a Quarto project: places are those that were written."""
    return block(list_page(view, read_catalogue(view.results), view.item_places))


def list_page(view: View, catalogue: Catalogue, places: dict[str, str]) -> str:
    """Return the list of a benchmark's items as HTML: head, what has a page, box to search, items by outcome.

    Parameters
    ----------
    view : View
        The benchmark.
    catalogue : Catalogue
        Every item.
    places : dict of str to str
        Address of every item that has a place on a page, from the benchmark's folder of the site.
    """
    results = view.results
    n = catalogue.frame.height
    left_out = catalogue.left_out(places)
    download = (
        f'<a href="{escape(view.tables_link)}/item_counts.parquet" download><code>item_counts</code></a>'
        if results.table("item_counts") is not None
        else ""
    )
    more = f" The counts of every item are in the table {download}." if download else ""
    lede = f"{plural(n, 'item')}, by how many models solve {'it' if n == 1 else 'each'}."
    jump = "".join(
        f'<a href="#{group}">{JUMP[group]} ({count(total)})</a>' for group, (_, total) in left_out.items()
    )
    return (
        f'<div class="hero">{synthetic_banner(results)}<p class="kicker">Items</p>'
        f'<h1>{named(results.title, css="title")}</h1><p class="lede">{lede}</p>'
        f"<p>{bounds_words(left_out, listing=True)}{more}</p>{_strange(view, catalogue)}"
        f'<p class="jump"><span>Solved by</span>{jump}</p></div>\n{FIND}\n'
        f"{listing(view, catalogue, places)}"
    )


def _strange(view: View, catalogue: Catalogue) -> str:
    """Return how many rows of the panels' tables are of items that the benchmark does not have."""
    known = catalogue.frame["item_id"].implode()
    lines = []
    for table in dict.fromkeys(name for panel in PANELS for name in panel.tables):
        path = view.results.folder / f"{table}.parquet"
        if not path.is_file():
            continue
        rows = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        if "item_id" not in rows.collect_schema():
            continue
        n = rows.filter(~pl.col("item_id").is_in(known)).select(pl.len()).collect().item()
        if n:
            lines.append(f"{plural(n, 'row')} of <code>{escape(table)}</code>")
    if not lines:
        return ""
    verb = "is" if lines[0].startswith("1 ") and len(lines) == 1 else "are"
    where = "of items that the benchmark does not have: they stand on no page"
    return f'<p class="note">{listed(lines)} {verb} {where}.</p>'


def listing(view: View, catalogue: Catalogue, places: dict[str, str]) -> str:
    """Return the items by outcome as HTML, with the way to the place of each."""
    frame = catalogue.frame
    whole = frame.height <= MOST_LISTED
    if not whole:
        frame = frame.filter(among(places))
    parts = []
    for group, head in HEADS.items():
        rows = frame.filter(group=group).rows(named=True)
        n = catalogue.count(group)
        if not n:
            continue
        shown = f"{count(len(rows))} of {count(n)}" if len(rows) < n else count(n)
        table = _table(view, rows, places) if rows else ""
        parts.append(
            f'<section class="listed" id="{group}"><h2>{head} <span class="muted">({shown})</span></h2>'
            f"{table}</section>"
        )
    return "\n".join(parts)


def _table(view: View, rows: list[dict[str, Any]], places: dict[str, str]) -> str:
    rows = sorted(rows, key=lambda row: natural_key(row["track"], row["item_id"]))
    columns = [c for c in ("track", "question_type") if any(row[c] is not None for row in rows)]
    names = {"track": "Track", "question_type": "Question type"}
    heads = "".join(f'<th scope="col">{names[c]}</th>' for c in columns)
    # With one run per model, the mean over models says what k of n says.
    graded = any(
        row["n_models"] and abs(row["mean_score"] - row["k"] / row["n_models"]) > 1e-9 for row in rows
    )
    lines = []
    for row in rows:
        item_id = row["item_id"]
        shown = text(item_id)
        if item_id in places:
            shown = f'<a href="{escape(view.site_link + places[item_id])}">{shown}</a>'
        cells = "".join(f"<td>{'' if row[c] is None else text(row[c])}</td>" for c in columns)
        k = f"{row['k']} of {row['n_models']}" if row["n_models"] else "\u2013"
        mean = f'<td class="num">{_mean(row["mean_score"])}</td>' if graded else ""
        lines.append(f'<tr><th scope="row">{shown}</th>{cells}<td class="num">{k}</td>{mean}</tr>')
    body = "\n".join(lines)
    last = '<th scope="col" class="num">Mean correct</th>' if graded else ""
    return (
        f'<div class="scroll"><table><thead><tr><th scope="col">Item</th>{heads}'
        f'<th scope="col" class="num">Solved by</th>{last}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _mean(x: float | None) -> str:
    return "" if x is None else f"{x:.3f}"


def bounds_words(left_out: dict[str, tuple[int, int]], *, listing: bool) -> str:
    """Return which items have a place on a page, and how many of which kind have none, as sentences.

    Examples
    --------
    >>> bounds_words({"unsolved": (0, 3), "some": (0, 2)}, listing=True)
    'Every item has its place on a page.'
    >>> bounds_words({"unsolved": (1, 3), "some": (0, 1), "every": (6, 6)}, listing=False)
    'Pages show 3 of 10 items: those that no model solves and those that divide the models most. \
Left out: 1 of 3 that no model solves and 6 of 6 that every scored model solves.'
    """
    total = sum(n for _, n in left_out.values())
    left = sum(n for n, _ in left_out.values())
    if not left:
        return "Every item has its place on a page." if total else "There are no items."
    if left == total:
        return f"None of the {plural(total, 'item')} has a page (item_pages in the configuration)."
    kinds = [f"{count(n)} of {count(of)} {WORDS[group]}" for group, (n, of) in left_out.items() if n]
    sentence = (
        f"Pages show {count(total - left)} of {plural(total, 'item')}: those that no model solves and those "
        f"that divide the models most. Left out: {listed(kinds)}."
    )
    if listing and total > MOST_LISTED:
        sentence += " This list holds the items that have a page."
    return sentence
