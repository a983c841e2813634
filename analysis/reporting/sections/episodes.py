"""Whole episodes: right item by item against right together, joint states, depth and groups."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.card_episodes import ALL_CORRECT
from analysis.figures.episode_select import main_endpoint, tracks_shown
from analysis.reporting.detail import detail
from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, count, plural, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.sections.episode_words import construction_words, panels_of, sentence, words_of
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

GAPS = ("gap_accuracy", "gap_independent", "gap_weakest")


def show(view: View) -> str:
    """Return the composition gap in words, as a figure and as a table, then states, depth and groups."""
    results = view.results
    if not results.card.cluster:
        return absent("The card declares no cluster.")
    if results.table("episodes") is None:
        return absent(results.why_absent("episodes"))
    panels = panels_of(view)
    if not panels:
        return absent("No cluster has more than one scored item: whole clusters are single items.")
    parts = [paragraph(sentence(view, *panel)) for panel in panels]
    words = construction_words(view)
    parts += [paragraph(words, css="note")] if words else []
    parts += [figure_float(view, "composition_gap"), _gaps(view, panels), _pairs(view, panels)]
    parts.append(_endpoints(view))
    for name, head in (("episode_states", "Joint states"), ("episode_depth", "Depth")):
        if has_figure(view, name):
            parts.append(f"\n### {head} {{#{name.replace('_', '-')}}}\n")
            parts.append(figure_float(view, name))
    return "\n".join(p for p in [*parts, _nested(view), _groups(view)] if p)


def _gaps(view: View, panels: list[tuple[str, str, pl.DataFrame]]) -> str:
    over = "Joint success, points against"
    columns = [
        Column("model", "Model"),
        Column("n", "Episodes", "right"),
        Column("items", "Items right, %", "right"),
        Column("macro", "By cluster, %", "right"),
        Column("joint", "Joint, %", "right"),
        Column("accuracy", "items", "right", over),
        Column("independent", "independence", "right", over),
        Column("weakest", "weakest part", "right", over),
        Column("part", "Weakest part"),
    ]
    cells = []
    for track, endpoint, part in panels:
        head = words_of(endpoint) if track == ALL else f"<bdi>{escape(track)}</bdi>: {words_of(endpoint)}"
        scales = {name: _scale(part, name) for name in GAPS}
        macro = view.results.scores("cluster_macro", track)
        by_cluster = {} if macro is None else dict(macro.select("model", "estimate").iter_rows())
        for row in part.sort("construction", maintain_order=True).iter_rows(named=True):
            weakest = row["weakest_part"]
            cells.append(
                {
                    "group": head,
                    "model": view.name(row["model"]) + (" †" if row["construction"] else ""),
                    "n": count(row["n_clusters"]),
                    "items": _percent(row["item_accuracy"]),
                    "macro": _percent(by_cluster.get(row["model"])),
                    "joint": _percent(row["joint"]),
                    "accuracy": _gap(row, "gap_accuracy", scales),
                    "independent": _gap(row, "gap_independent", scales),
                    "weakest": _gap(row, "gap_weakest", scales),
                    "part": "–" if weakest is None else f"<bdi>{escape(weakest)}</bdi>",
                }
            )
    note = "† used in choosing the episodes." if any("†" in c["model"] for c in cells) else ""
    return detail(
        view,
        "composition_gap",
        columns,
        cells,
        summary="Composition gap, by model",
        caption="Right items, every item counted once and every cluster counted once (over all of a model’s "
        "items). Joint success less the share of right items, less the product of the parts’ shares, and "
        f"less the weakest part’s share, with {view.ci} (cluster bootstrap).",
        note=note,
        groups="group",
    )


def _pairs(view: View, panels: list[tuple[str, str, pl.DataFrame]]) -> str:
    """Return how the model with the highest joint success compares with every other one."""
    columns = [
        Column("model", "Against"),
        Column("n", "Episodes of both", "right"),
        Column("joint", "Joint success, points", "right"),
        Column("gap_accuracy", "Gap to items, points", "right"),
        Column("gap_independent", "Gap to independence, points", "right"),
    ]
    cells = []
    for track, endpoint, part in panels:
        first = part["model"][0]
        rows = view.results.rows("composition_gap_pairs", track=track, endpoint=endpoint, model_a=first)
        if rows is None:
            continue
        found = {(r["model_b"], r["statistic"]): r for r in rows.iter_rows(named=True)}
        where = "" if track == ALL else f"<bdi>{escape(track)}</bdi>, {words_of(endpoint)}: "
        for model in [m for m in part["model"] if (m, "joint") in found]:
            cell = {"group": f"{where}{view.name(first)} less", "model": view.name(model)}
            cell["n"] = count(found[model, "joint"]["n_clusters"])
            for column in columns[2:]:
                row = found[model, column.key]
                limits = scale_for("percent", [(row["ci_low"], row["ci_high"])])
                span = limits.difference_interval(row["ci_low"], row["ci_high"])
                shown = scale_for("percent", []).difference(row["difference"])
                cell[column.key] = shown + ("" if row["ci_low"] is None else f" {muted_range(span)}")
            cells.append(cell)
    return detail(
        view,
        "composition_gap_pairs",
        columns,
        cells,
        summary="The best model on whole episodes against the others",
        caption=f"Differences on the episodes of both models and on the same resamples, with {view.ci}; all "
        "pairs are in the table to download.",
        groups="group",
    )


def _endpoints(view: View) -> str:
    """Return every endpoint of the tracks shown: successes, exact and bootstrap intervals."""
    frame = view.results.table("episodes")
    if frame is None:
        return ""
    wanted = tracks_shown(frame, view.results.card)
    columns = [
        Column("model", "Model"),
        Column("right", "Right of all", "right"),
        Column("share", "Share, %", "right"),
        Column("exact", "Exact binomial"),
        Column("wilson", "Wilson"),
        Column("boot", "Cluster bootstrap"),
        Column("out", "Left out", "right"),
    ]
    cells = []
    keys = frame.select("track", "endpoint").unique(maintain_order=True).filter(pl.col("track").is_in(wanted))
    for track, endpoint in sorted(keys.iter_rows(), key=lambda k: wanted.index(k[0])):
        rows = frame.filter(pl.col("track") == track, pl.col("endpoint") == endpoint)
        found = {(r["model"], r["method"]): r for r in rows.iter_rows(named=True)}
        for model in rows.sort("construction", "rank")["model"].unique(maintain_order=True):
            row = found[model, "clopper_pearson"]
            left_out = row["n_incomplete"] + row["n_without"]
            head = words_of(endpoint) if track == ALL else f"<bdi>{escape(track)}</bdi>: {words_of(endpoint)}"
            cells.append(
                {
                    "group": head,
                    "model": view.name(model) + (" †" if row["construction"] else ""),
                    "right": f"{count(row['n_success'])} of {count(row['n_clusters'])}",
                    "share": _percent(row["share"]),
                    "exact": _interval(row),
                    "wilson": _interval(found[model, "wilson"]),
                    "boot": _interval(found[model, "cluster_bootstrap"]),
                    "out": count(left_out),
                }
            )
    return detail(
        view,
        "episodes",
        columns,
        cells,
        summary="Every endpoint, with its intervals",
        caption=f"Episodes with everything right that an endpoint asks for, with {view.ci} by three methods. "
        "Left out: episodes with an item that the model has no score on, or without an item of a component.",
        groups="group",
    )


def _nested(view: View) -> str:
    frame = view.results.table("episode_nested")
    if frame is None:
        return ""
    track = frame["track"][0]
    rows = frame.filter(pl.col("track") == track)
    steps = rows.select("step", "requirement").unique(maintain_order=True).sort("step").rows()
    columns = [Column("model", "Model")]
    for step, requirement in steps:
        plus = "" if step == 1 else "+ "
        columns.append(Column(f"s{step}", f"{plus}<bdi>{escape(requirement)}</bdi>, %", "right"))
    found = {(r["model"], r["step"]): r for r in rows.iter_rows(named=True)}
    last = steps[-1][0]
    order = rows.filter(pl.col("step") == last).sort(
        [pl.col("share").round(12), "model"], descending=[True, False]
    )
    cells = [
        {"model": view.name(m)}
        | {
            f"s{s}": f"{_percent(found[m, s]['share'])} {muted_range(_interval(found[m, s]))}"
            for s, _ in steps
        }
        for m in order["model"]
    ]
    where = "" if track == ALL else f" ({escape(track)})"
    return detail(
        view,
        "episode_nested",
        columns,
        cells,
        summary=f"How each further requirement narrows the episodes{where}",
        caption="Share of the same episodes in which every requirement up to the column is met; "
        "Wilson intervals.",
    )


def _groups(view: View) -> str:
    frame = view.results.table("episode_groups")
    if frame is None:
        return ""
    tracks = tracks_shown(frame, view.results.card)
    cells: list[dict[str, str]] = []
    names: list[str] = []
    for track in tracks:
        rows = frame.filter(pl.col("track") == track)
        endpoints = rows["endpoint"].unique(maintain_order=True).to_list()
        main = main_endpoint(rows, track, view.results.card)
        wanted = [
            e for e in endpoints if e.startswith("accuracy") or e == main or e.startswith(f"{ALL_CORRECT}:")
        ]
        for stratum, value in (
            rows.select("stratum", "value").unique(maintain_order=True).sort("stratum", "value").iter_rows()
        ):
            part = rows.filter(pl.col("stratum") == stratum, pl.col("value") == value)
            found = {(r["model"], r["endpoint"]): r for r in part.iter_rows(named=True)}
            n = max(part["n_clusters"].to_list())
            head = f"<bdi>{escape(track)}</bdi>, {escape(stratum)}: <bdi>{escape(value)}</bdi>"
            for model in sorted({m for m, _ in found}):
                cell = {"group": f"{head} ({plural(n, 'episode')})", "model": view.name(model)}
                for i, endpoint in enumerate(wanted):
                    row = found.get((model, endpoint))
                    cell[f"e{i}"] = "–" if row is None else _percent(row["share"])
                cells.append(cell)
        names = wanted or names
    columns = [Column("model", "Model")]
    columns += [Column(f"e{i}", f"{_head(e)}, %", "right") for i, e in enumerate(names)]
    return detail(
        view,
        "episode_groups",
        columns,
        cells,
        summary="Episodes by group",
        caption="Share of right items (accuracy) and of right episodes within each group.",
        groups="group",
    )


def _head(endpoint: str) -> str:
    if endpoint.startswith("accuracy"):
        name = endpoint.partition(":")[2]
        return f"<bdi>{escape(name)}</bdi> items" if name else "Items"
    return words_of(endpoint)


def _percent(share: float | None) -> str:
    return scale_for("percent", []).bare(share)


def _interval(row: dict[str, Any]) -> str:
    if row["ci_low"] is None:
        return "–"
    return scale_for("percent", [(row["ci_low"], row["ci_high"])]).interval(row["ci_low"], row["ci_high"])


def _scale(part: pl.DataFrame, name: str) -> Scale:
    return scale_for("percent", part.select(f"{name}_low", f"{name}_high").iter_rows())


def _gap(row: dict[str, Any], name: str, scales: dict[str, Scale]) -> str:
    if row[name] is None:
        return "–"
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    limits = "" if low is None else f" {muted_range(scales[name].difference_interval(low, high))}"
    return f"{scale_for('percent', []).difference(row[name])}{limits}"
