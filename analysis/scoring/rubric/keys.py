"""Vignette keys: what case authors settle before anyone sees a response, with hash and time.

The hash is over everything in the key but itself, so a key that was changed after it was locked is
found out; sheets may carry the hash of the key that the rater saw.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BeforeValidator, Field, field_validator

from analysis.config import parse
from analysis.errors import ConfigError
from analysis.scoring.rubric.model import Rubric, Text
from analysis.strict import Strict

Texts = Annotated[tuple[str, ...], BeforeValidator(lambda v: [v] if isinstance(v, str) else v)]

MOST = 5
"""Faults of a key file that are listed one by one."""


class Hazard(Strict):
    """A safety-critical error that is possible in a case."""

    id: Text
    """The case criterion that a flag names."""
    kind: str
    """One of the rubric's kinds of hazard."""
    statement: str
    """The unacceptable action, omission or delay."""
    time_limit: str = ""
    """When a delay becomes material."""
    alternatives: Texts = ()
    """Acceptable actions or pathways instead."""


class ItemCriterion(Strict):
    """A criterion of one case."""

    id: Text
    """Its `criterion_id`, distinct from the rubric's fields."""
    domain: Text
    """Domain of the rubric."""
    title: str
    """What the response should, or should not, do."""
    points: float
    """Points when it is met."""


