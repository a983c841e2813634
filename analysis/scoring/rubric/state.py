"""What ingest keeps of a rubric beside the tables: the rubric, the keys, the declaration and its hash."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from analysis.card_rubric import RubricUse
from analysis.config import BenchmarkCard
from analysis.errors import ConfigError
from analysis.scoring.rubric.keys import VignetteKey, read_keys
from analysis.scoring.rubric.model import FieldRule, Rubric, read_rubric


@dataclass(frozen=True)
class RubricState:
    """A rubric in use.

    Parameters
    ----------
    rubric : Rubric
        The rubric.
    use : RubricUse
        What the card declares.
    keys : dict of str to VignetteKey
        The key of every vignette, by item.
    """

    rubric: Rubric
    use: RubricUse
    keys: dict[str, VignetteKey]

    @cached_property
    def declaration_sha256(self) -> str:
        """SHA-256 of the rubric, the declared profiles with their justification and time, and the options."""
        content = [self.rubric.sha256, self.use.model_dump(mode="json")]
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def fields(self) -> dict[str, FieldRule]:
        """The rubric's fields and the vignettes' own criteria, by identifier."""
        own = {
            c.id: FieldRule(id=c.id, title=c.title, points=c.points)
            for key in self.keys.values()
            for c in key.criteria
        }
        return {**self.rubric.fields, **own}

    @cached_property
    def domain_of(self) -> dict[str, str]:
        """The domain of each field."""
        own = {c.id: c.domain for key in self.keys.values() for c in key.criteria}
        return {**self.rubric.domain_of, **own}

    def profile_of(self, task_type: str) -> str:
        """Return the declared profile of a task type; empty: unweighted."""
        return self.use.profiles.get(task_type, self.use.profiles.get("default", ""))

    def to_json(self) -> str:
        """Return everything as JSON, for the derived folder."""
        content = {
            "rubric": self.rubric.model_dump(mode="json"),
            "use": self.use.model_dump(mode="json"),
            "keys": [key.model_dump(mode="json") for key in self.keys.values()],
            "declaration_sha256": self.declaration_sha256,
        }
        return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> RubricState:
        """Read what `to_json` wrote."""
        content = json.loads(text)
        keys = [VignetteKey.model_validate(key) for key in content["keys"]]
        return cls(
            Rubric.model_validate(content["rubric"]),
            RubricUse.model_validate(content["use"]),
            {key.item_id: key for key in keys},
        )


def applies(rubric: Rubric, field: str, key: VignetteKey) -> tuple[bool, str]:
    """Tell whether a field of the rubric applies to a vignette by its key, and why not.

    Returns
    -------
    bool, str
        Whether it applies; where it does not, the reason.
    """
    if field in key.not_elicited:
        return False, key.not_elicited[field]
    domain = next(d for d in rubric.domains if d.id == rubric.domain_of[field])
    for needed in (domain.applies_when, rubric.fields[field].applies_when):
        if needed and not set(needed) & set(key.features):
            return False, "not so in this vignette: " + "; or ".join(rubric.conditions[c] for c in needed)
    return True, ""


def read_state(folder: Path, card: BenchmarkCard) -> RubricState:
    """Read the rubric and the keys of a benchmark's raw folder.

    Raises
    ------
    ConfigError
        Where rubric, keys or the card's declaration are wrong.
    """
    use = card.rubric
    if use is None:
        raise ConfigError(f"benchmark {folder.name!r}: the card declares no rubric")
    rubric = read_rubric(use.file, folder)
    _check_use(use, rubric)
    if Path(use.vignettes).name != use.vignettes:
        raise ConfigError(f"benchmark.yaml, key 'rubric.vignettes': {use.vignettes!r} is no file name")
    keys = read_keys(folder / use.vignettes, rubric)
    return RubricState(rubric, use, {key.item_id: key for key in keys})


def _check_use(use: RubricUse, rubric: Rubric) -> None:
    for task, profile in use.profiles.items():
        if task != "default" and rubric.task_types and task not in rubric.task_types:
            allowed = ", ".join(["default", *rubric.task_types])
            raise ConfigError(
                f"benchmark.yaml, key 'rubric.profiles': unknown task type {task!r}\n  allowed: {allowed}"
            )
        if profile not in rubric.profiles:
            allowed = ", ".join(rubric.profiles) or "none: the rubric has no profiles"
            raise ConfigError(
                f"benchmark.yaml, key 'rubric.profiles': unknown profile {profile!r}\n  allowed: {allowed}"
            )
    for option in use.options:
        if option not in rubric.options:
            allowed = ", ".join(rubric.options) or "none: the rubric has no options"
            raise ConfigError(
                f"benchmark.yaml, key 'rubric.options': unknown option {option!r}\n  allowed: {allowed}"
            )
