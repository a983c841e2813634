"""Gold items: a JSON-lines file with a schema, locked by its SHA-256.

A gold folder holds ``gold.jsonl`` and ``gold.sha256``. The lock is checked whenever the gold is read;
``python -m analysis.scoring.odbb GOLD --lock`` writes it after an intended change.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from analysis.errors import DataError, Problem
from analysis.scoring.odbb.dictionaries import Dictionaries
from analysis.scoring.odbb.text import drug_key

GOLD_FILE, LOCK_FILE = "gold.jsonl", "gold.sha256"
LOCK_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
DECISIONS = Literal[
    "stop_missing_info", "stop_need_evidence", "proceed_with_treatment", "route_to_alternative_pathway"
]


class _Gold(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class GoldSlot(_Gold):
    """A piece of information that a stop item asks for."""

    text: str = Field(min_length=1)
    """What has to be known."""
    critical: bool = False
    """The branching turns on it: not asking for it is F4."""


class NccnGold(_Gold):
    """A guideline item."""

    item_id: str = Field(min_length=1)
    """Item's identifier."""
    track: Literal["NCCN"]
    """Track."""
    question_type: str = Field(min_length=1)
    """Type of question."""
    workspace: str = ""
    """Guideline workspace: the item's cluster."""
    decision: DECISIONS
    """The gold decision."""
    slots: tuple[GoldSlot, ...] = ()
    """What a stop item asks for; at least one there."""
    steps: tuple[str, ...] = ()
    """Wordings of the gold next step; at least one on a proceed item. On any item they serve the
    knowledge-to-action flag."""
    evidence_conflict: bool = False
    """The case flags an evidence conflict: acting without resolving it is F10."""

    @property
    def stops(self) -> bool:
        """The gold answer is to stop."""
        return self.decision.startswith("stop")


class CrcGold(_Gold):
    """A case item: the regimen that was given."""

    item_id: str = Field(min_length=1)
    """Item's identifier."""
    track: Literal["CRC"]
    """Track."""
    question_type: str = "crc_therapy_recommendation"
    """Type of question."""
    case_id: str = ""
    """Case report: the item's cluster."""
    regimen: tuple[str, ...] = Field(min_length=1)
    """Agents of the gold regimen."""
    intent: Literal["curative", "neoadjuvant", "adjuvant", "palliative", "maintenance"]
    """Treatment intent."""
    contraindicated: tuple[str, ...] = ()
    """Agents that the gold answer rules out."""
    molecular: dict[Literal["RAS", "BRAF", "MSI", "HER2"], str] = Field(default_factory=dict)
    """Molecular findings, such as RAS: mutant."""


GoldItem = NccnGold | CrcGold
_ITEM: TypeAdapter[GoldItem] = TypeAdapter(Annotated[GoldItem, Field(discriminator="track")])


@dataclass(frozen=True)
class Gold:
    """The gold items in the order of the file.

    Parameters
    ----------
    items : dict of str to NccnGold or CrcGold
        By identifier.
    sha256 : str
        Hash of the file.
    """

    items: dict[str, GoldItem] = field(repr=False)
    sha256: str


def load_gold(folder: Path, dictionaries: Dictionaries) -> Gold:
    """Read a gold folder and check its lock.

    Raises
    ------
    DataError
        Where the lock is missing or does not fit, a line is not JSON or breaks the schema, an identifier
        stands twice, or a drug is not in the dictionary.
    """
    path = folder / GOLD_FILE
    if not path.is_file():
        raise DataError([Problem("is missing", GOLD_FILE, hint=f"a gold folder holds {GOLD_FILE}")])
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    _check_lock(folder, digest)
    items: dict[str, GoldItem] = {}
    problems: list[Problem] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        item = _read_item(line, number, problems)
        if item is None:
            continue
        if item.item_id in items:
            problems.append(_problem("stands twice", number, "item_id", item.item_id))
        items[item.item_id] = item
        problems += _content_problems(item, number, dictionaries)
    if problems:
        raise DataError(problems)
    if not items:
        raise DataError([Problem("holds no item", GOLD_FILE)])
    return Gold(items, digest)


def write_lock(folder: Path) -> str:
    """Write the lock of a gold folder and return the hash."""
    digest = hashlib.sha256((folder / GOLD_FILE).read_bytes()).hexdigest()
    (folder / LOCK_FILE).write_text(f"{digest}  {GOLD_FILE}\n", encoding="utf-8")
    return digest


def _check_lock(folder: Path, digest: str) -> None:
    lock = folder / LOCK_FILE
    hint = "restore the file, or, if the change is intended: python -m analysis.scoring.odbb GOLD --lock"
    if not lock.is_file():
        raise DataError([Problem("is missing", LOCK_FILE, hint=hint)])
    match = LOCK_LINE.fullmatch(lock.read_text(encoding="utf-8").strip())
    if match is None or match[2] != GOLD_FILE:
        raise DataError([Problem(f"does not hold '<sha256>  {GOLD_FILE}'", LOCK_FILE, hint=hint)])
    if match[1] != digest:
        problem = Problem(
            "does not fit its lock",
            GOLD_FILE,
            values=(digest[:16] + "...",),
            n_values=1,
            allowed=match[1][:16] + "...",
            hint=hint,
        )
        raise DataError([problem])


def _read_item(line: bytes, number: int, problems: list[Problem]) -> GoldItem | None:
    try:
        return _ITEM.validate_python(orjson.loads(line))
    except orjson.JSONDecodeError as error:
        problems.append(_problem(f"is not JSON: {error}", number))
    except ValidationError as error:
        for entry in error.errors(include_url=False, include_context=False):
            place = ".".join(str(p) for p in entry["loc"][1:]) or "track"
            value = entry["input"]
            shown = "" if isinstance(value, dict) else str(value)[:60]
            problems.append(_problem(entry["msg"], number, place, shown))
    return None


def _content_problems(item: GoldItem, number: int, dictionaries: Dictionaries) -> list[Problem]:
    if isinstance(item, CrcGold):
        return [
            _problem(
                "is not in the drug dictionary",
                number,
                name,
                drug,
                hint="add the agent, or an alias, to dictionaries/drugs.yaml",
            )
            for name, drugs in (("regimen", item.regimen), ("contraindicated", item.contraindicated))
            for drug in drugs
            if not dictionaries.agent_of.get(drug_key(drug))
        ]
    if item.stops and not item.slots:
        return [_problem("is empty on an item to stop at", number, "slots")]
    if not item.stops and not item.steps:
        return [_problem("is empty on an item to proceed on", number, "steps")]
    return []


def _problem(message: str, number: int, column: str = "", value: str = "", hint: str = "") -> Problem:
    return Problem(
        message,
        GOLD_FILE,
        column,
        values=(value,) if value else (),
        n_values=int(bool(value)),
        rows=(number,),
        n_rows=1,
        hint=hint,
        kind="field",
    )
