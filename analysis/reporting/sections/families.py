"""Model families: medians and bests by track, with what is not available."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, plural, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, kind_of


def show(view: View) -> str:
    """Return medians and bests of families; empty where no family has two models."""
    rows = view.results.rows("family_profiles", metric=view.metric)
    if rows is None or not (rows["n_models"] > 1).any():
        return ""
    head = "\n### Families {#families}\n"
    return head + paragraph(sentence(view, rows)) + _table(view, rows)


def sentence(view: View, rows: pl.DataFrame) -> str:
    """Return whose bests come from different models, and what is not available."""
    families = rows.unique("family", keep="first", maintain_order=True)
    several = families.filter(pl.col("n_best_models") > 1)
    text = f"{plural(families.height, 'family', 'families')} of models."
    if several.height:
        text += (
            f" The best of a family in each track is not one model: in {several.height} of them different "
            "models lead in different tracks."
        )
    gaps = rows.filter(pl.col("track") != ALL, pl.col("n_available") < pl.col("n_models")).height
    if gaps:
        text += (
            f" {plural(gaps, 'pair')} of family and track {'lacks' if gaps == 1 else 'lack'} scores of some "
            "models: a model without the task is left out, not counted as a failure."
        )
    return text


def _table(view: View, rows: pl.DataFrame) -> str:
    columns = [
        Column("family", "Family"),
        Column("n", "Models with scores", "right"),
        Column("median", "Median", "right"),
        Column("best", "Best", "right"),
        Column("who", "Best model"),
    ]
    cells = []
    for track in [ALL, *view.results.tracks]:
        part = rows.filter(pl.col("track") == track).sort("rank", "family", nulls_last=True)
        scale = scale_for(kind_of(view.metric), [], values=part["median"])
        for row in part.iter_rows(named=True):
            more = f" and {row['n_best'] - 1} more" if row["n_best"] > 1 else ""
            cells.append(
                {
                    "group": "All tracks" if track == ALL else f"<bdi>{escape(track)}</bdi>",
                    "family": f"<bdi>{escape(row['family'])}</bdi>",
                    "n": f"{count(row['n_available'])} of {count(row['n_models'])}",
                    "median": scale.bare(row["median"]),
                    "best": scale.bare(row["best"]),
                    "who": "–" if row["best_model"] is None else view.name(row["best_model"]) + more,
                }
            )
    return detail(
        view,
        "family_profiles",
        columns,
        cells,
        summary="Families by track",
        caption="Median and highest score of the models of a family that have the task.",
        groups="group",
    )
