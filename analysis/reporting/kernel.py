"""One kernel per page: runs a page's code cells with nbclient."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.reporting.errors import RenderError
from analysis.reporting.source import Page

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TIMEOUT_S = 600
MAX_SOCKET_FOLDER = 80
"""A local socket's path may be about 100 characters long; longer folders use ports instead."""


def run_cells(
    page: Page,
    *,
    folder: Path,
    environment: Mapping[str, str],
    benchmark: str = "",
    log: Path | None = None,
) -> str:
    """Run the page's code cells in order; each cell receives its outputs.

    The kernel is the Python that runs this function, whatever kernels are installed, and it talks over
    local sockets in a folder of its own, so that pages rendered at the same time cannot meet.

    Parameters
    ----------
    page : Page
        The page; its code cells are changed in place.
    folder : Path
        Folder in which the kernel runs.
    environment : mapping of str to str
        The kernel's whole environment.
    benchmark : str
        Named in errors.
    log : Path, optional
        Named in errors as the place of the traceback; written to by the caller.

    Returns
    -------
    str
        What the cells wrote to the error stream, for the log.

    Raises
    ------
    RenderError
        Where a cell fails, takes too long, or the kernel dies.
    """
    import nbformat
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    code = [c for c in page.cells if c.kind == "code" and c.options.get("eval", True) is not False]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c.source) for c in code])
    sockets = Path(tempfile.mkdtemp(prefix="va-"))
    manager = AsyncKernelManager(connection_file=str(sockets / "k.json"))
    if sys.platform != "win32" and len(str(sockets)) < MAX_SOCKET_FOLDER:
        manager.transport = "ipc"
        manager.ip = str(sockets / "k")
    manager._kernel_spec = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="Python 3",
        language="python",
    )
    client = NotebookClient(
        notebook, km=manager, timeout=TIMEOUT_S, resources={"metadata": {"path": str(folder)}}
    )
    said: list[str] = []
    try:
        with client.setup_kernel(cleanup_kc=True, env={**environment, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}):
            for i, (cell, run) in enumerate(zip(code, notebook.cells, strict=True)):
                try:
                    client.execute_cell(run, i)
                except CellExecutionError as error:
                    problem = _COLOUR.sub("", str(error.traceback or error))
                    _write(log, "".join(said) + problem)
                    raise RenderError(
                        page.name,
                        _message(error),
                        cell=cell.name,
                        line=cell.line,
                        benchmark=benchmark,
                        log=log,
                    ) from None
                except CellTimeoutError:
                    problem = f"took longer than {TIMEOUT_S} s"
                    raise RenderError(page.name, problem, cell=cell.name, benchmark=benchmark) from None
                cell.outputs = list(run.outputs)
                said += [o["text"] for o in run.outputs if o.get("name") == "stderr"]
    except DeadKernelError as error:
        raise RenderError(page.name, f"the Python process ended: {error}", benchmark=benchmark) from None
    finally:
        shutil.rmtree(sockets, ignore_errors=True)
    return "".join(said)


def _message(error: Any) -> str:
    """Return the error in one line; ours speak for themselves, others name their kind."""
    text = " ".join(_COLOUR.sub("", str(error.evalue)).split())
    ours = ("VerdictAtlasError", "DataError", "ConfigError", "RenderError")
    return text if error.ename in ours else f"{error.ename}: {text}" if text else str(error.ename)


def _write(log: Path | None, text: str) -> None:
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(text, encoding="utf-8")
