"""Collective coverage: how many items a set of models solves together.

The greedy path, items that one model alone solves and solve patterns are in
:mod:`analysis.stats.greedy`, the optimal ensembles in :mod:`analysis.stats.optimal`.
"""

from analysis.stats.ensembles import OptimalEnsemble
from analysis.stats.greedy import CoveragePath, greedy_coverage, solve_patterns, unique_solves
from analysis.stats.optimal import optimal_coverage

__all__ = [
    "CoveragePath",
    "OptimalEnsemble",
    "greedy_coverage",
    "optimal_coverage",
    "solve_patterns",
    "unique_solves",
]
