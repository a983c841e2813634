"""McNemar's test for two models, and Cochran's Q for all of them at once, on 0/1 scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.results import FloatArray, frozen_array
from analysis.stats.sign_flip import SMALLEST_P, binomial_sign_flip


@dataclass(frozen=True)
class McNemar:
    """McNemar tests of any number of pairs.

    Parameters
    ----------
    p_value : ndarray of float
        Two-sided p-values; 1 where no item is discordant.
    method : str
        ``mcnemar_exact`` or ``mcnemar_mid_p``.
    """

    p_value: FloatArray
    method: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "p_value", frozen_array(self.p_value, np.float64))
        if np.any((self.p_value <= 0) | (self.p_value > 1)):
            raise ValueError("p-values must be above 0 and at most 1")


def mcnemar_test(
    n_better: npt.ArrayLike, n_worse: npt.ArrayLike, *, method: Literal["exact", "mid_p"] = "exact"
) -> McNemar:
    """Test whether two models succeed equally often, given their discordant items.

    Parameters
    ----------
    n_better, n_worse : array_like of int
        Items on which only the first, and only the second model succeeds; broadcast.
    method : {"exact", "mid_p"}
        ``exact``: the conditional binomial test, with a size of at most its level. ``mid_p``: half
        of the probability of the observed split is left out; less conservative, its size may
        exceed the level slightly.

    Returns
    -------
    McNemar

    Raises
    ------
    ValueError
        If a count is negative or no integer, or the method is unknown.

    Notes
    -----
    There is no asymptotic version: it divides by zero without discordant items and is not needed.
    Source: Fagerland, Lydersen and Laake (2013), doi:10.1186/1471-2288-13-91.

    Examples
    --------
    >>> mcnemar_test([1, 0], [9, 0]).p_value.round(4).tolist()
    [0.0215, 1.0]
    >>> mcnemar_test(1, 9, method="mid_p").p_value.round(4).item()
    0.0117
    """
    b, c = np.broadcast_arrays(np.asarray(n_better), np.asarray(n_worse))
    if np.any(b < 0) or np.any(c < 0) or np.any(b != np.rint(b)) or np.any(c != np.rint(c)):
        raise ValueError("discordant items are counted in integers of at least 0")
    exact = binomial_sign_flip(b, c)
    if method == "exact":
        return McNemar(exact, "mcnemar_exact")
    if method != "mid_p":
        raise ValueError(f"unknown method {method!r}: exact, mid_p")
    n, smaller = (b + c).astype(np.float64), np.minimum(b, c).astype(np.float64)
    log_mass = (
        special.gammaln(n + 1)
        - special.gammaln(smaller + 1)
        - special.gammaln(n - smaller + 1)
        - n * np.log(2)
    )
    mid = 2 * special.betainc(np.maximum(n - smaller, 1), smaller + 1, 0.5) - np.exp(log_mass)
    return McNemar(np.where(b == c, 1.0, np.clip(mid, SMALLEST_P, 1.0)), "mcnemar_mid_p")


@dataclass(frozen=True)
class CochranQ:
    """Cochran's test that M models succeed equally often.

    Parameters
    ----------
    statistic : float
        Q; 0 where no item tells models apart.
    degrees_of_freedom : int
        M - 1.
    p_value : float
        From the chi-squared approximation; 1 where no item tells models apart; NaN with fewer than
        two models.
    n_items : int
        Items used: those for which every model has a cell.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    n_items: int


def cochran_q(scores: npt.ArrayLike) -> CochranQ:
    """Test all models at once on the items that every one of them has.

    Parameters
    ----------
    scores : array_like of float, shape (M, N)
        0 or 1; NaN where a model has no cell, which leaves the item out.

    Returns
    -------
    CochranQ

    Raises
    ------
    ValueError
        If a score is neither 0 nor 1 nor NaN.

    Notes
    -----
    Source: Cochran (1950), doi:10.1093/biomet/37.3-4.256.

    Examples
    --------
    >>> result = cochran_q([[1, 1, 1, 1, 0], [0, 1, 0, 1, 0], [0, 0, 0, 1, 0]])
    >>> round(result.statistic, 4), result.degrees_of_freedom, round(result.p_value, 4)
    (4.6667, 2, 0.097)
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores must have shape (models, items), got {table.shape}")
    if not np.all((table == 0) | (table == 1) | np.isnan(table)):
        raise ValueError("Cochran's Q is for scores of 0 and 1")
    table = table[:, ~np.isnan(table).any(axis=0)]
    m, n_items = table.shape
    per_model, per_item = table.sum(axis=1), table.sum(axis=0)
    total = float(per_item.sum())
    below = float(np.sum(per_item * (m - per_item)))
    if m < 2:
        return CochranQ(0.0, max(m - 1, 0), float("nan"), n_items)
    if below == 0:
        return CochranQ(0.0, m - 1, 1.0, n_items)
    q = float((m - 1) * (m * np.sum(per_model**2) - total**2) / below)
    return CochranQ(q, m - 1, float(special.chdtrc(m - 1, q)), n_items)
