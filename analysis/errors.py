"""What a person reads when their data, their card or their configuration is wrong.

A problem names the place (file, column), what was found there (three values at most), how many
rows it concerns, what is allowed and what to do. Problems are collected, so one run says
everything that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

MAX_VALUES = 3


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, with its place.

    Parameters
    ----------
    message : str
        What is wrong, as a sentence without its final stop.
    file : str
        The file it stands in, relative to the raw folder where possible.
    column : str
        The column or configuration key, empty where the whole file is meant.
    kind : str
        What `column` is: ``column`` or ``key``.
    values : tuple of str
        Offending values, three at most.
    n_values : int
        How many distinct offending values there are in all.
    rows : tuple of int
        Numbers of the first offending rows, counted from 1 as a reader would; three at most.
    n_rows : int
        How many rows are concerned; 0 where rows are not the matter.
    allowed : str
        What would have been accepted.
    hint : str
        What to do.
    """

    message: str
    file: str = ""
    column: str = ""
    values: tuple[str, ...] = ()
    n_values: int = 0
    rows: tuple[int, ...] = ()
    n_rows: int = 0
    allowed: str = ""
    hint: str = ""
    kind: str = "column"

    def __str__(self) -> str:
        place = (
            self.file + (f", {self.kind} {self.column!r}" if self.column else "")
            if self.file
            else self.column
        )
        parts = [f"{place}: {self.message}" if place else self.message]
        if self.values:
            more = self.n_values - len(self.values)
            shown = ", ".join(repr(v) for v in self.values)
            parts.append(f"  found: {shown}" + (f" and {more} more" if more > 0 else ""))
        if self.n_rows:
            where = f" (first: row {', '.join(str(r) for r in self.rows)})" if self.rows else ""
            parts.append(f"  rows: {self.n_rows:,}{where}")
        if self.allowed:
            parts.append(f"  allowed: {self.allowed}")
        if self.hint:
            parts.append(f"  what to do: {self.hint}")
        return "\n".join(parts)

    def to_dict(self) -> dict[str, object]:
        """Return the problem as plain data, for JSON."""
        return asdict(self)


def problem_with_values(
    message: str,
    *,
    values: Iterable[object],
    n_values: int | None = None,
    rows: Sequence[int] = (),
    n_rows: int = 0,
    file: str = "",
    column: str = "",
    allowed: str = "",
    hint: str = "",
    width: int = 80,
) -> Problem:
    """Build a problem, keeping at most three distinct values (cut to a width) and rows of what is given."""
    distinct = list(dict.fromkeys(str(v) for v in values))
    return Problem(
        message=message,
        file=file,
        column=column,
        values=tuple(v if len(v) <= width else v[: width - 3] + "..." for v in distinct[:MAX_VALUES]),
        n_values=n_values if n_values is not None else len(distinct),
        rows=tuple(rows[:MAX_VALUES]),
        n_rows=n_rows,
        allowed=allowed,
        hint=hint,
    )


class VerdictAtlasError(Exception):
    """An error whose message is written for the person who runs the command, not for us."""


class DataError(VerdictAtlasError):
    """The data of a benchmark break the raw contract.

    Parameters
    ----------
    problems : sequence of Problem
        Everything that is wrong, in the order in which it should be read.
    benchmark : str
        The benchmark's name, empty where it is not known.
    """

    def __init__(self, problems: Sequence[Problem], benchmark: str = "") -> None:
        self.problems = tuple(problems)
        self.benchmark = benchmark
        head = f"{len(self.problems)} problem{'s' if len(self.problems) != 1 else ''}"
        head += f" in benchmark {benchmark!r}" if benchmark else ""
        super().__init__("\n".join([head + ":", *(f"- {p}" for p in self.problems)]))


class ConfigError(VerdictAtlasError):
    """A configuration file or a benchmark card is wrong."""
