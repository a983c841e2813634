"""Comparison of models two at a time on the items both have.

For each pair the estimand is the mean difference of their cells over the items for which both have
one. Its p-value and interval come from the best method the data allow, and `method` names it:

=====================================  ==========================================================
``sign_flip_exact``                    exact permutation distribution, items flip
``sign_flip_monte_carlo``              joint random flips with the add-one estimate, where scores
                                       lie on no small lattice or counting would take too long
``sign_flip_normal``                   normal approximation, only where random flips would take
                                       more than 5 x 10^11 multiplications
``cluster_sign_flip_...``              the same, whole clusters flip
``matched_runs_...``                   models with different numbers of runs on some item: flips of
                                       differences of matched runs
``item_bootstrap, cluster_bootstrap``  the same case without scores of single runs: bootstrap-t
``item_student, cluster_student``      the same, for more units than can be resampled in memory
``none``                               no common items
=====================================  ==========================================================

A plain sign flip of the difference of means over unlike numbers of runs is not a valid test: with 1
against 10 runs of a rare success differences are skewed, and the size at a nominal 0.05 is up to
0.09 (``tests/calibration``). The matched-runs test is exact; the bootstrap-t is close to its level.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.comparisons import Draft, PairedComparisons
from analysis.stats.mcnemar import CochranQ, McNemar, cochran_q, mcnemar_test
from analysis.stats.pair_methods import Comparison
from analysis.stats.pair_rows import rows_per_block
from analysis.stats.results import BoolArray, FloatArray, IntArray, check_level
from analysis.stats.units import Cells, as_cells

__all__ = ["CochranQ", "McNemar", "PairedComparisons", "cochran_q", "compare_pairs", "mcnemar_test"]


def compare_pairs(
    scores: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int,
    n_permutations: int,
    level: float,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    observed: npt.ArrayLike | None = None,
    n_runs: npt.ArrayLike | None = None,
    matched_runs: npt.ArrayLike | None = None,
    pairs: npt.ArrayLike | None = None,
    interval: str = "expanded",
) -> PairedComparisons:
    """Compare pairs of models on their common items.

    Parameters
    ----------
    scores : array_like, shape (M, N)
        Scores; NaN where a model has no cell. Compact integers need `observed` unless complete.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples, n_permutations : int
        Resamples for intervals, 0 for tests without intervals; random flips where a test is not
        counted exactly.
    level : float
        Confidence level.
    clusters : array_like of int, shape (N,), optional
        Cluster codes: whole clusters are flipped and resampled.
    weights : array_like of float, shape (N,), optional
        Item weights.
    observed : array_like of bool, shape (M, N), optional
        Which cells exist.
    n_runs : array_like of int, shape (M, N), optional
        Scored runs behind each cell; None means equally many everywhere, unless `matched_runs`
        tells otherwise.
    matched_runs : array_like of float, shape (R, M, N), optional
        Scores of single runs, NaN where a run was not scored, used for the tests of pairs whose
        numbers of runs differ on some common item.
    pairs : array_like of int, shape (P, 2), optional
        Pairs to compare, in the order given; all unordered pairs where None.
    interval : {"expanded", "percentile"}
        Bootstrap interval; see :mod:`analysis.stats.bootstrap`.

    Returns
    -------
    PairedComparisons

    Raises
    ------
    ValueError
        If shapes do not fit or a number is not admissible.

    Notes
    -----
    Exchanging the models of a pair changes the sign of the difference and its limits and nothing
    else. Intervals come from the resamples that :func:`analysis.stats.bootstrap.bootstrap_means`
    draws from a generator in the same state. Pairs with unlike missing cells are resampled with
    their own sums over common items; where that would take more than 2 x 10^11 multiplications, or
    resamples no longer fit into memory (more than 2^27 counts), limits come from the pair's own
    counts of differences, or are Student's if there are none.

    Examples
    --------
    >>> scores = np.array([[1, 1, 1, 1, 1, 1, 0, 1.0], [0, 0, 1, 0, 0, 0, 0, 0]])
    >>> result = compare_pairs(
    ...     scores, rng=np.random.default_rng(0), n_resamples=200, n_permutations=200, level=0.95
    ... )
    >>> result.difference.tolist(), result.p_value.tolist(), result.method.tolist()
    ([0.75], [0.03125], ['sign_flip_exact'])
    """
    check_level(level)
    if interval not in ("expanded", "percentile"):
        raise ValueError(f"unknown interval {interval!r}: expanded, percentile")
    cells = as_cells(scores, clusters=clusters, weights=weights, observed=observed)
    first, second = _pair_indices(pairs, cells.n_models)
    flipped = first > second
    a, b = np.where(flipped, second, first), np.where(flipped, first, second)
    draft = Draft.empty(a.size)
    if a.size and cells.n_units:
        runs = None if matched_runs is None else _run_scores(matched_runs, cells)
        unequal = _unequal_runs(cells, _run_numbers(n_runs, runs, cells), a, b)
        comparison = Comparison(
            cells,
            a,
            b,
            unequal,
            runs,
            (1 - level) / 2,
            interval == "expanded",
            rng,
            n_resamples,
            n_permutations,
        )
        comparison.fill(draft)
    sign = np.where(flipped, -1.0, 1.0)
    return PairedComparisons(
        first,
        second,
        sign * draft.difference,
        np.where(flipped, -draft.high, draft.low),
        np.where(flipped, -draft.low, draft.high),
        draft.n_items,
        np.where(flipped, draft.n_worse, draft.n_better),
        np.where(flipped, draft.n_better, draft.n_worse),
        draft.p,
        draft.method.astype(np.str_),
        draft.interval_method.astype(np.str_),
        level,
    )


def _pair_indices(pairs: npt.ArrayLike | None, n_models: int) -> tuple[IntArray, IntArray]:
    if pairs is None:
        first, second = np.triu_indices(n_models, k=1)
        return first.astype(np.int64), second.astype(np.int64)
    table = np.asarray(pairs)
    if table.size == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if table.ndim != 2 or table.shape[1] != 2 or not np.issubdtype(table.dtype, np.integer):
        raise ValueError(f"pairs must be integers of shape (pairs, 2), got {table.shape}")
    if table.min() < 0 or table.max() >= n_models:
        raise ValueError(f"pairs must name models 0 to {n_models - 1}")
    if np.any(table[:, 0] == table[:, 1]):
        raise ValueError("a pair has two different models")
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)


def _run_scores(matched_runs: npt.ArrayLike, cells: Cells) -> FloatArray:
    runs = np.asarray(matched_runs, dtype=np.float64)
    if runs.ndim != 3 or runs.shape[1:] != cells.observed.shape:
        raise ValueError(f"matched_runs must have shape (runs, models, items), got {runs.shape}")
    return runs


def _run_numbers(n_runs: npt.ArrayLike | None, runs: FloatArray | None, cells: Cells) -> IntArray | None:
    if n_runs is not None:
        numbers = np.asarray(n_runs, dtype=np.int64)
        if numbers.shape != cells.observed.shape:
            raise ValueError(f"n_runs has shape {numbers.shape}, scores have {cells.observed.shape}")
        return numbers
    return None if runs is None else np.count_nonzero(~np.isnan(runs), axis=0).astype(np.int64)


def _unequal_runs(cells: Cells, n_runs: IntArray | None, a: IntArray, b: IntArray) -> BoolArray:
    unequal = np.zeros(a.size, dtype=np.bool_)
    if n_runs is None or np.unique(n_runs[cells.observed]).size <= 1:
        return unequal
    size = rows_per_block(cells.observed.shape[1])
    for start in range(0, a.size, size):
        x, y = a[start : start + size], b[start : start + size]
        common = cells.observed[x] & cells.observed[y]
        unequal[start : start + size] = np.any(common & (n_runs[x] != n_runs[y]), axis=1)
    return unequal
