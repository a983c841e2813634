"""`denominators` and `rank_agreement`: the ranking under every policy for cells without a score.

Excluded (a technical failure), unscored and never asked are three reasons why a model has no score on
an item. Each may leave the mean or count as 0, and every choice is somebody's policy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from analysis.matrix import ALL, CELL, EXCLUDED, MISSING, UNSCORED, VerdictMatrix
from analysis.schemas import Denominators, RankAgreement
from analysis.stats.rank_agreement import kendall_tau
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, rank_order, ranks_of, table_frame


def _as_failures(*states: int) -> Callable[[VerdictMatrix], VerdictMatrix]:
    def apply(matrix: VerdictMatrix) -> VerdictMatrix:
        failed = np.isin(matrix.state, states)
        return replace(
            matrix,
            values=np.where(failed, 0.0, matrix.values),
            n_runs=np.where(failed, 1, matrix.n_runs).astype(np.int32),
            state=np.where(failed, CELL, matrix.state).astype(np.uint8),
        )

    return apply


POLICIES: dict[str, Callable[[VerdictMatrix], VerdictMatrix]] = {
    "exclude": lambda matrix: matrix,
    "excluded_as_failure": _as_failures(EXCLUDED),
    "unscored_as_failure": _as_failures(UNSCORED),
    "failure": _as_failures(EXCLUDED, UNSCORED),
    "missing_as_failure": _as_failures(EXCLUDED, UNSCORED, MISSING),
    "common_items": lambda matrix: matrix.for_track(ALL).complete(),
}
"""What becomes of cells without a scored run. `exclude`, `failure` and `common_items` are the card's."""


def derive(data: BenchmarkData) -> Made:
    """Make `denominators` and `rank_agreement`."""
    ranks = rank_under_policies(data)
    return {
        "denominators": (ranks, "Mean of cells and rank under each policy for cells without a score"),
        "rank_agreement": (compare_rankings(ranks), "Kendall's tau-b of the estimates under two policies"),
    }


def rank_under_policies(data: BenchmarkData) -> pl.DataFrame:
    """Rank the models under every policy, per track and quality metric.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    pl.DataFrame
        Rows of the `Denominators` schema; none for a policy that leaves no items, and under
        `missing_as_failure` only items that some model was asked count.
    """
    parts: list[pl.DataFrame] = [Denominators.create_empty()]
    for metric in data.metrics:
        for track in data.tracks:
            asked = _asked(data.matrix(metric, "exclude"), track)
            in_force = _ranked(data.track(track, metric))
            for policy, apply in POLICIES.items():
                matrix = apply(asked)
                found = _ranked(matrix)
                rows = [(model, *found[model], in_force.get(model, (None,))[0]) for model in found]
                columns = {
                    "track": track,
                    "metric": metric,
                    "policy": policy,
                    "model": [row[0] for row in rows],
                    "rank": [row[1] for row in rows],
                    "estimate": [row[2] for row in rows],
                    "n_items": [row[3] for row in rows],
                    "rank_in_force": [row[4] for row in rows],
                }
                parts.append(table_frame(Denominators, columns, len(rows)))
    return pl.concat(parts)


def _asked(matrix: VerdictMatrix, track: str) -> VerdictMatrix:
    """Return the items of a track that any model was asked, and the models that were asked any."""
    of_track = np.ones(matrix.items.height, dtype=bool)
    if track != ALL:
        of_track = (matrix.items["track"] == track).fill_null(False).to_numpy()
    part = matrix.select_items(of_track & np.any(matrix.state != MISSING, axis=0))
    return part.select_models(np.atleast_1d(np.any(part.state != MISSING, axis=1)))


def _ranked(matrix: VerdictMatrix) -> dict[str, tuple[int, float, int]]:
    """Return rank, estimate and number of cells of every model that has one."""
    part = matrix.for_track(ALL)
    if not part.models:
        return {}
    estimate = mean_of_cells(part)
    ranks = ranks_of(rank_order(estimate)).tolist()
    counts = part.has_cell.sum(axis=1).tolist()
    return {
        m: (int(r), float(e), int(n))
        for m, r, e, n in zip(part.models, ranks, estimate.tolist(), counts, strict=True)
    }


def compare_rankings(denominators: pl.DataFrame) -> pl.DataFrame:
    """Compare the rankings of every two policies.

    Parameters
    ----------
    denominators : pl.DataFrame
        Rows of the `Denominators` schema.

    Returns
    -------
    pl.DataFrame
        Rows of the `RankAgreement` schema, over the models that both policies rank.
    """
    rows: list[dict[str, object]] = []
    keys = ["track", "metric"]
    for (track, metric), part in denominators.group_by(keys, maintain_order=True):
        of = {
            str(policy): dict(zip(p["model"], p["estimate"], strict=True))
            for (policy,), p in part.group_by("policy", maintain_order=True)
        }
        names = [policy for policy in POLICIES if policy in of]
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                models = sorted(of[a].keys() & of[b].keys())
                if models:
                    rows.append({"track": track, "metric": metric, **_compare(of, a, b, models)})
    columns = {name: [row[name] for row in rows] for name in RankAgreement.column_names()}
    return table_frame(RankAgreement, columns, len(rows))


def _compare(of: dict[str, dict[str, float]], a: str, b: str, models: list[str]) -> dict[str, object]:
    first, second = (np.round(np.array([of[p][m] for m in models]), 12) for p in (a, b))
    before, after = ranks_of(rank_order(first)), ranks_of(rank_order(second))
    moved = np.abs(after - before)
    most = int(np.argmax(moved))
    return {
        "policy_a": a,
        "policy_b": b,
        "n_models": len(models),
        "kendall_tau": float(kendall_tau(first, second)),
        "n_moved": int(np.count_nonzero(moved)),
        "max_rank_change": int(moved[most]),
        "model_most_moved": models[most] if moved[most] else None,
        "leader_a": models[int(np.argmin(before))],
        "leader_b": models[int(np.argmin(after))],
    }
