"""What the raters of a rubric are worth: reliability with bounds, calibration, leniency, judges, planning."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import named, paragraph
from analysis.reporting.numbers import Scale, plural
from analysis.reporting.sections import rubric_judges, rubric_planning
from analysis.reporting.sections.rater_words import COEFFICIENT
from analysis.reporting.sections.rubric_words import (
    KINDS,
    domain_titles,
    line_titles,
    named_line,
    rough_intervals,
    with_range,
)
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

PERCENT = Scale("percent", 0)
BOUNDS = ((0.5, "poor"), (0.75, "moderate"), (0.9, "good"))
"""Upper bounds of intraclass correlations and what they are called (Koo and Li 2016)."""
BOUNDS_NOTE = (
    "ICC: below 0.5 poor, to 0.75 moderate, to 0.9 good, above excellent, read at the interval\u2019s "
    "lower limit (Koo and Li 2016, doi:10.1016/j.jcm.2016.02.012). \u03b1: 0.8 for firm conclusions, "
    "0.667 for tentative ones (Krippendorff 2004). \u03ba: 0.41 to 0.60 moderate, 0.61 to 0.80 "
    "substantial (Landis and Koch 1977, doi:10.2307/2529310). Conventions, not tests."
)

Row = dict[str, Any]


def show(view: View) -> str:
    """Return reliability, calibration, leniency, judges, flags and correlations of domains."""
    rows = view.results.rows("rubric_reliability", round="main")
    parts = []
    if rows is None:
        parts.append(absent("No two raters of a kind have rated the same response."))
    else:
        parts += [paragraph(_words(view, rows))]
        for kind in ("human", "judge", "all"):
            own = rows.filter(pl.col("raters") == kind)
            parts += [_table(view, own, kind, unit) for unit in ("domain", "subdimension")]
        parts.append(_calibration(view))
    parts += [
        rubric_judges.leniency(view),
        rubric_judges.judges(view),
        rubric_judges.flags(view),
        rubric_planning.correlations(view),
    ]
    return "".join(parts)


def grade(low: float | None) -> str:
    """Return what an intraclass correlation is called, by its lower limit.

    Examples
    --------
    >>> grade(0.62), grade(0.91), grade(None)
    ('moderate', 'excellent', '\u2013')
    """
    if low is None:
        return "\u2013"
    return next((word for bound, word in BOUNDS if low < bound), "excellent")


def _titles(view: View) -> dict[str, str]:
    return {**line_titles(view), **domain_titles(view)}


def _by_statistic(rows: pl.DataFrame) -> dict[str, dict[str, Row]]:
    found: dict[str, dict[str, Row]] = {}
    for row in rows.iter_rows(named=True):
        found.setdefault(row["name"], {})[row["statistic"]] = row
    return found


def _words(view: View, rows: pl.DataFrame) -> str:
    texts = []
    for kind in ("human", "judge"):
        own = rows.filter(
            (pl.col("raters") == kind) & (pl.col("statistic") == "icc_2_1") & (pl.col("unit") == "domain")
        ).drop_nulls("estimate")
        if not own.height:
            continue
        ranked = own.sort("estimate", "name")
        low, high = ranked.row(0, named=True), ranked.row(-1, named=True)
        titles = domain_titles(view)
        texts.append(
            f"For {int(own['n_raters'].to_numpy().max())} {KINDS[kind]}, the ICC(2,1) of a domain runs "
            f"from {COEFFICIENT.bare(low['estimate'])} ({named_line(low['name'], titles)}) to "
            f"{COEFFICIENT.bare(high['estimate'])} ({named_line(high['name'], titles)})."
        )
    return " ".join(texts) or "Agreement is shown where at least two raters scored the same responses."


def _order(view: View, unit: str) -> list[str]:
    return list(domain_titles(view) if unit == "domain" else line_titles(view))


def _table(view: View, rows: pl.DataFrame, kind: str, unit: str) -> str:
    found = _by_statistic(rows.filter(pl.col("unit") == unit))
    titles = _titles(view)
    cells = []
    for name in _order(view, unit):
        own = found.get(name)
        if own is None:
            continue
        icc = own["icc_2_1"]
        cells.append(
            {
                "name": named_line(name, titles),
                "n": str(own["alpha_ordinal"]["n"]),
                "within": with_range(
                    own["within_one"]["estimate"],
                    own["within_one"]["ci_low"],
                    own["within_one"]["ci_high"],
                    PERCENT,
                ),
                **{
                    key: with_range(
                        own[key]["estimate"], own[key]["ci_low"], own[key]["ci_high"], COEFFICIENT
                    )
                    for key in ("kappa_quadratic", "alpha_ordinal", "icc_2_1")
                },
                "icc_2_k": COEFFICIENT.bare(own["icc_2_k"]["estimate"]),
                "grade": grade(icc["ci_low"]),
            }
        )
    what = "domain" if unit == "domain" else "sub-dimension"
    head = f"Weighted \u03ba: quadratic, mean over pairs. {BOUNDS_NOTE}" if unit == "domain" else ""
    columns = [
        Column("name", what.capitalize()),
        Column("n", "Responses", "right"),
        Column("within", "Within one point, %"),
        Column("kappa_quadratic", "Weighted \u03ba"),
        Column("alpha_ordinal", "\u03b1 (ordinal)"),
        Column("icc_2_1", "ICC(2,1)"),
        Column("icc_2_k", "ICC(2,k)", "right"),
        Column("grade", "By ICC"),
    ]
    return detail(
        view,
        "rubric_reliability",
        columns,
        cells,
        summary=f"Reliability of {KINDS[kind]}, by {what}",
        caption=f"Reliability of {KINDS[kind]} by {what}, with {view.ci} over vignettes.",
        name=f"rubric-reliability-{kind}-{unit}",
        note=f"{head}{rough_intervals(rows.filter(unit=unit), {n: titles[n] for n in _order(view, unit)})}",
        fold=not (kind == "human" and unit == "domain"),
    )


def _calibration(view: View) -> str:
    table = view.results.table("rubric_reliability")
    assert table is not None
    rounds = sorted(r for r in table["round"].unique() if r != "main" and not r.startswith("main:"))
    parts = []
    for name in rounds:
        before = _by_statistic(
            table.filter(
                (pl.col("round") == name) & (pl.col("unit") == "domain") & (pl.col("raters") == "human")
            )
        )
        after = _by_statistic(
            table.filter(
                (pl.col("round") == f"main:{name}")
                & (pl.col("unit") == "domain")
                & (pl.col("raters") == "human")
            )
        )
        cells = []
        better = 0
        for domain in _order(view, "domain"):
            if domain not in before or domain not in after:
                continue
            cell = {
                "name": named_line(domain, domain_titles(view)),
                "n": str(before[domain]["alpha_ordinal"]["n"]),
            }
            for key in ("alpha_ordinal", "icc_2_1"):
                for word, found in (("before", before), ("after", after)):
                    own = found[domain][key]
                    cell[f"{key}_{word}"] = with_range(
                        own["estimate"], own["ci_low"], own["ci_high"], COEFFICIENT
                    )
            pair = [found[domain]["icc_2_1"]["estimate"] for found in (before, after)]
            better += None not in pair and pair[1] > pair[0]
            cells.append(cell)
        columns = [Column("name", "Domain"), Column("n", "Responses", "right")]
        for key, head in (("alpha_ordinal", "\u03b1 (ordinal)"), ("icc_2_1", "ICC(2,1)")):
            columns += [
                Column(f"{key}_{word}", word.capitalize(), "left", head) for word in ("before", "after")
            ]
        if cells:
            text = (
                f"Round {named(name)} came before the main one. On the same responses, the ICC(2,1) of the "
                f"human raters rose in {better} of {plural(len(cells), 'domain')}."
            )
            parts.append(
                paragraph(text)
                + detail(
                    view,
                    "rubric_reliability",
                    columns,
                    cells,
                    summary="Reliability before and after calibration",
                    caption="Reliability of human raters before and after a round of calibration, on the "
                    "same responses.",
                    name=f"rubric-calibration-{rounds.index(name)}",
                )
            )
    return "".join(parts)
