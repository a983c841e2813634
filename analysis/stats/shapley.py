"""Each model's fair share of what all models solve together.

The Shapley value of a model is its marginal contribution to coverage, averaged over all orders in
which models could join. For coverage it needs no sampling: an item that k models solve is worth 1/k
to each of them, whatever the order of the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.results import FloatArray

_BLOCK_VALUES = 2**22


def shapley_coverage(p_success: npt.ArrayLike) -> FloatArray:
    """Compute each model's Shapley share of every item.

    Parameters
    ----------
    p_success : array_like of float, shape (M, N)
        Whether a model solves an item, 0 or 1; or the probability that one run of it does, in
        [0, 1]. 0 where there is no cell.

    Returns
    -------
    ndarray of float, shape (M, N)
        Shares; over models they sum to the probability that any model solves the item, and over
        items to the model's Shapley value of coverage.

    Raises
    ------
    ValueError
        If a number is not in [0, 1].

    Notes
    -----
    Exact. The value of model m on an item is the integral over t from 0 to 1 of p_m times the
    product over the other models j of 1 - t p_j: t is the time at which m joins if all join at
    independent uniform times. The integrand is a polynomial of degree M - 1, which Gauss-Legendre
    quadrature of ceil(M / 2) nodes integrates exactly. For 0/1 it is 1/k. Source: Shapley (1953);
    the integral: Owen (1972), doi:10.1287/mnsc.18.5.64.

    Examples
    --------
    >>> shapley_coverage([[1, 1, 0], [1, 0, 0]]).tolist()
    [[0.5, 1.0, 0.0], [0.5, 0.0, 0.0]]
    >>> shapley_coverage([[0.5], [0.5]]).round(3).tolist()
    [[0.375], [0.375]]
    """
    p = np.asarray(p_success, dtype=np.float64)
    if p.ndim != 2:
        raise ValueError(f"p_success must have shape (models, items), got {p.shape}")
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p_success must be in [0, 1]")
    if np.all((p == 0) | (p == 1)):
        whole: FloatArray = p / np.maximum(p.sum(axis=0), 1.0)
        return whole
    n_models = p.shape[0]
    nodes, weights = np.polynomial.legendre.leggauss(max(-(-n_models // 2), 1))
    times, weights = (nodes + 1) / 2, weights / 2
    shares = np.zeros(p.shape)
    size = max(1, _BLOCK_VALUES // max(n_models, 1))
    for start in range(0, p.shape[1], size):
        part = p[:, start : start + size]
        for time, weight in zip(times.tolist(), weights.tolist(), strict=True):
            # 1 - t p is above 0, since t < 1.
            miss = 1.0 - time * part
            shares[:, start : start + size] += weight * part / miss * miss.prod(axis=0)
    return shares
