"""How well a rater's yes and no match those of a reference."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.agreement import rated_by_both
from analysis.stats.proportions import wilson_interval
from analysis.stats.resampled_units import ResampledUnits

ACCURACY = ("sensitivity", "specificity", "balanced_accuracy", "positive_agreement", "negative_agreement")
"""What :func:`estimate_accuracy` estimates, in this order."""


def estimate_accuracy(
    rating: npt.ArrayLike,
    reference: npt.ArrayLike,
    *,
    units: ResampledUnits,
    level: float,
) -> Estimates:
    """Estimate how well a rater's yes and no match those of a reference, with intervals.

    Parameters
    ----------
    rating, reference : array_like of int, shape (N,)
        1 for yes, 0 for no, negative where there is none.
    units : ResampledUnits
        The units and their resamples.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Of `ACCURACY`: sensitivity (yes where the reference says yes), specificity (no where it says
        no), their mean, and the symmetric positive and negative agreement. NaN where the reference
        has no yes, or no no. Intervals of sensitivity and specificity are Wilson's where every unit
        holds one pair of ratings.

    Notes
    -----
    Positive agreement is twice the common yes over all yes of both. Source: Cicchetti and Feinstein
    (1990), doi:10.1016/0895-4356(90)90159-M.

    Examples
    --------
    >>> units = ResampledUnits.create(5, rng=np.random.default_rng(1), n_resamples=200)
    >>> result = estimate_accuracy([1, 1, 0, 0, 1], [1, 1, 1, 0, 0], units=units, level=0.95)
    >>> result.estimate.round(3).tolist()
    [0.667, 0.5, 0.583, 0.667, 0.5]
    """
    a, b, both = rated_by_both(rating, reference, 2, units)
    rows = np.stack([(a == i) & (b == j) for i, j in ((1, 1), (0, 1), (1, 0), (0, 0))])
    tables = units.totals(rows, both)
    boot = bootstrap_sums(tables, _accuracy, units.draws)
    result = Estimates.from_bootstrap(ACCURACY, boot, level, a.size)
    if a.size and np.max(tables.sum(axis=0)) <= 1:
        hits = [rows[0].sum(), rows[3].sum()]
        wilson = wilson_interval(hits, [np.sum(b == 1), np.sum(b == 0)], level=level)
        result = result.with_limits(["sensitivity", "specificity"], wilson)
    return result


def _accuracy(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
    hit, miss, false, correct = (sums[..., i] for i in range(4))
    with np.errstate(invalid="ignore", divide="ignore"):
        sensitivity = hit / (hit + miss)
        specificity = correct / (correct + false)
        positive = 2 * hit / (2 * hit + miss + false)
        negative = 2 * correct / (2 * correct + miss + false)
    balanced = (sensitivity + specificity) / 2
    return np.stack([sensitivity, specificity, balanced, positive, negative], axis=-1)
