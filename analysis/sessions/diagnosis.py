"""Diagnosis metrics (MedConsultBench, arXiv:2601.12661, table 1 and appendix F).

Each function takes columns with one entry per session, shape (n,), and returns the metric, NaN
where it is not defined. `analysis.sessions.diagnosis_counts` makes the columns.
"""

from __future__ import annotations

import numpy as np

from analysis.sessions.index import Floats, Ints, ratio


def f1(hits: Floats, false: Floats, gold: Floats) -> Floats:
    """F1 of the diagnoses listed (table 1, F.1): ``2 TP / (2 TP + FP + FN)``; in [0, 1], higher is better.

    Parameters
    ----------
    hits : ndarray
        TP: gold diagnoses of the class (core or not) that are listed.
    false : ndarray
        FP: what counts as false is what the forms differ in. Appendix F.1: all that is listed and
        not of the class; table 1: what the model marks as core and is not; lenient: what is no gold
        diagnosis at all.
    gold : ndarray
        Gold diagnoses of the class; FN are those without a hit. 0: not defined.

    Examples
    --------
    >>> f1(np.array([1.0, 0.0]), np.array([2.0, 0.0]), np.array([1.0, 0.0]))
    array([0.5, nan])
    """
    value = ratio(2 * hits, 2 * hits + false + (gold - hits))
    return np.where(gold == 0, np.nan, value)


def discount(rank: Floats | Ints) -> Floats:
    """α(r) = 1 / log2(1 + r): the weight of rank r, 1 for the first. The paper's own α is cut."""
    weight: Floats = 1.0 / np.log2(1.0 + np.asarray(rank, dtype=np.float64))
    return weight


def tied_discount(before: Ints, size: Ints) -> Floats:
    """Discount of a tied rank: the mean of α over the positions that the tie takes.

    That is the expected discount when ties are broken at random (McSherry and Najork, 2008,
    doi:10.1007/978-3-540-78646-7_38).

    Parameters
    ----------
    before : ndarray of int
        Entries ranked strictly better.
    size : ndarray of int
        Entries of the tie, itself included.

    Examples
    --------
    >>> tied_discount(np.array([0, 0]), np.array([1, 2])).round(4)
    array([1.    , 0.8155])
    """
    if len(before) == 0:
        return np.zeros(0)
    steps: Floats = np.concatenate([[0.0], np.cumsum(discount(np.arange(1, int((before + size).max()) + 1)))])
    mean: Floats = (steps[before + size] - steps[before]) / size
    return mean


def swds(reward: Floats, ideal: Floats) -> Floats:
    """Severity-weighted diagnostic score (table 1, F.2): Reward / Reward_ideal; in [0, 1], higher is better.

    Parameters
    ----------
    reward : ndarray
        Sum of w_final(d) α(r(d)) over the gold diagnoses that are listed; 0 without a list.
    ideal : ndarray
        The same of all gold diagnoses ranked by weight; 0: not defined.
    """
    return ratio(reward, ideal)


def ndcg_severity(gain: Floats, ideal: Floats, any_gold: Floats) -> Floats:
    """Severity-aware NDCG (F.2): DCG / DCG_ideal over the list's length; in [0, 1], higher is better.

    Parameters
    ----------
    gain : ndarray
        Sum of w(d_r) α(r) over the entries r of the list that are gold.
    ideal : ndarray
        Sum of w(d*_r) α(r) over r ≤ min(m, k), gold by severity. 0 without a list: the value is 0.
    any_gold : ndarray
        Ideal of all gold diagnoses; 0: not defined.
    """
    return np.where(any_gold == 0, np.nan, ratio(gain, ideal, otherwise=0.0))


def ded(delay: Floats, diagnoses: Floats, t_max: Floats) -> Floats:
    """Diagnosis establishment delay (F.3), against the turns allowed; in [0, 1], lower is better.

    Table 3 prints values of 0.15 to 0.24, so the delay in turns was scaled; by what is cut.

    Parameters
    ----------
    delay : ndarray
        Sum of max(0, t_AI(d) - t*(d)) over the gold diagnoses that have t*, where t_AI is T_max for
        one that was never named.
    diagnoses : ndarray
        Their number; 0: not defined.
    t_max : ndarray
        T_max.
    """
    return ratio(delay, diagnoses) / t_max


def ded_turns(delay: Floats, named: Floats) -> Floats:
    """DED in turns over the gold diagnoses that were named; lower is better; NaN where none was."""
    return ratio(delay, named)


def top_1_core(core_first: Floats, first: Floats, core: Floats) -> Floats:
    """Whether the diagnosis ranked first is a core one; the share of such ones where several tie.

    Parameters
    ----------
    core_first : ndarray
        Core diagnoses among those of the best rank.
    first : ndarray
        Diagnoses of the best rank; 0 (no list): the value is 0.
    core : ndarray
        Core gold diagnoses of the case; 0: not defined.
    """
    return np.where(core == 0, np.nan, ratio(core_first, first, otherwise=0.0))
