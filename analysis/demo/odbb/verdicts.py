"""From solve patterns to a verdict for every model and item.

The pattern counts say which cells are correct. The other cells become technical failures, partial or
incorrect so that the statements about verdicts hold: the all-partial and all-incorrect items, the hard
failures, and the concordance of the open-weight cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.demo.odbb.choices import ALL_PARTIAL, BEHAVIOUR, ERR_TECHNICAL_MINIMAX, PARTIAL_MEAN_F1, SEED
from analysis.demo.odbb.patterns import CLUSTERS, SOLVED
from analysis.demo.odbb.published import (
    CONCORDANCE,
    CRC,
    ERR,
    GEMINI31,
    GLM5,
    GLM51,
    GPT,
    IGHR,
    MAX_OTHER_CONCORDANCE,
    MINIMAX,
    N_ALL_INCORRECT,
    N_MODELS,
    QUESTION_TYPES,
    URD,
)
from analysis.seeds import generator_for

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

TECHNICAL, INCORRECT, PARTIAL, CORRECT = -1, 0, 1, 2
UNDECIDED = -2

TIED = ((GLM51, GLM5), (GLM51, GPT))
"""Pairs whose printed p-value leaves no room: technical failures must not touch their disagreements."""

MEAN_CORRECT_F1 = 0.86


@dataclass(frozen=True)
class Cells:
    """The verdict of every model on every item.

    Parameters
    ----------
    kind : ndarray, shape (2005,)
        Question type of each item, an index into `published.QUESTION_TYPES`.
    verdict : ndarray, shape (9, 2005)
        `TECHNICAL`, `INCORRECT`, `PARTIAL` or `CORRECT`.
    routed : ndarray, shape (9, 2005)
        Cells of items to proceed on, not correct, where the model committed to an action all the same.
    """

    kind: Ints
    verdict: Ints
    routed: Bools

    @property
    def zero_correct(self) -> Bools:
        """Items that no model answers correctly, shape (2005,)."""
        solved: Bools = (self.verdict == CORRECT).any(axis=0)
        return ~solved

    def gold(self, name: str) -> Bools:
        """Items whose gold answer is `stop`, `proceed` or `regimen`, shape (2005,)."""
        asks: Bools = np.array([q.gold == name for q in QUESTION_TYPES])[self.kind]
        return asks


def assign_verdicts(patterns: Ints) -> Cells:
    """Lay the patterns out over items and settle the verdict of every cell.

    Parameters
    ----------
    patterns : ndarray, shape (7, 512)
        Items per question type and solve pattern.
    """
    kind, solved = lay_out(patterns)
    verdict = np.where(solved, CORRECT, UNDECIDED).astype(np.int64)
    verdict[technical_failures(kind, solved)] = TECHNICAL
    cells = Cells(kind, verdict, np.zeros_like(solved))
    _settle_unsolved(cells)
    _route(cells)
    fixed = cells.verdict != UNDECIDED
    _settle_rest(cells)
    match_concordance(cells, free=~fixed)
    return cells


def lay_out(patterns: Ints) -> tuple[Ints, Bools]:
    """Return the question type of every item and who solves it, shapes (2005,) and (9, 2005).

    Items of a type stand together, in random order.
    """
    kinds, codes = [], []
    for q, counts in enumerate(patterns):
        rng = generator_for(SEED, "odbb", "order", QUESTION_TYPES[q].code)
        drawn = rng.permutation(np.repeat(np.arange(len(counts)), counts))
        kinds.append(np.full(len(drawn), q))
        codes.append(drawn)
    return np.concatenate(kinds), SOLVED[np.concatenate(codes)].T.astype(bool)


def technical_failures(kind: Ints, solved: Bools) -> Bools:
    """Choose the cells without a readable response, shape (9, 2005).

    They stand on items that exactly one other model solves: so no zero-correct item loses a cell (the
    paper counts 7,605 = 9 x 845 of them) and a pair's disagreements change by a few at most.
    """
    rng = generator_for(SEED, "odbb", "technical")
    technical = np.zeros_like(solved)
    alone = solved.sum(axis=0) == 1
    for m, numbers in enumerate(BEHAVIOUR):
        spared = [b if a == m else a for a, b in TIED if m in (a, b)]
        allowed = alone & ~solved[m] & ~solved[spared].any(axis=0) & ~technical.any(axis=0)
        n_err = ERR_TECHNICAL_MINIMAX if m == MINIMAX else 0
        for where, n in (
            (kind == ERR, n_err),
            ((kind != CRC) & (kind != ERR), numbers.ncc_technical - n_err),
            (kind == CRC, numbers.crc_technical),
        ):
            technical[m, rng.choice(np.flatnonzero(allowed & where), n, replace=False)] = True
    return technical


def _settle_unsolved(cells: Cells) -> None:
    """Settle the all-partial and all-incorrect items; anchor both verdicts in every other unsolved item."""
    rng = generator_for(SEED, "odbb", "unsolved")
    unsolved = cells.zero_correct
    crossing = np.flatnonzero(unsolved & np.isin(cells.kind, (IGHR, URD)))
    universal = rng.choice(crossing, N_ALL_INCORRECT, replace=False)
    cells.verdict[:, universal] = INCORRECT
    for gold, n in ALL_PARTIAL.items():
        open_items = np.setdiff1d(np.flatnonzero(unsolved & cells.gold(gold)), universal)
        chosen = rng.choice(open_items, n, replace=False)
        cells.verdict[:, chosen] = PARTIAL
        # An incorrect cell on an item to stop at is a hard failure: the two bold models have most of them.
        bold = [GPT, GEMINI31]
        culprits = bold if gold == "stop" else [m for m in range(N_MODELS) if m not in bold]
        for i in np.setdiff1d(open_items, chosen):
            wrong = rng.choice(culprits)
            cells.verdict[wrong, i] = INCORRECT
            if gold != "regimen":
                cells.verdict[rng.choice(np.delete(np.arange(N_MODELS), wrong)), i] = PARTIAL


def _route(cells: Cells) -> None:
    """Choose where a model commits on an item to proceed on, without being correct: the intent is right."""
    proceed = cells.gold("proceed")
    for m, numbers in enumerate(BEHAVIOUR):
        rng = generator_for(SEED, "odbb", "routes", str(m))
        n_correct = int((cells.verdict[m, proceed] == CORRECT).sum())
        n_routes = numbers.decisive - numbers.f1 - numbers.f3 - n_correct
        candidates = np.flatnonzero(proceed & np.isin(cells.verdict[m], (UNDECIDED, PARTIAL)))
        chosen = rng.choice(candidates, n_routes, replace=False)
        cells.routed[m, chosen] = True
        cells.verdict[m, chosen] = PARTIAL


def _settle_rest(cells: Cells) -> None:
    """Settle what is left: as many incorrect cells as the numbers ask for, where they are likely."""
    tendency = _tendency(cells.verdict.shape)
    for m, numbers in enumerate(BEHAVIOUR):
        row = cells.verdict[m]
        for gold in ("stop", "proceed", "regimen"):
            where = cells.gold(gold)
            left = np.flatnonzero(where & (row == UNDECIDED))
            settled = int((where & (row == INCORRECT)).sum())
            if gold == "stop":
                n_incorrect = numbers.f1 + numbers.f3 - settled
            elif gold == "proceed":
                n_incorrect = len(left) // 2
            else:
                partial = int((where & (row == PARTIAL)).sum())
                n_incorrect = len(left) - max(0, _partial_regimens(m) - partial)
            order = left[np.argsort(-tendency[m, left], kind="stable")]
            row[order[:n_incorrect]] = INCORRECT
            row[order[n_incorrect:]] = PARTIAL


def _partial_regimens(m: int) -> int:
    """Return how many partial CRC responses give the model's mean strict therapy F1."""
    numbers = BEHAVIOUR[m]
    total = numbers.f1_strict * (QUESTION_TYPES[CRC].n_items - numbers.crc_technical)
    return round((total - MEAN_CORRECT_F1 * numbers.crc_correct) / PARTIAL_MEAN_F1)


