"""What a report offers for download: its figures in every format and its derived tables."""

from __future__ import annotations

from pathlib import Path

from analysis.reporting.assets import write_if_changed
from analysis.schemas import SESSION_TABLES

FIGURE_FORMATS = (".svg", ".png", ".pdf", ".vl.json")
"""Formats that a reader is offered, in this order."""

RAW = frozenset(
    {
        "verdicts",
        "items",
        "models",
        "ratings",
        "criteria",
        "audit_trail",
        "rubric_sheets",
        *SESSION_TABLES,
    }
)
"""Not offered: raw rows may be many, and have licences of their own."""

FIRST = (
    "model_scores",
    "tiers",
    "pairwise_tests",
    "item_counts",
    "count_distribution",
    "coverage",
    "unique_solves",
    "concordance",
    "strata",
    "failure_labels",
    "decisions",
    "costs",
    "frontier",
    "policies",
)
"""Tables that are listed first, in this order; the others follow by name."""


def offered_tables(folder: Path) -> list[str]:
    """Return the tables of a derived folder that a reader is offered, in the order of the list."""
    there = {path.stem for path in folder.glob("*.parquet")} - RAW
    return [t for t in FIRST if t in there] + sorted(there - set(FIRST))


def copy_downloads(benchmark: str, results: Path, folder: Path) -> None:
    """Copy a benchmark's figures and tables beside its report; what is gone there goes here too.

    Parameters
    ----------
    benchmark : str
        The benchmark's name.
    results : Path
        The results folder.
    folder : Path
        ``<site>/<benchmark>``.
    """
    figures = sorted(p for p in (results / "figures" / benchmark).glob("*") if p.is_file())
    drawn = [p for p in figures if p.name.endswith((*FIGURE_FORMATS, ".dark.svg"))]
    _mirror(drawn, folder / "figures")
    derived = results / "derived" / benchmark
    _mirror([derived / f"{table}.parquet" for table in offered_tables(derived)], folder / "tables")


def _mirror(files: list[Path], folder: Path) -> None:
    for file in files:
        write_if_changed(folder / file.name, file.read_bytes())
    keep = {file.name for file in files}
    if folder.is_dir():
        for old in folder.iterdir():
            if old.is_file() and old.name not in keep:
                old.unlink()
