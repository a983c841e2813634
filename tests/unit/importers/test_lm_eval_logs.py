"""lm-evaluation-harness: filters, groups, metrics of mixed kinds, the model's name."""

from __future__ import annotations

from pathlib import Path

from analysis.ingest.importers.common.records import Log, ReadOptions, Sample, Score
from analysis.ingest.importers.lm_eval import LmEvalImporter
from tests.unit.importers.makers import (
    LM_DATE,
    lm_record,
    lm_results,
    run,
    verdicts,
    write_json,
    write_lines,
    write_lm,
)


def read(path: Path, *keys: str) -> tuple[list[Sample], Log]:
    importer = LmEvalImporter()
    log = Log(path.name, "lm-eval")
    return list(importer.read(importer.find(path), log, ReadOptions(keys))), log


def test_filters_of_a_document_are_one_sample_with_several_metrics(tmp_path: Path) -> None:
    records = [
        lm_record(doc, {"exact_match": float(doc == keep)}, filter=name)
        for name, keep in (("strict-match", 0), ("flexible-extract", 1))
        for doc in range(2)
    ]
    path = write_lm(tmp_path, "gsm8k", records, lm_results(["gsm8k"]))
    report = run("lm-eval", path, tmp_path / "b", primary=("exact_match,strict-match",))
    rows = verdicts(tmp_path / "b")
    assert rows.columns == ["model", "item_id", "run", "verdict", "correct", "exact_match_flexible_extract"]
    assert rows.rows() == [
        ("org/model", "0", 0, "correct", True, 0.0),
        ("org/model", "1", 0, "incorrect", False, 1.0),
    ]
    totals = report.summary["totals"]
    assert (totals["rows_read"], totals["rows_joined"], totals["rows_written"]) == (4, 2, 2)


def test_metrics_of_mixed_kinds(tmp_path: Path) -> None:
    metrics = {
        "acc": 1,
        "flag": "True",
        "text_number": "0.25",
        "pair": [1, 2],
        "nothing": None,
        "acc_norm": 0.0,
    }
    (sample,), log = read(write_lm(tmp_path, "t", [lm_record(0, metrics)], lm_results(["t"])))
    assert sample.scores == [
        Score("acc", 1.0),
        Score("flag", 1.0),
        Score("text_number", 0.25),
        Score("nothing"),
        Score("acc_norm", 0.0),
    ]
    assert log.notes == {"metric pair: a list is no score per sample, left out": 1}


def test_records_without_a_list_of_metrics_are_read_by_their_keys(tmp_path: Path) -> None:
    record = lm_record(3, {"acc": 1, "acc_norm": 0}, filter=None)
    del record["metrics"]
    record["comment"] = "free text is no metric"
    (sample,), _ = read(write_lm(tmp_path, "t", [record], lm_results(["t"])))
    assert sample.scores == [Score("acc", 1.0), Score("acc_norm", 0.0)]


def test_the_model_comes_from_the_results_or_is_asked_for(tmp_path: Path) -> None:
    named = write_lm(tmp_path / "a", "t", [lm_record(0, {"acc": 1})], lm_results(["t"]))
    assert read(named)[1].model == "org/model"
    by_arguments = write_lm(
        tmp_path / "b", "t", [lm_record(0, {"acc": 1})], lm_results(["t"], model=None, config={
            "model_args": {"dtype": "auto", "peft": "org/adapter", "pretrained": "org/base"}}),
    )  # fmt: skip
    assert read(by_arguments)[1].model == "org/adapter"
    alone = write_lm(tmp_path / "c", "t", [lm_record(0, {"acc": 1})])
    report = run("lm-eval", alone, tmp_path / "bench")
    (question,) = report.questions
    assert question.about == "model"
    assert not (tmp_path / "bench").exists()


def test_results_of_another_run_are_not_taken(tmp_path: Path) -> None:
    path = write_lm(tmp_path, "t", [lm_record(0, {"acc": 1})])
    write_json(tmp_path / "results_2024-01-01T00-00-00.000001.json", lm_results(["t"]))
    assert LmEvalImporter().find(path).companions == ()


def test_results_of_flattened_folders_are_matched_by_their_prefix(tmp_path: Path) -> None:
    for prefix in ("a__", "b__"):
        write_lines(tmp_path / f"{prefix}samples_t_{LM_DATE}.jsonl", [lm_record(0, {"acc": 1})])
        write_json(tmp_path / f"{prefix}results_{LM_DATE}.json", lm_results(["t"], model=f"org/{prefix}"))
    found = LmEvalImporter().find(tmp_path / f"b__samples_t_{LM_DATE}.jsonl")
    assert [p.name for p in found.companions] == [f"b__results_{LM_DATE}.json"]


def test_groups_are_found_through_their_subgroups(tmp_path: Path) -> None:
    subtasks = {"mmlu": ["mmlu_stem"], "mmlu_stem": ["mmlu_law"], "mmlu_law": []}
    results = lm_results(["mmlu_law"], group_subtasks=subtasks)
    (sample,), log = read(
        write_lm(tmp_path, "mmlu_law", [lm_record(0, {"acc": 1})], results), "group", "level"
    )
    assert log.groups == ["mmlu", "mmlu_stem"]
    assert sample.keys["group"] == "mmlu"
    assert sample.keys["level"] in {"0", "1", "2"}


