"""The notebooks run from top to bottom: the demonstration in a kernel, real data sets in this process."""

from __future__ import annotations

import ast
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import polars as pl
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from analysis.config import read_config
from analysis.demo.simulate import write_demo
from analysis.derived import RULES, derive, write_benchmark
from analysis.ingest.benchmark import read_benchmark

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
REAL = (
    "gsm8k_2021",  # nothing but verdicts
    "jailbreakbench",  # two models that answer every item alike
    "pandalm",  # two models, ratings
    "tau_trials",  # models without a common item
    "xsum_halluc",  # lists of labels, clusters
)


def build(raw: Path, results: Path) -> None:
    """Make the derived tables of a raw folder, but for the coverage, which no notebook reads."""
    folder = results / "derived" / raw.name
    write_benchmark(read_benchmark(raw), folder, read_config())
    for rule in RULES:
        if rule != "cover_items":
            derive(rule, folder)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results folder with the tables of the demonstration."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_demo(folder / "raw" / "demo")
    build(folder / "raw" / "demo", folder)
    return folder


class ThisPython(AsyncKernelManager):
    """Starts the Python that runs the tests, whatever kernels are installed, on sockets of its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        command = [sys.executable, "-W", "error", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self._kernel_spec = KernelSpec(argv=command, display_name="Python 3", language="python")
        self._sockets = tempfile.TemporaryDirectory(prefix="va-")
        self.connection_file = f"{self._sockets.name}/k.json"
        if sys.platform != "win32":
            self.transport, self.ip = "ipc", f"{self._sockets.name}/k"

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        await super()._async_cleanup_resources(restart=restart)
        self._sockets.cleanup()


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_is_committed_clean(path: Path) -> None:
    nbformat.validate(nbformat.read(path, as_version=4))
    assert all(not c.get("outputs") and c.get("execution_count") is None for c in cells(path))
    # One idea per cell is introduced in words: a heading at the top, prose between the code.
    assert cells(path)[0]["cell_type"] == "markdown"
    assert sum(c["cell_type"] == "markdown" for c in cells(path)) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook_runs_in_a_kernel(path: Path, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERDICT_ATLAS_RESULTS", str(results))
    monkeypatch.delenv("VERDICT_ATLAS_BENCHMARK", raising=False)
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_manager_class=ThisPython,
        timeout=120,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    assert not [o for o in outputs if o.get("name") == "stderr"]
    assert "Simulated data." in outputs[0]["text"]
    # Charts come as pictures: as HTML they would fetch their renderer from elsewhere.
    assert [o for o in outputs if "image/svg+xml" in o.get("data", {})]
    assert not [o for o in outputs if "<script" in str(o.get("data", {}).get("text/html", ""))]


@pytest.mark.parametrize("benchmark", REAL)
def test_notebooks_run_on_real_data(
    benchmark: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(data_dir / benchmark, tmp_path)
    monkeypatch.setenv("VERDICT_ATLAS_RESULTS", str(tmp_path))
    monkeypatch.setenv("VERDICT_ATLAS_BENCHMARK", benchmark)
    for path in NOTEBOOKS:
        with pl.Config():
            shown = run_in_process(path)
        assert shown, path.stem


def run_in_process(path: Path) -> list[Any]:
    """Execute the code cells as a notebook would, and return what their last lines show."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in cells(path):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        *statements, last = tree.body
        final = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
        body = ast.Module(statements if final else tree.body, [])
        exec(compile(body, cell["id"], "exec"), names)
        if final:
            value = eval(compile(final, cell["id"], "eval"), names)
            shown.append(
                value.to_dict() if hasattr(value, "mark_point") or hasattr(value, "facet") else value
            )
    return shown
