"""Phase 3, stop items: what a response asks for against the gold slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from analysis.scoring.odbb.gold import NccnGold
from analysis.scoring.odbb.tokens import Tokenizer, Weights


class Slot(NamedTuple):
    """A gold slot, prepared."""

    text: str
    tokens: frozenset[str]
    weight: float
    critical: bool


class SlotMatch(NamedTuple):
    """How a response's needs fit the gold slots.

    Parameters
    ----------
    precision, recall, f1 : float
        Over distinct needs and slots; 0 where there are none.
    n_needs : int
        Distinct needs.
    found : tuple of (str or None, float)
        Per gold slot, the need that is mapped to it and the share of the slot's weight that it holds; None
        and the best share below the threshold where the slot is missed.
    missed_critical : bool
        A critical slot is missed; where the gold marks none as critical, any slot.
    """

    precision: float
    recall: float
    f1: float
    n_needs: int
    found: tuple[tuple[str | None, float], ...]
    missed_critical: bool


def prepare_slots(item: NccnGold, tokens: Tokenizer, weights: Weights) -> tuple[Slot, ...]:
    """Return an item's gold slots with their tokens and weights."""
    prepared = []
    for slot in item.slots:
        words = tokens(slot.text)
        prepared.append(Slot(slot.text, words, weights.total(words), slot.critical))
    return tuple(prepared)


def match_slots(
    needs: Sequence[str], slots: Sequence[Slot], tokens: Tokenizer, weights: Weights, threshold: float
) -> SlotMatch:
    """Map needs to gold slots, one to one, so that as many slots as possible are found.

    A need fits a slot where it holds at least `threshold` of the slot's weight. Needs with the same
    tokens count once. The number of slots found is that of a maximum matching, so it depends neither on
    the order of the needs nor on that of the slots.
    """
    distinct: dict[frozenset[str], str] = {}
    remembered = tokens.remembered
    for need in needs:
        key = remembered[need]
        known = distinct.get(key)
        if known is None or need < known:
            distinct[key] = need
    edges: list[list[tuple[float, str]]] = []
    best: list[float] = []
    for _, wanted, weight, _ in slots:
        row = []
        highest = 0.0
        for key, need in distinct.items():
            if wanted.isdisjoint(key):
                continue
            share = 1.0 if wanted <= key else weights.total(wanted & key) / weight
            highest = max(highest, share)
            if share >= threshold:
                row.append((-share, need))
        row.sort()
        edges.append(row)
        best.append(highest)
    matched = _match(edges)
    found = tuple(
        (matched[j], _share(edges[j], matched[j])) if j in matched else (None, best[j])
        for j in range(len(slots))
    )
    hits, n_needs, n_slots = len(matched), len(distinct), len(slots)
    none_marked = not any(slot.critical for slot in slots)
    missed = any((slot.critical or none_marked) and j not in matched for j, slot in enumerate(slots))
    return SlotMatch(
        hits / n_needs if n_needs else 0.0,
        hits / n_slots if n_slots else 0.0,
        2 * hits / (n_needs + n_slots) if n_needs + n_slots else 0.0,
        n_needs,
        found,
        missed,
    )


def _share(row: list[tuple[float, str]], need: str) -> float:
    return next(-negative for negative, name in row if name == need)


def _match(edges: list[list[tuple[float, str]]]) -> dict[int, str]:
    """Return a maximum matching of slots and needs (augmenting paths, best shares first)."""
    taken: dict[str, int] = {}
    for j, row in enumerate(edges):
        if row:
            _augment(j, edges, taken, set())
    return {j: need for need, j in taken.items()}


def _augment(j: int, edges: list[list[tuple[float, str]]], taken: dict[str, int], seen: set[str]) -> bool:
    for _, need in edges[j]:
        if need in seen:
            continue
        seen.add(need)
        if need not in taken or _augment(taken[need], edges, taken, seen):
            taken[need] = j
            return True
    return False
