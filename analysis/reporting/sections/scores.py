"""Scores with their uncertainty: the compact leaderboard, the forest plot, tiers, ties and tests."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import block, escape, paragraph
from analysis.reporting.numbers import NONE, count, money, plural, span
from analysis.reporting.results import ALL
from analysis.reporting.sections.headline import by_track_leaders
from analysis.reporting.static_table import Column, folded, static_table, table_float
from analysis.reporting.view import View, absent, metric_head
from analysis.reporting.whisker import axis_for, axis_head, whisker


def board(view: View) -> str:
    """Return the compact leaderboard."""
    table = view.standings
    if table is None:
        return absent(view.results.why_absent("model_scores"))
    compared = table["tier"].null_count() == 0 and table.height > 1
    ends = [*table["ci_low"], *table["ci_high"], *table["estimate"]]
    axis = axis_for(ends, width=150, bounded=view.scale.kind == "percent" or view.metric == "score")
    hard = _by_model(view.results.scores("hard_failure"), "estimate")
    hard_scale = view.scale_of("hard_failure")
    cost = _by_model(view.results.rows("frontier", track=ALL, metric=view.metric), "cost_per_response_usd")
    columns = [Column("model", "Model")]
    if compared:
        columns += [
            Column("rank", "Rank", "center"),
            Column("letters", "Ties"),
            Column("tier", "Tier", "center"),
        ]
    columns += [
        Column("score", metric_head(view.metric), "right"),
        Column("interval", view.ci, "left"),
        Column("picture", axis_head(axis, view.scale)),
        Column("n", "Items", "right"),
    ]
    if hard:
        columns.append(Column("hard", metric_head("hard_failure"), "right"))
    if cost:
        columns.append(Column("cost", "Cost per response", "right"))
    rows = []
    for row in table.iter_rows(named=True):
        best = bool(row["in_best_set"]) and compared
        rows.append(
            {
                "model": view.name(row["model"]),
                "rank": rank_span(row),
                "letters": letters(row["letters"]),
                "tier": str(row["tier"] or ""),
                "score": f"<strong>{view.scale.bare(row['estimate'])}</strong>",
                "interval": muted_range(view.scale.interval(row["ci_low"], row["ci_high"])),
                "picture": whisker(row["estimate"], row["ci_low"], row["ci_high"], axis, best=best),
                "n": count(row["n_items"]),
                "hard": hard_scale.bare(hard.get(row["model"])),
                "cost": money(cost.get(row["model"])),
            }
        )
    caption = f"Scores with {view.ci} ({view.results.interval_words(view.metric)})"
    if compared:
        caption += (
            ". Rank is the range of places that the pairwise tests leave open; models that share a letter "
            "are not distinguishable"
        )
        if table["in_best_set"].any():
            caption += "; blue marks the best set"
    table_ = table_float("tbl-scores", static_table("scores-table", columns, rows), caption + ".")
    return table_ + _left_out(view)


def _left_out(view: View) -> str:
    """Return the models that have verdicts and no score."""
    if not view.unranked:
        return ""
    has = "has" if len(view.unranked) == 1 else "have"
    return paragraph(f"Not ranked: {view.names(view.unranked)} {has} no scored response.", css="note")


def rank_span(row: dict[str, Any]) -> str:
    """Return a model's rank interval, or its place where no interval was computed."""
    return str(row["rank"]) if row["rank_low"] is None else span(row["rank_low"], row["rank_high"])


def muted_range(text: str) -> str:
    """Return an interval as HTML that stands back behind its estimate."""
    return f'<span class="range">{text}</span>'


def letters(text: str | None) -> str:
    """Return compact letters as HTML."""
    return f'<span class="letters">{escape(text)}</span>' if text else ""


def _by_model(rows: pl.DataFrame | None, column: str) -> dict[str, Any]:
    if rows is None or rows[column].null_count() == rows.height:
        return {}
    return dict(rows.select("model", column).iter_rows())


def forest(view: View) -> str:
    """Return the score figure and what differs between tracks."""
    if view.standings is None:
        return absent(view.results.why_absent("model_scores"))
    text = by_track_leaders(view)
    return (paragraph(text) if text else "") + figure_float(view, "scores")


