"""The site's shared files."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from analysis.reporting.assets import OWN, TABLES_SCRIPT, datatables_script, write_assets, write_if_changed


def test_the_table_library_is_a_plain_script_with_its_licences() -> None:
    script = datatables_script()
    assert not re.search(r"^\s*(import|export)\b|\bexport\s*[{d]|\bimport\.meta", script, flags=re.M)
    assert "window.DataTable=" in script
    assert "SpryMedia" in script


@pytest.mark.skipif(shutil.which("node") is None, reason="no node to parse the script with")
def test_the_table_library_parses(tmp_path: Path) -> None:
    path = tmp_path / "t.js"
    path.write_text(datatables_script())
    subprocess.run(["node", "--check", str(path)], check=True)


def test_shared_files_are_written_once(tmp_path: Path) -> None:
    write_assets(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {*OWN, TABLES_SCRIPT}
    times = {p: p.stat().st_mtime_ns for p in tmp_path.iterdir()}
    write_assets(tmp_path)
    assert {p: p.stat().st_mtime_ns for p in tmp_path.iterdir()} == times


def test_a_file_that_differs_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    write_if_changed(path, b"one")
    write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["site.css", "site.js", "leaderboard.js", "icon.svg"])
def test_shared_files_ask_no_other_host(root: Path, name: str) -> None:
    text = (root / "reports" / "assets" / name).read_text()
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert "@import" not in text
    assert "fetch(" not in text
