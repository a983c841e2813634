"""Phases 2 and 3 of guideline items: decision alignment, content, labels, verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.gold import NccnGold
from analysis.scoring.odbb.labels import Labeller, NccnFacts
from analysis.scoring.odbb.repair import STOP_DECISIONS
from analysis.scoring.odbb.rows import (
    CONFLICT,
    CONTRADICTORY,
    CORRECT,
    GOLD_STEP,
    INCORRECT,
    PARTIAL,
    POLARITY,
    Rows,
)
from analysis.scoring.odbb.slots import Slot, match_slots, prepare_slots
from analysis.scoring.odbb.steps import Spellings, Step, StepReader
from analysis.scoring.odbb.tokens import Tokenizer, Weights
from analysis.scoring.odbb.trail import Trail

SHOWN = 200
"""Characters of a need or a next step that the trail quotes."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A gold item, prepared."""

    stops: bool
    decision: str
    slots: tuple[Slot, ...]
    steps: tuple[str, ...]
    spellings: tuple[Spellings, ...]
    evidence_conflict: bool


class _Content(NamedTuple):
    """What phase 3 found."""

    score: float
    correct_at: float
    missed_critical: bool = False
    path_matched: bool = False
    conflict: bool = False


class NccnScorer:
    """Scores guideline items.

    Parameters
    ----------
    tokens, weights, steps, labeller
        What reads texts and emits labels.
    config : ScorerConfig
        Thresholds.
    """

    def __init__(
        self, tokens: Tokenizer, weights: Weights, steps: StepReader, labeller: Labeller, config: ScorerConfig
    ) -> None:
        self._tokens, self._weights, self._steps = tokens, weights, steps
        self._labeller, self._config = labeller, config
        self._items: dict[str, _Item] = {}

    def add(self, item: NccnGold) -> None:
        """Prepare a gold item."""
        self._items[item.item_id] = _Item(
            item.stops,
            item.decision,
            prepare_slots(item, self._tokens, self._weights),
            item.steps,
            self._steps.prepare_gold(item.steps),
            item.evidence_conflict,
        )

    def score(
        self, i: int, item_id: str, record: dict[str, Any], flags: list[str], rows: Rows, trail: Trail
    ) -> None:
        """Score one response.

        A response is correct where the intent is right and the content score reaches the threshold, partial
        where either the intent is right or there is content, incorrect otherwise or where its next step
        contradicts the gold step.

        Parameters
        ----------
        i : int
            Position of the response.
        item_id : str
            Its item.
        record : dict
            The canonical record.
        flags : list of str
            Flags so far; added to.
        rows : Rows
            Receives the row.
        trail : Trail
            Receives the steps.
        """
        item = self._items[item_id]
        decision, next_step = record["decision"], record.get("next_step", "")
        stops = decision in STOP_DECISIONS
        step = self._steps.read[next_step]
        commits = not stops or step.commits
        aligned = (stops and not commits) if item.stops else not stops
        rows.decision[i], rows.stop_decision[i] = decision, stops
        rows.downstream_commitment[i], rows.decision_aligned[i] = commits, aligned
        trail.add(i, "alignment", "decision", "aligned" if aligned else "misaligned", decision, item.decision)
        if stops and commits:
            flags.append(CONTRADICTORY)
            trail.add(i, "alignment", "next_step", "orders a treatment although it stops", next_step[:SHOWN])

        content = (
            self._slots(i, item, record, rows, trail)
            if item.stops
            else self._path(i, item, next_step, flags, trail)
        )
        self._reasoning(item, record, flags)
        if content.conflict:
            verdict = INCORRECT
        elif aligned and content.score >= content.correct_at:
            verdict = CORRECT
        else:
            verdict = PARTIAL if aligned or content.score > self._config.partial_above else INCORRECT
        labels = [] if verdict == CORRECT else self._labels(i, item, stops, commits, step, content, trail)
        trail.add(i, "verdict", "verdict", verdict, None, None, content.score, content.correct_at)
        rows.settle(i, verdict, content.score, labels, flags)

    def _slots(self, i: int, item: _Item, record: dict[str, Any], rows: Rows, trail: Trail) -> _Content:
        config, slots = self._config, item.slots
        needs = record.get("needs", ())
        if "evidence" in record:
            needs = [*needs, *record["evidence"]]
        match = match_slots(needs, slots, self._tokens, self._weights, config.slot_match)
        for slot, (need, share) in zip(slots, match.found, strict=True):
            outcome = "found" if need is not None else "missed, critical" if slot.critical else "missed"
            quoted = need if need is None else need[:SHOWN]
            trail.add(i, "content", "slot", outcome, quoted, slot.text, share, config.slot_match)
        rows.slot_precision[i], rows.slot_recall[i] = match.precision, match.recall
        outcome = "reached" if match.f1 >= config.slot_correct else "not reached"
        found, wanted = f"{match.n_needs} needs", f"{len(slots)} slots"
        trail.add(i, "content", "slot_f1", outcome, found, wanted, match.f1, config.slot_correct)
        return _Content(match.f1, config.slot_correct, missed_critical=match.missed_critical)

    def _path(self, i: int, item: _Item, next_step: str, flags: list[str], trail: Trail) -> _Content:
        threshold = self._config.path_overlap
        path = self._steps.match(next_step, item.steps)
        matched = not path.conflict and path.overlap >= threshold
        outcome = "contradicts" if path.conflict else "reached" if matched else "not reached"
        trail.add(
            i, "content", "path_overlap", outcome, next_step[:SHOWN], path.gold, path.overlap, threshold
        )
        if path.conflict:
            flags.append(POLARITY)
        return _Content(path.overlap, threshold, path_matched=matched, conflict=path.conflict)

    def _reasoning(self, item: _Item, record: dict[str, Any], flags: list[str]) -> None:
        reasoning = record.get("reasoning", "")
        if "rationale" in record:
            reasoning = f"{reasoning}\n{record['rationale']}"
        if reasoning:
            has_step, has_conflict = self._steps.reads_of(reasoning, item.spellings)
            if has_step:
                flags.append(GOLD_STEP)
            if has_conflict:
                flags.append(CONFLICT)

    def _labels(
        self, i: int, item: _Item, stops: bool, commits: bool, step: Step, content: _Content, trail: Trail
    ) -> list[str]:
        facts = NccnFacts(
            gold_stops=item.stops,
            stops=stops,
            commits=commits,
            names_treatment=step.commits if stops else step.names_treatment,
            missed_critical=content.missed_critical,
            path_matched=content.path_matched,
            evidence_conflict=item.evidence_conflict,
        )
        labels = self._labeller.nccn(facts)
        for name in labels:
            trail.add(i, "labels", name, "emitted", self._labeller.trigger(name))
        return labels
