"""Content scores: how much of the gold answer a response holds, from 0 to 1.

NCCN scores stand for slot F1 and path overlap; CRC scores are the strict therapy F1. Section 3.3 prints
their mean, median and share below 0.1 on zero-correct items, section 3.7 two means of the strict
therapy F1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.demo.odbb.choices import BEHAVIOUR, SEED
from analysis.demo.odbb.published import (
    CRC,
    N_MODELS,
    ZERO_CORRECT_BELOW_TENTH,
    ZERO_CORRECT_MEAN_SCORE,
)
from analysis.demo.odbb.verdicts import CORRECT, INCORRECT, PARTIAL, TECHNICAL, Cells
from analysis.seeds import generator_for

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CORRECT_AT = 0.5
"""Content score from which an NCCN response counts as correct; the default of our scorer."""

PATH_OVERLAP = 0.35
"""Path overlap from which the next step of an item to proceed on matches (section 2.3)."""

CORRECT_F1 = 0.67
"""Strict therapy F1 from which a CRC response counts as correct (section 2.3)."""

MAX_DRUGS = 6


@dataclass(frozen=True)
class Content:
    """Content scores, NaN where a response has none.

    Parameters
    ----------
    score : ndarray, shape (9, 2005)
        Content score; the strict therapy F1 on CRC items.
    therapy : dict of str to ndarray, each of shape (9, 2005)
        Therapy F1 at `strict`, `class` and `family`, NaN on NCCN items.
    """

    score: Floats
    therapy: dict[str, Floats]


def score_content(cells: Cells) -> Content:
    """Draw content scores that fit the verdicts and the printed distribution."""
    therapy = _therapy_f1(cells)
    score = therapy["strict"].copy()
    nccn = cells.kind != CRC
    scored = nccn & (cells.verdict != TECHNICAL)
    score[scored & (cells.verdict == INCORRECT)] = 0.0
    rng = generator_for(SEED, "odbb", "content")
    correct = scored & (cells.verdict == CORRECT)
    score[correct] = CORRECT_AT + (1 - CORRECT_AT) * rng.beta(2.0, 1.5, int(correct.sum()))
    _score_partial(score, cells, scored & (cells.verdict == PARTIAL), rng)
    return Content(np.round(score, 6), {k: np.round(v, 6) for k, v in therapy.items()})


def _score_partial(
    score: Floats, cells: Cells, partial: npt.NDArray[np.bool_], rng: np.random.Generator
) -> None:
    """Score partial NCCN responses.

    A partial response with the wrong intent must hold some content, one with the right intent need not.
    On zero-correct items the number of scores below 0.1 and the mean are the printed ones.
    """
    wrong_intent = partial & cells.gold("proceed") & ~cells.routed
    low = np.where(wrong_intent | (rng.random(score.shape) < 0.05), rng.uniform(0.01, 0.09, score.shape), 0.0)
    score[partial] = low[partial]
    unsolved = np.broadcast_to(cells.zero_correct, score.shape)
    # Where the next step matches (0.35) and the intent is right, an item to proceed on would be correct.
    ceiling = np.broadcast_to(np.where(cells.gold("proceed"), PATH_OVERLAP, CORRECT_AT), score.shape).ravel()
    candidates = np.flatnonzero((partial & unsolved).ravel())
    elsewhere = np.flatnonzero((partial & ~unsolved).ravel())

    in_wall = score[unsolved]
    n_high = round((1 - ZERO_CORRECT_BELOW_TENTH) * in_wall.size) - int((in_wall >= 0.1).sum())
    chosen = rng.choice(candidates, n_high, replace=False)
    flat = score.ravel()
    flat[chosen] = 0.0
    missing = ZERO_CORRECT_MEAN_SCORE * in_wall.size - flat[unsolved.ravel()].sum()
    flat[chosen] = _between(0.1, ceiling[chosen], missing / n_high, rng)
    more = elsewhere[rng.random(elsewhere.size) < 0.45]
    flat[more] = _between(0.1, ceiling[more], 0.25, rng)


def _between(low: float, high: Floats, mean: float, rng: np.random.Generator) -> Floats:
    """Draw a value in [low, high) for every limit, with the given mean in expectation (scaled beta)."""
    centre = (mean - low) / float((high - low).mean())
    shares = rng.beta(3 * centre, 3 * (1 - centre), high.size)
    return np.clip(low + (high - low) * shares, low, high - 1e-6)


def _therapy_f1(cells: Cells) -> dict[str, Floats]:
    """Return therapy F1 at the three granularities; the means are those of `choices.BEHAVIOUR`.

    A response recommends r drugs where the gold regimen has g, t of them match: F1 = 2 t / (g + r). A
    match of drugs is a match of classes, and a match of classes one of families, so t can only grow.
    """
    rng = generator_for(SEED, "odbb", "therapy")
    items = np.flatnonzero(cells.kind == CRC)
    gold = rng.choice([1, 2, 3], items.size, p=[0.3, 0.45, 0.25])
    options = {(g, v): _regimens(g, v) for g in (1, 2, 3) for v in (INCORRECT, PARTIAL, CORRECT)}
    out = {name: np.full(cells.verdict.shape, np.nan) for name in ("strict", "class", "family")}
    for m in range(N_MODELS):
        numbers = BEHAVIOUR[m]
        verdict = cells.verdict[m, items]
        scored = np.flatnonzero(verdict != TECHNICAL)
        given = np.ones(items.size, dtype=np.int64)
        match = np.zeros(items.size, dtype=np.int64)
        for i in scored:
            allowed = options[int(gold[i]), int(verdict[i])]
            given[i], match[i] = allowed[rng.integers(len(allowed))]

        def f1(match: Ints, given: Ints = given) -> Floats:
            return 2 * match / (gold + given)

        def regimen(i: int, verdict: Ints = verdict) -> tuple[int, int]:
            allowed = options[int(gold[i]), int(verdict[i])]
            return allowed[rng.integers(len(allowed))]

        adjustable = scored[verdict[scored] == PARTIAL]
        _meet_mean(given, match, gold, scored, adjustable, numbers.f1_strict, regimen, rng)
        out["strict"][m, items[scored]] = f1(match)[scored]
        for name, mean in (("class", numbers.f1_class), ("family", numbers.f1_family)):
            floor, ceiling = match.copy(), np.minimum(gold, given)

            def raised(
                i: int, given: Ints = given, floor: Ints = floor, ceiling: Ints = ceiling
            ) -> tuple[int, int]:
                return int(given[i]), int(rng.integers(floor[i], ceiling[i] + 1))

            adjustable = scored[floor[scored] < ceiling[scored]]
            _meet_mean(given, match, gold, scored, adjustable, mean, raised, rng)
            out[name][m, items[scored]] = f1(match)[scored]
    return out


def _regimens(gold: int, verdict: int) -> list[tuple[int, int]]:
    """Return the (drugs given, drugs matching) that fit a verdict, for a gold regimen of this size."""
    fits = []
    for given in range(1, MAX_DRUGS + 1):
        for match in range(min(gold, given) + 1):
            f1 = 2 * match / (gold + given)
            reached = CORRECT if f1 >= CORRECT_F1 else PARTIAL if match else INCORRECT
            if reached == verdict:
                fits.append((given, match))
    return fits


def _meet_mean(
    given: Ints,
    match: Ints,
    gold: Ints,
    scored: Ints,
    adjustable: Ints,
    mean: float,
    propose: Callable[[int], tuple[int, int]],
    rng: np.random.Generator,
) -> None:
    """Change single responses until the mean F1 over the scored items is the wanted one.

    Near the aim single changes are too coarse to arrive, so the total may wander there.
    """
    aim = mean * len(scored)
    total = (2 * match[scored] / (gold[scored] + given[scored])).sum()
    for _ in range(200_000):
        if abs(total - aim) < 2e-4 * len(scored):
            return
        i = adjustable[rng.integers(len(adjustable))]
        r, t = propose(i)
        change = 2 * t / (gold[i] + r) - 2 * match[i] / (gold[i] + given[i])
        if abs(total + change - aim) < max(abs(total - aim), 0.5):
            total += change
            given[i], match[i] = r, t
    raise RuntimeError(f"no regimens were found for a mean therapy F1 of {mean}")
