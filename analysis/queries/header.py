"""The header of a query: what it answers, which tables it reads, which parameters it takes.

A query is one SELECT that begins with comment lines::

    -- title: Hardest items
    -- answers: Which items do the fewest models solve?
    -- tables: item_counts
    -- :top = 20  How many items at most.

A default is a whole number, a number, text (in single quotes where it holds spaces) or `null`, which
is text that may be left out.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.errors import VerdictAtlasError

Value = str | int | float | None

QUERIES = Path(__file__).resolve().parents[2] / "queries"
"""Folder of the queries that come with the project."""

_FIELD = re.compile(r"--\s*(title|answers|tables)\s*:\s*(.*)")
_PARAMETER = re.compile(r"--\s*:([a-z][a-z0-9_]*)\s*=\s*('[^']*'|\S+)\s*(.*)")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a query.

    Parameters
    ----------
    name : str
        Its name: the column of `parameters`.
    default : str, int, float or None
        Value where none is given; its type is the parameter's. None is text that may be left out.
    meaning : str
        What it does, as a sentence.
    """

    name: str
    default: Value
    meaning: str

    def parse(self, given: Value) -> Value:
        """Return a value as the parameter's type.

        Raises
        ------
        VerdictAtlasError
            Where the value is not of that type.

        Examples
        --------
        >>> Parameter("top", 20, "").parse("5")
        5
        """
        if given is None or isinstance(self.default, str) or self.default is None:
            return None if given is None else str(given)
        kind, words = (int, "a whole number") if isinstance(self.default, int) else (float, "a number")
        try:
            value = kind(str(given))
        except ValueError:
            raise VerdictAtlasError(f"parameter {self.name}: {str(given)!r} is not {words}") from None
        if not abs(value) < 2**63:
            raise VerdictAtlasError(f"parameter {self.name}: {str(given)!r} is not {words} in range")
        return value


@dataclass(frozen=True)
class Query:
    """A SQL file and what its header says.

    Parameters
    ----------
    name : str
        The file's name without its ending.
    title, answers : str
        What the query is called, and which question it answers.
    tables : tuple of str
        Tables that it reads; empty where the header names none, and then it may read any.
    parameters : tuple of Parameter
        Its parameters.
    sql : str
        The whole text.
    """

    name: str
    title: str
    answers: str
    tables: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    sql: str


def read_query(path: Path) -> Query:
    """Read a SQL file with its header.

    Raises
    ------
    VerdictAtlasError
        Where there is no such file, or it is not text.
    """
    try:
        sql = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise VerdictAtlasError(f"{path}: no such query file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise VerdictAtlasError(f"{path}: cannot be read as text: {error}") from None
    fields = {"title": "", "answers": "", "tables": ""}
    parameters: list[Parameter] = []
    open_field = ""
    for line in sql.splitlines():
        if not line.startswith("--"):
            break
        if found := _PARAMETER.fullmatch(line):
            name, default, meaning = found.groups()
            parameters.append(Parameter(name, _literal(default), meaning.strip()))
            open_field = ""
        elif found := _FIELD.fullmatch(line):
            open_field = found[1]
            fields[open_field] = found[2].strip()
        elif open_field:  # a field runs on over further comment lines
            fields[open_field] = f"{fields[open_field]} {line.lstrip('- ').strip()}".strip()
    return Query(
        name=path.stem,
        title=fields["title"] or path.stem,
        answers=fields["answers"],
        tables=tuple(t.strip() for t in fields["tables"].split(",") if t.strip()),
        parameters=tuple(parameters),
        sql=sql,
    )


def list_queries(folder: Path = QUERIES) -> list[Query]:
    """Return the queries of a folder by name."""
    return [read_query(path) for path in sorted(folder.glob("*.sql"))]


def find_query(name: str, folder: Path = QUERIES) -> Path:
    """Return the file of a query that is named by its name or by a path.

    Raises
    ------
    VerdictAtlasError
        Where there is none; names that come near are suggested.
    """
    for path in (folder / f"{name}.sql", Path(name)):
        if path.suffix == ".sql" and path.is_file():
            return path
    raise VerdictAtlasError(unknown("query", name, [p.stem for p in sorted(folder.glob("*.sql"))]))


def _literal(text: str) -> Value:
    """Read a default as it stands in a header."""
    if text.startswith("'"):
        return text[1:-1]
    if text.lower() == "null":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def unknown(what: str, name: str, known: Sequence[str]) -> str:
    """Say that nothing has a name, and what comes near."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"no {what} is called {name!r}{hint} (there are: {', '.join(known) or 'none'})"
