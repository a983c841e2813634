"""Importing again, in pieces, in any order: the same bytes, and only what is new is read."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from analysis.errors import VerdictAtlasError
from analysis.ingest.importers.inspect_logs import InspectImporter
from tests.unit.importers.makers import (
    contents,
    inspect_log,
    inspect_sample,
    lm_record,
    lm_results,
    run,
    verdicts,
    write_json,
    write_lines,
    write_lm,
)

CHOICES: dict[str, Any] = {"primary": ("m", "acc"), "strata": ("topic",)}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Logs of two tools, a retry among them, a broken one, and one identifier of two types."""
    folder = tmp_path / "logs"
    for number, (model, created) in enumerate(
        [("a/x", "2025-03-01"), ("a/x", "2025-03-02"), ("b/y", "2025-03-01"), ("c/z", "2025-03-03")]
    ):
        samples = [
            inspect_sample(i, {"m": "C" if (i + number) % 2 else "I"}, metadata={"topic": f"t{i % 2}"})
            for i in range(4 - number)
        ]
        log = inspect_log(samples, model=model, eval_id=f"e{number}", created=f"{created}T00:00:00+00:00")
        write_json(folder / f"{number}.json", log)
    write_json(
        folder / "4.json",
        inspect_log(
            [inspect_sample(1, {"m": "C"}), inspect_sample("1", {"m": "I"})], model="d/w", eval_id="e4"
        ),
    )
    (folder / "broken.json").write_text('{"version": 2, "status"')
    write_lm(folder / "lm", "t", [lm_record(i, {"acc": i % 2}) for i in range(3)], lm_results(["t"]))
    return folder


def test_pieces_in_any_order_give_the_bytes_of_all_at_once(logs: Path, tmp_path: Path) -> None:
    run("auto", logs, tmp_path / "once", **CHOICES)
    expected = contents(tmp_path / "once")
    assert {"verdicts.parquet", "items.parquet", "import.json", "benchmark.yaml"} <= set(expected)
    pieces = sorted(logs.iterdir())
    for number, order in enumerate([pieces, pieces[::-1], pieces[3:] + pieces[:3]]):
        folder = tmp_path / f"pieces{number}"
        for piece in order:
            run("auto", piece, folder, **CHOICES)
        assert contents(folder) == expected


