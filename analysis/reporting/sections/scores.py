"""Scores with their uncertainty: the compact leaderboard, the forest plot, tiers, ties and tests."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import block, escape, paragraph
from analysis.reporting.numbers import NONE, count, money, p_value, plural, span
from analysis.reporting.results import ALL
from analysis.reporting.sections.headline import by_track_leaders
from analysis.reporting.static_table import Column, folded, static_table, table_float
from analysis.reporting.view import View, absent, metric_head
from analysis.reporting.whisker import axis_for, axis_head, whisker

MOST_PAIRS = 66
"""More pairs than this (12 models) are not listed on the page; the table can be downloaded."""


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


def tests(view: View) -> str:
    """Return the paired tests: neighbours, and all pairs, in tabs."""
    if view.pairs is None:
        return absent(view.results.why_absent("pairwise_tests"))
    neighbours = _pairs_table(view, view.pairs.filter("adjacent"), "neighbours-table", adjacent=True)
    matrix = f"\n### Matrix\n{figure_float(view, 'pairwise')}" if has_figure(view, "pairwise") else ""
    if view.pairs.height > MOST_PAIRS:
        link = f'<a href="{escape(view.tables_link)}/pairwise_tests.parquet" download>table of all pairs</a>'
        everyone = block(
            f"<p>There are {plural(view.pairs.height, 'pair')}; the {link} (Parquet) has them.</p>"
        )
    else:
        everyone = block(_pairs_table(view, view.pairs, "pairs-table", adjacent=False))
    return (
        "\n::: {.panel-tabset}\n\n### Neighbours in rank\n"
        + block(neighbours)
        + matrix
        + "\n### All pairs\n"
        + everyone
        + "\n:::\n"
    )


def _pairs_table(view: View, pairs: pl.DataFrame, identifier: str, *, adjacent: bool) -> str:
    order = {} if view.standings is None else {m: i for i, m in enumerate(view.standings["model"])}
    pairs = pairs.sort(
        pl.col("model_a").replace_strict(order, default=0, return_dtype=pl.Int64),
        pl.col("model_b").replace_strict(order, default=0, return_dtype=pl.Int64),
    )
    scale = view.difference_scale
    unit = ", points" if scale.kind == "percent" else ""
    columns = [
        Column("a", "Higher in rank"),
        Column("b", "Lower in rank"),
        Column("n", "Items", "right", "Common items"),
        Column("better", "Better", "right", "Common items"),
        Column("worse", "Worse", "right", "Common items"),
        Column("difference", f"Difference{unit}", "right"),
        Column("interval", view.ci),
        Column("p", "p", "right"),
        Column("adjusted", "Bonferroni" if adjacent else "Holm", "right"),
        Column("verdict", "Differ"),
    ]
    rows = []
    for row in pairs.iter_rows(named=True):
        adjusted = row["p_bonferroni"] if adjacent else row["p_holm"]
        tested = row["p_value"] is not None
        differs = row["significant"] if adjacent else tested and row["p_holm"] < view.alpha
        rows.append(
            {
                "a": view.name(row["model_a"]),
                "b": view.name(row["model_b"]),
                "n": count(row["n_items"]),
                "better": count(row["n_better"]),
                "worse": count(row["n_worse"]),
                "difference": scale.difference(row["difference"]),
                "interval": muted_range(scale.difference_interval(row["ci_low"], row["ci_high"])),
                "p": escape(p_value(row["p_value"], alpha=view.alpha)),
                "adjusted": escape(p_value(adjusted, alpha=view.alpha)),
                "verdict": ("<strong>yes</strong>" if differs else "no") if tested else "not tested",
            }
        )
    return static_table(identifier, columns, rows, note=_test_note(pairs))


def _test_note(pairs: pl.DataFrame) -> str:
    methods = sorted(set(pairs["method"]) - {"none"})
    named = "; ".join(escape(test_name(m)) for m in methods)
    note = f"Test: {named}. " if named else ""
    return note + "Intervals are not adjusted for the number of pairs."


def test_name(method: str) -> str:
    """Return a test as a sentence names it.

    Examples
    --------
    >>> test_name("cluster_sign_flip_exact"), test_name("sign_flip_monte_carlo")
    ('exact sign-flip test, whole clusters flip', 'sign-flip test with random flips')
    """
    rest = method
    matched, rest = rest.startswith("matched_runs_"), rest.removeprefix("matched_runs_")
    whole, rest = rest.startswith("cluster_sign_flip"), rest.replace("cluster_sign_flip", "sign_flip")
    names = {
        "sign_flip_exact": "exact sign-flip test",
        "sign_flip_monte_carlo": "sign-flip test with random flips",
        "sign_flip_normal": "sign-flip test, normal approximation",
        "item_bootstrap": "bootstrap-t over items",
        "cluster_bootstrap": "bootstrap-t over clusters",
    }
    name = names.get(rest, rest.replace("_", " "))
    return name + (", runs matched" if matched else "") + (", whole clusters flip" if whole else "")
