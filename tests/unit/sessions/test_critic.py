"""The safety critic against regimens whose violations are read off the knowledge base by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.errors import ConfigError
from analysis.schemas import SESSION_TABLES
from analysis.sessions.critic import Critique, criticise
from analysis.sessions.knowledge import OWN, KnowledgeBase, read_knowledge

PATIENT: dict[str, Any] = {
    "case_id": "c",
    "age": 50.0,
    "egfr": 90.0,
    "factors": [],
    "allergies": [],
    "medications": [],
}


def line(drug: str, dose: float | None = None, per_day: float | None = None, **more: Any) -> dict[str, Any]:
    return {"drug": drug, "dose": dose, "per_day": per_day, "dose_unit": "mg", **more}


def table(name: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Return rows of a table's schema; columns that a row leaves out are null."""
    schema = SESSION_TABLES[name].create_empty().schema
    return pl.DataFrame([{c: r.get(c) for c in schema} for r in rows], schema=schema)


def check(
    *lines: dict[str, Any], gold: tuple[str, ...] = (), knowledge: KnowledgeBase | None = None, **patient: Any
) -> Critique:
    key = {"model": "m", "case_id": "c", "run": 0, "plan": "initial"}
    tables = {
        "session_regimens": table(
            "session_regimens", [{**key, "line": i + 1, **r} for i, r in enumerate(lines)]
        ),
        "session_cases": table("session_cases", [{**PATIENT, **patient}]),
        "session_gold": table("session_gold", [{"case_id": "c", "diagnosis": d} for d in gold]),
    }
    return criticise(tables, knowledge or read_knowledge(OWN))


def rules(found: Critique) -> list[str]:
    return found.violations["rule"].to_list()


def test_contraindication_by_renal_function() -> None:
    found = check(line("metformin", 500, 2), egfr=22.0)
    assert found.violations.drop("model", "case_id", "run").rows(named=True) == [
        {
            "plan": "initial",
            "violation": 1,
            "rule": "C07",
            "kind": "contraindication",
            "severity": "critical",
            "hard": True,
            "drug": "metformin",
            "other_drug": None,
            "note": "C07: metformin for a patient with eGFR 22: lactic acidosis",
        }
    ]


@pytest.mark.parametrize(
    ("egfr", "expected"), [(30.0, ["P07"]), (44.9, ["P07"]), (45.0, []), (29.9, ["C07"])]
)
def test_limits_include_from_and_exclude_below(egfr: float, expected: list[str]) -> None:
    assert rules(check(line("metformin", 500, 2), egfr=egfr)) == expected


def test_a_class_stands_for_its_drugs_and_other_names_for_the_drug() -> None:
    assert rules(check(line("  Lisinopril ", 10, 1), factors=["Pregnancy"])) == ["C01"]
    assert rules(check(line("Albuterol"), factors=["pregnancy"])) == []


def test_allergy_to_a_drug_or_its_class_is_critical() -> None:
    found = check(line("co-amoxiclav"), allergies=["Penicillin"])
    assert found.violations.select("rule", "severity", "hard", "drug", "note").row(0) == (
        "allergy",
        "critical",
        True,
        "co-amoxiclav",
        "allergy: co-amoxiclav for a patient allergic to penicillin",
    )
    assert rules(check(line("paracetamol", 500, 1), allergies=["acetaminophen"])) == ["allergy"]
    assert rules(check(line("amoxicillin", 500, 3), allergies=["penicillin", "amoxicillin"])) == ["allergy"]


def test_an_interaction_stands_once_per_pair_and_rule() -> None:
    found = check(line("warfarin"), line("ibuprofen", 400, 3), line("ibuprofen", 200, 1))
    assert found.violations.select("rule", "drug", "other_drug").rows() == [("I01", "ibuprofen", "warfarin")]
    assert rules(check(line("warfarin"))) == []
    three = check(line("warfarin"), line("azithromycin", 500, 1), line("ibuprofen", 400, 3))
    assert sorted(rules(three)) == ["I01", "I02"]


def test_what_the_patient_takes_already_interacts_unless_the_plan_repeats_it() -> None:
    taken = check(line("ibuprofen", 400, 3), medications=["Warfarin"])
    assert taken.violations.select("rule", "drug", "other_drug").rows() == [("I01", "ibuprofen", "warfarin")]
    both = check(line("ibuprofen", 400, 3), line("warfarin"), medications=["warfarin"])
    assert rules(both) == ["I01"]


@pytest.mark.parametrize(
    ("dose", "per_day", "severity"),
    [
        (1000.0, 4.0, None),
        (1001.0, 1.0, "moderate"),
        (1000.0, 5.0, "moderate"),
        (2001.0, 1.0, "critical"),
        (1000.0, 9.0, "critical"),
        (2000.0, 4.0, "moderate"),
        (100.0, 1.0, "moderate"),
    ],
)
def test_dose_of_paracetamol(dose: float, per_day: float, severity: str | None) -> None:
    found = check(line("paracetamol", dose, per_day)).violations
    assert found["severity"].to_list() == ([] if severity is None else [severity])
    assert found["hard"].to_list() == ([] if severity is None else [severity == "critical"])


def test_the_most_specific_range_counts() -> None:
    assert rules(check(line("paracetamol", 1000, 3))) == []
    assert rules(check(line("paracetamol", 1000, 3), factors=["liver disease"])) == ["D02"]
    assert rules(check(line("aspirin", 500, 1, indication="stable angina"))) == ["D05"]
    assert rules(check(line("aspirin", 500, 1))) == []


