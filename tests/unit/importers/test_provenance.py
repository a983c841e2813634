"""What a report says of an import."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import VerdictAtlasError
from analysis.ingest.importers.provenance import read_import
from tests.unit.importers.makers import inspect_log, inspect_sample, run, write_json


def test_sentences_and_rows_say_everything_that_was_counted(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(2):
        samples = [inspect_sample(i, {"m": "C"} if i else {}) for i in range(2)]
        log = inspect_log(samples, eval_id=f"e{number}", created=f"2025-0{number + 1}-01T00:00:00+00:00")
        write_json(logs / f"{number}.json", log)
    error = {"message": "boom", "traceback": "", "traceback_ansi": ""}
    failed = inspect_log([inspect_sample(7, None, error=error)], model="b", eval_id="e3")
    write_json(logs / "failed.json", failed)
    (logs / "broken.json").write_text('{"version": 2, "status": ')
    run("inspect", logs, tmp_path / "b")
    found = read_import(tmp_path / "b")
    assert found is not None
    assert found.sentences == (
        "Imported from 3 logs of inspect_ai: 5 rows read, 3 written.",
        "Left out: 2 (the same sample in a later log, which counts).",
        "Excluded from accuracy: 1 (sample_error).",
        "Asked and not scored: 1.",
        "1 file could not be imported.",
        "Metric m is the primary: the only one.",
        "2 samples stand in a later log too, which counts (the logs have the same settings: retries).",
        "Primary metric of arith: m; C = 1.",
    )
    assert [(s["name"], s["rows_read"], s["rows_written"], s["left_out"]) for s in found.sources] == [
        ("0.json", 2, 0, 2),
        ("1.json", 2, 2, 0),
        ("failed.json", 1, 1, 0),
    ]
    assert [r["name"] for r in found.refused] == ["broken.json"]


def test_a_benchmark_that_was_not_imported_has_none(tmp_path: Path) -> None:
    assert read_import(tmp_path) is None


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "import.json").write_text('{"totals": {}}')
    with pytest.raises(VerdictAtlasError, match=r"import\.json is damaged; import the logs again$"):
        read_import(tmp_path)
