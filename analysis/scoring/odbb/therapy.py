"""CRC: recommended regimens against the gold regimen, at three granularities, and the molecular findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.dictionaries import Dictionaries
from analysis.scoring.odbb.gold import CrcGold
from analysis.scoring.odbb.text import drug_key, plain
from analysis.scoring.odbb.tokens import CACHE_SIZE, Memo

IN_BRACKETS = re.compile(r"\([^()]*\)")
UNKNOWN = "unknown:"
GRANULARITIES = ("strict", "class", "family")


class Regimen(NamedTuple):
    """A regimen at the three granularities, each a sorted tuple of the same length.

    Parameters
    ----------
    agents, classes, families : tuple of str
        Canonical agents and their classes and families; an unknown drug stands as ``unknown:<name>`` in all
        three, so it matches nothing but itself.
    """

    agents: tuple[str, ...]
    classes: tuple[str, ...]
    families: tuple[str, ...]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The drugs that the dictionary does not have."""
        return tuple(a.removeprefix(UNKNOWN) for a in self.agents if a.startswith(UNKNOWN))


class TherapyMatch(NamedTuple):
    """The best of the considered regimens, and what speaks against any of them.

    Parameters
    ----------
    f1 : tuple of float
        Therapy F1 at strict, class and family granularity; a coarser one is never lower.
    regimen : Regimen
        The regimen that they belong to.
    contraindicated : tuple of str
        Agents of the considered regimens that the gold answer rules out.
    molecular : tuple of str
        Agents whose indication the molecular findings exclude.
    unknown : tuple of str
        Drugs that the dictionary does not have.
    """

    f1: tuple[float, float, float]
    regimen: Regimen
    contraindicated: tuple[str, ...]
    molecular: tuple[str, ...]
    unknown: tuple[str, ...]


class CaseGold(NamedTuple):
    """A gold case, prepared.

    Parameters
    ----------
    regimen : Regimen
        The gold regimen.
    ruled_out : frozenset of str
        Agents that the gold answer rules out.
    findings : dict of str to str
        Molecular findings in lower case.
    known : dict
        What recommended regimens came to: saves time.
    """

    regimen: Regimen
    ruled_out: frozenset[str]
    findings: dict[str, str]
    known: dict[tuple[str, ...], TherapyMatch]


