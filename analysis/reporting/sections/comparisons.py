"""Paired tests between models: neighbours in rank, the matrix of all pairs, and the pairs one by one."""

from __future__ import annotations

import polars as pl

from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import block, escape
from analysis.reporting.numbers import count, p_value, plural
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column, static_table
from analysis.reporting.view import View, absent

MOST_PAIRS = 66
"""More pairs than this (12 models) are not listed on the page; the table can be downloaded."""


def show(view: View) -> str:
    """Return the paired tests: neighbours, and all pairs, in tabs."""
    if view.pairs is None:
        return absent(view.results.why_absent("pairwise_tests"))
    neighbours = _pairs_table(view, view.pairs.filter("adjacent"), "neighbours-table", adjacent=True)
    matrix = f"\n### Matrix\n{figure_float(view, 'pairwise')}" if has_figure(view, "pairwise") else ""
    if view.pairs.height > MOST_PAIRS:
        link = f'<a href="{escape(view.tables_link)}/pairwise_tests.parquet" download>table of all pairs</a>'
        everyone = block(
            f"<p>There are {plural(view.pairs.height, 'pair')}; the {link} (Parquet) has them.</p>"
        )
    else:
        everyone = block(_pairs_table(view, view.pairs, "pairs-table", adjacent=False))
    return (
        "\n::: {.panel-tabset}\n\n### Neighbours in rank\n"
        + block(neighbours)
        + matrix
        + "\n### All pairs\n"
        + everyone
        + "\n:::\n"
    )


def _pairs_table(view: View, pairs: pl.DataFrame, identifier: str, *, adjacent: bool) -> str:
    order = {} if view.standings is None else {m: i for i, m in enumerate(view.standings["model"])}
    pairs = pairs.sort(
        pl.col("model_a").replace_strict(order, default=0, return_dtype=pl.Int64),
        pl.col("model_b").replace_strict(order, default=0, return_dtype=pl.Int64),
    )
    scale = view.difference_scale
    unit = ", points" if scale.kind == "percent" else ""
    columns = [
        Column("a", "Higher in rank"),
        Column("b", "Lower in rank"),
        Column("n", "Items", "right", "Common items"),
        Column("better", "Better", "right", "Common items"),
        Column("worse", "Worse", "right", "Common items"),
        Column("difference", f"Difference{unit}", "right"),
        Column("interval", view.ci),
        Column("p", "p", "right"),
        Column("adjusted", "Bonferroni" if adjacent else "Holm", "right"),
        Column("verdict", "Differ"),
    ]
    rows = []
    for row in pairs.iter_rows(named=True):
        adjusted = row["p_bonferroni"] if adjacent else row["p_holm"]
        tested = row["p_value"] is not None
        differs = row["significant"] if adjacent else tested and row["p_holm"] < view.alpha
        rows.append(
            {
                "a": view.name(row["model_a"]),
                "b": view.name(row["model_b"]),
                "n": count(row["n_items"]),
                "better": count(row["n_better"]),
                "worse": count(row["n_worse"]),
                "difference": scale.difference(row["difference"]),
                "interval": muted_range(scale.difference_interval(row["ci_low"], row["ci_high"])),
                "p": escape(p_value(row["p_value"], alpha=view.alpha)),
                "adjusted": escape(p_value(adjusted, alpha=view.alpha)),
                "verdict": ("<strong>yes</strong>" if differs else "no") if tested else "not tested",
            }
        )
    return static_table(identifier, columns, rows, note=_test_note(pairs))


def _test_note(pairs: pl.DataFrame) -> str:
    methods = sorted(set(pairs["method"]) - {"none"})
    named = "; ".join(escape(test_name(m)) for m in methods)
    note = f"Test: {named}. " if named else ""
    return note + "Intervals are not adjusted for the number of pairs."


def test_name(method: str) -> str:
    """Return a test as a sentence names it.

    Examples
    --------
    >>> test_name("cluster_sign_flip_exact"), test_name("sign_flip_monte_carlo")
    ('exact sign-flip test, whole clusters flip', 'sign-flip test with random flips')
    """
    rest = method
    matched, rest = rest.startswith("matched_runs_"), rest.removeprefix("matched_runs_")
    whole, rest = rest.startswith("cluster_sign_flip"), rest.replace("cluster_sign_flip", "sign_flip")
    names = {
        "sign_flip_exact": "exact sign-flip test",
        "sign_flip_monte_carlo": "sign-flip test with random flips",
        "sign_flip_normal": "sign-flip test, normal approximation",
        "item_bootstrap": "bootstrap-t over items",
        "cluster_bootstrap": "bootstrap-t over clusters",
    }
    name = names.get(rest, rest.replace("_", " "))
    return name + (", runs matched" if matched else "") + (", whole clusters flip" if whole else "")
