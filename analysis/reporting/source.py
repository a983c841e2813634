"""A page's `.qmd` file: its header, its included parts and its cells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from analysis.reporting.errors import RenderError

_INCLUDE = re.compile(r"^[ \t]*\{\{<[ \t]*include[ \t]+(\S+)[ \t]*>\}\}[ \t]*$", re.M)
_HEADER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_CHUNK = re.compile(r"^```+[ \t]*\{python\b", re.M)


@dataclass
class Cell:
    """A piece of a page: Markdown, or code with its options and, once run, its outputs.

    Parameters
    ----------
    kind : {'markdown', 'code'}
        What the piece is.
    source : str
        Text without the `#|` option lines.
    options : dict
        The options that `#|` lines give.
    number : int
        Position among the code cells, from 1; 0 for Markdown.
    line : int
        First line of the cell's source in the page (parts included), from 1; 0 where unknown.
    outputs : list
        Outputs in the notebook format, once run.
    """

    kind: str
    source: str
    options: dict[str, Any] = field(default_factory=dict)
    number: int = 0
    line: int = 0
    outputs: list[Any] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The cell's label in quotes, or its number."""
        label = self.options.get("label")
        return repr(str(label)) if label else str(self.number)


@dataclass
class Page:
    """A page as read: its header and its cells."""

    name: str
    header: dict[str, Any]
    cells: list[Cell]

    @property
    def has_code(self) -> bool:
        """Whether a kernel is needed."""
        return any(c.kind == "code" and c.options.get("eval", True) is not False for c in self.cells)


def read_page(path: Path) -> Page:
    """Read a `.qmd` file, with what it includes.

    Raises
    ------
    RenderError
        Where the file or an included part does not exist, or its header is not YAML.
    """
    text = _included(path, path.name, ())
    header: dict[str, Any] = {}
    match = _HEADER.match(text)
    if match:
        header = _yaml(match.group(1), path.name, "the header")
        body = text[match.end() :]
    else:
        body = text
    if not _CHUNK.search(body):
        return Page(path.name, header, [Cell("markdown", body)])
    return Page(path.name, header, _cells(body, text, path.name))


def _included(path: Path, page: str, above: tuple[Path, ...]) -> str:
    if path in above:
        raise RenderError(page, f"{path.name} includes itself")
    try:
        text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        raise RenderError(page, f"{path.name} does not exist") from None
    part = lambda m: _included(path.parent / m.group(1), page, (*above, path)).rstrip("\n")  # noqa: E731
    return _INCLUDE.sub(part, text)


def _yaml(text: str, page: str, what: str) -> dict[str, Any]:
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RenderError(page, f"{what} is not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data or {}, dict):
        raise RenderError(page, f"{what} is not a mapping of keys to values")
    return data or {}


def _cells(body: str, text: str, page: str) -> list[Cell]:
    import jupytext

    cells, number, at = [], 0, 0
    for raw in jupytext.reads(body, fmt="Rmd").cells:
        if raw.cell_type != "code":
            cells.append(Cell("markdown", raw.source))
            continue
        number += 1
        lines = raw.source.split("\n")
        n_options = next((i for i, line in enumerate(lines) if not line.startswith("#|")), len(lines))
        options = _yaml("\n".join(line[2:] for line in lines[:n_options]), page, f"options of cell {number}")
        found = text.find(raw.source, at)
        at = found + len(raw.source) if found >= 0 else at
        line = text.count("\n", 0, found) + 1 if found >= 0 else 0
        cells.append(Cell("code", "\n".join(lines[n_options:]), options, number, line))
    return cells


def read_project(path: Path) -> dict[str, Any]:
    """Read the project file `_quarto.yml`.

    Raises
    ------
    RenderError
        Where it does not exist or is not YAML.
    """
    try:
        return _yaml(path.read_text(encoding="utf-8"), path.name, "the file")
    except FileNotFoundError:
        raise RenderError(path.name, "does not exist") from None