class TherapyReader:
    """Reads and compares regimens.

    Parameters
    ----------
    dictionaries : Dictionaries
        Drugs.
    config : ScorerConfig
        `regimens_considered`.
    """

    def __init__(self, dictionaries: Dictionaries, config: ScorerConfig) -> None:
        self._drugs = dictionaries.drugs
        self._agent_of = dictionaries.agent_of
        self._considered = config.regimens_considered
        self._regimens: dict[frozenset[str], Regimen] = {}
        self.agents_in = Memo(self._agents_in)
        """Returns the canonical agents that a drug's name stands for; none for what does not count."""

    def _agents_in(self, text: str) -> tuple[str, ...]:
        agent_of = self._agent_of
        for name in (text, IN_BRACKETS.sub(" ", text)):
            agent = agent_of.get(drug_key(name))
            if agent is not None:
                return (agent,) if agent else ()
        words = [w for w in plain(IN_BRACKETS.sub(" ", text)).split() if w not in self._drugs.noise]
        joined = " ".join(w for w in words if not w.isdigit())
        agent = agent_of.get(drug_key(joined)) if joined else ""
        if agent is not None:
            return (agent,) if agent else ()
        parts = [p for p in text.split("/") if p.strip()]
        if len(parts) > 1:
            return tuple(a for part in parts for a in self.agents_in[part])
        return (UNKNOWN + (joined or plain(text))[:60],)

    def regimen(self, drugs: Iterable[str]) -> Regimen:
        """Return a regimen: aliases resolved, backbones joined, every agent once."""
        agents = frozenset(a for drug in drugs for a in self.agents_in[drug])
        known = self._regimens.get(agents)
        if known is None:
            if len(self._regimens) >= CACHE_SIZE:
                self._regimens.clear()
            known = self._regimens[agents] = self._regimen(set(agents))
        return known

    def _regimen(self, agents: set[str]) -> Regimen:
        for backbone, parts in self._drugs.backbones.items():
            if agents.issuperset(parts):
                agents.difference_update(parts)
                agents.add(backbone)
        ordered = sorted(agents)
        classes = [self._class(a) for a in ordered]
        families = [self._drugs.families.get(c, c) for c in classes]
        return Regimen(tuple(ordered), tuple(sorted(classes)), tuple(sorted(families)))

    def _class(self, agent: str) -> str:
        known = self._drugs.agents.get(agent)
        return known.drug_class if known else agent

    def prepare(self, item: CrcGold) -> CaseGold:
        """Prepare a gold case."""
        ruled_out = frozenset(a for drug in item.contraindicated for a in self.agents_in[drug])
        findings = {str(marker): value.lower() for marker, value in item.molecular.items()}
        return CaseGold(self.regimen(item.regimen), ruled_out, findings, {})

    def match(self, regimens: Sequence[Sequence[str]], case: CaseGold) -> TherapyMatch:
        """Compare the first recommended regimens with the gold regimen; the best strict F1 counts."""
        options = [self._option(tuple(drugs), case) for drugs in regimens[: self._considered]]
        best = options[0]
        if len(options) == 1:
            return best
        for option in options[1:]:
            if option.f1 > best.f1:
                best = option
        return TherapyMatch(
            best.f1,
            best.regimen,
            tuple(sorted({a for o in options for a in o.contraindicated})),
            tuple(sorted({a for o in options for a in o.molecular})),
            tuple(sorted({a for o in options for a in o.unknown})),
        )

    def _option(self, drugs: tuple[str, ...], case: CaseGold) -> TherapyMatch:
        """Compare one regimen; remembered, because models often recommend the same."""
        known = case.known.get(drugs)
        if known is None:
            if len(case.known) >= CACHE_SIZE // 10:
                case.known.clear()
            regimen, gold = self.regimen(drugs), case.regimen
            known = case.known[drugs] = TherapyMatch(
                (
                    multiset_f1(regimen.agents, gold.agents),
                    multiset_f1(regimen.classes, gold.classes),
                    multiset_f1(regimen.families, gold.families),
                ),
                regimen,
                tuple(a for a in regimen.agents if not case.ruled_out.isdisjoint(self._with_parts(a))),
                tuple(self._without_indication(regimen.agents, case.findings)),
                regimen.unknown,
            )
        return known

    def _without_indication(self, agents: Sequence[str], findings: Mapping[str, str]) -> list[str]:
        """Return the agents that the reported findings speak against; unreported ones exclude nothing."""
        out = []
        for name in agents:
            agent = self._drugs.agents.get(name)
            if agent is None:
                continue
            lacking = any(
                marker in findings and findings[marker] not in values
                for marker, values in agent.requires.items()
            )
            excluded = any(findings.get(marker) in values for marker, values in agent.excluded_by.items())
            if lacking or (excluded and not set(agent.unless_with).intersection(agents)):
                out.append(name)
        return out

    def _with_parts(self, agent: str) -> tuple[str, ...]:
        """Return an agent and a backbone's parts: who may not have 5-FU may not have FOLFOX."""
        return (agent, *self._drugs.backbones.get(agent, ()))


def multiset_f1(given: Sequence[str], gold: Sequence[str]) -> float:
    """Return F1 of two sorted multisets: 2 x common / (|given| + |gold|), 0 where both are empty.

    Examples
    --------
    >>> multiset_f1(("bevacizumab", "folfox"), ("cetuximab", "folfox"))
    0.5
    """
    if given == gold:
        return 1.0 if gold else 0.0
    left = list(given)
    common = 0
    for name in gold:
        if name in left:
            left.remove(name)
            common += 1
    total = len(given) + len(gold)
    return 2 * common / total if total else 0.0
