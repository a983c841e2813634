"""Paired controls: what another condition changes, within each model."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.figures.paired_controls import ENDPOINTS
from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, count, listed, p_value, plural, scale_for
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent


def show(view: View) -> str:
    """Return what each control changes, as sentences, a forest figure and a table."""
    frame = view.results.table("paired_controls")
    if not view.results.card.controls:
        return absent("The card declares no controls.")
    if frame is None:
        return absent("No model answered a question of a control.")
    names = frame["control"].unique(maintain_order=True).to_list()
    texts = "".join(
        paragraph(sentence(view, name, frame.filter(pl.col("control") == name))) for name in names
    )
    return texts + figure_float(view, "paired_controls") + _table(view, frame, names)


def sentence(view: View, name: str, rows: pl.DataFrame) -> str:
    """Return for how many models a control makes a difference, and in which direction."""
    card = view.results.card.controls.get(name)
    meaning = f" ({escape(card.meaning)})" if card is not None and card.meaning else ""
    rows = rows.filter("primary")
    tested = rows.filter(pl.col("p_value").is_not_null())
    head = f"<bdi><strong>{escape(name)}</strong></bdi>{meaning}:"
    alone = rows.height - tested.height
    are = "is" if alone == 1 else "are"
    left = f" {plural(alone, 'model')} answered under one condition only and {are} not compared."
    left = left if alone else ""
    if tested.is_empty():
        return f"{head} no model answered a question under both conditions.{left}"
    first = tested.row(0, named=True)
    what = ENDPOINTS[first["endpoint"]]
    clear = tested.filter(pl.col("p_holm") < view.alpha)
    n = max(tested["n_items"].to_list())
    base = (
        f"{head} {plural(n, 'question')} in {plural(max(tested['n_clusters'].to_list()), 'cluster')}, {what}."
    )
    if clear.is_empty():
        return (
            f"{base} No difference stands after adjustment for {plural(tested.height, 'model')} (Holm).{left}"
        )
    parts = []
    for word, models in (
        ("higher", clear.filter(pl.col("difference") > 0)["model"].to_list()),
        ("lower", clear.filter(pl.col("difference") < 0)["model"].to_list()),
    ):
        if models:
            parts.append(f"{word} under the changed condition for {_names(view, models)}")
    return f"{base} Scores are {' and '.join(parts)}, of {plural(tested.height, 'model')} (Holm).{left}"


def _names(view: View, models: list[str]) -> str:
    known = [view.name(m) if m in view.results.names else f"<bdi>{escape(m)}</bdi>" for m in models]
    return listed(known, most=3)


def _table(view: View, frame: pl.DataFrame, names: list[str]) -> str:
    columns = [
        Column("model", "Model"),
        Column("n", "Questions", "right"),
        Column("before", "Baseline, %", "right"),
        Column("after", "Changed, %", "right"),
        Column("difference", "Points", "right"),
        Column("interval", view.ci),
        Column("bws", "Better/worse/same", "right"),
        Column("fixed", "+/−", "right"),
        Column("p", "p", "right"),
        Column("holm", "p (Holm)", "right"),
    ]
    cells = []
    for name in names:
        for endpoint, words in ENDPOINTS.items():
            rows = frame.filter(pl.col("control") == name, pl.col("endpoint") == endpoint)
            rows = rows.sort(
                [pl.col("difference").round(12), "model"], descending=[True, False], nulls_last=True
            )
            scale = scale_for("percent", rows.select("ci_low", "ci_high").iter_rows())
            head = f"<bdi>{escape(name)}</bdi>, {words}"
            cells += [{"group": head, **_cells(view, row, scale)} for row in rows.iter_rows(named=True)]
    return detail(
        view,
        "paired_controls",
        columns,
        cells,
        summary="Every control and endpoint, by model",
        caption="Scores under both conditions on the questions answered under both; whole clusters are "
        "resampled and flipped. Better, worse, same: clusters. +/−: questions corrected and harmed.",
        groups="group",
    )


def _cells(view: View, row: dict[str, Any], scale: Scale) -> dict[str, str]:
    name = (
        view.name(row["model"])
        if row["model"] in view.results.names
        else f"<bdi>{escape(row['model'])}</bdi>"
    )
    if row["difference"] is None:
        return {"model": name, "n": "0", "interval": f'<span class="words">{escape(row["note"])}</span>'}
    return {
        "model": name,
        "n": count(row["n_items"]),
        "before": scale_for("percent", []).bare(row["score_baseline"]),
        "after": scale_for("percent", []).bare(row["score_changed"]),
        "difference": scale_for("percent", []).difference(row["difference"]),
        "interval": muted_range(scale.difference_interval(row["ci_low"], row["ci_high"])),
        "bws": f"{row['n_better']}/{row['n_worse']}/{row['n_unchanged']}",
        "fixed": f"{row['n_corrected']}/{row['n_harmed']}",
        "p": escape(p_value(row["p_value"], alpha=view.alpha)),
        "holm": escape(p_value(row["p_holm"], alpha=view.alpha)),
    }
