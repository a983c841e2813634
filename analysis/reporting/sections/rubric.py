"""Scores by a declared rubric: who rated, leaderboards per comparability class, domains, profiles."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float
from analysis.reporting.markup import block, escape, named, paragraph
from analysis.reporting.numbers import listed, plural, span
from analysis.reporting.sections import rubric_classes, rubric_planning, rubric_raters, rubric_safety
from analysis.reporting.sections.rubric_words import (
    COMPOSITES,
    KINDS,
    SCORE,
    TOGETHER,
    domain_titles,
    flagged_cell,
    leading_kind,
    named_line,
    rubric_of,
    with_range,
)
from analysis.reporting.sections.scores import letters
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

MOST_CLASSES = 6
"""Classes whose leader is named in words."""


def show(view: View) -> str:
    """Return everything about a rubric; one line where the card declares none."""
    results = view.results
    if results.table("rubric_models") is None:
        return absent(results.why_absent("rubric_models"))
    parts = [paragraph(text) for text in (what(view), declared(view))]
    parts += [_heading("Leaderboards per class", "rubric-board"), _leaders(view), board(view)]
    parts += [_heading("Domains", "rubric-domains"), figure_float(view, "rubric_domains"), _domains(view)]
    parts += [_heading("What applies", "rubric-applicability"), rubric_classes.applicability(view)]
    parts += [_heading("Distribution of scores", "rubric-distribution")]
    parts += [figure_float(view, "rubric_distribution"), rubric_planning.ends(view)]
    parts += [_heading("Safety-critical errors", "rubric-flags"), rubric_safety.show(view)]
    parts += [_heading("Other weights", "rubric-profiles"), rubric_classes.profiles(view)]
    parts += [_heading("Reliability of the raters", "rubric-reliability"), rubric_raters.show(view)]
    parts += [_heading("Vignettes and raters needed", "rubric-planning"), rubric_planning.needed(view)]
    return "".join(parts)


def _heading(text: str, identifier: str) -> str:
    return f"\n### {text} {{#{identifier}}}\n"


def what(view: View) -> str:
    """Return which rubric, how much was rated and by whom, as sentences."""
    rubric = rubric_of(view)["rubric"]
    vignettes = view.results.table("rubric_vignettes")
    classes = view.results.table("rubric_classes")
    assert vignettes is not None, TOGETHER
    assert classes is not None, TOGETHER
    rated = vignettes.filter(pl.col("n_sheets") > 0).height
    raters = view.results.table("rater_severity")
    words = []
    if raters is not None:
        whole = raters.filter(pl.col("name") == "all")
        for kind, many in KINDS.items():
            n = whole.filter(pl.col("rater_kind") == kind).height
            if n:
                words.append(plural(n, many.removesuffix("s")))
    who = f" by {listed(words)}" if words else ""
    text = (
        f"Responses are scored with <em>{escape(rubric['title'])}</em> ({escape(rubric['source'])}): "
        f"{plural(int(classes['n_responses'].sum()), 'response')} to {plural(rated, 'vignette')} "
        f"rated{who}, on {plural(int(vignettes['n_sheets'].sum()), 'scoring sheet')}, rounds of "
        "calibration included."
    )
    status = escape(" ".join(rubric.get("status", "").split()))
    pages = ""
    if view.item_places:
        where = f'<a href="{escape(view.site_link)}items.html">vignette by vignette</a>'
        pages = f" Keys, scores side by side and all raters\u2019 notes can be read {where}."
    return f"{text} {status}{pages}"


def declared(view: View) -> str:
    """Return the declared profiles, their justification and the hash of the declaration."""
    state = rubric_of(view)
    use, rubric = state["use"], state["rubric"]
    stamp = f"<code>{escape(state['declaration_sha256'][:12])}</code>"
    keys = view.results.table("rubric_vignettes")
    assert keys is not None
    settled = max(keys["prespecified_at"].to_list()).strftime("%d %B %Y")
    rated = keys["first_rated_at"].drop_nulls().to_list()
    before = f", before the first rating on {min(rated):%d %B %Y}" if rated else ""
    older = f"All keys were settled by {settled}{before}."
    if not use["profiles"]:
        return f"No weighting profile is declared: composites are unweighted. Declaration {stamp}. {older}"
    names = {name: p["title"] for name, p in rubric["profiles"].items()}
    parts = [
        f"{escape(names[profile])} for "
        f"{'other tasks' if task == 'default' else f'<code>{escape(task)}</code>'}"
        for task, profile in sorted(use["profiles"].items(), key=lambda pair: (pair[0] == "default", pair[0]))
    ]
    when = str(use["declared_at"]).replace("T", " ")
    return (
        f"Weights were declared on {escape(when)} UTC, before the main round: {listed(parts)}. "
        f"Justification: {escape(' '.join(use['justification'].split()))} Declaration {stamp} (SHA-256 of "
        f"rubric, profiles, justification and options). {older}"
    )


def _composite(view: View) -> str:
    rows = view.results.rows("rubric_models", unit="composite", name="weighted")
    return "unweighted" if rows is None else "weighted"


def _leaders(view: View) -> str:
    rows = view.results.rows(
        "rubric_models", unit="composite", name=_composite(view), raters=leading_kind(view), rank=1
    )
    if rows is None:
        return ""
    parts = [
        f"<li>{named(row['comparability'])} ({plural(row['n_items'], 'vignette')}): "
        f"{view.name(row['model'])}, {with_range(row['estimate'], row['ci_low'], row['ci_high'])}, with "
        f"{row['n_flagged']} of {plural(row['n_responses'], 'response')} flagged</li>"
        for row in rows.sort("comparability").head(MOST_CLASSES).iter_rows(named=True)
    ]
    text = (
        "Composites of different task types or applicability are not comparable, so there is no overall "
        "composite. Highest composite in each class:"
    )
    return paragraph(text) + block(f"<ul>{''.join(parts)}</ul>")


def _too_few(view: View, rows: pl.DataFrame) -> str:
    """Say in which classes no test can find a difference, whatever the scores.

    With n vignettes the smallest p-value of an exact sign-flip test is 2 / 2^n; tests of neighbours take
    the least adjustment, for the number of models less one.
    """
    sizes = rows.group_by("comparability").agg(pl.col("n_units").max(), pl.len().alias("models"))
    smallest = (pl.col("models") - 1) * 2.0 ** (1 - pl.col("n_units"))
    few = sizes.filter((pl.col("models") > 1) & (smallest >= view.results.settings.alpha))
    if not few.height:
        return ""
    names = listed([named(label) for label in few["comparability"].sort()])
    return (
        f" In {names} there are too few vignettes for any test to find a difference: shared ranks there say "
        "nothing of equal models, and intervals over so few are rough."
    )


def board(view: View) -> str:
    """Return the leaderboards: composites with flags beside them, domains, N/A where one does not apply."""
    kind = leading_kind(view)
    rows = view.results.rows("rubric_models", raters=kind)
    assert rows is not None
    rows = rows.filter(pl.col("comparability") != "all")
    titles = domain_titles(view)
    known = {(r["comparability"], r["unit"], r["name"], r["model"]): r for r in rows.iter_rows(named=True)}
    main = _composite(view)
    cells = []
    for row in (
        rows.filter((pl.col("unit") == "composite") & (pl.col("name") == main))
        .sort("comparability", "rank")
        .iter_rows(named=True)
    ):
        place = (row["comparability"], row["model"])
        other = known.get((place[0], "composite", "unweighted", place[1]))
        cell = {
            "group": f"{named(row['comparability'])}, {plural(row['n_items'], 'vignette')}",
            "model": view.name(row["model"]),
            "flags": flagged_cell(row["n_flagged"], row["n_responses"]),
            "composite": with_range(row["estimate"], row["ci_low"], row["ci_high"]),
            "unweighted": SCORE.bare(other["estimate"]) if other else "\u2013",
            "rank": span(row["rank_low"], row["rank_high"]),
            "ties": letters(row["letters"]),
        }
        for i, domain in enumerate(titles):
            own = known.get((place[0], "domain", domain, place[1]))
            cell[f"d{i}"] = SCORE.bare(own["estimate"]) if own else "N/A"
        cells.append(cell)
    columns = [
        Column("model", "Model"),
        Column("composite", f"{COMPOSITES[main]} ({view.ci})"),
        Column("flags", "Flagged", "right"),
        Column("rank", "Rank", "right"),
        Column("ties", "Ties"),
        *([Column("unweighted", "Unweighted", "right")] if main == "weighted" else []),
        *(
            Column(f"d{i}", f'<abbr title="{escape(title)}">{escape(d)}</abbr>', "right", "Domain")
            for i, (d, title) in enumerate(titles.items())
        ),
    ]
    note = (
        f"Means of {KINDS[kind]} over vignettes.{_uncrossed(view, kind)} Flagged: responses with a "
        "safety-critical error, by the card\u2019s rule "
        f"({'one rater' if rubric_of(view)['use']['flagged_by'] == 'any' else 'most raters'}); a high "
        "composite does not make up for one. Rank and ties: paired tests by vignette, Holm within the "
        f"class.{_too_few(view, rows.filter(unit='composite', name=main))}"
    )
    return detail(
        view,
        "rubric_models",
        columns,
        cells,
        summary="Leaderboards",
        caption="Composites per comparability class, with flags and domain scores.",
        name="rubric-board",
        note=note,
        groups="group",
        fold=False,
    )


def _uncrossed(view: View, kind: str) -> str:
    """Return a warning where not every rater rated every response."""
    scores, raters = view.results.table("rubric_scores"), view.results.table("rater_severity")
    if scores is None or raters is None:
        return ""
    n = raters.filter(
        (pl.col("name") == "all") & (pl.col("rater_kind") == kind) & (pl.col("n_ratings") > 0)
    ).height
    rated = scores.filter((pl.col("raters") == kind) & (pl.col("unit") == "composite") & pl.col("applies"))
    if (rated["n_raters"] == n).all():
        return ""
    return " Not every rater rated every response: means are over those who did, not adjusted for leniency."


def _domains(view: View) -> str:
    titles = domain_titles(view)
    rows = view.results.rows("rubric_models", comparability="all", unit="domain")
    if rows is None:
        return ""
    place = {d: i for i, d in enumerate(titles)}
    order = sorted(
        rows.iter_rows(named=True), key=lambda r: (r["raters"], place.get(r["name"], 0), r["rank"])
    )
    cells = [
        {
            "domain": f"{named_line(r['name'], titles)} ({KINDS[r['raters']]})",
            "model": view.name(r["model"]),
            "score": with_range(r["estimate"], r["ci_low"], r["ci_high"]),
            "n": str(r["n_items"]),
            "rank": span(r["rank_low"], r["rank_high"]),
            "ties": letters(r["letters"]),
            "flags": flagged_cell(r["n_flagged"], r["n_responses"]),
        }
        for r in order
        if r["raters"] == leading_kind(view)
    ]
    columns = [
        Column("model", "Model"),
        Column("score", f"Score ({view.ci})"),
        Column("n", "Vignettes", "right"),
        Column("rank", "Rank", "right"),
        Column("ties", "Ties"),
        Column("flags", "Flagged", "right"),
    ]
    return detail(
        view,
        "rubric_models",
        columns,
        cells,
        summary="Domain scores as a table",
        caption="Domain scores over all vignettes where the domain applies.",
        name="rubric-domain-scores",
        groups="domain",
    )
