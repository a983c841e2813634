"""`episodes`, `episode_states` and `episode_nested`: joint correctness over whole clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from analysis.schemas import EpisodeNested, Episodes, EpisodeStates
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.episodes import Outcomes, joint_states
from analysis.stats.proportions import clopper_pearson_interval, wilson_interval
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame
from analysis.tables.episode_data import EpisodeData, construction_of, episode_tracks, lay_out_episodes
from analysis.tables.episode_depth import follow_depth
from analysis.tables.episode_groups import group_episodes

MAX_STATES = 5
"""Components whose joint states are counted without the card asking for them."""

NONE = "none"
"""The state in which nothing is right."""


def derive(data: BenchmarkData) -> Made:
    """Make the tables on episodes."""
    found = [lay_out_episodes(data, track) for track in episode_tracks(data)]
    views = [view for view in found if view is not None]
    shares = "Episodes are independent of each other: exact binomial and Wilson intervals of their share"
    unit = data.card.cluster or "no cluster declared"
    boot = f"{shares}; cluster bootstrap ({unit}), {data.settings.resamples:,} resamples"
    return {
        "episodes": (succeed_jointly(data, views), boot),
        "episode_states": (count_states(data, views), f"Exact counts; {shares} (Wilson)"),
        "episode_nested": (nest_requirements(data, views), f"Exact counts; {shares} (Wilson)"),
        "episode_depth": (
            follow_depth(data, views),
            "Wilson intervals of shares of episodes; Kaplan-Meier with Greenwood's variance, log-log",
        ),
        "episode_groups": (
            group_episodes(data, views),
            "Wilson intervals of shares of episodes; cluster bootstrap of item accuracy",
        ),
    }


def succeed_jointly(data: BenchmarkData, views: list[EpisodeData]) -> pl.DataFrame:
    """Estimate how often each model is right on whole episodes, by every endpoint.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.
    views : list of EpisodeData
        The episodes of each track.

    Returns
    -------
    pl.DataFrame
        Rows of the `Episodes` schema, one per interval method; none for a model that is known on no
        episode.
    """
    parts: list[pl.DataFrame] = [Episodes.create_empty()]
    for view in views:
        for endpoint in view.endpoints:
            parts.append(_endpoint_rows(data, view, endpoint, view.outcomes(endpoint)))
    return pl.concat(parts)


def _endpoint_rows(data: BenchmarkData, view: EpisodeData, endpoint: str, outcomes: Outcomes) -> pl.DataFrame:
    keep = np.flatnonzero(outcomes.n_known)
    if not keep.size:
        return Episodes.create_empty()
    outcomes = outcomes.of(keep.tolist())
    models = tuple(view.models[i] for i in keep.tolist())
    n, hits, level = outcomes.n_known, outcomes.n_success, data.settings.level
    share = hits / n
    boot = bootstrap_means(
        outcomes.success.astype(np.int8),
        observed=outcomes.known,
        rng=data.resampling_rng(view.track),
        n_resamples=data.settings.resamples,
    ).interval(level)
    exact, wilson = (f(hits, n, level=level) for f in (clopper_pearson_interval, wilson_interval))
    limits = {
        "clopper_pearson": (exact.low, exact.high),
        "wilson": (wilson.low, wilson.high),
        "cluster_bootstrap": (boot.ci_low, boot.ci_high),
    }
    has_items = outcomes.n_items > 0
    columns: dict[str, Any] = {
        "track": view.track,
        "model": list(models),
        "endpoint": endpoint,
        "rank": ranks_of(rank_order(share)),
        "n_clusters": n,
        "n_success": hits,
        "share": share,
        "level": level,
        "n_incomplete": np.count_nonzero(outcomes.has_parts & ~outcomes.known, axis=1),
        "n_without": int(np.count_nonzero(has_items & ~outcomes.has_parts)),
        "n_items": (outcomes.known * outcomes.n_items).sum(axis=1),
        "construction": construction_of(data, models),
    }
    return pl.concat(
        table_frame(Episodes, {**columns, "method": method, "ci_low": low, "ci_high": high}, len(models))
        for method, (low, high) in limits.items()
    )


def states_of(data: BenchmarkData, view: EpisodeData) -> tuple[str, ...]:
    """Return the components or endpoints whose joint states a track has, the card's first."""
    declared = tuple(name for name in data.card.episodes.states if view.has(name))
    if len(declared) >= 2:
        return declared
    return view.components if 2 <= len(view.components) <= MAX_STATES else ()


