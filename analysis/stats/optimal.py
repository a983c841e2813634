"""Search for the optimal ensemble of every size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.ensembles import (
    MAX_MODELS,
    MAX_OPEN,
    MAX_PROGRAMME,
    CoverageProblem,
    CoverageSolver,
    OptimalEnsemble,
    first_best,
    model_bounds,
)
from analysis.stats.greedy import CoveragePath, greedy_coverage, marginal_gains, solve_patterns
from analysis.stats.results import BoolArray, FloatArray, IntArray


def optimal_coverage(solved: npt.ArrayLike, *, work: float = 5_000.0) -> list[OptimalEnsemble]:
    """Find for every size the set of models that covers most items.

    Parameters
    ----------
    solved : array_like of bool, shape (M, N)
        Whether a model solves an item.
    work : float
        Limit on the integer programmes of all sizes together: branch-and-bound nodes times the
        1.5th power of thousands of solved (pattern, model) entries.

    Returns
    -------
    list of OptimalEnsemble
        One for each size 1 to M; the first optimal set in lexicographic order of model indices.

    Notes
    -----
    See :mod:`analysis.stats.ensembles` for the search. Where the limit stops it, or the patterns
    are too many for a linear programme, the best set found is returned with the bound that was
    proven.

    Examples
    --------
    >>> solved = [[1, 1, 0, 0, 0], [0, 1, 1, 1, 0], [1, 0, 0, 0, 1], [0, 0, 0, 1, 1]]
    >>> [(e.members, e.covered) for e in optimal_coverage(solved)]
    [((1,), 3), ((1, 2), 5), ((0, 1, 2), 5), ((0, 1, 2, 3), 5)]
    """
    patterns, counts = solve_patterns(solved)
    problem = CoverageProblem(patterns, counts)
    m = problem.n_models
    if m <= MAX_MODELS:
        return _by_enumeration(problem)
    path = greedy_coverage(solved)
    if int(patterns.sum()) > MAX_PROGRAMME:
        return _by_greedy(path, marginal_gains(solved, path))
    search = _Search(problem, path.order.tolist(), work)
    return [search.best(size) for size in range(1, m + 1)]


def _by_greedy(path: CoveragePath, gains: IntArray) -> list[OptimalEnsemble]:
    # Whatever greedy set S is taken, a set of k models covers at most what S does and the k largest
    # gains over S (submodularity); the best of these bounds over all S counts.
    m = path.order.size
    best_gains = np.cumsum(-np.sort(-gains, axis=1), axis=1)
    total = int(path.covered[-1])
    out = []
    for size in range(1, m + 1):
        bound = min(total, int(np.min(np.concatenate([[0], path.covered]) + best_gains[:, size - 1])))
        covered = int(path.covered[size - 1])
        members = tuple(sorted(path.order[:size].tolist()))
        out.append(OptimalEnsemble(size, members, covered, bound, covered == bound, size == m))
    return out


def _by_enumeration(problem: CoverageProblem) -> list[OptimalEnsemble]:
    m = problem.n_models
    if m == 0:
        return []
    covered = problem.enumerate()
    masks = np.arange(covered.size, dtype=np.int64)
    # One number that orders sets of a size: what they cover, then which comes first.
    key = (covered << m) | masks
    best = np.full(m + 1, -1, dtype=np.int64)
    np.maximum.at(best, np.bitwise_count(masks.astype(np.uint32)), key)
    out = []
    for size in range(1, m + 1):
        value, mask = int(best[size]) >> m, int(best[size]) & ((1 << m) - 1)
        members = tuple(i for i in range(m) if mask >> (m - 1 - i) & 1)
        out.append(OptimalEnsemble(size, members, value, value, True, True))
    return out


class _Search:
    def __init__(self, problem: CoverageProblem, greedy_order: list[int], work: float) -> None:
        self.problem = problem
        self.greedy_order = greedy_order
        self.solver = CoverageSolver(problem, work)
        self.covers = _Covers(problem)
        self.cover: list[int] = []

    def best(self, size: int) -> OptimalEnsemble:
        problem, m = self.problem, self.problem.n_models
        if self.cover:
            return self._full_cover(size, self.cover)
        start = problem.exchange(sorted(self.greedy_order[:size])) if size < m else list(range(m))
        reached = problem.covered(start)
        if reached == problem.total:
            return self._full_cover(size, start)
        bounds = model_bounds(problem, self.solver.multipliers(size), size)
        inside, free = self._open(bounds, reached)
        if len(free) > MAX_OPEN:
            answer = self.solver.solve(size, inside, self._rest(inside, free), [])
            bound = max(reached, min(answer.bound, bounds[0]))
            if answer.covered > reached:
                start, reached = answer.members, answer.covered
                bound = max(bound, reached)
            if reached < bound:
                return OptimalEnsemble(size, tuple(start), reached, bound, False, False)
            if reached == problem.total:
                return self._full_cover(size, start)
            inside, free = self._open(bounds, reached)
        if len(free) <= MAX_OPEN:
            added, _ = first_best(problem.restrict(inside, free), size - len(inside))
            members = sorted([*inside, *[free[i] for i in added]])
            total = problem.covered(members)
            if total == problem.total:
                return self._full_cover(size, members)
            return OptimalEnsemble(size, tuple(members), total, total, True, True)
        members, first = self._first_by_programme(size, start, reached, inside, free)
        return OptimalEnsemble(size, tuple(members), reached, reached, True, first)

    def _open(self, bounds: tuple[int, FloatArray, FloatArray], reached: int) -> tuple[list[int], list[int]]:
        _, with_model, without_model = bounds
        inside = np.flatnonzero(without_model < reached).tolist()
        outside = np.flatnonzero(with_model < reached).tolist()
        return inside, self._rest(inside, outside)

    def _rest(self, some: list[int], others: list[int]) -> list[int]:
        return sorted(set(range(self.problem.n_models)) - set(some) - set(others))

    def _first_by_programme(
        self, size: int, start: list[int], target: int, inside: list[int], free: list[int]
    ) -> tuple[list[int], bool]:
        # At each position: is there an optimal set with the same members before it, and an earlier
        # one here? If so go on with that; if not no optimal set has any of those models next.
        current, outside = sorted(start), set(self._rest(inside, free))
        position, first = 0, True
        while position < size:
            before = current[position - 1] if position else -1
            earlier = [i for i in range(before + 1, current[position]) if i not in outside]
            if earlier:
                fixed = sorted({*current[:position], *inside})
                answer = self.solver.solve(size, fixed, sorted(outside), earlier)
                if answer.covered >= target:
                    current = sorted(answer.members)
                    continue
                if answer.bound >= target:
                    first = False
                outside.update(earlier)
            position += 1
        return current, first

    def _full_cover(self, size: int, start: list[int]) -> OptimalEnsemble:
        total = self.problem.total
        if self.covers.known:
            return OptimalEnsemble(size, self.covers.first(size), total, total, True, True)
        if self.cover:
            # A cover of one model less, and the first model it leaves out: a good place to start.
            spare = next(i for i in range(self.problem.n_models) if i not in self.cover)
            start = sorted([*self.cover, spare])
        members, first = self._first_by_programme(
            size, start, total, self.covers.forced, self._rest(self.covers.forced, [])
        )
        self.cover = members
        return OptimalEnsemble(size, tuple(members), total, total, True, first)


class _Covers:
    """Sets that cover everything: forced models, and the minimal ways to cover what they leave."""

    def __init__(self, problem: CoverageProblem) -> None:
        patterns = problem.patterns
        self.n_models = problem.n_models
        alone = patterns[patterns.sum(axis=1) == 1]
        self.forced = np.flatnonzero(alone.any(axis=0)).tolist()
        left = patterns[~patterns[:, self.forced].any(axis=1)]
        # A pattern that holds another is covered with it.
        order = np.argsort(left.sum(axis=1), kind="stable")
        kept: list[BoolArray] = []
        for row in left[order]:
            if not any(np.all(row[small]) for small in kept):
                kept.append(row)
        rows = np.array(kept, dtype=np.bool_).reshape(-1, self.n_models)
        self.relevant = np.flatnonzero(rows.any(axis=0)).tolist()
        self.known = len(self.relevant) <= MAX_OPEN
        self.minimal = self._minimal(rows) if self.known else np.zeros(0, dtype=np.int64)

    def _minimal(self, rows: BoolArray) -> IntArray:
        f = len(self.relevant)
        if f == 0:
            return np.zeros(1, dtype=np.int64)
        inner = CoverageProblem(rows[:, self.relevant], np.ones(rows.shape[0], dtype=np.int64))
        covers = inner.enumerate() == rows.shape[0]
        minimal = covers.copy()
        masks = np.arange(covers.size)
        for bit in range(f):
            minimal &= ~((masks >> bit & 1 == 1) & covers[masks & ~(1 << bit)])
        return np.flatnonzero(minimal)

    def first(self, size: int) -> tuple[int, ...]:
        """Return the first set of a size, in lexicographic order, that covers everything."""
        bit = {model: 1 << j for j, model in enumerate(reversed(self.relevant))}
        pending, possible = set(self.forced), self.minimal
        chosen: list[int] = []
        chosen_mask = 0
        for model in range(self.n_models):
            if len(chosen) == size:
                break
            mask = chosen_mask | bit.get(model, 0)
            missing = np.bitwise_count((possible & ~mask).astype(np.uint32))
            still = len(pending - {model}) + int(missing.min())
            if len(chosen) + 1 + still <= size:
                chosen.append(model)
                chosen_mask = mask
                pending.discard(model)
            else:
                # No cover of this size goes on from here with the model: covers that need it leave.
                possible = possible[possible & bit.get(model, 0) == 0]
        return tuple(chosen)
