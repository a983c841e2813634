"""The leaderboard's table, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re

import polars as pl
import pytest

from analysis.reporting.exports import as_csv, as_json, neutral, records
from analysis.reporting.leaderboard_rows import build_board
from analysis.reporting.leaderboard_table import board_table
from tests.unit.reporting.conftest import HOSTILE, HOSTILE_CARD, Derive, grid, hostile_verdicts
from tests.unit.reporting.page_checks import PageReader

ABOUT = pl.DataFrame(
    {
        "model": ["a", "b", "c", "idle"],
        "name": ["Alpha", "Same", "Same", None],
        "vendor": ["V1", "V1", "V2", "V2"],
        "weights": ["open", "closed", "open", None],
        "total_cost_usd": [1.0, None, 4.0, None],
    }
)


def test_ties_show_by_rank_ranges_and_letters_not_by_the_order(view_of: Derive) -> None:
    view = view_of(grid({"a": "1" * 20 + "0" * 10, "b": "1" * 19 + "0" * 11, "c": "0" * 30}))
    board = build_board(view)
    assert [r["model"] for r in board.rows] == ["a", "b", "c"]
    cells = re.findall(
        r"<strong>(\d[\d\u2013]*)</strong>(?:<br><span class=\"tag best\">best set</span>)?</td>",
        board_table(view, board),
    )
    assert cells[::2] == ["1\u20132", "1\u20132", "3"]
    assert [r["letters"] for r in board.rows] == ["a", "a", "b"]
    assert [r["tier"] for r in board.rows] == [1, 1, 2]


def test_columns_follow_what_the_benchmark_has(view_of: Derive) -> None:
    frame = grid({"a": "1100", "b": "1000", "c": "0110"}).with_columns(
        track=pl.when(pl.col("item_id") < "i002").then(pl.lit("t1")).otherwise(pl.lit("t2")),
        question_type=pl.lit("q"),
    )
    view = view_of(frame, models=ABOUT)
    board = build_board(view)
    assert [g.key for g in board.groups] == ["cost", "tracks", "strata"]
    assert [c.key for g in board.groups for c in g.columns] == [
        "cost_per_response_usd",
        "cost_usd",
        "track:t1",
        "track:t2",
        "stratum:question_type=q",
    ]
    assert [(key, values) for key, _, values in board.filters] == [
        ("weights", ["closed", "open"]),
        ("vendor", ["V1", "V2"]),
    ]
    assert board.unranked == [("idle", "stands in the models table and has no verdicts")]
    by_model = {r["model"]: r for r in records(board)}
    assert by_model["a"]["track:t1"] == 1.0
    assert by_model["a"]["cost_per_response_usd"] == 0.25
    assert by_model["b"]["cost_usd"] is None


def test_further_metrics_keep_out_of_the_way_of_the_score(view_of: Derive) -> None:
    frame = grid({"a": "1100", "b": "0001"}).with_columns(
        score=pl.Series([0.5, 1.0, 0.25, 0.25, 0.0, 0.0, 0.5, 1.0]),
        flags=pl.Series([["cites"], [], [], [], ["cites"], ["cites"], [], []]),
        labels=pl.Series([["bad"], [], [], [], [], [], [], []]),
    )
    view = view_of(frame, {"labels": {"bad": {"hard": True}}})
    board = build_board(view)
    assert [g.key for g in board.groups] == ["rates", "flags"]
    first = records(board)[0]
    assert first["model"] == "a"
    assert first["score"] == 0.5
    assert first["metric:score"] == 0.5
    assert first["metric:hard_failure"] == 0.25
    assert first["flag:cites"] == 0.25
    assert records(board)[1]["score"] == 0.25
    assert records(board)[1]["metric:score"] == 0.375


def test_models_of_one_name_are_told_apart(view_of: Derive) -> None:
    view = view_of(grid({"a": "11", "b": "10", "c": "01"}), models=ABOUT)
    assert view.results.names == {"a": "Alpha", "b": "Same (b)", "c": "Same (c)", "idle": "idle"}


def test_one_model_has_no_rank(view_of: Derive) -> None:
    view = view_of(grid({"only": "110"}))
    board = build_board(view)
    assert not board.compared
    assert "Rank" not in board_table(view, board)
    assert records(board)[0]["score"] == pytest.approx(2 / 3, abs=1e-15)


def test_nothing_scored_is_an_empty_board(view_of: Derive) -> None:
    view = view_of(grid({"a": "xx"}))
    board = build_board(view)
    assert board.rows == []
    assert board.unranked == [("a", "none of its 2 rows is scored")]
    assert as_csv(view, board) == "order,model,score\n"
    assert json.loads(as_json(view, board))["models"] == []


def test_the_csv_holds_no_formula_and_every_number_unrounded(view_of: Derive) -> None:
    view = view_of(hostile_verdicts(), HOSTILE_CARD)
    board = build_board(view)
    rows = list(csv.DictReader(io.StringIO(as_csv(view, board))))
    scores = view.results.scores("correct")
    assert scores is not None
    assert [float(r["score"]) for r in rows] == scores["estimate"].to_list()
    names = {r["model"] for r in rows}
    assert "'=cmd|' /C calc'!A0" in names
    assert "'@fig-scores" in names
    assert "<script>alert(1)</script>" in names
    assert len(names) == len(HOSTILE)
    starts = {cell[:1] for row in csv.reader(io.StringIO(as_csv(view, board))) for cell in row}
    assert not starts & {"=", "+", "@", "\t", "\r"}
    assert not [c for row in csv.reader(io.StringIO(as_csv(view, board))) for c in row if re.match(r"-\D", c)]


@pytest.mark.parametrize("text", ["=1", "+1", "-a", "@x", " =1", "\u00a0=1", "\t=1", "\r@"])
def test_text_that_a_spreadsheet_would_compute_is_marked_as_text(text: str) -> None:
    assert neutral(text) == "'" + text


def test_the_json_says_what_it_was_made_from(view_of: Derive) -> None:
    view = view_of(grid({"a": "110", "b": "001"}), {"synthetic": "Made up.", "seed": 5})
    document = json.loads(as_json(view, build_board(view)))
    about = view.results.metadata("model_scores")
    assert document["synthetic"] == "Made up."
    assert document["seed"] == 5
    assert document["config_sha256"] == about["config_sha256"]
    assert document["level"] == 0.95
    assert document["models"][0]["interval_method"] == "wilson"
    assert document["models"][0]["model"] == "a"


def test_the_table_is_whole_without_scripts(view_of: Derive) -> None:
    view = view_of(hostile_verdicts(), HOSTILE_CARD)
    board = build_board(view)
    page = PageReader(board_table(view, board))
    columns = page.tags.count("th") - len(board.rows) - len(board.groups)
    assert page.tags.count("td") == (columns - 1) * len(board.rows) + 1
    assert page.tags.count("tr") == len(board.rows) + 2
    assert "script" not in page.tags


def test_a_stratum_may_be_called_like_a_column(view_of: Derive) -> None:
    frame = grid({"a": "1100", "b": "0101"}).with_columns(
        track=pl.when(pl.col("item_id") < "i002").then(pl.lit("t1")).otherwise(pl.lit("t2")),
    )
    view = view_of(frame, {"strata": ["track"]})
    keys = list(records(build_board(view))[0])
    assert len(set(keys)) == len(keys)
    assert {"track:t1", "track:t2", "stratum:track=t1", "stratum:track=t2"} <= set(keys)
