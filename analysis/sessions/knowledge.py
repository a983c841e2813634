"""The knowledge base of the safety critic: rules on drugs as data, with a schema.

A knowledge base is a YAML file (``sessions/knowledge.yaml``). Unknown keys are errors; rules may
name drugs or classes of drugs, and every name must be one that the file defines.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import Field, model_validator

from analysis.config import parse, read_yaml
from analysis.strict import Strict

Severity = Literal["critical", "major", "moderate", "minor"]
CONDITIONS = (
    "factor",
    "sex",
    "age_from",
    "age_below",
    "egfr_from",
    "egfr_below",
    "weight_from",
    "weight_below",
)
"""What a rule may ask of the patient's profile."""


class When(Strict):
    """Conditions on the patient; all must hold. An empty one holds for everyone."""

    factor: str | None = None
    """One of the patient's factors, such as `pregnancy`."""
    sex: str | None = None
    """The patient's sex."""
    age_from: float | None = Field(default=None, ge=0)
    """Age of at least this, in years."""
    age_below: float | None = Field(default=None, ge=0)
    """Age below this, in years."""
    egfr_from: float | None = Field(default=None, ge=0)
    """eGFR of at least this, in mL/min/1.73 m2."""
    egfr_below: float | None = Field(default=None, ge=0)
    """eGFR below this, in mL/min/1.73 m2."""
    weight_from: float | None = Field(default=None, ge=0)
    """Body weight of at least this, in kg."""
    weight_below: float | None = Field(default=None, ge=0)
    """Body weight below this, in kg."""

    @model_validator(mode="after")
    def _ordered(self) -> When:
        for name in ("age", "egfr", "weight"):
            low, high = getattr(self, f"{name}_from"), getattr(self, f"{name}_below")
            if low is not None and high is not None and low >= high:
                raise ValueError(f"{name}_from {low:g} is not below {name}_below {high:g}: nobody fits")
        return self


class Drug(Strict):
    """A drug that the knowledge base knows."""

    drug: str
    """Its name, as rules and regimens have it."""
    names: tuple[str, ...] = ()
    """Other names in regimens, such as brand names."""
    classes: tuple[str, ...] = ()
    """Classes it belongs to; an allergy to one of them forbids it."""
    routes: tuple[str, ...] = ()
    """Routes it may be given by (none: any)."""


class ProfileRule(Strict):
    """A drug that a patient should not have."""

    rule: str
    """The rule's identifier."""
    kind: Literal["contraindication", "profile_conflict"]
    """Absolute (fails the plan if critical or major), or a caution."""
    drugs: tuple[str, ...] = Field(min_length=1)
    """Drugs or classes."""
    when: When
    """For whom."""
    severity: Severity
    """Severity."""
    reason: str
    """Why, for the audit line."""


class Interaction(Strict):
    """Two drugs that do not go together."""

    rule: str
    """The rule's identifier."""
    between: tuple[str, ...] = Field(min_length=1)
    """Drugs or classes on one side."""
    against: tuple[str, ...] = Field(min_length=1)
    """Drugs or classes on the other side."""
    severity: Severity
    """Severity."""
    reason: str
    """What happens, for the audit line."""


class DoseRange(Strict):
    """What dose is in range. The most specific range that fits a line counts."""

    rule: str
    """The rule's identifier."""
    drug: str
    """The drug."""
    unit: str
    """Unit of the doses; a line in another unit is not checked, and counted."""
    indication: str | None = None
    """For this diagnosis only."""
    route: str | None = None
    """By this route only."""
    when: When = When()
    """For whom."""
    low: float | None = Field(default=None, ge=0)
    """Least single dose."""
    high: float | None = Field(default=None, gt=0)
    """Greatest single dose."""
    daily_low: float | None = Field(default=None, ge=0)
    """Least dose a day."""
    daily_high: float | None = Field(default=None, gt=0)
    """Greatest dose a day."""
    gross: float = Field(default=2.0, gt=1)
    """Above this multiple of the greatest dose the error is gross: critical, else moderate."""

    @model_validator(mode="after")
    def _bounded(self) -> DoseRange:
        limits = (self.low, self.high, self.daily_low, self.daily_high)
        if all(limit is None for limit in limits):
            raise ValueError(
                f"dose range {self.rule!r} has no limit: give low, high, daily_low or daily_high"
            )
        for low, high in (limits[:2], limits[2:]):
            if low is not None and high is not None and low > high:
                raise ValueError(
                    f"dose range {self.rule!r}: its least dose {low:g} is above its greatest {high:g}"
                )
        return self


