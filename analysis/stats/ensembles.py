"""The best set of models of every size, by number of items that at least one of them solves.

Items matter only through which models solve them, so distinct patterns with counts are all that is
searched. Up to 22 models every set is looked at. Beyond, for each size

1. a greedy set, improved by exchanges, gives a value that can be reached;
2. the linear relaxation (HiGHS) gives multipliers, and with them for each model a bound on every
   set that holds it, and on every set that does not: most models are thereby in every optimal set
   or in none;
3. if 20 or fewer models stay open, every set of those is looked at; else HiGHS solves the integer
   programme, within a limit on branch-and-bound nodes, not on time, so that results repeat.

Of several optimal sets the first in lexicographic order of model indices is returned. Data with more
than 60,000 solved (pattern, model) entries are beyond the programmes: they get the greedy set and a
bound from its marginal gains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.results import BoolArray, FloatArray, IntArray

MAX_MODELS = 22
"""Models up to which every set is looked at."""

MAX_OPEN = 20
"""Models that bounds leave open for one size up to which every set of those is looked at."""

MAX_PROGRAMME = 60_000
"""Solved (pattern, model) entries above which no linear programme is tried."""

PROGRAMME_WORK = 2_000.0
"""Work allowed in one integer programme: nodes times the 1.5th power of thousands of entries."""

ROOT_NODES = 10
"""Nodes that the root of an integer programme, with its cuts and heuristics, counts as."""


@dataclass(frozen=True)
class OptimalEnsemble:
    """The best set of models of one size.

    Parameters
    ----------
    size : int
        Number of models.
    members : tuple of int
        Their indices, ascending.
    covered : int
        Items that at least one of them solves.
    bound : int
        Proven upper bound on what any set of this size covers.
    proven : bool
        Whether `members` is known to be optimal, that is whether `covered` equals `bound`.
    first : bool
        Whether `members` is known to be the first optimal set in lexicographic order.
    """

    size: int
    members: tuple[int, ...]
    covered: int
    bound: int
    proven: bool
    first: bool

    def __post_init__(self) -> None:
        if len(self.members) != self.size or list(self.members) != sorted(set(self.members)):
            raise ValueError("members are as many distinct indices as the size says, ascending")
        if self.covered > self.bound:
            raise ValueError("more is covered than the bound allows")
        if self.proven != (self.covered == self.bound):
            raise ValueError("an ensemble is proven optimal exactly where it reaches its bound")


class CoverageProblem:
    """Patterns of which models solve an item, with counts.

    Parameters
    ----------
    patterns : ndarray of bool, shape (K, M)
        Distinct patterns.
    counts : ndarray of int, shape (K,)
        Items of each.
    """

    def __init__(self, patterns: BoolArray, counts: IntArray) -> None:
        self.patterns = patterns
        self.counts = counts
        self.n_models = int(patterns.shape[1])
        self.total = int(counts.sum())

    def covered(self, members: npt.ArrayLike) -> int:
        """Return how many items at least one of the members solves."""
        return int(self.counts[self.patterns[:, np.asarray(members, dtype=np.int64)].any(axis=1)].sum())

    def enumerate(self) -> IntArray:
        """Return what every set of models covers, by bit mask with model 0 in the highest bit."""
        bits = 1 << np.arange(self.n_models - 1, -1, -1, dtype=np.int64)
        sets = self.patterns.astype(np.int64) @ bits
        missed = np.bincount(sets, weights=self.counts, minlength=1 << self.n_models)
        missed = missed.astype(np.int32)
        for bit in range(self.n_models):
            pairs = missed.reshape(-1, 2, 1 << bit)
            pairs[:, 1] += pairs[:, 0]
        # missed[S] sums patterns inside S: those that the complement of S does not cover.
        return self.total - missed[::-1].astype(np.int64)

    def restrict(self, inside: list[int], free: list[int]) -> CoverageProblem:
        """Return the problem of adding free models to those inside."""
        left = ~self.patterns[:, inside].any(axis=1)
        return CoverageProblem(self.patterns[left][:, free], self.counts[left])

    def exchange(self, members: list[int]) -> list[int]:
        """Improve a set by exchanging one member at a time, while that covers more."""
        chosen = list(members)
        while True:
            hits = self.patterns[:, chosen].sum(axis=1)
            best = (0, -1, -1)
            for out in range(len(chosen)):
                open_patterns = (hits - self.patterns[:, chosen[out]]) == 0
                lost = int(self.counts[open_patterns & (hits > 0)].sum())
                gains = self.counts[open_patterns] @ self.patterns[open_patterns]
                gains[chosen] = 0
                into = int(np.argmax(gains))
                if int(gains[into]) - lost > best[0]:
                    best = (int(gains[into]) - lost, out, into)
            if best[0] == 0:
                return sorted(chosen)
            chosen[best[1]] = best[2]


def first_best(problem: CoverageProblem, size: int) -> tuple[list[int], int]:
    """Look at all sets of a size; return the first that covers most, and what it covers."""
    m = problem.n_models
    covered = problem.enumerate()
    masks = np.flatnonzero(np.bitwise_count(np.arange(covered.size, dtype=np.uint32)) == size)
    best = int(covered[masks].max())
    # The largest mask of one size is the set that comes first.
    mask = int(masks[covered[masks] == best].max())
    return [i for i in range(m) if mask >> (m - 1 - i) & 1], best


@dataclass(frozen=True)
class Programme:
    """Answer of the integer programme: a set or none, what it covers and a bound."""

    members: list[int]
    covered: int
    bound: int
    finished: bool


class CoverageSolver:
    """Linear and integer programmes over one problem.

    Parameters
    ----------
    problem : CoverageProblem
        Patterns and counts.
    work : float
        Work allowed in all integer programmes together, in the unit of ``PROGRAMME_WORK``.
    """

    def __init__(self, problem: CoverageProblem, work: float) -> None:
        from scipy import sparse

        self.problem = problem
        self.node_work = (max(1, int(problem.patterns.sum())) / 1000) ** 1.5
        self.work_left = work
        k, m = problem.patterns.shape
        # An item counts only if a member solves it: y_pattern - sum of its x_model <= 0.
        self._covering = sparse.hstack(
            [-sparse.csr_matrix(problem.patterns.astype(np.float64)), sparse.eye_array(k)], format="csr"
        )
        self._size_row = np.concatenate([np.ones(m), np.zeros(k)])[None]
        self._objective = -np.concatenate([np.zeros(m), problem.counts.astype(np.float64)])

    def multipliers(self, size: int) -> FloatArray:
        """Return multipliers of the patterns from the linear relaxation, between 0 and counts."""
        from scipy.optimize import linprog

        solution = linprog(
            self._objective,
            A_ub=self._covering,
            b_ub=np.zeros(self.problem.counts.size),
            A_eq=self._size_row,
            b_eq=[size],
            bounds=(0, 1),
            method="highs-ds",
        )
        if solution.status != 0:
            return np.zeros(self.problem.counts.size)
        multipliers: FloatArray = np.clip(-solution.ineqlin.marginals, 0, self.problem.counts)
        return multipliers

    def solve(self, size: int, inside: list[int], outside: list[int], one_of: list[int]) -> Programme:
        """Find the best set of a size with some models inside, some outside and one of some inside."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        node_limit = int(min(PROGRAMME_WORK, self.work_left) / self.node_work) - ROOT_NODES
        if node_limit < 1:
            return Programme([], -1, self.problem.total, False)
        m = self.problem.n_models
        n = self._objective.size
        low, high = np.zeros(n), np.ones(n)
        low[inside], high[outside] = 1, 0
        constraints = [
            LinearConstraint(self._covering, -np.inf, 0),
            LinearConstraint(self._size_row, size, size),
        ]
        if one_of:
            row = np.zeros((1, n))
            row[0, one_of] = 1
            constraints.append(LinearConstraint(row, 1, np.inf))
        integrality = np.zeros(n)
        integrality[:m] = 1
        answer = milp(
            self._objective,
            constraints=constraints,
            integrality=integrality,
            bounds=Bounds(low, high),
            options={"node_limit": node_limit, "mip_rel_gap": 0.0},
        )
        self.work_left -= self.node_work * (ROOT_NODES + int(getattr(answer, "mip_node_count", 0) or 0))
        if answer.status == 2:
            return Programme([], -1, -1, True)
        dual = getattr(answer, "mip_dual_bound", None)
        bound = self.problem.total if dual is None else int(np.floor(-dual + 1e-4))
        if answer.x is None:
            return Programme([], -1, bound, False)
        members = np.flatnonzero(answer.x[:m] > 0.5).tolist()
        covered = self.problem.covered(members)
        return Programme(members, covered, max(bound, covered), answer.status == 0)


