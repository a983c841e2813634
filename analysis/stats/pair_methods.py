"""The choice of test and interval for each pair of one comparison."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.comparisons import Draft
from analysis.stats.joint_counts import MAX_LEVELS, joint_counts
from analysis.stats.lattice import to_integers
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
from analysis.stats.pair_tests import (
    add_one,
    bootstrap_tests,
    count_tests,
    drawn_row_tests,
    exact_row_tests,
    normal_row_tests,
    student_tests,
)
from analysis.stats.resampling import Resamples, SignFlips, child_generators
from analysis.stats.results import BoolArray, FloatArray, IntArray, NumericArray
from analysis.stats.sign_flip import MAX_ENUMERATED
from analysis.stats.units import Cells

MAX_FLIP_WORK = 5.0e11
"""Multiplications up to which sign flips are drawn."""

_MAX_SPARE_COUNTS = 2**22


class Comparison:
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
        self.may_flip = True
        self._model_flips: tuple[FloatArray, FloatArray] | None = None

    def fill(self, draft: Draft) -> None:
        """Fill in all pairs, by counts where they carry everything and row by row where not."""
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

    def _use_counts(self, draft: Draft, values: FloatArray) -> None:
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

    def _shared_limits(self, draft: Draft) -> None:
        use = np.flatnonzero(self.separable & self.limits_open)
        if not use.size:
            return
        for block, part in separable_replicates(self.cells, self.a[use], self.b[use], self.resamples):
            draft.low[use[block]], draft.high[use[block]] = part.limits(self.tail, widen=self.widen)
        draft.interval_method[use] = self.interval_name
        self.limits_open[use] = False

    def _shared_flips(self, draft: Draft) -> None:
        # Scores off any lattice without missing cells need no rows of their own for each pair.
        use = np.flatnonzero(self.separable & self.test_open & ~self.unequal)
        if self.denominator is not None or self.cells.n_units <= MAX_ENUMERATED or not self._may_share():
            return
        draft.p[use] = self._draw_shared(use)
        draft.method[use] = f"{self.prefix}sign_flip_monte_carlo"
        self.test_open[use] = False

    def _may_share(self) -> bool:
        return 2.0 * self.cells.n_models * self.flips.n_units * self.flips.n_draws <= MAX_FLIP_WORK

    def _draw_shared(self, pairs: npt.NDArray[np.intp]) -> FloatArray:
        # Flipping the difference of two models with the same cells is flipping both scores.
        if self._model_flips is None:
            n_terms = 2 * self.cells.n_units
            rows, _ = to_integers(self.cells.row_sums(self.cells.values), self.denominator, n_terms)
            self._model_flips = rows.sum(axis=1), self.flips.sum_rows(rows)[0]
        total, sums = self._model_flips
        p = np.empty(pairs.size)
        for position, pair in enumerate(pairs.tolist()):
            a, b = self.a[pair], self.b[pair]
            p[position] = add_one(np.abs(sums[a] - sums[b]) >= np.abs(total[a] - total[b]))
        return p

    def _use_rows(self, draft: Draft) -> None:
        use = np.flatnonzero(self.test_open | self.limits_open | np.isnan(draft.difference))
        size = rows_per_block(self.cells.observed.shape[1])
        n_limits, n_tests = (int(np.count_nonzero(x)) for x in (self.limits_open, self.test_open))
        # Draws that do not fit into memory are made again for every block of pairs: one is enough.
        joint = joint_work(n_limits, self.resamples) <= MAX_JOINT_WORK
        joint = joint and (self.resamples.fits_memory or use.size <= size)
        flip_work = 2.0 * n_tests * self.flips.n_units * self.flips.n_draws
        self.may_flip = flip_work <= MAX_FLIP_WORK and (self.flips.fits_memory or use.size <= size)
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

    def _summarise(self, draft: Draft, i: npt.NDArray[np.intp], rows: PairRows) -> None:
        common = self.cells.observed[self.a[i]] & self.cells.observed[self.b[i]]
        x, y = self.cells.values[self.a[i]], self.cells.values[self.b[i]]
        draft.n_items[i] = common.sum(axis=1)
        draft.n_better[i] = ((x > y) & common).sum(axis=1)
        draft.n_worse[i] = ((x < y) & common).sum(axis=1)
        draft.difference[i] = mean_differences(rows, self.cells)

    def _test_rows(self, draft: Draft, i: npt.NDArray[np.intp], rows: PairRows, keep: BoolArray) -> None:
        unequal = self.unequal[i]
        difference, weight = rows.difference[keep], rows.weight[keep]
        plain = i[~unequal]
        if plain.size:
            self._flip(draft, plain, difference[~unequal], self.denominator, "")
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
            self._flip(draft, other, self.cells.row_sums(matched), denominator, "matched_runs_")
            return
        unit = "item_" if self.cells.units is None else "cluster_"
        if self.resamples.fits_memory:
            draft.p[other] = bootstrap_tests(difference[unequal], weight[unequal], self.resamples)
            draft.method[other] = unit + "bootstrap"
        else:
            draft.p[other] = student_tests(difference[unequal], weight[unequal])
            draft.method[other] = unit + "student"

    def _flip(
        self, draft: Draft, i: npt.NDArray[np.intp], rows: FloatArray, denominator: int | None, kind: str
    ) -> None:
        p = exact_row_tests(rows, denominator)
        how = np.full(i.size, "exact", dtype=object)
        if not kind and self._may_share():
            shared = np.flatnonzero(np.isnan(p) & self.separable[i])
            p[shared], how[shared] = self._draw_shared(i[shared]), "monte_carlo"
        left = np.flatnonzero(np.isnan(p))
        if left.size and self.may_flip:
            p[left], how[left] = drawn_row_tests(rows[left], denominator, self.flips), "monte_carlo"
        elif left.size:
            p[left], how[left] = normal_row_tests(rows[left]), "normal"
        draft.p[i] = p
        draft.method[i] = [f"{kind}{self.prefix}sign_flip_{word}" for word in how.tolist()]

    def _limit_rows(self, draft: Draft, i: npt.NDArray[np.intp], rows: PairRows, joint: bool) -> None:
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
