"""The site's shared files: style sheet, script, icon, and the table library for the leaderboards."""

from __future__ import annotations

import os
import re
import tempfile
from importlib.util import find_spec
from pathlib import Path

from analysis.errors import VerdictAtlasError

TABLES_SCRIPT = "datatables.js"
OWN = ("site.css", "site.js", "leaderboard.js", "items.js", "icon.svg")
_EXPORT = re.compile(r"export\{([^{}]*)\};?")


def write_assets(folder: Path) -> None:
    """Write the shared files; files that stand already are left alone.

    Safe while other pages are being rendered: each file appears whole or not at all.

    Parameters
    ----------
    folder : Path
        ``<site>/assets``.
    """
    source = Path(__file__).resolve().parents[2] / "reports" / "assets"
    for name in OWN:
        write_if_changed(folder / name, (source / name).read_bytes())
    write_if_changed(folder / TABLES_SCRIPT, datatables_script().encode())


def write_if_changed(path: Path, data: bytes) -> None:
    """Write a file in one step, unless it holds these bytes already."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).chmod(0o644)
    Path(name).replace(path)


def datatables_script() -> str:
    """Return the DataTables library that itables ships, as a plain script.

    Browsers refuse modules from ``file:`` addresses, so the module's default export becomes the global
    `DataTable` instead; nothing else changes, its licence notices included.

    Raises
    ------
    VerdictAtlasError
        Where itables no longer ships what this expects.
    """
    spec = find_spec("itables")
    if spec is None or spec.origin is None:
        raise VerdictAtlasError(
            "the package itables is not installed: the leaderboards need its table library"
        )
    text = (Path(spec.origin).parent / "html" / "dt_bundle.js").read_text(encoding="utf-8")
    export = list(_EXPORT.finditer(text))
    default = re.search(r"(\w+) as default\b", export[-1].group(1)) if export else None
    if default is None:
        raise VerdictAtlasError("itables' dt_bundle.js has no default export: pin the version of the lock")
    start, end = export[-1].span()
    body = f"{text[:start]}window.DataTable={default.group(1)};\n{text[end:]}"
    return f'(function(){{"use strict";\n{body}\n}})();\n'
