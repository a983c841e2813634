"""The collective boundary: how many models solve each item, what no model solves, what an ensemble covers."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.figure import figure_float
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, listed, plural, scale_for, span
from analysis.reporting.results import ALL
from analysis.reporting.sections import single_items
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent

Finding = tuple[str, str]


def counts(view: View) -> str:
    """Return the distribution of per-item correctness counts, in words, as a figure and by track."""
    results = view.results
    if results.table("count_distribution") is None:
        return absent(results.why_absent("count_distribution"))
    ways = single_items.unsolved(view) + single_items.divided(view)
    parts = [paragraph(zero_sentences(view)), ways, figure_float(view, "count_distribution")]
    if results.tracks:
        parts.append(_by_track(view))
    return "\n".join(parts)


def basis_rows(view: View, basis: str, track: str = ALL) -> pl.DataFrame | None:
    """Return the count distribution of a track on a basis, by k."""
    rows = view.results.rows("count_distribution", track=track, basis=basis)
    return None if rows is None else rows.sort("k")


def share_words(view: View, row: dict[str, Any]) -> str:
    """Return a share with its interval."""
    scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
    text = scale.value(row["share"])
    if row["ci_low"] is not None:
        text += f", {view.ci} {scale.interval(row['ci_low'], row['ci_high'])}"
    return text


def finding(view: View) -> Finding | None:
    """Return the share of items that no model solves, as a headline."""
    rows = basis_rows(view, "answered")
    if rows is None or _n_models(view) < 2:
        return None
    zero, n = _at(rows, 0), int(rows["n_items"].sum())
    more = _complete(view)
    if zero is None or zero["n_items"] == 0:
        which = "Every item" if n > 1 else "The only item"
        return f"{which} is solved by at least one model.", f"{more}"
    if zero["n_items"] == n:
        return (
            f"No model solves any of the {plural(n, 'item')}." if n > 1 else "No model solves the only item.",
            more,
        )
    lead = f"No model solves {count(zero['n_items'])} of {plural(n, 'item')} ({scale_share(zero)})."
    return lead, f"{_interval(view, zero)} {more}".strip()


def scale_share(row: dict[str, Any]) -> str:
    """Return a share alone, with the decimals that its interval supports."""
    return scale_for("percent", [(row["ci_low"], row["ci_high"])]).value(row["share"])


def _interval(view: View, row: dict[str, Any]) -> str:
    if row["ci_low"] is None:
        return ""
    scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
    return f"{view.ci} {scale.interval(row['ci_low'], row['ci_high'])}%."


def _complete(view: View) -> str:
    """Return the same share among the items that every model answered."""
    answered, complete = basis_rows(view, "answered"), basis_rows(view, "complete")
    if answered is None:
        return ""
    n, every = int(answered["n_items"].sum()), view.every
    if complete is None:
        return f"No item was answered by {every}, so part of this reflects who was asked what."
    n_complete = int(complete["n_items"].sum())
    if n_complete == n:
        return f"{every[0].upper()}{every[1:]} answered {'every item' if n > 1 else 'it'}."
    zero = _at(complete, 0)
    those = plural(n_complete, "item")
    if zero is None or zero["n_items"] == 0:
        return f"Of the {those} that {every} answered, none is left unsolved."
    return (
        f"Of the {those} that {every} answered, no model solves {count(zero['n_items'])} "
        f"({share_words(view, zero)})."
    )


def zero_sentences(view: View) -> str:
    """Return what no model solves and what all solve, on both bases, as sentences."""
    rows = basis_rows(view, "answered")
    if rows is None:
        return escape(view.results.why_absent("item_counts"))
    n, m = int(rows["n_items"].sum()), _n_models(view)
    if m == 1:
        return f"One model answered {plural(n, 'item')}. A collective boundary takes several models."
    zero, most = _at(rows, 0), _at(rows, m)
    if zero is None or zero["n_items"] == 0:
        each = f"Each of the {plural(n, 'item')}" if n > 1 else "The only item"
        text = f"{each} that any model answered is solved by at least one model."
    elif zero["n_items"] == n:
        text = (
            f"No model solves any of the {plural(n, 'item')}." if n > 1 else "No model solves the only item."
        )
    else:
        text = (
            f"Of the {plural(n, 'item')} that any model answered, no model solves "
            f"{count(zero['n_items'])} ({share_words(view, zero)})."
        )
    if most is not None and most["n_items"]:
        everyone = "Both models" if m == 2 else f"All {m} models"
        what = "every one" if most["n_items"] == n > 1 else "it" if n == 1 else count(most["n_items"])
        text += f" {everyone} solve {what} ({share_words(view, most)})."
    return f"{text} {_complete(view)}{_character(view)}"


def _character(view: View) -> str:
    """Return what the unsolved items have in common: all partial, or all at the worst verdict."""
    items = view.results.rows("item_counts", k=0)
    if items is None:
        return ""
    n = items.height
    parts: list[str] = []
    for column, words in (
        ("all_incorrect", "received only the worst verdict"),
        ("all_partial", "only partial ones"),
    ):
        found = int(items[column].sum())
        if found:
            words = words if parts or column == "all_incorrect" else "received only partial verdicts"
            parts.append(f"{'all' if found == n > 1 else 'it' if n == 1 else count(found)} {words}")
    few = items.filter(pl.col("n_models") == 1).height
    if few and _n_models(view) > 1:
        who = (
            "all were"
            if few == n > 1
            else "it was"
            if n == 1
            else f"{count(few)} {'was' if few == 1 else 'were'}"
        )
        parts.append(f"{who} answered by one model only")
    return f" Of the {plural(n, 'unsolved item')}, {listed(parts)}." if parts else ""


def _at(rows: pl.DataFrame, k: int) -> dict[str, Any] | None:
    found = rows.filter(pl.col("k") == k)
    return found.row(0, named=True) if found.height else None


def _n_models(view: View) -> int:
    rows = view.results.scores("correct")
    return 0 if rows is None else rows.height


def _by_track(view: View) -> str:
    rows = []
    for track in [*view.results.tracks, ALL]:
        cells = {"track": escape(track) if track != ALL else "<strong>all</strong>"}
        for basis in ("answered", "complete"):
            found = basis_rows(view, basis, track)
            zero = None if found is None else _at(found, 0)
            cells[f"{basis}_n"] = "0" if found is None else count(int(found["n_items"].sum()))
            if zero is None:
                cells[f"{basis}_zero"] = "\u2013" if found is None else "0"
                continue
            scale = scale_for("percent", [(zero["ci_low"], zero["ci_high"])])
            cells[f"{basis}_zero"] = count(zero["n_items"])
            cells[f"{basis}_share"] = (
                f"{scale.value(zero['share'])} "
                f'<span class="range">{scale.interval(zero["ci_low"], zero["ci_high"])}</span>'
            )
        rows.append(cells)
    columns = [Column("track", "Track")]
    for basis, head in (("answered", "Any model answered"), ("complete", "Every model answered")):
        columns += [
            Column(f"{basis}_n", "Items", "right", head),
            Column(f"{basis}_zero", "Unsolved", "right", head),
            Column(f"{basis}_share", f"Share, {view.ci}", "right", head),
        ]
    table = static_table("tbl-unsolved-table", columns, rows)
    return table_float("tbl-unsolved", table, "Items that no model solves, by track. Wilson intervals.")


def ensemble(view: View) -> str:
    """Return what an ensemble of models covers, in words and as a figure."""
    if view.results.table("coverage") is None:
        return absent(view.results.why_absent("coverage"))
    text = ensemble_sentences(view)
    return paragraph(text) + figure_float(view, "coverage")


def _greedy(view: View, basis: str = "answered") -> pl.DataFrame | None:
    rows = view.results.rows("coverage", track=ALL, basis=basis, method="greedy")
    return None if rows is None else rows.sort("step")


def ensemble_finding(view: View) -> Finding | None:
    """Return how far all models together reach beyond the best one, as a headline."""
    rows = _greedy(view)
    if rows is None or rows.height < 2 or rows["covered"][-1] == 0:
        return None
    together = "the two models" if rows.height == 2 else f"the {rows.height} models"
    ends = rows[[0, -1]]
    scale = scale_for("percent", ends.select("ci_low", "ci_high").iter_rows())
    alone, all_ = (scale.value(share) for share in ends["share"])
    if ends["covered"][0] == ends["covered"][1]:
        return f"Together {together} solve no item that {view.name(rows['model'][0])} does not.", ""
    return f"Together {together} solve {all_} of the items, the best alone {alone}.", _steps(view, rows)


def ensemble_sentences(view: View) -> str:
    """Return the coverage curve in words."""
    rows = _greedy(view)
    if rows is None:
        return escape(view.results.why_absent("coverage"))
    first, last = rows.row(0, named=True), rows.row(-1, named=True)
    if rows.height == 1:
        return "An ensemble takes several models, and only one was scored."
    if last["covered"] == 0:
        return "No model solves any item, so no ensemble covers any."
    together = "both models" if rows.height == 2 else f"all {rows.height} models"
    text = (
        f"An item is covered by an ensemble when at least one of its models solves it. "
        f"{view.name(first['model'])} covers most on its own ({share_words(view, first)}); "
        f"{together} together cover {share_words(view, last)}. {_steps(view, rows)}"
    )
    return f"{text} {_optimum(view)} {_unique(view)}".strip()


def _steps(view: View, rows: pl.DataFrame) -> str:
    """Return what the second model adds, and from where on nothing is added."""
    total = int(rows["covered"][-1])
    parts = []
    if rows["gained"][1]:
        gained = plural(int(rows["gained"][1]), "item")
        parts.append(
            f"Adding {view.name(rows['model'][1])} gains {gained}, the most that a second model can."
        )
    enough = int(rows.filter(pl.col("covered") == total)["step"].min())  # type: ignore[arg-type]
    if enough < rows.height:
        more = f"model{'s' if rows.height - enough != 1 else ''} {span(enough + 1, rows.height)}"
        parts.append(f"In this order {more} {'add' if rows.height - enough != 1 else 'adds'} nothing.")
    return " ".join(parts)


def _optimum(view: View) -> str:
    """Return where the greedy order falls short of the exact optimum."""
    greedy = _greedy(view)
    rows = view.results.rows("coverage", track=ALL, basis="answered", method="optimal")
    if greedy is None or rows is None:
        return ""
    best = rows.group_by("step").agg(pl.col("covered").max().alias("best")).sort("step")
    both = best.join(greedy.select("step", "covered"), on="step", how="inner")
    short = both.filter(pl.col("best") > pl.col("covered"))
    if short.height == 0:
        if "not proven optimal" in str(view.results.metadata("coverage").get("method", "")):
            return "No choice was found that covers more than the greedy order."
        return "The greedy order is optimal at every size that was solved exactly."
    worst = short.sort(pl.col("best") - pl.col("covered"), descending=True).row(0, named=True)
    gap = plural(worst["best"] - worst["covered"], "item")
    return (
        f"At {plural(short.height, 'size')} another choice covers more than the greedy order; the largest "
        f"gap is {gap}, with {plural(worst['step'], 'model')}."
    )


def _unique(view: View) -> str:
    rows = view.results.rows("unique_solves", track=ALL, basis="answered")
    if rows is None or rows.height < 2:
        return ""
    total = int(rows["n_unique"].sum())
    if total == 0:
        return "No item is solved by one model alone."
    top = rows.sort(["n_unique", "model"], descending=[True, False]).row(0, named=True)
    are = "item is" if total == 1 else "items are"
    if top["n_unique"] == total:
        whom = "it" if total == 1 else "all of them"
        return f"{count(total)} {are} solved by one model alone: {view.name(top['model'])} solves {whom}."
    alone = f"{count(total)} {are} solved by one model alone"
    if rows.filter(pl.col("n_unique") == top["n_unique"]).height > 1:
        return f"{alone}, no more than {count(top['n_unique'])} by any one model."
    return f"{alone}; {view.name(top['model'])} has most of these, {count(top['n_unique'])}."
