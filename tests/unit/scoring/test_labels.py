"""The twelve clinical labels and their triggers; what is reserved is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from analysis.errors import ConfigError
from analysis.scoring.odbb import Dictionaries
from analysis.scoring.odbb.dictionaries import LabelRule
from analysis.scoring.odbb.labels import CrcFacts, Labeller, NccnFacts

RIGHT_STOP = NccnFacts(True, True, False, False, False, False, False)
RIGHT_ACT = NccnFacts(False, False, True, False, False, True, False)
RIGHT_CASE = CrcFacts(1.0, 1.0, True, False, False)


@pytest.fixture(scope="module")
def labeller(dictionaries: Dictionaries) -> Labeller:
    return Labeller(dictionaries)


@pytest.mark.parametrize(
    ("facts", "changes", "labels"),
    [
        (RIGHT_STOP, {}, []),
        (RIGHT_STOP, {"stops": False, "commits": True}, ["F1"]),
        (RIGHT_STOP, {"stops": False, "commits": True, "names_treatment": True}, ["F3"]),
        (RIGHT_STOP, {"commits": True, "names_treatment": True}, ["F3"]),
        (RIGHT_STOP, {"missed_critical": True}, ["F4"]),
        (RIGHT_STOP, {"stops": False, "commits": True, "evidence_conflict": True}, ["F1", "F10"]),
        (RIGHT_ACT, {}, []),
        (RIGHT_ACT, {"stops": True, "commits": False}, ["F5", "F6"]),
        (RIGHT_ACT, {"path_matched": False}, ["F7"]),
    ],
)
def test_guideline_labels(
    facts: NccnFacts, changes: dict[str, Any], labels: list[str], labeller: Labeller
) -> None:
    assert labeller.nccn(facts._replace(**changes)) == labels


@pytest.mark.parametrize(
    ("changes", "labels"),
    [
        ({}, []),
        ({"f1_strict": 0.5}, ["F14"]),
        ({"f1_strict": 0.0, "f1_family": 0.0}, ["F11", "F14"]),
        ({"intent_matches": False}, ["F12"]),
        ({"molecular": True}, ["F13"]),
        ({"contraindicated": True}, ["F16"]),
    ],
)
def test_case_labels(changes: dict[str, Any], labels: list[str], labeller: Labeller) -> None:
    assert labeller.crc(RIGHT_CASE._replace(**changes)) == labels


@pytest.mark.parametrize("name", ["F2", "F8", "F9", "F15"])
def test_reserved_labels_are_refused(name: str, labeller: Labeller, dictionaries: Dictionaries) -> None:
    assert name not in dictionaries.active_labels
    with pytest.raises(ConfigError, match=f"label {name} is reserved: nothing may emit it"):
        labeller.refuse_reserved(["F1", name])


def test_unknown_labels_are_refused(labeller: Labeller) -> None:
    with pytest.raises(ConfigError, match="'F99' is not a failure label"):
        labeller.refuse_reserved(["F99"])


def test_twelve_clinical_and_two_technical_labels_are_active(dictionaries: Dictionaries) -> None:
    technical = [n for n in dictionaries.active_labels if dictionaries.labels[n].technical]
    assert technical == ["T1", "T2"]
    assert len(dictionaries.active_labels) == 12 + 2


def test_a_label_with_an_unknown_rule_is_refused(dictionaries: Dictionaries) -> None:
    broken = dataclasses.replace(
        dictionaries,
        labels={**dictionaries.labels, "F4": LabelRule(meaning="x", surface="NCCN", trigger="whim")},
    )
    with pytest.raises(ConfigError, match="F4 names the unknown rule 'whim'; known are unsafe_overreach"):
        Labeller(broken)
