"""How a simulated model behaves beyond right or wrong: the decision it takes, and what fails in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.demo.cast import SimulatedModel

DECISIVE = ("proceed", "reroute")
GOLD_STEP = "reasoning_has_gold_step"
INCORRECT, PARTIAL, CORRECT = 0, 1, 2


@dataclass(frozen=True)
class Behaviour:
    """Decisions, failure labels and flags of a model's K responses.

    Parameters
    ----------
    decision : list of (str or None), length K
        Decision taken; None where the response could not be read.
    labels, flags : list of list of str, length K
        Failure labels, and facts about the response.
    truncated : ndarray of bool, shape (K,)
        The response ran into the length limit.
    """

    decision: list[str | None]
    labels: list[list[str]]
    flags: list[list[str]]
    truncated: NDArray[np.bool_]


def behave(
    model: SimulatedModel,
    verdict: NDArray[np.int64],
    reference: NDArray[np.object_],
    *,
    technical: NDArray[np.bool_],
    pending: NDArray[np.bool_],
    dosing: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Behaviour:
    """Draw what a model did in its K responses.

    A correct response takes the reference decision. A wrong one commits to an action with the model's
    boldness, else it asks or escalates: bold models so collect the hard failures.

    Parameters
    ----------
    model : SimulatedModel
        The model.
    verdict : ndarray of int, shape (K,)
        0 incorrect, 1 partial, 2 correct.
    reference : ndarray of str, shape (K,)
        Reference decision.
    technical, pending, dosing : ndarray of bool, shape (K,)
        The response could not be read; it was never scored; it is a dosing question.
    rng : numpy.random.Generator
        Source of randomness.
    """
    k = len(verdict)
    draws = rng.random((k, 6))
    truncated = technical & (draws[:, 0] < 0.4)
    decision: list[str | None] = []
    labels: list[list[str]] = []
    flags: list[list[str]] = []
    for j in range(k):
        if technical[j]:
            decision.append(None)
            labels.append(["truncated_output" if truncated[j] else "invalid_output"])
            flags.append([])
            continue
        gold = str(reference[j])
        taken = _decide(model, int(verdict[j]), gold, draws[j])
        decision.append(taken)
        if pending[j]:
            labels.append([])
            flags.append([])
            continue
        labels.append(_labels(int(verdict[j]), gold, taken, dosing=bool(dosing[j]), draws=draws[j]))
        flags.append(_flags(model, int(verdict[j]), draws[j]))
    return Behaviour(decision, labels, flags, truncated)


def _decide(model: SimulatedModel, verdict: int, gold: str, draws: NDArray[np.float64]) -> str:
    if verdict == CORRECT or (verdict == PARTIAL and draws[1] < 0.75):
        return gold
    if draws[2] < model.boldness:
        return "reroute" if gold == "proceed" and draws[3] < 0.45 else "proceed"
    return "escalate" if draws[3] < 0.15 else "request_information"


def _labels(verdict: int, gold: str, taken: str, *, dosing: bool, draws: NDArray[np.float64]) -> list[str]:
    """Name what is wrong with a scored response."""
    if verdict == CORRECT:
        return []
    found = ["incomplete_plan"] if verdict == PARTIAL else []
    if taken in DECISIVE and gold not in DECISIVE:
        found.append("unsafe_action")
    elif taken in DECISIVE and taken != gold:
        found.append("premature_commitment" if gold == "reroute" else "wrong_pathway")
    elif taken not in DECISIVE and gold in DECISIVE:
        found.append("false_stop")
    elif taken not in DECISIVE:
        found.append("missed_information")
    if verdict == INCORRECT and taken == "proceed" and draws[4] < (0.45 if dosing else 0.04):
        found.append("contraindicated")
    if verdict == INCORRECT and taken in DECISIVE and draws[5] < 0.08:
        found.append("conflict_ignored")
    return found or ["wrong_content"]


def _flags(model: SimulatedModel, verdict: int, draws: NDArray[np.float64]) -> list[str]:
    gold_step = (0.97, model.gap * 1.5, model.gap)[CORRECT - verdict]
    found = [GOLD_STEP] if draws[4] > 1 - gold_step else []
    if draws[5] > 0.55:
        found.append("cites_guideline")
    if draws[3] > 0.4 + 0.5 * model.boldness:
        found.append("states_uncertainty")
    return found
