"""What a person reads when the files of the sessions are wrong: whole messages, and what passes."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analysis.capabilities import OF_SESSIONS, possible_tables
from analysis.errors import DataError
from analysis.ingest.benchmark import Benchmark, read_benchmark
from analysis.planning import find_benchmarks, raw_files
from analysis.sessions.knowledge import OWN
from tests.unit.sessions.worked_example import SESSION, example, rows, write

Files = dict[str, pl.DataFrame]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bench"


def refusal(folder: Path, files: Files) -> str:
    with pytest.raises(DataError) as caught:
        read_benchmark(write(folder, files))
    head, _, rest = str(caught.value).partition("\n")
    assert head.endswith("in benchmark 'bench':")
    return rest


def notes(benchmark: Benchmark, check: str) -> list[str]:
    return benchmark.audit.filter(pl.col("check") == check)["note"].to_list()


def test_a_required_column_is_missing(folder: Path) -> None:
    files = example()
    files["sessions"] = files["sessions"].rename({"t_dx": "tdx"})
    assert refusal(folder, files) == (
        "- sessions/sessions.parquet, column 't_dx': is missing\n"
        "  allowed: required: model, case_id, t_dx\n"
        "  what to do: rename 'tdx'"
    )


def test_values_out_of_bounds(folder: Path) -> None:
    files = example()
    files["sessions"] = rows(
        {**SESSION, "t_dx": 12, "t_max": 10}, {**SESSION, "run": 1, "t_dx": -1, "t_max": 10}
    )
    files["sessions"] = files["sessions"].with_columns(pl.col("run").fill_null(0))
    assert refusal(folder, files) == (
        "- sessions/sessions.parquet, column 't_dx': is below 0\n"
        "  found: '-1'\n"
        "  rows: 1 (first: row 2)\n"
        "  allowed: a whole number of at least 0\n"
        "- sessions/sessions.parquet, column 't_dx': is above t_max\n"
        "  found: '12'\n"
        "  rows: 1 (first: row 1)\n"
        "  allowed: at most t_max; null where no diagnosis was made"
    )


def test_rows_of_a_session_that_is_not_listed(folder: Path) -> None:
    files = example()
    model = pl.when(pl.col("turn") > 2).then(pl.lit("n")).otherwise("model").alias("model")
    files["turns"] = files["turns"].with_columns(model)
    assert refusal(folder, files) == (
        "- sessions/turns.parquet, column 'case_id': belongs to a session that sessions does not list\n"
        "  found: 'n, c1, run 0'\n"
        "  rows: 2 (first: row 3, 4)\n"
        "  allowed: model, case_id and run of a row of sessions"
    )


def test_units_that_the_case_does_not_have(folder: Path) -> None:
    files = example()
    shown = pl.Series([["chest_pain", "fever"], [], ["exertion"], []], dtype=pl.List(pl.String))
    files["turns"] = files["turns"].with_columns(revealed=shown)
    assert refusal(folder, files) == (
        "- sessions/turns.parquet, column 'revealed': reveals units that the case does not have\n"
        "  found: 'fever'\n"
        "  rows: 1 (first: row 1)\n"
        "  allowed: aiu_id of a row of aius with the same case_id"
    )


def test_words_that_are_not_allowed(folder: Path) -> None:
    files = example()
    files["violations"] = rows({"kind": "overdose", "severity": "major", "drug": "a"}, **SESSION)
    assert refusal(folder, files) == (
        "- sessions/violations.parquet, column 'kind': is not one of the words that are allowed\n"
        "  found: 'overdose'\n"
        "  rows: 1 (first: row 1)\n"
        "  allowed: contraindication, interaction, dose, route, profile_conflict, missing_component"
    )


def test_repeated_keys(folder: Path) -> None:
    files = example()
    files["gold"] = pl.concat([files["gold"], files["gold"].head(1)])
    assert refusal(folder, files) == (
        "- sessions/gold.parquet: rows repeat an earlier (case_id, diagnosis)\n"
        "  found: 'c1, angina'\n"
        "  rows: 1 (first: row 3)\n"
        "  allowed: one row per case_id and diagnosis\n"
        "  what to do: keep one of the rows"
    )


def test_a_file_that_nothing_reads(folder: Path) -> None:
    files = {**example(), "turn": example()["turns"]}
    assert refusal(folder, files) == (
        "- sessions/turn.parquet: is no file of the sessions\n"
        "  allowed: sessions, turns, cases, aius, precedence, gold, differentials, regimens, violations, "
        "followups, adaptations, judgements, systems, knowledge.yaml\n"
        "  what to do: rename it to turns.parquet"
    )


def test_no_list_of_sessions(folder: Path) -> None:
    files = example()
    del files["sessions"]
    assert refusal(folder, files).startswith("- sessions/: holds no list of the sessions\n")


def test_beliefs_that_are_no_probabilities(folder: Path) -> None:
    files = example()
    files["turns"] = files["turns"].with_columns(
        belief_before=pl.Series([[0.5, 0.5], [0.5, 0.6], [0.5, 0.5], [1.0]]),
        belief_after=pl.Series([[0.5, 0.5], [0.5, 0.5], [1.5, -0.5], [0.5, 0.5]]),
        information_gain=None,
    )
    assert refusal(folder, files) == (
        "- sessions/turns.parquet, column 'belief_before': is no probability distribution\n"
        "  found: '0.5, 0.6'\n"
        "  rows: 1 (first: row 2)\n"
        "  allowed: probabilities of at least 0 that sum to 1\n"
        "- sessions/turns.parquet, column 'belief_after': is no probability distribution\n"
        "  found: '1.5, -0.5'\n"
        "  rows: 1 (first: row 3)\n"
        "  allowed: probabilities of at least 0 that sum to 1\n"
        "- sessions/turns.parquet, column 'belief_after': differs in length from belief_before\n"
        "  found: '[0.5, 0.5]'\n"
        "  rows: 1 (first: row 4)\n"
        "  allowed: the same diagnoses in both"
    )


def test_a_gain_that_contradicts_the_beliefs(folder: Path) -> None:
    files = example()
    certain = pl.lit([1.0, 0.0])
    files["turns"] = files["turns"].with_columns(belief_before=pl.lit([0.5, 0.5]), belief_after=certain)
    files["turns"] = files["turns"].with_columns(information_gain=pl.Series([1.0, 0.693, 1.0, 1.0]))
    assert refusal(folder, files) == (
        "- sessions/turns.parquet, column 'information_gain': contradicts the beliefs\n"
        "  found: '0.693'\n"
        "  rows: 1 (first: row 2)\n"
        "  allowed: entropy of belief_before minus that of belief_after, in bits, or no beliefs"
    )


def test_one_quality_alone(folder: Path) -> None:
    files = example()
    files["adaptations"] = rows({"satisfied": True, "quality_before": 0.5, "quality_after": None}, **SESSION)
    files["adaptations"] = files["adaptations"].with_columns(pl.col("quality_after").cast(pl.Float64))
    assert "column 'quality_after': stands without the other quality" in refusal(folder, files)


@pytest.mark.parametrize(
    ("stem", "column", "values", "message"),
    [
        ("turns", "revealed", [1.5] * 4, "holds no lists"),
        ("turns", "turn", [1, 2, 3, None], "is null"),
        ("turns", "turn", [1.0, 2.0, 3.5, 4.0], "is not a whole number"),
        ("turns", "information_gain", [0.1, float("nan"), 0.0, 0.0], "is not finite"),
        ("aius", "weight", [1, 1, 1, 1, -1], "is negative"),
        ("aius", "red_flag", ["yes", "no", "no", "no", "no"], "is not a truth value"),
        ("gold", "diagnosis", ["a", None], "is null"),
        ("differentials", "rank", [0, 1, 2], "is below 1"),
        ("precedence", "before", ["aggravating", "x", "y"], "comes before itself"),
    ],
)
def test_values_that_are_refused(
    folder: Path, stem: str, column: str, values: list[object], message: str
) -> None:
    files = example()
    files[stem] = files[stem].with_columns(pl.Series(column, values, strict=False))
    place = f"- sessions/{stem}.parquet, column {column!r}: {message}"
    assert place in refusal(folder, files)


def test_the_knowledge_base_is_refused_with_its_key(folder: Path) -> None:
    write(folder, {**example(), "regimens": rows({"drug": "a"}, **SESSION)})
    (folder / "sessions" / "knowledge.yaml").write_text("drugs: []\nrules: []\n")
    with pytest.raises(DataError) as caught:
        read_benchmark(folder)
    assert "knowledge.yaml, key 'rules': is not a known key" in str(caught.value)


def test_a_lenient_reading_sets_rows_aside(folder: Path) -> None:
    files = example()
    model = pl.when(pl.col("turn") > 2).then(pl.lit("n")).otherwise("model").alias("model")
    files["turns"] = files["turns"].with_columns(model)
    files["gold"] = pl.concat([files["gold"], files["gold"].head(1)])
    benchmark = read_benchmark(write(folder, files), lenient=True)
    assert benchmark.sessions["session_turns"]["turn"].to_list() == [1, 2]
    assert benchmark.sessions["session_gold"].height == 2
    assert benchmark.quarantine.select("file", "row").rows() == [
        ("sessions/gold.parquet", 3),
        ("sessions/turns.parquet", 3),
        ("sessions/turns.parquet", 4),
    ]


def test_sessions_alone_are_a_benchmark(folder: Path) -> None:
    files = example()
    files["sessions"] = rows(*({**SESSION, "model": m, "t_dx": 4, "t_max": 10} for m in "mnop"))
    files["differentials"] = pl.concat(
        [
            files["differentials"],
            rows(
                {"diagnosis": "angina", "rank": 1},
                {"diagnosis": "gerd", "rank": 2},
                **{**SESSION, "model": "n"},
            ),
            rows(
                {"diagnosis": "angina", "rank": 1},
                {"diagnosis": "gerd", "rank": 1},
                **{**SESSION, "model": "o"},
            ),
        ]
    )
    benchmark = read_benchmark(write(folder, files))
    assert benchmark.verdicts.select("model", "item_id", "run", "verdict", "correct", "score").rows() == [
        ("m", "c1", 0, "incorrect", False, 0.0),
        ("n", "c1", 0, "correct", True, 1.0),
        ("o", "c1", 0, "partial", False, 0.5),
        ("p", "c1", 0, "incorrect", False, 0.0),
    ]
    assert notes(benchmark, "verdicts_from_sessions") == [
        "4 verdicts made from the sessions: correct where the first diagnosis is a core one"
    ]
    assert find_benchmarks(folder.parent) == ["bench"]
    assert set(OF_SESSIONS) <= set(possible_tables(folder, None))
    assert [Path(f).name for f in raw_files(folder)] == [f"{stem}.parquet" for stem in sorted(files)]


def test_a_case_without_core_diagnosis_is_unscored(folder: Path) -> None:
    files = example()
    files["gold"] = files["gold"].with_columns(core=pl.lit(False))
    benchmark = read_benchmark(write(folder, files))
    assert benchmark.verdicts.select("verdict", "correct", "score").row(0) == (None, None, None)
    assert notes(benchmark, "verdicts_from_sessions")[0].endswith("; 1 unscored")


def test_no_verdicts_can_be_made_without_differentials(folder: Path) -> None:
    files = example()
    del files["differentials"]
    with pytest.raises(DataError) as caught:
        read_benchmark(write(folder, files))
    assert (
        "- sessions/: the benchmark has no verdicts, and none can be made from the sessions without "
        in str(caught.value)
    )


def test_verdicts_that_the_card_does_not_have(folder: Path) -> None:
    write(folder, example())
    (folder / "benchmark.yaml").write_text("verdicts: {order: [wrong, correct], succeed: [correct]}\n")
    with pytest.raises(DataError) as caught:
        read_benchmark(folder)
    assert "does not have 'incorrect', a verdict that is made from the sessions" in str(caught.value)


def test_own_verdicts_count_beside_sessions(folder: Path) -> None:
    write(folder, example())
    verdicts = pl.DataFrame({"model": ["m", "m"], "item_id": ["c1", "c2"], "correct": [True, False]})
    verdicts.write_parquet(folder / "verdicts.parquet")
    benchmark = read_benchmark(folder)
    assert benchmark.verdicts["correct"].to_list() == [True, False]
    assert notes(benchmark, "verdicts_from_sessions") == []


def test_a_benchmark_without_sessions_has_no_tables_of_them(folder: Path) -> None:
    folder.mkdir()
    pl.DataFrame({"model": ["m"], "item_id": ["x"], "correct": [True]}).write_parquet(
        folder / "verdicts.parquet"
    )
    assert not set(OF_SESSIONS) & set(possible_tables(folder, None))
    assert read_benchmark(folder).sessions == {}


def test_the_critic_runs_only_where_no_violations_were_delivered(folder: Path) -> None:
    files = example()
    files["regimens"] = rows({"drug": "warfarin"}, {"drug": "ibuprofen"}, **SESSION)
    write(folder, files)
    (folder / "sessions" / "knowledge.yaml").write_text(OWN.read_text())
    found = read_benchmark(folder)
    assert found.sessions["session_violations"]["rule"].to_list() == ["I01", "N06"]
    assert notes(found, "critic_violations") == ["2 violations found by the safety critic"]
    assert notes(found, "critic_dose_not_given") == ["ibuprofen: 1 line without a dose: dose not checked"]
    assert "sessions/knowledge.yaml" in found.inputs
    write(folder, {"violations": rows({"kind": "dose", "severity": "minor", "drug": "x"}, **SESSION)})
    delivered = read_benchmark(folder)
    assert delivered.sessions["session_violations"]["kind"].to_list() == ["dose"]
    assert len(notes(delivered, "critic_not_run")) == 1


def test_integer_identifiers_join_as_text(folder: Path) -> None:
    files = {
        stem: frame.with_columns(case_id=pl.lit(7)) if "case_id" in frame.columns else frame
        for stem, frame in example().items()
    }
    files["turns"] = files["turns"].with_columns(case_id=pl.lit("7"))
    assert read_benchmark(write(folder, files)).sessions["session_turns"]["case_id"].unique().to_list() == [
        "7"
    ]


def test_a_differential_without_t_dx_is_counted(folder: Path) -> None:
    files = example()
    files["sessions"] = files["sessions"].with_columns(pl.lit(None, dtype=pl.Int64).alias("t_dx"))
    n = files["sessions"].height
    found = notes(read_benchmark(write(folder, files)), "differentials_without_t_dx")
    assert found == [f"{n} session with a differential although t_dx says that no diagnosis was made"]


def test_a_table_in_another_format_and_repeated_nulls(folder: Path) -> None:
    files = example()
    files["differentials"] = files["differentials"].with_columns(
        pl.lit(None, dtype=pl.String).alias("diagnosis")
    )
    write(folder, files)
    (folder / "sessions" / "systems.csv").write_text("model\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_benchmark(folder)
    assert "write it as Parquet: systems.parquet" in str(caught.value)
    assert "'m, c1, run 0, null'" in str(caught.value)


def test_sessions_of_which_no_verdict_can_be_made(folder: Path) -> None:
    files = {stem: frame for stem, frame in example().items() if stem in ("sessions", "turns", "aius")}
    assert "none can be made from the sessions without gold" in refusal(folder, files)
