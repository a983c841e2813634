"""How answers fail, and what the models decide to do."""

from __future__ import annotations

import polars as pl

from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, listed, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent

Finding = tuple[str, str]


def labels(view: View) -> str:
    """Return the failure labels in words, as a figure and with their meanings."""
    rows = view.results.rows("failure_labels", track=ALL)
    if rows is None:
        return absent(view.results.why_absent("failure_labels"))
    text = " ".join(filter(None, (_hard(view), _most_frequent(view, rows))))
    parts = [paragraph(text)] if text else []
    return "".join([*parts, figure_float(view, "failure_labels"), _meanings(view, rows)])


def finding(view: View) -> Finding | None:
    """Return the range of hard-failure rates as a headline."""
    rows = view.results.scores("hard_failure")
    if rows is None or rows.height < 2:
        return None
    scale = view.scale_of("hard_failure")
    low, high = rows.row(-1, named=True), rows.row(0, named=True)
    if high["estimate"] == low["estimate"]:
        return f"Every model fails hard on {scale.value(high['estimate'])} of its items.", ""
    ends = f"{scale.value(low['estimate'])} to {scale.value(high['estimate'])}"
    lead = f"Hard failures range from {ends} of items."
    return lead, (
        f"{view.name(low['model'])} has fewest ({view.ci} {scale.interval(low['ci_low'], low['ci_high'])}), "
        f"{view.name(high['model'])} most ({scale.interval(high['ci_low'], high['ci_high'])})."
    )


def _hard(view: View) -> str:
    """Return what counts as a hard failure, and who has fewest and most."""
    hard = view.results.card.hard_labels
    rows = view.results.scores("hard_failure")
    if not hard or rows is None:
        return "The card calls no label hard, so there is no hard-failure rate." if not hard else ""
    names = listed([f"<code>{escape(label)}</code>" for label in hard], last="or")
    scale = view.scale_of("hard_failure")
    text = f"An item counts as a hard failure when any of its responses carries {names}."
    if rows.height == 1:
        only = rows.row(0, named=True)
        return f"{text} {view.name(only['model'])} has a rate of {scale.value(only['estimate'])}."
    low, high = rows.row(-1, named=True), rows.row(0, named=True)
    return (
        f"{text} The rate runs from {scale.value(low['estimate'])} ({view.name(low['model'])}) to "
        f"{scale.value(high['estimate'])} ({view.name(high['model'])})."
    )


def _most_frequent(view: View, rows: pl.DataFrame) -> str:
    totals = (
        rows.group_by("label").agg(pl.col("count").sum()).sort(["count", "label"], descending=[True, False])
    )
    if totals.height < 2 or not totals["count"][0]:
        return ""
    label, n = totals.row(0)
    return f"Over all models the most frequent label is <code>{escape(label)}</code> ({count(n)} times)."


def _meanings(view: View, rows: pl.DataFrame) -> str:
    """Return each label with its meaning, its kind and the range of its rate over models."""
    card, cells = view.results.card, []
    groups = rows.group_by("label").agg(
        pl.col("count").sum(), pl.col("rate").min().alias("low"), pl.col("rate").max().alias("high")
    )
    scale = scale_for("percent", rows.select("ci_low", "ci_high").iter_rows())
    for row in groups.sort(["count", "label"], descending=[True, False]).iter_rows(named=True):
        rule = card.labels.get(row["label"])
        kind = "" if rule is None else "hard" if rule.hard else "technical" if rule.technical else ""
        cells.append(
            {
                "label": f"<code>{escape(row['label'])}</code>",
                "meaning": f'<span class="words">{escape(rule.meaning)}</span>'
                if rule is not None
                else '<span class="muted">not in the card</span>',
                "kind": f'<span class="tag{" bad" if kind == "hard" else ""}">{kind}</span>' if kind else "",
                "n": count(row["count"]),
                "range": f"{scale.bare(row['low'])} to {scale.bare(row['high'])}",
            }
        )
    columns = [
        Column("label", "Label"),
        Column("meaning", "Meaning"),
        Column("kind", "Kind"),
        Column("n", "Items, all models", "right"),
        Column("range", "Rate over models, %", "right"),
    ]
    table = static_table("labels-table", columns, cells)
    return table_float("tbl-labels", table, "Failure labels. An item counts once per model and label.")


def decisions(view: View) -> str:
    """Return how often models decide to act, in words and as a figure."""
    rows = view.results.rows("decisions", track=ALL)
    if rows is None:
        return absent(view.results.why_absent("decisions"))
    decisive = sorted(rows.filter("decisive")["decision"].unique())
    scores = view.results.scores("decisive")
    if scores is None or not decisive:
        text = "The card calls no decision decisive, so there is no decisive rate."
    else:
        scale = view.scale_of("decisive")
        names = listed([f"<code>{escape(d)}</code>" for d in decisive], last="or")
        low, high = scores.row(-1, named=True), scores.row(0, named=True)
        text = f"A decision is decisive when it is {names}. "
        if scores.height == 1:
            text += f"{view.name(high['model'])} is decisive on {scale.value(high['estimate'])} of its items."
        else:
            text += (
                f"{view.name(high['model'])} is decisive most often ({scale.value(high['estimate'])} of its "
                f"items), {view.name(low['model'])} least ({scale.value(low['estimate'])})."
            )
    figure = figure_float(view, "decisiveness") if has_figure(view, "decisiveness") else ""
    return paragraph(text) + figure + _decision_table(view, rows)


def _decision_table(view: View, rows: pl.DataFrame) -> str:
    totals = rows.group_by("decision").agg(pl.col("count").sum(), pl.col("decisive").any())
    order = totals.sort(["decisive", "count", "decision"], descending=[True, True, False])[
        "decision"
    ].to_list()[:8]
    left_out = totals.height - len(order)
    models = list(view.results.names)
    if view.standings is not None:
        ranked = view.standings["model"].to_list()
        models = [*ranked, *(m for m in models if m not in ranked)]
    cells = []
    for model in models:
        own = rows.filter(pl.col("model") == model)
        if own.height == 0:
            continue
        rate = dict(own.select("decision", "rate").iter_rows())
        scale = scale_for("percent", [(0.0, 2 / max(int(own["n_items"][0]), 1) ** 0.5)])
        cell = {"model": view.name(model)}
        cell |= {f"d{i}": scale.bare(rate.get(d, 0.0)) for i, d in enumerate(order)}
        cells.append(cell)
    columns = [Column("model", "Model")]
    columns += [Column(f"d{i}", f"<code>{escape(d)}</code>, %", "right") for i, d in enumerate(order)]
    note = f"{count(left_out)} rarer decisions are in the table to download." if left_out else ""
    table = static_table("decisions-table", columns, cells, note=note)
    return table_float("tbl-decisions", table, "Share of items on which each decision was taken in any run.")
