"""What right diagnoses hide: the waterfall, mean credit and what its drop is due to, shares of sessions."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float
from analysis.reporting.markup import paragraph
from analysis.reporting.numbers import NONE, Scale, count, listed
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

UNIT = Scale("plain", 2)
SHARE = Scale("percent", 0)
PARTS = {"drop_history": "history", "drop_safety": "safety", "drop_adaptation": "adaptation"}
ERRORS = {"history": "History", "safety": "Safety", "adaptation": "Adaptation"}


def show(view: View) -> str:
    """Return both forms of hidden errors; empty where neither can be made."""
    averages = view.results.table("hidden_indicators")
    shares = view.results.table("hidden_errors")
    if averages is None and shares is None:
        return ""
    text = "" if averages is None else paragraph(_sentence(view, averages))
    return (
        "\n### Hidden errors {#hidden-errors}\n"
        + text
        + figure_float(view, "hidden_errors", "fig-hidden-errors")
        + ("" if averages is None else _averages(view, averages))
        + ("" if shares is None else _shares(view, shares))
    )


def _sentence(view: View, rows: pl.DataFrame) -> str:
    from analysis.reporting.sections.sessions import in_order

    static = rows.filter(pl.col("quantity") == "static", pl.col("role") == "model", pl.col("estimate") > 0)
    models = [m for m in in_order(view) if m in set(static["model"])]
    if not models:
        return "No model names a core diagnosis first, so nothing is hidden."
    first = models[0]
    own = {r["quantity"]: r["estimate"] for r in rows.filter(pl.col("model") == first).iter_rows(named=True)}
    due = [q for q in PARTS if q in own]
    parts = [f"{UNIT.bare(own[q])}{'' if i else ' is due'} to {PARTS[q]}" for i, q in enumerate(due)]
    text = (
        f"Judged by its first diagnosis alone, {view.name(first)} earns "
        f"{UNIT.bare(own['static'])}; once the way to it counts as well, {UNIT.bare(own['full'])} is left. "
        f"Of the drop of {UNIT.bare(own['drop'])}, {listed(parts)}."
    )
    return text


def _averages(view: View, rows: pl.DataFrame) -> str:
    from analysis.reporting.sections.sessions import in_order

    present = set(rows["quantity"])
    heads = {"static": "Static", "with_process": "With process", "full": "Full", "drop": "Drop"}
    columns = [Column("model", "System")]
    columns += [Column(q, head, "right", "Mean credit") for q, head in heads.items() if q in present]
    columns += [
        Column(q, name.capitalize(), "right", "Drop due to") for q, name in PARTS.items() if q in present
    ]
    columns.append(Column("n", "Sessions", "right"))
    cells = []
    for model in in_order(view):
        own = {r["quantity"]: r for r in rows.filter(pl.col("model") == model).iter_rows(named=True)}
        if not own:
            continue
        cell = {"model": view.name(model)}
        cell |= {q: _with_limits(UNIT, r["estimate"], r["ci_low"], r["ci_high"]) for q, r in own.items()}
        one = own["static"]
        left = f" ({count(one['n_left_out'])} left out)" if one["n_left_out"] else ""
        cells.append(cell | {"n": count(one["n_sessions"]) + left})
    return detail(
        view,
        "hidden_indicators",
        columns,
        cells,
        summary="Mean credit: static, with process, full",
        caption=f"Mean credit of the sessions and what its drop is due to, with {view.ci} over cases.",
        note="A session has credit 1 where the first diagnosis is a core one; with process it is multiplied "
        "by MNI-Comp, in full by PSC and DCSR too. The parts of the drop are Shapley values: they do not "
        "depend on an order and sum to it.",
    )


def _shares(view: View, rows: pl.DataFrame) -> str:
    from analysis.reporting.sections.sessions import in_order

    shown = rows.filter("in_force")
    kinds = [e for e in ERRORS if e in set(shown["error"])]
    columns = [Column("model", "System"), Column("right", "Right diagnoses", "right")]
    columns += [Column(e, ERRORS[e], "right", "Fail in, %") for e in kinds]
    columns += [Column(f"{e}_only", ERRORS[e], "right", "In this alone, %") for e in kinds]
    columns += [Column("several", "In several, %", "right"), Column("none", "Sound, %", "right")]
    cells = []
    for model in in_order(view):
        own = {r["error"]: r for r in shown.filter(pl.col("model") == model).iter_rows(named=True)}
        if not own:
            continue
        one = own["any"]
        n = one["n_sessions"]
        cell = {"model": view.name(model), "right": f"{count(one['n_right'])} of {count(n)}" if n else NONE}
        cell |= {
            e: NONE if r["share"] is None else _with_limits(SHARE, r["share"], r["ci_low"], r["ci_high"])
            for e, r in own.items()
        }
        cells.append(cell)
    at = SHARE.value(shown["coverage_at"][0])
    others = [SHARE.value(a) for a in rows["coverage_at"].unique().sort() if SHARE.value(a) != at]
    note = f"History fails with less than {at} of the necessary information, safety with a hard violation, "
    note += "adaptation where the constraint is not met or the regimen loses quality. "
    note += "The exclusive columns sum to 100."
    if others:
        note += f" The table to download has the thresholds {listed(others)} too."
    return detail(
        view,
        "hidden_errors",
        columns,
        cells,
        summary="Right diagnoses that fail: overlapping and exclusive",
        caption=f"Of the sessions with a right diagnosis: shares that fail, with {view.ci} over cases.",
        note=note,
    )


def _with_limits(scale: Scale, value: Any, low: Any, high: Any) -> str:
    limits = scale.interval(low, high)
    return scale.bare(value) + ("" if limits == NONE else f" {muted_range(limits)}")
