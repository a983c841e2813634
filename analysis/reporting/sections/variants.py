"""Thinking and non-thinking variants of the same base model, on the same cases."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import NONE, Scale, count, fixed, listed, p_value, plural
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.sections.session_metrics import metric_name
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

ALL = "all"
UNIT = Scale("plain", 3)


def show(view: View) -> str:
    """Return the paired differences; empty without variants of a base model."""
    rows = view.results.table("paired_factors")
    if rows is None:
        return ""
    return (
        "\n### Thinking or not {#variants}\n"
        + paragraph(_sentence(view, rows.filter(pl.col("tier") == "primary")))
        + _table(view, rows)
    )


def _sentence(view: View, rows: pl.DataFrame) -> str:
    bases = rows.filter(pl.col("base_model") != ALL)["base_model"].unique().sort().to_list()
    base = ALL if ALL in set(rows["base_model"]) else bases[0]
    own = rows.filter(pl.col("base_model") == base, pl.col("p_holm").is_not_null())
    better = own.filter((pl.col("advantage") > 0) & (pl.col("p_holm") < view.alpha))
    worse = own.filter((pl.col("advantage") < 0) & (pl.col("p_holm") < view.alpha))
    whose = f"Averaged over {plural(len(bases), 'base model')}" if base == ALL else f"For {named(bases[0])}"
    of = plural(own.height, "primary metric")
    text = f"{whose}, the thinking variant is better on {better.height} of {of}"
    if better.height:
        text += f" ({listed([metric_name(view, m) for m in better['metric']], most=6)})"
    text += f" and worse on {worse.height or 'none'}"
    if worse.height:
        text += f" ({listed([metric_name(view, m) for m in worse['metric']], most=6)})"
    text += f", by sign-flip tests over cases with Holm\u2019s adjustment at {view.alpha:g}."
    if base == ALL:
        text += " This speaks of these base models on other cases, not of other base models."
    return text


def _table(view: View, rows: pl.DataFrame) -> str:
    columns = [
        Column("metric", "Metric"),
        Column("a", "Thinking", "right"),
        Column("b", "Not", "right"),
        Column("advantage", "Advantage", "right"),
        Column("p", "p", "right"),
        Column("holm", "p (Holm)", "right"),
        Column("n", "Cases", "right"),
    ]
    definitions = view.results.table("metric_definitions")
    place = {} if definitions is None else dict(definitions.select("metric", "position").iter_rows())
    shown = rows.filter(pl.col("tier") == "primary")
    cells = []
    groups = sorted(
        {
            (r["base_model"] != ALL, r["base_model"], r["model_a"], r["model_b"])
            for r in shown.iter_rows(named=True)
        }
    )
    for _, base, model_a, model_b in groups:
        own = shown.filter(
            pl.col("base_model") == base, pl.col("model_a") == model_a, pl.col("model_b") == model_b
        )
        head = (
            "Mean over the base models"
            if base == ALL
            else f"{view.name(model_a)} against {view.name(model_b)}"
        )
        for r in sorted(own.iter_rows(named=True), key=lambda r: place.get(r["metric"], 0)):
            cells.append({"group": head, **_cells(view, r)})
    return detail(
        view,
        "paired_factors",
        columns,
        cells,
        summary="Paired differences on every primary metric",
        caption=f"Thinking minus not thinking, on the same cases; positive is better, with {view.ci}.",
        note="Holm\u2019s adjustment is over the primary metrics, each group by itself. "
        f"Secondary metrics and false discovery rates are in the table {escape('paired_factors')}.",
        groups="group",
    )


def _cells(view: View, r: dict[str, Any]) -> dict[str, str]:
    limits = UNIT.difference_interval(r["ci_low"], r["ci_high"])
    return {
        "metric": metric_name(view, r["metric"]),
        "a": NONE if r["mean_a"] is None else fixed(r["mean_a"], 3),
        "b": NONE if r["mean_b"] is None else fixed(r["mean_b"], 3),
        "advantage": UNIT.difference(r["advantage"]) + ("" if limits == NONE else f" {muted_range(limits)}"),
        "p": p_value(r["p_value"], alpha=view.alpha),
        "holm": p_value(r["p_holm"], alpha=view.alpha),
        "n": count(r["n_cases"]),
    }
