"""Consultations: scores from rubric criteria by model and tag, and how often answers hold an error."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import Scale, count, listed, plural
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent
from analysis.rubric_labels import main_rater

POINTS = Scale("plain", 1)
SHARE = Scale("percent", 1)
FEW_CASES = 5
"""Intervals over fewer cases than this are said to be rough."""


def show(view: View) -> str:
    """Return the consultations in words, as a figure and with their tables."""
    scores = view.results.table("consultation_scores")
    if scores is None:
        return absent(view.results.why_absent("consultation_scores"))
    rater = main_rater(scores, view.results.card)
    own = scores.filter(pl.col("rater") == rater)
    parts = [paragraph(text) for text in (leads(view, own, rater), errors(view, own), formula(view)) if text]
    parts += [paragraph(text) for text in cautions(view, own)]
    parts += [figure_float(view, "consultation"), _models(view, own), _tags(view, own), _rubric(view)]
    return "".join([*parts, _others(view, scores, rater)])


def _of(rows: pl.DataFrame, statistic: str, tag: str = ALL) -> pl.DataFrame:
    return rows.filter((pl.col("statistic") == statistic) & (pl.col("tag") == tag)).sort("rank")


def leads(view: View, rows: pl.DataFrame, rater: str) -> str:
    """Return who scores highest, over questions and over cases."""
    means = _of(rows, "item_mean")
    if means.is_empty():
        return "No response has a labelled requirement, so none has a score."
    top = means.row(0, named=True)
    n = plural(top["n_items"] + top["n_missing"], "question")
    how = "scores highest, " if means.height > 1 else "scores "
    text = (
        f"By the labels of {named(rater)} on {n}, {view.name(top['model'])} {how}{_points(view, top)} of 100"
    )
    if means.height > 1:
        last = means.row(-1, named=True)
        text += f"; {view.name(last['model'])} has {_points(view, last)}"
    cases = _of(rows, "case_mean")
    if view.results.card.cluster and means.height > 1 and not cases.is_empty():
        first = cases.row(0, named=True)
        same = first["model"] == top["model"]
        who = "the same model leads" if same else f"{view.name(first['model'])} leads"
        text += f". Where each of the {plural(first['n_cases'], 'case')} counts once, {who} with "
        text += _points(view, first)
    return f"{text}."


def errors(view: View, rows: pl.DataFrame) -> str:
    """Return how often answers hold at least one error of each kind."""
    texts = []
    for statistic in rows.filter(pl.col("tag") == ALL)["statistic"].unique().sort():
        if not statistic.startswith("error:"):
            continue
        rates = _of(rows, statistic)
        kind, low, high = (
            escape(statistic.partition(":")[2]),
            rates.row(0, named=True),
            rates.row(-1, named=True),
        )
        part = f"{SHARE.value(low['estimate'])} ({view.name(low['model'])})"
        if rates.height > 1:
            part += f" to {SHARE.value(high['estimate'])} ({view.name(high['model'])})"
        texts.append(f"at least one <em>{kind}</em> error in {part}")
    return f"Answers hold {listed(texts)}." if texts else ""


def formula(view: View) -> str:
    """Return the formula in force, as a sentence."""
    rules = view.results.card.consultation
    weights = listed([f"{escape(k)} {w:g}" for k, w in rules.requirements.items()])
    text = (
        f"A score is 100 times the weight of the requirements met over the weight of those that apply "
        f"(by kind: {weights}; criteria may carry weights of their own)"
    )
    if rules.errors:
        points = listed([f"{escape(k)} {w:g}" for k, w in rules.errors.items()])
        each = (
            "the dearest triggered error of each kind" if rules.deduct == "once" else "each triggered error"
        )
        what = "weight" if rules.deduct == "weight" else "points"
        text += f", less {what} for {each} ({points})"
    return f"{text}, kept within 0 and 100. The card can change weights and points."


def cautions(view: View, rows: pl.DataFrame) -> list[str]:
    """Return what limits the scores: unscored questions, tags with too few cases for an interval."""
    texts = []
    missing = _of(rows, "item_mean").filter(pl.col("n_missing") > 0)
    if missing.height:
        most = missing.sort(["n_missing", "model"], descending=[True, False]).row(0, named=True)
        texts.append(
            f"{plural(missing.height, 'model')} {'lacks' if missing.height == 1 else 'lack'} a scored answer "
            f"to some questions (at most {count(most['n_missing'])}, {view.name(most['model'])}): they are "
            "left out of the model's means, neither failures nor zeros."
        )
    rater = rows["rater"][0]
    if rater in {name for model, name in view.results.names.items() for name in (model, name)}:
        texts.append(
            f"{named(rater)} is one of the models: what it says of its own answers, and of those of related "
            "models, may be kinder or harsher than another rater would be."
        )
    tags = rows.filter((pl.col("statistic") == "item_mean") & (pl.col("tag") != ALL))
    most_cases = tags.group_by("tag").agg(pl.col("n_cases").max()).sort("tag")
    none = most_cases.filter(pl.col("n_cases") < 2)["tag"].to_list()
    rough = most_cases.filter(pl.col("n_cases").is_between(2, FEW_CASES - 1))["tag"].to_list()
    unit = "case" if view.results.card.cluster else "question"
    if none:
        what = listed([named(t) for t in none], most=6, rest="other")
        texts.append(f"No interval can be computed for {what}: one {unit} says nothing about others.")
    if rough:
        what = listed([named(t) for t in rough], most=6, rest="other")
        texts.append(f"Intervals of {what} rest on fewer than {FEW_CASES} {unit}s and are rough.")
    return texts


def _points(view: View, row: dict[str, Any]) -> str:
    text = POINTS.bare(row["estimate"])
    if row["ci_low"] is None:
        return text
    return f"{text} ({view.ci} {POINTS.interval(row['ci_low'], row['ci_high'])})"


def _cell(scale: Scale, row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    text = scale.bare(row["estimate"])
    if row["ci_low"] is None:
        return f"{text} (no interval)"
    return f"{text} ({scale.interval(row['ci_low'], row['ci_high'])})"


def _models(view: View, rows: pl.DataFrame) -> str:
    """Return every model with its means and error rates over all questions."""
    every = rows.filter(pl.col("tag") == ALL)
    by = {(r["model"], r["statistic"]): r for r in every.iter_rows(named=True)}
    rates = [s for s in every["statistic"].unique().sort() if s.startswith("error:")]
    cells = []
    for top in _of(rows, "item_mean").iter_rows(named=True):
        row = {"model": view.name(top["model"]), "n": count(top["n_items"])}
        row |= {
            "item": _cell(POINTS, top),
            "case": _cell(POINTS, by.get((top["model"], "case_mean"))),
        }
        row |= {f"e{i}": _cell(SHARE, by.get((top["model"], s))) for i, s in enumerate(rates)}
        cells.append(row)
    columns = [
        Column("model", "Model"),
        Column("n", "Questions", "right"),
        Column("item", f"Score ({view.ci})", "right"),
        Column("case", f"By case ({view.ci})", "right"),
    ]
    columns += [
        Column(f"e{i}", f"Any {escape(s.partition(':')[2])} error, % ({view.ci})", "right")
        for i, s in enumerate(rates)
    ]
    if not view.results.card.cluster:
        columns = [c for c in columns if c.key != "case"]
    return detail(
        view,
        "consultation_scores",
        columns,
        cells,
        summary="",
        caption="Consultation scores and answers with at least one error.",
        fold=False,
    )


def _tags(view: View, rows: pl.DataFrame) -> str:
    """Return every tag with every model's score."""
    means = rows.filter((pl.col("statistic") == "item_mean") & (pl.col("tag") != ALL)).sort("tag", "rank")
    cells = [
        {
            "tag": f"<bdi>{escape(r['tag'])}</bdi>",
            "model": view.name(r["model"]),
            "n": count(r["n_items"]),
            "cases": count(r["n_cases"]),
            "score": POINTS.bare(r["estimate"]),
            "ci": POINTS.interval(r["ci_low"], r["ci_high"])
            if r["ci_low"] is not None
            else escape(r["method"].removeprefix("none: ")),
        }
        for r in means.iter_rows(named=True)
    ]
    columns = [
        Column("model", "Model"),
        Column("n", "Questions", "right"),
        Column("cases", "Cases", "right"),
        Column("score", "Score", "right"),
        Column("ci", view.ci, "right"),
    ]
    return detail(
        view,
        "consultation_scores",
        columns,
        cells,
        summary="Scores by tag, with intervals",
        caption="Consultation scores by tag.",
        name="consultation-tags",
        groups="tag",
    )


