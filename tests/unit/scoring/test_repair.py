"""Phase 1: what is repaired and how it is recorded, and what ends as T1 or T2."""

from __future__ import annotations

import json

import pytest

from analysis.scoring.odbb import Dictionaries, ScorerConfig
from analysis.scoring.odbb.repair import Parsed, parse_response


def parse(text: str | None, dictionaries: Dictionaries, *, crc: bool = False) -> Parsed:
    return parse_response(text, "item-1", crc, dictionaries, ScorerConfig())


STOP = {"decision": "stop_missing_info", "needs": ["RAS status"]}
ACT = {"decision": "proceed_with_treatment", "next_step": "Give FOLFOX"}


def test_a_canonical_response_is_left_alone(dictionaries: Dictionaries) -> None:
    record = STOP | {"evidence": ["biopsy"], "basis": "node 3", "reasoning": "open", "rationale": "so"}
    assert parse(json.dumps(record), dictionaries) == Parsed(record, "", "", ())


@pytest.mark.parametrize(
    ("text", "record", "repairs"),
    [
        ('{"decision": "stop_missing_info", "need": ["RAS status"]}', STOP, ["renamed:need->needs"]),
        (
            '{"decision": "stop_missing_info", "needs": ["RAS status"], "rational": "so"}',
            STOP | {"rationale": "so"},
            ["renamed:rational->rationale"],
        ),
        (
            '{"Decision": "Stop - missing info", "Next Step": "ask", "needs": ["RAS status"]}',
            STOP | {"next_step": "ask"},
            [
                "renamed:Decision->decision",
                "renamed:Next Step->next_step",
                "value:decision->stop_missing_info",
            ],
        ),
        (f'{{"item-1": {json.dumps(STOP)}}}', STOP, ["unwrapped:item-1"]),
        (f'{{"item_id": {json.dumps(STOP)}}}', STOP, ["unwrapped:item_id"]),
        (
            f'[{{"id": "item-1", "response": {json.dumps(STOP)}}}]',
            STOP,
            ["unwrapped:[]", "unwrapped:response"],
        ),
        (json.dumps(json.dumps(STOP)), STOP, ["unquoted"]),
        (f"```json\n{json.dumps(STOP)}\n```", STOP, ["unfenced"]),
        (f"```\n{json.dumps(STOP)}", STOP, ["unfenced"]),
        (f"Sure! Here it is: {json.dumps(STOP)} Hope it helps.", STOP, ["cut_from_text"]),
        ('{"decision": "stop_missing_info", "needs": ["RAS status",],}', STOP, ["mended_syntax"]),
        (
            '{"decision": "proceed_with_treatment", "next_step": "Give\nFOLFOX", "basis": None}',
            ACT | {"next_step": "Give\nFOLFOX"},
            ["mended_syntax"],
        ),
        ('{"decision": "stop_missing_info", "needs": ["RAS status", "MSI st', STOP, ["closed_truncated"]),
        ('{"decision": "stop_missing_info", "needs": ["RAS status"], "reas', STOP, ["closed_truncated"]),
        ('{"decision": "stop_missing_info", "needs": ["RAS status"], "basis": ', STOP, ["closed_truncated"]),
        (
            '{"needs": ["RAS status"], "decision": "stop_missing_info", "reasoning": "It is \\u00e',
            STOP | {"reasoning": "It is "},
            ["closed_truncated"],
        ),
        (
            '{"decision": "stop_missing_info", "needs": "RAS status; MSI status"}',
            STOP | {"needs": ["RAS status", "MSI status"]},
            ["listed:needs"],
        ),
        (
            '{"decision": "stop_missing_info", "needs": [{"slot": "RAS status"}, ""]}',
            STOP,
            ["texted:needs", "ignored:needs entry"],
        ),
        (
            '{"decision": ["stop_missing_info"], "needs": ["RAS status"]}',
            STOP,
            ["value:decision->stop_missing_info"],
        ),
        (
            '{"decision": "stop_missing_info", "needs": ["RAS status"], "category": "Category 2A"}',
            STOP | {"nccn_category": "2A"},
            ["renamed:category->nccn_category", "value:nccn_category->2A"],
        ),
        (
            '{"decision": "stop_missing_info", "needs": ["RAS status"], "need": ["other"]}',
            STOP,
            ["ignored:need"],
        ),
        (
            '{"decision": "proceed_with_treatment", "next_step": ["Give FOLFOX", "then restage"]}',
            ACT | {"next_step": "Give FOLFOX; then restage"},
            ["joined:next_step"],
        ),
    ],
)
def test_repairs_are_made_and_recorded(
    text: str, record: dict[str, object], repairs: list[str], dictionaries: Dictionaries
) -> None:
    assert parse(text, dictionaries) == Parsed(record, "", "", tuple(repairs))


