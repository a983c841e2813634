"""What an import found and did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analysis.ingest.importers.pipeline.question import Question
from analysis.ingest.importers.pipeline.state import LogState


@dataclass(frozen=True)
class Refusal:
    """A file that could not be imported."""

    name: str
    sha256: str
    reason: str


@dataclass(frozen=True)
class Superseded:
    """A version of a log in whose place a later one counts."""

    name: str
    sha256: str
    log_id: str


@dataclass
class ImportReport:
    """What an import found and did.

    Parameters
    ----------
    states : list of LogState
        Every log that the benchmark now holds.
    new, unchanged, replaced, copies : list of str
        Logs read now, known already, replaced by a later version, and found a second time.
    refused : list of Refusal
        Files that could not be imported, with the reason.
    ignored : int
        Files of other kinds in the given folders.
    questions : list of Question
        What must be decided first; where there are any, nothing was written.
    summary : dict
        What was written, as it stands in `import.json`.
    written : list of str
        The files, relative to the benchmark's folder.
    """

    states: list[LogState] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    superseded: list[Superseded] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    ignored: int = 0
    questions: list[Question] = field(default_factory=list)
    mappings: dict[str, str] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
