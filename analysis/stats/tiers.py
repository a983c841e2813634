"""Tiers by tests of neighbours in rank order, the paper's device, with its direction rule.

What shows ties is offered here too: letters, rank intervals and the model confidence set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.confidence_set import ConfidenceSet, model_confidence_set
from analysis.stats.letters import compact_letters
from analysis.stats.multiplicity import family_size
from analysis.stats.ranks import rank_intervals
from analysis.stats.results import BoolArray, IntArray, frozen_array

__all__ = [
    "ConfidenceSet",
    "Tiers",
    "adjacent_tiers",
    "compact_letters",
    "model_confidence_set",
    "rank_intervals",
]


@dataclass(frozen=True)
class Tiers:
    """Tiers of M models in rank order.

    Parameters
    ----------
    tier : ndarray of int, shape (M,)
        Number of each model's tier, from 1; never falls and rises by at most 1.
    reversal : ndarray of bool, shape (M,)
        Whether the model is significantly worse than the next on the items both have, though it
        ranks above it; False for the last.
    alpha_adjusted : float
        The threshold each adjacent p-value was held against: alpha over the number of tested
        pairs, alpha itself where none was tested.
    n_tested : int
        Number of adjacent pairs tested, m.
    """

    tier: IntArray
    reversal: BoolArray
    alpha_adjusted: float
    n_tested: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "tier", frozen_array(self.tier, np.int64))
        object.__setattr__(self, "reversal", frozen_array(self.reversal, np.bool_))
        if self.tier.shape != self.reversal.shape:
            raise ValueError("tier and reversal differ in shape")
        steps = np.diff(self.tier)
        if self.tier.size and (self.tier[0] != 1 or np.any((steps < 0) | (steps > 1))):
            raise ValueError("tiers start at 1 and rise by at most 1")


def adjacent_tiers(p_adjacent: npt.ArrayLike, difference_adjacent: npt.ArrayLike, *, alpha: float) -> Tiers:
    """Divide M models into tiers by the tests of the M - 1 adjacent pairs.

    Parameters
    ----------
    p_adjacent : array_like of float, shape (M - 1,)
        p-value of each model against the next in rank order; NaN where they were not tested
        (no common items): it leaves the family and starts no tier.
    difference_adjacent : array_like of float, shape (M - 1,)
        Mean of upper minus lower model over their common items.
    alpha : float
        Family-wise error rate of the adjacent comparisons.

    Returns
    -------
    Tiers

    Raises
    ------
    ValueError
        If the shapes differ, or alpha or a p-value is not admissible.

    Notes
    -----
    A new tier begins where p < alpha / m and the difference favours the upper model. A significant
    difference the other way, possible where the two have different items, is a reversal and
    begins none. The family-wise error bound is that of Bonferroni over adjacent comparisons whose
    order was fixed in advance; the order comes from the same data, which can only make adjacent
    differences look smaller. Two models in one tier are not thereby tied: a chain of small steps
    can span a large difference. Source: ODBB, arXiv:2608.28592, section 2.6 (its 0.05 / 8).

    Examples
    --------
    >>> tiers = adjacent_tiers([0.005, 0.4, np.nan, 0.001], [0.02, 0.01, np.nan, 0.1], alpha=0.05)
    >>> tiers.tier.tolist(), tiers.n_tested, round(tiers.alpha_adjusted, 5)
    ([1, 2, 2, 2, 3], 3, 0.01667)
    """
    p = np.asarray(p_adjacent, np.float64)
    difference = np.asarray(difference_adjacent, np.float64)
    if p.ndim != 1 or p.shape != difference.shape:
        raise ValueError(
            f"one p-value and one difference per adjacent pair, got {p.shape}, {difference.shape}"
        )
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
    m = family_size(p)
    threshold = alpha / max(m, 1)
    with np.errstate(invalid="ignore"):
        significant = p < threshold
        starts = significant & (difference > 0)
        against = significant & (difference < 0)
    tier = np.concatenate([[1], 1 + np.cumsum(starts)])
    return Tiers(tier, np.concatenate([against, [False]]), threshold, m)
