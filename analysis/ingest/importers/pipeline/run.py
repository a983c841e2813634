"""Import: find the logs, read what is new, ask what is open, write the benchmark's folder."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.ingest.importers.common import files
from analysis.ingest.importers.common.records import Importer, Log, LogFile, ReadOptions, RefusedError
from analysis.ingest.importers.pipeline import staging
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.naming import counted
from analysis.ingest.importers.pipeline.profile import Profile, profile
from analysis.ingest.importers.pipeline.questions import Question, profile_questions
from analysis.ingest.importers.pipeline.resolve import Resolution, resolve
from analysis.ingest.importers.pipeline.state import FOLDER, SAMPLES_FILE, LogState, read_state
from analysis.ingest.importers.registry import FORMATS, detect, importer
from analysis.ingest.importers.table_mapping import NeedsMappingError, TableMapping, suggestion_file

Progress = Callable[[str, int, int], None]
"""Told the name of a log, the bytes done so far and the bytes in all."""
Ask = Callable[[Sequence[Question]], Choices | None]
"""Given questions, returns the answers."""


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


@dataclass(frozen=True)
class _Found:
    """A log to be read, with its format."""

    importer: Importer
    file: LogFile
    size: int


def import_logs(
    format: str,
    paths: Sequence[Path],
    folder: Path,
    choices: Choices,
    *,
    replace: bool = False,
    dry_run: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    ask: Ask | None = None,
) -> ImportReport:
    """Import logs into a benchmark's folder.

    Parameters
    ----------
    format : str
        A name of `registry.FORMATS`, or ``auto``.
    paths : sequence of Path
        Logs, or folders that hold logs.
    folder : Path
        The benchmark's folder, ``results/raw/<benchmark>``.
    choices : Choices
        What was decided now; earlier choices of the benchmark hold where these are silent.
    replace : bool
        Forget the logs imported earlier.
    dry_run : bool
        Write nothing.
    force : bool
        Overwrite files that no import has written.
    progress : callable, optional
        Told how far the reading is.
    ask : callable, optional
        Given the open questions, returns answers, or None to leave them open.

    Returns
    -------
    ImportReport
        What was found and done. Where it has questions, nothing was written.

    Raises
    ------
    VerdictAtlasError
        Where the folder holds files that no import has written, or its state is damaged.
    """
    from analysis.ingest.importers.pipeline.output import earlier_choices, write_benchmark

    report = ImportReport()
    old = [] if replace else read_state(folder)
    choices = choices if replace else earlier_choices(folder).merged(choices)
    with tempfile.TemporaryDirectory(prefix="verdict-atlas-") as name:
        scratch = Path(name)
        found = _find(format, paths, report)
        fresh, seen = _read_new(found, old, choices, scratch, report, progress)
        states = _live(old, fresh, seen, report)
        report.states = states
        _require_keys(states, choices, report)
        if not states or report.questions or report.mappings:
            return report
        connection = staging.connect(scratch)
        try:
            staged = scratch / SAMPLES_FILE
            sources = [scratch / "new.parquet"]
            if not replace:
                sources.insert(0, folder / FOLDER / SAMPLES_FILE)
            staging.consolidate(connection, sources, [s.key for s in states], staged)
            while True:
                looked = profile(connection, states, str(staged), choices)
                report.questions, resolution = _questions(connection, looked, choices)
                answers = ask(report.questions) if report.questions and ask is not None else None
                if answers is None:
                    break
                choices = choices.plus(answers)
            if not report.questions:
                write_benchmark(
                    connection,
                    looked,
                    resolution,
                    choices,
                    folder,
                    scratch,
                    report,
                    replace=replace,
                    dry_run=dry_run,
                    force=force,
                )
        finally:
            connection.close()
    return report


def _questions(connection: Any, looked: Profile, choices: Choices) -> tuple[list[Question], Resolution]:
    """Ask everything that is open at once."""
    questions = profile_questions(looked, choices)
    resolution = resolve(connection, looked, choices)
    if not any(q.about == "model" for q in questions):
        questions += resolution.questions
    return questions, resolution


def _find(format: str, paths: Sequence[Path], report: ImportReport) -> list[_Found]:
    """Return the logs under the paths, each file once."""
    found: dict[Path, _Found] = {}
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


def _recognise(format: str, file: Path, *, explicit: bool) -> _Found | None:
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
    return _Found(reader, log_file, file.stat().st_size)


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


def _read_new(
    found: Iterable[_Found],
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
    known = {_key_of(s.log): s for s in old}
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
            key = _key_of(log)
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
        key = _key_of(state.log)
        before = known[key].log if key in known else state.log
        _name_all(state.log, names.get(key, set()) | {before.name, *before.copies})
    return list(fresh.values()), set(names)


def _name_all(log: Log, names: set[str]) -> None:
    """Give a log the first of its names; the others are copies. The order of imports does not matter."""
    log.name = min(names)
    log.copies = sorted(names - {log.name})


def _described(entry: _Found, report: ImportReport) -> Log | None:
    log = Log(entry.file.name, entry.importer.name, size=entry.size)
    try:
        log.sha256 = files.sha256(entry.file.path)
        log.companions = {files.clean_text(c.name): files.sha256(c) for c in entry.file.companions}
    except OSError as error:
        report.refused.append(Refusal(log.name, "", f"cannot be read: {files.one_line(error.strerror)}"))
        return None
    return log


def _key_of(log: Log) -> str:
    """Return what identifies a log's content: its format, its bytes and its companions' bytes."""
    parts = [log.format, log.sha256, *sorted(log.companions.values())]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:32]


def _read_one(
    entry: _Found,
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


def _live(
    old: Sequence[LogState], fresh: Sequence[LogState], seen: set[str], report: ImportReport
) -> list[LogState]:
    """Return the logs that count: of several versions of one log the latest.

    A file that was found now takes the place of what was read under its name before. Of versions
    under several names, the finished one counts, then the later, the one with more samples, the one
    with more scores. A log without an identifier of its own is known by its name only: files of one
    name that are found together are different logs.
    """
    by_content = {_key_of(state.log): state for state in [*old, *fresh]}
    groups: dict[tuple[str, str], list[LogState]] = {}
    for state in by_content.values():
        groups.setdefault(state.identity, []).append(state)
    live = []
    for (_, identity), versions in groups.items():
        here = [v for v in versions if _key_of(v.log) in seen]
        names = {v.log.name for v in here}
        kept = [v for v in versions if v in here or v.log.name not in names]
        if not identity.startswith("name:"):
            kept = [max(kept, key=lambda s: s.version)]
        live += kept
        report.replaced += [v.log.name for v in versions if v not in kept]
        if len(kept) == 1:
            report.superseded += [
                Superseded(v.log.name, v.log.sha256, v.log.log_id)
                for v in versions
                if v not in kept and v.log.name != kept[0].log.name
            ]
    return sorted(live, key=lambda s: s.key)


def _require_keys(states: Sequence[LogState], choices: Choices, report: ImportReport) -> None:
    """Ask for the logs again that were read without a key that is wanted now."""
    stale = [s for s in states if s.digest != reading_digest(choices, s.log.format)]
    if stale:
        shown = ", ".join(s.log.name for s in stale[:3]) + (" ..." if len(stale) > 3 else "")
        report.questions.append(
            Question(
                "paths",
                counted(len(stale), "log imported earlier was", "logs imported earlier were")
                + f" read with other keys or another mapping ({shown}). Name their paths again, so that "
                "they can be read anew, or use --replace.",
                (),
            )
        )
