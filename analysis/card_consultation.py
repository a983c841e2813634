"""Keys of a card about consultations: open questions whose responses are scored by rubric criteria."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, field_validator, model_validator

from analysis.strict import Strict


class Consultation(Strict):
    """How responses to open questions are scored from the labels on rubric criteria (`criteria.parquet`).

    A response earns the weighted share of the requirements that it meets, of those that apply, times
    100; every triggered error takes its points off; the score stays within 0 and 100.
    """

    requirements: dict[str, float] = Field(
        default_factory=lambda: {"core": 2.0, "evidence": 1.0, "conditional": 1.0}, min_length=1
    )
    """Kinds of criteria that a response should meet, each with the weight of one criterion. The default is
    ours: a core answer counts twice."""
    errors: dict[str, float] = Field(default_factory=lambda: {"major": 10.0, "minor": 2.0})
    """Kinds of criteria that a response should not trigger, each with the points (of 100) it costs. The
    default is ours."""
    deduct: Literal["each", "once", "weight"] = "each"
    """`each`: every triggered error costs its points; `once`: of each kind the dearest one alone;
    `weight`: amounts of errors are weights too, taken from the weight earned before it is divided."""
    raters: tuple[str, ...] = ()
    """Raters whose labels are scored (default: everyone who rates criteria of the rubric)."""
    tags: str | None = None
    """Item column with a question's tag or list of tags (default: `tags`, else `question_type`)."""

    @field_validator("requirements", "errors")
    @classmethod
    def _amounts(cls, value: dict[str, float]) -> dict[str, float]:
        for kind, amount in value.items():
            if not (math.isfinite(amount) and amount >= 0):
                raise ValueError(f"{kind}: {amount} is no weight: allowed is a finite number of at least 0")
        return value

    @model_validator(mode="after")
    def _apart(self) -> Consultation:
        both = sorted(set(self.requirements) & set(self.errors))
        if both:
            raise ValueError(f"{both[0]!r} is both a requirement and an error")
        if not any(self.requirements.values()):
            raise ValueError("requirements: every weight is 0, so nothing could be earned")
        return self
