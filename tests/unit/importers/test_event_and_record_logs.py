"""OpenAI evals, eval-arena, every-eval-ever, and lists of resolved ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.ingest.importers.common.records import Log, ReadOptions, Sample, Score
from analysis.ingest.importers.registry import importer
from tests.unit.importers.makers import eee_record, openai_log, run, verdicts, write_json, write_lines


def read(format: str, path: Path, *keys: str) -> tuple[list[Sample], Log]:
    reader = importer(format)
    log = Log(path.name, format)
    return list(reader.read(reader.find(path), log, ReadOptions(keys))), log


# --- OpenAI evals


def test_match_events_are_verdicts_and_usage_is_summed(tmp_path: Path) -> None:
    usage = {"usage": {"prompt_tokens": 5, "completion_tokens": 2}}
    path = openai_log(
        tmp_path / "run.jsonl",
        [
            ("a.1", "sampling", {"prompt": "x", "sampled": ["y"], **usage}),
            ("a.1", "sampling", {"prompt": "x", "sampled": ["y"], **usage}),
            ("a.2", "match", {"correct": False, "expected": "1", "picked": None}),
            ("a.1", "match", {"correct": True, "expected": "1", "picked": "1"}),
        ],
    )
    samples, log = read("openai-evals", path)
    assert {s.item: (s.scores, s.input_tokens, s.output_tokens) for s in samples} == {
        "a.1": ([Score("match", 1.0)], 10.0, 4.0),
        "a.2": ([Score("match", 0.0)], None, None),
    }
    assert (log.model, log.task, log.log_id) == ("gpt-4", "arith.test.v1", "240101000000ABCD")
    assert log.notes == {}


def test_choices_of_a_grader_carry_their_score(tmp_path: Path) -> None:
    path = openai_log(
        tmp_path / "run.jsonl",
        [
            ("a.1", "metrics", {"choice": "B", "score": 0.5}),
            ("a.2", "metrics", {"choice": "E", "score": None}),
            ("a.3", "sampling", {"prompt": "x", "sampled": "y"}),
            ("a.4", "error", {"type": "Timeout", "message": "slow"}),
        ],
        finished=False,
        completion_fns=["gpt-3.5", "gpt-4"],
    )
    samples, log = read("openai-evals", path)
    assert [(s.item, s.scores, s.status) for s in samples] == [
        ("a.1", [Score("choice", 0.5, "B")], ""),
        ("a.2", [Score("choice")], ""),
        ("a.3", [], ""),
        ("a.4", [], "sample_error"),
    ]
    assert log.judges == {"choice": "gpt-4"}
    assert log.notes == {
        "choices to which the run gives no score, taken as unscored": 1,
        "no final report: the run may not have finished": 1,
        "samples asked and never judged, kept unscored": 1,
    }


def test_a_sample_judged_again_is_a_further_run(tmp_path: Path) -> None:
    events = [("a.1", "match", {"correct": c}) for c in (True, False)]
    samples, log = read("openai-evals", openai_log(tmp_path / "run.jsonl", events))
    assert [(s.run, s.scores) for s in samples] == [(0, [Score("match", 1.0)]), (1, [Score("match", 0.0)])]
    assert log.notes == {"samples judged again, kept as further runs": 1}


# --- eval-arena


def test_attempts_are_runs_the_successful_first(tmp_path: Path) -> None:
    lines = [
        {"benchmark_id": "he", "model": "m", "example_id": "x0", "pass1": 0.5, "correct": 2, "count": 4},
        {"benchmark_id": "he", "model": "m", "example_id": 7, "pass1": 1},
        {"benchmark_id": "he", "model": "m", "example_id": "x2", "pass1": None, "count": None},
    ]
    report = run("eval-arena", write_lines(tmp_path / "a.jsonl", lines), tmp_path / "b")
    rows = verdicts(tmp_path / "b").select("item_id", "run", "correct").rows()
    assert rows == [
        ("7", 0, True),
        ("x0", 0, True),
        ("x0", 1, True),
        ("x0", 2, False),
        ("x0", 3, False),
        ("x2", 0, None),
    ]
    assert report.summary["totals"]["records"] == 3


def test_a_fraction_that_no_count_gives_is_asked_about(tmp_path: Path) -> None:
    line = {"benchmark_id": "he", "model": "m", "example_id": "x", "pass1": 0.3, "count": 4}
    path = write_lines(tmp_path / "a.jsonl", [line])
    (question,) = run("eval-arena", path, tmp_path / "b").questions
    assert question.text == "The metric pass1 is graded (from 0.3 to 0.3). How does it count?"
    run("eval-arena", path, tmp_path / "b", graded=("pass1",))
    assert verdicts(tmp_path / "b").select("verdict", "correct", "score").rows() == [("partial", False, 0.3)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"count": 10**9}, "count is not a whole number from 0 to 100,000"),
        ({"count": -1}, "count is not a whole number from 0 to 100,000"),
        ({"count": 2, "correct": 3}, "correct is not a whole number from 0 to count"),
        ({"example_id": None}, "record has no example_id"),
    ],
)
def test_impossible_counts_are_dropped_and_counted(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    good = {"benchmark_id": "he", "model": "m", "example_id": "x", "pass1": 1, "count": 1}
    samples, log = read("eval-arena", write_lines(tmp_path / "a.jsonl", [good, {**good, **change}]))
    assert len(samples) == 1
    assert log.broken == {reason: 1}
    assert log.examples == {reason: ["line 2"]}


# --- every-eval-ever


def test_records_state_success_and_score(tmp_path: Path) -> None:
    usage = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8, "input_tokens_cache_read": 2}
    lines = [
        eee_record("q1", 1.0, True, token_usage=usage, performance={"latency_ms": 250}),
        eee_record("q2", 0.4, False, error="timeout", metadata={"subject": "law"}),
    ]
    path = write_lines(tmp_path / "u_samples.jsonl", lines)
    samples, log = read("every-eval-ever", path, "subject")
    first, second = samples
    assert first.scores == [Score("score", 1.0, None, True)]
    assert (first.input_tokens, first.output_tokens, first.latency_s) == (7.0, 3.0, 0.25)
    assert (second.flags, second.keys) == (["error"], {"subject": "law"})
    assert log.created == "2025-06-15T15:06:40.000000Z"
    run("every-eval-ever", path, tmp_path / "b")
    rows = verdicts(tmp_path / "b").select("item_id", "verdict", "correct", "score").rows()
    assert rows == [("q1", "correct", True, 1.0), ("q2", "incorrect", False, 0.4)]


def test_records_of_several_metrics_are_parts_of_a_sample(tmp_path: Path) -> None:
    lines = [
        eee_record("q1", value, correct, evaluation_result_id=f"bench/{name}")
        for name, value, correct in (("acc", 1.0, True), ("f1", 0.5, False))
    ]
    results = [
        {
            "evaluation_result_id": f"bench/{name}",
            "evaluation_name": "bench",
            "metric_config": {"metric_id": name, "lower_is_better": False, "score_type": "continuous"},
        }
        for name in ("acc", "f1")
    ]
    path = write_lines(tmp_path / "u_samples.jsonl", lines)
    write_json(
        tmp_path / "u.json",
        {"evaluation_id": "e", "evaluation_results": results, "evaluation_timestamp": "1750000000",
         "eval_library": {"name": "inspect_ai", "version": "0.3.1"}},
    )  # fmt: skip
    report = run("every-eval-ever", path, tmp_path / "b", primary=("acc",))
    rows = verdicts(tmp_path / "b")
    assert rows.select("item_id", "correct", "f1").rows() == [("q1", True, 0.5)]
    (source,) = report.summary["sources"]
    assert (source["tool"], source["tool_version"]) == ("inspect_ai", "0.3.1")
    assert list(source["companions"]) == ["u.json"]


# --- lists of resolved ids


def test_a_swe_bench_report_says_why_items_failed(tmp_path: Path) -> None:
    report = {
        "resolved_ids": ["a"],
        "unresolved_ids": ["b"],
        "error_ids": ["c"],
        "empty_patch_ids": ["d"],
        "incomplete_ids": ["e"],
        "submitted_ids": ["a", "b", "c", "d"],
        "schema_version": 2,
    }
    path = write_json(tmp_path / "org__model.run1.json", report)
    (question,) = run("resolved", path, tmp_path / "b").questions
    assert question.options[1].answer == {
        "model": {f"{tmp_path.name}/org__model.run1.json": "org/model.run1"}
    }
    run("resolved", path, tmp_path / "b", model={"*": "org/model"})
    rows = verdicts(tmp_path / "b").select("item_id", "correct", "labels").rows()
    assert rows == [
        ("a", True, []),
        ("b", False, []),
        ("c", False, ["evaluation_error"]),
        ("d", False, ["empty_patch"]),
        ("e", None, ["not_submitted"]),
    ]


def test_only_resolved_ids_ask_for_what_was_asked(tmp_path: Path) -> None:
    path = write_json(tmp_path / "ids.json", {"m1": ["a", "b"], "m2": ["b", "b"], "m3": []})
    (question,) = run("resolved", path, tmp_path / "b").questions
    assert question.text.startswith("3 resolved items are listed, but not what was asked")
    report = run("resolved", path, tmp_path / "b", items="union")
    rows = verdicts(tmp_path / "b").select("model", "item_id", "correct").rows()
    assert rows == [("m1", "a", True), ("m1", "b", True), ("m2", "a", False), ("m2", "b", True)]
    assert report.summary["totals"]["rows_added"] == 1
    (source,) = report.summary["sources"]
    assert source["notes"] == {"identifiers listed twice, counted once": 1}
    report = run("resolved", path, tmp_path / "c", items=("a", "b", "c"))
    rows = (
        verdicts(tmp_path / "c").group_by("model").agg(pl.col("correct").sum(), pl.len()).sort("model").rows()
    )
    assert rows == [("m1", 2, 3), ("m2", 1, 3)]


def test_a_submission_of_the_experiments_repository_names_its_model(tmp_path: Path) -> None:
    folder = tmp_path / "evaluation" / "verified" / "20250101_agent"
    path = write_json(folder / "results" / "results.json", {"no_generation": ["z"], "resolved": ["a"]})
    samples, log = read("resolved", path)
    assert (log.model, log.task, log.open_world) == ("20250101_agent", "swe-bench-verified", True)
    assert [(s.item, s.scores[0].number, s.labels) for s in samples] == [
        ("z", 0.0, ["no_generation"]),
        ("a", 1.0, []),
    ]
    (folder / "metadata.yaml").write_text("info:\n  name: My Agent\n")
    assert read("resolved", path)[1].model == "My Agent"


def test_details_per_instance_have_costs(tmp_path: Path) -> None:
    data = {"a": {"resolved": True, "cost": 0.5, "api_calls": 3}, "b": {"resolved": False, "cost": 0.25}}
    samples, log = read("resolved", write_json(tmp_path / "agent" / "per_instance_details.json", data))
    assert log.model == "agent"
    assert [(s.item, s.scores[0].number, s.cost_usd) for s in samples] == [("a", 1.0, 0.5), ("b", 0.0, 0.25)]


def test_livecodebench_grades_are_runs(tmp_path: Path) -> None:
    folder = tmp_path / "output" / "GPT-X"
    data = [{"question_id": "q1", "graded_list": [True, False], "difficulty": "easy", "pass@1": 0.5}]
    path = write_json(folder / "Scenario.codegeneration_2_0.2_eval_all.json", data)
    samples, log = read("resolved", path, "difficulty")
    assert (log.model, log.task) == ("GPT-X", "codegeneration")
    assert [(s.run, s.scores[0].number, s.keys) for s in samples] == [
        (0, 1.0, {"difficulty": "easy"}),
        (1, 0.0, {"difficulty": "easy"}),
    ]


def test_leaderboard_performances_need_their_range(tmp_path: Path) -> None:
    performances = [
        {"question_id": "q1", "model": "a", "pass@1": 40.0, "date": 1692489600000, "platform": "x"},
        {"question_id": "q1", "model": "b", "pass@1": 100.0, "date": 1692489600000, "platform": "x"},
    ]
    path = write_json(tmp_path / "performances.json", {"performances": performances, "models": []})
    (question,) = run("resolved", path, tmp_path / "b").questions
    assert question.text == "The metric pass@1 goes from 40 to 100, not from 0 to 1. How does it count?"
    run(
        "resolved", path, tmp_path / "b", range={"pass@1": (0, 100)}, graded=("pass@1",), covariates=("date",)
    )
    rows = verdicts(tmp_path / "b").select("model", "score", "pass_1").rows()
    assert rows == [("a", 0.4, 40.0), ("b", 1.0, 100.0)]
    assert pl.read_parquet(tmp_path / "b" / "items.parquet")["date"].to_list() == ["2023-08-20"]


def test_an_object_of_another_shape_is_refused(tmp_path: Path) -> None:
    report = run("resolved", write_json(tmp_path / "x.json", {"a": 1}), tmp_path / "b")
    assert [r.reason for r in report.refused] == [
        "has none of the known shapes: see docs/importers/resolved.md"
    ]