def state_names(names: tuple[str, ...]) -> list[str]:
    """Return a name for each of the joint states of some parts, by number: bit k is part k.

    Examples
    --------
    >>> state_names(("care", "image"))
    ['none', 'care', 'image', 'care + image']
    >>> state_names(("none", "a"))
    ['-', '[none]', '[a]', '[none] + [a]']
    """
    held = [[n for k, n in enumerate(names) if state >> k & 1] for state in range(2 ** len(names))]
    plain = [" + ".join(holds) or NONE for holds in held]
    if len(set(plain)) == len(plain):
        return plain
    # Parts named like a state of others are told apart by brackets.
    return [" + ".join(f"[{n}]" for n in holds) or "-" for holds in held]


def count_states(data: BenchmarkData, views: list[EpisodeData]) -> pl.DataFrame:
    """Count the episodes in each joint state of the declared components or endpoints.

    Returns
    -------
    pl.DataFrame
        Rows of the `EpisodeStates` schema: every state of every model, those with no episode too.
    """
    parts: list[pl.DataFrame] = [EpisodeStates.create_empty()]
    for view in views:
        names = states_of(data, view)
        if not names:
            continue
        counts, total = joint_states([view.outcomes(name) for name in names])
        titles = state_names(names)
        known = np.flatnonzero(total)
        for state in range(counts.shape[1]):
            holds = [name for k, name in enumerate(names) if state >> k & 1]
            hits, n = counts[known, state], total[known]
            limits = wilson_interval(hits, n, level=data.settings.level)
            columns = {
                "track": view.track,
                "model": [view.models[i] for i in known.tolist()],
                "state": titles[state],
                "holds": [holds] * known.size,
                "fails": [[name for name in names if name not in holds]] * known.size,
                "n_clusters": hits,
                "n_total": n,
                "share": hits / n,
                "ci_low": limits.low,
                "ci_high": limits.high,
            }
            parts.append(table_frame(EpisodeStates, columns, known.size))
    return pl.concat(parts)


def nest_requirements(data: BenchmarkData, views: list[EpisodeData]) -> pl.DataFrame:
    """Count the episodes that meet the first requirement, the first two, and so on.

    Returns
    -------
    pl.DataFrame
        Rows of the `EpisodeNested` schema, in the tracks that have every requirement; all steps of a
        model are over the same episodes.
    """
    parts: list[pl.DataFrame] = [EpisodeNested.create_empty()]
    names = data.card.episodes.nested
    for view in views:
        if not names or not all(view.has(name) for name in names):
            continue
        outcomes = [view.outcomes(name) for name in names]
        known = np.logical_and.reduce([o.known for o in outcomes])
        met, n = known, known.sum(axis=1)
        keep = np.flatnonzero(n)
        before = n
        for step, (name, outcome) in enumerate(zip(names, outcomes, strict=True), start=1):
            met = met & outcome.success
            hits = met.sum(axis=1)
            limits = wilson_interval(hits[keep], n[keep], level=data.settings.level)
            with np.errstate(invalid="ignore"):
                kept = hits[keep] / before[keep]
            columns = {
                "track": view.track,
                "model": [view.models[i] for i in keep.tolist()],
                "step": step,
                "requirement": name,
                "n_clusters": n[keep],
                "n_success": hits[keep],
                "share": hits[keep] / n[keep],
                "ci_low": limits.low,
                "ci_high": limits.high,
                "kept": kept,
            }
            parts.append(table_frame(EpisodeNested, columns, keep.size))
            before = hits
    return pl.concat(parts)
