"""Whole consultations: stages, composite, and how sure the order of the models is."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import NONE, Scale, count, fixed, listed, plural, span
from analysis.reporting.sections import (
    hidden_errors,
    replay,
    session_judges,
    session_metrics,
    variants,
)
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

STAGES = {
    "history": "History taking",
    "diagnosis": "Diagnosis",
    "treatment": "Treatment",
    "follow_up": "Follow-up",
}
COMPOSITES = {"composite": "Composite", "composite_of_stages": "Stages alike"}
UNIT = Scale("plain", 3)
ROUND = Scale("plain", 2)
SHARE = Scale("percent", 0)


def show(view: View) -> str:
    """Return everything about consultation sessions; one line where there are none."""
    if view.results.table("session_metrics") is None:
        return absent(escape(view.results.why_absent("session_metrics")))
    return (
        paragraph(who_and_what(view))
        + stages(view)
        + order(view)
        + session_metrics.show(view)
        + hidden_errors.show(view)
        + session_judges.show(view)
        + session_metrics.validity(view)
        + variants.show(view)
        + replay.show(view)
    )


def who_and_what(view: View) -> str:
    """Return how many sessions there are, of whom, on how many cases, as sentences."""
    results = view.results
    sessions = results.table("sessions")
    definitions = results.table("metric_definitions")
    if sessions is None or definitions is None:
        return ""
    roles = _roles(view)
    numbers = {kind: list(roles.values()).count(kind) for kind in ("model", "baseline", "reference")}
    parts = [plural(n, kind) for kind, n in numbers.items() if n]
    n_cases = sessions["case_id"].n_unique()
    without = sessions["t_dx"].null_count()
    primary = definitions.filter(pl.col("tier") == "primary").sort("position")
    missing = primary.filter(pl.col("n_defined") == 0)["label"].to_list()
    text = (
        f"{plural(sessions.height, 'session')} of {listed(parts)} with {plural(n_cases, 'case')}, measured "
        f"after MedConsultBench (arXiv:2601.12661)."
    )
    if without:
        text += f" In {plural(without, 'session')} no diagnosis was made."
    if missing:
        text += (
            f" Of the {primary.height} primary metrics {listed([escape(m) for m in missing])} "
            "cannot be computed from these files, so the composite is one of "
            f"{primary.height - len(missing)}."
        )
    return text


def stages(view: View) -> str:
    """Return the stage profiles, and the table of stage means with the composite beside them."""
    rows = view.results.table("stage_scores")
    if rows is None:
        return ""
    return (
        "\n### Stages {#stages}\n"
        + figure_float(view, "stage_profiles", "fig-stage-profiles")
        + _stage_table(view, rows)
    )


def _labels(view: View, metrics: str) -> list[str]:
    """Return the labels of metrics that a table lists by name, parted by commas, as HTML."""
    definitions = view.results.table("metric_definitions")
    labels = {} if definitions is None else dict(definitions.select("metric", "label").iter_rows())
    return [escape(labels.get(name, name)) for name in metrics.split(", ")]


def _stage_table(view: View, rows: pl.DataFrame) -> str:
    columns = [Column("model", "System")]
    heads = STAGES | COMPOSITES
    shown = [s for s in heads if s in set(rows["stage"])]
    columns += [Column(s, heads[s], "right") for s in shown]
    cells = []
    lacking: dict[str, str] = {}
    for model in in_order(view):
        own = {r["stage"]: r for r in rows.filter(pl.col("model") == model).iter_rows(named=True)}
        cell = {"model": view.name(model), "role": f"{next(iter(own.values()))['role'].capitalize()}s"}
        for stage in shown:
            row = own[stage]
            cell[stage] = f"{ROUND.bare(row['estimate'])} {_limits(row)}"
            if row["lacking"] and stage == "composite":
                lacking[model] = row["lacking"]
        cells.append(cell)
    note = "Means of normalised means, equal weights. A composite is never read without its stages."
    note += "".join(
        f" {view.name(m)} has no composite: {listed(_labels(view, metrics))} not defined."
        for m, metrics in lacking.items()
    )
    return detail(
        view,
        "stage_scores",
        columns,
        cells,
        summary="Stage means and composite of every system",
        caption=f"Stage means and composite (0 to 1, higher is better), with {view.ci} over cases.",
        note=note,
        groups="role",
    )


def order(view: View) -> str:
    """Return how much of the models' order is left when weights or cases are drawn anew."""
    orders = view.results.table("composite_orders")
    ranks = view.results.table("composite_ranks")
    if orders is None or ranks is None:
        return ""
    found = {r["source"]: r for r in orders.iter_rows(named=True)}
    leader = ranks.filter(pl.col("rank") == 1)["model"][0]
    weights, cases = found["weights"], found["cases"]
    first = {source: SHARE.value(row["p_same_first"]) for source, row in found.items()}
    text = (
        f"By the composite {view.name(leader)} is first of {plural(weights['n_models'], 'model')}. With "
        f"weights of the metrics drawn uniformly it is first in {first['weights']} of the draws, with "
        f"weights of the stages in {first['stage_weights']}, with cases resampled in {first['cases']}. "
        "The whole order changes in "
        f"{SHARE.value(1 - weights['p_same_order'])} of the weights and "
        f"{SHARE.value(1 - cases['p_same_order'])} of the resamples (Kendall\u2019s \u03c4 with the order in "
        f"force: {fixed(weights['tau'], 2)} and {fixed(cases['tau'], 2)} on average)."
    )
    return (
        "\n### How sure the order is {#composite-order}\n"
        + paragraph(text)
        + _ranks(view, ranks)
        + _pairs(view)
    )


