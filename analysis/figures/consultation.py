"""Consultation scores by tag and model, with the shares of criteria met and errors avoided below."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.matrix import Group, Scale, draw_matrix
from analysis.figures.parts import Row, finish
from analysis.figures.select import ALL
from analysis.figures.text import clean, count, isolate, plural, short_labels, spaced
from analysis.figures.theme import TEXT, Theme
from analysis.rubric_labels import main_rater

WITHOUT = "There is no rubric with labels on its criteria."

UNSCORED = "No response has a labelled requirement, so none has a score."

FEW = 10
"""Cells with fewer questions are set in italics."""

MAX_TAGS = 40
"""The most tags that are shown: those with most questions."""

EVERY = "All questions"


def model_order(scores: pl.DataFrame) -> list[str]:
    """Return the models by their mean over all questions."""
    of_all = scores.filter((pl.col("tag") == ALL) & (pl.col("statistic") == "item_mean"))
    return of_all.sort("rank")["model"].to_list()


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw the matrix of tags, shares of criteria and models."""
    scores = tables["consultation_scores"]
    rater = main_rater(scores, card)
    scores = scores.filter(pl.col("rater") == rater)
    models = model_order(scores)
    if not models:
        return Absent(UNSCORED)
    who = identify(tables)
    counts = tables.get("criterion_counts")
    tags = _tags(scores)
    groups = [_tag_group(tags, scores, counts), _criteria_group(scores, counts, card)]
    cells: dict[tuple[int, str, str], Row] = {}
    for row in scores.iter_rows(named=True):
        at = _place(row, tags)
        if at is not None:
            points = row["estimate"] if row["statistic"] == "item_mean" else 100 * row["estimate"]
            cells[at[0], at[1], who.label(row["model"])] = {
                "value": points,
                "text": f"{points:.0f}",
                "n": count(row["n_items"]),
                "style": "italic" if row["n_items"] < FEW else "normal",
                "weight": "bold" if row["rank"] == 1 and len(models) > 1 else "normal",
            }
    scale = Scale(0.0, 100.0, "points, or % of criteria", "0", "100")
    chart, width = draw_matrix(
        groups, [who.label(m) for m in models], cells, scale, ("Questions", "Criteria"), theme
    )
    text = [
        f"Scores of 100 and percent of criteria, by the labels of {clean(rater)}; higher is better.",
        "Bold: best of the row." if len(models) > 1 else "One model.",
    ]
    if any(c["style"] == "italic" for c in cells.values()):
        text[1] += f" Italic: fewer than {FEW} questions."
    hidden = scores.filter(pl.col("tag") != ALL)["tag"].n_unique() - (len(tags) - 1)
    if hidden:
        text[1] += f" {plural(hidden, 'tag')} with few questions stand in the table only."
    return finish(
        chart, theme, card, "Consultation scores by tag, and criteria by kind", text, width=max(width, 420)
    )


def _tags(scores: pl.DataFrame) -> dict[str, str]:
    """Return the labels of the tags shown, `all` first, then by their number of questions."""
    rows = scores.filter((pl.col("statistic") == "item_mean") & (pl.col("tag") != ALL))
    sizes = rows.group_by("tag").agg((pl.col("n_items") + pl.col("n_missing")).max().alias("n"))
    shown = sizes.sort(["n", "tag"], descending=[True, False]).head(MAX_TAGS)["tag"].to_list()
    return {ALL: EVERY, **short_labels({t: spaced(t) for t in shown}, 170, TEXT)}


def _tag_group(tags: dict[str, str], scores: pl.DataFrame, counts: pl.DataFrame | None) -> Group:
    sides = {}
    for tag, label in tags.items():
        row = None if counts is None else _one(counts.filter(pl.col("tag") == tag, pl.col("kind") == ALL))
        sides[label] = ("", "") if row is None else (count(row["n_items"]), count(row["n_criteria"]))
    return Group("Score", list(tags.values()), sides)


def _criteria_group(scores: pl.DataFrame, counts: pl.DataFrame | None, card: BenchmarkCard) -> Group:
    values = _criteria_statistics(scores, card)
    sides = {}
    for statistic in values:
        kind = statistic.partition(":")[2]
        row = None if counts is None else _one(counts.filter(pl.col("tag") == ALL, pl.col("kind") == kind))
        sides[_criteria_label(statistic)] = (
            ("", "") if row is None else (count(row["n_items"]), count(row["n_criteria"]))
        )
    return Group("Criteria", [_criteria_label(s) for s in values], sides)


def _criteria_statistics(scores: pl.DataFrame, card: BenchmarkCard) -> list[str]:
    """Return the shares of criteria, requirements first, kinds as the card has them."""
    names = scores.filter(pl.col("tag") == ALL)["statistic"].unique().sort().to_list()
    rules = card.consultation
    declared = [*(f"met:{k}" for k in rules.requirements), *(f"avoided:{k}" for k in rules.errors)]
    own = [n for n in names if n.startswith(("met:", "avoided:"))]
    others = sorted((n for n in own if n not in declared), key=lambda n: (n.startswith("avoided:"), n))
    return [n for n in declared if n in own] + others


def _criteria_label(statistic: str) -> str:
    what, _, kind = statistic.partition(":")
    return f"{spaced(kind)} {'met' if what == 'met' else 'avoided'}"


def _place(row: Row, tags: dict[str, str]) -> tuple[int, str] | None:
    """Return group and category of a row of the table, or None where it is not drawn."""
    if row["statistic"] == "item_mean" and row["tag"] in tags:
        return 0, tags[row["tag"]]
    if row["tag"] == ALL and row["statistic"].startswith(("met:", "avoided:")):
        return 1, _criteria_label(row["statistic"])
    return None


def _one(rows: pl.DataFrame) -> Row | None:
    return rows.row(0, named=True) if rows.height else None


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say who leads, and which tag is hardest."""
    scores = tables["consultation_scores"]
    scores = scores.filter(pl.col("rater") == main_rater(scores, card))
    who = identify(tables)
    means = scores.filter(pl.col("statistic") == "item_mean")
    top = means.filter(pl.col("tag") == ALL).sort("rank").row(0, named=True)
    text = [
        f"Mean consultation scores of {plural(means['model'].n_unique(), 'model')}; "
        f"{isolate(who.spoken(top['model']))} leads with {top['estimate']:.1f} of 100 over all questions."
    ]
    by_tag = means.filter(pl.col("tag") != ALL).group_by("tag").agg(pl.col("estimate").sort().mean())
    if by_tag.height > 1:
        low = by_tag.sort("estimate", "tag").row(0, named=True)
        text.append(
            f"Averaged over models the lowest tag is {isolate(spaced(low['tag']))} ({low['estimate']:.1f})."
        )
    text.append(
        "Below, the percent of criteria met, and of error criteria not triggered, over all questions."
    )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the matrix holds."""
    scores = tables["consultation_scores"]
    scores = scores.filter(pl.col("rater") == main_rater(scores, card))
    means = scores.filter(pl.col("statistic") == "item_mean")
    tags, values = means.filter(pl.col("tag") != ALL)["tag"].n_unique(), means["estimate"].to_list()
    return (
        f"Matrix of all questions, {plural(tags, 'tag')} and the kinds of criteria against "
        f"{plural(means['model'].n_unique(), 'model')}; scores from {min(values):.0f} to "
        f"{max(values):.0f} of 100, stronger colour meaning more."
    )


FIGURE = Figure(
    name="consultation",
    title="Consultation scores",
    needs=("models", "consultation_scores"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
