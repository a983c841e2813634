"""Phase 1: a response's text to a canonical record, with every repair recorded, or a technical label.

Canonical records are NCCN (`decision`, `next_step`, `needs`, `evidence`, `basis`, `rationale`,
`reasoning`, `nccn_category`) or CRC (`regimens`, `intent`, `basis`, `rationale`, `reasoning`). Repairing the
JSON of a canonical record changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from analysis.scoring.odbb.config import ScorerConfig
from analysis.scoring.odbb.dictionaries import Dictionaries
from analysis.scoring.odbb.mend import UnreadableError, read_json
from analysis.scoring.odbb.text import field_key

SCHEMA_VIOLATION, UNPARSEABLE = "T1", "T2"
STOP_DECISIONS = frozenset({"stop_missing_info", "stop_need_evidence"})
LISTS = ("needs", "evidence")
TEXTS = ("next_step", "basis", "rationale", "reasoning")
CORE = frozenset({"decision", "next_step", "needs", "evidence", "regimens", "regimen"})
ITEM_BREAK = re.compile(r"[;\n\u2022]")
DRUG_BREAK = re.compile(r"[+;,\n&]|\b(?:plus|with|and)\b", re.IGNORECASE)


class Parsed(NamedTuple):
    """What phase 1 makes of a response.

    Parameters
    ----------
    record : dict or None
        The canonical record; None where there is a technical label.
    technical : str
        ``T1``, ``T2`` or the empty text.
    reason : str
        Why there is a technical label.
    repairs : tuple of str
        What was repaired, in order.
    """

    record: dict[str, Any] | None
    technical: str
    reason: str
    repairs: tuple[str, ...]


class _ViolationError(ValueError):
    """The response breaks the schema, also after repair."""


def parse_responses(
    texts: Sequence[str | None],
    item_ids: Sequence[str],
    is_crc: Sequence[bool],
    dictionaries: Dictionaries,
    config: ScorerConfig,
) -> list[Parsed]:
    """Parse and repair responses, each on its own."""
    return [
        parse_response(text, item_id, crc, dictionaries, config)
        for text, item_id, crc in zip(texts, item_ids, is_crc, strict=True)
    ]


def parse_response(
    text: str | None, item_id: str, crc: bool, dictionaries: Dictionaries, config: ScorerConfig
) -> Parsed:
    """Parse and repair one response.

    Parameters
    ----------
    text : str or None
        The response; None where the model gave none.
    item_id : str
        The item's identifier: an object that has it as its only key is unwrapped.
    crc : bool
        Which of the two schemas holds.
    dictionaries : Dictionaries
        Names and variants.
    config : ScorerConfig
        `max_chars` and `max_depth`.
    """
    if not text or text.isspace():
        return Parsed(None, UNPARSEABLE, "empty response", ())
    if len(text) > config.max_chars:
        return Parsed(None, UNPARSEABLE, f"longer than {config.max_chars:,} characters", ())
    repairs: list[str] = []
    try:
        raw = _unwrapped(read_json(text, repairs), item_id, dictionaries, config.max_depth, repairs)
        named = _renamed(raw, dictionaries, repairs)
        build = _crc_record if crc else _nccn_record
        return Parsed(build(named, dictionaries, repairs), "", "", _distinct(repairs))
    except UnreadableError as error:
        return Parsed(None, UNPARSEABLE, str(error), _distinct(repairs))
    except _ViolationError as error:
        return Parsed(None, SCHEMA_VIOLATION, str(error), _distinct(repairs))


def _distinct(repairs: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(repairs))


def _unwrapped(
    value: Any, item_id: str, dictionaries: Dictionaries, max_depth: int, repairs: list[str]
) -> dict[str, Any]:
    """Take the record out of its containers: a list of one, JSON in a text, `{"response": {...}}`."""
    field_of = dictionaries.field_of
    for _ in range(max_depth + 1):
        if isinstance(value, dict):
            if not CORE.isdisjoint(value) or any(field_of.get(field_key(k)) in CORE for k in value):
                return value
            inside = _container(value, item_id, dictionaries)
            if inside is None:
                return value
            key, value = inside
            repairs.append(f"unwrapped:{key}")
        elif isinstance(value, list) and len(value) == 1:
            value = value[0]
            repairs.append("unwrapped:[]")
        elif isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            repairs.append("unquoted")
            value = read_json(value, repairs)
        else:
            break
    if not isinstance(value, dict):
        raise _ViolationError(f"is a JSON {type(value).__name__}, not an object")
    return value


def _container(value: dict[str, Any], item_id: str, dictionaries: Dictionaries) -> tuple[str, Any] | None:
    def holds(inner: Any) -> bool:
        return isinstance(inner, dict | list) or (isinstance(inner, str) and inner.lstrip()[:1] == "{")

    if item_id in value and holds(value[item_id]):
        return item_id, value[item_id]
    keyed = {field_key(k): (k, v) for k, v in value.items()}
    for name in dictionaries.fields.containers:
        if name in keyed and holds(keyed[name][1]):
            return keyed[name]
    return None


def _renamed(raw: dict[str, Any], dictionaries: Dictionaries, repairs: list[str]) -> dict[str, Any]:
    """Return the known fields under their canonical names; a canonical name wins over its variants."""
    fields = dictionaries.fields.fields
    named: dict[str, Any] = {}
    for key, value in raw.items():
        if key in fields:
            named[key] = value
    if len(named) == len(raw):
        return named
    field_of = dictionaries.field_of
    for key, value in raw.items():
        if key in fields:
            continue
        canonical = field_of.get(field_key(key))
        if canonical is None:
            continue
        if canonical in named:
            repairs.append(f"ignored:{key[:40]}")
        else:
            named[canonical] = value
            repairs.append(f"renamed:{key[:40]}->{canonical}")
    return named


def _nccn_record(named: dict[str, Any], dictionaries: Dictionaries, repairs: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = {
        "decision": _choice(
            named.get("decision"), "decision", dictionaries.decision_of, dictionaries, repairs
        )
    }
    for field in LISTS:
        if field in named:
            record[field] = _texts(named[field], field, dictionaries, repairs)
    _take_texts(named, record, dictionaries, repairs)
    if "nccn_category" in named:
        category = _variant(named["nccn_category"], dictionaries.category_of)
        if category is None:
            repairs.append("ignored:nccn_category")
        else:
            if category != named["nccn_category"]:
                repairs.append(f"value:nccn_category->{category}")
            record["nccn_category"] = category
    if record["decision"] in STOP_DECISIONS:
        if "needs" not in record and "evidence" not in record:
            raise _ViolationError("a decision to stop needs the field needs or evidence")
    elif not record.get("next_step"):
        raise _ViolationError("a decision to act needs the field next_step")
    return record


def _crc_record(named: dict[str, Any], dictionaries: Dictionaries, repairs: list[str]) -> dict[str, Any]:
    if "regimens" in named:
        value = named["regimens"]
        if not isinstance(value, list):
            repairs.append("listed:regimens")
            value = [value]
    elif "regimen" in named:
        repairs.append("listed:regimen")
        value = [named["regimen"]]
    else:
        raise _ViolationError("the field regimens is missing")
    regimens = [drugs for entry in value if (drugs := _drugs(entry, dictionaries, repairs))]
    if not regimens:
        raise _ViolationError("the field regimens names no regimen")
    record: dict[str, Any] = {
        "regimens": regimens,
        "intent": _choice(named.get("intent"), "intent", dictionaries.intent_of, dictionaries, repairs),
    }
    _take_texts(named, record, dictionaries, repairs)
    return record


def _drugs(entry: Any, dictionaries: Dictionaries, repairs: list[str]) -> list[str]:
    """Return the drugs of one regimen: a list of texts."""
    if isinstance(entry, dict):
        inside = next((k for k in entry if field_key(k) in ("drugs", "agents", "regimen", "therapy")), None)
        if inside is not None and not isinstance(entry[inside], dict):
            repairs.append(f"unwrapped:{inside[:40]}")
            return _drugs(entry[inside], dictionaries, repairs)
        text = _text_of(entry, dictionaries)
        entry = text if text is not None else ""
    if isinstance(entry, str):
        parts = [p for p in DRUG_BREAK.split(entry) if p.strip()]
        repairs.append("split:regimen")
        return [p.strip() for p in parts]
    if isinstance(entry, list):
        out = []
        for drug in entry:
            text = _text_of(drug, dictionaries)
            if text is None or not text.strip():
                repairs.append("ignored:drug")
                continue
            parts = [p.strip() for p in DRUG_BREAK.split(text) if p.strip()] if _compound(text) else [text]
            if len(parts) > 1 or text != drug:
                repairs.append("split:regimen")
            out += parts
        return out
    return []


def _compound(text: str) -> bool:
    return DRUG_BREAK.search(text) is not None


def _take_texts(
    named: dict[str, Any], record: dict[str, Any], dictionaries: Dictionaries, repairs: list[str]
) -> None:
    for field in TEXTS:
        if field not in named:
            continue
        value = named[field]
        if not isinstance(value, str):
            if value is None:
                continue
            text = _joined(value, dictionaries)
            repairs.append(f"joined:{field}" if text else f"ignored:{field}")
            if not text:
                continue
            value = text
        record[field] = value


def _joined(value: Any, dictionaries: Dictionaries) -> str:
    parts = value if isinstance(value, list) else [value]
    texts = [t for p in parts if (t := _text_of(p, dictionaries)) is not None]
    return "; ".join(t for t in texts if t.strip())


def _text_of(value: Any, dictionaries: Dictionaries) -> str | None:
    """Return the text of a text, a number, or an object that stands for a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        keyed = {field_key(k): v for k, v in value.items()}
        for key in dictionaries.fields.text_keys:
            if isinstance(keyed.get(key), str):
                return str(keyed[key])
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def _texts(value: Any, field: str, dictionaries: Dictionaries, repairs: list[str]) -> list[str]:
    """Return a list of texts: what the response asks for."""
    if isinstance(value, list):
        for entry in value:
            if type(entry) is not str or not entry or entry.isspace():
                break
        else:
            return value
    if value is None:
        repairs.append(f"listed:{field}")
        return []
    if isinstance(value, str):
        repairs.append(f"listed:{field}")
        return [p.strip() for p in ITEM_BREAK.split(value) if p.strip()]
    if not isinstance(value, list):
        value = [value]
        repairs.append(f"listed:{field}")
    out: list[str] = []
    for entry in value:
        if isinstance(entry, str):
            if entry.strip():
                out.append(entry)
            else:
                repairs.append(f"ignored:{field} entry")
            continue
        inner = entry if isinstance(entry, list) else [entry]
        texts = [t for e in inner if (t := _text_of(e, dictionaries)) is not None and t.strip()]
        repairs.append(f"texted:{field}" if texts else f"ignored:{field} entry")
        out += texts
    return out


def _choice(
    value: Any, field: str, variants: dict[str, str], dictionaries: Dictionaries, repairs: list[str]
) -> str:
    """Return the canonical value of an enumeration."""
    if isinstance(value, str) and value in variants and variants[value] == value:
        return value
    if value is None:
        raise _ViolationError(f"the field {field} is missing")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    text = _text_of(value, dictionaries)
    canonical = None if text is None else _variant(text, variants)
    if canonical is None:
        shown = str(value)
        raise _ViolationError(
            f"{field} {shown[:40]!r} is not one of {', '.join(sorted(set(variants.values())))}"
        )
    repairs.append(f"value:{field}->{canonical}")
    return canonical


def _variant(value: Any, variants: dict[str, str]) -> str | None:
    return variants.get(field_key(value)) if isinstance(value, str) else None
