"""Judges against a reference rater: agreement beyond chance, by polarity, with and without flagged labels."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, plural, scale_for
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

NONE = "none"
HEADS = {
    "agreement": "Agreement, %",
    "kappa": "κ",
    "sensitivity": "Sensitivity, %",
    "specificity": "Specificity, %",
    "balanced_accuracy": "Balanced, %",
    "true_rate": "Called true, %",
}
"""Statistics as heads of columns."""


def show(view: View) -> str:
    """Return how far judges agree with each reference, in words, as a figure and as tables; else empty."""
    frame = view.results.table("judge_audit")
    if frame is None:
        return ""
    texts = "".join(paragraph(sentence(view, str(name), part)) for (name,), part in _audits(frame))
    head = "\n### Judges against a reference {#judge-audit}\n"
    return head + texts + figure_float(view, "judge_audit") + _table(view, frame) + _coverage(view)


def _audits(frame: pl.DataFrame) -> list[tuple[tuple[object, ...], pl.DataFrame]]:
    return list(frame.group_by("audit", maintain_order=True))


def sentence(view: View, name: str, rows: pl.DataFrame) -> str:
    """Return how far the judges of an audit agree with its reference, and what excluding changes."""
    card = view.results.card.judge_audits.get(name)
    meaning = f" ({escape(card.meaning)})" if card is not None and card.meaning else ""
    all_of = rows.filter(pl.col("excluded") == NONE, pl.col("polarity") == "all")
    found = {(r["judge"], r["statistic"]): r for r in all_of.iter_rows(named=True)}
    judges = sorted(
        {j for j, _ in found}, key=lambda j: (-round(found[j, "agreement"]["estimate"] or 0.0, 12), j)
    )
    best, first = judges[0], found[judges[0], "agreement"]
    reference = f"<bdi>{escape(first['reference'])}</bdi>"
    head = f"<bdi><strong>{escape(name)}</strong></bdi>{meaning}: "
    basis = f"{plural(first['n'], 'label')} of {plural(first['n_responses'], 'response')}"
    text = f"{head}{_judge(best)} agrees with {reference} on {_value(first, view)} of {basis}"
    kappa = found[best, "kappa"]
    text += "." if kappa["estimate"] is None else f", kappa {_value(kappa, view)}."
    if len(judges) > 1:
        last = found[judges[-1], "agreement"]
        text += f" Of {len(judges)} judges {_judge(judges[-1])} agrees least ({_value(last, view)})."
    return text + _excluding(rows, best)


def _excluding(rows: pl.DataFrame, judge: str) -> str:
    """Return what each sensitivity analysis makes of the judge that agrees most."""
    texts = []
    kept = rows.filter(pl.col("polarity") == "all", pl.col("judge") == judge, pl.col("excluded") != NONE)
    for (name,), part in kept.group_by("excluded", maintain_order=True):
        found = {r["statistic"]: r for r in part.iter_rows(named=True)}
        kappa = found["kappa"]["estimate"]
        share = scale_for("percent", []).value(found["agreement"]["estimate"])
        extra = "" if kappa is None else f", kappa {kappa:.3f}".replace("-", "\u2212")
        texts.append(
            f" Under the exclusion <bdi>{escape(str(name))}</bdi>, on "
            f"{plural(found['agreement']['n'], 'label')}: "
            f"{share}{extra}."
        )
    return "".join(texts)


def _judge(name: str) -> str:
    return f"<bdi>{escape(name)}</bdi>"


def _value(row: dict[str, Any], view: View) -> str:
    low, high = row["ci_low"], row["ci_high"]
    if row["statistic"] == "kappa":
        limits = "" if low is None else f" ({view.ci} {low:.2f} to {high:.2f})"
        return f"{row['estimate']:.2f}{limits}".replace("-", "\u2212")
    scale = scale_for("percent", [(low, high)])
    limits = "" if low is None else f" ({view.ci} {scale.interval(low, high)})"
    return f"{scale.value(row['estimate'])}{limits}"


def _cell(row: dict[str, Any] | None) -> str:
    if row is None or row["estimate"] is None:
        return "\u2013"
    low, high = row["ci_low"], row["ci_high"]
    if row["statistic"] == "kappa":
        limits = "" if low is None else f" {muted_range(f'{low:.2f} to {high:.2f}')}"
        return f"{row['estimate']:.3f}{limits}".replace("-", "\u2212")
    limits = "" if low is None else f" {muted_range(scale_for('percent', [(low, high)]).interval(low, high))}"
    return f"{scale_for('percent', []).bare(row['estimate'])}{limits}"


def _table(view: View, frame: pl.DataFrame) -> str:
    columns = [Column("judge", "Judge"), Column("n", "Labels", "right")]
    columns += [Column(name, head, "right") for name, head in HEADS.items()]
    cells = []
    order = frame.select("audit", "excluded", "polarity").unique(maintain_order=True)
    ranked = sorted(order.iter_rows(), key=lambda k: (k[0], k[1] != NONE, k[1], k[2] != "all", k[2]))
    for audit, excluded, polarity in ranked:
        part = frame.filter(
            pl.col("audit") == audit, pl.col("excluded") == excluded, pl.col("polarity") == polarity
        )
        found = {(r["judge"], r["statistic"]): r for r in part.iter_rows(named=True)}
        head = f"<bdi>{escape(audit)}</bdi>" + (
            "" if excluded == NONE else f", <bdi>{escape(excluded)}</bdi>"
        )
        head += "" if polarity == "all" else f": <bdi>{escape(polarity)}</bdi>"
        for judge in sorted({j for j, _ in found}):
            row = {"group": head, "judge": _judge(judge), "n": count(found[judge, "agreement"]["n"])}
            cells.append(row | {name: _cell(found.get((judge, name))) for name in HEADS})
    return detail(
        view,
        "judge_audit",
        columns,
        cells,
        summary="Judges against the reference, by polarity and with exclusions",
        caption=f"Labels that judge and reference have both called true or false, with {view.ci}; whole "
        "responses (or as the card says) are resampled.",
        groups="group",
    )


def _coverage(view: View) -> str:
    frame = view.results.table("judge_audit_coverage")
    if frame is None:
        return ""
    heads = {
        "n_responses": "Responses",
        "n_excluded_responses": "Without label",
        "n_labels": "Labels",
        "n_flagged_labels": "Flagged",
        "n_without_polarity": "Without polarity",
        "n_unread": "Neither true nor false",
    }
    columns = [Column("model", "Rated model"), *(Column(c, head, "right") for c, head in heads.items())]
    cells = []
    for row in frame.iter_rows(named=True):
        named = view.name(row["model"]) if row["model"] else "(items)"
        cells.append(
            {"audit": f"<bdi>{escape(row['audit'])}</bdi>", "model": named}
            | {c: count(row[c]) for c in heads}
        )
    return detail(
        view,
        "judge_audit_coverage",
        columns,
        cells,
        summary="What each audit rests on",
        caption="Labels of the reference rater, by the model whose responses were rated.",
        groups="audit",
    )
