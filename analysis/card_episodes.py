"""Keys of a card about episodes (the items of a cluster, taken together), controls and judge audits."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from analysis.strict import Strict

ALL_CORRECT = "all_correct"
"""The endpoint that every item of the cluster is right; `all_correct:<component>`: every item of one."""

ControlEndpoint = Literal["item_weighted", "cluster_macro", "all_correct"]


class JointEndpoint(Strict):
    """An episode succeeds when it succeeds in everything listed."""

    all_of: tuple[str, ...] = Field(min_length=1)
    """Components, or joint endpoints declared before this one."""
    meaning: str = ""
    """What it means, as a reader should see it."""


class Episodes(Strict):
    """Joint correctness of the items of a cluster."""

    tracks: tuple[str, ...] | None = None
    """Tracks whose clusters are episodes (default: every track, and `all`)."""
    endpoints: dict[str, JointEndpoint] = Field(default_factory=dict)
    """Joint endpoints by name, such as `strict`; they exist in the tracks that have all their components."""
    nested: tuple[str, ...] = ()
    """Components or endpoints in the order in which each narrows the set of successful episodes."""
    states: tuple[str, ...] = ()
    """Two to six components or endpoints whose joint states are counted (default: the components)."""
    depth: str = ""
    """Component whose items are the decisions that make an episode deep (default: every item)."""
    groups: tuple[str, ...] = ()
    """Item columns, constant within a cluster, by which episodes are grouped (source, centre)."""
    construction_models: tuple[str, ...] = ()
    """Models that were used in choosing the episodes; they are marked and shown apart."""

    @field_validator("endpoints")
    @classmethod
    def _in_order(cls, value: dict[str, JointEndpoint]) -> dict[str, JointEndpoint]:
        names = list(value)
        for i, (name, endpoint) in enumerate(value.items()):
            if name == ALL_CORRECT or name.startswith(f"{ALL_CORRECT}:"):
                raise ValueError(f"endpoint {name!r} exists by itself")
            late = [part for part in endpoint.all_of if part in names[i:]]
            if late:
                raise ValueError(f"endpoint {name!r} names {late[0]!r}, which is not declared before it")
        return value

    @field_validator("states")
    @classmethod
    def _few(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value and not 2 <= len(value) <= 6:
            raise ValueError("states of two to six components or endpoints can be counted")
        return value


class StageRule(Strict):
    """One line of a staging mapping."""

    stage: str
    """The stage that the rule gives."""
    any_of: tuple[str, ...] = Field(min_length=1)
    """Slots; the rule holds where one of them has the value `present`."""


class Staging(Strict):
    """A stage derived per cluster from predicted evidence, and compared with the reference class."""

    evidence: str
    """Component whose decisions are the evidence (one item per card)."""
    slot: str
    """Item column that names the slot (structure) of the item: the reference slot."""
    slot_decided_by: str = ""
    """Component whose decision names the slot in place of `slot` (model-slot); linked by `within`."""
    within: str = ""
    """Item column that links an evidence item to the item of `slot_decided_by` (such as the card)."""
    present: str = "1"
    """Decision that means present."""
    aggregate: Literal["any", "majority"] = "any"
    """Whether one item of a slot is enough, or more than half of the slot's items must be present."""
    reference: str = ""
    """Item column with the reference value of the evidence: gives the ceiling of the mapping."""
    rules: tuple[StageRule, ...] = Field(min_length=1)
    """Rules in order; the first that holds gives the stage. Slots without evidence are absent."""
    otherwise: str
    """The stage where no rule holds."""

    @model_validator(mode="after")
    def _linked(self) -> Staging:
        if bool(self.slot_decided_by) != bool(self.within):
            raise ValueError("slot_decided_by and within go together")
        return self