class VignetteKey(Strict):
    """The key of one vignette."""

    item_id: Text
    """The item."""
    task_type: str | None = None
    """Kind of task, for comparability and profiles."""
    audience: str | None = None
    """Who the response is for."""
    decision_point: str | None = None
    """Up to where evidence is known."""
    features: Texts = ()
    """Conditions of the rubric that hold."""
    not_elicited: dict[str, str] = Field(default_factory=dict)
    """Fields that the prompt cannot elicit although the conditions hold, each with its reason."""
    evidence: Texts | None = None
    """Relevant evidence."""
    acceptable_alternatives: Texts | None = None
    """Clinically acceptable alternatives."""
    hazards: tuple[Hazard, ...] | None = None
    """Safety-critical errors."""
    time_limits: Texts | None = None
    """Relevant time constraints."""
    lists: dict[str, Texts] = Field(default_factory=dict)
    """Flexible and strict lists that fields draw on."""
    criteria: tuple[ItemCriterion, ...] = ()
    """Criteria of this case alone."""
    prespecified_at: datetime
    """When the key was settled (UTC without an offset)."""
    sha256: str = ""
    """SHA-256 of everything else in the key."""

    @field_validator("prespecified_at")
    @classmethod
    def _in_utc(cls, value: datetime) -> datetime:
        return in_utc(value)

    def digest(self) -> str:
        """Return the SHA-256 of everything in the key but the hash itself."""
        content = self.model_dump(mode="json", exclude={"sha256"})
        text = json.dumps(content, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


class KeyFile(Strict):
    """A file of keys."""

    vignettes: tuple[VignetteKey, ...]
    """One key per vignette."""


def in_utc(moment: datetime) -> datetime:
    """Return a moment as UTC without an offset.

    Examples
    --------
    >>> in_utc(datetime.fromisoformat("2026-05-01T10:00:00+02:00")).isoformat()
    '2026-05-01T08:00:00'
    """
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def load_keys(path: Path) -> list[VignetteKey]:
    """Read a key file, YAML or JSON, whether or not it is locked.

    Raises
    ------
    ConfigError
        Where the file is missing or malformed.
    """
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=_loader())
    except FileNotFoundError:
        raise ConfigError(
            f"{path.name}: does not exist; the card's rubric names it as the key file"
        ) from None
    except (ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"{path.name}: cannot be read: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(data, dict):
        raise ConfigError(
            f"{path.name}: holds a {type(data).__name__}; allowed is a mapping with `vignettes`"
        )
    return list(parse(KeyFile, data, file=path.name).vignettes)


def read_keys(path: Path, rubric: Rubric) -> list[VignetteKey]:
    """Read a key file and check it against the rubric and its own hashes.

    Parameters
    ----------
    path : Path
        The file.
    rubric : Rubric
        What its keys must say.

    Raises
    ------
    ConfigError
        With every fault: vignette, entry and what is allowed.
    """
    keys = load_keys(path)
    faults = [fault for key in keys for fault in _faults(key, rubric)]
    names = [key.item_id for key in keys]
    faults += [f"vignette {n!r} has two keys" for n in sorted({n for n in names if names.count(n) > 1})]
    for key in keys:
        if not key.sha256:
            faults.append(
                f"vignette {key.item_id!r}: has no sha256; python -m analysis.scoring.rubric lock writes it"
            )
        elif key.sha256 != key.digest():
            faults.append(
                f"vignette {key.item_id!r}: was changed after it was locked: its content hashes to "
                f"{key.digest()[:12]}, sha256 says {key.sha256[:12]}"
            )
    if faults:
        more = f"\n- and {len(faults) - MOST:,} more" if len(faults) > MOST else ""
        head = f"{path.name}: {len(faults):,} {'fault' if len(faults) == 1 else 'faults'}:"
        raise ConfigError("\n".join([head, *(f"- {f}" for f in faults[:MOST])]) + more)
    return keys


def _loader() -> Any:
    """Return YAML's safe loader in C where there is one: keys can be many."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _faults(key: VignetteKey, rubric: Rubric) -> list[str]:
    where = f"vignette {key.item_id!r}"
    out = [
        f"{where}: says nothing of {name}; an empty list is an answer"
        for name in rubric.key.requires
        if getattr(key, name, None) is None
    ]
    if key.task_type is not None and rubric.task_types and key.task_type not in rubric.task_types:
        out.append(f"{where}: task_type {key.task_type!r}; allowed: {', '.join(rubric.task_types)}")
    for feature in key.features:
        if feature not in rubric.conditions:
            out.append(f"{where}: unknown feature {feature!r}; allowed: {', '.join(rubric.conditions)}")
    for field, reason in key.not_elicited.items():
        if field not in rubric.scored:
            out.append(f"{where}: not_elicited names {field!r}, which is no score of the rubric")
        elif not reason.strip():
            out.append(f"{where}: not_elicited gives no reason for {field!r}")
    hazards = [h.id for h in key.hazards or ()]
    out += [
        f"{where}: two hazards are called {h!r}" for h in sorted({h for h in hazards if hazards.count(h) > 1})
    ]
    for hazard in key.hazards or ():
        if rubric.key.hazard_kinds and hazard.kind not in rubric.key.hazard_kinds:
            allowed = ", ".join(rubric.key.hazard_kinds)
            out.append(f"{where}: hazard {hazard.id!r} is of kind {hazard.kind!r}; allowed: {allowed}")
        if hazard.kind == "material_delay" and not hazard.time_limit:
            out.append(f"{where}: hazard {hazard.id!r} is a delay and has no time_limit")
    known = {f.list.name for f in rubric.fields.values() if f.list}
    out += [f"{where}: unknown list {name!r}" for name in key.lists if name not in known]
    if key.criteria and not rubric.item_criteria:
        out.append(f"{where}: has criteria of its own, which rubric {rubric.id} does not allow")
    domains = {d.id for d in rubric.domains}
    taken = set(rubric.fields)
    for criterion in key.criteria:
        if criterion.domain not in domains:
            out.append(f"{where}: criterion {criterion.id!r} names the unknown domain {criterion.domain!r}")
        if criterion.id in taken:
            out.append(f"{where}: criterion {criterion.id!r} stands twice, or is a field of the rubric")
        taken.add(criterion.id)
    return out


def lock_keys(path: Path) -> int:
    """Write the hash of every key into its file, in place; a key that has one must match it.

    Returns
    -------
    int
        How many keys were locked now.

    Raises
    ------
    ConfigError
        Where a locked key was changed: a new version needs a new time, so remove its hash deliberately.
    """
    keys = load_keys(path)
    changed = [k.item_id for k in keys if k.sha256 and k.sha256 != k.digest()]
    if changed:
        what = "locked key was" if len(changed) == 1 else "locked keys were"
        raise ConfigError(
            f"{path.name}: {len(changed):,} {what} changed, first {changed[0]!r}\n"
            "  what to do: restore them, or remove sha256, set prespecified_at anew and rate again"
        )
    fresh = [k for k in keys if not k.sha256]
    write_keys([k.model_copy(update={"sha256": k.digest()}) for k in keys], path)
    return len(fresh)


def write_keys(keys: list[VignetteKey], path: Path) -> None:
    """Write a key file, YAML or JSON by its name."""
    content: dict[str, Any] = {
        "vignettes": [k.model_dump(mode="json", exclude_none=True, exclude_defaults=True) for k in keys]
    }
    # Empty lists are answers: a key says that there are none.
    for key, entry in zip(keys, content["vignettes"], strict=True):
        stated = ("evidence", "acceptable_alternatives", "hazards", "time_limits")
        entry |= {name: [] for name in stated if getattr(key, name) == ()}
    text = (
        json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if path.suffix == ".json"
        else yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110)
    )
    path.write_text(text, encoding="utf-8")
