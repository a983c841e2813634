"""The numbers that the paper prints, read from `printed.yaml`, and the counts behind printed shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

SLACK = 1e-9


@dataclass(frozen=True)
class PrintedTable:
    """One table of the paper.

    Parameters
    ----------
    place, says : str
        Where it stands and what it shows.
    columns : tuple of str
        Heads of its columns.
    rows : dict of str to tuple of str
        Cells as printed, by row; models by our identifier.
    totals : dict of str to str
        Numbers that its caption or the text beside it prints.
    construction : tuple of str
        Models that it marks as used in constructing the cohort.
    """

    place: str
    says: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]
    totals: dict[str, str]
    construction: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The rows, where they are models."""
        return tuple(self.rows)

    def cell(self, row: str, column: str) -> str:
        """Return a number as printed."""
        return self.rows[row][self.columns.index(column)]

    def value(self, row: str, column: str) -> float:
        """Return a number."""
        return float(self.cell(row, column))

    def count(self, row: str, column: str) -> int:
        """Return a number that is printed as a count."""
        return int(self.cell(row, column))

    def counts(self, column: str) -> dict[str, int]:
        """Return a column of counts by row."""
        return {row: self.count(row, column) for row in self.rows}

    def successes(self, row: str, column: str, n: int, *, per: float = 100.0) -> int:
        """Return the one count of n that prints as this share."""
        fits = successes_for(self.cell(row, column), n, per=per)
        if len(fits) != 1:
            raise ValueError(f"{self.place}, {row}, {column}: {self.cell(row, column)} of {n} is {fits}")
        return fits[0]


@cache
def printed_tables() -> dict[str, PrintedTable]:
    """Return every table of `printed.yaml`; scalars stay text, so precision is kept."""
    text = Path(__file__).with_name("printed.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, Loader=yaml.BaseLoader)
    return {
        name: PrintedTable(
            entry["place"],
            entry["says"],
            tuple(entry["columns"]),
            {row: tuple(cells) for row, cells in entry["rows"].items()},
            dict(entry.get("totals", {})),
            tuple(entry.get("construction", ())),
        )
        for name, entry in data.items()
    }


def printed(name: str) -> PrintedTable:
    """Return a table of `printed.yaml` by its name there."""
    return printed_tables()[name]


def half_unit(text: str) -> float:
    """Return half of the last decimal that a number is printed with.

    Examples
    --------
    >>> half_unit("58.4"), half_unit("0.553"), half_unit("12")
    (0.05, 0.0005, 0.5)
    """
    decimals = len(text.partition(".")[2])
    return 0.5 * 10.0**-decimals


def prints_as(value: float, text: str) -> bool:
    """Tell whether a value rounds to a printed number at its precision; a tie rounds either way.

    Examples
    --------
    >>> prints_as(97 / 115 * 100, "84.3"), prints_as(84.36, "84.3")
    (True, False)
    """
    return abs(value - float(text)) <= half_unit(text) + SLACK


def successes_for(text: str, n: int, *, per: float = 100.0) -> list[int]:
    """Return the counts k for which k of n prints as a share (times `per`).

    Examples
    --------
    >>> successes_for("84.3", 115), successes_for("9.4", 2700)
    ([97], [253, 254, 255])
    """
    return [k for k in range(n + 1) if prints_as(per * k / n, text)]