def _rubric(view: View) -> str:
    """Return how many questions and criteria each tag has."""
    counts = view.results.table("criterion_counts")
    if counts is None:
        return ""
    totals = counts.filter((pl.col("tag") == ALL) & (pl.col("kind") != ALL))
    kinds = totals.sort(pl.col("polarity") == "negative", "kind")["kind"].to_list()
    declared = [*view.results.card.consultation.requirements, *view.results.card.consultation.errors]
    kinds.sort(key=lambda k: declared.index(k) if k in declared else len(declared))
    tags = counts.filter(pl.col("kind") == ALL).sort(pl.col("tag") == ALL, -pl.col("n_items"), "tag")
    by = {(r["tag"], r["kind"]): r["n_criteria"] for r in counts.iter_rows(named=True)}
    cells = []
    for r in tags.iter_rows(named=True):
        row = {
            "tag": "All questions" if r["tag"] == ALL else f"<bdi>{escape(r['tag'])}</bdi>",
            "n": count(r["n_items"]),
            "cases": count(r["n_cases"]),
        }
        cells.append(row | {f"k{i}": count(by.get((r["tag"], k), 0)) for i, k in enumerate(kinds)})
    columns = [Column("tag", "Tag"), Column("n", "Questions", "right"), Column("cases", "Cases", "right")]
    columns += [Column(f"k{i}", escape(k), "right", "Criteria") for i, k in enumerate(kinds)]
    return detail(
        view,
        "criterion_counts",
        columns,
        cells,
        summary="Questions and criteria by tag",
        caption="The rubric: questions, cases and criteria by tag.",
    )


def _others(view: View, scores: pl.DataFrame, rater: str) -> str:
    """Return the means by every other rater whose labels were scored."""
    rows = scores.filter(
        (pl.col("statistic") == "item_mean") & (pl.col("tag") == ALL) & (pl.col("rater") != rater)
    )
    cells = [
        {
            "rater": named(r["rater"]),
            "model": view.name(r["model"]),
            "n": count(r["n_items"]),
            "score": _cell(POINTS, r),
        }
        for r in rows.sort("rater", "rank").iter_rows(named=True)
    ]
    columns = [
        Column("model", "Model"),
        Column("n", "Questions", "right"),
        Column("score", f"Score ({view.ci})", "right"),
    ]
    return detail(
        view,
        "consultation_scores",
        columns,
        cells,
        summary="Scores by the labels of other raters",
        caption="Consultation scores by the labels of other raters.",
        name="consultation-raters",
        groups="rater",
    )
