"""Scores from sub-dimensions: domains and composites of any number of responses at once.

NaN is N/A throughout: what does not apply enters neither a sum nor a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.scoring.rubric.state import RubricState

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ScorePlan:
    """How F sub-dimensions make D domains and a composite.

    Parameters
    ----------
    fields : tuple of str
        The score lines, F of them, in the rubric's order; those of single vignettes follow.
    in_mean : ndarray of bool, shape (F,)
        Which enter their domain.
    domains : tuple of str
        The domains, D of them.
    domain : ndarray of int, shape (F,)
        Domain of each line.
    points : ndarray of float, shape (F,), or None
        Points of each line, where the rubric adds points; None: means.
    """

    fields: tuple[str, ...]
    in_mean: npt.NDArray[np.bool_]
    domains: tuple[str, ...]
    domain: npt.NDArray[np.int64]
    points: FloatArray | None

    @classmethod
    def of(cls, state: RubricState) -> ScorePlan:
        """Return the plan of a rubric in use."""
        fields = tuple(name for name, f in state.fields.items() if f.kind == "score")
        domains = tuple(d.id for d in state.rubric.domains)
        points = None
        if state.rubric.aggregation == "points":
            points = np.array([state.fields[name].points or 0.0 for name in fields])
        return cls(
            fields,
            np.array([state.fields[name].in_mean for name in fields], dtype=bool),
            domains,
            np.array([domains.index(state.domain_of[name]) for name in fields], dtype=np.int64),
            points,
        )


def domain_scores(values: FloatArray, plan: ScorePlan) -> FloatArray:
    """Return the domain scores of responses.

    Parameters
    ----------
    values : ndarray of float, shape (..., F)
        Scores of the lines; NaN where one does not apply.
    plan : ScorePlan
        Which line enters which domain.

    Returns
    -------
    ndarray of float, shape (..., D)
        The mean of a domain's applicable lines; NaN where none applies. Where the rubric adds points:
        points met over the positive points of applicable lines, NaN without any.

    Notes
    -----
    Source: arXiv:2609.37788, "Applicability and aggregation"; points as in arXiv:2505.08775, not clipped
    for single responses.

    Examples
    --------
    >>> plan = ScorePlan(("a", "b", "c"), np.ones(3, bool), ("1", "2"), np.array([0, 0, 1]), None)
    >>> domain_scores(np.array([[4.0, 5.0, np.nan], [3.0, np.nan, 2.0]]), plan).tolist()
    [[4.5, nan], [3.0, 2.0]]
    """
    out = np.full((*values.shape[:-1], len(plan.domains)), np.nan)
    for d in range(len(plan.domains)):
        own = plan.in_mean & (plan.domain == d)
        out[..., d] = _combined(values[..., own], None if plan.points is None else plan.points[own])
    return out


def composites(
    values: FloatArray, domains: FloatArray, plan: ScorePlan, weights: FloatArray | None = None
) -> FloatArray:
    """Return the composites of responses.

    Parameters
    ----------
    values : ndarray of float, shape (..., F)
        Scores of the lines.
    domains : ndarray of float, shape (..., D)
        Their domain scores.
    plan : ScorePlan
        The plan.
    weights : ndarray of float, shape (D,) or (..., D), optional
        Weights of the domains; those of inapplicable domains are removed and the others renormalised.
        None: every applicable domain counts once (points: every point counts once).

    Returns
    -------
    ndarray of float, shape (...)
        NaN where nothing applies, or only what has weight 0.

    Notes
    -----
    The unweighted composite is the mean of domains, not of sub-dimensions: a domain with many lines
    does not count more. Source: arXiv:2609.37788.

    Examples
    --------
    >>> plan = ScorePlan(("a", "b", "c"), np.ones(3, bool), ("1", "2"), np.array([0, 0, 1]), None)
    >>> values = np.array([[4.0, 4.0, 1.0], [4.0, 4.0, np.nan]])
    >>> composites(values, domain_scores(values, plan), plan).tolist()
    [2.5, 4.0]
    >>> composites(values, domain_scores(values, plan), plan, np.array([3.0, 1.0])).tolist()
    [3.25, 4.0]
    """
    if weights is None and plan.points is not None:
        return _combined(values[..., plan.in_mean], plan.points[plan.in_mean])
    share = np.ones(domains.shape) if weights is None else np.broadcast_to(weights, domains.shape)
    share = np.where(np.isnan(domains), 0.0, share)
    total = share.sum(axis=-1)
    weighted = (share * np.nan_to_num(domains)).sum(axis=-1)
    out: FloatArray = np.divide(weighted, total, out=np.full(total.shape, np.nan), where=total > 0)
    return out


def _combined(values: FloatArray, points: FloatArray | None) -> FloatArray:
    known = ~np.isnan(values)
    if points is None:
        total, n = np.nan_to_num(values).sum(axis=-1), known.sum(axis=-1)
    else:
        total, n = np.nan_to_num(values) @ points, known @ np.maximum(points, 0.0)
    out: FloatArray = np.divide(total, n, out=np.full(np.shape(n), np.nan), where=np.asarray(n) > 0)
    return out


def profile_weights(state: RubricState, profile: str) -> FloatArray | None:
    """Return a profile's weights in the order of the domains; None for no profile."""
    if not profile:
        return None
    weights: Sequence[float] = [state.rubric.profiles[profile].weights[d.id] for d in state.rubric.domains]
    return np.array(weights, dtype=np.float64)
