"""`coverage`: items that an ensemble of models covers, step by step and at the exact optimum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from analysis.matrix import BASES, Basis, VerdictMatrix, on_basis
from analysis.schemas import Coverage
from analysis.stats.coverage import OptimalEnsemble, greedy_coverage, optimal_coverage, unique_solves
from analysis.stats.cross_fitting import CrossFitted
from analysis.stats.proportions import wilson_interval
from analysis.tables.cross_fit import HALVINGS, cross_fit
from analysis.tables.data import BenchmarkData, Made, table_frame

Row = tuple[int, int, int, int]
"""Step, model index, gained, covered."""


def derive(data: BenchmarkData) -> Made:
    """Make `coverage`."""
    method = (
        "Greedy; the exact optimum of every size; cross-fitted (chosen on one half of the items, measured on "
        f"the other, {HALVINGS} halvings); Wilson intervals for the shares"
    )
    frame, open_bounds = _cover(data)
    return {"coverage": (frame, method + _unproven(open_bounds))}


def cover_items(data: BenchmarkData) -> pl.DataFrame:
    """Cover the items of every track and basis greedily, at the optimum of every size, and cross-fitted.

    Returns
    -------
    pl.DataFrame
        Rows of the `Coverage` schema. `gained` of a greedy row is what the step adds; of an
        optimal row, what the ensemble would lose without that member. A cross-fitted row holds what
        ensembles of that size, chosen greedily on one random half of the items, cover on the other,
        averaged over halvings and rounded to whole items; its model is the greedy one's of that step.
    """
    return _cover(data)[0]


def _cover(data: BenchmarkData) -> tuple[pl.DataFrame, list[tuple[str, Basis, OptimalEnsemble]]]:
    """Return the rows, and the ensembles whose optimality the search did not prove."""
    parts: list[pl.DataFrame] = [Coverage.create_empty()]
    unproven: list[tuple[str, Basis, OptimalEnsemble]] = []
    for track in data.tracks:
        whole = data.track(track)
        found: _Found | None = None
        for basis in BASES:
            matrix = on_basis(whole, basis)
            n_items = matrix.items.height
            if not n_items:
                continue
            # Where every item is complete the two bases are the same items.
            if found is None or found.n_items != n_items:
                found = _search(data, matrix, track)
            unproven += [(track, basis, ensemble) for ensemble in found.best if not ensemble.proven]
            for method, rows in found.rows.items():
                parts.append(_frame(rows, matrix.models, track, basis, method, n_items, data.settings.level))
    return pl.concat(parts), unproven


@dataclass(frozen=True)
class _Found:
    """What the searches found on the items of one track and basis."""

    n_items: int
    rows: dict[str, list[Row]]
    best: list[OptimalEnsemble]


def _search(data: BenchmarkData, matrix: VerdictMatrix, track: str) -> _Found:
    solved = matrix.solved(data.card.solved_at)
    greedy = _greedy(solved)
    fitted = cross_fit(data, matrix, solved, track)
    best = optimal_coverage(solved)
    rows = {
        "greedy": greedy,
        "optimal": _optimal(solved, best),
        "cross_fitted": [] if fitted is None else _cross_fitted(fitted, greedy),
    }
    return _Found(matrix.items.height, rows, best)


def _unproven(ensembles: list[tuple[str, Basis, OptimalEnsemble]]) -> str:
    """Say which sizes are the best found rather than the proven optimum, and what the optimum is at most."""
    if not ensembles:
        return ""
    shown = [f"{track} ({basis}) {e.size}: at most {e.bound:,}" for track, basis, e in ensembles[:5]]
    more = f" and {len(ensembles) - 5:,} more" if len(ensembles) > 5 else ""
    return "; not proven optimal within the node limit: " + ", ".join(shown) + more


def _greedy(solved: np.ndarray) -> list[Row]:
    path = greedy_coverage(solved)
    steps = zip(path.order, path.gained, path.covered, strict=True)
    return [
        (step, int(model), int(gained), int(covered))
        for step, (model, gained, covered) in enumerate(steps, 1)
    ]


def _cross_fitted(fitted: CrossFitted, greedy: list[Row]) -> list[Row]:
    """Return what ensembles chosen on one half of the items cover on the other, over both halves.

    Each half chooses its own models; a row is named by the greedy order over all items.
    """
    covered = np.rint(fitted.item_share.sum(axis=1)).astype(np.int64).tolist()
    gained = np.diff(covered, prepend=0).tolist()
    return [(step, model, g, c) for (step, model, _, _), g, c in zip(greedy, gained, covered, strict=True)]


def _optimal(solved: np.ndarray, best: list[OptimalEnsemble]) -> list[Row]:
    rows: list[Row] = []
    for ensemble in best:
        members = [int(m) for m in ensemble.members]
        alone = unique_solves(solved[members]).tolist()
        rows += [(ensemble.size, m, a, int(ensemble.covered)) for m, a in zip(members, alone, strict=True)]
    return rows


def _frame(
    rows: list[Row], models: tuple[str, ...], track: str, basis: str, method: str, n_items: int, level: float
) -> pl.DataFrame:
    covered = np.array([row[3] for row in rows], dtype=np.int64)
    limits = wilson_interval(covered, np.full(len(rows), n_items), level=level)
    return table_frame(
        Coverage,
        {
            "track": track,
            "basis": basis,
            "method": method,
            "step": [row[0] for row in rows],
            "model": [models[row[1]] for row in rows],
            "gained": [row[2] for row in rows],
            "covered": covered,
            "share": covered / n_items,
            "ci_low": limits.low,
            "ci_high": limits.high,
        },
        len(rows),
    )
