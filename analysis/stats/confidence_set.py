"""The model confidence set: the models that may be best, from joint resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.results import BoolArray, FloatArray, check_level, frozen_array
from analysis.stats.units import as_cells
from analysis.stats.westfall_young import JointDeviations, joint_deviations


@dataclass(frozen=True)
class ConfidenceSet:
    """The models that may be best.

    Parameters
    ----------
    included : ndarray of bool, shape (M,)
        Whether a model is in the set.
    p_value : ndarray of float, shape (M,)
        The model is in the set at every alpha below this; NaN for a model without a cell.
    alpha : float
        1 less the confidence level.
    method : str
        Name of the statistic.
    """

    included: BoolArray
    p_value: FloatArray
    alpha: float
    method: str

    def __post_init__(self) -> None:
        check_level(1 - self.alpha)
        object.__setattr__(self, "included", frozen_array(self.included, np.bool_))
        object.__setattr__(self, "p_value", frozen_array(self.p_value, np.float64))
        if self.included.shape != self.p_value.shape:
            raise ValueError("included and p_value differ in shape")
        with np.errstate(invalid="ignore"):
            if np.any(self.included != (self.p_value > self.alpha)):
                raise ValueError("a model is included exactly where its p-value is above alpha")


def model_confidence_set(
    scores: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int,
    alpha: float,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    observed: npt.ArrayLike | None = None,
) -> ConfidenceSet:
    """Find the set of models that holds the best one with probability at least 1 - alpha.

    Parameters
    ----------
    scores : array_like, shape (M, N)
        Scores, larger being better; NaN where a model has no cell.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples : int
        Number of resamples.
    alpha : float
        1 less the confidence level.
    clusters : array_like of int, shape (N,), optional
        Cluster codes; whole clusters are resampled.
    weights : array_like of float, shape (N,), optional
        Item weights.
    observed : array_like of bool, shape (M, N), optional
        Which cells exist.

    Returns
    -------
    ConfidenceSet
        One model alone is the set. A model without a cell is not in it.

    Notes
    -----
    The range statistic: the largest studentised difference of two models still in, against its
    distribution over centred resamples; the model that loses it by most is eliminated, and p-values
    never fall along the elimination. Differences are those over each pair's common items, so with
    missing cells models are not compared across different items; a pair without common items says
    nothing about either, and models that share no items with any better one stay in. A difference
    that does not vary at all is no evidence where it is 0, or where it rests on so few units that
    the sign-flip test could not tell (2 / 2**n above 1 / (B + 1)), and decisive
    otherwise. p-values are add-one estimates. Source: Hansen, Lunde and Nason (2011),
    doi:10.3982/ECTA5771; the reference implementation is ``arch.bootstrap.MCS``.

    Examples
    --------
    >>> scores = np.array([[1, 1, 1, 1, 0, 1, 1, 1.0], [1, 1, 1, 0, 1, 1, 1, 1], [0] * 8])
    >>> result = model_confidence_set(scores, rng=np.random.default_rng(0), n_resamples=500, alpha=0.1)
    >>> result.included.tolist()
    [True, True, False]
    """
    check_level(1 - alpha)
    cells = as_cells(scores, clusters=clusters, weights=weights, observed=observed)
    present = np.flatnonzero(cells.n_cells > 0)
    p_value = np.full(cells.n_models, np.nan)
    if present.size:
        first, second = (present[i] for i in np.triu_indices(present.size, k=1))
        p_value[present] = elimination_p_values(joint_deviations(cells, first, second, rng, n_resamples))
    with np.errstate(invalid="ignore"):
        return ConfidenceSet(p_value > alpha, p_value, alpha, "model_confidence_set_range")


def elimination_p_values(joint: JointDeviations) -> FloatArray:
    """Compute the p-values of the elimination by the range statistic.

    Parameters
    ----------
    joint : JointDeviations
        Differences of every pair i < j of M models, in the order of ``numpy.triu_indices(M, 1)``.

    Returns
    -------
    ndarray of float, shape (M,)

    Notes
    -----
    The order of elimination depends on the observed statistics only. The largest resampled
    statistic over the models still in is then built up from the last model to the first, so each
    pair is looked at once. Models that tie for the largest deficit leave together, which keeps the
    answer independent of the order of models.
    """
    n_pairs, n_resamples = joint.deviations.shape
    n_models = round((1 + np.sqrt(1 + 8 * n_pairs)) / 2)
    pair_of = np.zeros((n_models, n_models), dtype=np.int64)
    upper = np.triu_indices(n_models, k=1)
    pair_of[upper] = pair_of.T[upper] = np.arange(n_pairs)
    statistic, spread = joint.studentised()
    statistic = np.nan_to_num(statistic, nan=0.0, posinf=np.inf, neginf=-np.inf)
    deficit = np.full((n_models, n_models), -np.inf)
    deficit[upper], deficit.T[upper] = -statistic, statistic
    groups = _elimination_order(deficit)
    running = np.zeros(n_resamples)
    active: list[int] = []
    largest = -np.inf
    p_value = np.ones(n_models)
    stage_p = []
    for group in reversed(groups):
        for model in group:
            for pair in pair_of[model, active].tolist():
                if spread[pair] > 0:
                    np.fmax(running, np.abs(joint.deviations[pair]) / spread[pair], out=running)
            if active:
                largest = max(largest, float(np.abs(statistic[pair_of[model, active]]).max()))
            active.append(model)
        last = len(active) == len(group)
        reached = np.count_nonzero(running >= largest)
        stage_p.append(1.0 if last else (1.0 + reached) / (1.0 + n_resamples))
    floor = 0.0
    for group, p in zip(groups, reversed(stage_p), strict=True):
        floor = max(floor, p)
        p_value[group] = floor
    return p_value


def _elimination_order(deficit: FloatArray) -> list[list[int]]:
    left = list(range(deficit.shape[0]))
    groups = []
    while left:
        worst = deficit[np.ix_(left, left)].max(axis=1) if len(left) > 1 else np.zeros(1)
        group = [model for model, value in zip(left, worst.tolist(), strict=True) if value == worst.max()]
        groups.append(group)
        left = [model for model in left if model not in group]
    return groups
