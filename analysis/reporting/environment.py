"""What a page learns from its environment: which benchmark, and where the results are."""

from __future__ import annotations

import os
from pathlib import Path

from analysis.errors import VerdictAtlasError

BENCHMARK = "VERDICT_ATLAS_BENCHMARK"
"""The benchmark that a report shows; on the index, the benchmarks in their order, joined by commas."""

RESULTS = "VERDICT_ATLAS_RESULTS"
"""The results folder (default: `results` beside the folder of the pages)."""

LINKS = "VERDICT_ATLAS_LINKS"
"""`site` where a benchmark's downloads lie beside its page, as in the finished site."""


def reports_folder() -> Path:
    """Return the folder of the Quarto project."""
    return Path(__file__).resolve().parents[2] / "reports"


def results_folder() -> Path:
    """Return the results folder."""
    named = os.environ.get(RESULTS)
    return Path(named) if named else reports_folder().parent / "results"


def derived_benchmarks(results: Path) -> list[str]:
    """Return the benchmarks that have derived tables, sorted."""
    return sorted(p.parent.name for p in results.glob("derived/*/benchmark.json"))


def named_benchmarks(results: Path) -> list[str]:
    """Return the benchmarks that the environment names, or every derived one.

    Raises
    ------
    VerdictAtlasError
        Where nothing is named and nothing derived.
    """
    named = os.environ.get(BENCHMARK)
    names = named.split(",") if named else derived_benchmarks(results)
    if not names:
        raise VerdictAtlasError(f"there are no derived tables in {results}; snakemake tables makes them")
    return names


def links(results: Path, benchmark: str) -> tuple[str, str, str]:
    """Return the addresses of a benchmark's figures and tables, and what goes before its other pages."""
    if os.environ.get(LINKS) == "site":
        return "figures", "tables", ""
    page = reports_folder() / "_site"
    stages = ("figures", "derived", "site")
    addresses = [os.path.relpath(results / stage / benchmark, page) for stage in stages]
    figures, tables, site = (Path(a).as_posix() for a in addresses)
    return figures, tables, f"{site}/"