def model_bounds(
    problem: CoverageProblem, multipliers: FloatArray, size: int
) -> tuple[int, FloatArray, FloatArray]:
    """Bound what sets of a size can cover, by relaxing the link of items and models.

    Parameters
    ----------
    problem : CoverageProblem
        Patterns and counts.
    multipliers : ndarray of float, shape (K,)
        Multipliers between 0 and counts; any give a valid bound.
    size : int
        Size of the sets, from 1 to M - 1.

    Returns
    -------
    bound : int
        Of all sets.
    with_model, without_model : ndarray of float, shape (M,)
        Of the sets that hold a model, and that do not.
    """
    worth = multipliers @ problem.patterns
    base = float(np.sum(problem.counts - multipliers))
    descending = np.sort(worth)[::-1]
    top, last, following = float(descending[:size].sum()), descending[size - 1], descending[size]
    inside = worth >= last
    with_model = base + top - np.where(inside, 0.0, last - worth)
    without_model = base + top - np.where(inside, np.maximum(worth - following, 0.0), 0.0)
    limit = float(problem.total)
    return (
        int(np.floor(min(base + top, limit) + 1e-6)),
        np.floor(np.minimum(with_model, limit) + 1e-6),
        np.floor(np.minimum(without_model, limit) + 1e-6),
    )
