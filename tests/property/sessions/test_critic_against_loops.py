"""The column-wise critic against one plan at a time in plain Python, on generated patients and plans."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis.schemas import SESSION_TABLES
from analysis.sessions.critic import criticise, is_hard
from analysis.sessions.knowledge import OWN, read_knowledge
from tests.property.sessions.plain_critic import Critic

PLAN = ("model", "case_id", "run", "plan")


def table(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = SESSION_TABLES[name].create_empty().schema
    return pl.DataFrame([{c: r.get(c) for c in schema} for r in rows], schema=schema)


def generate(seed: int) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]], dict[str, list[str]]]:
    """Return lines of regimens, patients and gold diagnoses that touch every rule often."""
    rng = np.random.default_rng(seed)
    base = Critic(OWN.read_text()).base
    names = [n for d in base["drugs"] for n in (d["drug"], *d.get("names", []))] + ["unobtainium"]
    classes = sorted({c for d in base["drugs"] for c in d.get("classes", [])})
    rules = [*base["profile_rules"], *base["doses"], *base["routes"]]
    factors = sorted({r["when"]["factor"] for r in rules if "factor" in r.get("when", {})})
    diagnoses = sorted({r["diagnosis"] for r in base["requirements"]})

    def pick(values: list[str], most: int) -> list[str]:
        return [str(v) for v in rng.permutation(values)[: rng.integers(0, most + 1)]]

    def maybe(value: Any) -> Any:
        return value if rng.random() < 0.85 else None

    patients, gold, lines = {}, {}, []
    for i in range(40):
        case = f"c{i:02d}"
        patients[case] = {
            "case_id": case,
            "age": maybe(float(rng.choice([5, 8, 15, 16, 17, 18, 40, 65, 75, 80]))),
            "sex": maybe(str(rng.choice(["female", "male"]))),
            "egfr": maybe(float(rng.choice([20, 30, 44, 45, 59, 60, 90]))),
            "weight_kg": None,
            "factors": maybe(pick(factors, 3)),
            "allergies": pick([*classes, *names], 3),
            "medications": [m.upper() for m in pick(names, 3)],
        }
        gold[case] = pick(diagnoses, 3)
        for plan in ("initial", "revised"):
            key = {"model": "m", "case_id": case, "run": 0, "plan": plan}
            for line in range(int(rng.integers(0, 7))):
                lines.append(
                    {
                        **key,
                        "line": line + 1,
                        "drug": str(rng.choice(names)),
                        "dose": maybe(
                            float(rng.choice([0.2, 0.5, 1, 5, 40, 75, 100, 325, 500, 1000, 2000, 5000]))
                        ),
                        "dose_unit": maybe(
                            str(rng.choice(["mg", "g", "ug", "tablets"], p=[0.7, 0.1, 0.1, 0.1]))
                        ),
                        "per_day": maybe(float(rng.integers(1, 7))),
                        "route": maybe(
                            str(rng.choice(["oral", "IV", "rectal", "inhaled"], p=[0.6, 0.2, 0.1, 0.1]))
                        ),
                        "indication": maybe(str(rng.choice(diagnoses))),
                    }
                )
    return lines, patients, gold


@pytest.mark.parametrize("seed", range(6))
def test_same_violations(seed: int) -> None:
    lines, patients, gold = generate(seed)
    found = criticise(
        {
            "session_regimens": table("session_regimens", lines),
            "session_cases": table("session_cases", list(patients.values())),
            "session_gold": table(
                "session_gold", [{"case_id": c, "diagnosis": d} for c, ds in gold.items() for d in ds]
            ),
        },
        read_knowledge(OWN),
    ).violations
    critic = Critic(OWN.read_text())
    plans: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for line in lines:
        plans.setdefault(tuple(line[k] for k in PLAN), []).append(line)
    of_plan = {key: critic.check(own, patients[key[1]], gold[key[1]]) for key, own in plans.items()}
    expected = {key: violations for key, violations in of_plan.items() if violations}
    got: dict[tuple[Any, ...], Counter[Any]] = {}
    for row in found.iter_rows(named=True):
        columns = ("rule", "kind", "severity", "drug", "other_drug")
        got.setdefault(tuple(row[k] for k in PLAN), Counter())[tuple(row[c] for c in columns)] += 1
    assert got == expected
    assert found["note"].null_count() == 0
    assert (found["hard"] == found.select(is_hard(pl.col("kind"), pl.col("severity"))).to_series()).all()


def test_generated_plans_break_every_kind_of_rule() -> None:
    kinds: Counter[str] = Counter()
    critic = Critic(OWN.read_text())
    for seed in range(6):
        lines, patients, gold = generate(seed)
        for case, patient in patients.items():
            own = [x for x in lines if x["case_id"] == case and x["plan"] == "initial"]
            kinds.update(kind for _, kind, _, _, _ in critic.check(own, patient, gold[case]))
    assert min(kinds.values()) > 10
    assert len(kinds) == 6
