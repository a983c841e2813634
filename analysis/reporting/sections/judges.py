"""Shares of yes as humans would see them, from a judge's many labels and some human ones."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import Scale, plural, scale_for
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

METHODS = {
    "human_only": "Humans alone",
    "judge_only": "Judge alone",
    "ppi": "Prediction-powered",
    "rogan_gladen": "Rogan\u2013Gladen",
}
"""Estimates side by side, as heads of columns."""


def show(view: View) -> str:
    """Return whether a judge's labels are worth it, and every estimate; empty without human labels."""
    rows = view.results.table("judge_correction")
    if rows is None:
        return ""
    texts = "".join(paragraph(sentence(view, rows.filter(pl.col("judge") == j))) for j in _judges(rows))
    random = (
        "Prediction-powered inference takes the responses that humans labelled as a random sample of the "
        "model\u2019s responses; where they were picked for another reason, it does not hold."
    )
    head = "\n### Judges corrected by humans {#judge-correction}\n"
    return head + texts + paragraph(random, css="note") + _table(view, rows)


def sentence(view: View, rows: pl.DataFrame) -> str:
    """Return what one judge's labels add to the humans', as its notes say it."""
    judge, powered = _judge(str(rows["judge"][0])), rows.filter(pl.col("method") == "ppi").sort("model")
    notes = powered["note"].unique(maintain_order=True).to_list()
    if powered.height == 1:
        return f"{judge}, on {view.name(powered['model'][0])}: {escape(notes[0])}"
    if len(notes) == 1:
        return f"{judge}, on each of {plural(powered.height, 'model')}: {escape(notes[0])}"
    worth = powered.filter(pl.col("worth_it"))
    best = powered.sort(pl.col("human_equivalent") / pl.col("n_human"), descending=True, nulls_last=True)
    most = best.row(0, named=True)
    note = most["note"].removeprefix("Worth it: ").removeprefix("Not worth it: ")
    return (
        f"{judge}: worth it for {worth.height} of {plural(powered.height, 'model')}. It adds most for "
        f"{view.name(most['model'])}: {escape(note)}"
    )


def _table(view: View, rows: pl.DataFrame) -> str:
    columns = [Column("model", "Model"), Column("n", "Human labels", "right")]
    columns += [Column(m, f"{head}, %", "right") for m, head in METHODS.items()]
    columns += [Column("note", "Is it worth it?")]
    cells = []
    for judge in _judges(rows):
        own = rows.filter(pl.col("judge") == judge)
        for model in _in_rank_order(view, own):
            found = {r["method"]: r for r in own.filter(pl.col("model") == model).iter_rows(named=True)}
            cell = {m: _share(found.get(m)) for m in METHODS}
            note = escape(found["ppi"]["note"]) if "ppi" in found else ""
            cell |= {"judge": _judge(judge), "model": view.name(model)}
            cell |= {"n": f"{found['human_only']['n_human']:,}", "note": f'<span class="words">{note}</span>'}
            cells.append(cell)
    return detail(
        view,
        "judge_correction",
        columns,
        cells,
        summary="Shares of yes: humans, judge, and both together",
        caption=f"Share of yes as humans would see it, with {view.ci}.",
        groups="judge",
    )


def _judges(rows: pl.DataFrame) -> list[str]:
    return rows["judge"].unique(maintain_order=True).to_list()


def _judge(judge: str) -> str:
    return "The recorded verdict" if judge == "verdict" else named(judge or "(empty)")


def _in_rank_order(view: View, rows: pl.DataFrame) -> list[str]:
    ranked = [] if view.standings is None else view.standings["model"].to_list()
    place = {m: i for i, m in enumerate(ranked)}
    return sorted(rows["model"].unique(), key=lambda m: (place.get(m, len(place)), m))


def _share(row: dict[str, Any] | None) -> str:
    if row is None or row["estimate"] is None:
        return "\u2013"
    if row["ci_low"] is None:
        return Scale("percent", 0).bare(row["estimate"])
    scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
    return f"{scale.bare(row['estimate'])} {muted_range(scale.interval(row['ci_low'], row['ci_high']))}"
