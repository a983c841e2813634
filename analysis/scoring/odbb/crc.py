"""CRC cases: therapy F1 at three granularities, intent, contraindications, labels, verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.gold import CrcGold
from analysis.scoring.odbb.labels import CrcFacts, Labeller
from analysis.scoring.odbb.rows import CONFLICT, CORRECT, INCORRECT, PARTIAL, UNKNOWN_DRUG, Rows
from analysis.scoring.odbb.steps import StepReader
from analysis.scoring.odbb.therapy import GRANULARITIES, CaseGold, TherapyMatch, TherapyReader
from analysis.scoring.odbb.trail import Trail

FIELDS = tuple(f"therapy_f1_{name}" for name in GRANULARITIES)


@dataclass(frozen=True, slots=True)
class _Case:
    """A gold case, prepared."""

    gold: CaseGold
    intent: str
    wanted: str
    findings: str


class CrcScorer:
    """Scores case items.

    Parameters
    ----------
    therapy, steps, labeller
        What reads regimens and texts, and emits labels.
    config : ScorerConfig
        Thresholds.
    """

    def __init__(
        self, therapy: TherapyReader, steps: StepReader, labeller: Labeller, config: ScorerConfig
    ) -> None:
        self._therapy, self._steps, self._labeller, self._config = therapy, steps, labeller, config
        self._cases: dict[str, _Case] = {}

    def add(self, item: CrcGold) -> None:
        """Prepare a gold case."""
        gold = self._therapy.prepare(item)
        findings = ", ".join(f"{marker} {value}" for marker, value in sorted(item.molecular.items()))
        self._cases[item.item_id] = _Case(gold, item.intent, ", ".join(gold.regimen.agents), findings)

    def score(
        self, i: int, item_id: str, record: dict[str, Any], flags: list[str], rows: Rows, trail: Trail
    ) -> None:
        """Score one response.

        A response is correct where the strict therapy F1 reaches the threshold, the intent matches and no
        contraindicated agent is recommended; partial where the strict therapy F1 is above 0.

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
        case, threshold = self._cases[item_id], self._config.therapy_correct
        match = self._therapy.match(record["regimens"], case.gold)
        strict = match.f1[0]
        intent_matches = record["intent"] == case.intent
        self._trace(i, case, match, trail)
        for name, value in zip(GRANULARITIES, match.f1, strict=True):
            rows.therapy[name][i] = value
        outcome = "aligned" if intent_matches else "misaligned"
        trail.add(i, "alignment", "intent", outcome, record["intent"], case.intent)
        rows.decision_aligned[i] = intent_matches
        if match.unknown:
            flags.append(UNKNOWN_DRUG)
        reasoning = record.get("reasoning", "")
        if "rationale" in record:
            reasoning = f"{reasoning}\n{record['rationale']}"
        if reasoning and self._steps.reads_of(reasoning, ())[1]:
            flags.append(CONFLICT)
        if strict >= threshold and intent_matches and not match.contraindicated:
            verdict = CORRECT
        else:
            verdict = PARTIAL if strict > 0 else INCORRECT
        labels: list[str] = []
        if verdict != CORRECT:
            facts = CrcFacts(
                f1_strict=strict,
                f1_family=match.f1[2],
                intent_matches=intent_matches,
                contraindicated=bool(match.contraindicated),
                molecular=bool(match.molecular),
            )
            labels = self._labeller.crc(facts)
            for name in labels:
                trail.add(i, "labels", name, "emitted", self._labeller.trigger(name))
        trail.add(i, "verdict", "verdict", verdict, None, None, strict, threshold)
        rows.settle(i, verdict, strict, labels, flags)

    def _trace(self, i: int, case: _Case, match: TherapyMatch, trail: Trail) -> None:
        threshold = self._config.therapy_correct
        found = ", ".join(match.regimen.agents)
        outcome = "reached" if match.f1[0] >= threshold else "not reached"
        trail.add(i, "content", FIELDS[0], outcome, found, case.wanted, match.f1[0], threshold)
        for name, value in zip(FIELDS[1:], match.f1[1:], strict=True):
            trail.add(i, "content", name, "for comparison", found, case.wanted, value)
        for agent in match.contraindicated:
            trail.add(i, "content", "contraindicated", "ruled out by the gold answer", agent)
        for agent in match.molecular:
            trail.add(i, "content", "molecular", "without indication", agent, case.findings)
        for name in match.unknown:
            trail.add(i, "content", "drug", "not in the dictionary: matches nothing", name)
