"""Values as logs write them: scores, identifiers, numbers, metadata. What cannot be used is said."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from analysis.ingest.importers.common.files import clean_text
from analysis.ingest.importers.common.records import Log, Score

MAX_LABEL = 200
"""Characters of a score that is text; longer ones are answers, not scores."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INPUT_PREFIX = 200


def score(metric: str, value: Any, log: Log) -> Score | None:
    """Return a metric's value as the pipeline takes it; None where it is none.

    Null and NaN mean unscored. Text that is a number becomes one. Lists and nested values have no
    place in a table of verdicts: they are left out and counted in `log`.
    """
    if value is None:
        return Score(metric)
    if isinstance(value, bool):
        return Score(metric, 1.0 if value else 0.0)
    if isinstance(value, int | float):
        return _number_score(metric, value, log)
    if isinstance(value, str):
        text = clean_text(value.strip())
        if _NUMBER.fullmatch(text):
            return _number_score(metric, float(text), log)
        if text.lower() in ("nan", "none", "null", "n/a", ""):
            return Score(metric)
        if text in ("True", "False"):
            return Score(metric, 1.0 if text == "True" else 0.0)
        if len(text) > MAX_LABEL:
            log.note(f"metric {metric}: text too long to be a score, left out", text)
            return None
        return Score(metric, None, text)
    log.note(f"metric {metric}: a {_kind(value)} is no score per sample, left out", value)
    return None


def scores(metric: str, value: Any, log: Log) -> Iterable[Score]:
    """Return the scores of a value that may be a mapping: each of its entries is a metric."""
    if isinstance(value, Mapping):
        found = [score(f"{metric}.{clean_text(str(key))}", inner, log) for key, inner in value.items()]
        return [s for s in found if s is not None]
    one = score(metric, value, log)
    return [] if one is None else [one]


def _number_score(metric: str, value: float, log: Log) -> Score | None:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isnan(number):
        log.note(f"metric {metric}: NaN, taken as unscored")
        return Score(metric)
    if math.isinf(number):
        log.note(f"metric {metric}: infinite, taken as unscored")
        return Score(metric)
    return Score(metric, number)


def _kind(value: Any) -> str:
    return "list" if isinstance(value, list | tuple) else "mapping" if isinstance(value, dict) else "value"


def identifier(value: Any) -> tuple[str, bool] | None:
    """Return an identifier as text and whether it was an integer; None where it is none.

    Whole floating numbers count as integers: tools that pass identifiers through data frames
    write 17 as 17.0.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return str(value), True
    if isinstance(value, float):
        return (str(int(value)), True) if value.is_integer() and abs(value) < 2**53 else (repr(value), False)
    if isinstance(value, str):
        text = clean_text(value)
        return (text, False) if text.strip() else None
    return None


def text_or_none(value: Any) -> str | None:
    """Return text that is not empty, or None."""
    if isinstance(value, str) and value.strip():
        return clean_text(value)
    return None


def number_or_none(value: Any, *, low: float = 0.0) -> float | None:
    """Return a finite number of at least `low`, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= low else None


def key_value(value: Any) -> str | None:
    """Return a metadata value as text; None where it is missing or not a single value."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, str):
        return clean_text(value) or None
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return ", ".join(clean_text(v) for v in value) or None
    return None


def look_up(data: Any, path: str) -> Any:
    """Return the value at a dotted path through mappings; keys that hold dots are tried first."""
    if isinstance(data, Mapping):
        if path in data:
            return data[path]
        head, dot, rest = path.partition(".")
        while dot:
            if head in data and (found := look_up(data[head], rest)) is not None:
                return found
            more, dot, rest = rest.partition(".")
            head = f"{head}.{more}"
    return None


def hash_input(value: Any) -> int | None:
    """Return a hash of a question's beginning, of text or of chat messages; None where there is none.

    The beginning suffices, and holds for summaries too, which shorten long questions.
    """
    text = _input_text(value)
    if not text:
        return None
    beginning = " ".join(text[: _INPUT_PREFIX * 4].split())[:_INPUT_PREFIX]
    digest = hashlib.blake2b(beginning.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _input_text(value: Any) -> str:
    if isinstance(value, str):
        return "" if value.startswith("attachment://") else value
    if isinstance(value, list):
        parts = []
        for message in value:
            if isinstance(message, Mapping):
                content = message.get("content")
                if isinstance(content, list):
                    content = " ".join(
                        c.get("text") or ""
                        for c in content
                        if isinstance(c, Mapping)
                        and c.get("type") == "text"
                        and isinstance(c.get("text"), str)
                    )
                if isinstance(content, str) and not content.startswith("attachment://"):
                    parts.append(content)
        return "\n".join(parts)
    return ""


def instant(value: Any) -> str:
    """Return a time as ISO 8601 in UTC, such as ``2025-09-15T19:02:26.000000Z``; empty if unknown.

    Times without a zone are taken as UTC; numbers as seconds (or milliseconds) since 1970.
    """
    if isinstance(value, bool):
        return ""
    try:
        if isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
            seconds = float(value)
            moment = datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
        elif isinstance(value, str) and value:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            moment = moment.astimezone(UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
