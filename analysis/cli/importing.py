"""`verdict-atlas import`: run it, ask what is open, show what was done."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.cli import show
from analysis.cli.app import FAILED, OK, PARTIAL, UNDECIDED, USAGE

if TYPE_CHECKING:
    from analysis.ingest.importers.pipeline.choices import Choices
    from analysis.ingest.importers.pipeline.question import Question
    from analysis.ingest.importers.pipeline.reading import Progress
    from analysis.ingest.importers.pipeline.report import ImportReport

SHOWN = 10
_PLACEHOLDERS = ("NAME", "VALUE", "WORST:BEST", "FILE", "1|0|exclude|unscored")


def run(
    format: str,
    paths: Sequence[Path],
    benchmark: str,
    given: Mapping[str, Any],
    *,
    choices_file: Path | None,
    replace: bool,
    force: bool,
    dry_run: bool,
    no_input: bool,
    as_json: bool,
    raw: Path | None,
) -> int:
    """Import logs; return the exit code."""
    from analysis.ingest.importers.registry import FORMATS

    if format != "auto" and format not in FORMATS:
        show.say(
            f"{format!r} is no format; allowed are {', '.join([*FORMATS, 'auto'])}", error=True, style="red"
        )
        return USAGE

    def body() -> int:
        from analysis.cli.flags import choices_from
        from analysis.cli.places import benchmark_folder
        from analysis.ingest.importers.pipeline.run import import_logs

        folder = benchmark_folder(benchmark, raw)
        choices = choices_from(given, choices_file)
        interactive = sys.stdin.isatty() and sys.stdout.isatty() and not (no_input or as_json)
        with _progress(shown=sys.stderr.isatty() and not as_json) as progress:
            report = import_logs(
                format,
                paths,
                folder,
                choices,
                replace=replace,
                dry_run=dry_run,
                force=force,
                progress=progress,
                ask=ask_on_terminal if interactive else None,
            )
        code = exit_code(report)
        if as_json:
            show.write_json(as_data(report, benchmark, code, dry_run=dry_run))
        else:
            print_report(report, folder, code, dry_run=dry_run)
        return code

    return show.guarded(body, as_json=as_json)


def exit_code(report: ImportReport) -> int:
    """Return the exit code of an import."""
    if report.questions or report.mappings:
        return UNDECIDED
    if not report.summary:
        return FAILED
    return PARTIAL if report.refused else OK


def as_data(report: ImportReport, benchmark: str, code: int, *, dry_run: bool) -> dict[str, Any]:
    """Return the import's result as plain data."""
    status = {OK: "imported", PARTIAL: "imported", UNDECIDED: "undecided", FAILED: "failed"}[code]
    return {
        "status": "would import" if dry_run and status == "imported" else status,
        "exit_code": code,
        "benchmark": benchmark,
        "new": report.new,
        "unchanged": len(report.unchanged),
        "replaced": report.replaced,
        "copies": report.copies,
        "ignored": report.ignored,
        "refused": [{"name": r.name, "reason": r.reason} for r in report.refused],
        "questions": [q.to_dict() for q in report.questions],
        "mappings": report.mappings,
        "messages": report.messages,
        "written": report.written,
        "import": {k: v for k, v in report.summary.items() if k not in ("sources", "mapping", "refused")},
    }


@contextmanager
def _progress(*, shown: bool) -> Iterator[Progress | None]:
    if not shown:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.fields[log]}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=show.console(error=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, log="")

        def update(name: str, done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, log=show.plain(name)[-50:])

        yield update


def ask_on_terminal(questions: Sequence[Question]) -> Choices | None:
    """Ask each question; return the answers, or None where the person stops."""
    from rich.prompt import Prompt

    from analysis.cli.flags import choices_from_flags
    from analysis.ingest.importers.pipeline.choices import Choices

    answers = Choices()
    for question in questions:
        if not question.options:
            return None
        show.say()
        show.say(question.text, style="bold")
        for number, option in enumerate(question.options, 1):
            show.say(f"  {number}  {option.meaning}   ({option.flag})")
        numbers = [str(n) for n in range(1, len(question.options) + 1)]
        answer = Prompt.ask("number, or q to stop", choices=[*numbers, "q"], show_choices=False)
        if answer == "q":
            return None
        option = question.options[int(answer) - 1]
        if option.answer:
            answers = answers.plus(Choices.model_validate(option.answer))
            continue
        tokens = [_filled(token, Prompt.ask) for token in shlex.split(option.flag)]
        answers = answers.plus(choices_from_flags(tokens))
    return answers


