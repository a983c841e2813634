"""How often two models' cells take each pair of values, for all pairs of models at once.

The counts are additive over items, so shards can be summed. They carry everything that paired
tests, agreement and kappa need of unclustered data.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.results import IntArray

MAX_LEVELS = 16
"""Beyond this many distinct values the counts cost more than going through the pairs."""

_BLOCK_VALUES = 2**25


def joint_counts(codes: npt.ArrayLike, n_levels: int) -> IntArray:
    """Count the items on which a pair of models has each pair of codes.

    Parameters
    ----------
    codes : array_like of int, shape (M, N)
        Codes 0 to n_levels - 1; any negative code means no cell.
    n_levels : int
        Number of codes, K.

    Returns
    -------
    ndarray of int64, shape (K, K, M, M)
        ``out[u, v, a, b]`` items have code u of model a and code v of model b.

    Raises
    ------
    ValueError
        If a code is not below `n_levels`.

    Notes
    -----
    One matrix product of one-hot codes per block of items. Products and sums of 0 and 1 below 2**24
    are exact in single precision, blocks are added as integers.

    Examples
    --------
    >>> joint_counts([[0, 1, 1], [1, 1, -1]], 2)[:, :, 0, 1].tolist()
    [[0, 1], [0, 1]]
    """
    table = np.asarray(codes)
    if table.ndim != 2:
        raise ValueError(f"codes must have shape (models, items), got {table.shape}")
    n_models, n_items = table.shape
    if np.any(table >= n_levels):
        raise ValueError(f"codes must be below {n_levels}")
    total = np.zeros((n_levels * n_models, n_levels * n_models), dtype=np.int64)
    block = int(np.clip(_BLOCK_VALUES // max(n_levels * n_models, 1), 1, 2**23))
    for start in range(0, n_items, block):
        part = table[:, start : start + block]
        one_hot = np.empty((n_levels, n_models, part.shape[1]), dtype=np.float32)
        for level in range(n_levels):
            one_hot[level] = part == level
        flat = one_hot.reshape(n_levels * n_models, part.shape[1])
        total += np.rint(flat @ flat.T).astype(np.int64)
    return total.reshape(n_levels, n_models, n_levels, n_models).transpose(0, 2, 1, 3)