class Endpoint(Strict):
    """A declared endpoint beyond the mean over items."""

    meaning: str = ""
    """What it means, as a reader should see it."""
    track: str | None = None
    """Track of its items (default: every item)."""
    component: str | None = None
    """Component of its items (default: every component)."""
    where: dict[str, str] = Field(default_factory=dict)
    """Item columns and the value they must have: a fixed subset, the same for every model."""
    classes: str | None = None
    """Item column with the reference class: gives recalls, their mean (balanced), the majority baseline."""
    groups: str | None = None
    """Item column with groups: gives the mean of each and the mean of those means (macro)."""
    given: str | None = None
    """Component that must be right: gives the share right among the units where it is (conditional)."""
    within: str | None = None
    """Item column that links an item to that of `given` (default: the cluster)."""
    staging: Staging | None = None
    """Derive a stage per cluster from decisions, and compare it with `classes`."""

    @model_validator(mode="after")
    def _fits(self) -> Endpoint:
        if self.given is not None and self.component is None:
            raise ValueError("given needs component: what is right given that")
        if self.classes is not None and self.groups is not None:
            raise ValueError("an endpoint names classes or groups; declare two endpoints for both")
        if self.within is not None and self.given is None:
            raise ValueError("within links the items of component to those of given, which is not named")
        if self.staging is not None and self.classes is None:
            raise ValueError("staging needs classes: the reference stage")
        if self.staging is not None and (self.given is not None or self.component is not None):
            raise ValueError("staging names its components itself")
        return self


class Control(Strict):
    """The same questions under two conditions, compared within each model."""

    meaning: str = ""
    """What is changed, as a reader should see it."""
    column: str | None = None
    """Item column that holds the condition; it may be `track`."""
    baseline: str = ""
    """Its value under the baseline condition."""
    changed: str = ""
    """Its value under the changed condition; differences are changed - baseline."""
    match: str | None = None
    """Item column that is equal for the two items of one question."""
    models: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """In place of `column`: name as shown, to the two models that stand for baseline and changed."""
    track: str | None = None
    """Only items of this track."""
    component: str | None = None
    """Only items of this component."""
    primary: ControlEndpoint = "cluster_macro"
    """The endpoint that figures show."""

    @model_validator(mode="after")
    def _told_apart(self) -> Control:
        if (self.column is None) == (not self.models):
            raise ValueError("a control names either column (with baseline, changed, match) or models")
        if self.column is not None:
            missing = [n for n in ("baseline", "changed", "match") if not getattr(self, n)]
            if missing:
                raise ValueError(f"column needs {missing[0]}")
            if self.baseline == self.changed:
                raise ValueError("baseline and changed are the same condition")
        return self


class AuditExclusion(Strict):
    """A sensitivity analysis: what a judge audit leaves out."""

    flagged: Literal["labels", "responses"] | None = None
    """Leave out flagged labels, or every label of a response with a flagged one."""
    models: tuple[str, ...] = ()
    """Leave out responses of these models."""
    criteria: tuple[str, ...] = ()
    """Leave out these criteria."""
    meaning: str = ""
    """Why, as a reader should see it."""

    @model_validator(mode="after")
    def _leaves_out(self) -> AuditExclusion:
        if self.flagged is None and not self.models and not self.criteria:
            raise ValueError("an exclusion names flagged, models or criteria")
        return self


class JudgeAudit(Strict):
    """Judges' labels against those of one reference rater."""

    reference: str
    """The rater whose labels count as true (a physician, an adjudicated panel)."""
    judges: tuple[str, ...] = ()
    """The raters that are audited (default: every judge that shares a label with the reference)."""
    exclude: dict[str, AuditExclusion] = Field(default_factory=dict)
    """Sensitivity analyses by name."""
    resample: Literal["response", "item", "cluster"] = "response"
    """What is resampled whole: the response with all its criteria, the item, or the card's cluster."""
    meaning: str = ""
    """What was sampled, as a reader should see it."""

    @field_validator("exclude")
    @classmethod
    def _named(cls, value: dict[str, Any]) -> dict[str, Any]:
        if "none" in value:
            raise ValueError("the exclusion 'none' exists by itself")
        return value
