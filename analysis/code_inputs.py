"""Which files of the package a module is made of: Snakemake does not see imported modules by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def code_of(*modules: str) -> list[str]:
    """Return the package's files that these modules import, themselves included, sorted.

    Imports are read from the source (inside functions too), so nothing is executed. Data files
    that lie beside a module (YAML, CSV, CSS, HTML, Lua, JavaScript) count as part of it.

    Parameters
    ----------
    modules : str
        Dotted names such as ``analysis.tables.coverage``.

    Returns
    -------
    list of str
        Paths relative to the repository.
    """
    seen: set[str] = set()
    todo = list(modules)
    files: set[Path] = set()
    while todo:
        module = todo.pop()
        if module in seen:
            continue
        seen.add(module)
        file = _file_of(module)
        if file is None:
            continue
        files.add(file)
        files.update(_data_beside(file.parent))
        parents = module.split(".")
        todo += [".".join(parents[:i]) for i in range(1, len(parents))]
        todo += _imports(file)
    return sorted(path.relative_to(PACKAGE.parent).as_posix() for path in files)


def _file_of(module: str) -> Path | None:
    path = PACKAGE.parent.joinpath(*module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@cache
def _data_beside(folder: Path) -> tuple[Path, ...]:
    if folder == PACKAGE:
        return ()
    kinds = {".yaml", ".csv", ".css", ".html", ".lua", ".js", ".json", ".sql"}
    return tuple(p for p in folder.iterdir() if p.suffix in kinds)


def _executed(tree: ast.AST) -> Iterator[ast.stmt]:
    """Walk the statements (not their expressions), leaving out what stands under ``if TYPE_CHECKING:``."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, part, ()):
            if (
                isinstance(node, ast.If)
                and isinstance(node.test, ast.Name)
                and node.test.id == "TYPE_CHECKING"
            ):
                continue
            if isinstance(node, ast.stmt):
                yield node
            yield from _executed(node)


@cache
def _imports(file: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in _executed(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(name for name in names if name.split(".")[0] == PACKAGE.name)
