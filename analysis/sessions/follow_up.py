"""Follow-up metrics and what judges give (MedConsultBench, arXiv:2601.12661, table 1, F.4, F.5, table 8).

Each function takes columns with one entry per session, shape (n,), and returns the metric, NaN
where it is not defined. `analysis.sessions.later_counts` makes the columns.
"""

from __future__ import annotations

import numpy as np

from analysis.sessions.index import Floats, ratio


def fqr(matched: Floats, weight: Floats) -> Floats:
    """Follow-up question responsiveness (table 1): ``Σ z_t / |T_fu|``; in [0, 1], higher is better.

    Parameters
    ----------
    matched : ndarray
        Sum of z_t (times the turn's weight in the weighted form) over the judged follow-up turns.
    weight : ndarray
        Number of judged follow-up turns (or the sum of their weights); 0 (no follow-up): not defined.
    """
    return ratio(matched, weight)


def dcsr(unmet: Floats, unjudged: Floats, degraded: Floats, constraints: Floats) -> Floats:
    """Dynamic constraint success (table 1): 1 where R' meets every constraint and Q' ≥ τ Q, else 0.

    Higher is better. The paper averages over the cases I_c that have a constraint.

    Parameters
    ----------
    unmet : ndarray
        Constraints that the revised regimen does not meet.
    unjudged : ndarray
        Constraints without a judgement, or without the qualities where quality counts; the value is
        0 where something else failed already, else not defined.
    degraded : ndarray
        Constraints after which the quality is below τ Q.
    constraints : ndarray
        Constraints of the session; 0: not defined.
    """
    failed = (unmet > 0) | (degraded > 0)
    value = np.where(failed, 0.0, np.where(unjudged > 0, np.nan, 1.0))
    return np.where(constraints == 0, np.nan, value)


def judged_mean(total: Floats, n: Floats) -> Floats:
    """Mean judgement over a session's targets (F.4, F.5, table 8); in [0, 1]; NaN where none was judged.

    Serves DRSS (per diagnosis the mean of the rubric's dimensions, per case the mean over
    diagnoses), NEU (N_neg-use / N_neg-all), CAR, AOC and SDBI. Higher is better.
    """
    return ratio(total, n)
