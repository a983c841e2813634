"""`session_scores`, `stage_scores` and the composite: metrics, stages, and how sure their order is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from analysis.schemas import CompositeOrders, CompositePairs, CompositeRanks, SessionScores, StageScores
from analysis.seeds import generator_for
from analysis.stats.composite import (
    RankDraws,
    bound_ranks,
    draw_weights,
    equal_weights,
    normalise,
    percentile_limits,
    rank_draws,
)
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame
from analysis.tables.session_matrix import STAGES, Floats, Means, SessionMatrix, lay_out_sessions, without

N_WEIGHTS = 10_000
"""Draws of weights."""

MOST_UNDEFINED = 0.2
"""A model whose composite more resamples than this leave undefined (too few cases) is not ordered."""

COMPOSITE = ("composite_ranks", "composite_orders", "composite_pairs")
"""Tables on the order that the composite gives."""

SOURCES = {"weights": False, "stage_weights": True}
"""What can be weighed: metrics, or stages."""


def derive(data: BenchmarkData) -> Made:
    """Make the scores of metrics and stages, and the tables on the composite."""
    if "sessions" not in data.sessions:
        return without("session_scores", "stage_scores", *COMPOSITE)
    matrix = lay_out_sessions(data)
    means = matrix.metric_means()
    scores, drawn = normalised_primaries(matrix, means)
    over = "cases" if data.card.cluster is None else f"{data.card.cluster} of the cases"
    resampled = f"{data.settings.resamples:,} joint resamples of {over}"
    weights = f"{N_WEIGHTS:,} weights uniform on all that sum to 1"
    ranks, orders, pairs = order_models(matrix, scores, drawn)
    return {
        "session_scores": (score_metrics(matrix, means), f"Means; expanded percentile limits, {resampled}"),
        "stage_scores": (
            score_stages(matrix, means, scores, drawn),
            f"Means of normalised means; expanded percentile limits, {resampled}",
        ),
        "composite_ranks": (ranks, f"Equal weights against {weights}, and against {resampled}"),
        "composite_orders": (orders, f"Equal weights against {weights}, and against {resampled}"),
        "composite_pairs": (pairs, f"Simultaneous max-T limits, {resampled}; {weights}"),
    }


def scalers(matrix: SessionMatrix) -> dict[str, Callable[[Floats], Floats]]:
    """Return for every metric the function that maps it to [0, 1] with 1 the best."""

    def scaler(row: dict[str, object]) -> Callable[[Floats], Floats]:
        low, high = float(str(row["low"])), row["high"]
        top = None if high is None else float(str(high))
        better = row["direction"] == "higher"
        return lambda x: normalise(x, low=low, high=top, higher_is_better=better)

    return {row["metric"]: scaler(row) for row in matrix.definitions.iter_rows(named=True)}


def score_metrics(matrix: SessionMatrix, means: Means) -> pl.DataFrame:
    """Return the rows of `session_scores`."""
    n, level = len(matrix.models), matrix.level
    scale = scalers(matrix)
    k = np.arange(means.estimate.size)
    names = [name for name in matrix.metrics for _ in matrix.models]
    parts = [scale[name] for name in matrix.metrics]
    one, low, high = (
        np.concatenate(
            [np.zeros(0)] + [scale_of(values[i * n : (i + 1) * n]) for i, scale_of in enumerate(parts)]
        )
        for values in (means.estimate, means.low, means.high)
    )
    of_metric = {r["metric"]: r for r in matrix.definitions.iter_rows(named=True)}
    columns = {
        "model": [matrix.models[i % n] for i in k],
        "metric": names,
        "role": [matrix.roles[i % n] for i in k],
        **{part: [of_metric[m][part] for m in names] for part in ("stage", "tier", "direction")},
        "n_sessions": np.tile(matrix.n_sessions, len(parts)),
        "n_defined": means.n_sessions,
        "n_cases": means.n_cases,
        "estimate": means.estimate,
        "ci_low": means.low,
        "ci_high": means.high,
        "level": level,
        "normalised": one,
        # Of a metric that is better when low the limits change places.
        "normalised_low": np.fmin(low, high),
        "normalised_high": np.fmax(low, high),
    }
    return table_frame(SessionScores, columns, k.size)


def normalised_primaries(matrix: SessionMatrix, means: Means) -> tuple[Floats, Floats]:
    """Return the normalised means of the primary metrics, shape (K, M), and in each resample, (B, K, M)."""
    n, scale, order = len(matrix.models), scalers(matrix), matrix.metrics
    names = matrix.of_tier("primary")["metric"].to_list()
    at = [slice(order.index(m) * n, (order.index(m) + 1) * n) for m in names]
    if not names:
        return np.zeros((0, n)), np.zeros((means.replicates.shape[0], 0, n))
    scores = np.stack([scale[m](means.estimate[s]) for m, s in zip(names, at, strict=True)])
    drawn = np.stack([scale[m](means.replicates[:, s]) for m, s in zip(names, at, strict=True)], axis=1)
    return scores, drawn


def weights_of(matrix: SessionMatrix) -> dict[str, Floats]:
    """Return the weights of the primary metrics, shape (K,), for each stage and both composites."""
    stages = matrix.of_tier("primary")["stage"].to_list()
    codes = np.array([STAGES.index(s) for s in stages], dtype=np.int64)
    out: dict[str, Floats] = {}
    if not codes.size:
        return out
    for i, stage in enumerate(STAGES):
        if (codes == i).any():
            out[stage] = (codes == i) / (codes == i).sum()
    out["composite"] = equal_weights(codes, by_group=False)
    out["composite_of_stages"] = equal_weights(codes, by_group=True)
    return out


def score_stages(matrix: SessionMatrix, means: Means, scores: Floats, drawn: Floats) -> pl.DataFrame:
    """Return the rows of `stage_scores`."""
    names = matrix.of_tier("primary")["metric"].to_list()
    n_cases = means.n_cases.reshape(-1, len(matrix.models))[[matrix.metrics.index(m) for m in names]]
    parts: list[pl.DataFrame] = [StageScores.create_empty()]
    for stage, weight in weights_of(matrix).items():
        used = weight > 0
        value = weighted(weight, scores)
        # A stage is as uncertain as few units make its rarest metric.
        fewest = n_cases[used].min(axis=0)
        low, high = percentile_limits(weighted(weight, drawn), fewest, level=matrix.level)
        lacking = [
            ", ".join(m for m, s, u in zip(names, column, used, strict=True) if u and np.isnan(s)) or None
            for column in scores.T
        ]
        columns = {
            "model": matrix.models,
            "stage": stage,
            "role": matrix.roles,
            "n_metrics": int(used.sum()),
            "estimate": value,
            "ci_low": np.where(np.isnan(value), np.nan, low),
            "ci_high": np.where(np.isnan(value), np.nan, high),
            "level": matrix.level,
            "rank": _ranks(matrix, value),
            "lacking": lacking,
        }
        parts.append(table_frame(StageScores, columns, len(matrix.models)))
    return pl.concat(parts)


def weighted(weight: Floats, scores: Floats) -> Floats:
    """Return the weighted sum over metrics of scores of shape (..., K, M), added in their order."""
    total: Floats = np.zeros(scores.shape[:-2] + scores.shape[-1:])
    for k in np.flatnonzero(weight):
        total = total + weight[k] * scores[..., k, :]
    return total


def _ranks(matrix: SessionMatrix, value: Floats) -> list[int | None]:
    """Rank the models that have a value; baselines and references have no rank."""
    at = [i for i in matrix.ranked if not np.isnan(value[i])]
    ranks = ranks_of(rank_order(value[at]))
    out: list[int | None] = [None] * len(matrix.models)
    for i, rank in zip(at, ranks.tolist(), strict=True):
        out[i] = rank
    return out


def order_models(
    matrix: SessionMatrix, scores: Floats, drawn: Floats
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the rows of `composite_ranks`, `composite_orders` and `composite_pairs`.

    Only models with every primary metric take part, in all but few resamples of the cases; ranks are
    among these. There are no rows for fewer than two.
    """
    weight = weights_of(matrix).get("composite", np.zeros(0))
    value, replicates = weighted(weight, scores), weighted(weight, drawn)
    defined = ~np.isnan(value) & (np.isnan(replicates).mean(axis=0) <= MOST_UNDEFINED)
    at = np.array([i for i in matrix.ranked if defined[i] and weight.size], dtype=np.int64)
    none = (CompositeRanks.create_empty(), CompositeOrders.create_empty(), CompositePairs.create_empty())
    if at.size < 2:
        return none
    at = at[rank_order(value[at])]
    mine, one, resampled = scores[:, at], value[at], replicates[:, at]
    # Models of few cases are missing from some resamples: those say nothing of the order.
    resampled = resampled[~np.isnan(resampled).any(axis=1)]
    if not resampled.shape[0]:
        return none
    stages = [STAGES.index(s) for s in matrix.of_tier("primary")["stage"]]
    draws: dict[str, RankDraws] = {
        source: rank_draws(
            one,
            _all_weights(
                draw_weights(
                    stages,
                    by_group=by_group,
                    n_draws=N_WEIGHTS,
                    rng=generator_for(matrix.seed, "weights", source),
                ),
                mine,
            ),
            level=matrix.level,
        )
        for source, by_group in SOURCES.items()
    }
    draws["cases"] = rank_draws(one, resampled, level=matrix.level)
    bounds = bound_ranks(one, resampled, level=matrix.level)
    names = [matrix.models[i] for i in at]
    ranks = [
        table_frame(
            CompositeRanks,
            {
                "model": names,
                "source": source,
                **{c: getattr(d, c) for c in ("rank", "rank_low", "rank_high", "mean_rank", "p_first")},
                "rank_low_all": bounds.rank_low if source == "cases" else [None] * len(names),
                "rank_high_all": bounds.rank_high if source == "cases" else [None] * len(names),
                "level": matrix.level,
                "n_draws": d.n_draws,
            },
            len(names),
        )
        for source, d in draws.items()
    ]
    fields = ("p_same_order", "p_same_first", "tau", "tau_low", "tau_high", "n_draws")
    orders: dict[str, object] = {f: [getattr(d, f) for d in draws.values()] for f in fields}
    orders |= {"source": list(draws), "n_models": len(names), "level": matrix.level}
    a, b = np.triu_indices(len(names), 1)
    pairs = {
        "model_a": [names[i] for i in a],
        "model_b": [names[i] for i in b],
        "difference": one[a] - one[b],
        "ci_low": bounds.low[a, b],
        "ci_high": bounds.high[a, b],
        "level": matrix.level,
        "p_cases": draws["cases"].p_above[a, b],
        "p_weights": draws["weights"].p_above[a, b],
        "p_stage_weights": draws["stage_weights"].p_above[a, b],
        "n_better": (mine[:, a] > mine[:, b] + 1e-12).sum(axis=0),
        "n_worse": (mine[:, a] < mine[:, b] - 1e-12).sum(axis=0),
    }
    return (
        pl.concat(ranks),
        table_frame(CompositeOrders, orders, len(draws)),
        table_frame(CompositePairs, pairs, a.size),
    )


def _all_weights(weights: Floats, scores: Floats) -> Floats:
    """Return the composites under each of D weights, shape (D, M), metrics added in their order."""
    total: Floats = np.zeros((weights.shape[0], scores.shape[1]))
    for k in range(scores.shape[0]):
        total += weights[:, k : k + 1] * scores[k]
    return total
