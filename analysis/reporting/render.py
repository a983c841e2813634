"""Renders a page: with Quarto where it is installed, else with the embedded renderer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from analysis.config import Config
from analysis.reporting.assets import write_assets
from analysis.reporting.embedded import render_embedded
from analysis.reporting.environment import BENCHMARK, LINKS, RESULTS, derived_benchmarks, reports_folder
from analysis.reporting.errors import RenderError
from analysis.reporting.frame import page_variables

PageName = Literal["report", "index", "methods"]


def render_page(
    page: PageName,
    *,
    config: Config,
    benchmark: str | Sequence[str] | None = None,
    out: Path,
    log: Path | None = None,
) -> None:
    """Render one page of the site, with the shared files it needs.

    Parameters
    ----------
    page : {'report', 'index', 'methods'}
        Which page.
    config : Config
        The configuration: results folder, renderer, site title.
    benchmark : str or sequence of str, optional
        The benchmark of a report; for the index, the benchmarks in their order (default: every derived one).
    out : Path
        Where to write it: ``<site>/<benchmark>/index.html``, ``<site>/index.html``, ``<site>/methods.html``.
    log : Path, optional
        Where warnings and tracebacks go.

    Raises
    ------
    RenderError
        Naming page and cell. Nothing is written to `out` then.
    """
    results = Path(config.results).resolve()
    names = _benchmarks(page, benchmark, results)
    site = out.parent.parent if page == "report" else out.parent
    variables = page_variables(page, config=config, results=results, benchmarks=names)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(reports_folder().parent), os.environ.get("PYTHONPATH")])
        ),
        "QUARTO_PYTHON": sys.executable,
        BENCHMARK: ",".join(names),
        RESULTS: str(results),
        LINKS: "site",
    }
    shown = names[0] if page == "report" else ""
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
    if use_quarto(config.renderer):
        html = _with_quarto(page, variables, environment, shown, log)
    else:
        html = render_embedded(
            reports_folder() / f"{page}.qmd",
            variables=variables,
            environment=environment,
            benchmark=shown,
            log=log,
        )
    write_assets(site / "assets")
    if page == "report":
        from analysis.reporting.downloads import copy_downloads

        copy_downloads(shown, results, out.parent)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(html, encoding="utf-8")


def use_quarto(renderer: Literal["auto", "quarto", "embedded"]) -> bool:
    """Tell whether Quarto renders.

    Raises
    ------
    VerdictAtlasError
        Where Quarto is demanded and not installed.
    """
    found = shutil.which("quarto") is not None
    if renderer == "quarto" and not found:
        raise RenderError("config.yaml", "renderer is 'quarto', and there is no quarto on the PATH")
    return found and renderer != "embedded"


def _benchmarks(page: PageName, benchmark: str | Sequence[str] | None, results: Path) -> list[str]:
    if page == "methods":
        return []
    if isinstance(benchmark, str):
        return [benchmark]
    if benchmark is not None:
        return list(benchmark)
    found = derived_benchmarks(results)
    if page == "report" and not found:
        raise RenderError("report.qmd", f"there are no derived tables in {results}")
    return found[:1] if page == "report" else found


def _with_quarto(
    page: PageName, variables: dict[str, Any], environment: dict[str, str], benchmark: str, log: Path | None
) -> str:
    """Run Quarto in a copy of the project, so that pages rendered at the same time do not meet."""
    import yaml

    from analysis.reporting.quarto import without_quarto_files

    with tempfile.TemporaryDirectory(prefix="va-") as name:
        folder = Path(name) / "reports"
        shutil.copytree(
            reports_folder(), folder, ignore=shutil.ignore_patterns("_site", ".quarto", "*_files")
        )
        (folder / "_metadata.yml").write_text(yaml.safe_dump(variables, allow_unicode=True), encoding="utf-8")
        done = subprocess.run(
            ["quarto", "render", f"{page}.qmd", "--to", "html"],
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        said = done.stdout + done.stderr
        if log is not None:
            log.write_text(said, encoding="utf-8")
        made = folder / "_site" / f"{page}.html"
        if done.returncode or not made.is_file():
            lines = [line.strip() for line in said.splitlines() if line.strip()]
            message = f"Quarto failed: {lines[-1] if lines else 'no message'}"
            raise RenderError(f"{page}.qmd", message, benchmark=benchmark, log=log)
        return without_quarto_files(made.read_text(encoding="utf-8"))
