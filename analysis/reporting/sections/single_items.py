"""The way from the report to single items: examples of a kind, and the list of them all."""

from __future__ import annotations

import polars as pl

from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, listed, plural
from analysis.reporting.view import View

MOST_EXAMPLES = 6
"""Items that are named of a kind; the list has the others."""


def unsolved(view: View) -> str:
    """Return the way to the items that no model solves, those first on which most models were scored."""
    items = view.results.rows("item_counts", k=0)
    if items is None or not view.item_places:
        return ""
    ordered = items.sort(["n_models", "item_id"], descending=[True, False])["item_id"].to_list()
    words = "items that no model solves" if len(ordered) > 1 else "item that no model solves"
    return _way(view, f"The {count(len(ordered))} {words}", ordered, "unsolved")


def divided(view: View) -> str:
    """Return the way to the items that most pairs of models divide on, one solving it, the other not."""
    items = view.results.table("item_counts")
    if items is None or not view.item_places:
        return ""
    pairs = pl.col("k") * (pl.col("n_models") - pl.col("k"))
    items = items.with_columns(pairs=pairs).filter(pl.col("pairs") > 0)
    if not items.height:
        return ""
    ordered = (
        items.sort(["pairs", "item_id"], descending=[True, False])["item_id"].head(MOST_EXAMPLES).to_list()
    )
    names = listed([view.item(i) for i in ordered])
    verb = "divides" if len(ordered) == 1 else "divide"
    return paragraph(f"{names} {verb} the models most ({_list(view, 'some')}).", css="note")


def flagged(view: View) -> str:
    """Return the way to the items of responses that raters flagged."""
    ratings = view.results.table("ratings")
    if ratings is None or not view.item_places:
        return ""
    items = ratings.filter(pl.col("flagged").fill_null(False))["item_id"].unique().sort().to_list()
    if not items:
        return ""
    return _way(view, f"Raters flagged responses to {plural(len(items), 'item')}", items, "")


def every(view: View) -> str:
    """Return where the responses to every item can be read, as a paragraph; empty without such pages."""
    if not view.item_places:
        return ""
    return paragraph(
        f"Verdicts, ratings and any audit trail of the scorer can be read item by item ({_list(view, '')})."
    )


def _way(view: View, words: str, ordered: list[str], group: str) -> str:
    shown = [view.item(i) for i in ordered[:MOST_EXAMPLES]]
    left = len(ordered) - len(shown)
    more = f" and {count(left)} more" if left > 0 else ""
    names = f"{', '.join(shown)}{more}" if left > 0 else listed(shown)
    return paragraph(f"{words}: {names} ({_list(view, group)}).", css="note")


def _list(view: View, group: str) -> str:
    target = f"#{group}" if group else ""
    return f'<a href="{escape(view.site_link)}items.html{target}">list of items</a>'
