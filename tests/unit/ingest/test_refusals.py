"""What a person reads when their files break the raw contract: whole messages."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from analysis.errors import ConfigError, DataError
from analysis.ingest.benchmark import read_benchmark


def rows(**columns: list[object]) -> pl.DataFrame:
    """Four rows of two models on two items, with columns replaced or added."""
    base: dict[str, list[object]] = {
        "model": ["a", "a", "b", "b"],
        "item_id": ["x", "y", "x", "y"],
        "verdict": ["correct", "incorrect", "correct", "partial"],
    }
    return pl.DataFrame({**base, **columns}, strict=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "bench"
    path.mkdir()
    return path


def refusal(folder: Path, frame: pl.DataFrame | None = None, card: str = "") -> str:
    """Return the message with which the folder is refused."""
    if frame is not None:
        frame.write_parquet(folder / "verdicts.parquet")
    if card:
        (folder / "benchmark.yaml").write_text(card)
    with pytest.raises((DataError, ConfigError)) as caught:
        read_benchmark(folder)
    return str(caught.value)


def test_no_files(folder: Path) -> None:
    assert refusal(folder) == (
        "1 problem in benchmark 'bench':\n"
        "- bench/: the benchmark has no verdicts\n"
        "  allowed: verdicts.parquet, any Parquet files under verdicts/, or sessions/sessions.parquet"
    )


def test_not_parquet(folder: Path) -> None:
    (folder / "verdicts.parquet").write_text("model,item_id\n")
    assert refusal(folder).startswith(
        "1 problem in benchmark 'bench':\n"
        "- verdicts.parquet: is not a Parquet file (it does not begin with PAR1)\n"
        "  what to do: write the file again (reader: "
    )


def test_empty_file(folder: Path) -> None:
    (folder / "verdicts.parquet").touch()
    assert "- verdicts.parquet: is empty (0 bytes)\n" in refusal(folder)


def test_truncated(folder: Path) -> None:
    path = folder / "verdicts.parquet"
    rows().write_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    assert "- verdicts.parquet: is a damaged or truncated Parquet file (" in refusal(folder)


def test_one_broken_part_beside_good_ones_is_named(folder: Path) -> None:
    (folder / "verdicts").mkdir()
    rows().write_parquet(folder / "verdicts" / "good.parquet")
    (folder / "verdicts" / "bad.parquet").write_bytes(b"PAR1 not really")
    assert "- verdicts/bad.parquet: is a damaged or truncated Parquet file (15 bytes)" in refusal(folder)


def test_both_layouts(folder: Path) -> None:
    (folder / "verdicts").mkdir()
    rows().write_parquet(folder / "verdicts" / "part.parquet")
    assert refusal(folder, rows()) == (
        "1 problem in benchmark 'bench':\n"
        "- verdicts.parquet: stands beside the folder verdicts/ with 1 Parquet files: which one counts?\n"
        "  what to do: keep one of the two"
    )


def test_no_verdict_like_column_suggests_the_nearest(folder: Path) -> None:
    frame = rows().rename({"verdict": "verdicts"})
    assert refusal(folder, frame) == (
        "1 problem in benchmark 'bench':\n"
        "- verdicts.parquet: has no column that says how an item went (columns: model, item_id, verdicts)\n"
        "  allowed: verdict (text), correct (truth value) or score (number in [0, 1])\n"
        "  what to do: rename column 'verdicts' to 'verdict', if that is what it holds"
    )


def test_missing_model_column(folder: Path) -> None:
    message = refusal(folder, rows().rename({"model": "Model"}))
    assert "- verdicts.parquet, column 'model': is missing\n" in message
    assert "  what to do: rename column 'Model' to 'model', if that is what it holds" in message


def test_unknown_verdict(folder: Path) -> None:
    assert refusal(folder, rows(), "verdicts: {order: [incorrect, correct]}") == (
        "1 problem in benchmark 'bench':\n"
        "- verdicts.parquet, column 'verdict': is not a verdict of the card\n"
        "  found: 'partial'\n"
        "  rows: 1 (first: row 4)\n"
        "  allowed: 'incorrect', 'correct', 'technical_failure'\n"
        "  what to do: add it to verdicts.order in benchmark.yaml, or mend the file"
    )


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (1.5, "is above 1"),
        (-0.1, "is below 0"),
        (float("nan"), "is not finite"),
        (float("inf"), "is not finite"),
    ],
)
def test_score_outside_its_range(folder: Path, value: float, fault: str) -> None:
    message = refusal(folder, rows(score=[0.5, value, 1.0, None]))
    assert f"- verdicts.parquet, column 'score': {fault}\n" in message
    assert f"  found: '{value}'\n  rows: 1 (first: row 2)\n  allowed: a number in [0, 1]" in message


def test_duplicate_rows(folder: Path) -> None:
    frame = pl.concat([rows(), rows().head(1)])
    assert refusal(folder, frame) == (
        "1 problem in benchmark 'bench':\n"
        "- verdicts.parquet: rows repeat an earlier (model, item_id, run)\n"
        "  found: 'a, x, run 0'\n"
        "  rows: 1 (first: row 5)\n"
        "  allowed: one row per model, item_id and run\n"
        "  what to do: number repetitions in the column run, or remove the copies"
    )


def test_integer_and_text_ids_that_collide_are_duplicates(folder: Path) -> None:
    (folder / "verdicts").mkdir()
    rows(item_id=[1, 2, 1, 2]).write_parquet(folder / "verdicts" / "a.parquet")
    rows(item_id=["1", "3", "4", "5"]).write_parquet(folder / "verdicts" / "b.parquet")
    assert "  found: 'a, 1, run 0'\n" in refusal(folder)


def test_a_track_named_all(folder: Path) -> None:
    message = refusal(folder, rows(track=["all", "t", "all", "t"]))
    assert "column 'track': is a track named 'all', which stands for every track together\n" in message
    assert "  rows: 2 (first: row 1, 3)\n" in message


def test_correct_that_contradicts_the_declared_verdicts(folder: Path) -> None:
    frame = rows(correct=[True, True, True, False])
    assert refusal(folder, frame, "verdicts: {succeed: [correct]}") == (
        "1 problem in benchmark 'bench':\n"
        "- verdicts.parquet, column 'correct': contradicts the verdict\n"
        "  found: 'true with incorrect'\n"
        "  rows: 1 (first: row 2)\n"
        "  allowed: true exactly where the verdict succeeds: ['correct']\n"
        "  what to do: mend the file, or verdicts.succeed in benchmark.yaml"
    )


def test_attributes_that_vary_within_an_item(folder: Path) -> None:
    assert refusal(folder, rows(track=["t", "u", "t", "v"])) == (
        "1 problem in benchmark 'bench':\n"
        "- verdicts.parquet, column 'track': varies within 1 item\n"
        "  found: 'y: v and u'\n"
        "  rows: 1 (first: row 4)\n"
        "  allowed: one track per item"
    )


def test_reserved_label(folder: Path) -> None:
    message = refusal(folder, rows(failure_label=["F1", "F2", None, "F1"]), "labels: {F2: {reserved: true}}")
    assert "column 'failure_label': uses a label that the card reserves\n  found: 'F2'\n" in message


def test_negative_cost(folder: Path) -> None:
    message = refusal(folder, rows(cost_usd=[0.1, -0.2, 0.0, None]))
    assert (
        "- verdicts.parquet, column 'cost_usd': is negative\n  found: '-0.2'\n  rows: 1 (first: row 2)\n"
        "  allowed: a number of at least 0" in message
    )


def test_float_item_ids(folder: Path) -> None:
    message = refusal(folder, rows(item_id=[1.0, 2.0, 1.0, 2.0]))
    assert "column 'item_id': holds neither text nor integers\n  found: 'Float64'\n" in message


def test_null_model(folder: Path) -> None:
    message = refusal(folder, rows(model=["a", None, "b", ""]))
    assert "column 'model': is null\n  found: 'null'\n  rows: 1 (first: row 2)" in message
    assert "column 'model': is empty\n  found: ''\n  rows: 1 (first: row 4)" in message


def test_zero_rows(folder: Path) -> None:
    assert refusal(folder, rows().head(0)) == (
        "1 problem in benchmark 'bench':\n- bench/: there are no verdict rows\n  allowed: at least one row"
    )


def test_a_declared_metric_that_no_file_has(folder: Path) -> None:
    message = refusal(folder, rows(), "metrics: [bleu]")
    assert "metric 'bleu': names a metric that no verdict file has" in message


def test_a_declared_cluster_that_items_lack(folder: Path) -> None:
    message = refusal(folder, rows(), "cluster: patient")
    assert (
        "- benchmark.yaml, key 'cluster': names the item column 'patient', which the items do not have\n"
        in message
    )


def test_items_without_a_cluster_where_it_is_declared(folder: Path) -> None:
    message = refusal(folder, rows(cluster_id=["p", None, "p", None]), "cluster: cluster_id")
    assert "1 of 2 items have no cluster_id" in message


def test_every_problem_is_told_at_once(folder: Path) -> None:
    message = refusal(folder, rows(score=[2.0, 0.0, 0.0, 0.0], cost_usd=[-1.0, 0.0, 0.0, 0.0]))
    assert message.startswith("2 problems in benchmark 'bench':")


def test_the_card_names_its_own_faults(folder: Path) -> None:
    assert refusal(folder, rows(), "verdicts: {ordr: [a]}") == (
        "benchmark 'bench': benchmark.yaml, key 'verdicts.ordr': is not a known key; did you mean 'order'?\n"
        "  allowed: exclude, order, succeed"
    )


def test_values_are_shortened_to_three(folder: Path) -> None:
    frame = rows(score=[2.0, 3.0, 4.0, 5.0])
    assert "  found: '2.0', '3.0', '4.0' and 1 more\n  rows: 4 (first: row 1, 2, 3)\n" in refusal(
        folder, frame
    )


def test_items_table_that_contradicts_the_verdicts(folder: Path) -> None:
    pl.DataFrame({"item_id": ["x", "y"], "track": ["t", "u"]}).write_parquet(folder / "items.parquet")
    message = refusal(folder, rows(track=["t", "v", "t", "v"]))
    assert (
        "column 'track': differs between items.parquet and the verdicts for 1 items\n  found: 'y: u and v'"
        in message
    )


def test_duplicate_models_in_the_models_table(folder: Path) -> None:
    (folder / "models.csv").write_text("model,vendor\na,X\na,Y\n")
    message = refusal(folder, rows())
    assert (
        "- models.csv, column 'model': stands more than once\n  found: 'a'\n  rows: 2 (first: row 1, 2)"
        in message
    )


def test_a_price_that_is_no_number(folder: Path) -> None:
    (folder / "models.csv").write_text("model,input_price_usd\na,cheap\n")
    assert "- models.csv, column 'input_price_usd': is not a number\n  found: 'cheap'" in refusal(
        folder, rows()
    )


def test_ratings_without_a_rater_kind(folder: Path) -> None:
    pl.DataFrame({"item_id": ["x"], "rater": ["r"], "label": ["yes"]}).write_parquet(
        folder / "ratings.parquet"
    )
    assert "- ratings.parquet, column 'rater_kind': is missing\n" in refusal(folder, rows())


def test_a_text_column_is_no_metric(folder: Path) -> None:
    message = refusal(folder, rows(), "metrics: [verdict]")
    assert (
        "benchmark.yaml, key 'metrics': 'verdict' is no metric: name correct, score or a numeric column"
        in message
    )


def test_ratings_of_runs_and_of_items_stand_side_by_side(folder: Path) -> None:
    rated = pl.DataFrame(
        {
            "model": ["a", None],
            "item_id": ["1", "1"],
            "run": [0, None],
            "rater": ["r", "r"],
            "rater_kind": ["human", "human"],
            "label": ["yes", "no"],
        }
    )
    rated.write_parquet(folder / "ratings.parquet")
    rows().write_parquet(folder / "verdicts.parquet")
    found = read_benchmark(folder).ratings
    assert found is not None
    assert found["run"].to_list() == [0, None]
    rated.with_columns(run=pl.Series([0.5, None])).write_parquet(folder / "ratings.parquet")
    assert "ratings.parquet, column 'run': is not an integer" in refusal(folder, rows())
