"""Every printed number against the ordinary derived tables: where it is read, and whether it holds.

``python -m analysis.demo.npcbench.statements FOLDER`` checks a raw or derived folder against the paper.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import yaml
from pydantic import Field

from analysis.config import Config, parse, settings_for
from analysis.demo.npcbench.printed import PrintedTable, printed_tables, prints_as
from analysis.derived import CARD_FILE
from analysis.errors import ConfigError
from analysis.ingest.benchmark import read_benchmark
from analysis.store import read_table
from analysis.strict import Strict
from analysis.tables import (
    consultation,
    endpoint_scores,
    episodes,
    judge_audit,
    model_scores,
    paired_controls,
)
from analysis.tables.data import BenchmarkData

FILE = "statements.yaml"
MODULES: dict[str, ModuleType] = {
    "model_scores": model_scores,
    "episodes": episodes,
    "episode_states": episodes,
    "episode_depth": episodes,
    "episode_groups": episodes,
    "endpoint_scores": endpoint_scores,
    "paired_controls": paired_controls,
    "judge_audit": judge_audit,
    "judge_audit_coverage": judge_audit,
    "consultation_scores": consultation,
    "criterion_counts": consultation,
}
"""The module that derives each table read here."""
Where = dict[str, Any]


class Reading(Strict):
    """Where a number is read."""

    table: str = ""
    """Derived table."""
    where: Where = Field(default_factory=dict)
    """Columns and the value, or one of the values, that its rows have."""
    value: str = ""
    """Column that holds the number."""
    times: float = 1.0
    """Factor: 100 where the table holds shares and the paper prints percent."""
    sum: bool = False
    """Add the rows."""
    max: bool = False
    """Take the largest."""
    ours: bool = False
    """Depends on resamples: shown beside the printed number, not held to it."""
    over: Reading | None = None
    """What the value is divided by."""

    @property
    def described(self) -> str:
        """The table, the column and the rows in one line; whose row it is, is said beside it."""
        rows = ", ".join("|".join(_texts(w)) for c, w in self.where.items() if c not in ("model", "judge"))
        what = f"{self.table}.{self.value}" + (f": {rows}" if rows else "")
        return f"{what} / {self.over.described}" if self.over is not None else what


class GivesWay(Strict):
    """A printed number that cannot hold."""

    row: str
    """Row of the printed table."""
    column: str
    """Column of the printed table."""
    why: str
    """Why."""
    instead: str
    """What holds, in the form of the printed number."""


class Note(Strict):
    """How some numbers of a printed table were read."""

    text: str
    """How."""
    rows: tuple[str, ...] = ()
    """Of which rows (default: all)."""
    columns: tuple[str, ...] = ()
    """Of which columns, or totals (default: all)."""

    def concerns(self, row: str, column: str) -> bool:
        """Tell whether the note is about a cell."""
        return (not self.rows or row in self.rows) and (not self.columns or column in self.columns)


class Entry(Reading):
    """How the numbers of one printed table are read; its own reading is the default of every column."""

    printed: str
    """Name in `printed.yaml`."""
    row: str = ""
    """Column that holds the row's name."""
    rows: dict[str, Where] = Field(default_factory=dict)
    """In place of `row`: what each row stands for."""
    columns: dict[str, Reading]
    """Every column of the printed table."""
    cells: dict[str, dict[str, Reading]] = Field(default_factory=dict)
    """Readings of single cells."""
    totals: dict[str, Reading] = Field(default_factory=dict)
    """Every total of the printed table."""
    gives_way: tuple[GivesWay, ...] = ()
    """Numbers that cannot hold."""
    notes: tuple[Note, ...] = ()
    """How numbers were read."""


