"""The embedded renderer: jupytext reads the page, nbclient runs its cells, Pandoc writes HTML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.reporting.markdown import to_markdown
from analysis.reporting.pandoc import to_html
from analysis.reporting.source import read_page, read_project


def render_embedded(
    path: Path,
    *,
    variables: Mapping[str, Any],
    environment: Mapping[str, str],
    benchmark: str = "",
    log: Path | None = None,
) -> str:
    """Render a `.qmd` page of a Quarto project without Quarto.

    Parameters
    ----------
    path : Path
        The page; `_quarto.yml` lies beside it and names the template.
    variables : mapping
        Variables of the template, over those of the project and of the page's header.
    environment : mapping of str to str
        Environment of the kernel.
    benchmark : str
        Named in errors.
    log : Path, optional
        Where warnings and tracebacks go.

    Returns
    -------
    str
        The whole HTML document.

    Raises
    ------
    RenderError
        Naming the page and the cell.
    """
    project = read_project(path.parent / "_quarto.yml")
    page = read_page(path)
    said = ""
    if page.has_code:
        from analysis.reporting.kernel import run_cells

        said = run_cells(page, folder=path.parent, environment=environment, benchmark=benchmark, log=log)
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(said, encoding="utf-8")
    options = {**project.get("format", {}).get("html", {}), **page.header}
    return to_html(
        to_markdown(page, {**project.get("execute", {}), **page.header.get("execute", {})}),
        template=path.parent / str(options["template"]),
        metadata={**project, **page.header, **variables},
        page=page.name,
        options=options,
    )
