"""What missing cells do to the ranking: the policy in force and what the others would make of it."""

from __future__ import annotations

import polars as pl

from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import paragraph
from analysis.reporting.numbers import count, plural
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent, metric_head

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
    figure = figure_float(view, "policies") if has_figure(view, "policies") else ""
    return paragraph(text) + (figure + _table(view, rows) if any(_changed(rows).values()) else "")


def sentences(view: View, rows: pl.DataFrame) -> str:
    """Return the policy in force and what the others change, in words."""
    force = view.results.card.missing
    table = view.standings
    kinds = ("n_excluded", "n_unscored", "n_missing")
    if table is not None and table.select(kinds).sum().row(0) == (0, 0, 0):
        each = view.every[0].upper() + view.every[1:]
        return f"{each} has a scored cell for every item, so no policy for missing cells changes anything."
    text = f"The policy in force is <code>{force}</code>: {POLICIES[force]}."
    changed = _changed(rows)
    for policy, words in POLICIES.items():
        if policy in (force, "error") or (policy == "exclude" and force == "error"):
            continue
        own = rows.filter(pl.col("policy") == policy)
        if own.height == 0:
            if policy == "common_items":
                text += " No item has a cell of every model, so <code>common_items</code> ranks nobody."
            continue
        moved = changed[policy]
        n = plural(own.height, "model")
        what = f"<code>{policy}</code> ({words})"
        if not moved:
            text += f" Under {what} no rank changes."
        else:
            text += (
                f" Under {what} {count(len(moved))} of {n} {'changes' if len(moved) == 1 else 'change'} rank."
            )
    return text


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


def _table(view: View, rows: pl.DataFrame) -> str:
    policies = [p for p in POLICIES if p in set(rows["policy"])]
    order = rows.unique("model", keep="first", maintain_order=True).sort("rank_in_force")["model"]
    cells = []
    for model in order:
        own = {r["policy"]: r for r in rows.filter(pl.col("model") == model).iter_rows(named=True)}
        cell = {"model": view.name(model)}
        for policy in policies:
            row = own.get(policy)
            if row is None:
                cell[policy] = "\u2013"
                continue
            arrow = _arrow(row["rank"] - row["rank_in_force"])
            cell[policy] = f"{row['rank']}{arrow}"
            cell[f"{policy}_score"] = view.scale.bare(row["estimate"])
            cell[f"{policy}_n"] = count(row["n_items"])
        cells.append(cell)
    columns = [Column("model", "Model")]
    for policy in policies:
        head = f"<code>{policy}</code>"
        columns += [
            Column(policy, "Place", "right", head),
            Column(f"{policy}_score", metric_head(view.metric), "right", head),
            Column(f"{policy}_n", "Items", "right", head),
        ]
    caption = (
        "Places by score under each policy for missing cells; arrows mark moves against the policy in force."
    )
    return table_float("tbl-policies", static_table("policies-table", columns, cells), caption)


def _arrow(moved: int) -> str:
    """Return how many places a model moves, upwards or downwards."""
    if not moved:
        return ""
    return f" <span class='muted'>{chr(0x25BC) if moved > 0 else chr(0x25B2)}{abs(moved)}</span>"