@dataclass(frozen=True)
class Statement:
    """One printed number and where it is read.

    Parameters
    ----------
    place, says : str
        Where it stands and what the table shows.
    row, column : str
        Its cell; a total has no row.
    printed : str
        The number as printed.
    reading : Reading
        Where it is read.
    gives_way, instead : str
        Why it cannot hold and what holds; empty where it does.
    note : str
        How the table was read.
    """

    place: str
    says: str
    row: str
    column: str
    printed: str
    reading: Reading = field(repr=False)
    gives_way: str = ""
    instead: str = ""
    note: str = ""

    @property
    def name(self) -> str:
        """The number's place in one line."""
        return f"{self.place}: {', '.join(filter(None, (self.row, self.column)))} = {self.printed}"

    def measure(self, tables: DerivedTables) -> float:
        """Read the number."""
        return tables.read(self.reading, self.name)


class DerivedTables:
    """The ordinary derived tables of the reconstruction, made when they are asked for.

    Parameters
    ----------
    folder : Path
        Raw folder, or derived folder.
    """

    def __init__(self, folder: Path) -> None:
        self._frames: dict[str, pl.DataFrame] = {}
        if (folder / CARD_FILE).is_file():
            self._folder, self._data = folder, None
            return
        made = read_benchmark(folder)
        settings = settings_for(made.card, Config())
        self._data = BenchmarkData(
            made.verdicts, made.items, made.models, made.card, settings, made.ratings, criteria=made.criteria
        )

    def table(self, name: str) -> pl.DataFrame:
        """Return a derived table."""
        if name not in self._frames and self._data is None:
            self._frames[name] = read_table(self._folder / f"{name}.parquet")
        elif name not in self._frames and self._data is not None:
            made = MODULES[name].derive(self._data)
            self._frames |= {table: frame for table, (frame, _) in made.items()}
        return self._frames[name]

    def read(self, reading: Reading, name: str) -> float:
        """Return the one number that a reading finds.

        Raises
        ------
        ConfigError
            Where there is no row, or rows that disagree.
        """
        rows = self.table(reading.table)
        for column, wanted in reading.where.items():
            rows = rows.filter(pl.col(column).cast(pl.String).is_in(_texts(wanted)))
        values = rows[reading.value].drop_nulls().cast(pl.Float64)
        if reading.sum and values.len():
            value = float(values.sort().sum())
        elif reading.max and values.len():
            value = float(max(values.to_list()))
        else:
            distinct = values.unique()
            if distinct.len() != 1:
                raise ConfigError(
                    f"{FILE}: {name}: {distinct.len()} values in {reading.table} {reading.where}"
                )
            value = float(distinct[0])
        value *= reading.times
        return value / self.read(reading.over, name) if reading.over is not None else value


def _texts(wanted: Any) -> list[str]:
    return [str(w) for w in (wanted if isinstance(wanted, list | tuple) else [wanted])]


@cache
def statements() -> tuple[Statement, ...]:
    """Return one statement per number of `printed.yaml`.

    Raises
    ------
    ConfigError
        Where a printed table, a column or a row has no reading.
    """
    text = Path(__file__).with_name(FILE).read_text(encoding="utf-8")
    entries = [parse(Entry, entry, file=FILE) for entry in yaml.safe_load(text)]
    unread = set(printed_tables()) - {e.printed for e in entries}
    if unread:
        raise ConfigError(f"{FILE}: nothing says how {sorted(unread)[0]!r} is read")
    return tuple(s for e in entries for s in _statements(e, printed_tables()[e.printed]))


