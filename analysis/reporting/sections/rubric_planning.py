"""What rubric scores can bear: ends of the scale, domains that share errors, vignettes and raters needed."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import named, paragraph
from analysis.reporting.numbers import Scale, fixed, listed, plural
from analysis.reporting.sections.rater_words import COEFFICIENT
from analysis.reporting.sections.rubric_words import (
    KINDS,
    domain_titles,
    line_titles,
    named_line,
    rubric_of,
    with_range,
)
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

PERCENT = Scale("percent", 0)


TARGET = 0.8


def correlations(view: View) -> str:
    """Return how domains correlate, and how many errors were counted in both."""
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
