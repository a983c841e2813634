"""The typed failure labels: which rule emits which label.

The paper names the labels (table 1) and leaves the triggers to its supplement; these rules are ours. A label
explains a verdict that is not correct, so correct responses carry none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from analysis.errors import ConfigError
from analysis.scoring.odbb.dictionaries import Dictionaries, LabelRule


class NccnFacts(NamedTuple):
    """What the rules of guideline items look at.

    Parameters
    ----------
    gold_stops, stops : bool
        The gold answer, and the response, stop.
    commits : bool
        The response commits to an action: by its decision, or by ordering a treatment.
    names_treatment : bool
        Its next step commits to a specific treatment.
    missed_critical : bool
        A critical slot is missed.
    path_matched : bool
        The next step matches a gold step.
    evidence_conflict : bool
        The case flags an evidence conflict.
    """

    gold_stops: bool
    stops: bool
    commits: bool
    names_treatment: bool
    missed_critical: bool
    path_matched: bool
    evidence_conflict: bool


class CrcFacts(NamedTuple):
    """What the rules of case items look at.

    Parameters
    ----------
    f1_strict, f1_family : float
        Therapy F1.
    intent_matches : bool
        Same treatment intent.
    contraindicated, molecular : bool
        An agent is ruled out by the gold answer, or by the molecular findings.
    """

    f1_strict: float
    f1_family: float
    intent_matches: bool
    contraindicated: bool
    molecular: bool


NCCN_RULES: dict[str, Callable[[NccnFacts], bool]] = {
    # F1 and F3 exclude each other: naming a treatment is the premature commitment.
    "unsafe_overreach": lambda f: f.gold_stops and f.commits and not f.names_treatment,
    "premature_commitment": lambda f: f.gold_stops and f.commits and f.names_treatment,
    "missed_decisive_info": lambda f: f.gold_stops and f.stops and f.missed_critical,
    "false_stop": lambda f: not f.gold_stops and f.stops,
    "wrong_route": lambda f: not f.gold_stops and not f.stops and not f.path_matched,
    "evidence_bypass": lambda f: f.evidence_conflict and f.gold_stops and f.commits,
}
CRC_RULES: dict[str, Callable[[CrcFacts], bool]] = {
    "unsupported_recommendation": lambda f: f.f1_family == 0,
    "intent_mismatch": lambda f: not f.intent_matches,
    "molecular_error": lambda f: f.molecular,
    "therapy_mismatch": lambda f: f.f1_strict < 1,
    "contraindicated": lambda f: f.contraindicated,
}
TECHNICAL_RULES = ("schema_violation", "unparseable_json")


class Labeller:
    """Emits labels by the rules of `labels.yaml`.

    Parameters
    ----------
    dictionaries : Dictionaries
        The labels.

    Raises
    ------
    ConfigError
        Where a label names a rule that does not exist for its track.
    """

    def __init__(self, dictionaries: Dictionaries) -> None:
        self._rules = dictionaries.labels
        self._nccn = _resolved(dictionaries.labels, "NCCN", NCCN_RULES)
        self._crc = _resolved(dictionaries.labels, "CRC", CRC_RULES)
        for name, rule in dictionaries.labels.items():
            if rule.technical and rule.trigger not in TECHNICAL_RULES:
                raise ConfigError(f"labels.yaml: {name} names the unknown rule {rule.trigger!r}")

    def nccn(self, facts: NccnFacts) -> list[str]:
        """Return the labels of a guideline item that is not correct."""
        return [name for name, holds in self._nccn if holds(facts)]

    def crc(self, facts: CrcFacts) -> list[str]:
        """Return the labels of a case item that is not correct."""
        return [name for name, holds in self._crc if holds(facts)]

    def trigger(self, name: str) -> str:
        """Return the rule that emits a label."""
        return self._rules[name].trigger

    def refuse_reserved(self, labels: Iterable[str]) -> None:
        """Refuse labels that are reserved or unknown.

        Raises
        ------
        ConfigError
            With the first of them.
        """
        for name in labels:
            if name not in self._rules:
                raise ConfigError(f"{name!r} is not a failure label")
            if self._rules[name].reserved:
                raise ConfigError(f"label {name} is reserved: nothing may emit it")


def _resolved(
    labels: dict[str, LabelRule], surface: str, rules: dict[str, Callable[..., bool]]
) -> list[tuple[str, Callable[..., bool]]]:
    out = []
    for name, rule in labels.items():
        if rule.surface != surface:
            continue
        if rule.trigger not in rules:
            raise ConfigError(
                f"labels.yaml: {name} names the unknown rule {rule.trigger!r}; known are {', '.join(rules)}"
            )
        out.append((name, rules[rule.trigger]))
    return out
