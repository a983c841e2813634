"""Broken and hostile files: refused or counted with a reason, and they never stop the others."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from analysis.ingest.importers.common import files, jsonscanner, jsontext
from analysis.ingest.importers.common.archive import Archive, MemberError
from analysis.ingest.importers.common.records import RefusedError
from tests.unit.importers.makers import (
    inspect_log,
    inspect_members,
    inspect_sample,
    lm_record,
    lm_results,
    openai_log,
    run,
    verdicts,
    write_eval,
    write_json,
    write_lines,
    write_lm,
    zstd_zip,
)


def good_log(folder: Path) -> Path:
    return write_json(folder / "good.json", inspect_log([inspect_sample(1, {"m": "C"})]))


def assert_only_the_good_one_stands(tmp_path: Path, reason: str) -> None:
    report = run("inspect", tmp_path / "logs", tmp_path / "b")
    assert [r.reason for r in report.refused] == [reason]
    assert verdicts(tmp_path / "b")["item_id"].to_list() == ["1"]
    assert report.summary["refused"][0]["reason"] == reason


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", b'{"version": 2, "status": "x", "e"',
         "is not JSON (it ends in the middle: truncated?)"),
        ("a.json", b'{"version": 2, "status": "x", "e": [[1]}', "is not JSON"),
        ("a.json", b'{"version": 1, "status": "x", "a": ' + b"[" * 10**5 + b"]" * 10**5 + b"}",
         "is nested too deeply"),
        ("a.json", b'{"version": 1, "status": "x", "n": ' + b"9" * 5000 + b', "m": NaN}',
         "holds a number with thousands of digits"),
        ("a.json", b'{"version": 2, "status": "\xff"}', "is not UTF-8"),
        ("a.json", b'{"version": 2, "status": "success"}', "is JSON, but no Inspect log: it has no eval"),
        ("a.eval", b"", "is empty"),
        ("a.eval", b"\x00" * 100, "is no readable zip archive (File is not a zip file); was it cut off?"),
        ("a.eval", b"PK\x05\x06" + b"\x00" * 18,
         "is a zip archive, but no Inspect log: it has neither header.json nor _journal/start.json"),
    ],
    ids=["cut", "brackets", "deep", "digits", "utf8", "other", "empty", "zeros", "emptyzip"],
)  # fmt: skip
def test_broken_logs_do_not_stop_the_others(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    good_log(tmp_path / "logs")
    (tmp_path / "logs" / name).write_bytes(content)
    assert_only_the_good_one_stands(tmp_path, reason)


def bomb(size: int) -> bytes:
    """Return a zip archive whose header.json states a small size and expands to a large one."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * size)
    return stream.getvalue()


def test_a_member_that_expands_beyond_its_stated_size_is_cut_there(tmp_path: Path) -> None:
    data = bomb(50_000_000)
    small = struct.pack("<I", 1000)
    path = tmp_path / "bomb.eval"
    path.write_bytes(data.replace(struct.pack("<I", 50_000_000), small))
    with Archive(path) as archive, pytest.raises(MemberError, match=r"^member is damaged$"):
        archive.read("header.json")


def test_a_member_that_states_too_large_a_size_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.ingest.importers.common.archive.MAX_RECORD", 1 << 20)
    path = tmp_path / "bomb.eval"
    path.write_bytes(bomb(2 << 20))
    with Archive(path) as archive, pytest.raises(MemberError, match=r"^member is larger than 1 MB$"):
        archive.read("header.json")


def test_an_archive_that_expands_too_much_in_all_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.ingest.importers.common.archive.FREE_EXPANSION", 1000)
    path = tmp_path / "bomb.eval"
    path.write_bytes(bomb(10 << 20))
    with Archive(path) as archive, pytest.raises(RefusedError, match="compression bomb"):
        archive.read("header.json")


def test_a_zstd_member_is_cut_at_its_stated_size(tmp_path: Path) -> None:
    data = zstd_zip([("header.json", b" " * 5_000_000)])
    path = tmp_path / "bomb.eval"
    path.write_bytes(data.replace(struct.pack("<I", 5_000_000), struct.pack("<I", 10)))
    with Archive(path) as archive, pytest.raises(MemberError, match=r"^member is damaged$"):
        archive.read("header.json")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_compressed_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    monkeypatch.setattr(files, "FREE_EXPANSION", 1000)
    line = json.dumps({"benchmark_id": "b", "model": "m", "example_id": "x", "pass1": 1}).encode()
    path = tmp_path / "bomb.jsonl.x"
    path.write_bytes(pack(line + b"\n" + b" " * 50_000_000))
    report = run("eval-arena", path, tmp_path / "b")
    (refusal,) = report.refused
    assert refusal.reason.startswith(("expands to more than", "is no log of eval-arena"))


