"""Pandoc, from the pypandoc-binary package or the PATH, with the site's template and filter."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from analysis.reporting.errors import RenderError

FILTER = Path(__file__).with_name("quarto.lua")


@cache
def pandoc_path() -> str:
    """Return the path of the Pandoc program."""
    import pypandoc

    return str(pypandoc.get_pandoc_path())


def to_html(
    markdown: str, *, template: Path, metadata: Mapping[str, Any], page: str, options: Mapping[str, Any]
) -> str:
    """Convert a page's Markdown to a whole HTML document.

    Parameters
    ----------
    markdown : str
        Pandoc Markdown with Quarto's cross-references, callouts and tabsets.
    template : Path
        Pandoc template.
    metadata : mapping
        Variables of the template; strings are read as Markdown.
    page : str
        The page's file, named in errors.
    options : mapping
        `toc`, `toc-depth` and `number-sections` as in a Quarto header.

    Raises
    ------
    RenderError
        Where Pandoc fails or a cross-reference has no target.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(dict(metadata), file, ensure_ascii=False)
        file.flush()
        command = [
            pandoc_path(),
            "--from=markdown",
            "--to=html5",
            "--standalone",
            "--section-divs",
            "--wrap=none",
            "--mathml",
            "--syntax-highlighting=none",
            f"--template={template}",
            f"--lua-filter={FILTER}",
            f"--metadata-file={file.name}",
        ]
        if options.get("toc"):
            command += ["--toc", f"--toc-depth={int(options.get('toc-depth', 3))}"]
        if options.get("number-sections"):
            command += ["--number-sections", "--metadata=number-sections:true"]
        done = subprocess.run(command, input=markdown, capture_output=True, encoding="utf-8", check=False)
    lost = [line for line in done.stderr.splitlines() if line.startswith("unresolved reference: ")]
    if lost:
        names = ", ".join(dict.fromkeys(line.rpartition(" ")[2] for line in lost))
        raise RenderError(page, f"refers to {names}, which the page does not hold")
    if done.returncode:
        raise RenderError(page, f"Pandoc failed: {' '.join(done.stderr.split())}")
    return done.stdout
