"""The reconstruction, written once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.demo.npcbench import write_npcbench


@pytest.fixture(scope="session")
def npcbench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw") / "npcbench"
    write_npcbench(folder)
    return folder
