"""Metrics of consultations: heatmap, means, definitions, and whether they tell models from baselines."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail, download
from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import NONE, count, fixed, listed, plural
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

ARROWS = {"higher": "\u2191", "lower": "\u2193"}


def show(view: View) -> str:
    """Return the heatmap, the definitions of the metrics and the means with their intervals."""
    if view.results.table("session_scores") is None:
        return ""
    return (
        "\n### Metrics {#session-metrics}\n"
        + figure_float(view, "metric_heatmap", "fig-metric-heatmap")
        + _means(view)
        + _definitions(view)
        + figure_float(view, "process_outcome", "fig-process-outcome")
    )


def metric_name(view: View, metric: str) -> str:
    """Return a metric's label with the arrow of its direction, as HTML."""
    row = _defined(view).get(metric)
    if row is None:
        return f"<code>{escape(metric)}</code>"
    return f"{escape(row['label'])}\u00a0{ARROWS[row['direction']]}"


def marked(view: View, system: str, role: str) -> str:
    """Return a system's name as HTML with its role, unless the name says it."""
    name = view.results.names.get(system, system)
    return view.name(system) + ("" if role in name.lower() else f" ({role})")


def _defined(view: View) -> dict[str, dict[str, Any]]:
    rows = view.results.table("metric_definitions")
    return {} if rows is None else {r["metric"]: r for r in rows.sort("position").iter_rows(named=True)}


def _means(view: View) -> str:
    from analysis.reporting.sections.sessions import STAGES, in_order

    scores = view.results.table("session_scores")
    if scores is None:
        return ""
    models = in_order(view)
    kept = scores.filter(pl.col("tier") == "primary")
    known = _defined(view)
    metrics = [m for m in known if m in set(kept["metric"])]
    columns = [Column("model", "System"), *(Column(m, metric_name(view, m), "right") for m in metrics)]
    cells = []
    found = {(r["model"], r["metric"]): r for r in kept.iter_rows(named=True)}
    for model in models:
        cell = {"model": view.name(model)}
        for metric in metrics:
            row = found.get((model, metric))
            cell[metric] = NONE if row is None else _value(row)
        cells.append(cell)
    units = [f"{escape(known[m]['label'])}: {escape(known[m]['unit'])}" for m in metrics if known[m]["unit"]]
    stages = listed([STAGES[s].lower() for s in STAGES if s in set(kept["stage"])])
    note = f"Arrows: which way is better. In the order of {stages}."
    note += f" {'; '.join(units)}." if units else ""
    note += f" Secondary metrics and other forms: {download(view, 'session_scores')}."
    return detail(
        view,
        "session_scores",
        columns,
        cells,
        summary="Primary metrics with intervals",
        caption=f"Primary metrics, means over sessions with {view.ci} over cases.",
        note=note,
    )


def _definitions(view: View) -> str:
    from analysis.reporting.sections.sessions import STAGES

    rows = view.results.table("metric_definitions")
    if rows is None:
        return ""
    columns = [
        Column("metric", "Metric"),
        Column("tier", "Tier"),
        Column("meaning", "What it says"),
        Column("formula", "Formula"),
        Column("section", "Paper"),
        Column("defined", "Defined for", "right"),
    ]
    cells = []
    for r in rows.filter(pl.col("tier") != "supplementary").sort("position").iter_rows(named=True):
        defined = count(r["n_defined"])
        why = f'<br><span class="words">{escape(r["why"])}</span>' if r["why"] else ""
        cells.append(
            {
                "metric": f"{escape(r['label'])}\u00a0{ARROWS[r['direction']]}",
                "stage": STAGES[r["stage"]],
                "tier": r["tier"],
                "meaning": f'<span class="words">{escape(r["meaning"])}</span>',
                "formula": f'<span class="words">{escape(r["formula"])}</span>',
                "section": escape(r["section"].replace("table ", "table\u00a0")),
                "defined": f"{defined} of {count(r['n_sessions'])}{why}",
            }
        )
    n_other = rows.filter(pl.col("tier") == "supplementary").height
    return detail(
        view,
        "metric_definitions",
        columns,
        cells,
        summary="What each metric is",
        caption="Primary and secondary metrics, and the sessions for which they are defined.",
        note=f"{plural(n_other, 'other form')}, as printed or bounded otherwise, in "
        f"{download(view, 'metric_definitions')}.",
        groups="stage",
    )


