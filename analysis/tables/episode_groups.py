"""`episode_groups`: episodes and item accuracy within the values of an item column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.schemas import EpisodeGroups
from analysis.seeds import generator_for
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.proportions import wilson_interval
from analysis.tables.data import BenchmarkData, table_frame
from analysis.tables.episode_data import EpisodeData, construction_of
from analysis.tables.model_scores import is_single_run_proportion, successes_of

ACCURACY = "accuracy"
"""Name of the share of right items among the endpoints."""


def group_episodes(data: BenchmarkData, views: list[EpisodeData]) -> pl.DataFrame:
    """Estimate every endpoint, and the accuracy of every component, within groups of episodes.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables; the card names the columns.
    views : list of EpisodeData
        The episodes of each track.

    Returns
    -------
    pl.DataFrame
        Rows of the `EpisodeGroups` schema. Clusters without a value are in no group.
    """
    parts: list[pl.DataFrame] = [EpisodeGroups.create_empty()]
    for stratum in data.card.episodes.groups:
        for view in views:
            of_item = view.matrix.items[stratum].cast(pl.String)
            for value in of_item.drop_nulls().unique().sort():
                items = (of_item == value).fill_null(False).to_numpy()
                for rows in (
                    *_endpoints(data, view, items),
                    *_accuracies(data, view, items, stratum, str(value)),
                ):
                    parts.append(_frame(data, view, stratum, str(value), *rows))
    return pl.concat(parts)


Rows = tuple[str, tuple[str, ...], dict[str, object]]


def _endpoints(data: BenchmarkData, view: EpisodeData, items: npt.NDArray[np.bool_]) -> Iterator[Rows]:
    clusters = np.zeros(len(view.clusters), dtype=bool)
    clusters[np.unique(view.codes[items])] = True
    for endpoint in view.endpoints:
        outcomes = view.outcomes(endpoint).among(clusters)
        keep = np.flatnonzero(outcomes.n_known)
        n, hits = outcomes.n_known[keep], outcomes.n_success[keep]
        limits = wilson_interval(hits, n, level=data.settings.level)
        columns: dict[str, object] = {
            "n_clusters": n,
            "n": n,
            "n_success": hits,
            "share": hits / n,
            "ci_low": limits.low,
            "ci_high": limits.high,
        }
        yield endpoint, tuple(view.models[i] for i in keep.tolist()), columns


def _accuracies(
    data: BenchmarkData, view: EpisodeData, items: npt.NDArray[np.bool_], stratum: str, value: str
) -> Iterator[Rows]:
    component = view.matrix.items["component"]
    chosen = {ACCURACY: items} if len(view.components) != 1 or view.has_plain_items else {}
    for name in view.components:
        chosen[f"{ACCURACY}:{name}"] = items & (component == name).fill_null(False).to_numpy()
    for endpoint, use in chosen.items():
        matrix = view.matrix.select_items(use)
        matrix = matrix.select_models(matrix.models_with_cells)
        if not matrix.models:
            continue
        means = bootstrap_means(
            matrix.values,
            observed=matrix.has_cell,
            rng=generator_for(data.settings.seed, "episode group", view.track, stratum, value),
            n_resamples=data.settings.resamples,
            clusters=matrix.clusters,
        )
        interval = means.interval(data.settings.level)
        hits = successes_of(matrix)
        counted = matrix.is_compact or bool(np.all(is_single_run_proportion(matrix)))
        columns: dict[str, object] = {
            "n_clusters": means.n_clusters,
            "n": means.n_items,
            "n_success": hits if counted else None,
            "share": means.estimate,
            "ci_low": interval.ci_low,
            "ci_high": interval.ci_high,
        }
        yield endpoint, matrix.models, columns


def _frame(
    data: BenchmarkData,
    view: EpisodeData,
    stratum: str,
    value: str,
    endpoint: str,
    models: tuple[str, ...],
    columns: dict[str, object],
) -> pl.DataFrame:
    keys = {
        "stratum": stratum,
        "value": value,
        "track": view.track,
        "endpoint": endpoint,
        "model": list(models),
        "construction": construction_of(data, models),
    }
    return table_frame(EpisodeGroups, {**keys, **columns}, len(models))