def test_masses_convert_and_stay_exact_at_the_limit() -> None:
    assert rules(check(line("paracetamol", 1, 4, dose_unit="g"))) == []
    assert rules(check(line("levothyroxine", 0.2, 1, dose_unit="mg"))) == []
    assert rules(check(line("levothyroxine", 0.201, 1, dose_unit="mg"))) == ["D17"]


def test_routes_of_the_drug_and_of_the_context() -> None:
    found = check(line("amoxicillin", 500, 3, route="IV"))
    assert found.violations.select("rule", "severity", "note").row(0) == (
        "route:amoxicillin",
        "major",
        "route: amoxicillin given iv; allowed: oral",
    )
    assert rules(check(line("azithromycin", 500, 1, route="iv"), factors=["long qt"])) == ["R02"]


def test_missing_components_of_the_gold_diagnoses() -> None:
    found = check(line("aspirin", 75, 1), gold=("Stable angina",))
    assert found.violations.select("rule", "kind", "hard", "drug").row(0) == (
        "N01",
        "missing_component",
        False,
        None,
    )
    assert rules(check(line("aspirin", 75, 1), gold=("stable angina",), medications=["nitroglycerin"])) == []


def test_what_cannot_be_checked_is_counted() -> None:
    found = check(
        line("unobtainium"),
        line("metformin", 500, 2),
        line("paracetamol"),
        line("ibuprofen", 2, 1, dose_unit="tablets"),
        line("amlodipine", 5, None, route="oral"),
        egfr=None,
        factors=None,
    )
    assert found.violations.is_empty()
    gaps = {(g, s): n for g, s, n in found.gaps.iter_rows()}
    assert gaps[("unknown_drug", "unobtainium")] == 1
    assert gaps[("unknown_profile", "C07")] == gaps[("unknown_profile", "P07")] == 1
    assert gaps[("unknown_profile", "C09")] == 1
    assert gaps[("dose_not_given", "paracetamol")] == 1
    assert gaps[("dose_unit", "ibuprofen")] == 1
    assert gaps[("doses_a_day_not_given", "amlodipine")] == 1
    assert gaps[("route_not_given", "metformin")] == 1
    assert ("unknown_profile", "C05") not in gaps


def test_profiles_that_the_knowledge_base_does_not_know_are_counted() -> None:
    found = check(
        line("warfarin"),
        line("cetirizine", 10, 1),
        allergies=["Penicilin", "penicillin", "acetaminophen"],
        medications=["St John's wort", "Albuterol"],
    )
    gaps = [(g, s, n) for g, s, n in found.gaps.iter_rows() if g in ("unknown_allergy", "unknown_medication")]
    assert gaps == [("unknown_allergy", "penicilin", 2), ("unknown_medication", "st john's wort", 2)]


def test_plans_without_a_case_row_are_checked_as_far_as_can_be() -> None:
    key = {"model": "m", "case_id": "other", "run": 0, "plan": "initial"}
    regimens = table(
        "session_regimens", [{**key, "line": i, **line(d)} for i, d in ((1, "warfarin"), (2, "aspirin"))]
    )
    found = criticise({"session_regimens": regimens}, read_knowledge(OWN))
    assert rules(found) == ["I01"]
    assert ("unknown_profile", "C02") in {(g, s) for g, s, _ in found.gaps.iter_rows()}


def test_no_regimens() -> None:
    found = check()
    assert found.violations.is_empty()
    assert found.gaps.is_empty()


def test_plans_are_numbered_apart() -> None:
    key = {"model": "m", "case_id": "c", "run": 0}
    lines = [
        {**key, "plan": plan, "line": i, "drug": drug}
        for plan in ("initial", "revised")
        for i, drug in ((1, "warfarin"), (2, "ibuprofen"))
    ]
    found = criticise({"session_regimens": table("session_regimens", lines)}, read_knowledge(OWN)).violations
    assert found.select("plan", "violation", "rule").rows() == [("initial", 1, "I01"), ("revised", 1, "I01")]


DRUG = "drugs: [{drug: a, classes: [k]}]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("drugs: [{drug: a}, {drug: b, names: [A]}]", "the drug name 'a' stands twice"),
        ("drugs: [{drug: a, classes: [b]}, {drug: b}]", "'b' is both a drug and a class"),
        (
            DRUG + "interactions: [{rule: I, between: [a], against: [x], severity: major, reason: r}]",
            "rule 'I' names 'x', which is no drug and no class of the knowledge base",
        ),
        (DRUG + "doses: [{rule: D, drug: a, unit: mg}]", "dose range 'D' has no limit"),
        (
            DRUG + "doses: [{rule: D, drug: a, unit: mg, low: 5, high: 2}]",
            "dose range 'D': its least dose 5 is above its greatest 2",
        ),
        (
            DRUG + "doses: [{rule: D, drug: a, unit: mg, low: 5}, {rule: D, drug: a, unit: mg, high: 9}]",
            "the rule 'D' stands twice",
        ),
        (
            DRUG + "profile_rules: [{rule: P, kind: profile_conflict, drugs: [k], "
            "when: {age_from: 9, age_below: 9}, severity: minor, reason: r}]",
            "age_from 9 is not below age_below 9: nobody fits",
        ),
        (DRUG + "interaction: []", "is not a known key; did you mean 'interactions'?"),
    ],
)
def test_a_wrong_knowledge_base_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "knowledge.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_knowledge(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith("knowledge.yaml")
