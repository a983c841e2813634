"""Headers, parameters, errors and the files that the runner reads and writes."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

from analysis.errors import VerdictAtlasError
from analysis.queries import find_query, list_queries, read_query, run_query, write_result
from analysis.queries.header import QUERIES
from analysis.queries.run import Engine
from analysis.schemas import TABLES

ENGINES = get_args(Engine)
NAMES = [q.name for q in list_queries()]


def written(folder: Path, text: str, name: str = "own") -> Path:
    path = folder / f"{name}.sql"
    path.write_text(text, encoding="utf-8")
    return path


# What the project's own queries keep to


@pytest.mark.parametrize("name", NAMES)
def test_headers_are_complete_and_true(name: str) -> None:
    query = read_query(find_query(name))
    assert query.title != query.name
    assert re.fullmatch(r"[A-Z].*[.?]", query.answers)
    assert all(re.fullmatch(r"[A-Z].*\.", p.meaning) for p in query.parameters)
    body = re.sub(r"--.*", "", query.sql)
    defined = set(re.findall(r"(\w+) AS \(\s*SELECT", body))
    read = set(re.findall(r"(?:FROM|JOIN)\s+(\w+)", body)) - defined
    assert (
        read - {"parameters"} == set(query.tables) - {"failure_labels"} or name != "labels_by_question_type"
    )
    if name != "labels_by_question_type":  # names failure_labels so that its absence is said
        assert read - {"parameters"} == set(query.tables)
    assert set(query.tables) <= set(TABLES)
    assert ("parameters" in read) == bool(query.parameters)
    used = set(re.findall(r"\bp\.(\w+)", body))
    assert used == {p.name for p in query.parameters}


@pytest.mark.parametrize("name", NAMES)
def test_the_last_clause_puts_the_rows_in_order(name: str) -> None:
    sql = read_query(find_query(name)).sql
    assert re.search(r"\nORDER BY [^()]*(\([^\n]*\))?[^()]*$", sql), sql[-200:]


def test_readme_lists_every_query_in_order() -> None:
    readme = (QUERIES / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", readme, flags=re.M) == NAMES


def test_the_example_of_the_readme_runs(hand_made: Path, tmp_path: Path) -> None:
    readme = (QUERIES / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n?)+", readme, flags=re.M)
    parts = [b for b in blocks if b.lstrip().startswith(("-- title", "SELECT"))]
    path = written(tmp_path, "\n".join(line[4:] for part in parts for line in part.splitlines()))
    found = [run_query(path, hand_made, engine=e, parameters={"model": "alpha"}) for e in ENGINES]
    # alpha's wrong responses are its rows 3, 4, 7 and 8, which is also how long they took.
    assert [f["latency_s"].to_list() for f in found] == [[8.0, 7.0, 4.0, 3.0]] * 2


# Headers


def test_a_header_is_read_to_its_end(tmp_path: Path) -> None:
    text = "\n".join(
        [
            "-- title: T",
            "-- answers: One thing,",
            "--   and another.",
            "-- tables: items, verdicts",
            "-- :whole = 3  A.",
            "-- :number = 0.5  B.",
            "-- :text = plain  C.",
            "-- :spaced = 'two words'  D.",
            "-- :open = null  E.",
            "SELECT 1",
            "-- :late = 1  Not part of the header.",
        ]
    )
    query = read_query(written(tmp_path, text))
    assert (query.title, query.answers, query.tables) == (
        "T",
        "One thing, and another.",
        ("items", "verdicts"),
    )
    assert [(p.name, p.default, p.meaning) for p in query.parameters] == [
        ("whole", 3, "A."),
        ("number", 0.5, "B."),
        ("text", "plain", "C."),
        ("spaced", "two words", "D."),
        ("open", None, "E."),
    ]


def test_a_file_without_header_may_read_every_table(hand_made: Path, tmp_path: Path) -> None:
    path = written(
        tmp_path, "SELECT COUNT(*) AS n FROM items JOIN item_counts ON items.item_id = item_counts.item_id"
    )
    assert [run_query(path, hand_made, engine=e).item() for e in ENGINES] == [6, 6]


# Parameters


@pytest.mark.parametrize("engine", ENGINES)
def test_a_parameter_cannot_become_a_statement(hand_made: Path, engine: Engine) -> None:
    for value in ("x' OR '1'='1", "alpha'; DROP TABLE verdicts; --", "parameters.model"):
        rows = run_query(find_query("flipping_runs"), hand_made, engine=engine, parameters={"model": value})
        assert rows.height == 0
    # A quote in a name is an ordinary character.
    rows = run_query(find_query("flipping_runs"), hand_made, engine=engine, parameters={"model": "o'brien"})
    assert rows["model"].to_list() == ["o'brien"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"topp": 3},
            "hardest_items: no parameter is called 'topp'; did you mean top? (there are: track, top)",
        ),
        ({"top": "many"}, "parameter top: 'many' is not a whole number"),
        ({"top": "2.5"}, "parameter top: '2.5' is not a whole number"),
        ({"top": 10**30}, f"parameter top: '{10**30}' is not a whole number in range"),
    ],
)
def test_wrong_parameters_are_named(hand_made: Path, parameters: dict[str, str], message: str) -> None:
    with pytest.raises(VerdictAtlasError) as error:
        run_query(find_query("hardest_items"), hand_made, parameters=parameters)
    assert str(error.value) == message


@pytest.mark.parametrize("value", ["nan", "inf", "half"])
def test_numbers_are_finite(hand_made: Path, value: str) -> None:
    with pytest.raises(VerdictAtlasError, match=f"^parameter solved_at: '{value}' is not a number"):
        run_query(find_query("disagreements"), hand_made, parameters={"solved_at": value})


# What is not there


def test_an_unknown_query_suggests_its_neighbours() -> None:
    with pytest.raises(VerdictAtlasError) as error:
        find_query("hardest_item")
    assert str(error.value).startswith(
        "no query is called 'hardest_item'; did you mean hardest_items or hardest_clusters? (there are: cost"
    )


def test_an_unknown_benchmark_suggests_its_neighbours(hand_made: Path) -> None:
    with pytest.raises(VerdictAtlasError) as error:
        run_query(find_query("hardest_items"), hand_made.with_name("smal"))
    expected = "no benchmark is called 'smal'; did you mean small? (there are: small): "
    assert str(error.value) == expected + f"{hand_made.with_name('smal')} does not exist"


def test_an_unknown_engine_is_named(hand_made: Path) -> None:
    with pytest.raises(VerdictAtlasError, match=r"^no engine is called 'duck'; did you mean duckdb\? "):
        run_query(find_query("hardest_items"), hand_made, engine="duck")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "table", "message"),
    [
        (
            "labels_by_question_type",
            "failure_labels",
            "has no failure labels: no verdict file has a column labels or failure_label",
        ),
        ("decisive_and_wrong", "decisions", "has no decisions: no verdict file has a column decision"),
        ("rater_pairs", "ratings", "has no ratings: there is no ratings.parquet in {folder}"),
        ("tier_list", "tiers", "has no table tiers: there is no tiers.parquet in {folder}"),
    ],
)
def test_a_missing_table_is_said_in_words(
    hand_made: Path, tmp_path: Path, query: str, table: str, message: str
) -> None:
    folder = tmp_path / "small"
    shutil.copytree(hand_made, folder)
    (folder / f"{table}.parquet").unlink()
    with pytest.raises(VerdictAtlasError) as error:
        run_query(find_query(query), folder)
    assert str(error.value) == f"{query}: benchmark small {message.format(folder=folder)}"


def test_an_empty_table_counts_as_missing(hand_made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    shutil.copytree(hand_made, folder)
    file = folder / "ratings.parquet"
    pl.read_parquet(file, glob=False).clear().write_parquet(file)
    with pytest.raises(VerdictAtlasError) as error:
        run_query(find_query("rater_pairs"), folder)
    assert str(error.value) == "rater_pairs: benchmark small has no ratings: its table ratings is empty"


@pytest.mark.parametrize(("engine", "called"), [("duckdb", "DuckDB"), ("polars", "polars")])
def test_what_the_engine_refuses_is_one_line(
    hand_made: Path, tmp_path: Path, engine: Engine, called: str
) -> None:
    path = written(tmp_path, "-- tables: items\nSELECT nothing FROM items ORDER BY 1")
    with pytest.raises(VerdictAtlasError, match=f"^own: {called} refuses it: [^\n]*nothing[^\n]*$"):
        run_query(path, hand_made, engine=engine)


def test_a_file_that_is_no_select(hand_made: Path, tmp_path: Path) -> None:
    for text in (
        "CREATE TABLE x (y INTEGER)",
        "SELECT 1 AS a; SELECT 2 AS a",
        "COPY items TO 'x.csv'",
        "-- nothing",
    ):
        with pytest.raises(VerdictAtlasError, match=r"^own: is not one SELECT$"):
            run_query(written(tmp_path, text), hand_made)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(VerdictAtlasError, match=r"x\.sql: cannot be read as text"):
        read_query(tmp_path / "x.sql")


# Types and digits


def test_both_engines_give_the_same_types(hand_made: Path, tmp_path: Path) -> None:
    sums = "SUM(run) AS total, COUNT(*) AS n, AVG(latency_s) AS mean, SUM(0.1) AS tenths"
    path = written(tmp_path, f"SELECT model, {sums} FROM verdicts GROUP BY model ORDER BY model")
    first, second = (run_query(path, hand_made, engine=e) for e in ENGINES)
    assert first.schema == second.schema
    assert list(first.schema.values()) == [pl.String, pl.Int64, pl.Int64, pl.Float64, pl.Float64]
    # 0.1 added eight times is 0.7999999999999999 in binary: twelve digits hide how it was added.
    assert first.rows() == second.rows()
    assert first["tenths"].to_list() == [0.7, 0.8, 0.8]


# Files


AWKWARD = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "plain", "a=b", "", None, 'say "hi", you', "<b>"]


def test_csv_holds_no_formula(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"text": AWKWARD, "number": [-1.5] * len(AWKWARD), "list": [["=a", "b"]] * len(AWKWARD)}
    )
    write_result(frame, tmp_path / "new" / "x.csv")
    with (tmp_path / "new" / "x.csv").open(newline="", encoding="utf-8") as stream:
        header, *back = csv.reader(stream)
    assert header == ["text", "number", "list"]
    escaped = ["'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "plain", "a=b", "", "", 'say "hi", you', "<b>"]
    assert [row[0] for row in back] == escaped
    assert {tuple(row[1:]) for row in back} == {("-1.5", "'=a; b")}


def test_parquet_keeps_every_value(tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": AWKWARD, "list": [["=a", "b"]] * len(AWKWARD)})
    write_result(frame, tmp_path / "x.parquet")
    assert pl.read_parquet(tmp_path / "x.parquet").equals(frame)


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VerdictAtlasError) as error:
        write_result(pl.DataFrame({"a": [1]}), tmp_path / "x.xlsx")
    expected = f"{tmp_path / 'x.xlsx'}: the ending says the format; allowed are .csv and .parquet"
    assert str(error.value) == expected