def _tendency(shape: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Draw how strongly each cell tends to be incorrect; related models share most of it."""
    rng = generator_for(SEED, "odbb", "tendency")
    tendency = rng.normal(size=shape) + 0.8 * rng.normal(size=(1, shape[1]))
    for members in CLUSTERS[:3]:
        tendency[list(members)] += 0.8 * rng.normal(size=(1, shape[1]))
    return tendency


def match_concordance(cells: Cells, free: Bools) -> None:
    """Swap partial and incorrect cells of a model until the printed concordances hold.

    A seeded local search: a swap within one model and one kind of gold answer keeps every count of the
    model; it is kept unless it moves the concordances away from what is printed.

    Raises
    ------
    RuntimeError
        Where the search does not arrive.
    """
    rng = generator_for(SEED, "odbb", "concordance")
    verdict = cells.verdict
    answered = (verdict != TECHNICAL).astype(np.int64)
    common = answered @ answered.T
    same = sum((verdict == v).astype(np.int64) @ (verdict == v).astype(np.int64).T for v in (0, 1, 2))
    aim = np.floor(MAX_OTHER_CONCORDANCE * common).astype(np.int64)
    exact = np.zeros_like(aim, dtype=bool)
    for (a, b), printed in CONCORDANCE.items():
        aim[a, b] = aim[b, a] = round(printed * common[a, b])
        exact[a, b] = exact[b, a] = True

    def distance(row: Ints, m: int) -> Ints:
        off = row - aim[m]
        distances: Ints = np.where(exact[m], np.abs(off), np.maximum(off, 0))
        return distances

    blocks = {
        (m, gold): np.flatnonzero(free[m] & cells.gold(gold))
        for m in range(N_MODELS)
        for gold in ("stop", "proceed", "regimen")
    }
    blocks = {key: cells_ for key, cells_ in blocks.items() if len(cells_) > 1}
    names = list(blocks)
    off_diagonal = ~np.eye(N_MODELS, dtype=bool)
    for _ in range(200_000):
        if not any(distance(same[m], m)[off_diagonal[m]].any() for m in range(N_MODELS)):
            return
        m, gold = names[rng.integers(len(names))]
        i, j = rng.choice(blocks[m, gold], 2)
        if {verdict[m, i], verdict[m, j]} != {INCORRECT, PARTIAL}:
            continue
        change = (
            (verdict[:, i] == verdict[m, j]).astype(np.int64)
            - (verdict[:, i] == verdict[m, i])
            + (verdict[:, j] == verdict[m, i])
            - (verdict[:, j] == verdict[m, j])
        )
        change[m] = 0
        if distance(same[m] + change, m).sum() <= distance(same[m], m).sum():
            verdict[m, i], verdict[m, j] = verdict[m, j], verdict[m, i]
            same[m] += change
            same[:, m] = same[m]
    raise RuntimeError("no partial and incorrect verdicts were found that give the printed concordances")
