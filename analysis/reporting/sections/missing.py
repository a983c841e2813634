"""What missing cells do to the ranking: the policy in force and what the others would make of it."""

from __future__ import annotations

import polars as pl

from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import paragraph
from analysis.reporting.numbers import count, plural
from analysis.reporting.results import ALL
from analysis.reporting.sections import stability
from analysis.reporting.view import View, absent

Finding = tuple[str, str]
LIKE = 0.5
"""Below this share of the largest item set, what all models answered is called different items."""
POLICIES = {
    "exclude": "each model's own cells",
    "failure": "asked but unscored counts 0",
    "common_items": "items for which every model has a cell",
    "error": "missing cells refused",
}


def _rows(view: View) -> pl.DataFrame | None:
    return view.results.rows("policies", track=ALL, metric=view.metric)


def _changed(rows: pl.DataFrame) -> dict[str, list[str]]:
    """Return the models whose rank changes, by policy."""
    out = {}
    for policy in rows["policy"].unique().sort():
        moved = rows.filter((pl.col("policy") == policy) & (pl.col("rank") != pl.col("rank_in_force")))
        out[str(policy)] = moved.sort("rank_in_force")["model"].to_list()
    return out


def show(view: View) -> str:
    """Return which ranks change under the other policies."""
    rows = _rows(view)
    if rows is None:
        return absent(view.results.why_absent("policies"))
    text = sentences(view, rows)
    moves = any(_changed(rows).values()) and has_figure(view, "policies")
    figure = figure_float(view, "policies") if moves else ""
    return paragraph(text) + figure + stability.policies(view)


def sentences(view: View, rows: pl.DataFrame) -> str:
    """Return the policy in force and what the others change, in words."""
    force = view.results.card.missing
    if not stability.any_cell_without_score(view):
        each = view.every[0].upper() + view.every[1:]
        return f"{each} has a scored cell for every item, so no policy for missing cells changes anything."
    text = f"The policy in force is <code>{force}</code>: {POLICIES[force]}."
    if rows.filter(pl.col("policy") == "common_items").height == 0:
        text += " No item has a cell of every model, so <code>common_items</code> ranks nobody."
    return f"{text} {stability.policy_words(view)}".strip()


def unlike_items(view: View) -> Finding | None:
    """Return a warning where the models were scored on different items, so that scores do not compare."""
    table = view.standings
    if table is None or table.height < 2:
        return None
    low, high = (int(table["n_items"].min()), int(table["n_items"].max()))  # type: ignore[arg-type]
    complete = view.results.rows("count_distribution", track=ALL, basis="complete")
    common = 0 if complete is None else int(complete["n_items"].sum())
    if common >= LIKE * high:
        return None
    each = plural(low, "item") if low == high else f"{count(low)} to {plural(high, 'item')}"
    shared = {0: f"no item was answered by {view.every}", 1: f"only one was answered by {view.every}"}.get(
        common, f"only {count(common)} were answered by {view.every}"
    )
    return (
        "The models answered different items.",
        f"A model was scored on {each}, and {shared}. The order mixes ability with the choice of items; the "
        "paired tests use common items only.",
    )


def finding(view: View) -> Finding | None:
    """Return a warning where missing cells move ranks."""
    rows = _rows(view)
    if rows is None:
        return None
    moved = {p: m for p, m in _changed(rows).items() if m}
    if not moved:
        return None
    policy, models = max(moved.items(), key=lambda pm: (len(pm[1]), pm[0]))
    n = len(models)
    lead = f"{plural(n, 'model')} would change place under another policy for missing cells."
    whom = f"{view.names(models, most=3)} {'moves' if n == 1 else 'move'}"
    return lead, f"Under <code>{policy}</code> ({POLICIES[policy]}) {whom}."
