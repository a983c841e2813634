"""The statistics know arrays only: no data frames, and nothing slow to import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

FRAMES = {"polars", "pandas", "pyarrow", "dataframely", "duckdb"}
SLOW = {"scipy.stats", "arch", "statsmodels", "pingouin", "sklearn", "altair"}
MODULES = sorted((Path(__file__).resolve().parents[3] / "analysis" / "stats").glob("*.py"))


def imported_names(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_imports_a_data_frame_library_or_other_layers(path):
    names = imported_names(ast.parse(path.read_text(encoding="utf-8")))
    assert not {name for name in names if name.split(".")[0] in FRAMES}
    own = {name for name in names if name.split(".")[0] == "analysis"}
    assert all(name.startswith("analysis.stats") for name in own)


def test_importing_every_module_loads_nothing_slow():
    modules = [f"analysis.stats.{path.stem}" for path in MODULES if path.stem != "__init__"]
    code = f"import importlib, sys; [importlib.import_module(m) for m in {modules!r}]; print(*sys.modules)"
    loaded = set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    )
    assert "analysis.stats.paired" in loaded
    assert not loaded & (FRAMES | SLOW | {"scipy.optimize", "scipy.sparse"})
