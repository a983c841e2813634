"""Import: find the logs, read what is new, ask what is open, write the benchmark's folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from analysis.ingest.importers.pipeline import staging
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.naming import counted
from analysis.ingest.importers.pipeline.profile import Profile, profile
from analysis.ingest.importers.pipeline.question import Question
from analysis.ingest.importers.pipeline.questions import profile_questions
from analysis.ingest.importers.pipeline.reading import (
    Progress,
    content_key,
    find_logs,
    read_new,
    reading_digest,
)
from analysis.ingest.importers.pipeline.report import ImportReport, Superseded
from analysis.ingest.importers.pipeline.resolution import Resolution
from analysis.ingest.importers.pipeline.resolve import resolve
from analysis.ingest.importers.pipeline.state import FOLDER, SAMPLES_FILE, LogState, read_state

Ask = Callable[[Sequence[Question]], Choices | None]
"""Given questions, returns the answers."""


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
    from analysis.ingest.importers.pipeline.output import earlier_choices, earlier_import, write_benchmark

    report = ImportReport()
    old = [] if replace else read_state(folder, imported=bool(earlier_import(folder)))
    choices = choices if replace else earlier_choices(folder).merged(choices)
    with tempfile.TemporaryDirectory(prefix="verdict-atlas-") as name:
        scratch = Path(name)
        found = find_logs(format, paths, report)
        fresh, seen = read_new(found, old, choices, scratch, report, progress)
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


def _live(
    old: Sequence[LogState], fresh: Sequence[LogState], seen: set[str], report: ImportReport
) -> list[LogState]:
    """Return the logs that count: of several versions of one log the latest.

    A file that was found now takes the place of what was read under its name before. Of versions
    under several names, the finished one counts, then the later, the one with more samples, the one
    with more scores. A log without an identifier of its own is known by its name only: files of one
    name that are found together are different logs.
    """
    by_content = {content_key(state.log): state for state in [*old, *fresh]}
    groups: dict[tuple[str, str], list[LogState]] = {}
    for state in by_content.values():
        groups.setdefault(state.identity, []).append(state)
    live = []
    for (_, identity), versions in groups.items():
        here = [v for v in versions if content_key(v.log) in seen]
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
