"""Decisions, failure labels and flags of every response, from its verdict and the printed counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.demo.odbb.choices import BEHAVIOUR, SEED
from analysis.demo.odbb.content import Content
from analysis.demo.odbb.published import CRC, ERR, IGHR, N_MODELS, POD, URD
from analysis.demo.odbb.verdicts import CORRECT, INCORRECT, PARTIAL, TECHNICAL, Cells
from analysis.seeds import generator_for

Bools = npt.NDArray[np.bool_]

STOP_INFO, STOP_EVIDENCE = "stop_missing_info", "stop_need_evidence"
PROCEED, ROUTE = "proceed_with_treatment", "route_to_alternative_pathway"

GOLD_STEP, CONFLICT, CONTRADICTORY = (
    "reasoning_has_gold_step",
    "acknowledges_data_conflict",
    "contradictory_output",
)

SHARE_INTENT, SHARE_MOLECULAR = 0.12, 0.08
"""How many of the CRC responses that are not correct mistake the intent or the molecular context (ours)."""


@dataclass(frozen=True)
class Responses:
    """What stands beside the verdict of every cell.

    Parameters
    ----------
    decision : ndarray of object, shape (9, 2005)
        The structured decision, None on CRC items (a regimen is no decision) and technical failures.
    labels, flags : dict of str to ndarray of bool, each of shape (9, 2005)
        Which cells carry a failure label, or a flag.
    """

    decision: npt.NDArray[np.object_]
    labels: dict[str, Bools]
    flags: dict[str, Bools]


def describe_responses(cells: Cells, content: Content) -> Responses:
    """Give every cell its decision, labels and flags."""
    labels = _labels(cells, content)
    return Responses(_decisions(cells, labels), labels, _flags(cells))


def _pick(candidates: Bools, n: int, rng: np.random.Generator, prefer: Bools | None = None) -> Bools:
    """Choose n of the candidates at random, preferred ones first."""
    where = np.flatnonzero(candidates)
    order = rng.permutation(where)
    if prefer is not None:
        order = order[np.argsort(~prefer[order], kind="stable")]
    chosen = np.zeros_like(candidates)
    chosen[order[:n]] = True
    return chosen


def _labels(cells: Cells, content: Content) -> dict[str, Bools]:
    rng = generator_for(SEED, "odbb", "labels")
    verdict = cells.verdict
    answered = verdict != TECHNICAL
    wrong = answered & (verdict != CORRECT)
    stop, proceed, crc = (cells.gold(g) for g in ("stop", "proceed", "regimen"))
    hard = (verdict == INCORRECT) & stop
    labels = {name: np.zeros_like(wrong) for name in ("F1", "F3", "F12", "F13", "F16", "T1", "T2")}
    for m, numbers in enumerate(BEHAVIOUR):
        labels["F1"][m] = _pick(hard[m], numbers.f1, rng)
        labels["F3"][m] = hard[m] & ~labels["F1"][m]
        n_wrong = int((wrong[m] & crc).sum())
        labels["F12"][m] = _pick(wrong[m] & crc, round(SHARE_INTENT * n_wrong), rng)
        labels["F13"][m] = _pick(wrong[m] & crc, round(SHARE_MOLECULAR * n_wrong), rng)
        labels["F16"][m] = _pick(wrong[m] & crc, numbers.contraindicated, rng)
        technical = ~answered[m]
        labels["T2"][m] = _pick(technical, numbers.unreadable, rng)
        labels["T1"][m] = technical & ~labels["T2"][m]
    false_stop = wrong & proceed & ~cells.routed
    no_family = np.nan_to_num(content.therapy["family"], nan=1.0) == 0
    return labels | {
        "F4": (verdict == PARTIAL) & stop,
        "F5": false_stop,
        "F6": false_stop,
        "F7": cells.routed,
        "F10": hard & (cells.kind == ERR),
        "F11": wrong & crc & no_family,
        "F14": wrong & crc,
    }


def _decisions(cells: Cells, labels: dict[str, Bools]) -> npt.NDArray[np.object_]:
    rng = generator_for(SEED, "odbb", "decisions")
    shape = cells.verdict.shape
    answered = cells.verdict != TECHNICAL
    nccn = np.broadcast_to(cells.kind != CRC, shape)
    crossing = np.broadcast_to(np.isin(cells.kind, (IGHR, URD)), shape)
    proceed = np.broadcast_to(cells.gold("proceed"), shape)
    correct_action = proceed & (cells.verdict == CORRECT)
    decisive = labels["F1"] | labels["F3"] | cells.routed | correct_action
    decision = np.full(shape, None, dtype=object)
    decision[answered & nccn] = STOP_INFO
    decision[decisive] = PROCEED
    decision[correct_action & crossing] = ROUTE
    coin = rng.random(shape)
    decision[cells.routed & (coin < 0.5)] = ROUTE
    decision[labels["F1"] & (coin < 0.3)] = ROUTE
    for m in range(N_MODELS):
        stops = decision[m] == STOP_INFO
        # Gemini 3.1 asks for evidence four times in all, so its evidence items go elsewhere too.
        chosen = _pick(stops, BEHAVIOUR[m].need_evidence, rng, prefer=cells.kind == ERR)
        decision[m, chosen] = STOP_EVIDENCE
    return decision


def _flags(cells: Cells) -> dict[str, Bools]:
    rng = generator_for(SEED, "odbb", "flags")
    answered = cells.verdict != TECHNICAL
    nccn = cells.kind != CRC
    flags = {name: np.zeros_like(answered) for name in (GOLD_STEP, CONFLICT, CONTRADICTORY)}
    for m, numbers in enumerate(BEHAVIOUR):
        correct = cells.verdict[m] == CORRECT
        # The gap is mostly seen where options stand side by side and the model asks instead of choosing.
        gap = _pick(
            answered[m] & nccn & ~correct & (cells.verdict[m] == PARTIAL),
            numbers.gap,
            rng,
            prefer=(cells.kind == POD) & (rng.random(len(nccn)) < 0.2),
        )
        flags[GOLD_STEP][m] = gap | (correct & nccn)
        flags[CONFLICT][m] = _pick(answered[m] & nccn, numbers.conflicts, rng)
        for where, n in zip((nccn, ~nccn), numbers.contradictory, strict=True):
            flags[CONTRADICTORY][m] |= _pick(answered[m] & where, n, rng)
    return flags
