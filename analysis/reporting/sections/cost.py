"""What responses cost, and which models are worth their price."""

from __future__ import annotations

import polars as pl

from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, count, money, plural, significant
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent, metric_head

Finding = tuple[str, str]


def show(view: View) -> str:
    """Return the cost frontier in words, as a figure and as a table."""
    rows = view.results.rows("frontier", track=ALL, metric=view.metric)
    priced = None if rows is None else rows.filter(pl.col("cost_per_response_usd").is_not_null())
    if priced is None or priced.height == 0:
        return absent(_why_none(view)) + _table(view, None)
    return paragraph(sentences(view, priced)) + figure_float(view, "frontier") + _table(view, rows)


def _why_none(view: View) -> str:
    return escape(view.results.why_absent("frontier"))


def finding(view: View) -> Finding | None:
    """Return which models are on the frontier, as a headline."""
    rows = view.results.rows("frontier", track=ALL, metric=view.metric)
    priced = None if rows is None else rows.filter(pl.col("cost_per_response_usd").is_not_null())
    if priced is None or priced.height < 2:
        return None
    on = priced.filter("on_frontier").sort("cost_per_response_usd", "model")
    n, of = on.height, plural(priced.height, "priced model")
    lead = f"{count(n)} of {of} {'is' if n == 1 else 'are'} on the cost frontier."
    by_cost = priced.sort("cost_per_response_usd", "model")
    cheapest, dearest = by_cost.row(0, named=True), by_cost.row(-1, named=True)
    more = f"No other model has at least the score of {view.names(on['model'].to_list())} for less money."
    if cheapest["cost_per_response_usd"]:
        ratio = significant(dearest["cost_per_response_usd"] / cheapest["cost_per_response_usd"], 2)
        dear, cheap = view.name(dearest["model"]), view.name(cheapest["model"])
        more += f" A response of {dear} costs {ratio} times one of {cheap}."
    return lead, more


def sentences(view: View, priced: pl.DataFrame) -> str:
    """Return the frontier in words, from the cheapest model to the dearest."""
    on = priced.filter("on_frontier").sort("cost_per_response_usd", "model")
    steps = [
        f"{view.name(r['model'])} ({money(r['cost_per_response_usd'])} per response, "
        f"{view.scale.value(r['estimate'])})"
        for r in on.iter_rows(named=True)
    ]
    unpriced = _unpriced(view)
    if priced.height == 1:
        text = f"Only {steps[0]} has a known cost, so there is nothing to trade off."
    else:
        text = (
            "A model is on the frontier when no other has at least its score for less, or a higher score for "
            f"at most its cost. From the cheapest to the dearest, the frontier is {', '.join(steps)}."
        )
        off = priced.filter(~pl.col("on_frontier"))
        if off.height:
            first = off.sort("estimate", "model", descending=[True, False]).row(0, named=True)
            if first["dominated_by"]:
                text += (
                    f" Of the others, {view.name(first['model'])} scores highest; "
                    f"{view.name(first['dominated_by'])} dominates it."
                )
    if unpriced:
        are = "has no known cost and is" if len(unpriced) == 1 else "have no known cost and are"
        text += f" {view.names(unpriced, most=3)} {are} not on the frontier."
    return text


def _unpriced(view: View) -> list[str]:
    costs = view.results.table("costs")
    return [] if costs is None else costs.filter(pl.col("basis") == "unpriced")["model"].to_list()


def _table(view: View, frontier: pl.DataFrame | None) -> str:
    costs = view.results.table("costs")
    if costs is None:
        return ""
    if frontier is not None:
        costs = costs.join(
            frontier.select("model", "cost_per_response_usd", "estimate", "on_frontier", "p_on_frontier"),
            on="model",
            how="left",
        ).sort(pl.col("cost_per_response_usd"), "model", nulls_last=True)
    elif (costs["basis"] == "unpriced").all():
        return _reasons(view, costs)
    cells = []
    for row in costs.iter_rows(named=True):
        on = row.get("on_frontier")
        probability = row.get("p_on_frontier")
        cells.append(
            {
                "model": view.name(row["model"]),
                "per": money(row.get("cost_per_response_usd")),
                "total": money(row["cost_usd"]),
                "n": count(row["n_priced"]),
                "score": view.scale.bare(row.get("estimate")),
                "on": '<span class="tag best">on the frontier</span>' if on else "",
                "p": Scale("percent", 0).value(probability) if probability is not None else "\u2013",
                "basis": f'<span class="words">{escape(row["note"])}</span>',
            }
        )
    columns = [
        Column("model", "Model"),
        Column("per", "Cost per response", "right"),
        Column("total", "Total", "right"),
        Column("n", "Priced rows", "right"),
        Column("score", metric_head(view.metric), "right"),
        Column("on", ""),
        Column("p", "In resamples", "right"),
        Column("basis", "Where the cost comes from"),
    ]
    if frontier is None:
        columns = [c for c in columns if c.key not in ("per", "score", "on", "p")]
    caption = "Cost by model, the cheapest first. In resamples: how often the model is on the frontier."
    return table_float("tbl-cost", static_table("cost-table", columns, cells), caption)


def _reasons(view: View, costs: pl.DataFrame) -> str:
    """Return why models have no known cost, once per reason."""
    reasons = costs.group_by("note", maintain_order=True).agg("model").sort("note")
    return "".join(
        paragraph(f"{view.names(models, most=3)}: {escape(note)}.", css="note")
        for note, models in reasons.iter_rows()
    )
