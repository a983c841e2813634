"""What a report says of imported logs."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from analysis.reporting.sections.provenance import imported

SOURCE = {
    "name": "<b>log</b>.eval",
    "tool": "inspect_ai",
    "tool_version": "0.3",
    "created": "2026-01-01",
    "model": "org/m",
    "task": "t",
    "rows_read": 3,
    "rows_written": 2,
    "dropped": {"no score": 1},
    "sha256": "ab" * 32,
}
TOTALS = {
    "logs": 1,
    "rows_read": 3,
    "rows_written": 2,
    "rows_joined": 0,
    "rows_added": 0,
    "dropped": {"no score": 1},
    "excluded": {},
    "broken": {},
    "unscored": 0,
}


def view_of(folder: Path) -> SimpleNamespace:
    return SimpleNamespace(results=SimpleNamespace(folder=folder))


def test_nothing_is_said_without_an_import(tmp_path: Path) -> None:
    assert imported(view_of(tmp_path)) == ""  # type: ignore[arg-type]


def test_sources_and_exclusions_are_shown_as_text(tmp_path: Path) -> None:
    record = {
        "sources": [SOURCE] * 42,
        "totals": TOTALS,
        "refused": [{"name": "bad<.json", "reason": "is not JSON", "sha256": "00"}],
        "decided": ["metric match is the primary"],
        "metrics": [],
    }
    (tmp_path / "import.json").write_text(json.dumps(record))
    page = imported(view_of(tmp_path))  # type: ignore[arg-type]
    assert "3 rows read, 2 written" in page
    assert "Left out: 1 (no score)." in page
    assert "&lt;b&gt;log&lt;/b&gt;.eval" in page
    assert "<b>log" not in page
    assert "bad&lt;.json: is not JSON" in page
    assert "42 imported logs" in page
    assert "2 more logs: see" in page
    assert "abababababab</" in page
