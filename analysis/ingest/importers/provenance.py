"""`import.json` for readers of a report: what was imported, in sentences and rows; computes nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import VerdictAtlasError

IMPORT_FILE = "import.json"


@dataclass(frozen=True)
class ImportedLogs:
    """What an import says of itself.

    Parameters
    ----------
    sentences : tuple of str
        What was read, left out, decided and chosen; plain text, to be escaped where it is shown.
    sources : tuple of dict
        Per log: name, tool, tool_version, created, model, task, rows_read, rows_written, left_out,
        sha256.
    refused : tuple of dict
        Per file that could not be imported: name, reason, sha256.
    """

    sentences: tuple[str, ...]
    sources: tuple[dict[str, Any], ...]
    refused: tuple[dict[str, Any], ...]


def read_import(folder: Path) -> ImportedLogs | None:
    """Return what the import of a benchmark says; None for a benchmark that was not imported.

    Parameters
    ----------
    folder : Path
        ``results/raw/<benchmark>``.

    Raises
    ------
    VerdictAtlasError
        Where `import.json` is damaged.
    """
    path = folder / IMPORT_FILE
    if not path.is_file():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return ImportedLogs(
            sentences=tuple(_sentences(data)),
            sources=tuple(_row(source) for source in data["sources"]),
            refused=tuple(data["refused"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise VerdictAtlasError(f"{folder.name}/{IMPORT_FILE} is damaged; import the logs again") from None


def _sentences(data: dict[str, Any]) -> list[str]:
    totals = data["totals"]
    tools = sorted({s["tool"] for s in data["sources"] if s["tool"]})
    out = [
        f"Imported from {_counted(totals['logs'], 'log')} of {', '.join(tools)}: "
        f"{_counted(totals['rows_read'], 'row')} read, {totals['rows_written']:,} written."
    ]
    if totals["rows_joined"]:
        out.append(f"{_counted(totals['rows_joined'], 'row')} were parts of other samples.")
    if totals["rows_added"]:
        out.append(f"{_counted(totals['rows_added'], 'row')} added for items that a list does not name.")
    for title, counts in (
        ("Left out", totals["dropped"]),
        ("Excluded from accuracy", totals["excluded"]),
        ("Records that could not be read", totals["broken"]),
    ):
        out += [f"{title}: {n:,} ({reason})." for reason, n in counts.items()]
    if totals["unscored"]:
        out.append(f"Asked and not scored: {totals['unscored']:,}.")
    if data["refused"]:
        out.append(f"{_counted(len(data['refused']), 'file')} could not be imported.")
    out += [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in data["decided"]]
    for entry in data["metrics"]:
        if entry["primary"]:
            where = f" of {entry['task']}" if entry["task"] else ""
            out.append(f"Primary metric{where}: {entry['metric']}; {entry['rule']}.")
    return out


def _row(source: dict[str, Any]) -> dict[str, Any]:
    kept = ("name", "tool", "tool_version", "created", "model", "task", "rows_read", "rows_written", "sha256")
    return {**{key: source[key] for key in kept}, "left_out": sum(source["dropped"].values())}


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
