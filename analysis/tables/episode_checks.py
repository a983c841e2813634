"""Checks of what episodes rest on: clusters of one item, missing components, turns and controls."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from analysis.card_episodes import ALL_CORRECT
from analysis.tables.data import BenchmarkData
from analysis.tables.episode_data import EpisodeData, episode_tracks, lay_out_episodes
from analysis.tables.paired_controls import lay_out_control
from analysis.tables.quality_checks import Finding, Status, found


def episode_findings(data: BenchmarkData) -> Iterator[Finding]:
    """Check clusters, components, positions and controls; nothing where no cluster is declared."""
    if data.card.cluster is not None:
        for track in episode_tracks(data):
            view = lay_out_episodes(data, track)
            if view is not None:
                yield from _clusters(view)
                yield from _positions(data, view)
    for name in data.card.controls:
        yield from _control(data, name)


def _of(view: EpisodeData) -> str:
    return "" if view.track == "all" else f" of track {view.track}"


def _clusters(view: EpisodeData) -> Iterator[Finding]:
    items = view.counts.n_items.sum(axis=0)
    scored = items > 0
    total, single = int(scored.sum()), int((items == 1).sum())
    note = f"{single:,} of {total:,} clusters{_of(view)} have one scored item: nothing is joint about them."
    yield Finding("clusters_of_one_item", view.track, single, total, found(single, "note"), note)
    if len(view.components) > 1:
        lacking = (view.counts.n_items[: len(view.components)] == 0).any(axis=0) & scored
        n = int(lacking.sum())
        note = f"Every cluster{_of(view)} has an item of every component."
        if n:
            note = f"{n:,} of {total:,} clusters{_of(view)} lack an item of some component, and leave the "
            note += "endpoints that ask for it."
        yield Finding("clusters_without_component", view.track, n, total, found(n, "attention"), note)
    outcomes = view.outcomes(ALL_CORRECT)
    cells, every = int((outcomes.has_parts & ~outcomes.known).sum()), len(view.models) * total
    note = f"Every model has a score on every item of every cluster{_of(view)}."
    if cells:
        note = f"{cells:,} of {every:,} episodes (a model on a cluster){_of(view)} miss a score on some item "
        note += "and are left out."
    yield Finding("incomplete_episodes", view.track, cells, every, found(cells, "attention"), note)


def _positions(data: BenchmarkData, view: EpisodeData) -> Iterator[Finding]:
    depth = data.card.episodes.depth
    items = view.matrix.items.select("position", "component").with_columns(pl.Series("cluster", view.codes))
    items = items.filter(pl.Series(view.scored))
    if depth in view.components:
        items = items.filter(pl.col("component") == depth)
    if items["position"].null_count() == items.height:
        return
    per = items.group_by("cluster").agg(
        pl.col("position").null_count().alias("unplaced"),
        pl.col("position").drop_nulls().is_duplicated().any().alias("shared"),
        (pl.col("position").max() - pl.col("position").min() + 1 > pl.col("position").n_unique()).alias(
            "holes"
        ),
    )
    counts: tuple[tuple[str, pl.Expr, str, Status], ...] = (
        (
            "positions_unplaced",
            pl.col("unplaced") > 0,
            "lack a position on some item and leave the curve by turn",
            "attention",
        ),
        ("positions_shared", pl.col("shared"), "have items at one position, which count as one turn", "note"),
        ("positions_holes", pl.col("holes"), "have holes between positions; turns count in order", "note"),
    )
    for check, where, what, status in counts:
        n = per.filter(where.fill_null(False)).height
        if n:
            note = f"{n:,} of {per.height:,} clusters{_of(view)} {what}."
            yield Finding(check, view.track, n, per.height, status, note)


def _control(data: BenchmarkData, name: str) -> Iterator[Finding]:
    n_alone = n_all = 0
    one_sided = []
    for conditions in lay_out_control(data, name):
        has = conditions.values == conditions.values
        both, either = has.all(axis=0).sum(), has.any(axis=0).sum()
        n_alone += int(either - both) + conditions.n_alone
        n_all += int(either) + conditions.n_alone
        if not both:
            one_sided.append(conditions.model)
    note = f"{n_alone:,} of {n_all:,} answers in the control {name} have no answer under the other condition."
    if not n_alone:
        note = f"Every answer in the control {name} has one under the other condition."
    yield Finding("unpaired_answers", name, n_alone, n_all, found(n_alone, "note"), note)
    if one_sided:
        shown = ", ".join(one_sided[:3])
        note = f"Under one condition of the control {name} only, and not compared: {shown}."
        yield Finding("one_condition_only", name, len(one_sided), len(one_sided), "attention", note)
