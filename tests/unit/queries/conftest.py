"""A benchmark of three models and six items, small enough to work every answer out by hand.

The models' names are awkward on purpose: a quote, and an equals sign that a spreadsheet takes for a formula.

====== ===== ======== ======= ========== ============ ============
item   track type     cluster alpha      o'brien      =calc
====== ===== ======== ======= ========== ============ ============
i1     t1    easy     c1      correct    correct      incorrect
i2     t1    easy     c1      correct    partial      correct
i3     t1    hard     c2      partial    partial      partial
i4     t2    hard     c2      incorrect  incorrect    unscored
i5     t2                     2 of 3     1 of 3       0 of 3
i6     t2    hard     c3      incorrect  failed       no row
====== ===== ======== ======= ========== ============ ============
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.schemas import TABLES
from analysis.store import conform

A, B, C = "alpha", "o'brien", "=calc"
GOLD = "reasoning_has_gold_step"

CORRECT, PARTIAL, INCORRECT, FAILED = "correct", "partial", "incorrect", "technical_failure"

VERDICTS: list[tuple[str, str, int, str | None, list[str], str | None, list[str]]] = [
    (A, "i1", 0, CORRECT, [], "proceed", [GOLD]),
    (A, "i2", 0, CORRECT, [], "proceed", []),
    (A, "i3", 0, PARTIAL, ["incomplete"], "ask", [GOLD]),
    (A, "i4", 0, INCORRECT, ["unsafe", "wrong"], "proceed", []),
    (A, "i5", 0, CORRECT, [], "ask", []),
    (A, "i5", 1, CORRECT, [], "ask", []),
    (A, "i5", 2, INCORRECT, ["wrong"], "ask", []),
    (A, "i6", 0, INCORRECT, ["wrong"], "proceed", []),
    (B, "i1", 0, CORRECT, [], "ask", []),
    (B, "i2", 0, PARTIAL, ["incomplete"], "ask", [GOLD, "other"]),
    (B, "i3", 0, PARTIAL, ["incomplete"], "ask", [GOLD]),
    (B, "i4", 0, INCORRECT, ["unsafe"], "ask", []),
    (B, "i5", 0, INCORRECT, ["wrong"], "ask", []),
    (B, "i5", 1, INCORRECT, ["wrong"], "ask", []),
    (B, "i5", 2, CORRECT, [], "ask", []),
    (B, "i6", 0, FAILED, ["timeout"], None, []),
    (C, "i1", 0, INCORRECT, ["wrong"], "proceed", []),
    (C, "i2", 0, CORRECT, [], "ask", []),
    (C, "i3", 0, PARTIAL, ["incomplete"], "ask", ["other"]),
    (C, "i4", 0, None, [], "proceed", []),
    (C, "i5", 0, INCORRECT, ["wrong"], "ask", []),
    (C, "i5", 1, INCORRECT, ["wrong"], "ask", []),
    (C, "i5", 2, INCORRECT, ["wrong"], "ask", []),
]

ITEMS = [
    ("i1", "t1", "easy", "c1"),
    ("i2", "t1", "easy", "c1"),
    ("i3", "t1", "hard", "c2"),
    ("i4", "t2", "hard", "c2"),
    ("i5", "t2", None, None),
    ("i6", "t2", "hard", "c3"),
]


def rows(names: str, *values: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names.split(), row, strict=True)) for row in values]


def frame(table: str, given: list[dict[str, Any]]) -> pl.DataFrame:
    """Build a table from some of its columns; the others are null."""
    types = {name: column.dtype for name, column in TABLES[table].columns().items()}
    columns = {name: [row.get(name) for row in given] for name in types}
    return conform(pl.DataFrame(columns, schema=types), table)


def verdict_rows() -> list[dict[str, Any]]:
    made = []
    for number, (model, item, run, verdict, labels, decision, flags) in enumerate(VERDICTS, start=1):
        excluded = verdict == FAILED
        made.append(
            {
                "model": model,
                "item_id": item,
                "run": run,
                "verdict": verdict,
                "correct": None if excluded or verdict is None else verdict == CORRECT,
                "excluded": excluded,
                "labels": labels,
                "decision": decision,
                "flags": flags,
                "latency_s": float(number) if model == A else None,
                "output_tokens": 100.0 if model == B else None,
            }
        )
    return made


def score_rows() -> list[dict[str, Any]]:
    names = "track model rank estimate n_items n_excluded n_unscored n_missing"
    estimates = rows(
        names,
        ("all", A, 1, 4 / 9, 6, 0, 0, 0),
        ("all", B, 2, 4 / 15, 5, 1, 0, 0),
        ("all", C, 3, 0.25, 4, 0, 1, 1),
        ("t1", A, 1, 2 / 3, 3, 0, 0, 0),
        ("t1", C, 2, 1 / 3, 3, 0, 0, 0),
        ("t1", B, 3, 1 / 3, 3, 0, 0, 0),
        ("t2", A, 1, 2 / 9, 3, 0, 0, 0),
        ("t2", B, 2, 1 / 6, 2, 1, 0, 0),
        ("t2", C, 3, 0.0, 1, 0, 1, 1),
    )
    common = {"metric": "correct", "level": 0.95, "ci_low": 0.0, "ci_high": 1.0}
    # Two interval methods: a query that forgets so counts every model twice.
    return [
        {**row, **common, "method": method, "n_clusters": row["n_items"]}
        for row in estimates
        for method in ("bootstrap", "wilson")
    ]


def tables() -> dict[str, pl.DataFrame]:
    shares = {"share": 0.5, "ci_low": 0.1, "ci_high": 0.9}
    coverage = rows(
        "method step model gained covered",
        ("greedy", 1, A, 3, 3),
        ("greedy", 2, C, 0, 3),
        ("greedy", 3, B, 0, 3),
        ("optimal", 1, A, 3, 3),
        ("optimal", 2, C, 0, 3),
        ("optimal", 2, A, 1, 3),
        ("optimal", 3, A, 1, 3),
        ("optimal", 3, B, 0, 3),
        ("optimal", 3, C, 0, 3),
    )
    counts = rows(
        "item_id k n_models mean_score all_partial all_incorrect",
        ("i1", 2, 3, 2 / 3, False, False),
        ("i2", 2, 3, 2 / 3, False, False),
        ("i3", 0, 3, 0.0, True, False),
        ("i4", 0, 2, 0.0, False, True),
        ("i5", 1, 3, 1 / 3, False, False),
        ("i6", 0, 1, 0.0, False, True),
    )
    places = {item: {"track": track, "question_type": kind} for item, track, kind, _ in ITEMS}
    pairs = rows(
        "model_a model_b difference n_items n_better n_worse p_value adjacent p_holm significant",
        (A, B, 1 / 6, 5, 2, 0, 0.5, True, 0.9, False),
        (B, C, 0.0, 4, 2, 1, 1.0, True, 1.0, False),
        (A, C, 0.25, 4, 2, 1, 0.01, False, 0.03, True),
    )
    return {
        "verdicts": frame("verdicts", verdict_rows()),
        "items": frame("items", rows("item_id track question_type cluster_id", *ITEMS)),
        "models": frame(
            "models",
            rows(
                "model name weights n_rows",
                (A, "Alpha", "open", 8),
                (B, "O'Brien", None, 8),
                (C, C, "closed", 7),
            ),
        ),
        "ratings": frame("ratings", rating_rows()),
        "model_scores": frame("model_scores", score_rows()),
        "item_counts": frame("item_counts", [{**row, **places[row["item_id"]]} for row in counts]),
        "coverage": frame(
            "coverage",
            [
                {**row, **shares, "track": "all", "basis": basis}
                for row in coverage
                for basis in ("answered", "complete")
            ],
        ),
        "concordance": frame(
            "concordance",
            [
                {**row, "track": track}
                for row in rows(
                    "model_a model_b n_items agreement correct_agreement kappa",
                    (A, B, 5, 0.6, 0.6, 0.3),
                    (A, C, 4, 0.5, 0.5, 0.2),
                    (B, C, 4, 0.5, 0.5, None),
                )
                for track in ("all", "t1")
            ]
            + [{"track": "t2", "model_a": B, "model_b": C, "n_items": 0}],
        ),
        "pairwise_tests": frame(
            "pairwise_tests",
            [{**row, "track": "all", "metric": "correct", "method": "sign_flip_exact"} for row in pairs]
            + rows(
                "track metric model_a model_b n_items n_better n_worse method adjacent significant",
                ("all", "correct", C, "nobody", 0, 0, 0, "none", False, False),
            ),
        ),
        "tiers": frame(
            "tiers",
            rows(
                "track metric model rank tier letters rank_low rank_high in_best_set p_next reversal",
                ("all", "correct", A, 1, 1, "a", 1, 2, True, 0.5, False),
                ("all", "correct", B, 2, 1, "ab", 1, 3, True, 1.0, False),
                ("all", "correct", C, 3, 1, "b", 2, 3, False, None, False),
                ("t1", "correct", A, 1, 1, "a", 1, 3, True, None, False),
            ),
        ),
        "failure_labels": frame(
            "failure_labels", rows("track model label n_items count rate", ("all", A, "wrong", 6, 3, 0.5))
        ),
        "decisions": frame(
            "decisions",
            rows(
                "track model decision n_items count rate decisive",
                *(
                    (track, A, decision, 6, 1, 1 / 6, decision == "proceed")
                    for track in ("all", "t1")
                    for decision in ("ask", "proceed")
                ),
            ),
        ),
        "frontier": frame(
            "frontier",
            rows(
                "track metric model cost_usd cost_per_response_usd estimate on_frontier",
                ("all", "correct", A, 0.16, 0.02, 0.5, True),
                ("all", "correct", B, 0.008, 0.001, 0.25, True),
                ("all", "correct", C, None, None, 0.25, False),
                ("t2", "correct", A, 0.1, 0.02, 0.0, True),
                ("all", "score", A, 0.16, 0.02, 0.9, True),
            ),
        ),
    }


def rating_rows() -> list[dict[str, Any]]:
    return rows(
        "model item_id run rater rater_kind label value",
        (A, "i1", 0, "J", "judge", "correct", 1.0),
        (A, "i2", 0, "J", "judge", "correct", 1.0),
        (A, "i3", 0, "J", "judge", "partial", 0.5),
        (None, "i4", None, "J", "judge", "correct", 1.0),
        (A, "i1", 0, "H1", "human", "correct", 1.0),
        (A, "i2", 0, "H1", "human", "partial", 0.5),
        (A, "i3", 0, "H1", "human", "partial", 0.5),
        (None, "i4", None, "H1", "human", "correct", None),
        (A, "i1", 0, "H2", "human", "correct", None),
        (B, "i1", 0, "H2", "human", "correct", None),
    )


@pytest.fixture(scope="session")
def hand_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the tables; its path holds characters that a file pattern would take for its own."""
    folder = tmp_path_factory.mktemp("derived") / "a [b]*" / "key=1" / "small"
    folder.mkdir(parents=True)
    for name, table in tables().items():
        table.write_parquet(folder / f"{name}.parquet")
    return folder
