"""The scorer's dictionaries: data files with a schema, read once and turned into lookup tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from analysis.config import parse, read_yaml
from analysis.errors import ConfigError
from analysis.scoring.odbb.text import Phrases, drug_key, field_key, plain
from analysis.strict import Strict

FOLDER = Path(__file__).with_name("dictionaries")
NAMES = ("fields", "slots", "language", "labels", "drugs")
N_AGENTS = 43
"""Entries of the drug dictionary: the paper's has 43 (section 2.3). Which ones is ours."""


class FieldFile(Strict):
    """`fields.yaml`: names of fields and values of enumerations."""

    fields: dict[str, tuple[str, ...]]
    """Canonical field and its variants."""
    containers: tuple[str, ...]
    """Keys under which a response is sometimes wrapped."""
    text_keys: tuple[str, ...]
    """Keys of an object that stands where a text is expected."""
    decision: dict[str, tuple[str, ...]]
    """Canonical decision and its variants."""
    intent: dict[str, tuple[str, ...]]
    """Canonical treatment intent and its variants."""
    nccn_category: dict[str, tuple[str, ...]]
    """Canonical guideline category and its legacy spellings."""


class SlotFile(Strict):
    """`slots.yaml`: synonyms."""

    phrases: dict[str, tuple[str, ...]]
    """Canonical wording and the phrases that mean it."""
    words: dict[str, str]
    """Word and its canonical form."""


class LanguageFile(Strict):
    """`language.yaml`: words that the scorer reads."""

    stopwords: frozenset[str]
    """Words that carry nothing."""
    negations: frozenset[str]
    """Words after which something is recommended against."""
    verdicts_against: frozenset[str]
    """Words that turn a whole segment around."""
    directives: frozenset[str]
    """Words that begin a new segment after a comma or `and`."""
    conditions: frozenset[str]
    """Words that make a clause depend on something."""
    clause_words: frozenset[str]
    """Words that separate clauses."""
    opposites: tuple[tuple[str, str], ...]
    """Pairs of which one contradicts the other."""
    treatments: frozenset[str]
    """Words besides drugs that name a specific treatment."""
    conflicts: frozenset[str]
    """Words that acknowledge contradictory data."""


class LabelRule(Strict):
    """A failure label of `labels.yaml`."""

    meaning: str
    """What it means."""
    surface: str = ""
    """The track it belongs to; empty for both."""
    trigger: str = ""
    """The rule that emits it."""
    hard: bool = False
    """Counts towards the hard-failure rate."""
    technical: bool = False
    """A technical fault."""
    reserved: bool = False
    """Set aside: nothing may emit it."""


class Agent(Strict):
    """An agent of `drugs.yaml`. Field `drug_class` is `class` in the file."""

    drug_class: str = Field(alias="class")
    """Its class."""
    aliases: tuple[str, ...] = ()
    """Other names."""
    requires: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Molecular findings without which it has no indication."""
    excluded_by: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Molecular findings under which it loses its indication."""
    unless_with: tuple[str, ...] = ()
    """Agents that lift the exclusion."""


class DrugFile(Strict):
    """`drugs.yaml`: agents, classes, families."""

    families: dict[str, str]
    """Class and its family."""
    agents: dict[str, Agent]
    """Canonical agent."""
    backbones: dict[str, tuple[str, ...]]
    """Agents that stand together are one backbone."""
    ignored: tuple[str, ...]
    """What is given with an agent and does not count."""
    parts: tuple[str, ...]
    """Parts of a fixed combination."""
    noise: frozenset[str]
    """Words around an agent that name none."""


@dataclass(frozen=True)
class Dictionaries:
    """All dictionaries as lookup tables.

    Parameters
    ----------
    field_of, decision_of, intent_of, category_of : dict of str to str
        Canonical name of every name and variant, by its key (lower case, underscores).
    files : tuple
        The validated files.
    slot_phrases : Phrases
        Replaces synonymous phrases in a list of words.
    agent_of : dict of str to str
        Canonical agent of every name and alias; the empty text for what is ignored.
    sha256 : str
        Hash of the five files together.
    """

    fields: FieldFile
    slots: SlotFile
    language: LanguageFile
    labels: dict[str, LabelRule]
    drugs: DrugFile
    field_of: dict[str, str]
    decision_of: dict[str, str]
    intent_of: dict[str, str]
    category_of: dict[str, str]
    slot_phrases: Phrases
    agent_of: dict[str, str]
    sha256: str

    @property
    def active_labels(self) -> tuple[str, ...]:
        """The labels that the scorer may emit."""
        return tuple(name for name, rule in self.labels.items() if not rule.reserved)