@pytest.mark.parametrize(
    ("text", "regimens", "repairs"),
    [
        (
            '{"regimens": [["FOLFOX", "bevacizumab"]], "intent": "palliative"}',
            [["FOLFOX", "bevacizumab"]],
            [],
        ),
        (
            '{"regimen": "FOLFOX4 + bevacizumab", "intent": "palliative"}',
            [["FOLFOX4", "bevacizumab"]],
            ["listed:regimen", "split:regimen"],
        ),
        ('{"regimen": ["FOLFOX", "bev"], "intent": "palliative"}', [["FOLFOX", "bev"]], ["listed:regimen"]),
        (
            '{"regimens": ["FOLFIRI with cetuximab", {"drugs": ["Lonsurf"]}], "intent": "palliative"}',
            [["FOLFIRI", "cetuximab"], ["Lonsurf"]],
            ["split:regimen", "unwrapped:drugs"],
        ),
        (
            '{"treatment": "capecitabine", "treatment_intent": "Palliation"}',
            [["capecitabine"]],
            [
                "renamed:treatment->regimen",
                "renamed:treatment_intent->intent",
                "listed:regimen",
                "split:regimen",
                "value:intent->palliative",
            ],
        ),
    ],
)
def test_case_responses(
    text: str, regimens: list[list[str]], repairs: list[str], dictionaries: Dictionaries
) -> None:
    parsed = parse(text, dictionaries, crc=True)
    assert parsed.record == {"regimens": regimens, "intent": "palliative"}
    assert list(parsed.repairs) == repairs


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("42", "is a JSON int, not an object"),
        ("[1, 2]", "is a JSON list, not an object"),
        ('{"needs": ["x"]}', "the field decision is missing"),
        ('{"decision": "stop"}', "a decision to stop needs the field needs or evidence"),
        ('{"decision": "treat", "next_step": ""}', "a decision to act needs the field next_step"),
        (
            '{"decision": "perhaps", "needs": []}',
            "decision 'perhaps' is not one of proceed_with_treatment, route_to_alternative_pathway, "
            "stop_missing_info, stop_need_evidence",
        ),
    ],
)
def test_schema_violations_are_t1(text: str, reason: str, dictionaries: Dictionaries) -> None:
    parsed = parse(text, dictionaries)
    assert (parsed.record, parsed.technical, parsed.reason) == (None, "T1", reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "empty response"),
        ("  \n", "empty response"),
        ("I cannot help with that.", "no JSON object in the response"),
        ('{"decision": "stop" "needs": }', "the JSON of the response cannot be read"),
        ("{" * 5000, "the JSON of the response cannot be read"),
        ('{"decision": "stop", "needs": ["\\ud800"]}', "the JSON of the response cannot be read"),
        ('{"a": ]}', "the JSON of the response cannot be read"),
    ],
)
def test_unreadable_responses_are_t2(text: str | None, reason: str, dictionaries: Dictionaries) -> None:
    parsed = parse(text, dictionaries)
    assert (parsed.record, parsed.technical, parsed.reason) == (None, "T2", reason)


def test_huge_responses_are_t2(dictionaries: Dictionaries) -> None:
    assert parse("x" * 200_001, dictionaries).reason == "longer than 200,000 characters"


@pytest.mark.parametrize("unit", [" ", "....x", '"', "\\", ",", "[", '{"a":', "`", "\n"])
def test_long_adversarial_texts_are_read_in_linear_time(unit: str, dictionaries: Dictionaries) -> None:
    # Quadratic work on 200,000 characters would take minutes.
    body = (unit * 200_000)[:190_000]
    needs = json.dumps({"decision": "stop", "needs": body, "reasoning": body[:1000]})[:199_000]
    for text in (body, '{"decision": "stop", "needs": "' + body, needs):
        assert parse(text, dictionaries).technical in ("", "T1", "T2")


def test_case_schema_violations(dictionaries: Dictionaries) -> None:
    reasons = {
        '{"intent": "palliative", "decision": "x"}': "the field regimens is missing",
        '{"regimens": [[]], "intent": "palliative"}': "the field regimens names no regimen",
        '{"regimens": [["FOLFOX"]]}': "the field intent is missing",
    }
    for text, reason in reasons.items():
        parsed = parse(text, dictionaries, crc=True)
        assert (parsed.technical, parsed.reason) == ("T1", reason)