def test_names_of_members_never_leave_the_archive(tmp_path: Path) -> None:
    members = inspect_members(inspect_log([inspect_sample(1, {"m": "C"})]))
    evil = [("../../evil.json", b"{}"), ("/etc/evil.json", b"{}"), ("samples/../../x_epoch_1.json", b"{}")]
    path = write_eval(tmp_path / "logs" / "log.eval", [*members, *evil])
    report = run("inspect", path, tmp_path / "b")
    assert report.summary["totals"]["rows_written"] == 1
    assert report.summary["sources"][0]["notes"]["archive members with an unsafe name, never read"] == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b", "logs"]


def test_an_encrypted_or_unknown_member_is_counted(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(1, {"m": "C"})])
    path = write_eval(tmp_path / "log.eval", inspect_members(log, summaries=False), 0)
    data = bytearray(path.read_bytes())
    at = data.rfind(b"samples/1_epoch_1.json") - 46  # the entry in the directory
    data[at + 10 : at + 12] = struct.pack("<H", 99)
    path.write_bytes(bytes(data))
    report = run("inspect", path, tmp_path / "b")
    assert [r.reason for r in report.refused] == [
        "holds no sample that can be read (sample: member has compression method 99, which is not known)"
    ]


def test_one_huge_line_is_dropped_and_the_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lm(
        tmp_path,
        "t",
        [lm_record(0, {"acc": 1}), lm_record(1, {"acc": 1}, long="x" * 5_000_000), lm_record(2, {"acc": 0})],
        lm_results(["t"]),
    )
    monkeypatch.setattr("analysis.ingest.importers.common.jsonfiles.MAX_RECORD", 2 << 20)
    monkeypatch.setattr(jsontext.lines, "__defaults__", (2 << 20,))
    report = run("lm-eval", path, tmp_path / "b")
    assert verdicts(tmp_path / "b")["item_id"].to_list() == ["0", "2"]
    assert report.summary["totals"]["broken"] == {"record is longer than 2 MB": 1}


def test_one_huge_element_is_dropped_and_the_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonscanner, "MAX_RECORD", 1000)
    monkeypatch.setattr(jsonscanner, "CHUNK", 64)
    data = json.dumps({"samples": [1, "y" * 5000, {"a": ["z" * 5000]}, 2]}).encode()
    found = [v for _, v in jsonscanner.document(io.BytesIO(data), frozenset({"samples"}))]
    assert [v for v in found if not isinstance(v, jsontext.JsonError)] == [1, 2]
    assert len(found) == 4


def test_values_of_every_type_where_another_is_expected(tmp_path: Path) -> None:
    odd: list[Any] = [None, 1, "x", [], [1], {}, {"id": 1}, True, 1e400]
    samples = [inspect_sample(1, {"m": "C"}), *odd]
    for key in ("scores", "model_usage", "metadata", "error", "limit", "epoch", "input"):
        samples += [{**inspect_sample(f"{key}{i}", {"m": "C"}), key: value} for i, value in enumerate(odd)]
    path = write_json(tmp_path / "log.json", inspect_log(samples))
    report = run(
        "inspect", path, tmp_path / "b", value={"x": {"x": 0.0}}, primary=("m",), duplicates="latest"
    )
    totals = report.summary["totals"]
    assert totals["broken"] == {"sample has no id": 8}
    # The bare {"id": 1} is the first sample again, and has no score.
    assert totals["rows_read"] == 1 + 1 + 7 * len(odd)
    assert totals["rows_written"] == totals["rows_read"] - 1


def test_lone_surrogates_become_a_replacement_character(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    openai_log(path, [("a.1", "match", {"correct": True})])
    path.write_text(path.read_text().replace("a.1", "a.\\ud83d"))
    run("openai-evals", path, tmp_path / "b")
    assert verdicts(tmp_path / "b")["item_id"].to_list() == ["a.\ufffd"]


def test_loops_of_links_and_pipes_are_left_alone(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    good_log(logs / "deep")
    (logs / "deep" / "loop").symlink_to(logs)
    os.mkfifo(logs / "pipe.json")
    (logs / ".hidden.json").write_text("{}")
    report = run("inspect", logs, tmp_path / "b")
    assert report.new == ["good.json"]
    assert report.refused == []


def test_a_missing_path_is_said_and_does_not_stop_the_others(tmp_path: Path) -> None:
    report = run("inspect", [tmp_path / "nowhere", good_log(tmp_path)], tmp_path / "b")
    assert [(r.name, r.reason) for r in report.refused] == [("nowhere", "does not exist")]
    assert report.new == ["good.json"]


def test_file_names_of_any_bytes(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/logs"
    os.mkdir(folder)
    with open(folder + b"/\xff\xfe.json", "wb") as file:
        file.write(json.dumps(inspect_log([inspect_sample(1, {"m": "C"})])).encode())
    report = run("inspect", tmp_path / "logs", tmp_path / "b")
    assert report.summary["totals"]["rows_written"] == 1
    assert report.new == ["\ufffd\ufffd.json"] or len(report.new) == 1


def test_a_jsonl_of_another_kind_is_refused_with_its_reasons(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples_t_2025-01-01T00-00-00.1.jsonl", [{"hello": 1}, [1], "x"])
    report = run("lm-eval", path, tmp_path / "b")
    assert [r.reason for r in report.refused] == ["holds no samples (record has no doc_id)"]
