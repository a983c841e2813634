"""The table of the paper's statements: each with its place, the printed value and whether it is met.

``python -m analysis.demo.odbb.statements FOLDER`` checks a written raw folder against the table.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from analysis.config import parse
from analysis.demo.odbb import behaviour_measures, measures, ranking_measures, review_measures
from analysis.demo.odbb.measures import Record
from analysis.errors import ConfigError
from analysis.strict import Strict as StrictModel

PRINTED = re.compile(r"(?P<relation><=|>=|<|>)?\s*(?P<number>-?\d+(?:\.(?P<decimals>\d+))?)\s*(?P<unit>%|x)?")
OWN_KEYS = ("measure", "printed", "gives_way", "instead", "note")

Measure = Callable[..., float]
MEASURES: dict[str, Measure] = {
    name: function
    for module in (measures, ranking_measures, behaviour_measures, review_measures)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and next(iter(inspect.signature(function).parameters), "") == "r"
}


@dataclass(frozen=True)
class Statement:
    """One printed value and what is measured for it.

    Parameters
    ----------
    place, says : str
        Section, table or figure of the paper, and the sentence in short.
    measure : str
        Name of the measure.
    arguments : dict of str to object
        Its arguments.
    printed : str
        The value as printed: a number with its precision, ``%`` or ``x`` as scale, ``yes`` for a claim
        without a number, a comparison such as ``< 0.05``.
    gives_way : str
        Why the reconstruction cannot meet the statement; empty where it is met.
    instead : str
        What holds instead, in the form of `printed`.
    note : str
        How the statement was read.
    """

    place: str
    says: str
    measure: str
    arguments: dict[str, Any]
    printed: str
    gives_way: str = ""
    instead: str = ""
    note: str = ""

    @property
    def name(self) -> str:
        """The place, the measure and its arguments in one line."""
        inside = ", ".join(f"{k}={v}" for k, v in self.arguments.items())
        return f"{self.place}: {self.measure}({inside}) = {self.printed}"

    def value(self, record: Record) -> float:
        """Measure the statement's quantity on a raw folder."""
        return float(MEASURES[self.measure](record, **self.arguments))


class _Check(StrictModel):
    measure: str
    printed: str
    gives_way: str = ""
    instead: str = ""
    note: str = ""


class _Sentence(StrictModel):
    place: str
    says: str
    checks: tuple[dict[str, Any], ...]


def meets(value: float, printed: str) -> bool:
    """Tell whether a measured value agrees with a printed one, to the precision of the print.

    Examples
    --------
    >>> meets(0.37201, "0.372"), meets(0.6638, "66.4 %"), meets(1016 / 2005, "50.7 %")
    (True, True, True)
    >>> meets(0.02, "< 0.05"), meets(1.0, "yes"), meets(0.3576, "35.7 %")
    (True, True, False)
    """
    if printed == "yes":
        return value == 1
    match = PRINTED.fullmatch(printed)
    if match is None:
        raise ConfigError(f"statements.yaml: printed value {printed!r} is neither a number nor a comparison")
    number = float(match["number"])
    shown = 100 * value if match["unit"] == "%" else value
    slack = 1e-9
    if match["relation"]:
        return {
            "<": shown < number,
            ">": shown > number,
            "<=": shown <= number + slack,
            ">=": shown >= number - slack,
        }[match["relation"]]
    return abs(shown - number) <= 0.5 * 10.0 ** -len(match["decimals"] or "") + slack


@cache
def statements() -> tuple[Statement, ...]:
    """Return the statements of `statements.yaml`.

    Raises
    ------
    ConfigError
        Where an entry names no known measure, lacks or misspells an argument, or gives way without a
        reason.
    """
    data = yaml.safe_load(Path(__file__).with_name("statements.yaml").read_text(encoding="utf-8"))
    out = []
    for entry in data:
        sentence = parse(_Sentence, entry, file="statements.yaml")
        for raw in sentence.checks:
            arguments = {k: v for k, v in raw.items() if k not in OWN_KEYS}
            check = parse(_Check, {k: v for k, v in raw.items() if k in OWN_KEYS}, file="statements.yaml")
            statement = Statement(
                sentence.place,
                sentence.says,
                check.measure,
                arguments,
                check.printed,
                check.gives_way,
                check.instead,
                check.note,
            )
            _refuse_unknown(statement)
            out.append(statement)
    return tuple(out)


def _refuse_unknown(statement: Statement) -> None:
    if statement.measure not in MEASURES:
        raise ConfigError(f"statements.yaml: {statement.measure!r} is not a measure")
    try:
        inspect.signature(MEASURES[statement.measure]).bind(None, **statement.arguments)
    except TypeError as error:
        raise ConfigError(f"statements.yaml: {statement.name}: {error}") from None
    if bool(statement.gives_way) != bool(statement.instead):
        raise ConfigError(f"statements.yaml: {statement.name}: gives_way and instead stand together")


def compare(folder: Path) -> pl.DataFrame:
    """Measure every statement on a raw folder.

    Returns
    -------
    pl.DataFrame
        `place`, `says`, `quantity`, `printed`, `measured`, `met` (the printed value holds), `as_recorded` (it
        holds, or gives way as the table says), `gives_way`, `note`.
    """
    record = Record(folder)
    rows = []
    for s in statements():
        value = s.value(record)
        met = meets(value, s.printed)
        rows.append(
            {
                "place": s.place,
                "says": s.says,
                "quantity": f"{s.measure}({', '.join(f'{k}={v}' for k, v in s.arguments.items())})",
                "printed": s.printed,
                "measured": value,
                "met": met,
                "as_recorded": (not met and meets(value, s.instead)) if s.gives_way else met,
                "gives_way": s.gives_way,
                "note": s.note,
            }
        )
    return pl.DataFrame(rows)


def main(arguments: list[str]) -> int:
    """Print what the table says of a folder; the exit code tells whether everything is as recorded."""
    table = compare(Path(arguments[0]))
    for row in table.filter(~pl.col("met")).iter_rows(named=True):
        state = "gives way" if row["as_recorded"] else "FAILS"
        found = f"printed {row['printed']}, measured {row['measured']:.6g}"
        sys.stdout.write(f"{state}: {row['place']}: {row['quantity']}: {found}. {row['gives_way']}\n")
    met = int(table["met"].sum())
    sys.stdout.write(f"{table.height} statements, {met} met, {table.height - met} not\n")
    return 0 if table["as_recorded"].all() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
