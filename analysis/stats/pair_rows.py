"""Differences of pairs of models, one row of units per pair, for data that counts cannot carry.

Clusters, item weights, missing cells and matched runs need each pair's own sums over units. Rows
are made for a block of pairs at a time, so memory stays bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from analysis.stats.lattice import MAX_DENOMINATOR, common_denominator
from analysis.stats.results import BoolArray, FloatArray, IntArray
from analysis.stats.units import Cells

_BLOCK_VALUES = 2**23


@dataclass(frozen=True)
class PairRows:
    """Sums over units of the differences of P pairs.

    Parameters
    ----------
    difference : ndarray of float, shape (P, G)
        Weighted sums of first minus second over the pair's common items.
    weight : ndarray of float, shape (P, G)
        Weights of those items.
    """

    difference: FloatArray
    weight: FloatArray


def rows_per_block(n_items: int) -> int:
    """Return how many pairs to take at a time."""
    return max(1, _BLOCK_VALUES // max(n_items, 1))


def pair_rows(cells: Cells, first: IntArray, second: IntArray) -> PairRows:
    """Build the rows of some pairs from the models' cells.

    Parameters
    ----------
    cells : Cells
        Scores.
    first, second : ndarray of int, shape (P,)
        Models of each pair.

    Returns
    -------
    PairRows
    """
    common = cells.observed[first] & cells.observed[second]
    difference = cells.values[first].astype(np.float64)
    difference -= cells.values[second]
    difference *= common
    return PairRows(cells.row_sums(difference), cells.row_sums(common))


def matched_run_differences(runs_first: FloatArray, runs_second: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Match the runs of two models on each item and take the difference of their means.

    Runs are matched by their number: an item's difference is that of the means over the runs that
    both models have scored. Where they have scored runs but share no number, the first min(r, s)
    scored runs of each are taken. Which runs are used depends on run numbers only, never on
    scores, so under exchangeability of the two models' runs the differences are symmetric about 0
    whatever the numbers of runs, and the sign-flip test is exact.

    Parameters
    ----------
    runs_first, runs_second : ndarray of float, shape (R, N)
        Scores of each run; NaN where the run was not scored.

    Returns
    -------
    difference : ndarray of float, shape (N,)
        Difference of the matched means, 0 where there is nothing to match.
    matched : ndarray of bool, shape (N,)
        Items on which both models have a scored run.

    Examples
    --------
    >>> first = np.array([[1.0, np.nan], [0.0, 1.0], [1.0, np.nan]])
    >>> second = np.array([[0.0, 0.0], [np.nan, np.nan], [np.nan, 1.0]])
    >>> matched_run_differences(first, second)[0].tolist()
    [1.0, 1.0]
    """
    has_first, has_second = ~np.isnan(runs_first), ~np.isnan(runs_second)
    shared = has_first & has_second
    matched = np.asarray(has_first.any(axis=0) & has_second.any(axis=0), dtype=np.bool_)
    fewer = np.minimum(has_first.sum(axis=0), has_second.sum(axis=0))
    by_number = shared.any(axis=0)
    use_first = np.where(by_number, shared, has_first & (np.cumsum(has_first, axis=0) <= fewer))
    use_second = np.where(by_number, shared, has_second & (np.cumsum(has_second, axis=0) <= fewer))
    n_runs = np.maximum(use_first.sum(axis=0), 1)
    total = np.where(use_first, runs_first, 0.0).sum(axis=0) - np.where(use_second, runs_second, 0.0).sum(
        axis=0
    )
    return np.where(matched, total / n_runs, 0.0), matched


def common_run_denominator(run_scores: FloatArray) -> int | None:
    """Return a denominator of all means over matched runs, None where there is no small one.

    Parameters
    ----------
    run_scores : ndarray of float, shape (R, M, N)
        Scores of each run, NaN where it was not scored.

    Returns
    -------
    int or None
    """
    single = common_denominator(run_scores)
    if single is None:
        return None
    out = single * lcm(*range(1, run_scores.shape[0] + 1))
    return out if out <= MAX_DENOMINATOR else None


def reduced(rows: FloatArray, denominator: int) -> npt.NDArray[np.int64]:
    """Return rows times their denominator as integers, refusing those that are none.

    Raises
    ------
    ValueError
        If a value is no multiple of 1 / denominator.
    """
    integers = np.rint(rows * denominator)
    if np.any(np.abs(rows * denominator - integers) > 1e-6 * denominator):
        raise ValueError(f"values are not multiples of {Fraction(1, denominator)}")
    return integers.astype(np.int64)