def load_dictionaries(folder: Path = FOLDER) -> Dictionaries:
    """Read and check the dictionaries of a folder; the packaged ones by default.

    Raises
    ------
    ConfigError
        Where a file breaks its schema, a variant stands for two things, a class has no family, or a
        reserved label has a trigger.
    """
    return _load(folder)


@cache
def _load(folder: Path) -> Dictionaries:
    raw = {name: read_yaml(folder / f"{name}.yaml") for name in NAMES}
    fields = parse(FieldFile, raw["fields"], file="fields.yaml")
    slots = parse(SlotFile, raw["slots"], file="slots.yaml")
    language = parse(LanguageFile, raw["language"], file="language.yaml")
    labels = {k: parse(LabelRule, v, file=f"labels.yaml: {k}") for k, v in raw["labels"].items()}
    drugs = parse(DrugFile, raw["drugs"], file="drugs.yaml")
    _check_labels(labels)
    _check_drugs(drugs)
    digest = hashlib.sha256()
    for name in NAMES:
        digest.update((folder / f"{name}.yaml").read_bytes())
    return Dictionaries(
        fields=fields,
        slots=slots,
        language=language,
        labels=labels,
        drugs=drugs,
        field_of=_inverted("fields.yaml: fields", fields.fields, field_key),
        decision_of=_inverted("fields.yaml: decision", fields.decision, field_key),
        intent_of=_inverted("fields.yaml: intent", fields.intent, field_key),
        category_of=_inverted("fields.yaml: nccn_category", fields.nccn_category, field_key),
        slot_phrases=Phrases(
            {tuple(plain(k).split()): canonical for k, canonical in _phrases(slots).items()}
        ),
        agent_of=_agents(drugs),
        sha256=digest.hexdigest(),
    )


def _inverted(place: str, table: Mapping[str, Iterable[str]], key: Any) -> dict[str, str]:
    """Return the canonical name of every name and variant; a variant that stands twice is refused."""
    out: dict[str, str] = {}
    for canonical, variants in table.items():
        for name in (canonical, *variants):
            known = out.setdefault(key(name), canonical)
            if known != canonical:
                raise ConfigError(f"{place}: {name!r} stands for both {known!r} and {canonical!r}")
    return out


def _phrases(slots: SlotFile) -> dict[str, tuple[str, ...]]:
    inverted = _inverted("slots.yaml: phrases", slots.phrases, plain)
    return {phrase: tuple(plain(canonical).split()) for phrase, canonical in inverted.items()}


def _agents(drugs: DrugFile) -> dict[str, str]:
    names = {name: agent.aliases for name, agent in drugs.agents.items()}
    names |= dict.fromkeys(drugs.parts, ())
    out = _inverted("drugs.yaml: agents", names, drug_key)
    for name in drugs.ignored:
        if drug_key(name) in out:
            raise ConfigError(f"drugs.yaml: ignored: {name!r} is also an agent")
        out[drug_key(name)] = ""
    return out


def _check_labels(labels: Mapping[str, LabelRule]) -> None:
    for name, rule in labels.items():
        if rule.reserved and rule.trigger:
            raise ConfigError(
                f"labels.yaml: {name} is reserved and may not have the trigger {rule.trigger!r}"
            )
        if not rule.reserved and not rule.trigger:
            raise ConfigError(f"labels.yaml: {name} has no trigger and is not reserved")


def _check_drugs(drugs: DrugFile) -> None:
    for name, agent in drugs.agents.items():
        if agent.drug_class not in drugs.families:
            raise ConfigError(f"drugs.yaml: class {agent.drug_class!r} of {name!r} has no family")
        for other in agent.unless_with:
            if other not in drugs.agents:
                raise ConfigError(f"drugs.yaml: unless_with of {name!r} names the unknown agent {other!r}")
    for name, parts in drugs.backbones.items():
        unknown = [p for p in (name, *parts) if p not in drugs.agents and p not in drugs.parts]
        if unknown:
            raise ConfigError(f"drugs.yaml: backbone {name!r} names the unknown agent {unknown[0]!r}")
