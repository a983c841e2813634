"""The content of the simulated consultations, read from `content.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Line = tuple[str, float, str, float, str]
"""A line of a plan: drug, dose, unit, doses a day, route."""


@dataclass(frozen=True)
class Unit:
    """An atomic information unit of a condition or of the background.

    Parameters
    ----------
    template : str
        Inquiry template that brings it out.
    category, text : str
        Kind of information, and what the patient says.
    weight : float
        Importance.
    red_flag : bool
        Whether it is a red flag.
    """

    template: str
    category: str
    weight: float
    text: str
    red_flag: bool


@dataclass(frozen=True)
class Condition:
    """A diagnosis that a simulated patient can have.

    Parameters
    ----------
    diagnosis, specialty : str
        Name as the knowledge base has it, and department.
    weight, severity : float
        Final weight and severity.
    mimics : tuple of str
        Diagnoses that it is taken for.
    companion : bool
        Stands beside another condition, never alone.
    needs : tuple of Unit
        Minimal necessary information.
    plan : tuple of Line
        What treats it, and no hazard of the content speaks against.
    """

    diagnosis: str
    specialty: str
    weight: float
    severity: float
    mimics: tuple[str, ...]
    companion: bool
    needs: tuple[Unit, ...]
    plan: tuple[Line, ...]


@dataclass(frozen=True)
class Hazard:
    """What in a profile speaks against a drug.

    Parameters
    ----------
    factor, allergy : str
        Condition or allergy of the patient; empty: none.
    age : int or None
        Age that it takes.
    drug : Line
        The drug that is wrong in such a patient.
    not_with : tuple of str
        Diagnoses whose own plan the hazard would speak against.
    """

    factor: str
    allergy: str
    age: int | None
    drug: Line
    not_with: tuple[str, ...]


@dataclass(frozen=True)
class Contents:
    """Everything that `content.yaml` says.

    Parameters
    ----------
    templates : tuple of str
        Inquiry templates in the doctors' order.
    questions : dict of str to str
        A question of each template.
    conditions : dict of str to Condition
        Conditions by diagnosis.
    background : tuple of Unit
        Units that no diagnosis needs.
    hard, soft : tuple of Hazard
        Hazards that fail a plan, and those that call for caution.
    severe_pairs : tuple of pairs of Line
        Pairs of drugs with a severe interaction.
    gross_dose : Line
        A line with a gross dosing error.
    follow_ups : dict of str to str
        A follow-up question of each intent.
    """

    templates: tuple[str, ...]
    questions: dict[str, str]
    conditions: dict[str, Condition]
    background: tuple[Unit, ...]
    hard: tuple[Hazard, ...]
    soft: tuple[Hazard, ...]
    severe_pairs: tuple[tuple[Line, Line], ...]
    gross_dose: Line
    follow_ups: dict[str, str]


@cache
def contents() -> Contents:
    """Read `content.yaml`."""
    data = yaml.safe_load(Path(__file__).with_name("content.yaml").read_text(encoding="utf-8"))
    conditions = {
        name: Condition(
            name,
            c["specialty"],
            float(c["weight"]),
            float(c["severity"]),
            tuple(c["mimics"]),
            bool(c.get("companion", False)),
            tuple(_unit(u) for u in c["needs"]),
            tuple(_line(x) for x in c["plan"]),
        )
        for name, c in data["conditions"].items()
    }
    return Contents(
        tuple(data["templates"]),
        dict(data["questions"]),
        conditions,
        tuple(_unit(u) for u in data["background"]),
        tuple(_hazard(h) for h in data["hazards"]["hard"]),
        tuple(_hazard(h) for h in data["hazards"]["soft"]),
        tuple((_line(a), _line(b)) for a, b in data["severe_pairs"]),
        _line(data["gross_dose"]),
        dict(data["follow_ups"]),
    )


def _unit(row: list[Any]) -> Unit:
    template, category, weight, text, *flag = row
    return Unit(template, category, float(weight), text, flag == ["red"])


def _line(row: list[Any]) -> Line:
    drug, dose, unit, per_day, route = row
    return (str(drug), float(dose), str(unit), float(per_day), str(route))


def _hazard(row: dict[str, Any]) -> Hazard:
    return Hazard(
        row.get("factor", ""),
        row.get("allergy", ""),
        row.get("age"),
        _line(row["drug"]),
        tuple(row.get("not_with", ())),
    )
