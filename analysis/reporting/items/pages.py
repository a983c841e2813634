"""Which items stand on which page: whole parts, in order, within bounds of number and size."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.reporting.items.catalogue import Catalogue, among, anchor, by_interest, natural_key
from analysis.reporting.items.panels.panel import Panel
from analysis.reporting.items.panels.registry import PANELS
from analysis.reporting.items.sections import panels_of, section
from analysis.reporting.items.view import ItemView
from analysis.reporting.view import View

FOLDER = "items"
"""Folder of the pages, beside the list."""
MOST_ON_A_PAGE = 100
"""Items of a page."""
PAGE_BYTES = 400_000
"""A page ends before the item with which it would be larger than this."""
MOST_BYTES = 32_000_000
"""Of all items' parts together: items that no longer fit have no page, and every page says how many."""


@dataclass(frozen=True)
class Page:
    """A page of items.

    Parameters
    ----------
    file : str
        Its name, made of its number.
    items : list of str
        The items on it, in their order.
    body : str
        Their parts, as HTML.
    """

    file: str
    items: list[str]
    body: str


def places_of(pages: list[Page]) -> dict[str, str]:
    """Return where every item stands that has a place: file and part of the page."""
    return {item: f"{FOLDER}/{page.file}#{anchor(item)}" for page in pages for item in page.items}


def build_pages(
    report: View,
    catalogue: Catalogue,
    *,
    most_items: int,
    most_bytes: int = MOST_BYTES,
    panels: tuple[Panel, ...] = PANELS,
) -> list[Page]:
    """Make the pages of a benchmark's items.

    Items are taken by interest (`by_interest`) until `most_items` or `most_bytes` is reached, and stand on
    pages by track and identifier.

    Parameters
    ----------
    report : View
        The benchmark as its report shows it.
    catalogue : Catalogue
        Every item.
    most_items, most_bytes : int
        Bounds of the items' parts together.
    panels : tuple of Panel
        What is shown of an item.
    """
    chosen = by_interest(catalogue, most_items)
    view = ItemView(report, frozenset(chosen))
    rows = {row["item_id"]: row for row in catalogue.frame.filter(among(chosen)).rows(named=True)}
    possible = panels_of(view, panels)
    parts: dict[str, str] = {}
    total = 0
    for item_id in chosen:
        part = section(view, rows[item_id], possible)
        total += _size(part)
        if total > most_bytes:
            break
        parts[item_id] = part
    order = sorted(parts, key=lambda i: natural_key(rows[i]["track"], i))
    return _split(order, parts)


def _split(order: list[str], parts: dict[str, str]) -> list[Page]:
    pages: list[list[str]] = []
    size = 0
    for item_id in order:
        own = _size(parts[item_id])
        if not pages or len(pages[-1]) == MOST_ON_A_PAGE or size + own > PAGE_BYTES:
            pages.append([])
            size = 0
        pages[-1].append(item_id)
        size += own
    return [
        Page(f"{number:04d}.html", items, "".join(parts[i] for i in items))
        for number, items in enumerate(pages, start=1)
    ]


def _size(part: str) -> int:
    return len(part.encode())
