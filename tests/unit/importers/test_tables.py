"""Tables: CSV, JSON Lines, workbooks and Parquet, by contract names or by a mapping file."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from analysis.errors import ConfigError
from analysis.ingest.benchmark import read_benchmark
from analysis.ingest.importers.table_mapping import read_mapping, suggest, suggestion_file
from tests.unit.importers.makers import run, verdicts, write_json, write_lines, write_workbook

CSV = """model,item_id,run,verdict,correct,score,labels,decision,cost_usd,track
a,1,0,correct,true,1,,treat,0.5,x
a,2,0,partial,false,0.5,omission;unsafe,refer,,x
b,1,0,technical_failure,,,,,,x
"""


def test_contract_names_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(CSV)
    run("table", tmp_path / "runs.csv", tmp_path / "b")
    benchmark = read_benchmark(tmp_path / "b")
    rows = benchmark.verdicts.select(
        "model", "item_id", "verdict", "correct", "excluded", "score", "labels"
    ).rows()
    assert rows == [
        ("a", "1", "correct", True, False, 1.0, []),
        ("a", "2", "partial", False, False, 0.5, ["omission", "unsafe"]),
        ("b", "1", "technical_failure", None, True, None, []),
    ]
    assert benchmark.items.select("item_id", "track").rows() == [("1", "x"), ("2", "x")]


def mapped(tmp_path: Path, path: Path, mapping: dict[str, Any], **choices: Any) -> pl.DataFrame:
    run("table", path, tmp_path / "b", mapping=mapping, **choices)
    return verdicts(tmp_path / "b")


MAPPING = {"columns": {"model": "llm", "item_id": "qid", "correct": "ok"}, "metrics": ["f1"]}
ROWS = [
    {"llm": "a", "qid": 1, "ok": True, "f1": 0.5},
    {"llm": "a", "qid": "two", "ok": False, "f1": None},
]
EXPECTED = [("a", "1", True, 0.5), ("a", "two", False, None)]


def test_every_kind_of_file_gives_the_same_rows(tmp_path: Path) -> None:
    csv = tmp_path / "t.csv"
    csv.write_text("llm,qid,ok,f1\na,1,True,0.5\na,two,False,\n")
    semicolons = tmp_path / "t2.csv"
    semicolons.write_text("\ufeffllm;qid;ok;f1\r\na;1;yes;0.5\r\na;two;no;\r\n", encoding="utf-8")
    zipped = tmp_path / "t3.csv.gz"
    zipped.write_bytes(gzip.compress(csv.read_bytes()))
    lines = write_lines(tmp_path / "t.jsonl", ROWS)
    array = write_json(tmp_path / "array.json", ROWS, indent=1)
    workbook = write_workbook(
        tmp_path / "t.xlsx", [["llm", "qid", "ok", "f1"], ["a", 1, True, 0.5], ["a", "two", False, None]]
    )
    parquet = tmp_path / "t.parquet"
    pl.DataFrame(
        {"llm": ["a", "a"], "qid": ["1", "two"], "ok": [True, False], "f1": [0.5, None]}
    ).write_parquet(parquet)
    for number, path in enumerate((csv, semicolons, zipped, lines, array, workbook, parquet)):
        found = mapped(tmp_path / str(number), path, MAPPING)
        assert found.select("model", "item_id", "correct", "f1").rows() == EXPECTED, path.name


def test_records_within_a_document_and_nested_fields(tmp_path: Path) -> None:
    document = {"meta": 1, "data": {"rows": [{"who": {"name": "a"}, "id": 1, "eval": {"ok": 1}}]}}
    path = write_json(tmp_path / "d.json", document)
    mapping = {
        "records": "data.rows",
        "columns": {"model": "who.name", "item_id": "id", "correct": "eval.ok"},
    }
    assert mapped(tmp_path, path, mapping).select("model", "item_id", "correct").rows() == [("a", "1", True)]


def test_other_names_need_a_mapping_and_get_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Model Name,qid,is_correct,latency,note\na,1,1,0.5,x\n")
    report = run("table", tmp_path / "t.csv", tmp_path / "b")
    (suggestion,) = report.mappings.values()
    assert not (tmp_path / "b").exists()
    (tmp_path / "m.yaml").write_text(suggestion)
    mapping = read_mapping(tmp_path / "m.yaml")
    assert mapping.columns == {
        "model": "Model Name",
        "item_id": "qid",
        "correct": "is_correct",
        "latency_s": "latency",
    }
    found = mapped(tmp_path, tmp_path / "t.csv", mapping.model_dump(mode="json", exclude_defaults=True))
    assert found.select("model", "item_id", "correct", "latency_s").rows() == [("a", "1", True, 0.5)]


def test_a_suggestion_says_what_it_could_not_find() -> None:
    columns = ["foo", "bar"]
    text = suggestion_file(columns, suggest(columns))
    assert "# model: which column?" in text
    assert "# item_id: which column?" in text
    assert "# correct (true, false), verdict (text) or score (0 to 1): which column?" in text
    assert yaml.safe_load(text) == {"columns": None}


def test_a_mapping_beside_the_table_is_found(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("llm,qid,ok,f1\na,1,True,0.5\n")
    (tmp_path / "t.mapping.yaml").write_text(yaml.safe_dump(MAPPING))
    report = run("table", tmp_path, tmp_path / "b")
    assert verdicts(tmp_path / "b")["item_id"].to_list() == ["1"]
    assert report.summary["sources"][0]["notes"] == {"mapped by t.mapping.yaml beside it": 1}


def test_a_missing_model_is_asked_for_and_a_constant_answers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item_id,correct\n1,true\n")
    report = run("table", tmp_path / "t.csv", tmp_path / "b")
    assert [q.about for q in report.questions] == ["model"]
    mapping = {"columns": {"item_id": "item_id", "correct": "correct"}, "constants": {"model": "mine"}}
    assert mapped(tmp_path, tmp_path / "t.csv", mapping)["model"].to_list() == ["mine"]


def test_texts_that_are_verdicts_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,item_id,verdict\na,1,solved\na,2,gave up\na,3,solved\n")
    (question,) = run("table", tmp_path / "t.csv", tmp_path / "b").questions
    assert question.text == (
        "The metric verdict has values that are text: 'solved' (2), 'gave up' (1). What does each count?"
    )
    assert question.options[0].flag == (
        "--value 'verdict:solved=1|0|exclude|unscored' --value 'verdict:gave up=1|0|exclude|unscored'"
    )
    run("table", tmp_path / "t.csv", tmp_path / "b", value={"verdict": {"solved": 1.0, "gave up": "exclude"}})
    benchmark = read_benchmark(tmp_path / "b")
    assert benchmark.card.verdicts.succeed == ("solved",)
    assert benchmark.card.verdicts.exclude == ("gave up", "technical_failure")
    assert benchmark.verdicts.select("verdict", "correct", "excluded").rows() == [
        ("solved", True, False),
        ("gave up", None, True),
        ("solved", True, False),
    ]


def test_broken_rows_are_counted_by_reason(tmp_path: Path) -> None:
    lines = [
        b"model,item_id,run,correct",
        b"a,1,0,true",
        b"a,,0,true",
        b"a,2,x,true",
        b"a,3,0,maybe",
        b"a,4,0",
        b"a,5\xff,0,true",
        b"",
        b'a,"6',
    ]
    path = tmp_path / "t.csv"
    path.write_bytes(b"\n".join(lines))
    report = run("table", path, tmp_path / "b")
    (source,) = report.summary["sources"]
    assert source["broken"] == {
        "correct is neither true nor false": 1,
        "record is not UTF-8": 1,
        "record is not as wide as the header": 2,
        "row has no item_id": 1,
        "run is not a whole number from 0": 1,
    }
    assert source["examples"]["correct is neither true nor false"] == ["line 5: maybe"]
    assert source["records"] == source["rows_written"] == 1


def test_columns_that_nothing_reads_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,item_id,correct,comment\na,1,true,x\n")
    report = run("table", tmp_path / "t.csv", tmp_path / "b")
    assert report.summary["sources"][0]["notes"] == {"columns not used: comment": 1}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", b"a,a\n1,2\n", "has two columns named 'a'"),
        ("t.csv", b"", "is empty"),
        ("t.csv", "model,item_id\n".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        ("t.csv", b"model,item_id,correct\n", "holds no rows"),
        ("t.xlsx", b"PK no", "is no readable workbook (File is not a zip file)"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    report = run("table", tmp_path / name, tmp_path / "b")
    assert [r.reason for r in report.refused] == [reason]


def test_a_wrong_mapping_file_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("columns:\n  modell: x\n")
    with pytest.raises(ConfigError, match="modell"):
        read_mapping(path)


def test_a_column_of_the_mapping_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    report = run("table", tmp_path / "t.csv", tmp_path / "x", mapping=MAPPING)
    assert [r.reason for r in report.refused] == ["has no column 'llm' (columns: a, b)"]
