"""What credit for a right answer is left once the way to it counts: drops, and who they are due to."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import numpy.typing as npt

from analysis.stats.results import BoolArray, FloatArray


def attribute_drop(credit: npt.ArrayLike, factors: npt.ArrayLike) -> FloatArray:
    """Attribute the loss of credit to K factors that each keep a share of it.

    A session keeps credit · x_1 · … · x_K of its credit. How much of the loss a factor causes
    depends on which factors were counted before it; the Shapley value averages over all orders, and
    is the only attribution that is symmetric and sums to the loss.

    Parameters
    ----------
    credit : array_like of float, shape (N,)
        Credit of each session, such as 1 where the diagnosis is right.
    factors : array_like of float, shape (K, N)
        Shares in [0, 1] that each factor keeps.

    Returns
    -------
    ndarray of float, shape (K, N)
        Losses; over factors they sum to credit · (1 - x_1 · … · x_K). NaN where anything is NaN.

    Raises
    ------
    ValueError
        If a factor is not in [0, 1].

    Notes
    -----
    Source: Shapley (1953), A value for n-person games.

    Examples
    --------
    A right diagnosis with half the evidence and an unsafe plan loses all its credit.

    >>> attribute_drop([1.0], [[0.5], [0.0]]).tolist()
    [[0.25], [0.75]]
    """
    base, kept = np.asarray(credit, np.float64), np.asarray(factors, np.float64)
    if np.any((kept < 0) | (kept > 1)):
        raise ValueError("factors must be in [0, 1]")
    k = kept.shape[0]
    loss = np.zeros_like(kept)
    for i in range(k):
        others = [j for j in range(k) if j != i]
        for size in range(k):
            weight = factorial(size) * factorial(k - size - 1) / factorial(k)
            for before in combinations(others, size):
                loss[i] += weight * np.prod(kept[list(before)], axis=0)
        loss[i] *= base * (1 - kept[i])
    unknown = np.isnan(base) | np.isnan(kept).any(axis=0)
    return np.where(unknown, np.nan, loss)


def cross_errors(failed: npt.ArrayLike) -> dict[str, BoolArray]:
    """Cross K kinds of failure: each alone, several together, any, none.

    Parameters
    ----------
    failed : array_like of bool, shape (K, N)
        Whether each session fails in each way.

    Returns
    -------
    dict of str to ndarray of bool, shape (N,)
        ``"0"`` to ``"K - 1"`` (overlapping), ``"0 only"`` … (exclusive), ``several``, ``any``,
        ``none``. The exclusive ones, `several` and `none` part the sessions.

    Examples
    --------
    >>> found = cross_errors([[1, 1, 0], [0, 1, 0]])
    >>> {name: int(rows.sum()) for name, rows in found.items()}
    {'0': 2, '1': 1, '0 only': 1, '1 only': 0, 'several': 1, 'any': 2, 'none': 1}
    """
    table = np.asarray(failed, dtype=np.bool_)
    n = table.sum(axis=0)
    out = {str(k): row for k, row in enumerate(table)}
    out |= {f"{k} only": row & (n == 1) for k, row in enumerate(table)}
    return out | {"several": n > 1, "any": n > 0, "none": n == 0}
