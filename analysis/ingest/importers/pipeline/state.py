"""What is known of the logs that a benchmark holds, kept beside the staged samples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from analysis.errors import VerdictAtlasError
from analysis.ingest.importers.common.records import Log

STATE_VERSION = 1
FOLDER = "import"
SAMPLES_FILE = "samples.parquet"
LOGS_FILE = "logs.json"


@dataclass
class LogState:
    """A log that was read, and how.

    Parameters
    ----------
    key : str
        Identifies the content: a hash over the log and its companions.
    log : Log
        What the log says of itself, and what was counted.
    rows : int
        Samples staged from it.
    digest : str
        Hash of the options it was read with: with others it must be read again.
    values : int
        Scores that the log has: a log that was scored later has more.
    """

    key: str
    log: Log
    rows: int
    digest: str
    values: int = 0

    @property
    def identity(self) -> tuple[str, str]:
        """What stays the same when the log grows: its own identifier, else its name."""
        return (self.log.format, self.log.log_id or f"name:{self.log.name}")

    @property
    def version(self) -> tuple[bool, str, int, int, str]:
        """Orders versions of one log, the latest last."""
        finished = self.log.status == "success"
        return (finished, self.log.completed or self.log.created, self.rows, self.values, self.key)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        log: dict[str, Any] = {}
        for entry in fields(Log):
            value = getattr(self.log, entry.name)
            if isinstance(value, set):
                value = sorted(value)
            elif isinstance(value, Mapping):
                value = {key: value[key] for key in sorted(value)}
            log[entry.name] = value
        return {
            "key": self.key,
            "rows": self.rows,
            "values": self.values,
            "digest": self.digest,
            "log": log,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LogState:
        """Return the state from plain data."""
        known = {entry.name for entry in fields(Log)}
        values = {name: value for name, value in data["log"].items() if name in known}
        for name in ("lower_is_better", "bookkeeping"):
            values[name] = set(values.get(name, ()))
        for name in ("broken", "notes"):
            values[name] = Counter(values.get(name, {}))
        return cls(data["key"], Log(**values), data["rows"], data["digest"], data["values"])


def read_state(folder: Path, *, imported: bool) -> list[LogState]:
    """Read the logs that a benchmark holds; none where nothing was imported yet.

    Parameters
    ----------
    folder : Path
        The benchmark's folder.
    imported : bool
        An earlier import says that there are some.

    Raises
    ------
    VerdictAtlasError
        Where the file was written by a later version, is damaged, or is gone.
    """
    path = folder / FOLDER / LOGS_FILE
    if imported and not (path.is_file() and (folder / FOLDER / SAMPLES_FILE).is_file()):
        raise VerdictAtlasError(
            f"{FOLDER}/ is gone, so the logs imported earlier cannot be added to; "
            "import all logs again with --replace"
        )
    if not path.is_file():
        return []
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        version, logs = data["version"], data["logs"]
        if version == STATE_VERSION:
            return [LogState.from_dict(entry) for entry in logs]
    except (ValueError, KeyError, TypeError):
        raise VerdictAtlasError(
            f"{FOLDER}/{LOGS_FILE} is damaged; import all logs again with --replace"
        ) from None
    raise VerdictAtlasError(
        f"{FOLDER}/{LOGS_FILE} has version {version}, this program knows {STATE_VERSION}; "
        "import all logs again with --replace"
    )


def state_text(states: Iterable[LogState]) -> str:
    """Return the file's text, sorted by key."""
    logs = [state.to_dict() for state in sorted(states, key=lambda s: s.key)]
    return json.dumps({"version": STATE_VERSION, "logs": logs}, ensure_ascii=False, indent=1) + "\n"
