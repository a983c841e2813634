"""Inspect AI logs: what each thing a log can hold becomes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from analysis.ingest.importers.common.records import Log, ReadOptions, RefusedError, Sample, Score
from analysis.ingest.importers.inspect_logs import InspectImporter
from tests.unit.importers.makers import (
    inspect_log,
    inspect_members,
    inspect_sample,
    run,
    verdicts,
    write_eval,
    write_json,
)


def read(path: Path, *keys: str, full: bool = False) -> tuple[list[Sample], Log]:
    importer = InspectImporter()
    log = Log(path.name, "inspect")
    return list(importer.read(importer.find(path), log, ReadOptions(keys, full=full))), log


def read_json(tmp_path: Path, samples: list[dict[str, Any]], **more: Any) -> tuple[list[Sample], Log]:
    return read(write_json(tmp_path / "log.json", inspect_log(samples, **more)))


def test_letters_numbers_truth_values_and_texts_are_kept_as_they_are(tmp_path: Path) -> None:
    values = {"a": "C", "b": 0.25, "c": True, "d": "0.5", "e": None, "f": math.nan, "g": "maybe"}
    (sample,), log = read_json(tmp_path, [inspect_sample(1, values)])
    assert sample.scores == [
        Score("a", None, "C"),
        Score("b", 0.25),
        Score("c", 1.0),
        Score("d", 0.5),
        Score("e"),
        Score("f"),
        Score("g", None, "maybe"),
    ]
    assert log.notes == {"metric f: NaN, taken as unscored": 1}


def test_a_dictionary_is_a_metric_per_key_and_a_list_is_left_out(tmp_path: Path) -> None:
    values = {"judge": {"value": {"clear": 3, "true": "I"}}, "many": {"value": [1, 2]}}
    (sample,), log = read_json(tmp_path, [inspect_sample("x", values)])
    assert sample.scores == [Score("judge.clear", 3.0), Score("judge.true", None, "I")]
    assert log.notes == {"metric many: a list is no score per sample, left out": 1}
    assert log.examples == {"metric many: a list is no score per sample, left out": ["[1, 2]"]}


def test_epochs_are_runs_from_zero(tmp_path: Path) -> None:
    samples, _ = read_json(tmp_path, [inspect_sample(1, {"m": "C"}, epoch=e) for e in (1, 2, 3)])
    assert [s.run for s in samples] == [0, 1, 2]


def test_errors_limits_and_invalidation(tmp_path: Path) -> None:
    error = {"message": "boom", "traceback": "", "traceback_ansi": ""}
    samples, _ = read_json(
        tmp_path,
        [
            inspect_sample(1, None, error=error),
            inspect_sample(2, {"m": "C"}, error=error),
            inspect_sample(3, {"m": "I"}, limit={"type": "token", "limit": 9}),
            inspect_sample(4, {"m": "C"}, invalidation={"author": "me"}),
            inspect_sample(5, {}),
        ],
    )
    assert [s.status for s in samples] == ["sample_error", "", "", "invalidated", ""]
    assert [s.flags for s in samples] == [[], ["scored_despite_error"], ["limit_token"], [], []]


@pytest.mark.parametrize("status", ["cancelled", "error", "started"])
def test_samples_of_an_unfinished_log_are_excluded_and_counted(tmp_path: Path, status: str) -> None:
    path = write_json(tmp_path / "log.json", inspect_log([inspect_sample(1, {"m": "C"})], status=status))
    report = run("inspect", path, tmp_path / "b")
    row = verdicts(tmp_path / "b").row(0, named=True)
    assert (row["verdict"], row["correct"], row["labels"]) == ("technical_failure", None, [f"log_{status}"])
    assert report.summary["totals"]["excluded"] == {f"log_{status}": 1}
    run("inspect", path, tmp_path / "c", unfinished="score")
    row = verdicts(tmp_path / "c").row(0, named=True)
    assert (row["verdict"], row["correct"]) == ("correct", True)


def test_usage_is_that_of_the_evaluated_model(tmp_path: Path) -> None:
    usage = {
        "openai/gpt-test": {
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 22,
            "input_tokens_cache_read": 3,
            "reasoning_tokens": 4,
            "total_cost": 0.5,
        },
        "other/grader": {"input_tokens": 100, "output_tokens": 100, "total_tokens": 200},
    }
    (sample,), _ = read_json(tmp_path, [inspect_sample(1, {"m": "C"}, model_usage=usage, working_time=2.5)])
    # 10 + 3 read; 5 + 4 written, for the total of 22 counts reasoning beside the output.
    assert (sample.input_tokens, sample.output_tokens) == (13.0, 9.0)
    assert (sample.cost_usd, sample.latency_s) == (0.5, 2.5)


def test_usage_of_a_grader_that_is_the_same_model_is_taken_off(tmp_path: Path) -> None:
    usage = {"openai/gpt-test": {"input_tokens": 30, "output_tokens": 20, "total_tokens": 50}}
    grading = {"grader": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}
    (sample,), log = read_json(
        tmp_path,
        [inspect_sample(1, {"m": "C"}, model_usage=usage, role_usage=grading)],
        spec={"model_roles": {"grader": {"model": "openai/gpt-test"}}},
    )
    assert log.roles == {"grader": "openai/gpt-test"}
    assert (sample.input_tokens, sample.output_tokens) == (20.0, 15.0)


def test_a_log_without_a_model_asks_for_a_role(tmp_path: Path) -> None:
    spec = {"model_roles": {"solver": {"model": "org/solver"}, "grader": {"model": "org/grader"}}}
    path = write_json(
        tmp_path / "log.json", inspect_log([inspect_sample(1, {"m": "C"})], model="none/none", spec=spec)
    )
    report = run("inspect", path, tmp_path / "b")
    (question,) = report.questions
    assert question.text == "1 log does not say which model answered (log.json). Which?"
    assert [o.flag for o in question.options] == [
        "--model NAME",
        "--model log.json=NAME",
        "--model-role grader",
        "--model-role solver",
    ]
    run("inspect", path, tmp_path / "b", model_role="solver")
    assert verdicts(tmp_path / "b")["model"].to_list() == ["org/solver"]


def test_the_score_of_early_logs_takes_the_scorers_name(tmp_path: Path) -> None:
    sample = {**inspect_sample(1, None), "score": {"value": "C"}}
    log = inspect_log([sample], results={"scorer": {"name": "match", "params": {}}, "metrics": {}})
    samples, _ = read(write_json(tmp_path / "log.json", log))
    assert samples[0].scores == [Score("match", None, "C")]


def samples_for_archives() -> list[dict[str, Any]]:
    usage = {"openai/gpt-test": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}
    return [
        inspect_sample(1, {"m": "C"}, model_usage=usage, metadata={"topic": "a"}),
        inspect_sample("x/y", {"m": "I"}, epoch=2, model_usage=usage, metadata={"topic": "b"}),
        inspect_sample("e", None, error={"message": "boom"}, model_usage={}),
    ]


@pytest.mark.parametrize("method", [0, 8, 93], ids=["stored", "deflate", "zstd"])
@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
@pytest.mark.parametrize("summaries", [False, True], ids=["samples", "summaries"])
def test_archives_give_the_rows_of_the_json_log(
    tmp_path: Path, method: int, chunked: bool, summaries: bool
) -> None:
    log = inspect_log(samples_for_archives())
    expected, _ = read(write_json(tmp_path / "log.json", log), "topic")
    members = inspect_members(log, summaries=summaries, chunked=chunked)
    path = write_eval(tmp_path / "log.eval", members, method)
    found, read_log = read(path, "topic")
    assert found == expected
    assert [s.keys for s in found] == [{"topic": "a"}, {"topic": "b"}, {}]
    assert ("samples read from their summaries" in read_log.notes) is summaries


def test_summaries_and_whole_samples_give_the_same_rows(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "log.eval", inspect_members(inspect_log(samples_for_archives())))
    by_summary, _ = read(path)
    whole, _ = read(path, full=True)
    assert by_summary == whole


def test_a_shortened_key_is_read_from_the_sample(tmp_path: Path) -> None:
    long = "y" * 2000
    sample = inspect_sample(1, {"m": "C"}, model_usage={}, metadata={"topic": long})
    path = write_eval(tmp_path / "log.eval", inspect_members(inspect_log([sample])))
    (found,), _ = read(path, "topic")
    assert found.keys == {"topic": long}


def test_an_archive_that_is_still_being_written_is_unfinished(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(1, {"m": "C"})])
    path = write_eval(tmp_path / "log.eval", inspect_members(log, finished=False))
    (sample,), read_log = read(path)
    assert read_log.status == "started"
    assert sample.status == "log_started"


def test_a_repeated_member_supersedes_the_one_before(tmp_path: Path) -> None:
    members = inspect_members(inspect_log([inspect_sample(1, {"m": "I"})]), summaries=False)
    again = ("samples/1_epoch_1.json", inspect_sample(1, {"m": "C"}))
    path = write_eval(tmp_path / "log.eval", [*members, again])
    (sample,), _ = read(path)
    assert sample.scores == [Score("m", None, "C")]


def test_a_broken_sample_is_counted_and_does_not_stop_the_others(tmp_path: Path) -> None:
    log = inspect_log([inspect_sample(i, {"m": "C"}) for i in range(3)])
    members = inspect_members(log, summaries=False)
    members = [(n, b"{" if n == "samples/1_epoch_1.json" else d) for n, d in members]
    samples, read_log = read(write_eval(tmp_path / "log.eval", members))
    assert [s.item for s in samples] == ["0", "2"]
    assert read_log.broken == {"sample: member is not JSON": 1}
    assert read_log.examples == {"sample: member is not JSON": ["samples/1_epoch_1.json"]}


def test_a_cut_archive_is_refused(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "log.eval", inspect_members(inspect_log([inspect_sample(1, {"m": "C"})])))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(RefusedError, match=r"^is no readable zip archive \(.*\); was it cut off\?$"):
        read(path)


def test_a_large_log_is_read_in_a_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_json(tmp_path / "log.json", inspect_log([inspect_sample(i, {"m": "C"}) for i in range(50)]))
    whole, _ = read(path)
    monkeypatch.setattr("analysis.ingest.importers.inspect_logs.SMALL", 100)
    monkeypatch.setattr("analysis.ingest.importers.common.jsonscanner.CHUNK", 97)
    streamed, log = read(path)
    assert streamed == whole
    assert (log.model, log.status, log.log_id) == ("openai/gpt-test", "success", "e1")


def test_a_large_log_with_its_header_behind_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = inspect_log([inspect_sample(1, {"m": "C"})], status="cancelled")
    path = write_json(tmp_path / "log.json", {k: log[k] for k in ("samples", "version", "eval", "status")})
    monkeypatch.setattr("analysis.ingest.importers.inspect_logs.SMALL", 10)
    (sample,), _ = read(path)
    assert sample.status == "log_cancelled"


def test_one_and_quoted_one_within_a_log_are_different_samples(tmp_path: Path) -> None:
    samples = [
        inspect_sample(1, {"m": "C"}),
        inspect_sample("1", {"m": "I"}),
        inspect_sample("2", {"m": "C"}),
    ]
    path = write_json(tmp_path / "log.json", inspect_log(samples))
    report = run("inspect", path, tmp_path / "b")
    rows = verdicts(tmp_path / "b").select("item_id", "correct").rows()
    assert rows == [('"1"', False), ("1", True), ("2", True)]
    assert (
        "1 identifier stands as a number and as text within one log: different samples, "
        "and the text keeps its quotes" in report.summary["decided"]
    )


def test_judges_become_ratings_where_there_are_several(tmp_path: Path) -> None:
    scorers = [
        {"name": "model_graded_qa", "options": {"model": "a/judge"}},
        {"name": "second", "options": {"model": "b/judge"}},
        {"name": "match", "options": {}},
    ]
    sample = inspect_sample(1, {"model_graded_qa": "C", "second": {"value": {"tone": 2}}, "match": "I"})
    path = write_json(tmp_path / "log.json", inspect_log([sample], spec={"scorers": scorers}))
    run("inspect", path, tmp_path / "b", primary=("match",))
    import polars as pl

    ratings = pl.read_parquet(tmp_path / "b" / "ratings.parquet")
    assert ratings.select("rater", "rater_kind", "criterion_id", "label", "value").rows() == [
        ("model_graded_qa", "judge", None, "C", None),
        ("second", "judge", "tone", None, 2.0),
    ]
