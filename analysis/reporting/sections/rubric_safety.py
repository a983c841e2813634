"""Safety-critical errors: rates with exact intervals, every flag with its trigger, keys not reviewed."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import Scale, listed, plural
from analysis.reporting.sections.rubric_words import KINDS, flagged_cell, rubric_of, with_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

PERCENT = Scale("percent", 0)


def show(view: View) -> str:
    """Return the rates, the flags and what was not reviewed."""
    rates = view.results.rows("flag_rates", comparability="all")
    if rates is None:
        return absent("The rubric has no flag, or no sheet answers it.")
    return "".join([paragraph(_words(view, rates)), _rates(view, rates), _flags(view), _unreviewed(view)])


def _words(view: View, rates: pl.DataFrame) -> str:
    kind = next(k for k in KINDS if k in set(rates["raters"]))
    own = rates.filter((pl.col("raters") == kind) & pl.col("declared"))
    n, of = int(own["n_flagged"].sum()), int(own["n_responses"].sum())
    text = f"{plural(n, 'response')} of {of:,} {'is' if n == 1 else 'are'} flagged by {KINDS[kind]}."
    if n:
        most = own.filter(pl.col("n_flagged") == own["n_flagged"].max()).sort("model")
        names = view.names(most["model"].to_list())
        text += f" Most often flagged: {names} ({most['n_flagged'][0]} of {most['n_responses'][0]})."
    return (
        f"{text} A flag is set by an error that the vignette\u2019s key names, never by a score, and is "
        "not traded against any composite. No flag means that none of the prespecified errors was found, "
        "not that a response is safe."
    )


def _rates(view: View, rates: pl.DataFrame) -> str:
    rules = {"any": "one rater", "majority": "most raters"}
    kinds = [k for k in KINDS if k in set(rates["raters"])]
    known = {(r["raters"], r["rule"], r["model"]): r for r in rates.iter_rows(named=True)}
    lead = rates.filter((pl.col("raters") == kinds[0]) & pl.col("declared"))
    cells = []
    for model in lead.sort(["rate", "model"], descending=[True, False])["model"]:
        cell = {"model": view.name(model)}
        for kind in kinds:
            for rule in rules:
                row = known.get((kind, rule, model))
                cell[f"{kind}_{rule}"] = "\u2013"
                if row is not None:
                    text = with_range(row["rate"], row["ci_low"], row["ci_high"], PERCENT)
                    cell[f"{kind}_{rule}"] = f"{flagged_cell(row['n_flagged'], row['n_responses'])} {text}"
        cells.append(cell)
    columns = [Column("model", "Model")] + [
        Column(f"{kind}_{rule}", word, "left", f"Flagged by {KINDS[kind]}, %")
        for kind in kinds
        for rule, word in rules.items()
    ]
    return detail(
        view,
        "flag_rates",
        columns,
        cells,
        summary="Flag rates",
        caption=f"Responses with a safety-critical error, with exact (Clopper\u2013Pearson) {view.ci}.",
        name="rubric-flag-rates",
        note=f"The card\u2019s rule: {rules[rubric_of(view)['use']['flagged_by']]}.",
        fold=False,
    )


def _flags(view: View) -> str:
    rows = view.results.rows("safety_flags", kind="flag")
    if rows is None:
        return ""
    key = ["model", "item_id", "run", "case_criterion"]
    # Raters who see one error are one row; the text is the first human's, by name.
    rows = rows.sort((pl.col("rater_kind") != "human"), "rater", *key)
    cells = []
    grouped = rows.group_by(key, maintain_order=True).agg(
        pl.col("rater"),
        pl.col("statement").first(),
        pl.col("trigger").first(),
        pl.col("trigger").n_unique().alias("n"),
    )
    for row in grouped.sort("model", "item_id", "run", "case_criterion").iter_rows(named=True):
        more = f" (and {row['n'] - 1} other wording)" if row["n"] > 1 else ""
        cells.append(
            {
                "model": view.name(row["model"]),
                "item": view.item(row["item_id"]),
                "criterion": f'<span class="words">{named(row["case_criterion"])}: '
                f"{escape(row['statement'] or '')}</span>",
                "trigger": f'<span class="words">{escape(row["trigger"])}{more}</span>',
                "raters": f'<span class="words">{listed([escape(r) for r in row["rater"]])}</span>',
            }
        )
    columns = [
        Column("model", "Model"),
        Column("item", "Vignette"),
        Column("criterion", "Criterion of the key"),
        Column("trigger", "Triggering text"),
        Column("raters", "Flagged by"),
    ]
    return detail(
        view,
        "safety_flags",
        columns,
        cells,
        summary=f"Every flag with the text that triggered it ({len(cells)})",
        caption="Flags of single raters: the case criterion and the triggering text.",
        name="rubric-flag-list",
        fold=len(cells) > 12,
    )


def _unreviewed(view: View) -> str:
    rows = view.results.rows("safety_flags", kind="not_reviewed")
    if rows is None:
        return ""
    text = (
        f"{plural(rows.height, 'score')} of 1 or 2 on safety {'is' if rows.height == 1 else 'are'} given "
        "on sheets that record no review of the case\u2019s safety key."
    )
    limit = {f["id"]: f["review_at_most"] for d in rubric_of(view)["rubric"]["domains"] for f in d["fields"]}
    most = {v for v in limit.values() if v is not None}
    if most != {2}:
        text = text.replace("of 1 or 2 on safety", "low enough to ask for it")
    cells = [
        {
            "rater": named(r["rater"]),
            "item": named(r["item_id"]),
            "model": view.name(r["model"]),
            "line": escape(r["criterion_id"]),
            "score": f"{r['score']:.0f}",
        }
        for r in rows.sort("rater", "item_id", "model", "criterion_id").iter_rows(named=True)
    ]
    columns = [
        Column("rater", "Rater"),
        Column("item", "Vignette"),
        Column("model", "Model"),
        Column("line", "Sub-dimension"),
        Column("score", "Score", "right"),
    ]
    return paragraph(text) + detail(
        view,
        "safety_flags",
        columns,
        cells,
        summary="Low safety scores without a reviewed key",
        caption="Low safety scores on sheets that record no review of the key.",
        name="rubric-not-reviewed",
    )
