"""Comparison of models two at a time on the items both have.

For each pair the estimand is the mean difference of their cells over the items for which both have
one. Its p-value and interval come from the best method the data allow, and `method` names it:

=====================================  ==========================================================
``sign_flip_exact``                    exact permutation distribution, items flip
``sign_flip_monte_carlo``              joint random flips with the add-one estimate, where scores
                                       lie on no small lattice or counting would take too long
``sign_flip_normal``                   normal approximation, only where random flips would take
                                       more than 2 x 10^12 multiplications
``cluster_sign_flip_...``              the same, whole clusters flip
``matched_runs_...``                   models with different numbers of runs on some item: flips of
                                       differences of matched runs
``item_bootstrap, cluster_bootstrap``  the same case without scores of single runs: bootstrap-t
``none``                               no common items
=====================================  ==========================================================

A plain sign flip of the difference of means over unlike numbers of runs is not a valid test: with 1
against 10 runs of a rare success differences are skewed, and the size at a nominal 0.05 is up to
0.09 (``tests/calibration``). The matched-runs test is exact; the bootstrap-t is close to its level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.joint_counts import MAX_LEVELS, joint_counts
from analysis.stats.lattice import to_integers
from analysis.stats.mcnemar import CochranQ, McNemar, cochran_q, mcnemar_test
from analysis.stats.pair_intervals import (
    MAX_JOINT_WORK,
    count_limits,
    joint_work,
    mean_differences,
    row_replicates,
    same_cells,
    separable_replicates,
    student_limits,
)
from analysis.stats.pair_rows import (
    PairRows,
    common_run_denominator,
    matched_run_differences,
    pair_rows,
    rows_per_block,
)
from analysis.stats.pair_tests import add_one, bootstrap_tests, count_tests, row_tests
from analysis.stats.resampling import Resamples, SignFlips, child_generators
from analysis.stats.results import (
    BoolArray,
    FloatArray,
    IntArray,
    NumericArray,
    check_level,
    check_limits,
    frozen_array,
)
from analysis.stats.units import Cells, as_cells

__all__ = ["CochranQ", "McNemar", "PairedComparisons", "cochran_q", "compare_pairs", "mcnemar_test"]

MAX_FLIP_WORK = 2.0e12
_MAX_SPARE_COUNTS = 2**22


@dataclass(frozen=True)
class PairedComparisons:
    """Comparisons of P pairs of models.

    Parameters
    ----------
    first, second : ndarray of int, shape (P,)
        Indices of the two models.
    difference : ndarray of float, shape (P,)
        Mean of first minus second over common items; NaN where there are none.
    ci_low, ci_high : ndarray of float, shape (P,)
        Bootstrap limits of the difference; NaN where all resamples are equal.
    n_items, n_better, n_worse : ndarray of int, shape (P,)
        Common items, and those on which the first model scores higher and lower.
    p_value : ndarray of float, shape (P,)
        Two-sided p-values; NaN where there are no common items.
    method : ndarray of str, shape (P,)
        How each p-value was found.
    interval_method : ndarray of str, shape (P,)
        How each interval was found.
    level : float
        Confidence level.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_items: IntArray
    n_better: IntArray
    n_worse: IntArray
    p_value: FloatArray
    method: npt.NDArray[np.str_]
    interval_method: npt.NDArray[np.str_]
    level: float

    def __post_init__(self) -> None:
        check_level(self.level)
        for name in ("first", "second", "n_items", "n_better", "n_worse"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        for name in ("difference", "ci_low", "ci_high", "p_value"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        for name in ("method", "interval_method"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.str_))
        shapes = {getattr(self, name).shape for name in self.__dataclass_fields__ if name != "level"}
        if len(shapes) != 1:
            raise ValueError(f"one value per pair everywhere, got shapes {sorted(shapes)}")
        check_limits(self.ci_low, self.ci_high)
        none = self.n_items == 0
        if np.any(none != np.isnan(self.p_value)) or np.any(none != np.isnan(self.difference)):
            raise ValueError("p-value and difference are NaN exactly where there are no common items")
        if np.any(self.n_better + self.n_worse > self.n_items):
            raise ValueError("more discordant than common items")
        with np.errstate(invalid="ignore"):
            if np.any((self.p_value <= 0) | (self.p_value > 1)):
                raise ValueError("p-values must be above 0 and at most 1")


@dataclass
class _Draft:
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    n_items: IntArray
    n_better: IntArray
    n_worse: IntArray
    p: FloatArray
    method: npt.NDArray[np.object_]
    interval_method: npt.NDArray[np.object_]

    @classmethod
    def empty(cls, n: int) -> _Draft:
        def floats() -> FloatArray:
            return np.full(n, np.nan)

        def integers() -> IntArray:
            return np.zeros(n, dtype=np.int64)

        def words() -> npt.NDArray[np.object_]:
            return np.full(n, "none", dtype=object)

        return cls(
            floats(), floats(), floats(), integers(), integers(), integers(), floats(), words(), words()
        )


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
    their own sums over common items; where that would take more than 2 x 10^12 multiplications, or
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
    draft = _Draft.empty(a.size)
    if a.size and cells.n_units:
        runs = None if matched_runs is None else _run_scores(matched_runs, cells)
        unequal = _unequal_runs(cells, _run_numbers(n_runs, runs, cells), a, b)
        comparison = _Comparison(
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


class _Comparison:
    """One call's data and draws, and the choice of method for each pair."""

    def __init__(
        self,
        cells: Cells,
        a: IntArray,
        b: IntArray,
        unequal: BoolArray,
        runs: FloatArray | None,
        tail: float,
        widen: bool,
        rng: np.random.Generator,
        n_resamples: int,
        n_permutations: int,
    ) -> None:
        self.cells, self.a, self.b, self.unequal, self.runs = cells, a, b, unequal, runs
        self.tail, self.widen = tail, widen
        weights_rng, flips_rng, self.counts_rng = child_generators(rng, 3)
        if n_resamples == 0 and np.any(unequal) and runs is None:
            raise ValueError("models with different numbers of runs need n_resamples of at least 1")
        self.resamples = Resamples(weights_rng, cells.n_units, n_resamples or 1)
        self.with_limits = n_resamples != 0
        self.flips = SignFlips(flips_rng, cells.n_units, n_permutations)
        self.denominator = cells.denominator()
        self.prefix = "" if cells.units is None else "cluster_"
        self.interval_name = "bootstrap_expanded" if widen else "bootstrap_percentile"
        self.separable = same_cells(cells, a, b)
        self.test_open = np.ones(a.size, dtype=np.bool_)
        self.limits_open = np.full(a.size, self.with_limits)

    def fill(self, draft: _Draft) -> None:
        values = self._levels()
        if values is not None:
            self._use_counts(draft, values)
        self._shared_limits(draft)
        self._shared_flips(draft)
        self._use_rows(draft)

    def _levels(self) -> FloatArray | None:
        if self.cells.units is not None or self.cells.weights is not None or self.denominator is None:
            return None
        values = _distinct(self.cells.values)
        n_models = self.cells.n_models
        # Counts come for all pairs of models at once: not worth it for a few pairs of very many.
        few = self.a.size < n_models**2 / 16 and (values.size * n_models) ** 2 > _MAX_SPARE_COUNTS
        return values if values.size <= MAX_LEVELS and not few else None

    def _use_counts(self, draft: _Draft, values: FloatArray) -> None:
        cells, denominator = self.cells, int(self.denominator or 1)
        steps = np.rint(values * denominator).astype(np.int64)
        if np.array_equal(values, np.arange(values.size)) and cells.values.dtype == np.int8:
            codes = np.where(cells.observed, cells.values, np.int8(-1))
        else:
            codes = np.where(cells.observed, np.searchsorted(values, cells.values), -1).astype(np.int8)
        counts = joint_counts(codes, values.size)[:, :, self.a, self.b].reshape(values.size**2, -1)
        of_levels = np.subtract.outer(steps, steps).ravel()
        differences = np.unique(of_levels)
        by_difference = np.stack([counts[of_levels == d].sum(axis=0) for d in differences], axis=1)
        draft.n_items[:] = by_difference.sum(axis=1)
        draft.n_better[:] = by_difference[:, differences > 0].sum(axis=1)
        draft.n_worse[:] = by_difference[:, differences < 0].sum(axis=1)
        some = draft.n_items > 0
        draft.difference[some] = (by_difference @ differences)[some] / (draft.n_items[some] * denominator)
        test = np.flatnonzero(some & ~self.unequal)
        p, exact = count_tests(differences, by_difference[test])
        draft.p[test[exact]] = p[exact]
        draft.method[test[exact]] = "sign_flip_exact"
        self.test_open = some & np.isnan(draft.p)
        self.limits_open = some & self.with_limits
        if not self.with_limits:
            return
        rest = np.flatnonzero(some & ~self.separable)
        if not self.resamples.fits_memory:
            rest = np.flatnonzero(some)
        if joint_work(rest.size, self.resamples) > MAX_JOINT_WORK or not self.resamples.fits_memory:
            draft.low[rest], draft.high[rest] = count_limits(
                differences,
                by_difference[rest],
                denominator,
                self.counts_rng,
                self.resamples.n_draws,
                self.tail,
                widen=self.widen,
            )
            draft.interval_method[rest] = self.interval_name
            self.limits_open[rest] = False

    def _shared_limits(self, draft: _Draft) -> None:
        use = np.flatnonzero(self.separable & self.limits_open)
        if not use.size:
            return
        for block, part in separable_replicates(self.cells, self.a[use], self.b[use], self.resamples):
            draft.low[use[block]], draft.high[use[block]] = part.limits(self.tail, widen=self.widen)
        draft.interval_method[use] = self.interval_name
        self.limits_open[use] = False

    def _shared_flips(self, draft: _Draft) -> None:
        # Scores off any lattice without missing cells: flipping a difference is flipping both scores.
        use = np.flatnonzero(self.separable & self.test_open & ~self.unequal)
        if self.denominator is not None or not use.size or self.cells.n_units <= 16:
            return
        rows, _ = to_integers(self.cells.row_sums(self.cells.values), None, 2 * self.cells.n_units)
        (sums,) = self.flips.sum_rows(rows)
        total = rows.sum(axis=1)
        for i in use.tolist():
            reach = np.abs(total[self.a[i]] - total[self.b[i]])
            draft.p[i] = add_one(np.abs(sums[self.a[i]] - sums[self.b[i]]) >= reach)
            draft.method[i] = f"{self.prefix}sign_flip_monte_carlo"
        self.test_open[use] = False

    def _use_rows(self, draft: _Draft) -> None:
        n_limits = np.count_nonzero(self.limits_open)
        joint = joint_work(int(n_limits), self.resamples) <= MAX_JOINT_WORK
        use = np.flatnonzero(self.test_open | self.limits_open | np.isnan(draft.difference))
        size = rows_per_block(self.cells.observed.shape[1])
        for start in range(0, use.size, size):
            i = use[start : start + size]
            rows = pair_rows(self.cells, self.a[i], self.b[i])
            self._summarise(draft, i, rows)
            some = draft.n_items[i] > 0
            self._test_rows(draft, i[some & self.test_open[i]], rows, some & self.test_open[i])
            keep = some & self.limits_open[i]
            if np.any(keep):
                part = PairRows(rows.difference[keep], rows.weight[keep])
                self._limit_rows(draft, i[keep], part, joint)

    def _summarise(self, draft: _Draft, i: npt.NDArray[np.intp], rows: PairRows) -> None:
        common = self.cells.observed[self.a[i]] & self.cells.observed[self.b[i]]
        x, y = self.cells.values[self.a[i]], self.cells.values[self.b[i]]
        draft.n_items[i] = common.sum(axis=1)
        draft.n_better[i] = ((x > y) & common).sum(axis=1)
        draft.n_worse[i] = ((x < y) & common).sum(axis=1)
        draft.difference[i] = mean_differences(rows, self.cells)

    def _test_rows(self, draft: _Draft, i: npt.NDArray[np.intp], rows: PairRows, keep: BoolArray) -> None:
        unequal = self.unequal[i]
        difference, weight = rows.difference[keep], rows.weight[keep]
        plain = i[~unequal]
        if plain.size:
            work = 2.0 * plain.size * self.flips.n_units * self.flips.n_draws
            self._flip(draft, plain, difference[~unequal], self.denominator, "", work)
        if not np.any(unequal):
            return
        other = i[unequal]
        if self.runs is not None:
            matched = np.zeros((other.size, self.cells.observed.shape[1]))
            for row, pair in enumerate(other.tolist()):
                values, _ = matched_run_differences(self.runs[:, self.a[pair]], self.runs[:, self.b[pair]])
                both = self.cells.observed[self.a[pair]] & self.cells.observed[self.b[pair]]
                matched[row] = np.where(both, values, 0.0)
            denominator = common_run_denominator(self.runs) if self.cells.weights is None else None
            self._flip(draft, other, self.cells.row_sums(matched), denominator, "matched_runs_", 0.0)
        else:
            draft.p[other] = bootstrap_tests(difference[unequal], weight[unequal], self.resamples)
            draft.method[other] = "item_bootstrap" if self.cells.units is None else "cluster_bootstrap"

    def _flip(
        self,
        draft: _Draft,
        i: npt.NDArray[np.intp],
        rows: FloatArray,
        denominator: int | None,
        kind: str,
        work: float,
    ) -> None:
        if work > MAX_FLIP_WORK:
            z = np.abs(rows.sum(axis=1)) / np.sqrt(np.maximum(np.sum(rows**2, axis=1), 1e-300))
            draft.p[i] = np.clip(2 * special.ndtr(-z), np.finfo(np.float64).tiny, 1.0)
            draft.method[i] = f"{kind}{self.prefix}sign_flip_normal"
            return
        p, how = row_tests(rows, denominator, self.flips)
        draft.p[i] = p
        draft.method[i] = [f"{kind}{self.prefix}sign_flip_{word}" for word in how.tolist()]

    def _limit_rows(self, draft: _Draft, i: npt.NDArray[np.intp], rows: PairRows, joint: bool) -> None:
        if joint:
            part = row_replicates(rows, self.cells, self.resamples)
            draft.low[i], draft.high[i] = part.limits(self.tail, widen=self.widen)
            draft.interval_method[i] = self.interval_name
        else:
            draft.low[i], draft.high[i] = student_limits(rows, self.tail)
            draft.interval_method[i] = "student"


def _distinct(values: NumericArray) -> FloatArray:
    # Large binary input is not sorted to find its two values.
    if values.dtype == np.int8 and values.size and values.min() >= 0 and values.max() < MAX_LEVELS:
        return np.arange(float(values.max()) + 1)
    return np.unique(values).astype(np.float64)


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
