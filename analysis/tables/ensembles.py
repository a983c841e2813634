"""`ensembles` and `coverage_shares`: what several models reach together, and who contributes what."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.matrix import BASES, Basis, VerdictMatrix, on_basis
from analysis.schemas import CoverageShares, Ensembles
from analysis.stats.bootstrap import BootstrapMeans, bootstrap_means
from analysis.stats.cross_fitting import CrossFitted
from analysis.stats.greedy import greedy_coverage, unique_solves
from analysis.stats.pass_at_k import expected_any
from analysis.stats.shapley import shapley_coverage
from analysis.tables.cross_fit import HALVINGS, LARGE, cross_fit
from analysis.tables.data import BenchmarkData, Made, table_frame

MAX_SIZE = 30
"""Ensembles have rows for sizes up to this, and for all models."""

SMALL = 3
"""Size of the ensemble for which a model's chance of being chosen is given."""

Floats = npt.NDArray[np.float64]


def derive(data: BenchmarkData) -> Made:
    """Make `ensembles` and `coverage_shares`."""
    unit = data.card.cluster or "items"
    ensembles, shares = combine_models(data)
    method = (
        f"Greedy coverage in sample and cross-fitted over {HALVINGS} random halvings of {unit} (fewer with "
        f"more than {LARGE // HALVINGS:,} cells); strict majority of models; bootstrap over {unit}"
    )
    return {
        "ensembles": (ensembles, method),
        "coverage_shares": (shares, f"Exact Shapley values of coverage; bootstrap over {unit}"),
    }


def combine_models(data: BenchmarkData) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Measure ensembles, and share coverage out among the models, per track and basis.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    ensembles : pl.DataFrame
        Rows of the `Ensembles` schema.
    coverage_shares : pl.DataFrame
        Rows of the `CoverageShares` schema.
    """
    ensembles: list[pl.DataFrame] = [Ensembles.create_empty()]
    shares: list[pl.DataFrame] = [CoverageShares.create_empty()]
    for track in data.tracks:
        whole = data.track(track)
        for basis in BASES:
            matrix = on_basis(whole, basis)
            if not matrix.items.height:
                continue
            solved = matrix.solved(data.card.solved_at)
            fitted = cross_fit(data, matrix, solved, track, max_size=MAX_SIZE)
            ensembles.append(_ensembles(data, matrix, solved, fitted, track, basis))
            shares.append(_shares(data, matrix, solved, fitted, track, basis))
    return pl.concat(ensembles), pl.concat(shares)


def _run_shares(matrix: VerdictMatrix) -> Floats | None:
    """Return the probability that one run of a cell succeeds, None where no cell has several runs."""
    if matrix.n_runs.max(initial=0) <= 1:
        return None
    shares: Floats = np.clip(np.nan_to_num(matrix.values), 0.0, 1.0)
    return shares


def _ensembles(
    data: BenchmarkData,
    matrix: VerdictMatrix,
    solved: npt.NDArray[np.bool_],
    fitted: CrossFitted | None,
    track: str,
    basis: Basis,
) -> pl.DataFrame:
    n_models = solved.shape[0]
    order = greedy_coverage(solved).order
    has = matrix.has_cell
    best = int(np.argmax(solved.sum(axis=1)))
    rows: list[tuple[str, int, Floats]] = []
    together = np.logical_or.accumulate(solved[order], axis=0)
    sizes = sorted({*range(1, min(n_models, MAX_SIZE) + 1), n_models})
    rows += [("greedy", size, together[size - 1].astype(float)) for size in sizes]
    if fitted is not None:
        rows += [("cross_fitted", size + 1, row) for size, row in enumerate(fitted.item_share)]
    p = _run_shares(matrix)
    if p is not None:
        rows += [("one_run", size, expected_any(p[order[:size]])) for size in sizes]
    majority = solved.sum(axis=0) * 2 > has.sum(axis=0)
    rows.append(("majority", n_models, majority.astype(float)))
    rows.append(("best_single", 1, solved[best].astype(float)))
    rows.append(("mean_single", 1, _mean_of_models(solved, has)))
    boot = _bootstrap(data, matrix, np.stack([row[2] for row in rows]), track)
    limits = boot.interval(data.settings.level)
    in_sample = {size: boot.estimate[i] for i, (name, size, _) in enumerate(rows) if name == "greedy"}
    columns = {
        "track": track,
        "basis": basis,
        "method": [row[0] for row in rows],
        "size": [row[1] for row in rows],
        "share": boot.estimate,
        "ci_low": limits.ci_low,
        "ci_high": limits.ci_high,
        "level": data.settings.level,
        "n_items": solved.shape[1],
        "n_models": n_models,
        "optimism": [
            in_sample[size] - share if name == "cross_fitted" else None
            for (name, size, _), share in zip(rows, boot.estimate.tolist(), strict=True)
        ],
        "model": [
            {"greedy": matrix.models[order[size - 1]], "best_single": matrix.models[best]}.get(name)
            for name, size, _ in rows
        ],
    }
    return table_frame(Ensembles, columns, len(rows))


def _mean_of_models(solved: npt.NDArray[np.bool_], has: npt.NDArray[np.bool_]) -> Floats:
    """Return, per item, the chance that a model drawn from those with the cell solves it."""
    share: Floats = solved.sum(axis=0) / np.maximum(has.sum(axis=0), 1)
    return share


def _bootstrap(data: BenchmarkData, matrix: VerdictMatrix, rows: Floats, track: str) -> BootstrapMeans:
    return bootstrap_means(
        rows,
        rng=data.resampling_rng(track),
        n_resamples=data.settings.resamples,
        clusters=matrix.clusters,
    )


def _shares(
    data: BenchmarkData,
    matrix: VerdictMatrix,
    solved: npt.NDArray[np.bool_],
    fitted: CrossFitted | None,
    track: str,
    basis: Basis,
) -> pl.DataFrame:
    n_models, n_items = solved.shape
    values = shapley_coverage(solved)
    p = _run_shares(matrix)
    of_one_run = np.full(n_models, np.nan) if p is None else shapley_coverage(p).sum(axis=1)
    boot = _bootstrap(data, matrix, values, track)
    limits = boot.interval(data.settings.level)
    covered = float(solved.any(axis=0).sum())
    nothing = np.full(n_models, np.nan)
    columns = {
        "track": track,
        "basis": basis,
        "model": list(matrix.models),
        "n_items": n_items,
        "n_solved": solved.sum(axis=1),
        "n_unique": unique_solves(solved),
        "shapley": values.sum(axis=1),
        "ci_low": limits.ci_low * n_items,
        "ci_high": limits.ci_high * n_items,
        "level": data.settings.level,
        "share_of_coverage": values.sum(axis=1) / covered if covered else nothing,
        "shapley_one_run": of_one_run,
        "chosen_first": nothing if fitted is None else fitted.chosen[0],
        "chosen_in_three": nothing if fitted is None else fitted.chosen[min(SMALL, n_models) - 1],
    }
    return table_frame(CoverageShares, columns, n_models)
