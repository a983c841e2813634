"""Compact letter display: models that share a letter do not differ significantly."""

from __future__ import annotations

import string
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

MAX_CLIQUES = 2000
"""Above this many maximal cliques, letters come from a cover of the non-significant pairs."""


def letter_names(n: int) -> list[str]:
    """Return n names for letters: a to z, A to Z, then a2 to Z2, a3 and so on.

    A name is one letter and possibly a number, so names written one after the other can be told
    apart.

    Parameters
    ----------
    n : int
        How many.

    Returns
    -------
    list of str

    Examples
    --------
    >>> letter_names(54)[25:28], letter_names(54)[51:]
    (['z', 'A', 'B'], ['Z', 'a2', 'b2'])
    """
    alphabet = string.ascii_letters
    return [
        alphabet[i % len(alphabet)] + (str(i // len(alphabet) + 1) if i >= len(alphabet) else "")
        for i in range(n)
    ]


def compact_letters(significant: npt.ArrayLike) -> list[str]:
    """Give letters to M models in rank order.

    Two models share a letter exactly when they do not differ significantly.

    Parameters
    ----------
    significant : array_like of bool, shape (M, M)
        Whether two models differ; symmetric, the diagonal is not looked at. A pair that was not
        tested is not significant.

    Returns
    -------
    list of str
        The letters of each model, in the order of the alphabet.

    Raises
    ------
    ValueError
        If the matrix is not square and symmetric.

    Notes
    -----
    Letters are the maximal cliques of the graph of pairs that do not differ, ordered by their
    members in rank order, without those whose pairs all stand in others. A graph can have very
    many maximal cliques; above 2,000 a set of maximal cliques that covers all pairs is grown
    greedily from the first uncovered pair on, which keeps the defining property. Source: Piepho
    (2004), doi:10.1198/1061860043515; cliques by Bron and Kerbosch (1973),
    doi:10.1145/362342.362367.

    Examples
    --------
    >>> compact_letters([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ['a', 'ab', 'b']
    """
    differs = np.asarray(significant, dtype=np.bool_)
    if differs.ndim != 2 or differs.shape[0] != differs.shape[1]:
        raise ValueError(f"significant must be square, got {differs.shape}")
    off_diagonal = ~np.eye(differs.shape[0], dtype=np.bool_)
    if np.any((differs != differs.T) & off_diagonal):
        raise ValueError("significant must be symmetric")
    neighbours = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in ~differs & off_diagonal]
    cliques = _all_cliques(neighbours)
    if cliques is None:
        cliques = _covering_cliques(neighbours)
    cliques = _without_redundant(sorted(cliques, key=_members), len(neighbours))
    letters = [""] * len(neighbours)
    for name, clique in zip(letter_names(len(cliques)), cliques, strict=True):
        for model in _members(clique):
            letters[model] += name
    return letters


def _members(clique: int) -> list[int]:
    out = []
    while clique:
        low = clique & -clique
        out.append(low.bit_length() - 1)
        clique ^= low
    return out


def _all_cliques(neighbours: list[int]) -> list[int] | None:
    found: list[int] = []
    for clique in _bron_kerbosch(neighbours):
        found.append(clique)
        if len(found) > MAX_CLIQUES:
            return None
    return found


def _bron_kerbosch(neighbours: list[int]) -> Iterator[int]:
    # With pivoting, on bit sets, and a stack of its own: no recursion limit for many models.
    stack = [(0, (1 << len(neighbours)) - 1, 0)]
    while stack:
        clique, candidates, excluded = stack.pop()
        if not candidates:
            if not excluded and clique:
                yield clique
            continue
        pivot = max(_members(candidates | excluded), key=lambda v: (candidates & neighbours[v]).bit_count())
        for vertex in _members(candidates & ~neighbours[pivot]):
            bit = 1 << vertex
            stack.append((clique | bit, candidates & neighbours[vertex], excluded & neighbours[vertex]))
            candidates &= ~bit
            excluded |= bit


def _covering_cliques(neighbours: list[int]) -> list[int]:
    n = len(neighbours)
    uncovered = list(neighbours)
    cliques: list[int] = []
    for first in range(n):
        while uncovered[first] or not any(clique >> first & 1 for clique in cliques):
            clique, candidates = 1 << first, neighbours[first]
            while candidates:
                # Prefer the member that covers most pairs not yet covered, then the first.
                new = [(-(uncovered[v] & clique).bit_count(), v) for v in _members(candidates)]
                vertex = min(new)[1]
                clique |= 1 << vertex
                candidates &= neighbours[vertex]
            for member in _members(clique):
                uncovered[member] &= ~clique
            cliques.append(clique)
    return list(dict.fromkeys(cliques))


def _without_redundant(cliques: list[int], n_models: int) -> list[int]:
    # A letter is dropped when every pair of its holders shares another one. A lone model keeps its.
    shared = np.zeros((n_models, n_models), dtype=np.int64)
    members = [np.array(_members(clique)) for clique in cliques]
    for holders in members:
        shared[np.ix_(holders, holders)] += 1
    kept = []
    for clique, holders in zip(cliques, members, strict=True):
        block = shared[np.ix_(holders, holders)]
        if np.all(block > 1):
            shared[np.ix_(holders, holders)] -= 1
        else:
            kept.append(clique)
    return kept
