"""Track by track: who leads, the tiers, what no model solves, who is worth the price."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.figure import figure_float, has_figure
from analysis.reporting.markup import block, escape
from analysis.reporting.numbers import Scale, count, listed, p_equals, plural
from analysis.reporting.static_table import folded
from analysis.reporting.view import View

MOST_TRACKS = 8
"""Where there are more tracks than this, the tables say it."""

Row = dict[str, Any]


def show(view: View) -> str:
    """Return a paragraph for each track; empty without tracks, or with too many of them."""
    tracks = view.results.tracks
    if not 1 < len(tracks) <= MOST_TRACKS:
        return ""
    items = "".join(f"<li>{sentences(view, track)}</li>" for track in tracks)
    head = "\n### Track by track {#by-track}\n"
    return head + block(f"<ul>{items}</ul>") + _figures(view)


def _figures(view: View) -> str:
    """Return the figures of single tracks, folded away; empty where there are none."""
    names = [n for n in view.figures if "_track_" in n and has_figure(view, n)]
    return folded("Figures of each track", "".join(figure_float(view, n) for n in names)) if names else ""


def sentences(view: View, track: str) -> str:
    """Return what the tables say of one track, as sentences."""
    table = view.results.standings(view.metric, track)
    if table is None:
        return f"<strong><bdi>{escape(track)}</bdi></strong>: no response is scored."
    scale = view.scale_of(view.metric, track)
    first = table.row(0, named=True)
    n = plural(int(table["n_items"].max()), "item")  # type: ignore[arg-type]
    limits = scale.interval(first["ci_low"], first["ci_high"])
    interval = "" if first["ci_low"] is None else f" ({view.ci} {limits})"
    parts = [
        f"<strong><bdi>{escape(track)}</bdi></strong> ({n}): {view.name(first['model'])} scores highest, "
        f"{scale.value(first['estimate'])}{interval}."
    ]
    parts += [_tiers(view, table), _boundary(view, track), _frontier(view, track)]
    return " ".join(filter(None, parts))


def _tiers(view: View, table: pl.DataFrame) -> str:
    """Return the tiers of a track, with the tests of neighbours between which one begins."""
    if table.height < 2 or table["tier"].null_count():
        return ""
    groups = table.group_by("tier", maintain_order=True).agg("model", "p_next").sort("tier")
    if groups.height == 1:
        return "Tests of neighbours find no step: there is one tier."
    named = []
    for tier, models, p_next in groups.iter_rows():
        text = view.names(models, most=8)
        if tier < groups.height and p_next[-1] is not None:
            text += f" ({escape(p_equals(p_next[-1], alpha=view.alpha))} against the next)"
        named.append(text)
    return f"{plural(groups.height, 'tier')}: {'; '.join(named)}."


def _boundary(view: View, track: str) -> str:
    rows = view.results.rows("count_distribution", track=track, basis="answered")
    if rows is None:
        return ""
    total, zero = int(rows["n_items"].sum()), int(rows.filter(pl.col("k") == 0)["n_items"].sum())
    share = Scale("percent", 1)
    if not zero:
        return f"Together the models solve all {count(total)} items." if total > 1 else ""
    return (
        f"Together the models solve {share.value(1 - zero / total)} of the items; none solves {count(zero)} "
        f"of {count(total)} ({share.value(zero / total)})."
    )


def _frontier(view: View, track: str) -> str:
    rows = view.results.rows("frontier", track=track, metric=view.metric)
    on = None if rows is None else rows.filter("on_frontier").sort("cost_per_response_usd", "model")
    if on is None or not on.height:
        return ""
    return f"On the cost frontier: {listed([view.name(m) for m in on['model']])}."