class RouteRule(Strict):
    """A route that is wrong in a context."""

    rule: str
    """The rule's identifier."""
    drugs: tuple[str, ...] = Field(min_length=1)
    """Drugs or classes."""
    routes: tuple[str, ...] = Field(min_length=1)
    """Routes that are wrong."""
    when: When
    """For whom."""
    severity: Severity
    """Severity."""
    reason: str
    """Why, for the audit line."""


class Requirement(Strict):
    """A component that a plan for a diagnosis needs."""

    rule: str
    """The rule's identifier."""
    diagnosis: str
    """The gold diagnosis of the case."""
    any_of: tuple[str, ...] = Field(min_length=1)
    """Drugs or classes, one of which the plan (or what the patient takes already) must have."""
    when: When = When()
    """For whom."""
    severity: Severity = "moderate"
    """Severity."""
    reason: str
    """Why, for the audit line."""


class KnowledgeBase(Strict):
    """`knowledge.yaml`: what the safety critic knows."""

    title: str = ""
    """What it is called."""
    source: str = ""
    """Where its rules come from."""
    licence: str = ""
    """Under which licence it may be used."""
    synthetic: str = ""
    """Says that rules are simplified or invented, and for what."""
    drugs: tuple[Drug, ...]
    """The drugs it knows. Others are not checked, and counted."""
    profile_rules: tuple[ProfileRule, ...] = ()
    """Contraindications and profile conflicts. Allergies need no rule."""
    interactions: tuple[Interaction, ...] = ()
    """Drug-drug interactions."""
    doses: tuple[DoseRange, ...] = ()
    """Dose ranges."""
    routes: tuple[RouteRule, ...] = ()
    """Routes that are wrong in a context, beyond the routes of the drugs."""
    requirements: tuple[Requirement, ...] = ()
    """Components that diagnoses require."""

    @model_validator(mode="after")
    def _consistent(self) -> KnowledgeBase:
        names = [fold(n) for d in self.drugs for n in (d.drug, *d.names)]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ValueError(f"the drug name {twice[0]!r} stands twice")
        rules = [rule for rule, _ in self.named()]
        again = sorted({r for r in rules if rules.count(r) > 1})
        if again:
            raise ValueError(f"the rule {again[0]!r} stands twice")
        classes = {fold(c) for d in self.drugs for c in d.classes}
        both = sorted(classes & set(names))
        if both:
            raise ValueError(f"{both[0]!r} is both a drug and a class")
        known = classes | {fold(d.drug) for d in self.drugs}
        for rule, drugs in self.named():
            unknown = [d for d in drugs if fold(d) not in known]
            if unknown:
                raise ValueError(
                    f"rule {rule!r} names {unknown[0]!r}, which is no drug and no class of the knowledge base"
                )
        return self

    def named(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield every rule's identifier with the drugs and classes that it names."""
        for one in self.profile_rules:
            yield one.rule, one.drugs
        for route in self.routes:
            yield route.rule, route.drugs
        for pair in self.interactions:
            yield pair.rule, (*pair.between, *pair.against)
        for dose in self.doses:
            yield dose.rule, (dose.drug,)
        for need in self.requirements:
            yield need.rule, need.any_of


def fold(name: str) -> str:
    """Return a name as it is compared: without case and surplus spacing (`folded` for columns)."""
    return " ".join(name.lower().split())


def folded(names: pl.Expr) -> pl.Expr:
    """Return names as they are compared."""
    return names.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def read_knowledge(path: Path) -> KnowledgeBase:
    """Read and validate a knowledge base.

    Raises
    ------
    ConfigError
        With the key, the value and what is allowed.
    """
    return parse(KnowledgeBase, read_yaml(path), file=path.name)


OWN = Path(__file__).parent / "knowledge.yaml"
"""A small knowledge base for tests and the demonstration; simplified, not for clinical use."""
