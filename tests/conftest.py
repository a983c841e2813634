"""Where the tests find real evaluation results."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_data() -> Path | None:
    """Return the folder of real evaluation results, or None where it does not exist."""
    named = os.environ.get("VERDICT_ATLAS_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of real evaluation results; the test is skipped, visibly, where there is none."""
    folder = shared_data()
    if folder is None:
        pytest.skip("no real evaluation results: set VERDICT_ATLAS_DATA or lay them at ../shared/data")
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """Folder of the repository."""
    return ROOT