def by_track(view: View) -> str:
    """Return every model's score in every track as a table; nothing for a benchmark without tracks."""
    results = view.results
    if not results.tracks or view.standings is None:
        return ""
    columns, cells = [Column("model", "Model")], {m: {"model": view.name(m)} for m in view.standings["model"]}
    for i, track in enumerate(results.tracks):
        scores = results.scores(view.metric, track)
        if scores is None:
            continue
        scale = view.scale_of(view.metric, track)
        n = int(scores["n_items"].max())  # type: ignore[arg-type]
        columns.append(
            Column(f"t{i}", f"{escape(track)}<br><span class='muted'>{plural(n, 'item')}</span>", "right")
        )
        for row in scores.iter_rows(named=True):
            interval = scale.interval(row["ci_low"], row["ci_high"])
            shown = f"{scale.bare(row['estimate'])}"
            if interval != NONE:
                shown += f'<br><span class="range">{interval}</span>'
            cells.setdefault(row["model"], {"model": view.name(row["model"])})[f"t{i}"] = shown
    rows = [{c.key: row.get(c.key, NONE) for c in columns} for row in cells.values()]
    table = static_table("tracks-table", columns, rows)
    whole = table_float(
        "tbl-tracks",
        table,
        f"Scores by track, in the order of the whole benchmark; below each its {view.ci}.",
    )
    if not has_figure(view, "scores_by_track"):
        return whole
    return figure_float(view, "scores_by_track") + folded("The same as a table", whole)


def _alone(view: View) -> str:
    """Return why nothing is compared; empty where something is."""
    table = view.standings
    if table is None:
        return view.results.why_absent("model_scores")
    if table.height < 2:
        return f"Only one model{' was scored' if view.unranked else ''}: there is nothing to compare."
    return "There are no tests." if table["tier"].null_count() else ""


def ties(view: View) -> str:
    """Return what letters, rank ranges and the best set say, in words."""
    table, why = view.standings, _alone(view)
    if table is None or why:
        return absent(why)
    text = (
        "Overlapping intervals do not show that two models tie, since the models share their items; the "
        "paired tests do. Models that share a letter are not distinguishable when all pairs are tested "
        "(Holm). A model's rank is the range of places that these tests leave open."
    )
    best = table.filter("in_best_set")["model"].to_list()
    if best:
        sure = f"{(1 - view.alpha) * 100:g}%"
        text += f" The best set holds the best model with {sure} confidence: {view.names(best, most=6)}."
    return paragraph(text)


def _threshold(view: View, threshold: float) -> str:
    text = f"p &lt; {threshold:.3g}"
    if threshold < view.alpha:
        text += f", which is {view.alpha:g} divided by the number of tested neighbours"
    return text


def tier_words(view: View) -> str:
    """Return the tiers in words, with what a tier does and does not say."""
    table, why = view.standings, _alone(view)
    if table is None or why:
        return absent(why)
    tiers = table.group_by("tier", maintain_order=True).agg("model").sort("tier")
    items = "".join(
        f"<li>Tier {tier}: {view.names(models, most=8)}</li>" for tier, models in tiers.iter_rows()
    )
    threshold = table["alpha_adjusted"].drop_nulls()
    if threshold.len():
        text = (
            "Going down the ranking, a new tier begins where a model is significantly better than the next "
            f"({_threshold(view, threshold[0])})."
        )
    else:
        text = "No two neighbours in rank share items, so none was tested and there is one tier."
    reversed_ = table.filter(pl.col("reversal"))["model"].to_list()
    if reversed_:
        text += (
            f" After {view.names(reversed_)} the next model is significantly <em>better</em> on the items "
            "both answered: the two rank as they do because they answered different items."
        )
    after = (
        "Tiers are a published device that tests neighbours only. Two models in one tier need not tie, since "
        "small steps can add up to a large difference; letters and rank ranges answer that question."
    )
    return block(f"<p>{text}</p><ul>{items}</ul><p>{after}</p>")
