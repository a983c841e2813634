"""Success of k runs of an item, estimated from n runs of which c succeed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.results import FloatArray


def pass_at_k(n_correct: npt.ArrayLike, n_runs: npt.ArrayLike, k: int) -> FloatArray:
    """Estimate the probability that at least one of k runs succeeds.

    Parameters
    ----------
    n_correct, n_runs : array_like of int
        Successful and scored runs of an item, broadcast against each other.
    k : int
        Number of runs asked about, at least 1.

    Returns
    -------
    ndarray of float
        The unbiased estimate, the share of k-subsets of the runs with a success; NaN for an item
        with fewer than k runs, of which there is no unbiased estimate.

    Raises
    ------
    ValueError
        If k is below 1 or the successes are not between 0 and the runs.

    Notes
    -----
    Source: Chen et al. (2021), arXiv:2107.03374.

    Examples
    --------
    >>> pass_at_k([1, 0, 2], [5, 5, 2], 2).round(3).tolist(), pass_at_k(1, 2, 5).item()
    ([0.4, 0.0, 1.0], nan)
    """
    c, n = _checked(n_correct, n_runs, k)
    return _share_of_subsets(n - c, n, k, complement=True)


def all_of_k(n_correct: npt.ArrayLike, n_runs: npt.ArrayLike, k: int) -> FloatArray:
    """Estimate the probability that all of k runs succeed.

    Parameters
    ----------
    n_correct, n_runs : array_like of int
        Successful and scored runs of an item, broadcast against each other.
    k : int
        Number of runs asked about, at least 1.

    Returns
    -------
    ndarray of float
        The unbiased estimate, the share of k-subsets of the runs that all succeed; NaN for an item
        with fewer than k runs.

    Raises
    ------
    ValueError
        If k is below 1 or the successes are not between 0 and the runs.

    Notes
    -----
    Called pass^k. Source: Yao et al. (2024), tau-bench, arXiv:2406.12045.

    Examples
    --------
    >>> all_of_k([3, 1], [4, 4], 2).tolist()
    [0.5, 0.0]
    """
    c, n = _checked(n_correct, n_runs, k)
    return _share_of_subsets(c, n, k, complement=False)


def _checked(n_correct: npt.ArrayLike, n_runs: npt.ArrayLike, k: int) -> tuple[FloatArray, FloatArray]:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    c, n = np.broadcast_arrays(np.asarray(n_correct, np.float64), np.asarray(n_runs, np.float64))
    if not np.all((c >= 0) & (c <= n)):
        raise ValueError("successes must be between 0 and the number of runs")
    return c, n


def _share_of_subsets(inside: FloatArray, n: FloatArray, k: int, *, complement: bool) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(inside >= k, special.binom(inside, k) / special.binom(n, k), 0.0)
    return np.where(n >= k, 1 - share if complement else share, np.nan)
