"""`EpisodeData`: the clusters of one track as episodes, with what each model gets right in them.

An item that no model has a cell for asks for nothing. A model is known on an episode when it has a
cell on everything asked; under the policy `failure` asked but unscored cells are wrong, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.card_episodes import ALL_CORRECT
from analysis.config import BenchmarkCard, MissingPolicy
from analysis.matrix import VerdictMatrix
from analysis.stats.episodes import ClusterCounts, Outcomes, count_clusters, joint_outcomes
from analysis.stats.resampling import Resamples, child_generators
from analysis.tables.data import BenchmarkData


@dataclass(frozen=True)
class EpisodeData:
    """The episodes of a track.

    Parameters
    ----------
    track : str
        Track, or `all`.
    matrix : VerdictMatrix
        The track's cells of `correct`.
    components : tuple of str
        Components of the track's scored items, in code-point order.
    clusters : tuple of str
        The G clusters, in code-point order.
    codes : ndarray of int, shape (N,)
        Place of each item's cluster among them.
    counts : ClusterCounts
        Items, answers and right answers by component (items without one: the last part) and cluster.
    draws : Resamples
        The joint resamples of the clusters: those of `model_scores` for the track.
    scored : ndarray of bool, shape (N,)
        Items that any model has a cell for.
    endpoints : dict of str to tuple of str
        The track's endpoints and the components that each asks for; empty for everything.
    """

    track: str
    matrix: VerdictMatrix
    components: tuple[str, ...]
    clusters: tuple[str, ...]
    codes: npt.NDArray[np.int64]
    counts: ClusterCounts
    draws: Resamples
    scored: npt.NDArray[np.bool_]
    endpoints: dict[str, tuple[str, ...]]
    _outcomes: dict[str, Outcomes] = field(default_factory=dict, repr=False, compare=False)

    @property
    def models(self) -> tuple[str, ...]:
        """The track's models."""
        return self.matrix.models

    def outcomes(self, name: str) -> Outcomes:
        """Return the outcomes of an endpoint, or of a component by its name."""
        if name not in self._outcomes:
            parts = self.endpoints.get(name, (name,))
            at = [self.components.index(c) for c in parts] if parts else None
            self._outcomes[name] = joint_outcomes(self.counts, at)
        return self._outcomes[name]

    def has(self, name: str) -> bool:
        """Tell whether the track has an endpoint or a component of that name."""
        return name in self.endpoints or name in self.components

    def parts_of(self, endpoint: str) -> tuple[str, ...]:
        """Return the components an endpoint is composed of; empty where its parts are items."""
        if endpoint == ALL_CORRECT:
            return self.components if len(self.components) > 1 and not self.has_plain_items else ()
        asked = self.endpoints[endpoint]
        return asked if len(asked) > 1 else ()

    @property
    def has_plain_items(self) -> bool:
        """Whether some scored items have no component."""
        return bool(self.counts.n_items[len(self.components) :].any())


def episode_tracks(data: BenchmarkData) -> list[str]:
    """Return the tracks whose clusters are episodes: the card's, else every one and `all`."""
    declared = data.card.episodes.tracks
    return data.tracks if declared is None else [t for t in data.tracks if t in declared]


def lay_out_episodes(data: BenchmarkData, track: str) -> EpisodeData | None:
    """Lay the episodes of a track out.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables; the card declares the cluster.
    track : str
        Track, or `all`.

    Returns
    -------
    EpisodeData or None
        None where the card declares no cluster, or nothing of the track is scored.
    """
    if data.card.cluster is None:
        return None
    # Only whole clusters count, so `common_items` (fewer items in a cluster) is not for episodes.
    policy: MissingPolicy = "failure" if data.card.missing == "failure" else "exclude"
    matrix = data.track(track, "correct", policy)
    if not matrix.models or not matrix.has_cell.any() or matrix.clusters is None:
        return None
    has = matrix.has_cell
    scored = np.asarray(has.any(axis=0))
    names = matrix.items["component"].to_list()
    components = tuple(sorted({n for n, used in zip(names, scored, strict=True) if used and n is not None}))
    place = {name: i for i, name in enumerate(components)}
    parts = np.array([place.get(n, len(components)) for n in names], dtype=np.int64)
    codes = np.unique(matrix.clusters, return_inverse=True)[1].astype(np.int64)
    counts = count_clusters(
        matrix.solved(data.card.solved_at),
        has,
        codes,
        parts=parts,
        n_parts=len(components) + 1,
        scored=scored,
    )
    (weights_rng,) = child_generators(data.resampling_rng(track), 1)
    clusters = tuple(matrix.items[data.card.cluster].cast(pl.String).unique().sort())
    return EpisodeData(
        track,
        matrix,
        components,
        clusters,
        codes,
        counts,
        Resamples(weights_rng, len(clusters), data.settings.resamples),
        scored,
        endpoints_of(data.card, components),
    )


def endpoints_of(card: BenchmarkCard, components: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the endpoints that a track with these components has.

    Parameters
    ----------
    card : BenchmarkCard
        Declares joint endpoints.
    components : tuple of str
        Components of the track.

    Returns
    -------
    dict of str to tuple of str
        `all_correct`, `all_correct:<component>` and the declared ones, with the components that each
        asks for; empty for everything a cluster has.

    Examples
    --------
    >>> card = BenchmarkCard(episodes={"endpoints": {"image": {"all_of": ["path", "t"]}}})
    >>> endpoints_of(card, ("care", "path", "t"))["image"], list(endpoints_of(card, ("care",)))
    (('path', 't'), ['all_correct', 'all_correct:care'])
    """
    found: dict[str, tuple[str, ...]] = {ALL_CORRECT: ()}
    found |= {f"{ALL_CORRECT}:{component}": (component,) for component in components}
    for name, endpoint in card.episodes.endpoints.items():
        asked: list[str] = []
        for part in endpoint.all_of:
            asked += [part] if part in components else found.get(part, (part,))
        if all(part in components for part in asked):
            found[name] = tuple(dict.fromkeys(asked))
    return found


def construction_of(data: BenchmarkData, models: tuple[str, ...]) -> list[bool]:
    """Tell which models the card names as used in choosing the episodes."""
    return [m in data.card.episodes.construction_models for m in models]
