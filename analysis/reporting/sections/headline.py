"""The findings in words: who leads and whether that can be told apart, what nobody solves, at what cost."""

from __future__ import annotations

import polars as pl

from analysis.reporting.markup import block, escape
from analysis.reporting.numbers import count, listed, p_equals, plural
from analysis.reporting.sections import boundary, cost, episode_words, failures, missing
from analysis.reporting.view import View, absent, metric_words, success_words

Finding = tuple[str, str]
"""A statement and what stands behind it, both HTML."""


def show(view: View) -> str:
    """Return the list of findings, after a sentence on what was measured."""
    if view.standings is None:
        return absent(view.results.why_absent("model_scores"))
    found = [
        leader(view),
        missing.unlike_items(view),
        tiers(view),
        episode_words.finding(view),
        boundary.finding(view),
        boundary.ensemble_finding(view),
        failures.finding(view),
        cost.finding(view),
        missing.finding(view),
    ]
    items = "".join(f'<li><b class="lead">{lead}</b> {more}</li>' for lead, more in filter(None, found))
    return block(f'<p>{measured(view)}</p>\n<ul class="findings">{items}</ul>')


def measured(view: View) -> str:
    """Return what the leading score is, as a sentence."""
    results = view.results
    what = metric_words(results, view.metric)
    if view.metric == "correct":
        how = f"an item counts where the verdict is {success_words(results)}"
        verdicts = results.table("verdicts")
        if verdicts is not None and (verdicts["run"] != verdicts["run"][0]).any():
            how += ", repeated runs of an item are averaged first"
        excluded = results.card.verdicts.exclude
        if excluded and verdicts is not None and verdicts["excluded"].any():
            how += "; responses excluded by their verdict leave the denominator"
        text = f"The score is the {what}: {how}."
    elif view.metric == "score":
        text = "The score is the mean of the graded scores (0 to 1) over the items that were scored."
    else:
        text = f"The score is the {what} over the items that were scored."
    if results.card.cluster:
        text += " Items come in clusters, and clusters are what is resampled and tested."
    return text


def score_of(view: View, row: dict[str, object], *, n: bool = True) -> str:
    """Return a model's score with its interval, in words."""
    text = view.scale.value(row["estimate"])  # type: ignore[arg-type]
    inside = []
    if row["ci_low"] is not None:
        inside.append(f"{view.ci} {view.scale.interval(row['ci_low'], row['ci_high'])}")  # type: ignore[arg-type]
    if n:
        inside.append(plural(int(row["n_items"]), "item"))  # type: ignore[call-overload]
    return f"{text} ({', '.join(inside)})" if inside else text


def leader(view: View) -> Finding | None:
    """Return who scores highest and whether the data tell that model from the others."""
    table = view.standings
    if table is None:
        return None
    first = table.row(0, named=True)
    name, score = view.name(first["model"]), score_of(view, first)
    if table.height == 1:
        lead = f"{name} scores {view.scale.value(first['estimate'])}; it is the only {_kind(view)}model."
        return lead, f"The score is {score}. With one model there is nothing to compare."
    level = _level_with(table)
    tied, untested = _rivals(view, first["model"])
    more = f"{name} scores {score}."
    if len(level) == table.height:
        both = "Both models have" if table.height == 2 else f"All {table.height} models have"
        return f"{both} the same score, {view.scale.value(first['estimate'])}.", more
    if len(level) > 1:
        lead = f"{view.names(level, most=3)} share the highest score, {view.scale.value(first['estimate'])}."
        return lead, f"{more} {_not_told(view, table, [m for m in tied if m not in level])}".strip()
    if not tied and not untested:
        lead = f"{name} leads, ahead of {'the other model' if table.height == 2 else 'every other model'}."
    elif len(untested) == table.height - 1:
        lead = f"{name} has the highest score, but shares no items with {_others(table.height - 1)}."
    elif not tied:
        lead = f"{name} scores highest; {view.names(untested, most=2)} cannot be compared with it."
    else:
        lead = f"{name} scores highest, but is not distinguishable from {_whom(view, table, tied)}."
    if tied or not untested:
        more += " " + _against_next(view, table)
    if untested and len(untested) < table.height - 1 and tied:
        more += f" {view.names(untested)} share{'s' if len(untested) == 1 else ''} no items with it."
    return lead, more


def _kind(view: View) -> str:
    return "scored " if view.unranked else ""


def _level_with(table: pl.DataFrame) -> list[str]:
    """Return the models whose score equals the highest, to 12 decimals."""
    top = round(table["estimate"][0], 12)
    return table.filter(pl.col("estimate").round(12) == top)["model"].to_list()


