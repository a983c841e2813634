"""What the raters of a rubric are worth: reliability with bounds, calibration, leniency, judges, planning."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import Scale, fixed, listed, plural
from analysis.reporting.sections.rater_words import COEFFICIENT
from analysis.reporting.sections.rubric_words import (
    KINDS,
    SCORE,
    domain_titles,
    line_titles,
    named_line,
    rubric_of,
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
TARGET = 0.8
CITED = "0.68 to 0.87"
"""Correlations with experts that the rubric's paper cites for reference-assisted judging."""

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
    parts += [_leniency(view), _judges(view), _flags(view), _correlations(view)]
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
        note=f"Weighted \u03ba: quadratic, mean over pairs. {BOUNDS_NOTE}" if unit == "domain" else "",
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


def _leniency(view: View) -> str:
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


def _judges(view: View) -> str:
    rows = view.results.table("judge_agreement")
    if rows is None:
        return ""
    titles, cells = domain_titles(view), []
    found = {
        (r["judge"], r["name"], r["statistic"]): r
        for r in rows.filter(pl.col("unit") == "domain").iter_rows(named=True)
    }
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
        "nothing of leniency, which is the mean difference.",
        groups="judge",
        fold=False,
    )


def _flags(view: View) -> str:
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


def _correlations(view: View) -> str:
    rows = view.results.table("domain_correlations")
    if rows is None:
        return ""
    kind = next(k for k in KINDS if k in set(rows["raters"]))
    titles = domain_titles(view)
    own = rows.filter(pl.col("raters") == kind)
    shared = own.filter(pl.col("n_shared_errors") > 0)
    text = ""
    if shared.height:
        most = shared.sort(["n_shared_errors", "domain_a", "domain_b"], descending=[True, False, False]).row(
            0, named=True
        )
        text = (
            f"Domains are not independent: {plural(shared.height, 'pair')} of domains share underlying "
            f"errors that raters noted in both, most of all {named_line(most['domain_a'], titles)} and "
            f"{named_line(most['domain_b'], titles)} ({plural(most['n_shared_errors'], 'error')} counted "
            "twice)."
        )
    cells = [
        {
            "a": named_line(r["domain_a"], titles),
            "b": named_line(r["domain_b"], titles),
            "n": str(r["n"]),
            "r": with_range(r["pearson"], r["ci_low"], r["ci_high"], COEFFICIENT),
            "errors": str(r["n_shared_errors"]) if r["n_shared_errors"] else "\u2013",
            "rest": with_range(r["pearson_without"], r["without_low"], r["without_high"], COEFFICIENT)
            if r["n_shared_errors"]
            else "\u2013",
        }
        for r in own.sort(
            ["pearson", "domain_a", "domain_b"], descending=[True, False, False], nulls_last=True
        ).iter_rows(named=True)
    ]
    columns = [
        Column("a", "Domain"),
        Column("b", "Domain"),
        Column("n", "Responses", "right"),
        Column("r", "Correlation"),
        Column("errors", "Errors counted twice", "right"),
        Column("rest", "Without these responses"),
    ]
    return (paragraph(text) if text else "") + detail(
        view,
        "domain_correlations",
        columns,
        cells,
        summary="Correlations of domains",
        caption=f"Correlations of domains over responses ({KINDS[kind]}), with {view.ci} over vignettes.",
        name="rubric-correlations",
    )


def ends(view: View) -> str:
    """Return where ratings crowd at an end of the scale."""
    rows = view.results.table("floor_ceiling")
    if rows is None:
        return ""
    titles, parts = line_titles(view), []
    for kind in KINDS:
        own = rows.filter(pl.col("raters") == kind)
        for end in ("floor", "ceiling"):
            some = own.filter(pl.col("effect").is_in([end, "both"])).sort(
                [end, "criterion_id"], descending=[True, False]
            )
            if some.height:
                first = [
                    f"{named_line(r['criterion_id'], titles)} {PERCENT.value(r[end])}"
                    for r in some.iter_rows(named=True)
                ]
                parts.append(
                    f"{KINDS[kind].capitalize()} put more than 15% of their ratings at the {end} in "
                    f"{plural(some.height, 'sub-dimension')}: {listed(first, most=3, rest='other')}."
                )
    return paragraph(
        " ".join(parts) or "No sub-dimension has more than 15% of ratings at an end of the scale."
    )


def needed(view: View) -> str:
    """Return how many vignettes a stated reliability needs, by number of raters."""
    rows = view.results.table("decision_study")
    if rows is None:
        return absent("No kind of rater has two raters who scored two models on two vignettes without gaps.")
    kind = next(k for k in KINDS if k in set(rows["raters"]))
    own = rows.filter(pl.col("raters") == kind)
    titles = domain_titles(view)
    names = [("domain", "all", d, named_line(d, titles)) for d in titles]
    main = "weighted" if rubric_of(view)["use"]["profiles"] else "unweighted"
    for label in sorted(set(own.filter(pl.col("unit") == "composite")["comparability"])):
        names.append(("composite", label, main, f"Composite, {named(label)}"))
    raters = sorted(set(own.filter(~pl.col("observed"))["n_raters"]) & {1, 2, 3, 5})
    cells = []
    for unit, label, name, shown in names:
        part = own.filter(
            (pl.col("unit") == unit) & (pl.col("comparability") == label) & (pl.col("name") == name)
        )
        if not part.height:
            continue
        seen = part.filter("observed").row(0, named=True)
        cell = {
            "name": shown,
            "design": f"{seen['n_items']} \u00d7 {seen['n_raters']}",
            "g": _reliability(seen["generalizability"]),
            "phi": _reliability(seen["dependability"]),
        }
        for r in raters:
            enough = part.filter((pl.col("n_raters") == r) & (pl.col("target") >= TARGET))["n_items"].min()
            cell[f"r{r}"] = "not reached" if enough is None else str(enough)
        more = part.filter(pl.col("target_raters") >= TARGET)["n_raters"].to_list()
        cell["more"] = str(min(more)) if more else "not reached"
        cells.append(cell)
    columns = [
        Column("name", "Score"),
        Column("design", "Vignettes \u00d7 raters"),
        Column("g", "Order (G)", "right", "Reliability of models\u2019 means here"),
        Column("phi", "Level (\u03a6)", "right", "Reliability of models\u2019 means here"),
        *(
            Column(f"r{r}", plural(r, "rater"), "right", f"Vignettes for G of {fixed(TARGET, 1)}")
            for r in raters
        ),
        Column("more", f"Raters for G of {fixed(TARGET, 1)} with the vignettes here", "right"),
    ]
    text = (
        f"How well models can be told apart by their means, from the variance components of {KINDS[kind]}: "
        "models, vignettes, raters and their interactions. More vignettes help where models differ by "
        "vignette, more raters where raters rank models differently."
    )
    return paragraph(text) + detail(
        view,
        "decision_study",
        columns,
        cells,
        summary="Vignettes needed",
        caption="Reliability of models\u2019 means in this study, and how many vignettes a stated one "
        "would need.",
        name="rubric-planning",
        note="Complete crossed part of the data only. The models of this study stand for those to be "
        "compared; few "
        "models make these numbers uncertain.",
        fold=False,
    )


def _reliability(value: float | None) -> str:
    return "\u2013" if value is None else fixed(value, 2)
