"""Timing of runs side by side, and tables of what came out."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

RESULTS = Path(__file__).resolve().parent / "results"
MACHINE = "2 cores, 24 GB of memory, Linux"


@dataclass(frozen=True)
class Comparison:
    """One line of a table: the same values, ours and theirs.

    Parameters
    ----------
    task : str
        What was computed.
    peer : str
        What a user would use instead.
    ours, theirs : float
        Seconds.
    checked : str
        How the values were compared.
    extrapolated : bool
        Whether `theirs` was measured on a part and scaled.
    """

    task: str
    peer: str
    ours: float
    theirs: float
    checked: str
    extrapolated: bool = False


def best_of(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Return the least processor time of several runs in seconds, and what the last one returned.

    Linear algebra is held to one thread: ratios then do not depend on what else the machine does.
    """
    seconds, result = [], None
    with threadpool_limits(1):
        for _ in range(repeats):
            start = time.process_time()
            result = run()
            seconds.append(time.process_time() - start)
    return min(seconds), result


def versions(*names: str) -> str:
    """Return the versions of Python and of the packages named."""
    found = [f"Python {platform.python_version()}"]
    for name in names:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def as_table(rows: Sequence[Comparison]) -> str:
    """Lay comparisons out as a Markdown table."""
    lines = [
        "| task | instead | ours | theirs | ratio | values |",
        "|---|---|---:|---:|---:|---|",
    ]
    for row in rows:
        theirs = ("about " if row.extrapolated else "") + f"{row.theirs:,.3g} s"
        ratio = f"{row.theirs / row.ours:,.0f}x"
        lines.append(f"| {row.task} | {row.peer} | {row.ours:.3g} s | {theirs} | {ratio} | {row.checked} |")
    return "\n".join(lines)


def write_result(name: str, title: str, body: str, notes: str) -> Path:
    """Write a result page and return its path."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.md"
    path.write_text(f"# {title}\n\nMachine: {MACHINE}. {notes}\n\n{body}\n", encoding="utf-8")
    return path
