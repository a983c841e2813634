"""One item as a part of a page: its heading, how it went, and the panels."""

from __future__ import annotations

from typing import Any

from analysis.reporting.items.catalogue import anchor
from analysis.reporting.items.cells import number, text, texts
from analysis.reporting.items.panels.panel import Panel
from analysis.reporting.items.panels.registry import PANELS
from analysis.reporting.items.view import ItemView
from analysis.reporting.markup import escape
from analysis.reporting.numbers import plural

MOST_PANEL_BYTES = 250_000
"""A panel of one item that is larger is left out, and its place says so."""

FACTS = {
    "track": "Track",
    "question_type": "Question type",
    "cluster_id": "Cluster",
    "position": "Position",
    "component": "Component",
    "weight": "Weight",
}
"""Columns of the items table as the page calls them; declared covariates follow under their names."""


def panels_of(view: ItemView, panels: tuple[Panel, ...] = PANELS) -> list[Panel]:
    """Return the panels for which the benchmark has the tables."""
    return [panel for panel in panels if all(view.has(name) for name in panel.tables)]


def section(view: ItemView, item: dict[str, Any], panels: list[Panel]) -> str:
    """Return an item's part of a page.

    Parameters
    ----------
    view : ItemView
        The benchmark.
    item : dict
        The item's row of the catalogue.
    panels : list of Panel
        The panels that the benchmark can have.
    """
    item_id = item["item_id"]
    shown = [_panel(view, item_id, panel) for panel in panels]
    body = "".join(shown) or '<p class="absent">No model has a response to this item.</p>'
    return (
        f'<section class="item" id="{anchor(item_id)}"><h2>{text(item_id)}</h2>\n'
        f"{_facts(view, item)}{body}</section>\n"
    )


def _panel(view: ItemView, item_id: str, panel: Panel) -> str:
    html = panel.show(view, item_id)
    if not html:
        return ""
    size = len(html.encode())
    if size > MOST_PANEL_BYTES:
        kilobytes = plural(size // 1000, "kilobyte")
        html = f'<p class="absent">Too large for a page ({kilobytes}): see the tables.</p>'
    return f'<div class="{panel.name}"><h3>{escape(panel.title)}</h3>{html}</div>\n'


def _facts(view: ItemView, item: dict[str, Any]) -> str:
    """Return what the item is and how many models solve it."""
    rows = view.rows("items", item["item_id"])
    known = rows[0] if rows else {}
    found = [("Solved by", f"{solved_words(item)}{_character(item)}")]
    for column, value in known.items():
        if column == "item_id" or value is None or value == []:
            continue
        head = FACTS.get(column) or f"<bdi>{escape(column)}</bdi>"
        found.append((head, _fact(value)))
    parts = "".join(f"<div><dt>{head}</dt><dd>{value}</dd></div>" for head, value in found)
    return f'<dl class="about-item">{parts}</dl>\n'


def _fact(value: Any) -> str:
    """Return the value of an item column as HTML: a number, text, or a list of texts such as tags."""
    if isinstance(value, int | float):
        return number(value)
    return texts(map(str, value)) if isinstance(value, list) else text(str(value))


def solved_words(item: dict[str, Any]) -> str:
    """Return how many models solve an item, of those that were scored on it."""
    if not item["n_models"]:
        return "no model was scored"
    return f"<strong>{item['k']}</strong> of {plural(item['n_models'], 'model')}"


def _character(item: dict[str, Any]) -> str:
    if item["k"] or not item["n_models"] or item["n_models"] < 2:
        return ""
    if item["all_incorrect"]:
        return ', <span class="muted">all at the worst verdict</span>'
    return ', <span class="muted">all partial</span>' if item["all_partial"] else ""
