"""Every real log of other tools: the counts and means of the reference, or the right refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.ingest.benchmark import read_benchmark
from tests.unit.importers.makers import run, verdicts

FORMATS = {"inspect": "inspect", "lm_eval": "lm-eval", "helm": "helm", "openai_evals": "openai-evals"}
NO_SAMPLES = (
    "holds no samples (status {}); a log with aggregated results only gives no verdicts, "
    "so log the samples too"
)
REFUSED = {
    "log_invalid.json": "is not JSON (it ends in the middle: truncated?)",
    "log_with_nan.json": NO_SAMPLES.format("success"),
    "tests__analysis__test_logs__2025-05-12T20-28-13-04-00_no-samples.json": NO_SAMPLES.format("cancelled"),
}


@pytest.fixture(scope="module")
def native(data_dir: Path) -> Path:
    folder = data_dir / "native"
    if not folder.is_dir():
        pytest.skip("no native logs beside the real evaluation results")
    return folder


Imported = dict[str, tuple[dict[str, Any], Path]]


@pytest.fixture(scope="module")
def reference(native: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((native / "reference.json").read_text())
    assert len(data) == 15
    return data


@pytest.fixture(scope="module")
def imported(native: Path, reference: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """Every file of the reference, imported on its own with its first scorer as the primary metric."""
    found = {}
    for name, wanted in reference.items():
        folder = tmp_path_factory.mktemp("native") / "b"
        primary = next(iter(wanted["scorers"]))
        report = run(
            FORMATS[name.split("/")[0]],
            native / name,
            folder,
            primary=(primary,),
            graded=(primary,),
            model={"*": "a/model"},
        )
        assert report.questions == []
        assert report.refused == []
        found[name] = (report.summary, folder)
    return found


def test_every_file_has_the_counts_and_means_of_the_reference(
    reference: dict[str, Any], imported: Imported
) -> None:
    for name, wanted in reference.items():
        found = {m["metric"]: m for m in imported[name][0]["metrics"]}
        for scorer, facts in wanted["scorers"].items():
            assert found[scorer]["n"] == facts["n"], (name, scorer)
            assert found[scorer]["unscored"] == facts["unscored"], (name, scorer)
            assert found[scorer]["mean"] == pytest.approx(facts["mean"], abs=1e-12), (name, scorer)
        assert sum(f["n"] for f in wanted["scorers"].values()) == wanted["n"]


def test_the_verdict_rows_have_the_mean_of_the_reference(
    reference: dict[str, Any], imported: Imported
) -> None:
    for name, wanted in reference.items():
        facts = next(iter(wanted["scorers"].values()))
        rows = verdicts(imported[name][1])
        column = "score" if "score" in rows.columns else "correct"
        assert rows[column].drop_nulls().len() == facts["n"] - facts["unscored"]
        expected = None if facts["mean"] is None else pytest.approx(facts["mean"], abs=1e-12)
        assert rows[column].mean() == expected, name


def test_files_without_samples_are_refused_by_name(native: Path, tmp_path: Path) -> None:
    for number, (name, reason) in enumerate(REFUSED.items()):
        report = run("inspect", native / "inspect" / name, tmp_path / str(number))
        assert [(r.name, r.reason) for r in report.refused] == [(name, reason)]
        assert not (tmp_path / str(number)).exists()


def test_everything_at_once_is_a_valid_benchmark(native: Path, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    report = run(
        "auto", native, folder, primary=("exact_match", "bleu_acc"), model={"*truthfulqa*": "some/model"}
    )
    assert report.questions == []
    assert sorted(r.name for r in report.refused) == sorted(REFUSED)
    benchmark = read_benchmark(folder)
    assert benchmark.verdicts.height == report.summary["totals"]["rows_written"] == 469
    by_track = dict(benchmark.items.group_by("track").len().iter_rows())
    assert by_track["popularity"] == 100
    assert by_track["mmlu:subject=philosophy,method=multiple_choice_joint"] == 10
    correct = {m["model"]: m["correct"] for m in report.summary["models"]}
    assert correct["openai/gpt-5"] == 52
    assert correct["google/gemini-2.5-pro"] == 66


def test_a_log_with_zstd_members_is_read(native: Path, tmp_path: Path) -> None:
    name = "tests___helpers__fixtures__legacy__retry-2-then-success.eval"
    report = run("inspect", native / "inspect" / name, tmp_path / "b")
    assert report.refused == []
    assert report.summary["totals"]["rows_written"] == 1
    assert report.summary["totals"]["unscored"] == 1


def test_tokens_of_real_logs_add_up_to_what_the_tool_states(native: Path, tmp_path: Path) -> None:
    pattern = "log-sets__set__2025-09-15T15-02-26-04-00_popularity_*.eval"
    run("inspect", sorted((native / "inspect").glob(pattern)), tmp_path / "b")
    rows = verdicts(tmp_path / "b")
    totals = {
        model: (read, written)
        for model, read, written in rows.group_by("model")
        .agg(pl.col("input_tokens").sum(), pl.col("output_tokens").sum())
        .iter_rows()
    }
    # stats.model_usage of the logs' headers: total = read + written, reasoning included.
    assert totals["openai/gpt-5"] == (5955, 29244)
    assert totals["anthropic/claude-sonnet-4-20250514"] == (5703, 400)
    assert sum(totals["google/gemini-2.5-pro"]) == 68456
