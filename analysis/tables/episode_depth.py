"""`episode_depth`: success by the number of decisions, and success up to each turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.card_episodes import ALL_CORRECT
from analysis.schemas import EpisodeDepth
from analysis.stats.proportions import wilson_interval
from analysis.stats.survival import NEVER, turn_curve
from analysis.tables.data import BenchmarkData, table_frame
from analysis.tables.episode_data import EpisodeData


def follow_depth(data: BenchmarkData, views: list[EpisodeData]) -> pl.DataFrame:
    """Break episodes down by their number of decisions, and follow them turn by turn.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.
    views : list of EpisodeData
        The episodes of each track.

    Returns
    -------
    pl.DataFrame
        Rows of the `EpisodeDepth` schema; kind `turn` for the tracks whose decisions have positions.
    """
    parts: list[pl.DataFrame] = [EpisodeDepth.create_empty()]
    for view in views:
        decisions, hits = decisions_of(data, view)
        parts += [_by_decisions(data, view, name, decisions, hits) for name in view.endpoints]
        turns = lay_out_turns(data, view)
        if turns is not None:
            parts.append(_by_turn(data, view, turns))
    return pl.concat(parts)


def decisions_of(
    data: BenchmarkData, view: EpisodeData
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of decisions of each cluster, shape (G,), and those each model has right, (M, G)."""
    depth = data.card.episodes.depth
    outcomes = view.outcomes(depth if depth in view.components else ALL_CORRECT)
    return outcomes.n_items, outcomes.n_right


def _by_decisions(
    data: BenchmarkData,
    view: EpisodeData,
    endpoint: str,
    decisions: npt.NDArray[np.int64],
    hits: npt.NDArray[np.int64],
) -> pl.DataFrame:
    outcomes = view.outcomes(endpoint)
    parts: list[pl.DataFrame] = [EpisodeDepth.create_empty()]
    for depth in np.unique(decisions[decisions > 0]).tolist():
        known = outcomes.known & (decisions == depth)
        n, right = known.sum(axis=1), (outcomes.success & known).sum(axis=1)
        keep = np.flatnonzero(n)
        limits = wilson_interval(right[keep], n[keep], level=data.settings.level)
        columns = {
            "track": view.track,
            "endpoint": endpoint,
            "kind": "decisions",
            "step": depth,
            "model": [view.models[i] for i in keep.tolist()],
            "n_clusters": n[keep],
            "n_items": n[keep] * depth,
            "n_success": right[keep],
            "share": right[keep] / n[keep],
            "ci_low": limits.low,
            "ci_high": limits.high,
            "item_accuracy": (hits * known).sum(axis=1)[keep] / (n[keep] * depth),
            **dict.fromkeys(("n_at_risk", "n_failed", "survival", "survival_low", "survival_high")),
        }
        parts.append(table_frame(EpisodeDepth, columns, keep.size))
    return pl.concat(parts)


@dataclass(frozen=True)
class Turns:
    """The decisions of a track in the order of their positions.

    Parameters
    ----------
    endpoint : str
        What is followed: the decisions' component, or everything.
    cluster, turn : ndarray of int, shape (S,)
        Cluster and turn (from 1, in the order of positions, without holes) of each step.
    n_items : ndarray of int, shape (S,)
        Items of the step: those that share a position are one step.
    n_right, n_answered : ndarray of int, shape (M, S)
        Of those, right and answered.
    n_unplaced : int
        Clusters left out because an item of theirs has no position.
    """

    endpoint: str
    cluster: npt.NDArray[np.int64]
    turn: npt.NDArray[np.int64]
    n_items: npt.NDArray[np.int64]
    n_right: npt.NDArray[np.int64]
    n_answered: npt.NDArray[np.int64]
    n_unplaced: int


def lay_out_turns(data: BenchmarkData, view: EpisodeData) -> Turns | None:
    """Lay the scored decisions of a track out by turn, or return None where they have no positions."""
    depth = data.card.episodes.depth
    component = depth if depth in view.components else None
    matrix = view.matrix
    use = view.scored.copy()
    if component is not None:
        use &= (matrix.items["component"] == component).fill_null(False).to_numpy()
    position = matrix.items["position"].cast(pl.Float64).to_numpy()
    clusters = view.codes
    unplaced = np.unique(clusters[use & np.isnan(position)])
    use &= ~np.isin(clusters, unplaced)
    at = np.flatnonzero(use)
    # A single turn everywhere is no course of events.
    if not at.size or not np.any(np.diff(np.sort(clusters[at])) == 0):
        return None
    order = at[np.lexsort((position[at], clusters[at]))]
    new_cluster = np.r_[True, clusters[order][1:] != clusters[order][:-1]]
    new_step = new_cluster | np.r_[True, position[order][1:] != position[order][:-1]]
    starts = np.flatnonzero(new_step)
    if np.all(new_cluster[starts]):
        return None
    step_number = np.cumsum(new_step) - 1
    of_cluster = np.cumsum(new_cluster[starts]) - 1
    first = np.flatnonzero(new_cluster[starts])
    turn = np.arange(starts.size) - first[of_cluster] + 1
    right = matrix.solved(data.card.solved_at)[:, order]
    return Turns(
        ALL_CORRECT if component is None else f"{ALL_CORRECT}:{component}",
        of_cluster,
        turn.astype(np.int64),
        np.bincount(step_number),
        np.add.reduceat(right, starts, axis=1, dtype=np.int64),
        np.add.reduceat(matrix.has_cell[:, order], starts, axis=1, dtype=np.int64),
        int(unplaced.size),
    )


def _by_turn(data: BenchmarkData, view: EpisodeData, turns: Turns) -> pl.DataFrame:
    parts: list[pl.DataFrame] = [EpisodeDepth.create_empty()]
    n_clusters = int(turns.cluster.max()) + 1
    length = np.bincount(turns.cluster, minlength=n_clusters)
    n_turns = int(length.max())
    level = data.settings.level
    for m, model in enumerate(view.models):
        unknown = turns.n_answered[m] < turns.n_items
        known = np.bincount(turns.cluster, weights=unknown, minlength=n_clusters) == 0
        if not known.any():
            continue
        first_wrong = np.full(n_clusters, NEVER, dtype=np.int64)
        wrong = turns.n_right[m] < turns.n_items
        np.minimum.at(first_wrong, turns.cluster[wrong], turns.turn[wrong])
        reached = int(length[known].max())
        curve = turn_curve(first_wrong[known], length[known], min(n_turns, reached), level=level)
        kept = known[turns.cluster]
        items = np.bincount(turns.turn[kept], weights=turns.n_items[kept], minlength=reached + 1)[1:]
        hits = np.bincount(turns.turn[kept], weights=turns.n_right[m, kept], minlength=reached + 1)[1:]
        limits = wilson_interval(curve.n_right, curve.n_episodes, level=level)
        columns = {
            "track": view.track,
            "endpoint": turns.endpoint,
            "kind": "turn",
            "step": np.arange(1, reached + 1),
            "model": model,
            "n_clusters": curve.n_episodes,
            "n_items": np.cumsum(items).astype(np.int64),
            "n_success": curve.n_right,
            "share": curve.n_right / curve.n_episodes,
            "ci_low": limits.low,
            "ci_high": limits.high,
            "item_accuracy": hits / items,
            "n_at_risk": curve.n_at_risk,
            "n_failed": curve.n_failed,
            "survival": curve.survival,
            "survival_low": curve.survival_low,
            "survival_high": curve.survival_high,
        }
        parts.append(table_frame(EpisodeDepth, columns, reached))
    return pl.concat(parts)