def _filled(token: str, ask: Any) -> str:
    from rich.text import Text

    for placeholder in _PLACEHOLDERS:
        if token == placeholder or token.endswith((f"={placeholder}", f":{placeholder}")):
            return token.removesuffix(placeholder) + str(ask(Text(show.plain(token)))).strip()
    return token


def print_report(report: ImportReport, folder: Path, code: int, *, dry_run: bool) -> None:
    """Print what an import found and did."""
    _print_refused(report)
    for message in report.messages:
        show.say(message, error=True)
    for name, suggestion in report.mappings.items():
        show.say(f"{name}: say which column is what, with --mapping FILE. To start from:", error=True)
        show.say(suggestion, error=True)
    if report.questions:
        show.say("Nothing was written: this must be decided first.", error=True, style="bold")
        for question in report.questions:
            show.say(f"\n{question.text}", error=True, style="bold")
            for option in question.options[:SHOWN]:
                show.say(f"  {option.flag}\n      {option.meaning}", error=True)
            if len(question.options) > SHOWN:
                show.say(f"  ... and {len(question.options) - SHOWN:,} more (--json shows all)", error=True)
    if code in (UNDECIDED, FAILED):
        if code == FAILED and not report.refused:
            show.say("Nothing was imported: no logs were found.", error=True, style="red")
        return
    _print_summary(report, folder, dry_run=dry_run)


def _print_refused(report: ImportReport) -> None:
    if not report.refused:
        return
    from analysis.ingest.importers.pipeline.naming import counted

    refused = counted(len(report.refused), "file")
    show.say(f"{refused} could not be imported:", error=True, style="bold")
    for refusal in report.refused[:SHOWN]:
        show.say(f"  {refusal.name} {refusal.reason}", error=True)
    if len(report.refused) > SHOWN:
        show.say(f"  ... and {len(report.refused) - SHOWN:,} more (import.json lists them)", error=True)


def _print_summary(report: ImportReport, folder: Path, *, dry_run: bool) -> None:
    from analysis.ingest.importers.pipeline.naming import counted

    totals = report.summary["totals"]
    show.table(
        "models",
        [("model", False), ("rows", True), ("scored", True), ("excluded", True), ("unscored", True),
         ("correct", True)],
        [
            [m["model"], m["rows"], m["scored"], m["excluded"], m["unscored"], m["correct"]]
            for m in report.summary["models"][:50]
        ],
    )  # fmt: skip
    joined = f" ({totals['rows_joined']:,} joined to others)" if totals["rows_joined"] else ""
    show.say(
        f"{counted(totals['logs'], 'log')} ({len(report.new):,} read now, {len(report.unchanged):,} known): "
        f"{counted(totals['rows_read'], 'row')} read{joined}, {totals['rows_written']:,} written"
    )
    for title, counts in (
        ("left out", totals["dropped"]),
        ("excluded from accuracy", totals["excluded"]),
        ("broken records", totals["broken"]),
    ):
        for reason, n in counts.items():
            show.say(f"  {title}: {n:,} · {reason}")
    for sentence in report.summary["decided"]:
        show.say(f"  {sentence}")
    for label, names in (("replaced by a later version", report.replaced), ("copies", report.copies)):
        if names:
            show.say(f"  {label}: {', '.join(names[:5])}{' ...' if len(names) > 5 else ''}")
    verb = "Would write" if dry_run else "Wrote"
    show.say(f"{verb} {', '.join(report.written)} to {folder}", style="bold")
    if not dry_run:
        show.say(f"Next: verdict-atlas validate {folder.name}, then snakemake --cores 8 report")
