"""The reconstruction, written once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.demo.odbb import write_odbb


@pytest.fixture(scope="session")
def odbb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw") / "odbb"
    write_odbb(folder)
    return folder
