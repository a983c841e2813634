"""The conda environment, the lock and the package's own metadata name the same versions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

from analysis import __version__

CONDA_NAMES = {
    "arch": "arch-py",
    "duckdb": "python-duckdb",
    "great-tables": "great_tables",
    "pypandoc-binary": "pypandoc",
    "playwright": "playwright-python",
}
"""Where conda-forge's name differs from PyPI's."""


def locked(root: Path) -> dict[str, str]:
    text = (root / "requirements.lock").read_text()
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)", text, re.M))


def declared(root: Path) -> list[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    return [re.split(r"[<>=\[; ]", name)[0].lower() for name in wanted]


def test_every_dependency_is_locked_with_hashes(root: Path) -> None:
    lock = locked(root)
    assert [name for name in declared(root) if name not in lock] == []
    text = (root / "requirements.lock").read_text()
    assert text.count("--hash=sha256:") > len(lock)


def test_no_registry_address_is_committed(root: Path) -> None:
    for name in ("requirements.lock", "environment.yml", "pyproject.toml", "Makefile", ".ci/run"):
        text = (root / name).read_text()
        assert not re.search(r"index-url|https?://[^\s]*(pypi|simple|registry)", text), name


def test_conda_names_the_same_versions(root: Path) -> None:
    environment = yaml.safe_load((root / "environment.yml").read_text())
    pinned = dict(
        d.split("=", 1) for d in environment["dependencies"] if isinstance(d, str) and re.search(r"[^>]=", d)
    )
    lock = locked(root)
    expected = {CONDA_NAMES.get(name, name): lock[name] for name in declared(root)}
    assert {name: version for name, version in pinned.items() if name in expected} == expected
    assert any(d.startswith("quarto") for d in environment["dependencies"] if isinstance(d, str))


def test_versions_agree(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__
    assert f"version: {__version__}\n" in (root / "CITATION.cff").read_text()
