"""Every query of the project against answers worked out by hand, on both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from analysis.queries import find_query, list_queries, run_query
from analysis.queries.run import Engine

A, B, C = "alpha", "o'brien", "=calc"

ANSWERS: list[tuple[str, dict[str, Any], list[tuple[Any, ...]]]] = [
    (
        "hardest_items",
        {"top": 4},
        [
            (1, "i3", "t1", "hard", 0, 3, 0.0, False),
            (2, "i4", "t2", "hard", 0, 2, 0.0, True),
            (3, "i6", "t2", "hard", 0, 1, 0.0, True),
            (4, "i5", "t2", None, 1, 3, 1 / 3, False),
        ],
    ),
    (
        "hardest_items",
        {"track": "t1", "top": "2"},
        [(1, "i3", "t1", "hard", 0, 3, 0.0, False), (2, "i1", "t1", "easy", 2, 3, 2 / 3, False)],
    ),
    (
        "unsolved_by_question_type",
        {},
        [
            ("t1", "hard", 1, 1, 0, 1.0),
            ("t2", "hard", 2, 2, 0, 1.0),
            ("t1", "easy", 2, 0, 0, 0.0),
            ("t2", "", 1, 0, 0, 0.0),
        ],
    ),
    ("solved_by_one_model", {}, [(A, "i5", "t2", None, 3)]),
    ("solved_by_one_model", {"model": B}, []),
    ("disagreements", {}, [("i2", "t1", "easy", A, 1.0, 0.0), ("i5", "t2", None, A, 2 / 3, 1 / 3)]),
    (
        "disagreements",
        {"model_a": C, "model_b": B},
        [("i2", "t1", "easy", C, 1.0, 0.0), ("i1", "t1", "easy", B, 0.0, 1.0)],
    ),
    # With a lower bar, o'brien solves i5 too.
    ("disagreements", {"solved_at": 0.3}, [("i2", "t1", "easy", A, 1.0, 0.0)]),
    (
        "labels_by_question_type",
        {},
        [
            ("", "wrong", 3, 3, 1.0),
            ("easy", "incomplete", 1, 6, 1 / 6),
            ("easy", "wrong", 1, 6, 1 / 6),
            ("hard", "incomplete", 3, 8, 3 / 8),
            ("hard", "unsafe", 2, 8, 1 / 4),
            ("hard", "wrong", 2, 8, 1 / 4),
            ("hard", "timeout", 1, 8, 1 / 8),
        ],
    ),
    (
        "labels_by_question_type",
        {"model": B},
        [
            ("", "wrong", 1, 1, 1.0),
            ("easy", "incomplete", 1, 2, 0.5),
            ("hard", "incomplete", 1, 3, 1 / 3),
            ("hard", "timeout", 1, 3, 1 / 3),
            ("hard", "unsafe", 1, 3, 1 / 3),
        ],
    ),
    (
        "cost_per_correct",
        {},
        [
            (B, "O'Brien", None, 0.25, 0.001, 0.004, True),
            (A, "Alpha", "open", 0.5, 0.02, 0.04, True),
            (C, C, "closed", 0.25, None, None, False),
        ],
    ),
    # Nothing correct: a cost per correct answer does not exist.
    ("cost_per_correct", {"track": "t2"}, [(A, "Alpha", "open", 0.0, 0.02, None, True)]),
    ("partial_by_all", {}, [("i3", "t1", "hard", 3)]),
    (
        "judges_against_humans",
        {},
        [
            ("J", "H1", "correct", "correct", 2, 2 / 3, True),
            ("J", "H1", "correct", "partial", 1, 1 / 3, False),
            ("J", "H1", "partial", "partial", 1, 1.0, True),
            ("J", "H2", "correct", "correct", 1, 1.0, True),
        ],
    ),
    (
        "rater_pairs",
        {},
        [
            ("H1", "human", "H2", "human", 1, 1, 1.0, None, None),
            ("H1", "human", "J", "judge", 4, 3, 0.75, -1 / 6, 1 / 6),
            ("H2", "human", "J", "judge", 1, 1, 1.0, None, None),
        ],
    ),
    ("excluded_and_unscored", {}, [(C, 4, 0, 1, 1), (B, 5, 1, 0, 0), (A, 6, 0, 0, 0)]),
    ("excluded_and_unscored", {"track": "t1"}, [(C, 3, 0, 0, 0), (A, 3, 0, 0, 0), (B, 3, 0, 0, 0)]),
    ("flipping_runs", {}, [(A, "i5", "t2", None, 3, 2), (B, "i5", "t2", None, 3, 1)]),
    ("flipping_runs", {"model": B}, [(B, "i5", "t2", None, 3, 1)]),
    ("ensemble_steps", {}, [(1, A, 3, 3, 0.5, 3), (2, C, 0, 3, 0.5, 3), (3, B, 0, 3, 0.5, 3)]),
    ("ensemble_steps", {"basis": "nothing"}, []),
    (
        "discordant_pairs",
        {},
        [(A, C, 4, 0.5, 0.5, 0.2), (B, C, 4, 0.5, 0.5, None), (A, B, 5, 0.6, 0.6, 0.3)],
    ),
    ("discordant_pairs", {"track": "t2"}, []),
    ("knowledge_to_action_gap", {}, [(B, 7, 2, 2, 2 / 7), (A, 8, 2, 1, 1 / 8), (C, 6, 0, 0, 0.0)]),
    (
        "knowledge_to_action_gap",
        {"flag": "other"},
        [(C, 6, 1, 1, 1 / 6), (B, 7, 1, 1, 1 / 7), (A, 8, 0, 0, 0.0)],
    ),
    (
        "decisive_and_wrong",
        {},
        [(A, 8, 4, 2, 0.5, 0.5), (C, 6, 1, 1, 1 / 6, 1.0), (B, 7, 0, 0, 0.0, None)],
    ),
    (
        "tier_list",
        {},
        [
            (1, 1, "a", A, 4 / 9, 6, 1, 2, True, 0.5),
            (2, 1, "ab", B, 4 / 15, 5, 1, 3, True, 1.0),
            (3, 1, "b", C, 0.25, 4, 2, 3, False, None),
        ],
    ),
    (
        "not_told_apart",
        {},
        [(B, C, 0.0, None, None, 4, 2, 1, 1.0, 1.0), (A, B, 1 / 6, None, None, 5, 2, 0, 0.5, 0.9)],
    ),
    ("rank_shifts", {}, [(C, "t1", "t2", 2, 3, -1), (B, "t1", "t2", 3, 2, 1)]),
    (
        "rank_shifts",
        {"at_least": 0},
        [(C, "t1", "t2", 2, 3, -1), (B, "t1", "t2", 3, 2, 1), (A, "t1", "t2", 1, 1, 0)],
    ),
    (
        "resources",
        {},
        [(C, 7, None, None, None, None), (A, 8, 4.5, 7.65, None, None), (B, 8, None, None, None, 100.0)],
    ),
    ("hardest_clusters", {}, [(1, "c2", 2, 2, 0.0), (2, "c1", 2, 0, 2 / 3)]),
    ("hardest_clusters", {"at_least": 1, "top": 2}, [(1, "c2", 2, 2, 0.0), (2, "c3", 1, 1, 0.0)]),
]


@pytest.mark.parametrize("engine", get_args(Engine))
@pytest.mark.parametrize(("name", "parameters", "expected"), ANSWERS)
def test_answer(
    hand_made: Path, engine: Engine, name: str, parameters: dict[str, Any], expected: list[tuple[Any, ...]]
) -> None:
    found = run_query(find_query(name), hand_made, engine=engine, parameters=parameters)
    assert found.rows() == [
        tuple(pytest.approx(v) if isinstance(v, float) else v for v in row) for row in expected
    ]


def test_every_query_has_an_answer_here() -> None:
    assert {name for name, _, _ in ANSWERS} == {q.name for q in list_queries()}
