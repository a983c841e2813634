"""`influence` and `rank_stability`: whose ranks hang on one track or one cluster.

Each track, and each cluster where the card declares them, is left out in turn and the models are
ranked on the rest. A ranking that a single patient or passage can turn over is not one of the models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.matrix import ALL, VerdictMatrix
from analysis.schemas import Influence, RankStability
from analysis.stats.rank_agreement import kendall_tau
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Parts:
    """Sums of the models' cells over G parts of the items.

    Parameters
    ----------
    names : list of str
        The G parts.
    n_items : ndarray of int, shape (G,)
        Items of each part.
    numerator, denominator : ndarray of float, shape (M, G)
        What each part adds to the models' means.
    """

    names: list[str]
    n_items: Ints
    numerator: Floats
    denominator: Floats


def derive(data: BenchmarkData) -> Made:
    """Make `influence` and `rank_stability`."""
    influence, stability = leave_parts_out(data)
    method = "Ranks on all items but those of one track or declared cluster; Kendall's tau-b of the estimates"
    return {"influence": (influence, method), "rank_stability": (stability, method)}


def leave_parts_out(data: BenchmarkData) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rank the models without each track and without each cluster.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    influence : pl.DataFrame
        Rows of the `Influence` schema, one for each part left out; none with a single track and no
        declared cluster.
    rank_stability : pl.DataFrame
        Rows of the `RankStability` schema.
    """
    influence: list[pl.DataFrame] = [Influence.create_empty()]
    stability: list[pl.DataFrame] = [RankStability.create_empty()]
    for metric in data.metrics:
        matrix = data.track(ALL, metric)
        if len(matrix.models) < 2:
            continue
        for kind, column in (("track", "track"), ("cluster", data.card.cluster)):
            if column is None:
                continue
            parts = _sums(matrix, column)
            if len(parts.names) >= 2:
                one, other = _without_each(matrix, parts, kind)
                influence.append(one)
                stability.append(other)
    return pl.concat(influence), pl.concat(stability)


def _sums(matrix: VerdictMatrix, column: str) -> _Parts:
    names = matrix.items[column].cast(pl.String)
    distinct = names.drop_nulls().unique().sort().to_list()
    code = names.replace_strict({n: i for i, n in enumerate(distinct)}, default=-1, return_dtype=pl.Int64)
    part = code.fill_null(-1).to_numpy()
    # Items of no track stand in every ranking: a column of their own that is never left out.
    one_hot = np.zeros((part.size, len(distinct) + 1))
    one_hot[np.arange(part.size), part] = 1.0
    weight = np.ones(part.size) if matrix.weights is None else matrix.weights
    has = matrix.has_cell
    answered = has.any(axis=0)
    return _Parts(
        distinct,
        (one_hot[answered].sum(axis=0)[:-1]).astype(np.int64),
        (np.where(has, matrix.values, 0.0) * weight) @ one_hot,
        (has * weight) @ one_hot,
    )


def _without_each(matrix: VerdictMatrix, parts: _Parts, kind: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    models = matrix.models
    top, bottom = parts.numerator.sum(axis=1), parts.denominator.sum(axis=1)
    whole = _estimate(top, bottom)
    n_parts = len(parts.names)
    ranks = np.full((n_parts, len(models)), -1, dtype=np.int64)
    rows: list[dict[str, object]] = []
    for g in range(n_parts):
        rest = _estimate(top - parts.numerator[:, g], bottom - parts.denominator[:, g])
        here = np.flatnonzero(~np.isnan(rest))
        before, after = ranks_of(rank_order(whole[here])), ranks_of(rank_order(rest[here]))
        ranks[g, here] = after
        moved = np.abs(after - before)
        most = int(np.argmax(moved)) if here.size else -1
        tau = float(kendall_tau(np.round(whole[here], 12), np.round(rest[here], 12))) if here.size else np.nan
        leaders = [models[here[int(np.argmin(r))]] if here.size else None for r in (before, after)]
        rows.append(
            {
                "left_out": parts.names[g],
                "n_items_left_out": int(parts.n_items[g]),
                "n_models": here.size,
                "kendall_tau": tau,
                "n_moved": int(np.count_nonzero(moved)),
                "max_rank_change": int(moved[most]) if here.size else 0,
                "model_most_moved": models[here[most]] if here.size and moved[most] else None,
                "rank_before": int(before[most]) if here.size and moved[most] else None,
                "rank_after": int(after[most]) if here.size and moved[most] else None,
                "leader_before": leaders[0],
                "leader_after": leaders[1],
                "leader_changes": leaders[0] != leaders[1],
            }
        )
    columns: dict[str, object] = {name: [row[name] for row in rows] for name in rows[0]}
    influence = table_frame(Influence, {"metric": matrix.metric, "kind": kind, **columns}, n_parts)
    return influence, _stability(matrix, parts, kind, ranks_of(rank_order(whole)), ranks)


def _estimate(top: Floats, bottom: Floats) -> Floats:
    # Differences of sums: what is left of no cell at all may be a rounding error.
    left = bottom > 1e-9
    means: Floats = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=left)
    return means


def _stability(matrix: VerdictMatrix, parts: _Parts, kind: str, rank: Ints, ranks: Ints) -> pl.DataFrame:
    n_models = len(matrix.models)
    ranked = ranks > 0
    best = np.where(ranked, ranks, n_models + 1)
    names = np.array([*parts.names, None], dtype=object)
    some = ranked.any(axis=0)
    at_best = np.where(some, best.argmin(axis=0), len(parts.names))
    at_worst = np.where(some, ranks.argmax(axis=0), len(parts.names))
    columns = {
        "metric": matrix.metric,
        "kind": kind,
        "model": list(matrix.models),
        "rank": rank,
        "rank_best": pl.Series(np.where(some, best.min(axis=0), 0)).replace(0, None),
        "rank_worst": pl.Series(np.where(some, ranks.max(axis=0), 0)).replace(0, None),
        "without_best": pl.Series(names[at_best], dtype=pl.String),
        "without_worst": pl.Series(names[at_worst], dtype=pl.String),
        "n_left_out": ranked.sum(axis=0),
    }
    return table_frame(RankStability, columns, n_models)
