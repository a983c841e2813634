"""Finding logs and reading those that are new into the staging area."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.ingest.importers.common import files
from analysis.ingest.importers.common.records import Importer, Log, LogFile, ReadOptions, RefusedError
from analysis.ingest.importers.pipeline import staging
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.report import ImportReport, Refusal
from analysis.ingest.importers.pipeline.state import LogState
from analysis.ingest.importers.registry import FORMATS, detect, importer
from analysis.ingest.importers.table_mapping import NeedsMappingError, TableMapping, suggestion_file

Progress = Callable[[str, int, int], None]
"""Told the name of a log, the bytes done so far and the bytes in all."""


@dataclass(frozen=True)
class Found:
    """A log to be read, with its format."""

    importer: Importer
    file: LogFile
    size: int


def find_logs(format: str, paths: Sequence[Path], report: ImportReport) -> list[Found]:
    """Return the logs under the paths, each file once."""
    found: dict[Path, Found] = {}
    for path in paths:
        if not path.exists():
            report.refused.append(Refusal(path.name, "", "does not exist"))
            continue
        explicit = path.is_file()
        before = len(found)
        for file in files.walk(path):
            one = _recognise(format, file, explicit=explicit)
            if one is not None:
                found.setdefault(file.resolve(), one)
            elif explicit:
                report.refused.append(Refusal(file.name, files.sha256(file), _unknown(format)))
            else:
                report.ignored += 1
        if not explicit and len(found) == before:
            report.messages.append(f"{path.name}: holds no log of format {format}")
    companions = {c.resolve() for f in found.values() for c in f.file.companions}
    return [f for path, f in found.items() if path not in companions]


def _recognise(format: str, file: Path, *, explicit: bool) -> Found | None:
    start = files.head(file)
    if format == "auto":
        name = detect(file, start)
        if name is None:
            return None
        reader = importer(name)
    else:
        reader = importer(format)
        by_shape = getattr(reader, "detect_by_shape", None)
        looks_so = reader.detect(file, start) or (by_shape is not None and by_shape(file, start))
        # A file that is named outright is tried even where it does not look like a log.
        if not looks_so and not (explicit and format in ("resolved", "table", "inspect")):
            return None
    log_file = reader.find(file)
    return Found(reader, log_file, file.stat().st_size)


def _unknown(format: str) -> str:
    if format == "auto":
        return f"is of no known format; name it: {', '.join(FORMATS)}"
    return f"is no log of {importer(format).title}"


def reading_digest(choices: Choices, format: str) -> str:
    """Return a hash of the options on which the reading of a log depends."""
    options: dict[str, Any] = {"keys": list(choices.keys)}
    if format == "table" and choices.mapping:
        options["mapping"] = choices.mapping
    if format == "inspect" and choices.full:
        options["full"] = True
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:16]


def read_new(
    found: Iterable[Found],
    old: Sequence[LogState],
    choices: Choices,
    scratch: Path,
    report: ImportReport,
    progress: Progress | None,
) -> tuple[list[LogState], set[str]]:
    """Read every log that is not known, or known by other options.

    Returns
    -------
    tuple of list and set
        The states of the logs read, and the contents of all that were found.
    """
    known = {content_key(s.log): s for s in old}
    mapping = TableMapping.model_validate(choices.mapping) if choices.mapping else None
    options = ReadOptions(choices.keys, mapping, choices.full)
    found = list(found)
    total = sum(f.size for f in found)
    done = 0
    fresh: dict[str, LogState] = {}
    names: dict[str, set[str]] = {}
    writer = staging.StageWriter(scratch / "new.parquet")
    try:
        for entry in found:
            if progress is not None:
                progress(entry.file.name, done, total)
            done += entry.size
            log = _described(entry, report)
            if log is None:
                continue
            key = content_key(log)
            digest = reading_digest(choices, entry.importer.name)
            if key in names:
                report.copies.append(log.name)
                names[key].add(log.name)
                continue
            names[key] = {log.name}
            if key in known and known[key].digest == digest:
                report.unchanged.append(log.name)
                continue
            staged_key = f"{key}-{digest}"
            counted = _read_one(entry, log, options, writer, staged_key, report)
            if counted is not None:
                fresh[key] = LogState(staged_key, log, counted[0], digest, counted[1])
                report.new.append(log.name)
    finally:
        writer.close()
    if progress is not None:
        progress("", total, total)
    for state in [*known.values(), *fresh.values()]:
        key = content_key(state.log)
        before = known[key].log if key in known else state.log
        _name_all(state.log, names.get(key, set()) | {before.name, *before.copies})
    return list(fresh.values()), set(names)


def _name_all(log: Log, names: set[str]) -> None:
    """Give a log the first of its names; the others are copies. The order of imports does not matter."""
    log.name = min(names)
    log.copies = sorted(names - {log.name})


def _described(entry: Found, report: ImportReport) -> Log | None:
    log = Log(entry.file.name, entry.importer.name, size=entry.size)
    try:
        log.sha256 = files.sha256(entry.file.path)
        log.companions = {files.clean_text(c.name): files.sha256(c) for c in entry.file.companions}
    except OSError as error:
        report.refused.append(Refusal(log.name, "", f"cannot be read: {files.one_line(error.strerror)}"))
        return None
    return log


def content_key(log: Log) -> str:
    """Return what identifies a log's content: its format, its bytes and its companions' bytes."""
    parts = [log.format, log.sha256, *sorted(log.companions.values())]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:32]


def _read_one(
    entry: Found,
    log: Log,
    options: ReadOptions,
    writer: staging.StageWriter,
    key: str,
    report: ImportReport,
) -> tuple[int, int] | None:
    """Stage a log's samples; return how many, and how many scores; None where it is refused."""
    rows = values = 0
    try:
        for sample in entry.importer.read(entry.file, log, options):
            writer.add(key, rows, sample)
            rows += 1
            values += len(sample.scores)
    except NeedsMappingError as error:
        report.mappings[log.name] = suggestion_file(error.columns, error.suggestion)
        return None
    except RefusedError as error:
        report.refused.append(Refusal(log.name, log.sha256, str(error)))
        return None
    except OSError as error:
        report.refused.append(
            Refusal(log.name, log.sha256, f"cannot be read: {files.one_line(error.strerror)}")
        )
        return None
    except (RecursionError, MemoryError) as error:
        report.refused.append(
            Refusal(log.name, log.sha256, f"is too large or too deep ({type(error).__name__})")
        )
        return None
    if rows == 0:
        report.refused.append(Refusal(log.name, log.sha256, "gives no rows"))
        return None
    return rows, values
