"""What lies in a raw folder and is not read: a misspelt name must not pass in silence."""

from __future__ import annotations

import difflib
from pathlib import Path

from analysis.capabilities import COMPANIONS
from analysis.config import BenchmarkCard
from analysis.ingest.audit import AuditCounts

DATA = (".parquet", ".csv", ".tsv", ".xlsx", ".xls", ".jsonl", ".yaml", ".yml")
"""Endings of files that may hold data or a card; other files (notes, licences) may lie there freely."""

SHEETS = (".parquet", ".csv")
"""Endings of scoring sheets that are read."""


def unread_paths(folder: Path, card: BenchmarkCard) -> list[str]:
    """Return the data files and the folders of a raw folder that nothing reads, sorted.

    Parameters
    ----------
    folder : Path
        ``results/raw/<benchmark>``.
    card : BenchmarkCard
        Its card: scoring sheets and keys are read where it declares a rubric.

    Returns
    -------
    list of str
        Paths relative to the folder.
    """
    if not folder.is_dir():
        return []
    read = _read_names(card)
    unread = [
        path.name
        for path in folder.iterdir()
        if path.name not in read
        and not path.name.startswith(".")
        and (path.is_dir() or path.suffix.lower() in DATA)
    ]
    kept = {"verdicts": (".parquet",)} | ({"sheets": SHEETS} if card.rubric else {})
    for name, endings in kept.items():
        unread += [
            path.relative_to(folder).as_posix()
            for path in (folder / name).glob("**/*")
            if path.is_file() and path.suffix.lower() in DATA and path.suffix not in endings
        ]
    return sorted(unread)


def audit_unread(trail: AuditCounts, folder: Path, card: BenchmarkCard) -> None:
    """Count what lies in the folder and is not read, each with the name that may have been meant."""
    read = sorted(_read_names(card))
    for name in unread_paths(folder, card):
        near = [r for r in read if "." in r and Path(r).stem == Path(name).stem]
        near = near or difflib.get_close_matches(name, read, n=1, cutoff=0.75)
        note = f"{name} lies in the folder and is not read"
        if near:
            note += f" (the name that is read: {near[0]})"
        elif not card.rubric and name in ("sheets", "sheets.csv", "sheets.parquet", "vignettes.yaml"):
            note += ": the card declares no rubric"
        trail.add("unread_file", name, 1, note)


def _read_names(card: BenchmarkCard) -> set[str]:
    """Return the names at the top of a raw folder that are read."""
    names = {"verdicts", "verdicts.parquet", "sessions", "benchmark.yaml", "models.csv"}
    # What an import leaves behind: its record, and a folder with what it needs to go on.
    names |= {"import.json", "import"}
    names |= {f"{stem}.parquet" for stem in COMPANIONS}
    if card.rubric:
        names |= {"sheets", "sheets.csv", "sheets.parquet", "ratings.csv"}
        names |= {card.rubric.file, card.rubric.vignettes}
    return names