def _ranks(view: View, ranks: pl.DataFrame) -> str:
    columns = [
        Column("model", "Model"),
        Column("rank", "Rank", "right"),
        Column("cases", "Cases", "right", "Rank interval"),
        Column("all", "All together", "right", "Rank interval"),
        Column("weights", "Weights of metrics", "right", "Rank interval"),
        Column("stage_weights", "Weights of stages", "right", "Rank interval"),
        Column("p_cases", "Cases", "right", "First, %"),
        Column("p_weights", "Weights of metrics", "right", "First, %"),
        Column("p_stage_weights", "Weights of stages", "right", "First, %"),
    ]
    cells = []
    for (model,), part in ranks.sort("rank").group_by("model", maintain_order=True):
        own = {r["source"]: r for r in part.iter_rows(named=True)}
        cell = {"model": view.name(str(model)), "rank": count(own["cases"]["rank"])}
        for source, row in own.items():
            cell[source] = span(row["rank_low"], row["rank_high"])
            cell[f"p_{source}"] = SHARE.bare(row["p_first"])
        cell["all"] = span(own["cases"]["rank_low_all"], own["cases"]["rank_high_all"])
        cells.append(cell)
    level = f"{view.results.settings.level * 100:g}%"
    return detail(
        view,
        "composite_ranks",
        columns,
        cells,
        summary="Rank intervals of the composite",
        caption="Ranks by the composite when cases are resampled and when weights are drawn uniformly.",
        note=f"Intervals hold {level} of the draws, each model by itself; \u201call together\u201d: ranks "
        f"left by simultaneous {level} intervals of all differences, which hold for every model at once.",
        fold=False,
    )


def _pairs(view: View) -> str:
    rows = view.results.table("composite_pairs")
    if rows is None:
        return ""
    place = {m: i for i, m in enumerate(in_order(view))}
    columns = [
        Column("pair", "Pair"),
        Column("difference", "Difference", "right"),
        Column("p_cases", "Cases", "right", "Upper one ahead, %"),
        Column("p_weights", "Weights of metrics", "right", "Upper one ahead, %"),
        Column("p_stage_weights", "Weights of stages", "right", "Upper one ahead, %"),
        Column("metrics", "Better / worse on", "right"),
    ]
    cells = []
    ordered = sorted(rows.iter_rows(named=True), key=lambda r: (place[r["model_a"]], place[r["model_b"]]))
    for r in ordered:
        limits = muted_range(UNIT.difference_interval(r["ci_low"], r["ci_high"]))
        cells.append(
            {
                "pair": f"{view.name(r['model_a'])} over {view.name(r['model_b'])}",
                "difference": f"{UNIT.difference(r['difference'])} {limits}",
                **{c: SHARE.bare(r[c]) for c in ("p_cases", "p_weights", "p_stage_weights")},
                "metrics": f"{r['n_better']} / {r['n_worse']}",
            }
        )
    return detail(
        view,
        "composite_pairs",
        columns,
        cells,
        summary="Every pair of models",
        caption=f"Differences of the composite, simultaneous {view.ci}, and how often they keep their sign.",
        note="Where the lower model is better on no metric, no weights put it ahead.",
    )


def in_order(view: View) -> list[str]:
    """Return the systems: references, models, baselines, each by the composite, best first."""
    rows = view.results.table("stage_scores")
    if rows is None:
        return []
    own = rows.filter(pl.col("stage") == "composite")
    place = {"reference": 0, "model": 1, "baseline": 2}

    def key(r: dict[str, Any]) -> tuple[int, bool, float, str]:
        return place[r["role"]], r["estimate"] is None, -(r["estimate"] or 0.0), r["model"]

    return [r["model"] for r in sorted(own.iter_rows(named=True), key=key)]


def _roles(view: View) -> dict[str, str]:
    rows = view.results.table("session_scores")
    return {} if rows is None else dict(rows.select("model", "role").unique().sort("model").iter_rows())


def _limits(row: dict[str, Any]) -> str:
    text = ROUND.interval(row["ci_low"], row["ci_high"])
    return "" if text == NONE else muted_range(text)