def test_where_lower_is_better_the_range_is_asked_for(tmp_path: Path) -> None:
    records = [lm_record(i, {"perplexity": 3.0 + i}) for i in range(3)]
    results = lm_results(["t"], higher_is_better={"t": {"perplexity": False}})
    path = write_lm(tmp_path, "t", records, results)
    (question,) = run("lm-eval", path, tmp_path / "b").questions
    assert question.text == (
        "Of the metric perplexity (from 3 to 5) the lower value is the better. How does it count?"
    )
    run("lm-eval", path, tmp_path / "b", threshold={"perplexity": 4.0})
    rows = verdicts(tmp_path / "b")
    assert rows["correct"].to_list() == [True, True, False]
    assert rows["perplexity"].to_list() == [3.0, 4.0, 5.0]
    run("lm-eval", path, tmp_path / "c", range={"perplexity": (5.0, 3.0)}, graded=("perplexity",))
    assert verdicts(tmp_path / "c")["score"].to_list() == [1.0, 0.5, 0.0]


def test_a_file_that_was_appended_to_has_repeated_answers(tmp_path: Path) -> None:
    records = [lm_record(0, {"acc": 1}), lm_record(1, {"acc": 1}), lm_record(0, {"acc": 0})]
    path = write_lm(tmp_path, "t", records, lm_results(["t"]))
    (question,) = run("lm-eval", path, tmp_path / "b").questions
    assert question.text == (
        "1 answer is to a question that the same model answered before (such as 0 of org/model); "
        "1 of them stands twice within one log. What are they?"
    )
    report = run("lm-eval", path, tmp_path / "b", duplicates="latest")
    assert verdicts(tmp_path / "b").select("item_id", "run", "correct").rows() == [
        ("0", 0, False),
        ("1", 0, True),
    ]
    assert report.summary["totals"]["dropped"] == {"the same sample in a later log, which counts": 1}
    run("lm-eval", path, tmp_path / "c", duplicates="runs")
    rows = verdicts(tmp_path / "c").select("item_id", "run", "correct").rows()
    assert rows == [("0", 0, True), ("0", 1, False), ("1", 0, True)]


def test_a_retried_run_with_the_same_settings_is_superseded(tmp_path: Path) -> None:
    write_lm(tmp_path / "m", "t", [lm_record(0, {"acc": 0})], lm_results(["t"]), date="2025-01-01T00-00-00.1")
    write_lm(tmp_path / "m", "t", [lm_record(0, {"acc": 1})], lm_results(["t"]), date="2025-02-01T00-00-00.1")
    report = run("lm-eval", tmp_path / "m", tmp_path / "b")
    assert verdicts(tmp_path / "b")["correct"].to_list() == [True]
    assert report.summary["decided"][-1] == (
        "1 sample stands in a later log too, which counts (the logs have the same settings: retries)"
    )


def test_runs_with_other_settings_are_asked_about(tmp_path: Path) -> None:
    for shots, date in ((0, "2025-01-01T00-00-00.1"), (5, "2025-02-01T00-00-00.1")):
        results = lm_results(["t"], **{"n-shot": {"t": shots}})
        write_lm(tmp_path / "m", "t", [lm_record(0, {"acc": int(shots > 0)})], results, date=date)
    (question,) = run("lm-eval", tmp_path / "m", tmp_path / "b").questions
    assert question.text == (
        "1 answer is to a question that the same model answered before (such as 0 of org/model); "
        "the logs differ in n_shot. What are they?"
    )
    assert question.options[-1].flag == "--name-by n_shot"
    run("lm-eval", tmp_path / "m", tmp_path / "b", name_by=("n_shot",))
    rows = verdicts(tmp_path / "b").select("model", "correct").rows()
    assert rows == [("org/model [n_shot=0]", False), ("org/model [n_shot=5]", True)]


def test_one_identifier_with_two_questions_is_asked_about(tmp_path: Path) -> None:
    first = lm_record(0, {"acc": 1}, doc_hash="1" * 64)
    second = lm_record(0, {"acc": 0}, doc_hash="2" * 64)
    write_lm(tmp_path / "a", "t", [first], lm_results(["t"], model="org/a"))
    write_lm(tmp_path / "b", "t", [second], lm_results(["t"], model="org/b"))
    paths = [tmp_path / "a", tmp_path / "b"]
    (question,) = run("lm-eval", paths, tmp_path / "x").questions
    assert question.text == (
        "1 identifier stands for different questions in different logs (such as t/0). "
        "One item each, or several?"
    )
    run("lm-eval", paths, tmp_path / "x", same_id="split")
    assert verdicts(tmp_path / "x")["item_id"].n_unique() == 2
    run("lm-eval", paths, tmp_path / "y", same_id="merge")
    assert verdicts(tmp_path / "y")["item_id"].to_list() == ["0", "0"]


def test_early_versions_wrote_one_array(tmp_path: Path) -> None:
    records = [lm_record(i, {"acc": i % 2}, filter=None) for i in range(4)]
    write_json(tmp_path / "results.json", lm_results(["arc_easy"], model="org/old"))
    path = write_json(tmp_path / "pretrained__org__old_arc_easy.jsonl", records, indent=2)
    samples, log = read(path)
    assert [s.item for s in samples] == ["0", "1", "2", "3"]
    assert (log.task, log.model) == ("arc_easy", "org/old")


def test_broken_lines_are_counted_with_their_places(tmp_path: Path) -> None:
    path = write_lm(tmp_path, "t", [lm_record(0, {"acc": 1})], lm_results(["t"]))
    with path.open("ab") as file:
        file.write(b'{"doc_id": 1, "acc"\n{"no_id": 1}\n[1]\n{"doc_id": 9, "text": "\xff"}\n\n')
    samples, log = read(path)
    assert [s.item for s in samples] == ["0"]
    assert log.broken == {"record is not JSON": 1, "record has no doc_id": 2, "record is not UTF-8": 1}
    assert log.examples["record is not JSON"] == ["line 2"]
