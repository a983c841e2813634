"""Family-wise adjusted p-values of all pairs from their joint resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.multiplicity import max_t
from analysis.stats.pair_intervals import (
    MAX_JOINT_WORK,
    DifferenceReplicates,
    joint_replicates,
    joint_work,
    same_cells,
)
from analysis.stats.pooled import pooled_replicates
from analysis.stats.resampling import Resamples, child_generators
from analysis.stats.results import FloatArray, IntArray
from analysis.stats.units import Cells, as_cells


@dataclass(frozen=True)
class JointDeviations:
    """Observed differences of P pairs, and what joint resamples add to them.

    Parameters
    ----------
    estimate : ndarray of float, shape (P,)
        Mean differences over common items; NaN where there are none.
    deviations : ndarray of float, shape (P, B)
        Resampled less observed differences; NaN where a resample holds no common item.
    n_units : ndarray of int, shape (P,)
        Units with a common item.
    """

    estimate: FloatArray
    deviations: FloatArray
    n_units: IntArray

    def studentised(self) -> tuple[FloatArray, FloatArray]:
        """Return the statistics and their resampled standard errors.

        Returns
        -------
        statistic : ndarray of float, shape (P,)
            Difference over standard error; NaN without common items. Where the difference does not
            vary over resamples it is infinite if it is not 0 and so many units agreeing by chance
            (2 / 2**n) is rarer than any resampling p-value, and 0, no evidence, otherwise.
        spread : ndarray of float, shape (P,)
            Root mean square deviation; 0 where differences do not vary.
        """
        n_resamples = self.deviations.shape[1]
        spread = np.zeros(self.estimate.shape)
        for pair, row in enumerate(self.deviations):
            total = float(np.dot(row, row))
            if np.isnan(total):
                known = row[~np.isnan(row)]
                total = float(np.dot(known, known)) * n_resamples / max(known.size, 1)
            spread[pair] = np.sqrt(total / n_resamples)
        spread = np.where(spread > 1e-12, spread, 0.0)
        statistic = np.zeros(self.estimate.shape)
        np.divide(self.estimate, spread, out=statistic, where=spread > 0)
        decisive = (spread == 0) & (np.abs(np.nan_to_num(self.estimate)) > 1e-12)
        decisive &= self.n_units - 1.0 > np.log2(n_resamples + 1)
        statistic = np.where(decisive, np.copysign(np.inf, self.estimate), statistic)
        return np.where(np.isnan(self.estimate), np.nan, statistic), spread


def joint_deviations(
    cells: Cells, first: IntArray, second: IntArray, rng: np.random.Generator, n_resamples: int
) -> JointDeviations:
    """Resample the differences of given pairs jointly.

    Parameters
    ----------
    cells : Cells
        Scores.
    first, second : ndarray of int, shape (P,)
        Models of each pair.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples : int
        Number of resamples.

    Returns
    -------
    JointDeviations
    """
    weights_rng, pool_rng = child_generators(rng, 2)
    resamples = Resamples(weights_rng, cells.n_units, n_resamples)
    own = int(np.count_nonzero(~same_cells(cells, first, second)))
    if joint_work(own, resamples) > MAX_JOINT_WORK or not resamples.fits_memory:
        part = pooled_replicates(cells, first, second, pool_rng, n_resamples)
        return JointDeviations(part.estimate, _centred(part), part.n_units)
    estimate, deviations = np.zeros(first.size), np.zeros((first.size, n_resamples))
    n_units = np.zeros(first.size, dtype=np.int64)
    for i, part in joint_replicates(cells, first, second, resamples):
        estimate[i], n_units[i] = part.estimate, part.n_units
        deviations[i] = _centred(part)
    return JointDeviations(estimate, deviations, n_units)


def _centred(part: DifferenceReplicates) -> FloatArray:
    deviations = part.replicates
    deviations -= part.estimate[:, None]
    return deviations


def pairwise_max_t(
    scores: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    observed: npt.ArrayLike | None = None,
    step_down: bool = True,
) -> FloatArray:
    """Adjust the comparisons of all pairs for each other by the largest studentised difference.

    Parameters
    ----------
    scores : array_like, shape (M, N)
        Scores; NaN where a model has no cell.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples : int
        Number of resamples.
    clusters : array_like of int, shape (N,), optional
        Cluster codes; whole clusters are resampled.
    weights : array_like of float, shape (N,), optional
        Item weights.
    observed : array_like of bool, shape (M, N), optional
        Which cells exist.
    step_down : bool
        See :func:`analysis.stats.multiplicity.max_t`.

    Returns
    -------
    ndarray of float, shape (P,)
        Adjusted p-values of all pairs i < j, in the order of ``numpy.triu_indices(M, 1)``; NaN for
        pairs without common items, which leave the family.

    Notes
    -----
    Differences over common items are divided by their resampled standard error; the null
    distribution is that of the centred resamples. The control is asymptotic: with few items prefer
    Holm over exact tests. Source: Westfall and Young (1993); Romano and Wolf (2005),
    doi:10.1111/j.1468-0262.2005.00615.x.

    Examples
    --------
    >>> scores = np.array([[1, 1, 1, 1, 1, 1, 1, 0.0], [0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0, 1, 0]])
    >>> p = pairwise_max_t(scores, rng=np.random.default_rng(0), n_resamples=500)
    >>> bool(p[0] < 0.05), bool(p[2] > 0.5)
    (True, True)
    """
    cells = as_cells(scores, clusters=clusters, weights=weights, observed=observed)
    first, second = (i.astype(np.int64) for i in np.triu_indices(cells.n_models, k=1))
    if first.size == 0 or cells.n_units == 0:
        return np.full(first.size, np.nan)
    joint = joint_deviations(cells, first, second, rng, n_resamples)
    statistic, spread = joint.studentised()
    null = np.zeros(joint.deviations.shape)
    # A resample without a common item of a pair says nothing of it and does not raise the maximum.
    np.divide(np.nan_to_num(joint.deviations), spread[:, None], out=null, where=spread[:, None] > 0)
    return max_t(statistic, null.T, step_down=step_down)