def _statements(entry: Entry, table: PrintedTable) -> Iterator[Statement]:
    own = Reading(table=entry.table, where=entry.where, value=entry.value)
    missing = [c for c in table.columns if c not in entry.columns]
    missing += [c for c in table.totals if c not in entry.totals]
    missing += [r for r in table.rows if not entry.row and r not in entry.rows]
    if missing:
        raise ConfigError(f"{FILE}: {entry.printed}: {missing[0]!r} is not read")
    excuses = {(g.row, g.column): g for g in entry.gives_way}
    for row, cells in table.rows.items():
        what = {entry.row: row} if entry.row else entry.rows[row]
        for column, number in zip(table.columns, cells, strict=True):
            reading = entry.cells.get(row, {}).get(column, entry.columns[column])
            excuse = excuses.pop((row, column), None)
            yield Statement(
                table.place,
                table.says,
                row,
                column,
                number,
                _merged(own, reading, what),
                excuse.why if excuse else "",
                excuse.instead if excuse else "",
                _noted(entry, row, column),
            )
    for column, number in table.totals.items():
        reading = _merged(own, entry.totals[column], {})
        yield Statement(table.place, table.says, "", column, number, reading, note=_noted(entry, "", column))
    if excuses:
        raise ConfigError(f"{FILE}: {entry.printed}: no number stands at {next(iter(excuses))}")


def _noted(entry: Entry, row: str, column: str) -> str:
    return " ".join(note.text for note in entry.notes if note.concerns(row, column))


def _merged(own: Reading, reading: Reading, row: Where) -> Reading:
    """Fill a reading in from the entry's own, and add what the row stands for."""
    return reading.model_copy(
        update={
            "table": reading.table or own.table,
            "value": reading.value or own.value,
            # What another table's rows are is not the entry's business.
            "where": {**(own.where if not reading.table else {}), **reading.where, **row},
        }
    )


def compare(folder: Path) -> pl.DataFrame:
    """Read every statement from the tables of a raw or derived folder.

    Returns
    -------
    pl.DataFrame
        `place`, `says`, `quantity`, `printed`, `measured`, `met` (it prints as the paper has it),
        `as_recorded` (it is met, gives way as recorded, or is a bootstrap limit), `ours`, `reason`
        (why it is not met), `note`.
    """
    tables, rows = DerivedTables(folder), []
    for s in statements():
        value = s.measure(tables)
        met = prints_as(value, s.printed)
        reason = s.gives_way
        if s.reading.ours and not met:
            off = value - float(s.printed)
            reason = f"Bootstrap limits depend on method and resamples: ours is {off:+.2f} off."
        rows.append(
            {
                "place": f"{s.place}: {s.says}",
                "says": ", ".join(filter(None, (s.row, s.column))),
                "quantity": s.reading.described,
                "printed": s.printed,
                "measured": value,
                "met": met,
                "as_recorded": (not met and prints_as(value, s.instead))
                if s.gives_way
                else met or s.reading.ours,
                "ours": s.reading.ours,
                "reason": reason or None,
                "note": s.note or None,
            }
        )
    return pl.DataFrame(rows, schema_overrides={"reason": pl.String, "note": pl.String})


def limits_as_markdown(table: pl.DataFrame) -> str:
    """Return the bootstrap limits of `compare` beside the paper's, as the table of `docs/npcbench.md`."""
    lines = ["| table | model | limit | printed | ours | difference |", "|---|---|---|---|---|---|"]
    for row in table.filter("ours").iter_rows(named=True):
        model, _, limit = row["says"].rpartition(", ")
        ours, difference = row["measured"], row["measured"] - float(row["printed"])
        cells = (
            row["place"].partition(":")[0],
            model,
            limit,
            row["printed"],
            f"{ours:.1f}",
            f"{difference:+.1f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print what does not hold, and the bootstrap limits; the exit code tells whether all is as recorded."""
    table = compare(Path(arguments[0]))
    for row in table.filter(~pl.col("met")).iter_rows(named=True):
        state = "ours" if row["ours"] else "gives way" if row["as_recorded"] else "FAILS"
        found = f"printed {row['printed']}, measured {row['measured']:.6g}"
        sys.stdout.write(f"{state}: {row['place']}: {row['says']}: {found}. {row['reason'] or ''}\n")
    held = table.filter(~pl.col("ours"))
    met = int(held["met"].sum())
    sys.stdout.write(f"{held.height} statements, {met} met, {held.height - met} not; ")
    sys.stdout.write(f"{table.height - held.height} bootstrap limits beside the paper's\n")
    return 0 if table["as_recorded"].all() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
