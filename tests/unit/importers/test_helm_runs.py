"""HELM runs: metric groups put together, perturbations, splits, what is no metric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from analysis.ingest.importers.common.records import Log, ReadOptions, Sample, Score
from analysis.ingest.importers.helm import HelmImporter
from tests.unit.importers.makers import helm_entry, helm_stat, run, verdicts, write_helm

TYPOS = {"name": "typos", "robustness": True, "fairness": False, "computed_on": "perturbed", "prob": 0.1}


def read(path: Path, *keys: str) -> tuple[list[Sample], Log]:
    importer = HelmImporter()
    log = Log(path.name, "helm")
    return list(importer.read(importer.find(path), log, ReadOptions(keys))), log


def entries() -> list[dict[str, Any]]:
    return [
        helm_entry("id1", [helm_stat("num_output_tokens", 7), helm_stat("num_prompt_tokens", 90)]),
        helm_entry("id2", [helm_stat("inference_runtime", 1.5)]),
        helm_entry("id1", [helm_stat("exact_match", 1.0), helm_stat("f1_score", 0.5)]),
        helm_entry("id2", [helm_stat("exact_match", 0.0), helm_stat("f1_score", None)]),
    ]


def test_metric_groups_of_an_instance_are_one_sample(tmp_path: Path) -> None:
    samples, log = read(write_helm(tmp_path, entries()))
    first, second = samples
    assert first.scores == [Score("exact_match", 1.0), Score("f1_score", 0.5)]
    assert (first.input_tokens, first.output_tokens, first.latency_s) == (90.0, 7.0, None)
    assert second.scores == [Score("exact_match", 0.0), Score("f1_score")]
    assert second.latency_s == 1.5
    assert (log.model, log.task, log.records) == ("openai/x", "mmlu:subject=law", 2)


def test_trials_are_runs(tmp_path: Path) -> None:
    found = [helm_entry("id1", [helm_stat("exact_match", float(t))], trial=t) for t in (0, 1)]
    samples, _ = read(write_helm(tmp_path, found))
    assert [(s.run, s.scores) for s in samples] == [
        (0, [Score("exact_match", 0.0)]),
        (1, [Score("exact_match", 1.0)]),
    ]


def test_two_values_of_one_metric_are_noted(tmp_path: Path) -> None:
    found = [helm_entry("id1", [helm_stat("em", v)]) for v in (1.0, 0.0)]
    (sample,), log = read(write_helm(tmp_path, found))
    assert sample.scores == [Score("em", 1.0)]
    assert log.notes == {"metric em: two values for one instance and trial, the first kept": 1}


def test_perturbed_instances_are_asked_about(tmp_path: Path) -> None:
    found = [
        helm_entry("id1", [helm_stat("exact_match", 1.0)]),
        helm_entry("id1", [helm_stat("exact_match", 0.0)], perturbation=TYPOS),
    ]
    path = write_helm(tmp_path, found)
    (question,) = run("helm", path, tmp_path / "b").questions
    assert question.text == "1 sample is a perturbed version of other items. How do they count?"
    report = run("helm", path, tmp_path / "b", perturbed="exclude")
    assert verdicts(tmp_path / "b")["item_id"].to_list() == ["id1"]
    assert report.summary["totals"]["dropped"] == {"perturbed instance, left out by choice": 1}
    run("helm", path, tmp_path / "c", perturbed="items", strata=("perturbation",), cluster="instance")
    rows = verdicts(tmp_path / "c").select("item_id", "correct", "flags").rows()
    assert rows == [("id1", True, []), ("id1~typos(prob=0.1)", False, ["perturbed"])]
    items = pl.read_parquet(tmp_path / "c" / "items.parquet")
    assert items.rows() == [("id1", "id1", None), ("id1~typos(prob=0.1)", "id1", "typos(prob=0.1)")]


def test_the_state_gives_questions_failures_and_time(tmp_path: Path) -> None:
    state = {
        "adapter_spec": {"model": "openai/from-state"},
        "request_states": [
            {
                "instance": {"id": "id1", "input": {"text": "Why?"}, "extra_data": {"level": 3}},
                "train_trial_index": 0,
                "result": {"success": False, "request_datetime": 1762354922},
            }
        ],
    }
    path = write_helm(tmp_path, [helm_entry("id1", [helm_stat("em", 1.0)])], model=None, state=state)
    (sample,), log = read(path, "level", "split", "subject")
    assert log.model == "openai/from-state"
    assert log.created == "2025-11-05T15:02:02.000000Z"
    assert sample.flags == ["request_failed"]
    assert sample.keys == {"level": "3", "split": "test", "subject": "law"}
    assert sample.input_hash is not None


def test_a_run_without_its_specification_asks_for_the_model(tmp_path: Path) -> None:
    path = write_helm(tmp_path, [helm_entry("id1", [helm_stat("em", 1.0)])])
    (path.parent / "run_spec.json").unlink()
    report = run("helm", path, tmp_path / "b")
    assert [q.about for q in report.questions] == ["model"]
    run("helm", path, tmp_path / "b", model={"*": "org/m"})
    assert verdicts(tmp_path / "b").select("model", "item_id").rows() == [("org/m", "id1")]


def test_annotators_become_ratings(tmp_path: Path) -> None:
    stats = [helm_stat("safety_gpt_score", 1.0), helm_stat("safety_llama_score", 0.5), helm_stat("em", 1.0)]
    run("helm", write_helm(tmp_path, [helm_entry("id1", stats)]), tmp_path / "b", primary=("em",))
    ratings = pl.read_parquet(tmp_path / "b" / "ratings.parquet").select("rater", "rater_kind", "value")
    assert ratings.rows() == [("safety_gpt_score", "judge", 1.0), ("safety_llama_score", "judge", 0.5)]
