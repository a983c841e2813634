"""`composition_gap` and `composition_gap_pairs`: joint success against what its parts let expect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from analysis.schemas import CompositionGap, CompositionGapPairs
from analysis.stats.composition import (
    GAPS,
    CompositionGaps,
    composition_gaps,
    gap_differences,
)
from analysis.stats.episodes import Outcomes
from analysis.tables.data import BenchmarkData, Made, rank_order, table_frame
from analysis.tables.episode_data import EpisodeData, construction_of, episode_tracks, lay_out_episodes

COMPARED = ("joint", *GAPS)
"""Statistics that are compared between models."""


def derive(data: BenchmarkData) -> Made:
    """Make `composition_gap` and `composition_gap_pairs`."""
    found = [lay_out_episodes(data, track) for track in episode_tracks(data)]
    gaps = [gap for view in found if view is not None for gap in measure_gaps(view)]
    unit = data.card.cluster or "no cluster declared"
    method = f"Cluster bootstrap ({unit}), {data.settings.resamples:,} resamples, one draw"
    return {
        "composition_gap": (gap_table(data, gaps), method),
        "composition_gap_pairs": (compare_gaps(data, gaps), f"{method}; over the episodes of both models"),
    }


@dataclass(frozen=True)
class Gap:
    """The composition gap of one endpoint in one track.

    Parameters
    ----------
    view : EpisodeData
        The track's episodes, with the models that have any.
    endpoint : str
        Endpoint.
    models : tuple of str
        Models with an episode.
    names : tuple of str
        Its parts; empty where they are items.
    joint, parts : Outcomes, tuple of Outcomes
        Success in everything and in each part, of those models.
    gaps : CompositionGaps
        What comes of them.
    """

    view: EpisodeData
    endpoint: str
    models: tuple[str, ...]
    names: tuple[str, ...]
    joint: Outcomes
    parts: tuple[Outcomes, ...]
    gaps: CompositionGaps


def measure_gaps(view: EpisodeData) -> Iterator[Gap]:
    """Yield the composition gap of every endpoint of a track that joins more than one answer."""
    for endpoint in view.endpoints:
        names = view.parts_of(endpoint)
        joint, parts = view.outcomes(endpoint), [view.outcomes(name) for name in names]
        known = np.logical_and.reduce([joint.known, *(p.known for p in parts)])
        if not np.any(joint.n_items[known.any(axis=0)] > 1):
            continue
        keep = np.flatnonzero(known.any(axis=1)).tolist()
        joint = joint.among(known).of(keep)
        parts = [part.among(known).of(keep) for part in parts]
        models = tuple(view.models[i] for i in keep)
        gaps = composition_gaps(joint, parts, view.draws)
        yield Gap(view, endpoint, models, names, joint, tuple(parts), gaps)


def gap_table(data: BenchmarkData, gaps: list[Gap]) -> pl.DataFrame:
    """Lay the composition gaps out.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.
    gaps : list of Gap
        What `measure_gaps` yields for every track.

    Returns
    -------
    pl.DataFrame
        Rows of the `CompositionGap` schema.
    """
    frames: list[pl.DataFrame] = [CompositionGap.create_empty()]
    for gap in gaps:
        found, n = gap.gaps, len(gap.models)
        weakest = [gap.names[i] for i in np.argmin(found.parts, axis=0)] if gap.names else [None] * n
        columns = {
            "track": gap.view.track,
            "model": list(gap.models),
            "endpoint": gap.endpoint,
            "parts": [list(gap.names)] * n,
            "n_clusters": found.n_clusters,
            "joint": found.of("joint"),
            "item_accuracy": found.of("item_accuracy"),
            "independent": found.of("independent"),
            "weakest": found.of("weakest"),
            "weakest_part": weakest,
            "lowest_possible": found.lowest_possible(),
            "level": data.settings.level,
            "construction": construction_of(data, gap.models),
        }
        for name in GAPS:
            low, high = found.limits(name, data.settings.level)
            columns |= {name: found.of(name), f"{name}_low": low, f"{name}_high": high}
        frames.append(table_frame(CompositionGap, columns, n))
    return pl.concat(frames)


def compare_gaps(data: BenchmarkData, gaps: list[Gap]) -> pl.DataFrame:
    """Compare joint success and the gaps between every two models.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.
    gaps : list of Gap
        What `measure_gaps` yields for every track.

    Returns
    -------
    pl.DataFrame
        Rows of the `CompositionGapPairs` schema; `model_a` has the higher joint success.
    """
    frames: list[pl.DataFrame] = [CompositionGapPairs.create_empty()]
    for gap in gaps:
        order = rank_order(gap.gaps.of("joint"))
        upper, lower = np.triu_indices(len(gap.models), 1)
        pairs = np.stack([order[upper], order[lower]], axis=1)
        found = gap_differences(
            gap.joint,
            gap.parts,
            gap.view.draws,
            gap.gaps,
            pairs,
            statistics=COMPARED if gap.names else COMPARED[:-1],
            level=data.settings.level,
        )
        names = np.array(gap.models, dtype=object)
        for part in found:
            columns = {
                "track": gap.view.track,
                "endpoint": gap.endpoint,
                "statistic": part.statistic,
                "model_a": names[pairs[:, 0]].tolist(),
                "model_b": names[pairs[:, 1]].tolist(),
                "n_clusters": part.n_clusters,
                "difference": part.difference,
                "ci_low": part.low,
                "ci_high": part.high,
            }
            frames.append(table_frame(CompositionGapPairs, columns, len(pairs)))
    return pl.concat(frames)
