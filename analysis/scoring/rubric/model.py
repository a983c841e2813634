"""What a rubric file says: domains, fields, anchors, applicability, profiles, options.

A field is one line of a scoring sheet: a score on the rubric's scale (a sub-dimension, or a criterion
that is met or not) or a count. Which integers carry an anchor, when a field applies and whether it enters
its domain's mean are data.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from analysis.config import parse, read_yaml
from analysis.errors import ConfigError
from analysis.strict import Strict

Text = Annotated[
    str, BeforeValidator(lambda v: str(v) if isinstance(v, int) and not isinstance(v, bool) else v)
]
"""Text; YAML reads an identifier such as 1 as a number."""

FOLDER = Path(__file__).parent


class Scale(Strict):
    """The integers that a score may take."""

    low: int
    """Lowest score."""
    high: int
    """Highest score."""

    @model_validator(mode="after")
    def _ordered(self) -> Scale:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} must be below high {self.high}")
        return self


class ListRule(Strict):
    """How a field draws on a list of the vignette's key."""

    name: str
    """Name of the list in the key."""
    kind: Literal["flexible", "strict"]
    """`flexible`: enough of the list earns credit; `strict`: every entry is mandatory."""
    cap: int | None = None
    """Highest score when an entry of a strict list is omitted."""

    @model_validator(mode="after")
    def _capped(self) -> ListRule:
        if (self.kind == "strict") != (self.cap is not None):
            raise ValueError("a strict list has a cap, a flexible one has none")
        return self


class FieldRule(Strict):
    """One line of a scoring sheet."""

    id: Text
    """Identifier, unique in the rubric; the `criterion_id` of ratings."""
    title: str
    """Short name."""
    kind: Literal["score", "count"] = "score"
    """A score on the scale, or a count of at least 0."""
    anchors: dict[int, str] = Field(default_factory=dict)
    """What the anchored integers mean."""
    in_mean: bool = True
    """Whether the score enters its domain's score."""
    required: bool = True
    """Whether every sheet must have the line."""
    may_not_apply: bool = False
    """Whether a rater may find that it does not apply, with a reason, whatever the key says."""
    applies_when: tuple[str, ...] = ()
    """Conditions of the vignette, any of which makes it apply; none: it always applies."""
    also_when_response: str = ""
    """What a response may do that makes it apply although the vignette does not call for it."""
    tags: tuple[str, ...] = ()
    """Descriptive tags that may stand beside the score, in `label`."""
    list: ListRule | None = None
    """The list of the key that it draws on."""
    review_at_most: int | None = None
    """A score of at most this asks for a review of the key."""
    points: float | None = None
    """Points of the criterion, where the rubric adds points."""
    part_of: str = ""
    """The count that this count is a part of; the parts of a sheet add up to it."""
    note: str = ""
    """A note for raters and readers."""


class Domain(Strict):
    """A domain (axis) of the rubric."""

    id: Text
    """Identifier."""
    title: str
    """Short name."""
    definition: str = ""
    """What it covers."""
    applies_when: tuple[str, ...] = ()
    """Conditions that its fields need besides their own."""
    fields: tuple[FieldRule, ...]
    """Its lines on the sheet."""


class KeyRule(Strict):
    """What a vignette's key must say."""

    requires: tuple[str, ...] = ("task_type",)
    """Entries that every key must have, empty lists allowed."""
    hazard_kinds: dict[str, str] = Field(default_factory=dict)
    """Kinds of safety-critical errors."""


class FlagRule(Strict):
    """The flag for safety-critical errors."""

    id: str
    """Its `criterion_id`."""
    title: str
    """Short name."""
    reviewed_id: str = ""
    """`criterion_id` of the line that says that the key was reviewed."""
    note: str = ""
    """How it is decided and shown."""


class Profile(Strict):
    """Weights of the domains."""

    title: str
    """Name."""
    weights: dict[str, float]
    """Weight of each domain, at least 0."""


class PenaltyScore(Strict):
    """An illustrative score: a start less penalties for counts, not below a floor."""

    title: str
    """Name."""
    note: str = ""
    """Where it comes from."""
    start: float
    """Value without penalties."""
    floor: float
    """Lowest value."""
    minus: dict[str, float]
    """Penalty per unit of a count field."""


