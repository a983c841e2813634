"""`rank_shifts`: how models move between the rankings of two tracks or two metrics, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.matrix import ALL
from analysis.schemas import RankShifts
from analysis.seeds import generator_for
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.resampling import order_statistic_limits
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame

MAX_RANKINGS = 24
"""More rankings than this (tracks times metrics) are compared with the primary metric's alone."""


@dataclass(frozen=True)
class _Ranking:
    """One ranking: estimates, shape (M,), and their joint replicates, shape (B, M)."""

    track: str
    metric: str
    models: tuple[str, ...]
    estimate: npt.NDArray[np.float64]
    replicates: npt.NDArray[np.float64]


def derive(data: BenchmarkData) -> Made:
    """Make `rank_shifts`."""
    method = (
        f"Ranks among the models in both rankings; percentile interval of {data.settings.resamples:,} "
        "joint resamples, drawn once per track"
    )
    return {"rank_shifts": (shift_ranks(data), method)}


def shift_ranks(data: BenchmarkData) -> pl.DataFrame:
    """Compare every two rankings of single tracks and quality metrics.

    Items of a track are resampled once for all its metrics, and independently of other tracks. Where
    there are more than `MAX_RANKINGS` rankings, only pairs with the primary metric in both, or with one
    track and the primary metric in one, are compared.

    Returns
    -------
    pl.DataFrame
        Rows of the `RankShifts` schema; each unordered pair of rankings once, the primary metric and the
        track first in code-point order leading.
    """
    rankings = [r for track in _tracks(data) for metric in data.metrics if (r := _rank(data, track, metric))]
    primary = data.card.primary_metric
    rankings.sort(key=lambda r: (r.metric != primary, r.track, r.metric))
    parts: list[pl.DataFrame] = [RankShifts.create_empty()]
    for i, a in enumerate(rankings):
        for b in rankings[i + 1 :]:
            near = a.metric == primary and (b.metric == primary or b.track == a.track)
            if len(rankings) > MAX_RANKINGS and not near:
                continue
            common = [m for m in a.models if m in set(b.models)]
            if len(common) >= 2:
                parts.append(_shift(a, b, common, data.settings.level))
    return pl.concat(parts)


def _tracks(data: BenchmarkData) -> list[str]:
    single = [t for t in data.tracks if t != ALL]
    return single if single else [ALL]


def _rank(data: BenchmarkData, track: str, metric: str) -> _Ranking | None:
    matrix = data.track(track, metric)
    if len(matrix.models) < 2:
        return None
    means = bootstrap_means(
        matrix.values,
        observed=matrix.has_cell,
        rng=generator_for(data.settings.seed, "rank shifts", track),
        n_resamples=data.settings.resamples,
        clusters=matrix.clusters,
        weights=matrix.weights,
    )
    return _Ranking(track, metric, matrix.models, means.estimate, means.replicates)


def _shift(a: _Ranking, b: _Ranking, common: list[str], level: float) -> pl.DataFrame:
    ranks, replicated = [], []
    for ranking in (a, b):
        at = [ranking.models.index(m) for m in common]
        ranks.append(ranks_of(rank_order(ranking.estimate[at])))
        # A model without a cell in a resample stands last there.
        values = np.nan_to_num(np.round(ranking.replicates[:, at], 12), nan=-np.inf)
        order = np.argsort(-values, axis=1, kind="stable")
        placed = np.empty_like(order)
        np.put_along_axis(placed, order, np.arange(1, len(common) + 1)[None, :], axis=1)
        replicated.append(placed)
    shifts = (replicated[0] - replicated[1]).astype(np.float64)
    tail = (1 - level) / 2
    low, high = order_statistic_limits(shifts, tail, tail)
    columns = {
        "track_from": a.track,
        "metric_from": a.metric,
        "track_to": b.track,
        "metric_to": b.metric,
        "model": common,
        "n_models": len(common),
        "rank_from": ranks[0],
        "rank_to": ranks[1],
        "shift": ranks[0] - ranks[1],
        "ci_low": low,
        "ci_high": high,
        "p_rises": (shifts > 0).mean(axis=0),
        "p_falls": (shifts < 0).mean(axis=0),
    }
    return table_frame(RankShifts, columns, len(common))
