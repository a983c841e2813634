"""What the data say of ranks: simultaneous intervals, and the set of models that may be best."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.results import IntArray


def rank_intervals(significant: npt.ArrayLike, sign: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    """Derive rank intervals of M models from pairwise decisions.

    Parameters
    ----------
    significant : array_like of bool, shape (M, M)
        Whether two models were found to differ, by a procedure over all pairs that controls the
        family-wise error (Holm, max-T). Symmetric; pairs not tested are False.
    sign : array_like of float, shape (M, M)
        Sign of the difference of row minus column; only looked at where significant.

    Returns
    -------
    rank_low, rank_high : ndarray of int, shape (M,)
        Best and worst rank not ruled out, from 1 to M: one more than the number of models found
        better, and M less the number found worse.

    Raises
    ------
    ValueError
        If the matrices do not fit, are not symmetric and antisymmetric, or a significant pair has
        no direction.

    Notes
    -----
    With family-wise error alpha (directional errors included), all M intervals hold together with
    probability at least 1 - alpha. Source: Mogstad, Romano, Shaikh and Wilhelm (2024),
    doi:10.1093/restud/rdad006; Al Mohamad, Goeman and van Zwet (2022), doi:10.1111/biom.13497.

    Examples
    --------
    >>> differs = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> low, high = rank_intervals(differs, [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]])
    >>> low.tolist(), high.tolist()
    ([1, 1, 2], [2, 3, 3])
    """
    differs = np.asarray(significant, dtype=np.bool_)
    direction = np.sign(np.nan_to_num(np.asarray(sign, dtype=np.float64)))
    n = differs.shape[0]
    if differs.ndim != 2 or differs.shape != (n, n) or direction.shape != (n, n):
        raise ValueError(f"two square matrices of one size, got {differs.shape} and {direction.shape}")
    decided = differs & ~np.eye(n, dtype=np.bool_)
    if np.any(decided != decided.T):
        raise ValueError("significant must be symmetric")
    if np.any(decided & ((direction == 0) | (direction != -direction.T))):
        raise ValueError("a significant pair must have one direction, opposite in the two halves of sign")
    better = np.count_nonzero(decided & (direction < 0), axis=1)
    worse = np.count_nonzero(decided & (direction > 0), axis=1)
    return (1 + better).astype(np.int64), (n - worse).astype(np.int64)