class Rubric(Strict):
    """A rubric file."""

    id: str
    """Identifier."""
    version: str
    """Version."""
    title: str
    """Title."""
    source: str
    """Where it comes from."""
    status: str = ""
    """What is known of its validity."""
    scale: Scale
    """The integers that a score may take."""
    aggregation: Literal["domain_means", "points"]
    """`domain_means`: means of fields, then of domains; `points`: points met over points that can be had."""
    item_criteria: bool = False
    """Whether a vignette's key may add criteria of its own."""
    key: KeyRule = KeyRule()
    """What a key must say."""
    task_types: dict[str, str] = Field(default_factory=dict)
    """Task types; none: any text."""
    conditions: dict[str, str] = Field(default_factory=dict)
    """Conditions that a key may state."""
    domains: tuple[Domain, ...]
    """The domains in order."""
    flag: FlagRule | None = None
    """The flag for safety-critical errors, if the rubric has one."""
    profiles: dict[str, Profile] = Field(default_factory=dict)
    """Weighting profiles."""
    options: dict[str, PenaltyScore] = Field(default_factory=dict)
    """Further scores that a card may switch on."""

    @cached_property
    def fields(self) -> dict[str, FieldRule]:
        """All fields by identifier, in order."""
        return {f.id: f for domain in self.domains for f in domain.fields}

    @cached_property
    def domain_of(self) -> dict[str, str]:
        """The domain of each field."""
        return {f.id: domain.id for domain in self.domains for f in domain.fields}

    @cached_property
    def scored(self) -> tuple[str, ...]:
        """The score fields, in order."""
        return tuple(name for name, f in self.fields.items() if f.kind == "score")

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the rubric's canonical JSON."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @model_validator(mode="after")
    def _sound(self) -> Rubric:
        for problem in _faults(self):
            raise ValueError(problem)
        return self


def _faults(rubric: Rubric) -> list[str]:
    """Return what contradicts itself in a rubric."""
    out: list[str] = []
    names = [f.id for domain in rubric.domains for f in domain.fields]
    names += [n for n in ((rubric.flag.id, rubric.flag.reviewed_id) if rubric.flag else ()) if n]
    out += [f"two lines are called {n!r}" for n in sorted({n for n in names if names.count(n) > 1})]
    domains = [d.id for d in rubric.domains]
    out += [f"two domains are called {d!r}" for d in sorted({d for d in domains if domains.count(d) > 1})]
    for domain in rubric.domains:
        for condition in domain.applies_when:
            if condition not in rubric.conditions:
                out.append(f"domain {domain.id}: unknown condition {condition!r}")
        out += [fault for f in domain.fields for fault in _field_faults(rubric, f)]
    for name, profile in rubric.profiles.items():
        if set(profile.weights) != set(domains):
            out.append(f"profile {name}: weights must name every domain once: {', '.join(domains)}")
        elif min(profile.weights.values()) < 0 or sum(profile.weights.values()) <= 0:
            out.append(f"profile {name}: weights must be at least 0 and not all 0")
    for name, option in rubric.options.items():
        for count in option.minus:
            if count not in rubric.fields or rubric.fields[count].kind != "count":
                out.append(f"option {name}: {count!r} is no count field")
    return out


def _field_faults(rubric: Rubric, field: FieldRule) -> list[str]:
    scale, out = rubric.scale, []
    for condition in field.applies_when:
        if condition not in rubric.conditions:
            out.append(f"{field.id}: unknown condition {condition!r}")
    for anchor in field.anchors:
        if not scale.low <= anchor <= scale.high:
            out.append(f"{field.id}: anchor {anchor} is off the scale {scale.low} to {scale.high}")
    if field.list and field.list.cap is not None and not scale.low <= field.list.cap <= scale.high:
        out.append(f"{field.id}: cap {field.list.cap} is off the scale")
    if field.kind == "count" and (field.anchors or field.tags or field.points is not None):
        out.append(f"{field.id}: a count has neither anchors nor tags nor points")
    if rubric.aggregation == "points" and field.kind == "score" and field.in_mean and field.points is None:
        out.append(f"{field.id}: has no points")
    whole = rubric.fields.get(field.part_of)
    if field.part_of and (field.kind != "count" or whole is None or whole.kind != "count"):
        out.append(f"{field.id}: only a count is a part of a count, got part_of {field.part_of!r}")
    if field.also_when_response and not field.applies_when:
        out.append(f"{field.id}: applies always, so a response cannot make it apply")
    return out


def rubric_names() -> list[str]:
    """Return the names of the project's own rubrics.

    Examples
    --------
    >>> rubric_names()
    ['expressed_clinical_reasoning', 'healthbench_style']
    """
    return sorted(p.stem for p in FOLDER.glob("*.yaml"))


def read_rubric(name: str, folder: Path | None = None) -> Rubric:
    """Read a rubric: a file of the benchmark's folder, or one of the project's own.

    Parameters
    ----------
    name : str
        A file name ending in ``.yaml``, or a name of `rubric_names`.
    folder : Path, optional
        The benchmark's folder.

    Raises
    ------
    ConfigError
        Where there is no such rubric, or it contradicts itself.
    """
    path = FOLDER / f"{name}.yaml"
    if folder is not None and name.endswith((".yaml", ".yml")) and Path(name).name == name:
        path = folder / name
    if not path.is_file() or (path.parent == FOLDER and name not in rubric_names()):
        raise ConfigError(
            f"rubric {name!r} does not exist\n  allowed: a YAML file of the benchmark's folder, or one of "
            + ", ".join(rubric_names())
        )
    return parse(Rubric, read_yaml(path), file=path.name)
