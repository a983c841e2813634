"""`pairwise_tests` and `tiers`: which differences between models the data support."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.matrix import VerdictMatrix, run_scores
from analysis.schemas import PairwiseTests, Tiers
from analysis.stats.confidence_set import model_confidence_set
from analysis.stats.letters import compact_letters
from analysis.stats.multiplicity import bonferroni, holm
from analysis.stats.paired import compare_pairs
from analysis.stats.ranks import rank_intervals
from analysis.stats.tiers import adjacent_tiers
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, rank_order, table_frame
from analysis.tables.families import adjust_tests, compare_all_models


def derive(data: BenchmarkData) -> Made:
    """Make `pairwise_tests`, `adjusted_tests`, `omnibus` and `tiers`."""
    tests = compare_models(data)
    family = f"Bonferroni over adjacent pairs and Holm over all pairs at {data.settings.alpha:g}"
    kinds = ", ".join(sorted(tests["method"].unique())) or "no pair"
    best = f"best set: model confidence set at {data.settings.alpha:g}"
    return {
        "pairwise_tests": (tests, f"Paired tests ({kinds}); {family}"),
        "adjusted_tests": (adjust_tests(data, tests), "Benjamini-Hochberg; Westfall-Young max-T, step-down"),
        "omnibus": (compare_all_models(data), "Cochran's Q on complete items, where every cell is one run"),
        "tiers": (assign_tiers(data, tests), f"Sequential adjacent tiers; letters by Holm; {family}; {best}"),
    }


def compare_models(data: BenchmarkData) -> pl.DataFrame:
    """Test every pair of models on their common items, per track and quality metric.

    Returns
    -------
    pl.DataFrame
        Rows of the `PairwiseTests` schema, the higher ranked model first.
    """
    parts: list[pl.DataFrame] = [PairwiseTests.create_empty()]
    for metric in data.metrics:
        for track in data.tracks:
            matrix = data.track(track, metric)
            if len(matrix.models) >= 2:
                parts.append(_test_track(data, matrix, track))
    return pl.concat(parts)


def _test_track(data: BenchmarkData, matrix: VerdictMatrix, track: str) -> pl.DataFrame:
    settings = data.settings
    order = rank_order(mean_of_cells(matrix))
    upper, lower = np.triu_indices(len(order), 1)
    pairs = np.column_stack([order[upper], order[lower]])
    runs = run_scores(data.verdicts, matrix)
    result = compare_pairs(
        matrix.values,
        observed=matrix.has_cell,
        pairs=pairs,
        rng=data.resampling_rng(track),
        n_resamples=settings.resamples,
        n_permutations=settings.permutations,
        level=settings.level,
        clusters=matrix.clusters,
        weights=matrix.weights,
        n_runs=matrix.n_runs,
        matched_runs=None if runs is None else runs.values,
    )
    adjacent = lower == upper + 1
    p_adjacent = np.where(adjacent, result.p_value, np.nan)
    p_bonferroni, p_holm = bonferroni(p_adjacent), holm(result.p_value)
    m = int(np.isfinite(p_adjacent).sum())
    with np.errstate(invalid="ignore"):
        significant = np.where(adjacent, p_adjacent < settings.alpha / max(m, 1), p_holm < settings.alpha)
    names = np.array(matrix.models, dtype=object)
    return table_frame(
        PairwiseTests,
        {
            "track": track,
            "metric": matrix.metric,
            "model_a": names[pairs[:, 0]].tolist(),
            "model_b": names[pairs[:, 1]].tolist(),
            # Sums of thirds leave noise of 1e-17 where the difference is 0; its sign would be shown.
            "difference": np.round(result.difference, 15) + 0.0,
            "ci_low": result.ci_low,
            "ci_high": result.ci_high,
            "n_items": result.n_items,
            "n_better": result.n_better,
            "n_worse": result.n_worse,
            "p_value": result.p_value,
            "method": result.method.tolist(),
            "adjacent": adjacent,
            "p_bonferroni": p_bonferroni,
            "p_holm": p_holm,
            "significant": significant.astype(bool),
        },
        len(pairs),
    )


def assign_tiers(data: BenchmarkData, tests: pl.DataFrame) -> pl.DataFrame:
    """Assign tiers, letters, rank intervals and the best set from the pairwise tests.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables.
    tests : pl.DataFrame
        Rows of the `PairwiseTests` schema of the same data.

    Returns
    -------
    pl.DataFrame
        Rows of the `Tiers` schema.
    """
    parts: list[pl.DataFrame] = [Tiers.create_empty()]
    grouped = tests.partition_by("track", "metric", as_dict=True)
    for metric in data.metrics:
        for track in data.tracks:
            matrix = data.track(track, metric)
            if matrix.models:
                rows = grouped.get((track, metric), PairwiseTests.create_empty())
                parts.append(_tier_track(data, matrix, track, rows))
    return pl.concat(parts)


def _tier_track(data: BenchmarkData, matrix: VerdictMatrix, track: str, tests: pl.DataFrame) -> pl.DataFrame:
    alpha = data.settings.alpha
    order = rank_order(mean_of_cells(matrix))
    names = [matrix.models[i] for i in order]
    n = len(names)
    p_value, difference, p_holm = (_square(tests, names, c) for c in ("p_value", "difference", "p_holm"))
    next_p, next_difference = np.diagonal(p_value, 1), np.diagonal(difference, 1)
    tiers = adjacent_tiers(next_p, next_difference, alpha=alpha)
    with np.errstate(invalid="ignore"):
        differs = np.nan_to_num(p_holm, nan=1.0) < alpha
    sign = np.sign(np.nan_to_num(difference))
    rank_low, rank_high = rank_intervals(differs, sign)
    best = model_confidence_set(
        matrix.values,
        observed=matrix.has_cell,
        rng=data.resampling_rng(track),
        n_resamples=data.settings.resamples,
        alpha=alpha,
        clusters=matrix.clusters,
        weights=matrix.weights,
    )
    return table_frame(
        Tiers,
        {
            "track": track,
            "metric": matrix.metric,
            "model": names,
            "rank": np.arange(1, n + 1),
            "tier": tiers.tier,
            "letters": compact_letters(differs),
            "rank_low": rank_low,
            "rank_high": rank_high,
            "in_best_set": best.included[order],
            "p_next": np.append(next_p, np.nan),
            "alpha_adjusted": tiers.alpha_adjusted if tiers.n_tested else None,
            "reversal": tiers.reversal,
        },
        n,
    )


def _square(tests: pl.DataFrame, names: list[str], column: str) -> np.ndarray:
    """Lay a column out as models x models in rank order; differences are antisymmetric."""
    n = len(names)
    square = np.full((n, n), np.nan)
    place = {name: i for i, name in enumerate(names)}
    a = tests["model_a"].replace_strict(place, return_dtype=pl.Int64).to_numpy()
    b = tests["model_b"].replace_strict(place, return_dtype=pl.Int64).to_numpy()
    values = tests[column].to_numpy()
    square[a, b] = values
    square[b, a] = -values if column == "difference" else values
    return square