def validity(view: View) -> str:
    """Return which metrics put baselines below the models and a reference above; empty without such."""
    rows = view.results.table("metric_validity")
    if rows is None:
        return ""
    return (
        "\n### Do the metrics tell models from baselines? {#validity}\n"
        + paragraph(_sentence(view, rows.filter(pl.col("tier") == "primary")))
        + _validity_table(view, rows)
    )


def _sentence(view: View, rows: pl.DataFrame) -> str:
    compared = rows.filter(pl.col("as_wished").is_not_null())
    baselines = compared.filter(pl.col("role") == "baseline")
    parts = []
    if baselines.height:
        by_metric = baselines.group_by("metric").agg(pl.col("as_wished").all())
        good = set(by_metric.filter("as_wished")["metric"])
        order = [m for m in _defined(view) if m in set(by_metric["metric"])]
        bad = [metric_name(view, m) for m in order if m not in good]
        text = f"{len(good)} of {plural(len(order), 'primary metric')} rank every model above every baseline."
        if bad:
            worst = baselines.filter(pl.col("n_against") > 0).group_by("system").len()
            text += f" {listed(bad)} {'does' if len(bad) == 1 else 'do'} not"
            if worst.height:
                system = worst.sort(["len", "system"], descending=[True, False])["system"][0]
                n = int(worst["len"].to_numpy().max())
                text += (
                    f": {view.name(system)} is better than some model on {plural(n, 'metric')}, beyond "
                    "what the cases leave open"
                )
            text += (
                ". By itself such a metric says little: who asks nothing and prescribes nothing errs rarely."
            )
        parts.append(text)
    references = compared.filter(pl.col("role") == "reference")
    for (system,), own in references.group_by("system", maintain_order=True):
        behind = own.filter(~pl.col("as_wished"))
        text = f"No model is better than {marked(view, str(system), 'reference')} on "
        text += f"{own.height - behind.height} of {own.height}"
        if behind.height:
            order = [m for m in _defined(view) if m in set(behind["metric"])]
            text += f"; some are on {listed([metric_name(view, m) for m in order])}"
        parts.append(text + ".")
    return " ".join(parts)


def _validity_table(view: View, rows: pl.DataFrame) -> str:
    systems = rows.select("system", "role").unique().sort("role", "system").rows()
    columns = [Column("metric", "Metric"), Column("models", "Models", "right")]
    columns += [Column(f"s{i}", marked(view, s, role), "right") for i, (s, role) in enumerate(systems)]
    columns.append(Column("wished", "As wished"))
    cells = []
    for metric in _defined(view):
        own = {r["system"]: r for r in rows.filter(pl.col("metric") == metric).iter_rows(named=True)}
        if not own:
            continue
        first = next(iter(own.values()))
        cell = {"metric": metric_name(view, metric), "tier": first["tier"].capitalize()}
        low, high = first["worst_model"], first["best_model"]
        cell["models"] = NONE if low is None else f"{fixed(low, 2)} to {fixed(high, 2)}"
        for i, (system, _) in enumerate(systems):
            cell[f"s{i}"] = _against(own.get(system))
        known = [r["as_wished"] for r in own.values() if r["as_wished"] is not None]
        cell["wished"] = NONE if not known else "yes" if all(known) else "<strong>no</strong>"
        cells.append(cell)
    shown = [c for tier in ("Primary", "Secondary") for c in cells if c["tier"] == tier]
    return detail(
        view,
        "metric_validity",
        columns,
        shown,
        summary="Every metric against the baselines and the reference",
        caption="Means of the models, worst to best, and of baselines and references; wished: every model "
        "above every baseline, and none above a reference.",
        note="In brackets, where it is not as wished: models on the wrong side, and those of them beyond "
        "what the cases leave open.",
        groups="tier",
    )


def _against(row: dict[str, Any] | None) -> str:
    if row is None or row["estimate"] is None:
        return NONE
    text = fixed(row["estimate"], 2)
    if row["as_wished"] is False:
        text += f" <strong>({row['n_models'] - row['n_as_wished']}, {row['n_against']})</strong>"
    return text


def _value(row: dict[str, Any]) -> str:
    if row["estimate"] is None:
        return NONE
    if row["ci_low"] is None:
        return fixed(row["estimate"], 3)
    limits = muted_range(f"{fixed(row['ci_low'], 3)} to {fixed(row['ci_high'], 3)}")
    return f"{fixed(row['estimate'], 3)} {limits}"
