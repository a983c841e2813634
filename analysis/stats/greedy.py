"""How many items a set of models solves together: greedy order, unique solves, patterns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.results import BoolArray, IntArray, frozen_array

_BLOCK_WORDS = 2**22


@dataclass(frozen=True)
class CoveragePath:
    """Models added one after the other.

    Parameters
    ----------
    order : ndarray of int, shape (M,)
        Model added at each step.
    gained : ndarray of int, shape (M,)
        Items it solves that none before it does.
    covered : ndarray of int, shape (M,)
        Items solved by the models so far.
    """

    order: IntArray
    gained: IntArray
    covered: IntArray

    def __post_init__(self) -> None:
        for name in ("order", "gained", "covered"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        if not self.order.shape == self.gained.shape == self.covered.shape:
            raise ValueError("order, gained and covered differ in shape")
        if np.any(np.sort(self.order) != np.arange(self.order.size)):
            raise ValueError("every model is added once")
        if np.any(np.cumsum(self.gained) != self.covered):
            raise ValueError("covered is the sum of what was gained")


def greedy_coverage(solved: npt.ArrayLike) -> CoveragePath:
    """Add at each step the model that solves most of the items not yet solved.

    Parameters
    ----------
    solved : array_like of bool, shape (M, N)
        Whether a model solves an item; a missing cell does not.

    Returns
    -------
    CoveragePath
        All M steps, those that gain nothing included.

    Notes
    -----
    Ties go to the model that solves most items in all, then to the lowest model index. The greedy
    set of any size covers at least 1 - 1/e of what the best set of that size does. Source:
    Nemhauser, Wolsey and Fisher (1978), doi:10.1007/BF01588971.

    Examples
    --------
    >>> path = greedy_coverage([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]])
    >>> path.order.tolist(), path.gained.tolist(), path.covered.tolist()
    ([1, 2, 0], [2, 1, 0], [2, 3, 3])
    """
    words = _packed(_checked(solved))
    n_models = words.shape[0]
    left = np.ones(n_models, dtype=np.bool_)
    open_items = np.full(words.shape[1], np.iinfo(np.uint64).max, dtype=np.uint64)
    order, gained = np.zeros(n_models, dtype=np.int64), np.zeros(n_models, dtype=np.int64)
    bound = _counts(words, open_items)
    total = bound.copy()
    for step in range(n_models):
        # Gains only shrink: a model whose last known gain is below the best need not be counted.
        best, best_gain = -1, -1
        for model in np.lexsort((np.arange(n_models), -total, -np.where(left, bound, -1))).tolist():
            if not left[model] or bound[model] < best_gain:
                break
            bound[model] = int(np.bitwise_count(words[model] & open_items).sum())
            tied = bound[model] == best_gain
            if bound[model] > best_gain or (tied and (-total[model], model) < (-total[best], best)):
                best, best_gain = model, int(bound[model])
        order[step], gained[step], left[best] = best, best_gain, False
        open_items &= ~words[best]
    return CoveragePath(order, gained, np.cumsum(gained))


def marginal_gains(solved: npt.ArrayLike, path: CoveragePath) -> IntArray:
    """Count what each model adds to each set on a coverage path.

    Parameters
    ----------
    solved : array_like of bool, shape (M, N)
        Whether a model solves an item.
    path : CoveragePath
        Order in which models are added.

    Returns
    -------
    ndarray of int, shape (M + 1, M)
        Row h: items that a model solves and none of the first h does.
    """
    words = _packed(_checked(solved))
    open_items = np.full(words.shape[1], np.iinfo(np.uint64).max, dtype=np.uint64)
    gains = [_counts(words, open_items)]
    for model in path.order.tolist():
        open_items &= ~words[model]
        gains.append(_counts(words, open_items))
    return np.array(gains)


def unique_solves(solved: npt.ArrayLike) -> IntArray:
    """Count the items that one model alone solves.

    Parameters
    ----------
    solved : array_like of bool, shape (M, N)
        Whether a model solves an item.

    Returns
    -------
    ndarray of int, shape (M,)

    Examples
    --------
    >>> unique_solves([[1, 0, 1, 1], [1, 1, 0, 0]]).tolist()
    [2, 1]
    """
    words = _packed(_checked(solved))
    once, twice = np.zeros(words.shape[1], np.uint64), np.zeros(words.shape[1], np.uint64)
    for row in words:
        twice |= once & row
        once |= row
    return _counts(words, once & ~twice)


def solve_patterns(solved: npt.ArrayLike) -> tuple[BoolArray, IntArray]:
    """Return the distinct sets of models that solve an item, and on how many items each occurs.

    Parameters
    ----------
    solved : array_like of bool, shape (M, N)
        Whether a model solves an item.

    Returns
    -------
    patterns : ndarray of bool, shape (K, M)
        Distinct patterns, without that of no model.
    counts : ndarray of int, shape (K,)
        Items of each.

    Examples
    --------
    >>> patterns, counts = solve_patterns([[1, 0, 1, 1], [1, 0, 0, 0]])
    >>> patterns.astype(int).tolist(), counts.tolist()
    ([[1, 0], [1, 1]], [2, 1])
    """
    table = _checked(solved)
    packed = np.packbits(table.T, axis=1)
    distinct, counts = np.unique(packed, axis=0, return_counts=True)
    patterns = np.unpackbits(distinct, axis=1, count=table.shape[0]).astype(np.bool_)
    some = patterns.any(axis=1)
    return patterns[some], counts[some].astype(np.int64)


def _checked(solved: npt.ArrayLike) -> BoolArray:
    table = np.asarray(solved, dtype=np.bool_)
    if table.ndim != 2:
        raise ValueError(f"solved must have shape (models, items), got {table.shape}")
    return table


def _packed(table: BoolArray) -> npt.NDArray[np.uint64]:
    n_words = -(-table.shape[1] // 64)
    packed = np.zeros((table.shape[0], n_words * 8), dtype=np.uint8)
    bits = np.packbits(table, axis=1)
    packed[:, : bits.shape[1]] = bits
    return packed.view(np.uint64)


def _counts(words: npt.NDArray[np.uint64], mask: npt.NDArray[np.uint64]) -> IntArray:
    return np.array([int(np.bitwise_count(row & mask).sum()) for row in words], dtype=np.int64)
