"""How alike the models' verdicts are."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.figure import figure_float
from analysis.reporting.markup import paragraph
from analysis.reporting.numbers import Scale, fixed, plural
from analysis.reporting.results import ALL
from analysis.reporting.view import View, absent

ENOUGH = 30
"""Common items that a pair should have to be called most or least alike, where any pair has as many."""


def show(view: View) -> str:
    """Return the most and the least similar pairs in words, and the heatmap."""
    rows = view.results.rows("concordance", track=ALL)
    found = None if rows is None else rows.filter(pl.col("agreement").is_not_null())
    if found is None or found.height == 0:
        return absent(view.results.why_absent("concordance"))
    return paragraph(sentences(view, found)) + figure_float(view, "concordance")


def sentences(view: View, rows: pl.DataFrame) -> str:
    """Return which pairs give most and least often the same verdict."""
    many = rows.filter(pl.col("n_items") >= ENOUGH)
    few = rows.height - many.height if many.height else 0
    rows = many if many.height else rows
    order = rows.sort(["agreement", "model_a", "model_b"], descending=[True, False, False])
    first, last = order.row(0, named=True), order.row(-1, named=True)
    if rows.height == 1:
        only = f"Only one pair has at least {ENOUGH} common items: " if few else ""
        return f"{only}{_pair(view, first)} give the same verdict on {_agreement(first)}."
    if first["agreement"] == last["agreement"]:
        share = Scale("percent", 0 if first["agreement"] == 1 else 1).value(first["agreement"])
        return f"All {rows.height} pairs of models agree equally often: on {share} of their common items."
    among = f"Among the pairs with at least {ENOUGH} common items, " if few else ""
    text = f"{among}{_pair(view, first)} are most alike: they give the same verdict on {_agreement(first)}."
    text += f" {_pair(view, last)} are least alike, with {_agreement(last)}."
    alike = rows.filter(pl.col("kappa").is_not_null()).sort(
        ["kappa", "model_a", "model_b"], descending=[True, False, False]
    )
    if alike.height:
        best = alike.row(0, named=True)
        if best["kappa"] > 0 and (best["model_a"], best["model_b"]) != (first["model_a"], first["model_b"]):
            kappa = f"\u03ba\u00a0=\u00a0{fixed(best['kappa'], 2)}"
            text += f" Corrected for chance, {_pair(view, best)} agree most ({kappa})."
    return text


def _pair(view: View, row: dict[str, Any]) -> str:
    return f"{view.name(row['model_a'])} and {view.name(row['model_b'])}"


def _agreement(row: dict[str, Any]) -> str:
    kappa = "" if row["kappa"] is None else f", Cohen's \u03ba\u00a0=\u00a0{fixed(row['kappa'], 2)}"
    share = Scale("percent", 1 if row["n_items"] >= 200 else 0).value(row["agreement"])
    return f"{share} of {plural(row['n_items'], 'common item')}{kappa}"
