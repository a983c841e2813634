"""How long episodes stay right: everything up to each turn, for episodes of unlike length.

An episode of five turns that is right in all of them says something about turn five; one that ends
after two does not. Two answers are given. The *share* takes the episodes that have the turn and
asks how many are right up to it. The *survival* is Kaplan and Meier's product of the shares of
episodes, among those still right, that stay right at each turn: episodes that end leave without
counting as failures. Survival uses more episodes, and rests on episodes that end early being like
those that go on; where long episodes are harder the two differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.results import FloatArray, IntArray, check_level, check_limits, frozen_array

NEVER = np.iinfo(np.int64).max
"""First wrong turn of an episode that is right to its end."""


@dataclass(frozen=True)
class TurnCurve:
    """Success up to each of T turns.

    Parameters
    ----------
    n_episodes, n_right : ndarray of int, shape (T,)
        Episodes that have the turn; of those, right in everything up to it.
    n_at_risk, n_failed : ndarray of int, shape (T,)
        Episodes that have the turn and are right in everything before it; of those, wrong at it.
    survival, survival_low, survival_high : ndarray of float, shape (T,)
        Kaplan-Meier estimate, NaN past the last turn that anything right reaches (0 where nothing is
        right any more), and limits, NaN where it is 1 or 0.
    """

    n_episodes: IntArray
    n_right: IntArray
    n_at_risk: IntArray
    n_failed: IntArray
    survival: FloatArray
    survival_low: FloatArray
    survival_high: FloatArray

    def __post_init__(self) -> None:
        for name in ("n_episodes", "n_right", "n_at_risk", "n_failed"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        for name in ("survival", "survival_low", "survival_high"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        check_limits(self.survival_low, self.survival_high)
        if np.any(self.n_failed > self.n_at_risk) or np.any(self.n_right > self.n_episodes):
            raise ValueError("more failures than episodes at risk")


def turn_curve(first_wrong: npt.ArrayLike, length: npt.ArrayLike, n_turns: int, *, level: float) -> TurnCurve:
    """Follow episodes turn by turn.

    Parameters
    ----------
    first_wrong : array_like of int, shape (E,)
        First wrong turn of each episode, from 1; `NEVER` where none is.
    length : array_like of int, shape (E,)
        Turns of each episode.
    n_turns : int
        Turns to follow, T.
    level : float
        Confidence level.

    Returns
    -------
    TurnCurve

    Notes
    -----
    Limits are those of log(-log S) with Greenwood's variance, so they stay within 0 and 1. Source:
    Kaplan and Meier (1958), doi:10.1080/01621459.1958.10501452; Kalbfleisch and Prentice (2002),
    section 1.4.

    Examples
    --------
    Three episodes: right to the end of two turns, wrong at the second, wrong at the first of one.

    >>> curve = turn_curve([NEVER, 2, 1], [2, 2, 1], 2, level=0.95)
    >>> curve.n_right.tolist(), curve.n_episodes.tolist(), curve.survival.round(3).tolist()
    ([2, 1], [3, 2], [0.667, 0.333])
    """
    check_level(level)
    wrong, turns = np.asarray(first_wrong, dtype=np.int64), np.asarray(length, dtype=np.int64)
    if wrong.shape != turns.shape or wrong.ndim != 1:
        raise ValueError(f"first_wrong has shape {wrong.shape}, length {turns.shape}")
    if np.any((wrong < 1) | ((wrong > turns) & (wrong != NEVER))):
        raise ValueError("the first wrong turn lies between 1 and the length, or is NEVER")
    step = np.arange(1, n_turns + 1)[:, None]
    has = turns[None] >= step
    n_episodes, n_right = has.sum(axis=1), (has & (wrong[None] > step)).sum(axis=1)
    n_at_risk, n_failed = (has & (wrong[None] >= step)).sum(axis=1), (wrong[None] == step).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kept = np.where(n_at_risk > 0, 1 - n_failed / n_at_risk, np.nan)
        survival = np.asarray(np.cumprod(kept), dtype=np.float64)
        # Where nothing is right any more nothing is at risk, and it stays so.
        survival = np.where(np.minimum.accumulate(np.nan_to_num(survival, nan=1.0)) == 0, 0.0, survival)
        greenwood = np.cumsum(n_failed / (n_at_risk * (n_at_risk - n_failed)))
        z = special.ndtri((1 + level) / 2)
        width = z * np.sqrt(greenwood) / np.abs(np.log(survival))
        # With S between 0 and 1 a larger exponent gives a smaller power.
        low, high = survival ** np.exp(width), survival ** np.exp(-width)
    none = ~((survival > 0) & (survival < 1))
    low, high = np.where(none, np.nan, low), np.where(none, np.nan, high)
    return TurnCurve(n_episodes, n_right, n_at_risk, n_failed, survival, low, high)
