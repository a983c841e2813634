"""Gold with its lock, dictionaries with their schema, responses, and the folder that the command writes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from analysis.config import read_card
from analysis.errors import ConfigError, DataError
from analysis.ingest.benchmark import read_benchmark
from analysis.scoring.odbb import (
    Dictionaries,
    Gold,
    Scorer,
    ScorerConfig,
    load_dictionaries,
    load_gold,
    read_scorer_config,
    write_lock,
)
from analysis.scoring.odbb.__main__ import main
from analysis.scoring.odbb.dictionaries import FOLDER, N_AGENTS
from analysis.scoring.odbb.files import read_responses
from tests.unit.scoring.conftest import EXAMPLE

# What the example responses come to, worked out by hand from the gold corpus.
EXPECTED = {
    ("careful-model", "ex-pod-01"): ("correct", []),
    ("bold-model", "ex-pod-01"): ("incorrect", ["F3"]),
    ("careful-model", "ex-pod-02"): ("correct", []),
    ("bold-model", "ex-pod-02"): ("partial", ["F4"]),
    ("careful-model", "ex-pod-03"): ("correct", []),
    ("bold-model", "ex-pod-03"): ("incorrect", ["F1"]),
    ("careful-model", "ex-pod-07"): ("correct", []),
    ("bold-model", "ex-pod-07"): ("partial", ["F3"]),
    ("careful-model", "ex-mir-01"): ("correct", []),
    ("bold-model", "ex-mir-01"): ("incorrect", ["F3"]),
    ("careful-model", "ex-err-01"): ("correct", []),
    ("bold-model", "ex-err-01"): ("incorrect", ["F3", "F10"]),
    ("careful-model", "ex-ighr-01"): ("incorrect", ["F5", "F6"]),
    ("bold-model", "ex-ighr-01"): ("correct", []),
    ("careful-model", "ex-urd-04"): ("incorrect", ["F7"]),
    ("bold-model", "ex-urd-04"): ("correct", []),
    ("careful-model", "ex-spd-02"): ("incorrect", ["F7"]),
    ("bold-model", "ex-spd-02"): ("technical_failure", ["T2"]),
    ("careful-model", "ex-crc-01"): ("correct", []),
    ("bold-model", "ex-crc-01"): ("partial", ["F13", "F14", "F16"]),
    ("careful-model", "ex-crc-06"): ("correct", []),
    ("bold-model", "ex-crc-06"): ("incorrect", ["F14"]),
    ("careful-model", "ex-crc-08"): ("incorrect", ["F14"]),
    ("bold-model", "ex-crc-08"): ("incorrect", ["F14", "F16"]),
    ("careful-model", "ex-crc-11"): ("incorrect", ["F11", "F14"]),
    ("bold-model", "ex-crc-11"): ("technical_failure", ["T1"]),
    ("careful-model", "ex-crc-12"): ("correct", []),
    ("bold-model", "ex-crc-12"): ("technical_failure", ["T2"]),
}


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw") / "example"
    arguments = [str(EXAMPLE), str(EXAMPLE / "responses.jsonl"), "--out", str(folder)]
    assert main([*arguments, "--synthetic", "Made up."]) == 0
    return folder


def test_the_example_comes_to_what_was_worked_out_by_hand(scored: Path) -> None:
    rows = pl.read_parquet(scored / "verdicts.parquet").iter_rows(named=True)
    assert {(r["model"], r["item_id"]): (r["verdict"], r["labels"]) for r in rows} == EXPECTED


def test_the_example_shows_the_flags(scored: Path) -> None:
    rows = pl.read_parquet(scored / "verdicts.parquet").filter(pl.col("flags").list.len() > 0)
    flags = {(r["model"].split("-")[0], r["item_id"]): r["flags"] for r in rows.iter_rows(named=True)}
    assert flags[("careful", "ex-mir-01")] == ["acknowledges_data_conflict", "reasoning_has_gold_step"]
    assert flags[("careful", "ex-ighr-01")] == ["reasoning_has_gold_step"]
    assert flags[("bold", "ex-pod-07")] == ["contradictory_output"]
    assert flags[("careful", "ex-urd-04")] == ["polarity_conflict"]
    assert flags[("careful", "ex-crc-11")] == ["unknown_drug"]
    assert flags[("bold", "ex-mir-01")] == ["repaired"]


def test_the_folder_is_a_raw_benchmark(scored: Path) -> None:
    benchmark = read_benchmark(scored)
    assert benchmark.verdicts.height == len(EXPECTED)
    assert benchmark.items.height == 40
    card = read_card(scored / "benchmark.yaml")
    assert card.synthetic == "Made up."
    assert card.hard_labels == ("F1", "F3")


def test_every_verdict_has_a_trail_that_ends_in_it(scored: Path) -> None:
    trail = pl.read_parquet(scored / "audit_trail.parquet")
    last = trail.sort("step").group_by("model", "item_id", "run").last()
    verdicts = pl.read_parquet(scored / "verdicts.parquet")
    joined = verdicts.join(last, on=["model", "item_id", "run"], how="left")
    assert (joined["verdict"] == joined["outcome"]).all()
    labels = trail.filter(pl.col("phase") == "labels").group_by("model", "item_id").agg("field")
    named = verdicts.filter(pl.col("labels").list.len() > 0).join(labels, on=["model", "item_id"], how="left")
    assert (named["labels"] == named["field"]).all()


def test_the_trail_shows_slot_and_threshold(scored: Path) -> None:
    trail = pl.read_parquet(scored / "audit_trail.parquet")
    one = trail.filter((pl.col("model") == "careful-model") & (pl.col("item_id") == "ex-mir-01"))
    slot = one.filter(pl.col("field") == "slot").row(0, named=True)
    assert (slot["found"], slot["expected"], slot["value"], slot["threshold"], slot["outcome"]) == (
        "KRAS/NRAS status",
        "RAS mutation status",
        1.0,
        0.5,
        "found",
    )


def test_the_command_gives_the_same_bytes_in_another_process(scored: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "analysis.scoring.odbb", str(EXAMPLE), str(EXAMPLE / "responses.jsonl")]
    subprocess.run(
        [*command, "--out", str(tmp_path / "example"), "--synthetic", "Made up."],
        check=True,
        capture_output=True,
    )
    for file in scored.iterdir():
        assert file.read_bytes() == (tmp_path / "example" / file.name).read_bytes(), file.name


def test_the_order_of_the_lines_does_not_matter(gold: Gold, dictionaries: Dictionaries) -> None:
    responses, _ = read_responses(EXAMPLE / "responses.jsonl", gold)
    keys = ["model", "item_id"]
    forward = Scorer(gold, dictionaries, ScorerConfig()).score(responses)
    backward = Scorer(gold, dictionaries, ScorerConfig()).score(responses.reverse())
    assert forward.verdicts.sort(keys).equals(backward.verdicts.sort(keys))
    assert forward.trail.sort(*keys, "step").equals(backward.trail.sort(*keys, "step"))


def gold_folder(tmp_path: Path, lines: list[str]) -> Path:
    (tmp_path / "gold.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_lock(tmp_path)
    return tmp_path


def test_a_changed_gold_file_does_not_fit_its_lock(tmp_path: Path, dictionaries: Dictionaries) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "gold")
    path = tmp_path / "gold" / "gold.jsonl"
    path.write_text(path.read_text().replace("palliative", "curative", 1))
    with pytest.raises(DataError, match=r"gold.jsonl: does not fit its lock"):
        load_gold(tmp_path / "gold", dictionaries)
    assert main([str(tmp_path / "gold"), "--lock"]) == 0
    assert load_gold(tmp_path / "gold", dictionaries).items["ex-crc-01"].intent == "curative"


def test_gold_without_a_lock_is_refused(tmp_path: Path, dictionaries: Dictionaries) -> None:
    (tmp_path / "gold.jsonl").write_text("{}")
    with pytest.raises(DataError, match=r"gold.sha256: is missing"):
        load_gold(tmp_path, dictionaries)
    (tmp_path / "gold.sha256").write_text("nonsense")
    with pytest.raises(DataError, match=r"gold.sha256: does not hold '<sha256>  gold.jsonl'"):
        load_gold(tmp_path, dictionaries)


NCCN = {"item_id": "a", "track": "NCCN", "question_type": "q", "decision": "stop_missing_info"}
CASE = {"item_id": "b", "track": "CRC", "regimen": ["FOLFOX"], "intent": "palliative"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], r"gold.jsonl: is not JSON"),
        ([json.dumps(NCCN)], r"gold.jsonl, field 'slots': is empty on an item to stop at"),
        (
            [json.dumps(NCCN | {"decision": "proceed_with_treatment"})],
            "field 'steps': is empty on an item to pro",
        ),
        (
            [json.dumps(CASE), json.dumps(CASE)],
            r"field 'item_id': stands twice\n  found: 'b'\n  rows: 1 \(first: row 2\)",
        ),
        (
            [json.dumps(CASE | {"regimen": ["oncodrugimab"]})],
            "field 'regimen': is not in the drug dictionary\n  found: 'oncodrugimab'",
        ),
        (
            [json.dumps(CASE | {"regimem": 1})],
            "field 'CRC.regimem|field 'regimem': Extra inputs are not permitted",
        ),
        ([json.dumps(CASE | {"track": "XYZ"})], "field 'track': Input tag 'XYZ'"),
        ([""], "gold.jsonl: holds no item"),
    ],
)
def test_faults_of_the_gold_are_named(
    lines: list[str], message: str, tmp_path: Path, dictionaries: Dictionaries
) -> None:
    with pytest.raises(DataError, match=message):
        load_gold(gold_folder(tmp_path, lines), dictionaries)


def response_file(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "responses.jsonl"
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines), encoding="utf-8")
    return path


GOOD = {"model": "m", "item_id": "ex-pod-01", "response": "{}"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", r"responses.jsonl: is not JSON"),
        ("[1]", r"responses.jsonl: is not a JSON object"),
        ({"item_id": "ex-pod-01", "response": ""}, r"responses.jsonl: has no model"),
        ({"model": "m", "response": ""}, r"responses.jsonl: has no item_id"),
        (GOOD | {"run": "first"}, r"responses.jsonl: has a run that is not an integer"),
        (
            GOOD | {"item_id": "elsewhere"},
            r"responses.jsonl: names an item without gold\n  found: 'elsewhere'",
        ),
        (GOOD, r"responses.jsonl: repeats an earlier \(model, item_id, run\)"),
    ],
)
def test_lines_that_belong_to_no_item_are_refused_or_set_aside(
    line: object, message: str, tmp_path: Path, gold: Gold
) -> None:
    path = response_file(tmp_path, GOOD, line)
    with pytest.raises(DataError, match=message):
        read_responses(path, gold)
    kept, aside = read_responses(path, gold, lenient=True)
    assert (kept.height, aside.height) == (1, 1)
    assert aside["line"].to_list() == [2]


def test_responses_may_be_json_and_carry_resources(tmp_path: Path, gold: Gold) -> None:
    path = response_file(
        tmp_path,
        {"model": "m", "item": "ex-pod-01", "output": {"decision": "stop", "needs": []}, "cost_usd": 0.5},
        {"model": "m", "item_id": "ex-pod-01", "run": 1, "response": None, "cost_usd": -1},
    )
    frame, _ = read_responses(tmp_path, gold)
    assert frame["response"].to_list() == ['{"decision":"stop","needs":[]}', None]
    assert frame["cost_usd"].to_list() == [0.5, None]
    assert frame.columns == ["model", "item_id", "run", "cost_usd", "response"]
    assert path.exists()


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = response_file(tmp_path, GOOD | {"item_id": "elsewhere"})
    assert main([str(EXAMPLE), str(path), "--out", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err
    assert "names an item without gold" in error
    assert "Traceback" not in error
    assert not (tmp_path / "out").exists()


def test_lenient_lines_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = response_file(tmp_path, GOOD, "nonsense")
    assert main([str(EXAMPLE), str(path), "--out", str(tmp_path / "out"), "--lenient"]) == 0
    assert "1 lines set aside" in capsys.readouterr().out
    assert pl.read_parquet(tmp_path / "out" / "set_aside.parquet")["reason"].to_list() == ["is not JSON"]


def test_thresholds_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scorer.yaml"
    path.write_text("path_overlap: 0.5\n")
    assert read_scorer_config(path).path_overlap == 0.5
    assert read_scorer_config(None) == ScorerConfig()
    path.write_text("path_overlep: 0.5\n")
    with pytest.raises(ConfigError, match="did you mean 'path_overlap'"):
        read_scorer_config(path)


def test_a_threshold_changes_the_verdict(gold: Gold, dictionaries: Dictionaries) -> None:
    text = json.dumps({"decision": "stop_missing_info", "needs": ["HER2 status", "a", "b", "c", "d"]})
    frame = pl.DataFrame({"model": ["m"], "item_id": ["ex-pod-07"], "run": [0], "response": [text]})
    # One of five needs and one of three slots: F1 = 2 / 8.
    strict = Scorer(gold, dictionaries, ScorerConfig()).score(frame).verdicts
    loose = Scorer(gold, dictionaries, ScorerConfig(slot_correct=0.25)).score(frame).verdicts
    assert strict.select("verdict", "score").row(0) == ("partial", 0.25)
    assert loose.select("verdict", "score").row(0) == ("correct", 0.25)


def test_the_drug_dictionary_has_43_entries(dictionaries: Dictionaries) -> None:
    assert len(dictionaries.drugs.agents) == N_AGENTS == 43
    assert {a.drug_class for a in dictionaries.drugs.agents.values()} == set(dictionaries.drugs.families)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "fields.yaml",
            "need, needed,",
            "need, reasons, needed,",
            "'reasons' stands for both 'needs' and 'reasoning'",
        ),
        (
            "labels.yaml",
            "F2: { reserved: true,",
            "F2: { reserved: true, trigger: false_stop,",
            "F2 is reserved and may not have the trigger",
        ),
        ("labels.yaml", "trigger: wrong_route,", "", "F7 has no trigger and is not reserved"),
        ("drugs.yaml", "class: taxane", "class: taxoid", "class 'taxoid' of 'paclitaxel' has no family"),
        (
            "drugs.yaml",
            "folfiri: [5-fu, irinotecan]",
            "folfiri: [5-fu, irinotecam]",
            "backbone 'folfiri' names the unknown agent 'irinotecam'",
        ),
        (
            "drugs.yaml",
            "aliases: [xeloda, cape]",
            "aliases: [xeloda, avastin]",
            "'avastin' stands for both 'capecitabine' and 'bevacizumab'",
        ),
        ("language.yaml", "stopwords:", "stopword:", "did you mean 'stopwords'"),
    ],
)
def test_faults_of_the_dictionaries_are_named(
    file: str, old: str, new: str, message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "dictionaries"
    shutil.copytree(FOLDER, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        load_dictionaries(folder)


def test_phrases_hold_no_word_that_splits_a_step(dictionaries: Dictionaries) -> None:
    """Steps are split at directives and clause words; a phrase across a split would be lost."""
    language = dictionaries.language
    splitting = language.directives | language.clause_words
    for canonical, variants in dictionaries.slots.phrases.items():
        for phrase in (canonical, *variants):
            assert splitting.isdisjoint(phrase.split()), phrase