def test_known_logs_are_not_read_again(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (logs / "broken.json").unlink()  # what was refused is tried again
    run("auto", logs, tmp_path / "b", **CHOICES)
    before = contents(tmp_path / "b")
    monkeypatch.setattr(InspectImporter, "read", lambda *a: pytest.fail("a known log was read"))
    report = run("auto", logs, tmp_path / "b")
    assert (report.new, len(report.unchanged)) == ([], 6)
    assert contents(tmp_path / "b") == before


def test_choices_hold_for_later_imports_and_can_be_changed(logs: Path, tmp_path: Path) -> None:
    run("auto", logs, tmp_path / "b", **CHOICES)
    report = run("auto", logs, tmp_path / "b", strata=())
    assert report.summary["choices"] == {"primary": ["m", "acc"]}
    run("auto", logs, tmp_path / "c", primary=("m", "acc"))
    assert contents(tmp_path / "b") == contents(tmp_path / "c")


def test_a_key_wanted_later_needs_the_logs_again(logs: Path, tmp_path: Path) -> None:
    run("inspect", logs / "0.json", tmp_path / "b")
    report = run("inspect", logs / "2.json", tmp_path / "b", strata=("topic",))
    (question,) = report.questions
    assert question.about == "paths"
    assert "(0.json)" in question.text
    report = run("inspect", [logs / "0.json", logs / "2.json"], tmp_path / "b", strata=("topic",))
    assert report.questions == []
    run("inspect", [logs / "2.json", logs / "0.json"], tmp_path / "c", strata=("topic",))
    assert contents(tmp_path / "b") == contents(tmp_path / "c")


def test_a_log_that_grew_replaces_its_earlier_version(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    write_json(path, inspect_log([inspect_sample(1, {"m": "C"})], status="started"))
    run("inspect", path, tmp_path / "b")
    assert verdicts(tmp_path / "b")["verdict"].to_list() == ["technical_failure"]
    write_json(path, inspect_log([inspect_sample(i, {"m": "C"}) for i in (1, 2)]))
    report = run("inspect", path, tmp_path / "b")
    assert report.replaced == ["log.json"]
    assert verdicts(tmp_path / "b")["verdict"].to_list() == ["correct", "correct"]
    run("inspect", path, tmp_path / "c")
    assert contents(tmp_path / "b") == contents(tmp_path / "c")


def test_a_log_whose_scores_were_edited_replaces_its_earlier_version(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    for number in range(4):  # whichever way the hashes fall
        write_json(path, inspect_log([inspect_sample(1, {"m": "C" if number % 2 else "I"})], note=number))
        run("inspect", path, tmp_path / "b")
        assert verdicts(tmp_path / "b")["correct"].to_list() == [bool(number % 2)]


def test_a_log_that_was_scored_later_counts_in_place_of_the_unscored_one(tmp_path: Path) -> None:
    bare = write_json(tmp_path / "log.json", inspect_log([inspect_sample(1, {})]))
    scored = write_json(tmp_path / "log-scored.json", inspect_log([inspect_sample(1, {"m": "C"})]))
    for number, order in enumerate(([bare, scored], [scored, bare])):
        for path in order:
            report = run("inspect", path, tmp_path / str(number))
        assert report.replaced == ["log.json"]
        assert [(e["name"], e["by"]) for e in report.summary["superseded"]] == [
            ("log.json", "log-scored.json")
        ]
        assert verdicts(tmp_path / str(number))["correct"].to_list() == [True]
    run("inspect", [bare, scored], tmp_path / "2")
    assert contents(tmp_path / "0") == contents(tmp_path / "1") == contents(tmp_path / "2")


def test_a_table_that_changed_replaces_what_was_read_of_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,item_id,correct\na,1,true\na,2,true\n")
    run("table", path, tmp_path / "b")
    path.write_text("model,item_id,correct\na,1,false\n")
    report = run("table", path, tmp_path / "b")
    assert report.replaced == [f"{tmp_path.name}/t.csv"]
    assert verdicts(tmp_path / "b").select("item_id", "correct").rows() == [("1", False)]


def test_two_tables_of_one_name_at_once_are_both_kept(tmp_path: Path) -> None:
    for model in "ab":
        path = tmp_path / model / "run" / "t.csv"
        path.parent.mkdir(parents=True)
        path.write_text(f"model,item_id,correct\n{model},1,true\n")
    report = run("table", tmp_path, tmp_path / "bench")
    assert verdicts(tmp_path / "bench")["model"].to_list() == ["a", "b"]
    assert report.replaced == []


def test_a_copy_counts_once(logs: Path, tmp_path: Path) -> None:
    shutil.copy(logs / "0.json", logs / "copy.json")
    report = run("inspect", logs, tmp_path / "b", primary=("m",))
    assert report.copies == ["copy.json"]
    assert report.summary["totals"]["logs"] == 5
    assert report.summary["sources"][0]["name"] == "0.json"
    assert report.summary["sources"][0]["copies"] == ["copy.json"]
    for path in (logs / "copy.json", logs):
        run("inspect", path, tmp_path / "c", primary=("m",))
    assert contents(tmp_path / "b") == contents(tmp_path / "c")


def test_a_broken_log_that_was_mended_is_no_longer_refused(logs: Path, tmp_path: Path) -> None:
    run("auto", logs, tmp_path / "b", **CHOICES)
    log = inspect_log([inspect_sample(9, {"m": "C"})], model="e/v", eval_id="e9")
    write_json(logs / "broken.json", log)
    report = run("auto", logs, tmp_path / "b")
    assert report.summary["refused"] == []
    run("auto", logs, tmp_path / "c", **CHOICES)
    assert contents(tmp_path / "b") == contents(tmp_path / "c")


def test_retried_logs_count_once_and_say_so(logs: Path, tmp_path: Path) -> None:
    report = run("inspect", [logs / "0.json", logs / "1.json"], tmp_path / "b")
    rows = verdicts(tmp_path / "b").select("item_id", "correct").rows()
    # 1.json is the later log and holds items 0 to 2; item 3 is in 0.json only.
    assert rows == [("0", True), ("1", False), ("2", True), ("3", True)]
    dropped = {s["name"]: s["dropped"] for s in report.summary["sources"]}
    assert dropped == {"0.json": {"the same sample in a later log, which counts": 3}, "1.json": {}}


def test_a_later_log_that_failed_does_not_take_the_place_of_one_that_finished(tmp_path: Path) -> None:
    early = inspect_log([inspect_sample(1, {"m": "C"})], eval_id="a", created="2025-01-01T00:00:00+00:00")
    late = inspect_log(
        [inspect_sample(1, {"m": "I"})], eval_id="b", created="2025-02-01T00:00:00+00:00", status="cancelled"
    )
    paths = [write_json(tmp_path / "a.json", early), write_json(tmp_path / "b.json", late)]
    run("inspect", paths, tmp_path / "x")
    assert verdicts(tmp_path / "x")["verdict"].to_list() == ["correct"]


def test_rows_read_are_written_joined_or_dropped(logs: Path, tmp_path: Path) -> None:
    report = run("auto", logs, tmp_path / "b", **CHOICES)
    for source in report.summary["sources"]:
        left = source["rows_read"] - source["rows_joined"] - sum(source["dropped"].values())
        assert source["rows_written"] == left
    assert report.summary["totals"]["rows_written"] == verdicts(tmp_path / "b").height
    stored = json.loads((tmp_path / "b" / "import.json").read_text())
    assert stored == report.summary


def test_names_do_not_depend_on_where_the_folder_stands(logs: Path, tmp_path: Path) -> None:
    shutil.copytree(logs, tmp_path / "elsewhere" / "moved")
    run("auto", logs, tmp_path / "a", **CHOICES)
    run("auto", tmp_path / "elsewhere" / "moved", tmp_path / "b", **CHOICES)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_files_that_no_import_has_written_are_not_overwritten(logs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    (folder / "verdicts.parquet").write_bytes(b"mine")
    with pytest.raises(VerdictAtlasError) as caught:
        run("inspect", logs / "0.json", folder)
    assert str(caught.value) == (
        "benchmark 'b' holds files that no import has written: verdicts.parquet; "
        "choose another name, or overwrite them with --force"
    )
    assert (folder / "verdicts.parquet").read_bytes() == b"mine"


def test_a_card_written_by_hand_stays(logs: Path, tmp_path: Path) -> None:
    run("inspect", logs / "0.json", tmp_path / "b")
    card = tmp_path / "b" / "benchmark.yaml"
    card.write_text("title: Mine\n")
    report = run("inspect", logs / "2.json", tmp_path / "b")
    assert card.read_text() == "title: Mine\n"
    assert report.messages == [
        "benchmark.yaml was written by hand and stays as it is; compare it with import/benchmark.yaml"
    ]
    assert "verdicts:" in (tmp_path / "b" / "import" / "benchmark.yaml").read_text()


def test_replace_forgets_logs_and_choices(logs: Path, tmp_path: Path) -> None:
    run("auto", logs, tmp_path / "b", **CHOICES)
    run("inspect", logs / "0.json", tmp_path / "b", replace=True)
    run("inspect", logs / "0.json", tmp_path / "c")
    assert contents(tmp_path / "b") == contents(tmp_path / "c")


def test_items_with_several_values_of_a_key_take_the_latest_and_say_so(tmp_path: Path) -> None:
    import polars as pl

    for number, topic in enumerate(("old", "new")):
        log = inspect_log(
            [inspect_sample(1, {"m": "C"}, metadata={"topic": topic})],
            model=f"m{number}",
            eval_id=f"e{number}",
            created=f"2025-0{number + 1}-01T00:00:00+00:00",
        )
        write_json(tmp_path / "logs" / f"{number}.json", log)
    report = run("inspect", tmp_path / "logs", tmp_path / "b", covariates=("topic",))
    assert pl.read_parquet(tmp_path / "b" / "items.parquet").rows() == [("1", "new")]
    assert "1 item has more than one topic over the logs: the latest counts" in report.summary["decided"]


def test_import_json_names_no_place_of_the_machine(logs: Path, tmp_path: Path) -> None:
    run("auto", logs, tmp_path / "b", **CHOICES)
    for name in ("import.json", "import/logs.json", "benchmark.yaml"):
        assert str(tmp_path) not in (tmp_path / "b" / name).read_text()


def test_all_permutations_of_three_logs(tmp_path: Path) -> None:
    paths = [
        write_lines(
            tmp_path / f"{n}" / "a.jsonl",
            [{"benchmark_id": f"b{n % 2}", "model": f"m{n}", "example_id": "x", "pass1": 1, "count": n + 1}],
        )
        for n in range(3)
    ]
    found = []
    for number, order in enumerate(itertools.permutations(paths)):
        for path in order:
            run("eval-arena", path, tmp_path / "out" / str(number))
        found.append(contents(tmp_path / "out" / str(number)))
    assert all(f == found[0] for f in found)


def test_without_its_staged_samples_a_benchmark_is_not_silently_started_anew(
    logs: Path, tmp_path: Path
) -> None:
    run("inspect", logs / "0.json", tmp_path / "b")
    shutil.rmtree(tmp_path / "b" / "import")
    with pytest.raises(VerdictAtlasError) as caught:
        run("inspect", logs / "2.json", tmp_path / "b")
    assert str(caught.value) == (
        "import/ is gone, so the logs imported earlier cannot be added to; "
        "import all logs again with --replace"
    )
    run("inspect", logs / "2.json", tmp_path / "b", replace=True)
    assert verdicts(tmp_path / "b")["model"].unique().to_list() == ["b/y"]
