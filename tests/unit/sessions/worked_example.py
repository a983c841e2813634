"""The worked example of docs/sessions.md, as raw files; every figure there is computed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

SESSION = {"model": "m", "case_id": "c1"}


def rows(*values: dict[str, Any], **common: Any) -> pl.DataFrame:
    """Return rows with common columns; columns that a row leaves out are null."""
    names = dict.fromkeys([*common, *(name for row in values for name in row)])
    return pl.DataFrame([{n: {**common, **row}.get(n) for n in names} for row in values], strict=False)


def example() -> dict[str, pl.DataFrame]:
    """Return the raw files of the example by stem."""
    return {
        "sessions": rows({"t_dx": 4, "t_max": 10}, **SESSION),
        "turns": rows(
            {
                "turn": 1,
                "template": "onset",
                "revealed": ["chest_pain"],
                "expert": ["onset", "location"],
                "information_gain": 0.5,
            },
            {
                "turn": 2,
                "template": "social",
                "revealed": ["pets"],
                "expert": ["severity"],
                "information_gain": -0.1,
            },
            {
                "turn": 3,
                "template": "aggravating",
                "revealed": ["exertion"],
                "expert": ["aggravating"],
                "information_gain": 0.4,
            },
            {
                "turn": 4,
                "template": "onset",
                "revealed": [],
                "expert": ["red_flags"],
                "information_gain": 0.0,
            },
            **SESSION,
        ),
        "aius": rows(
            {"aiu_id": "chest_pain", "weight": 3.0, "red_flag": False, "mni_of": ["angina"]},
            {"aiu_id": "exertion", "weight": 2.0, "red_flag": False, "mni_of": ["angina"]},
            {"aiu_id": "dyspnoea", "weight": 2.0, "red_flag": True, "mni_of": ["angina"]},
            {"aiu_id": "bp_high", "weight": 1.0, "red_flag": False, "mni_of": ["hypertension"]},
            {"aiu_id": "pets", "weight": 0.5, "red_flag": False, "mni_of": []},
            case_id="c1",
        ),
        "gold": rows(
            {"diagnosis": "angina", "core": True, "weight": 3.0},
            {"diagnosis": "hypertension", "core": False, "weight": 1.0},
            case_id="c1",
        ),
        "precedence": rows(
            {"before": "onset", "after": "aggravating"},
            {"before": "aggravating", "after": "social"},
            {"before": "red_flags", "after": "social"},
        ),
        "differentials": rows(
            {"diagnosis": "gerd", "rank": 1},
            {"diagnosis": "angina", "rank": 2},
            {"diagnosis": "hypertension", "rank": 3},
            **SESSION,
        ),
    }


def write(folder: Path, files: dict[str, pl.DataFrame]) -> Path:
    """Write raw files to a benchmark's folder and return it."""
    (folder / "sessions").mkdir(parents=True, exist_ok=True)
    for stem, frame in files.items():
        frame.write_parquet(folder / "sessions" / f"{stem}.parquet")
    return folder
