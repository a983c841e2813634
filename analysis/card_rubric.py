"""Keys of a card about a scoring rubric."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from pydantic import Field, field_validator, model_validator

from analysis.strict import Strict


class RubricUse(Strict):
    """How a benchmark uses a scoring rubric: all of it is declared before results are known."""

    file: str = "expressed_clinical_reasoning"
    """A rubric of the project by name, or a YAML file of the benchmark's folder."""
    vignettes: str = "vignettes.yaml"
    """File of the benchmark's folder with the key of every vignette (YAML or JSON)."""
    profiles: dict[str, str] = Field(default_factory=dict)
    """Weighting profile of each task type, `default` for the others; none: unweighted."""
    justification: str = ""
    """Why these profiles fit the task."""
    declared_at: datetime | None = None
    """When profiles and options were declared: before the first rating (UTC without an offset)."""
    options: tuple[str, ...] = ()
    """Further scores of the rubric to show, such as `evidence_score`."""
    flagged_by: Literal["any", "majority"] = "any"
    """A response counts as flagged when any human rater flags it, or more than half of them do."""

    @field_validator("declared_at")
    @classmethod
    def _in_utc(cls, value: datetime | None) -> datetime | None:
        return value.astimezone(UTC).replace(tzinfo=None) if value is not None and value.tzinfo else value

    @model_validator(mode="after")
    def _declared(self) -> RubricUse:
        if self.profiles and not (self.justification.strip() and self.declared_at):
            raise ValueError("profiles need a justification and declared_at, the time of their declaration")
        return self
