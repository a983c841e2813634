"""The choices that an import asks for: nothing here has a default that decides for a person.

They come from the command line or a YAML file, are stored in `import.json`, and hold for later
imports into the same benchmark until they are changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

from analysis.config import parse, read_yaml
from analysis.strict import Strict

ValueMeaning = float | Literal["exclude", "unscored"]


class Price(Strict):
    """A model's prices."""

    input_price_usd: float = Field(ge=0)
    """Per million tokens read."""
    output_price_usd: float = Field(ge=0)
    """Per million tokens written."""


class Choices(Strict):
    """What a person decided about an import. Every key is optional until a log needs it."""

    primary: tuple[str, ...] = ()
    """The primary metric; of several, a task takes the first that it has. `task=metric` holds for one
    (or, with `*`, for those of the pattern)."""
    graded: tuple[str, ...] = ()
    """Metrics whose value between 0 and 1 counts as it is (their mean is the estimate)."""
    threshold: dict[str, float] = Field(default_factory=dict)
    """Metrics that succeed from a value on (up to it, where lower is better)."""
    range: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """Metrics to be scaled to 0..1: the worst value and the best."""
    value: dict[str, dict[str, ValueMeaning]] = Field(default_factory=dict)
    """Metrics that are text: what each text counts, from 0 to 1, or `exclude`, or `unscored`."""
    model: dict[str, str] = Field(default_factory=dict)
    """Names for logs that name no model: pattern of the log's name (`*` for all), and the name."""
    model_role: str | None = None
    """Inspect role whose model is the one evaluated, where the log names no model."""
    name_by: tuple[str, ...] = ()
    """Settings that distinguish evaluations of one model; they become part of its name."""
    duplicates: Literal["latest", "runs"] | None = None
    """The same sample in several logs of different settings, or twice in one: the latest, or further runs."""
    same_id: Literal["merge", "split"] | None = None
    """One identifier with different questions: one item nevertheless, or several."""
    unfinished: Literal["exclude", "score"] = "exclude"
    """Answers of logs that were cancelled or ended with an error: excluded, or taken as scored."""
    perturbed: Literal["items", "exclude"] | None = None
    """Perturbed instances: items of their own, or left out."""
    items: Literal["union"] | tuple[str, ...] | None = None
    """What was asked where a file lists only what was resolved: these items, or all that any model has."""
    track: str | None = None
    """Metadata key for tracks (default: the task, where there are several)."""
    cluster: str | None = None
    """Metadata key for clusters."""
    strata: tuple[str, ...] = ()
    """Metadata keys for strata."""
    covariates: tuple[str, ...] = ()
    """Further metadata keys to keep as item columns."""
    raters: tuple[str, ...] | None = None
    """Metrics that are ratings: `metric` or `metric=judge|human|scorer`; `none` for none.
    Default: the judges, where there are several."""
    prices: dict[str, Price] = Field(default_factory=dict)
    """Prices per model."""
    mapping: dict[str, Any] | None = None
    """The mapping of tables."""
    full: bool = False
    """Read whole samples of Inspect archives rather than their summaries."""

    @field_validator("value")
    @classmethod
    def _between(cls, value: dict[str, dict[str, ValueMeaning]]) -> dict[str, dict[str, ValueMeaning]]:
        for metric, meanings in value.items():
            for text, meaning in meanings.items():
                if isinstance(meaning, float) and not 0 <= meaning <= 1:
                    raise ValueError(f"{metric}: {text!r} counts {meaning}; allowed is a number from 0 to 1")
        return value

    @field_validator("range")
    @classmethod
    def _wide(cls, value: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        for metric, (worst, best) in value.items():
            if worst == best:
                raise ValueError(f"{metric}: worst and best value are both {best}")
        return value

    @property
    def keys(self) -> tuple[str, ...]:
        """The metadata keys that readers must keep, sorted."""
        named = [self.track, self.cluster, *self.strata, *self.covariates]
        return tuple(sorted({k for k in named if k and k != "task"}))

    def model_for(self, log_name: str) -> str | None:
        """Return the name chosen for a log that names no model: the most specific pattern's."""
        for pattern in sorted(self.model, key=lambda p: ("*" in p, -len(p), p)):
            if fnmatchcase(log_name, pattern) or fnmatchcase(log_name.rsplit("/", 1)[-1], pattern):
                return self.model[pattern]
        return None

    def primary_of(self, task: str, available: Mapping[str, Any]) -> str | None:
        """Return the task's primary metric among the available ones, where a choice names one."""
        general = []
        for entry in self.primary:
            named, equals, metric = entry.rpartition("=")
            if equals and metric in available and (named == task or fnmatchcase(task, named)):
                return metric
            general.append(entry)
        return next((metric for metric in general if metric in available), None)

    def merged(self, other: Choices) -> Choices:
        """Return these choices with those that the other makes in their place."""
        given = {name: getattr(other, name) for name in other.model_fields_set}
        for name in ("threshold", "range", "value", "model", "prices"):
            if name in given:
                given[name] = {**getattr(self, name), **given[name]}
        return self.model_copy(update=given)

    def plus(self, other: Choices) -> Choices:
        """Return these choices with the other's added: lists grow, single values are replaced."""
        merged = self.merged(other)
        grown: dict[str, Any] = {
            name: tuple(dict.fromkeys((*getattr(self, name), *getattr(other, name))))
            for name in ("primary", "graded", "name_by", "strata", "covariates")
            if name in other.model_fields_set
        }
        return merged.model_copy(update=grown)

    def stored(self) -> dict[str, Any]:
        """Return the choices that were made, as plain data with sorted keys."""
        data = self.model_dump(mode="json", exclude_defaults=True)
        return {key: data[key] for key in sorted(data)}


def read_choices(path: Path) -> Choices:
    """Read choices from a YAML file; errors name its keys."""
    return parse(Choices, read_yaml(path), file=path.name)
