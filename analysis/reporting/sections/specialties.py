"""What each model is good at: where it leads, where it is at its best, what it alone solves."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape
from analysis.reporting.numbers import count, listed, plural
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View


def show(view: View) -> str:
    """Return a table of the models' specialties; empty without strata."""
    rows = view.results.table("specialties")
    if rows is None or view.standings is None or view.standings.height < 2:
        return ""
    alone = view.results.rows("unique_solves", track=ALL, basis="answered")
    unique = {} if alone is None else dict(alone.select("model", "n_unique").iter_rows())
    there = rows["stratum"].unique().sort().to_list()
    first = next((s for s in view.results.card.strata or () if s in there), there[0])
    cells = [
        {
            "model": view.name(model),
            "best": _values(rows.filter((pl.col("model") == model) & pl.col("is_top_value"))),
            "leads": _values(rows.filter((pl.col("model") == model) & (pl.col("lead") > 0))),
            "unique": count(unique.get(model, 0)),
            "mostly": _mostly(rows.filter(pl.col("model") == model, pl.col("stratum") == first)),
        }
        for model in view.standings["model"]
    ]
    columns = [
        Column("model", "Model"),
        Column("leads", "Leads in"),
        Column("best", "Own best"),
        Column("unique", "Solves alone", "right"),
        Column("mostly", "Most of them in"),
    ]
    return detail(
        view,
        "specialties",
        columns,
        cells,
        summary="What each model is good at",
        caption="Strata in which a model has the highest score alone, its own best one among those of 20 "
        "items or more, and the items that no other model solves.",
    )


def _values(rows: pl.DataFrame) -> str:
    named = [f"<bdi>{escape(v)}</bdi>" for v in rows.sort("stratum", "value")["value"]]
    return f'<span class="words">{listed(named, most=4)}</span>' if named else "\u2013"


def _mostly(rows: pl.DataFrame) -> str:
    """Return the value that holds most of what the model alone solves."""
    alone = rows.filter(pl.col("n_unique") > 0)
    if not alone.height:
        return "\u2013"
    top = alone.sort(["n_unique", "value"], descending=[True, False]).row(0, named=True)
    return f'<span class="words"><bdi>{escape(top["value"])}</bdi> ({plural(top["n_unique"], "item")})</span>'
