"""What ensembles reach when chosen elsewhere, against majority and best single; who contributes what."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import paragraph
from analysis.reporting.numbers import Scale, count, fixed, plural, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

SMALL = 3
"""Size of the ensemble that the sentences name, where there are more models."""
ENOUGH = 30
"""Items answered by every model that are enough to prefer them."""

Row = dict[str, Any]


def show(view: View) -> str:
    """Return cross-fitted coverage, oracle against majority, Shapley shares; empty if nothing is solved."""
    rows = chosen_rows(view, "ensembles")
    if rows is None or int(rows["n_models"][0]) < 2 or not (rows["share"] > 0).any():
        return ""
    text = " ".join(filter(None, (elsewhere(view, rows), against(view, rows), once(rows))))
    shares = shapley_words(view)
    parts = [paragraph(text), _sizes(view, rows), paragraph(shares) if shares else "", _shares(view)]
    return "".join(parts)


def chosen_rows(view: View, table: str) -> pl.DataFrame | None:
    """Return the rows over all items, on the items that every model answered where they are enough."""
    complete, answered = (
        view.results.rows(table, track=ALL, basis=basis) for basis in ("complete", "answered")
    )
    if complete is None or answered is None:
        return answered
    n, n_all = int(complete["n_items"][0]), int(answered["n_items"][0])
    return complete if n >= ENOUGH or n == n_all else answered


def elsewhere(view: View, rows: pl.DataFrame) -> str:
    """Return what a small ensemble covers in sample, and what it covers when it is chosen elsewhere."""
    n_models = int(rows["n_models"][0])
    size = min(SMALL, max(1, n_models - 1))
    here, other = _at(rows, "greedy", size), _at(rows, "cross_fitted", size)
    if here is None or other is None:
        return ""
    scale = scale_for("percent", [(r["ci_low"], r["ci_high"]) for r in (here, other)])
    who = "the best model covers" if size == 1 else f"{size} models cover"
    limits = "" if other["ci_low"] is None else f" ({scale.interval(other['ci_low'], other['ci_high'])})"
    return (
        "Coverage is optimistic where models are chosen on the items that they are measured on. Of "
        f"{_basis(view, rows)}, {who} {scale.value(here['share'])} here, "
        f"{scale.value(other['share'])}{limits} chosen elsewhere, that is, on one half of the items and "
        "measured on the other."
    )


def _basis(view: View, rows: pl.DataFrame) -> str:
    who = view.every if rows["basis"][0] == "complete" else "any model"
    return f"the {plural(int(rows['n_items'][0]), 'item')} that {who} answered"


def against(view: View, rows: pl.DataFrame) -> str:
    """Return the oracle over all models, their majority, the best single and the mean model."""
    n_models, complete = int(rows["n_models"][0]), rows["basis"][0] == "complete"
    found = {m: _at(rows, m) for m in ("greedy", "majority", "best_single", "mean_single")}
    if any(row is None for row in found.values()):
        return ""
    known: dict[str, Row] = {m: row for m, row in found.items() if row is not None}
    scale = scale_for("percent", [(r["ci_low"], r["ci_high"]) for r in known.values()])
    share = {m: scale.value(row["share"]) for m, row in known.items()}
    best = f"{view.name(known['best_single']['model'])}, {share['best_single']}"
    choice = f"A perfect choice among the answers of {'both' if n_models == 2 else f'all {n_models}'} models"
    if complete:
        return (
            f"{choice} solves {share['greedy']} of them, their majority {share['majority']}, the best single "
            f"model, {best}, and a model on average {share['mean_single']}."
        )
    return (
        f"{choice} solves {share['greedy']} of them, the majority of those that were asked "
        f"{share['majority']}, and the best single model, {best}: what a model was not asked, it does not "
        "solve."
    )


def once(rows: pl.DataFrame) -> str:
    """Return what all models would cover if each ran once, where runs are repeated."""
    row, whole = _at(rows, "one_run"), _at(rows, "greedy")
    if row is None or whole is None:
        return ""
    scale = scale_for("percent", [(r["ci_low"], r["ci_high"]) for r in (row, whole)])
    return (
        f"Items were run several times: if each model ran once, all together would be expected to cover "
        f"{scale.value(row['share'])}; by the means of their runs they cover {scale.value(whole['share'])}."
    )


def shapley_words(view: View) -> str:
    """Return who contributes most and least to what is covered, as a sentence."""
    rows = chosen_rows(view, "coverage_shares")
    rows = None if rows is None else rows.filter(pl.col("share_of_coverage").is_not_null())
    if rows is None or rows.height < 2:
        return ""
    rows = rows.sort(["shapley", "model"], descending=[True, False])
    top, last = rows.row(0, named=True), rows.row(-1, named=True)
    if round(top["shapley"] - last["shapley"], 9) == 0:
        return "Shared out by Shapley value, every model contributes the same to what is covered."
    scale = Scale("percent", 1)
    limits = (
        "" if top["ci_low"] is None else f", {view.ci} {_items(top['ci_low'])} to {_items(top['ci_high'])}"
    )
    return (
        "Where an item that k models solve counts 1/k for each of them (Shapley value), "
        f"{view.name(top['model'])} contributes most: {_items(top['shapley'])} items{limits}, or "
        f"{scale.value(top['share_of_coverage'])} of what is covered; {view.name(last['model'])} least, "
        f"{scale.value(last['share_of_coverage'])}."
    )


def _sizes(view: View, rows: pl.DataFrame) -> str:
    once_too = rows.filter(pl.col("method") == "one_run").height > 0
    columns = [
        Column("size", "Models", "right"),
        Column("model", "Added last"),
        Column("greedy", "Here, %", "right"),
        Column("cross_fitted", "Chosen elsewhere, %", "right"),
        Column("optimism", "Optimism, points", "right"),
    ]
    if once_too:
        columns.append(Column("one_run", "One run each, %", "right"))
    cells = []
    for size in rows.filter(pl.col("method") == "greedy")["size"].sort():
        found = {m: _at(rows, m, size) for m in ("greedy", "cross_fitted", "one_run")}
        fitted = found["cross_fitted"]
        optimism = None if fitted is None else fitted["optimism"]
        cell = {m: _cell(row) for m, row in found.items()}
        cell |= {"size": count(size), "model": view.name((found["greedy"] or {}).get("model") or "")}
        cells.append(cell | {"optimism": Scale("percent", 1).difference(optimism)})
    return detail(
        view,
        "ensembles",
        columns,
        cells,
        summary="Coverage by size: here, and chosen elsewhere",
        caption=f"Share of items that at least one model of the ensemble solves, with {view.ci}.",
    )


def _shares(view: View) -> str:
    rows = chosen_rows(view, "coverage_shares")
    if rows is None or rows.height < 2:
        return ""
    once_too = rows["shapley_one_run"].null_count() < rows.height
    columns = [
        Column("model", "Model"),
        Column("solved", "Solved", "right"),
        Column("unique", "By it alone", "right"),
        Column("shapley", "Shapley, items", "right"),
        Column("share", "Of the covered, %", "right"),
    ]
    if once_too:
        columns.append(Column("once", "Shapley, one run", "right"))
    columns += [Column("first", "Best of a half, %", "right"), Column("three", "In the three, %", "right")]
    scale, whole = Scale("percent", 1), Scale("percent", 0)
    cells = []
    for row in rows.sort(["shapley", "model"], descending=[True, False]).iter_rows(named=True):
        limits = ""
        if row["ci_low"] is not None:
            limits = " " + muted_range(f"{_items(row['ci_low'])} to {_items(row['ci_high'])}")
        cells.append(
            {
                "model": view.name(row["model"]),
                "solved": count(row["n_solved"]),
                "unique": count(row["n_unique"]),
                "shapley": _items(row["shapley"]) + limits,
                "share": scale.bare(row["share_of_coverage"]),
                "once": _items(row["shapley_one_run"]),
                "first": whole.bare(row["chosen_first"]),
                "three": whole.bare(row["chosen_in_three"]),
            }
        )
    return detail(
        view,
        "coverage_shares",
        columns,
        cells,
        summary="What each model contributes",
        caption="Each model's part in what all cover together. The last two columns: how often random halves "
        "of the items choose it as the best model and into the greedy ensemble of three.",
    )


def _at(rows: pl.DataFrame, method: str, size: int | None = None) -> Row | None:
    """Return the row of a method at a size, by default the largest."""
    own = rows.filter(pl.col("method") == method).sort("size")
    own = own if size is None else own.filter(pl.col("size") == size)
    return own.row(-1, named=True) if own.height else None


def _items(n: float | None) -> str:
    return "\u2013" if n is None else fixed(n, 1)


def _cell(row: Row | None) -> str:
    if row is None:
        return "\u2013"
    scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
    return f"{scale.bare(row['share'])} {muted_range(scale.interval(row['ci_low'], row['ci_high']))}"
