"""Generated sessions with everything that can happen: empty sets, ties, refusals, missing turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

TEMPLATES = ["onset", "severity", "drugs", "family", "red_flags"]
DIAGNOSES = ["d1", "d2", "d3", "d4", "d5"]
DRUGS = ["x", "y", "z"]
Rows = list[dict[str, Any]]


def some(rng: np.random.Generator, names: list[str], most: int) -> list[str]:
    """Return a few distinct names in any order."""
    return [str(n) for n in rng.permutation(names)[: rng.integers(0, most + 1)]]


def maybe(rng: np.random.Generator, value: Any, share: float = 0.7) -> Any:
    return value if rng.random() < share else None


def generate(seed: int, n_models: int = 3, n_cases: int = 8) -> dict[str, Rows]:
    """Return raw rows of every file by stem."""
    rng = np.random.default_rng(seed)
    raw: dict[str, Rows] = {
        stem: []
        for stem in (
            *("sessions", "turns", "aius", "gold", "precedence", "differentials", "regimens"),
            *("violations", "followups", "adaptations", "judgements"),
        )
    }
    units = {}
    for c in range(n_cases):
        case = f"c{c}"
        units[case] = [f"u{i}" for i in range(rng.integers(0, 7))]
        for unit in units[case]:
            raw["aius"].append(
                {
                    "case_id": case,
                    "aiu_id": unit,
                    "weight": float(rng.integers(0, 9)) / 4,
                    "red_flag": bool(rng.random() < 0.2),
                    "mni_of": some(rng, DIAGNOSES, 2),
                }
            )
        for diagnosis in some(rng, DIAGNOSES, 3):
            raw["gold"].append(
                {
                    "case_id": case,
                    "diagnosis": diagnosis,
                    "core": bool(rng.random() < 0.5),
                    "weight": float(rng.integers(0, 7)) / 2,
                    "severity": float(rng.integers(0, 7)) / 2,
                    # Given for every diagnosis or for none of the case: the default has its own test.
                    "t_evidence": int(rng.integers(0, 8)),
                }
            )
    raw["precedence"] = [
        {"case_id": "", "unit": "template", "before": a, "after": b}
        for a in TEMPLATES
        for b in TEMPLATES
        if a < b and rng.random() < 0.5
    ]
    raw["precedence"] += [
        {"case_id": f"c{c}", "unit": unit, "before": a, "after": b}
        for c in range(n_cases)
        for unit, a, b in (("template", "severity", "onset"), ("aiu", "u0", "u1"))
        if rng.random() < 0.5
    ]
    for m in range(n_models):
        for c in range(n_cases):
            for run in range(rng.integers(1, 3)):
                _session(rng, raw, {"model": f"m{m}", "case_id": f"c{c}", "run": run}, units[f"c{c}"])
    return raw


def _session(rng: np.random.Generator, raw: dict[str, Rows], key: dict[str, Any], units: list[str]) -> None:
    t_max = int(rng.integers(3, 9))
    t_dx = maybe(rng, int(rng.integers(0, t_max + 1)), 0.85)
    raw["sessions"].append({**key, "t_dx": t_dx, "t_max": t_max})
    n_turns = int(rng.integers(0, t_max + 1)) if rng.random() < 0.9 else 0
    for turn in range(int(rng.integers(0, 2)), n_turns + 1):
        question = turn > 0
        raw["turns"].append(
            {
                **key,
                "turn": turn,
                "template": maybe(rng, str(rng.choice(TEMPLATES)), 0.9) if question else None,
                "revealed": some(rng, units, 2),
                "top_k": some(rng, TEMPLATES, 4),
                "expert": some(rng, TEMPLATES, 2),
                "information_gain": float(np.round(rng.normal(), 3)),
            }
        )
    for diagnosis in some(rng, DIAGNOSES, 5):
        raw["differentials"].append(
            {
                **key,
                "diagnosis": diagnosis,
                "rank": int(rng.integers(1, 5)),
                "as_core": bool(rng.random() < 0.5),
                "turn_named": maybe(rng, int(rng.integers(0, t_max + 1))),
            }
        )
    _later(rng, raw, key)


def _later(rng: np.random.Generator, raw: dict[str, Rows], key: dict[str, Any]) -> None:
    for plan in ("initial", "revised"):
        drugs = [str(rng.choice(DRUGS)) for _ in range(rng.integers(0, 4))]
        raw["regimens"] += [
            {**key, "plan": plan, "line": i + 1, "drug": drug} for i, drug in enumerate(drugs)
        ]
        for i in range(rng.integers(0, 4)):
            a, b = rng.permutation([*DRUGS, "taken"])[:2]
            raw["violations"].append(
                {
                    **key,
                    "plan": plan,
                    "violation": i + 1,
                    "kind": str(
                        rng.choice(
                            ["interaction", "profile_conflict", "contraindication", "missing_component"]
                        )
                    ),
                    "severity": str(rng.choice(["critical", "major", "moderate", "minor"])),
                    "hard": bool(rng.random() < 0.4),
                    "drug": str(a),
                    "other_drug": str(b),
                }
            )
    for turn in range(1, int(rng.integers(1, 4))):
        raw["followups"].append({**key, "turn": turn, "weight": float(rng.integers(0, 3))})
    for constraint in some(rng, ["cost", "access"], 2):
        judged = rng.random() < 0.8
        raw["adaptations"].append(
            {
                **key,
                "constraint": constraint,
                "satisfied": maybe(rng, bool(rng.random() < 0.7), 0.9),
                "quality_before": 0.8 if judged else None,
                "quality_after": float(rng.choice([0.4, 0.72, 0.9])) if judged else None,
            }
        )
    for metric, target, dimension in (
        *(("drss", d, x) for d in ("d1", "d2") for x in ("evidence", "negative")),
        *(("fqr", str(t), "") for t in (1, 2, 9)),
        *((m, "", "") for m in ("neu", "car", "aoc", "sdbi")),
    ):
        for rater, kind, repeat in (
            ("j1", "judge", 0),
            ("j1", "judge", 1),
            ("j2", "judge", 0),
            ("h", "human", 0),
        ):
            if rng.random() < 0.6:
                raw["judgements"].append(
                    {
                        **key,
                        "metric": metric,
                        "target": target,
                        "dimension": dimension,
                        "rater": rater,
                        "rater_kind": kind,
                        "repeat": repeat,
                        "value": float(rng.integers(0, 3)) / 2,
                    }
                )


def frames(raw: dict[str, Rows]) -> dict[str, pl.DataFrame]:
    """Return the raw rows as frames; files without a row are left out."""
    return {
        stem: pl.DataFrame(rows, infer_schema_length=None, strict=False) for stem, rows in raw.items() if rows
    }
