"""`repeated_runs` and `run_noise`: what repeating the same items says of each model."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.matrix import VerdictMatrix, run_scores
from analysis.schemas import RepeatedRuns, RunNoise
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.pass_at_k import estimate_run_noise, pass_at_k, pass_hat_k
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData, Made, table_frame

EVERY_K = 10
"""Every k up to this has a row; beyond it only the largest number of runs."""


def derive(data: BenchmarkData) -> Made:
    """Make `repeated_runs` and `run_noise`."""
    unit = data.card.cluster or "items"
    return {
        "repeated_runs": (
            repeat_runs(data),
            f"Unbiased pass@k and pass^k over items with k runs or more; bootstrap over {unit}",
        ),
        "run_noise": (
            separate_noise(data),
            f"Analysis of variance of repeated runs; bootstrap over {unit} for the share",
        ),
    }


def repeat_runs(data: BenchmarkData) -> pl.DataFrame:
    """Estimate pass@k and pass^k of every model with repeated runs, per track.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    pl.DataFrame
        Rows of the `RepeatedRuns` schema. Items with fewer than k scored runs are not in a row's
        mean; `n_short` counts them, and `same_items` is the plain mean over those that are.
    """
    parts: list[pl.DataFrame] = [RepeatedRuns.create_empty()]
    for track in data.tracks:
        matrix = data.track(track)
        repeated = matrix.select_models(
            (matrix.n_runs.max(axis=1, initial=0) > 1) & matrix.has_cell.any(axis=1)
        )
        if repeated.models:
            parts.append(_track_rows(data, repeated, track))
    return pl.concat(parts)


def _track_rows(data: BenchmarkData, matrix: VerdictMatrix, track: str) -> pl.DataFrame:
    keys: list[tuple[str, str, int]] = []
    estimates, plain = [], []
    for m, model in enumerate(matrix.models):
        has = matrix.has_cell[m]
        n = np.where(has, matrix.n_runs[m], 0)
        successes = np.rint(np.where(has, matrix.values[m], 0.0) * n)
        most = int(n.max())
        for name, of in _KINDS:
            for k in sorted({*range(1, min(most, EVERY_K) + 1), most}):
                keys.append((model, name, k))
                estimates.append(np.where(has, of(n, successes, k), np.nan))
                plain.append(np.where(np.isnan(estimates[-1]), np.nan, matrix.values[m]))
    boot = bootstrap_means(
        np.stack(estimates),
        rng=data.resampling_rng(track),
        n_resamples=data.settings.resamples,
        clusters=matrix.clusters,
        weights=matrix.weights,
    )
    limits = boot.interval(data.settings.level)
    n_cells = dict(zip(matrix.models, matrix.has_cell.sum(axis=1).tolist(), strict=True))
    columns = {
        "track": track,
        "model": [key[0] for key in keys],
        "statistic": [key[1] for key in keys],
        "k": [key[2] for key in keys],
        "estimate": boot.estimate,
        "ci_low": limits.ci_low,
        "ci_high": limits.ci_high,
        "level": data.settings.level,
        "n_items": boot.n_items,
        "n_short": np.array([n_cells[key[0]] for key in keys]) - boot.n_items,
        "same_items": _weighted_mean(np.stack(plain), matrix.weights),
    }
    return table_frame(RepeatedRuns, columns, len(keys))


_KINDS = (("pass_at", pass_at_k), ("pass_hat", pass_hat_k))


def _weighted_mean(rows: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    weight = np.where(np.isnan(rows), 0.0, 1.0 if weights is None else weights)
    with np.errstate(invalid="ignore"):
        means: np.ndarray = (np.nan_to_num(rows) * weight).sum(axis=1) / weight.sum(axis=1)
    return means


def separate_noise(data: BenchmarkData) -> pl.DataFrame:
    """Separate sampling noise (runs) from data noise (items), per track, metric and model.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.

    Returns
    -------
    pl.DataFrame
        Rows of the `RunNoise` schema, for models with at least two items of two runs.
    """
    parts: list[pl.DataFrame] = [RunNoise.create_empty()]
    for metric in data.metrics:
        for track in data.tracks:
            matrix = data.track(track, metric)
            runs = run_scores(data.verdicts, matrix)
            if runs is None:
                continue
            units = ResampledUnits.create(
                matrix.items.height,
                rng=data.resampling_rng(track),
                n_resamples=data.settings.resamples,
                clusters=matrix.clusters,
            )
            rows = []
            for m, model in enumerate(matrix.models):
                if np.count_nonzero(matrix.n_runs[m] > 1) < 2:
                    continue
                noise = estimate_run_noise(runs.values[:, m], units=units, level=data.settings.level)
                has = matrix.n_runs[m] > 0
                rows.append(
                    {
                        "track": track,
                        "metric": metric,
                        "model": model,
                        "n_items": noise.n_items,
                        "n_repeated": noise.n_repeated,
                        "mean_runs": float(matrix.n_runs[m][has].mean()),
                        "var_items": noise.between,
                        "var_runs": noise.within,
                        "share_of_runs": noise.share_of_runs,
                        "ci_low": float(noise.interval.low[0]),
                        "ci_high": float(noise.interval.high[0]),
                        "level": data.settings.level,
                        "se_now": noise.se_now,
                        "se_one_run": noise.se_one_run,
                        "se_many_runs": noise.se_many_runs,
                    }
                )
            columns = {name: [row[name] for row in rows] for name in RunNoise.column_names()}
            parts.append(table_frame(RunNoise, columns, len(rows)))
    return pl.concat(parts)
