"""What the raw contract admits, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis.ingest.benchmark import Benchmark, read_benchmark

BASE = {
    "model": ["a", "a", "b", "b"],
    "item_id": ["1", "2", "1", "2"],
    "correct": [True, False, True, True],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "bench"
    path.mkdir()
    return path


def read(folder: Path, frame: pl.DataFrame, card: str = "", *, lenient: bool = False) -> Benchmark:
    frame.write_parquet(folder / "verdicts.parquet")
    if card:
        (folder / "benchmark.yaml").write_text(card)
    return read_benchmark(folder, lenient=lenient)


def notes(benchmark: Benchmark, check: str) -> list[str]:
    return benchmark.audit.filter(pl.col("check") == check)["note"].to_list()


@pytest.mark.parametrize(
    "recode",
    [
        pl.col("correct").cast(pl.Int8),
        pl.col("correct").cast(pl.Float64),
        pl.col("correct").cast(pl.String),
        pl.col("correct").cast(pl.String).cast(pl.Categorical),
        pl.col("model").cast(pl.Categorical),
        pl.col("model").cast(pl.Enum(["a", "b"])),
        pl.col("model").cast(pl.Binary),
        pl.col("item_id").cast(pl.Int64),
        pl.col("item_id").cast(pl.UInt8),
        pl.lit(0).cast(pl.Int16).alias("run"),
    ],
)
def test_encodings_give_the_same_table(folder: Path, tmp_path: Path, recode: pl.Expr) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    expected = read(plain, pl.DataFrame(BASE))
    found = read(folder, pl.DataFrame(BASE).with_columns(recode))
    assert_frame_equal(found.verdicts, expected.verdicts)
    assert_frame_equal(found.items, expected.items)


def test_parts_hive_folders_and_column_order_give_the_same_table(folder: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    expected = read(plain, pl.DataFrame(BASE))
    frame = pl.DataFrame(BASE)
    for model in ("a", "b"):
        for part in (0, 1):
            out = folder / "verdicts" / f"model={model}" / f"part-{part}.parquet"
            out.parent.mkdir(parents=True, exist_ok=True)
            rows = frame.filter(pl.col("model") == model).slice(part, 1).drop("model")
            rows.select(sorted(rows.columns, reverse=part == 1)).write_parquet(out)
    assert_frame_equal(read_benchmark(folder).verdicts, expected.verdicts)


def test_hive_values_are_decoded(folder: Path) -> None:
    out = folder / "verdicts" / "model=org%2Fname" / "part.parquet"
    out.parent.mkdir(parents=True)
    pl.DataFrame({"item_id": ["1"], "correct": [True]}).write_parquet(out)
    assert read_benchmark(folder).verdicts["model"].to_list() == ["org/name"]


def test_integer_and_text_ids_join_and_the_report_is_told(folder: Path) -> None:
    (folder / "verdicts").mkdir()
    frame = pl.DataFrame(BASE)
    frame.filter(model="a").write_parquet(folder / "verdicts" / "a.parquet")
    frame.filter(model="b").cast({"item_id": pl.Int32}).write_parquet(folder / "verdicts" / "b.parquet")
    benchmark = read_benchmark(folder)
    assert benchmark.items["item_id"].to_list() == ["1", "2"]
    assert notes(benchmark, "mixed_item_id_types") == [
        "item_id stands as integers in 1 file and as text in 1: joined on the decimal text"
    ]


def test_success_by_verdict_and_by_score(folder: Path, tmp_path: Path) -> None:
    frame = pl.DataFrame(BASE).drop("correct")
    verdicts = ["correct", "partial", None, "technical_failure"]
    by_verdict = read(folder, frame.with_columns(verdict=pl.Series(verdicts)))
    assert by_verdict.verdicts["correct"].to_list() == [True, False, None, None]
    assert by_verdict.verdicts["excluded"].to_list() == [False, False, False, True]
    other = tmp_path / "other"
    other.mkdir()
    by_score = read(other, frame.with_columns(score=pl.Series([1.0, 0.99, None, 1.0])))
    assert by_score.verdicts["correct"].to_list() == [True, False, None, True]


def test_success_is_decided_per_file(folder: Path) -> None:
    (folder / "verdicts").mkdir()
    frame = pl.DataFrame(BASE)
    frame.filter(model="a").write_parquet(folder / "verdicts" / "a.parquet")
    other = frame.filter(model="b").drop("correct").with_columns(verdict=pl.lit("correct"))
    other.write_parquet(folder / "verdicts" / "b.parquet")
    assert read_benchmark(folder).verdicts["correct"].to_list() == [True, False, True, True]


def test_labels_from_both_columns_are_one_sorted_list(folder: Path) -> None:
    frame = pl.DataFrame(BASE).with_columns(
        labels=pl.Series([["z", "a", "a"], [], None, [None, ""]], dtype=pl.List(pl.String)),
        failure_label=pl.Series(["m", None, "q", "z"]),
    )
    assert read(folder, frame).verdicts["labels"].to_list() == [["a", "m", "z"], [], ["q"], ["z"]]


def test_nothing_is_lost_in_a_lenient_run(folder: Path) -> None:
    frame = pl.DataFrame(BASE).with_columns(score=pl.Series([1.0, 7.0, 0.5, float("nan")]))
    benchmark = read(folder, frame, lenient=True)
    assert benchmark.verdicts.height + benchmark.quarantine.select("row").n_unique() == frame.height
    assert benchmark.quarantine.select("file", "row", "reason").rows() == [
        ("verdicts.parquet", 2, "score: is above 1"),
        ("verdicts.parquet", 4, "score: is not finite"),
    ]
    assert notes(benchmark, "quarantined_rows")[0] == "2 rows set aside (quarantine.parquet)"


def test_a_lenient_run_keeps_the_first_of_repeated_rows(folder: Path) -> None:
    frame = pl.concat([pl.DataFrame(BASE), pl.DataFrame(BASE).head(1).with_columns(correct=pl.lit(False))])
    benchmark = read(folder, frame, lenient=True)
    assert benchmark.verdicts["correct"].to_list() == [True, False, True, True]
    assert benchmark.quarantine["row"].to_list() == [5]


@pytest.mark.parametrize(
    "name",
    [
        "org/model",
        "\"quoted\" 'name'",
        "<script>alert(1)</script>",
        "🦉 owl",
        "نموذج",
        "=1+1",
        " padded ",
        "x" * 300,
    ],
)
def test_any_unicode_is_a_model_name(folder: Path, name: str) -> None:
    frame = pl.DataFrame(BASE).with_columns(model=pl.col("model").replace("a", name))
    assert set(read(folder, frame).models["model"]) == {name, "b"}


def test_one_model_and_one_item(folder: Path) -> None:
    benchmark = read(folder, pl.DataFrame(BASE).head(1))
    assert (benchmark.models.height, benchmark.items.height) == (1, 1)


def test_companions_are_joined_and_counted(folder: Path) -> None:
    pl.DataFrame({"item_id": [1, 2, 3], "track": ["t", "t", "u"]}).write_parquet(folder / "items.parquet")
    (folder / "models.csv").write_text("model,weights,total_cost_usd,name\na,Open,1.5,\nc,closed,,See\n")
    benchmark = read(folder, pl.DataFrame(BASE))
    assert benchmark.items["track"].to_list() == ["t", "t", "u"]
    assert benchmark.models.select("model", "name", "weights", "total_cost_usd", "n_rows").rows() == [
        ("a", "a", "open", 1.5, 2),
        ("b", "b", None, None, 2),
        ("c", "See", "closed", None, 0),
    ]
    assert notes(benchmark, "items_without_verdicts") == ["1 item listed without any verdict"]
    assert notes(benchmark, "model_without_verdicts") == ["c stands in the models table and has no verdicts"]
    assert notes(benchmark, "model_not_listed") == ["b has verdicts and is not in the models table"]


def test_a_label_that_the_card_does_not_know_is_kept_and_said(folder: Path) -> None:
    frame = pl.DataFrame(BASE).with_columns(failure_label=pl.Series(["F1", "odd", None, "odd"]))
    benchmark = read(folder, frame, "labels: {F1: meaning, F3: other}")
    assert notes(benchmark, "label_not_in_card") == ["label odd stands in 2 rows, not in the card"]
    assert notes(benchmark, "label_never_used") == ["label F3 of the card stands in no row"]


def test_unused_columns_are_named(folder: Path) -> None:
    benchmark = read(folder, pl.DataFrame(BASE).with_columns(prompt=pl.lit("text")))
    assert notes(benchmark, "unused_column") == ["column prompt of verdicts.parquet is not used"]


def test_a_declared_metric_comes_along(folder: Path) -> None:
    benchmark = read(folder, pl.DataFrame(BASE).with_columns(bleu=pl.lit(0.25)), "metrics: [bleu]")
    assert benchmark.verdicts["bleu"].to_list() == [0.25] * 4


def test_rows_come_sorted_whatever_their_order(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shuffled = read(folder, pl.DataFrame(BASE).sample(fraction=1, shuffle=True, seed=3))
    assert_frame_equal(shuffled.verdicts, read(other, pl.DataFrame(BASE)).verdicts)


def test_a_resource_column_can_be_a_metric(folder: Path) -> None:
    frame = pl.DataFrame(BASE).with_columns(latency_s=pl.Series([1.0, 2.0, 3.0, 4.0]))
    assert read(folder, frame, "metrics: [latency_s]").verdicts["latency_s"].to_list() == [1.0, 2.0, 3.0, 4.0]


def test_unused_columns_of_companions_are_named(folder: Path) -> None:
    pl.DataFrame({"item_id": ["1", "2"], "stage": ["a", "b"]}).write_parquet(folder / "items.parquet")
    card = "covariates: [stage]"
    assert notes(read(folder, pl.DataFrame(BASE), card), "unused_column") == []
    benchmark = read(folder, pl.DataFrame(BASE), "title: no covariate")
    assert notes(benchmark, "unused_column") == ["column stage of items.parquet is not used"]


def test_files_that_nothing_reads_are_named(folder: Path) -> None:
    for name in ("audit_trial.parquet", "benchmark.yml", "statements.csv", "vignettes.yaml", "README.md"):
        (folder / name).write_text("x", encoding="utf-8")
    (folder / "verdicts").mkdir()
    pl.DataFrame(BASE).write_parquet(folder / "verdicts" / "part.parquet")
    (folder / "verdicts" / "rest.csv").write_text("model,item_id\n", encoding="utf-8")
    (folder / "session").mkdir()
    assert notes(read_benchmark(folder), "unread_file") == [
        "audit_trial.parquet lies in the folder and is not read (the name that is read: audit_trail.parquet)",
        "benchmark.yml lies in the folder and is not read (the name that is read: benchmark.yaml)",
        "session lies in the folder and is not read (the name that is read: sessions)",
        "statements.csv lies in the folder and is not read (the name that is read: statements.parquet)",
        "verdicts/rest.csv lies in the folder and is not read",
        "vignettes.yaml lies in the folder and is not read: the card declares no rubric",
    ]


def test_a_rating_scale_without_its_labels_is_said(folder: Path) -> None:
    ratings = {"model": ["a"], "item_id": ["1"], "rater": ["r"], "rater_kind": ["human"], "label": ["good"]}
    pl.DataFrame(ratings).write_parquet(folder / "ratings.parquet")
    card = "rating_scales: {mine: [poor, good], other: [low, high]}"
    assert notes(read(folder, pl.DataFrame(BASE), card), "rating_scale_unused") == [
        "the rating scale other of the card (low, high) has no label that a rating has"
    ]