def _whom(view: View, table: pl.DataFrame, tied: list[str]) -> str:
    if len(tied) < table.height - 1:
        return view.names(tied, most=2)
    return "the other model" if table.height == 2 else f"any of the {table.height - 1} other models"


def _not_told(view: View, table: pl.DataFrame, tied: list[str]) -> str:
    return f"They are not distinguishable from {view.names(tied, most=3)}." if tied else ""


def _others(n: int) -> str:
    return "the other model" if n == 1 else f"the {n} other models"


def _rivals(view: View, first: str) -> tuple[list[str], list[str]]:
    """Return the models that the leader is not told from, and those it shares no items with."""
    if view.pairs is None:
        return [], []
    pairs = view.pairs.filter((pl.col("model_a") == first) | (pl.col("model_b") == first))
    tied, untested = [], []
    for row in pairs.iter_rows(named=True):
        other = row["model_b"] if row["model_a"] == first else row["model_a"]
        if row["p_value"] is None:
            untested.append(other)
        elif row["p_holm"] >= view.alpha:
            tied.append(other)
    order = {} if view.standings is None else {m: i for i, m in enumerate(view.standings["model"])}
    return sorted(tied, key=order.__getitem__), sorted(untested, key=order.__getitem__)


def _against_next(view: View, table: pl.DataFrame) -> str:
    """Return the paired difference between the first two models, in words."""
    a, b = table["model"][0], table["model"][1]
    return difference_sentence(view, a, b, head=f"Against {view.name(b)}, the next,")


def difference_sentence(view: View, a: str, b: str, *, head: str) -> str:
    """Return the difference between two models on their common items, with interval and adjusted p."""
    pairs = view.pairs
    rows = None if pairs is None else pairs.filter((pl.col("model_a") == a) & (pl.col("model_b") == b))
    if pairs is None or rows is None or rows.height == 0 or rows["p_value"][0] is None:
        return f"{head} there is no test: the two share no items."
    row, scale = rows.row(0, named=True), view.difference_scale
    interval = ""
    if row["ci_low"] is not None:
        interval = f", {view.ci} {scale.difference_interval(row['ci_low'], row['ci_high'])}"
    p = escape(p_equals(row["p_holm"], alpha=view.alpha, symbol="adjusted p" if pairs.height > 1 else "p"))
    common = plural(row["n_items"], "common item")
    return f"{head} the difference is {scale.points(row['difference'])} on {common}{interval}, {p}."


def tiers(view: View) -> Finding | None:
    """Return how far the whole ranking holds: pairs told apart, and the tiers."""
    table, pairs = view.standings, view.pairs
    if table is None or pairs is None or table.height < 3 or table["tier"].null_count():
        return None
    tested = pairs.filter(pl.col("p_value").is_not_null())
    apart = tested.filter(pl.col("p_holm") < view.alpha).height
    n_tiers = int(table["tier"].max())  # type: ignore[arg-type]
    if tested.height == 0:
        return None
    if apart == tested.height:
        lead = f"All {plural(tested.height, 'pair')} of models differ."
    elif apart == 0:
        lead = "No two models are distinguishable."
    else:
        lead = f"{count(apart)} of {plural(tested.height, 'pair')} of models differ."
    ranks = table.filter(pl.col("rank_low") == pl.col("rank_high")).height
    fixed = {0: "No model's rank is", 1: "One model's rank is"}.get(ranks, f"The ranks of {ranks} models are")
    steps = (
        "Tests of neighbours in rank find no step: there is one tier."
        if n_tiers == 1
        else f"Tests of neighbours in rank part the models into {plural(n_tiers, 'tier')}."
    )
    return (
        lead,
        f"{fixed} settled to a single place. {steps} Tests are paired and adjusted for their number (Holm).",
    )


def by_track_leaders(view: View) -> str:
    """Return who scores highest in each track, as one sentence of HTML; empty without several tracks."""
    by_model: dict[str, list[str]] = {}
    for track in view.results.tracks:
        rows = view.results.scores(view.metric, track)
        if rows is not None:
            level = _level_with(rows)
            shown = f"<bdi><strong>{escape(track)}</strong></bdi>"
            by_model.setdefault(level[0] if len(level) == 1 else "", []).append(shown)
    shared = by_model.pop("", [])
    if len(shared) + sum(map(len, by_model.values())) < 2:
        return ""
    if len(by_model) == 1 and not shared:
        return f"{view.name(next(iter(by_model)))} scores highest in every track."
    parts = [f"{view.name(model)} in {listed(tracks)}" for model, tracks in by_model.items()]
    if shared:
        parts.append(f"several models share the highest score in {listed(shared)}")
    return f"The highest score by track: {'; '.join(parts)}."
