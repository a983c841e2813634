"""Single raters of a rubric: leniency, judges against humans, agreement on flags."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import Scale
from analysis.reporting.sections.rater_words import COEFFICIENT
from analysis.reporting.sections.rubric_words import (
    KINDS,
    SCORE,
    domain_titles,
    named_line,
    rough_intervals,
    with_range,
)
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

Row = dict[str, Any]
PERCENT = Scale("percent", 0)


CITED = "0.68 to 0.87"
"""Correlations with experts that the rubric's paper cites for reference-assisted judging."""


def leniency(view: View) -> str:
    """Return how lenient every rater is, over all lines and by domain."""
    rows = view.results.table("rater_severity")
    if rows is None:
        return ""
    whole = rows.filter(pl.col("name") == "all").drop_nulls("leniency").sort("leniency", "rater")
    titles = domain_titles(view)
    known = {(r["rater"], r["name"]): r for r in rows.iter_rows(named=True)}
    text = ""
    if whole.height > 1:
        low, high = whole.row(0, named=True), whole.row(-1, named=True)
        text = (
            f"{named(low['rater'])} is the most severe rater ({_points(low)}), {named(high['rater'])} the "
            f"most lenient ({_points(high)}), in points of the scale against the mean of the human raters "
            "on the same lines."
        )
    cells = []
    names = rows.filter(pl.col("name") == "all").sort(
        pl.col("rater_kind").replace_strict({k: i for i, k in enumerate(KINDS)}, default=9), "rater"
    )
    for row in names.iter_rows(named=True):
        cell = {
            "rater": f"{named(row['rater'])} ({row['rater_kind']})",
            "all": _signed(row),
            "n": f"{row['n_shared']:,}",
        }
        for i, domain in enumerate(titles):
            own = known.get((row["rater"], domain))
            cell[f"d{i}"] = "N/A" if own is None else SCORE.difference(own["leniency"])
        cells.append(cell)
    columns = [
        Column("rater", "Rater"),
        Column("all", f"All lines ({view.ci})"),
        Column("n", "Shared scores", "right"),
        *(
            Column(f"d{i}", f'<abbr title="{escape(title)}">{escape(d)}</abbr>', "right", "Domain")
            for i, (d, title) in enumerate(titles.items())
        ),
    ]
    table = detail(
        view,
        "rater_severity",
        columns,
        cells,
        summary="Leniency of every rater",
        caption="Leniency: points above (or below) the human raters on the same lines.",
        name="rubric-leniency",
        note="Additive model (line + rater), least squares; near the ends of the scale differences are "
        "compressed.",
        fold=False,
    )
    return (paragraph(text) if text else "") + table


def _points(row: Row) -> str:
    return SCORE.difference(row["leniency"])


def _signed(row: Row) -> str:
    if row["leniency"] is None:
        return "not linked"
    limits = SCORE.difference_interval(row["ci_low"], row["ci_high"])
    return f'{_points(row)} <span class="range">{limits}</span>'


def judges(view: View) -> str:
    """Return how judges correlate with the mean of the human raters, and how far they lie above it."""
    rows = view.results.table("judge_agreement")
    if rows is None:
        return ""
    titles, cells = domain_titles(view), []
    of_domains = rows.filter(unit="domain")
    found = {(r["judge"], r["name"], r["statistic"]): r for r in of_domains.iter_rows(named=True)}
    for judge in sorted(set(rows["judge"])):
        for domain in titles:
            own = {s: found.get((judge, domain, s)) for s in ("pearson", "spearman", "mean_difference")}
            if own["pearson"] is None:
                continue
            cell = {"judge": named(judge), "name": named_line(domain, titles), "n": str(own["pearson"]["n"])}
            for key, row in own.items():
                cell[key] = (
                    with_range(row["estimate"], row["ci_low"], row["ci_high"], COEFFICIENT)
                    if row
                    else "\u2013"
                )
            cells.append(cell)
    columns = [
        Column("name", "Domain"),
        Column("n", "Responses", "right"),
        Column("pearson", "Pearson"),
        Column("spearman", "Spearman"),
        Column("mean_difference", "Mean difference"),
    ]
    return detail(
        view,
        "judge_agreement",
        columns,
        cells,
        summary="Judges against the mean of the human raters",
        caption=f"Correlation of judges with the mean of the human raters, with {view.ci} over vignettes.",
        name="rubric-judges",
        note=f"The rubric\u2019s paper cites correlations of {CITED} for reference-assisted judging; "
        f"correlation says "
        f"nothing of leniency, which is the mean difference.{rough_intervals(of_domains, titles)}",
        groups="judge",
        fold=False,
    )


def flags(view: View) -> str:
    """Return how far raters agree on the safety flag."""
    rows = view.results.table("flag_agreement")
    if rows is None:
        return ""
    cells = [
        {
            "a": named(r["rater_a"]),
            "b": named(r["rater_b"]),
            "n": str(r["n"]),
            "counts": f"{r['n_both']} / {r['n_only_a']} / {r['n_only_b']} / {r['n_neither']}",
            "agreement": with_range(r["agreement"], r["agreement_low"], r["agreement_high"], PERCENT),
            "kappa": with_range(r["kappa"], r["kappa_low"], r["kappa_high"], COEFFICIENT),
            "sensitivity": with_range(r["sensitivity"], r["sensitivity_low"], r["sensitivity_high"], PERCENT),
            "specificity": with_range(r["specificity"], r["specificity_low"], r["specificity_high"], PERCENT),
        }
        for r in rows.sort("kind_b", "kind_a", "rater_a", "rater_b").iter_rows(named=True)
    ]
    columns = [
        Column("a", "Rater"),
        Column("b", "Other rater"),
        Column("n", "Responses", "right"),
        Column("counts", "Both / first / second / neither"),
        Column("agreement", "Agree, %"),
        Column("kappa", "\u03ba"),
        Column("sensitivity", "Sensitivity, %"),
        Column("specificity", "Specificity, %"),
    ]
    return detail(
        view,
        "flag_agreement",
        columns,
        cells,
        summary="Agreement on the safety flag",
        caption=f"Agreement on the safety flag; shares with exact {view.ci}, \u03ba by bootstrap over "
        f"vignettes.",
        name="rubric-flag-agreement",
        note="Exact intervals take responses as independent; those to one vignette need not be.",
    )
