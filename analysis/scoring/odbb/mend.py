"""Phase 1, text to JSON: fences, prose around an object, small faults of syntax, truncation.

Every step is linear in the length of the text, and names itself when it changed something.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

FENCE = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
TOKEN = re.compile(r'"(?:\\.|[^"\\])*("?)|[{}\[\],:]', re.DOTALL)
FAULT = re.compile(
    r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])|\bTrue\b|\bFalse\b|\bNone\b|\bNaN\b|[\u201c\u201d]', re.DOTALL
)
CONTROL = re.compile(r"[\x00-\x1f]")
LITERALS = {"True": "true", "False": "false", "None": "null", "NaN": "null", "\u201c": '"', "\u201d": '"'}
CLOSER = {"{": "}", "[": "]"}


class UnreadableError(ValueError):
    """The text holds no JSON that can be read."""


def read_json(text: str, repairs: list[str]) -> Any:
    """Return the JSON value that a response holds; what was mended is added to `repairs`.

    Parameters
    ----------
    text : str
        The response.
    repairs : list of str
        Receives `unfenced`, `cut_from_text`, `mended_syntax`, `closed_truncated`.

    Raises
    ------
    UnreadableError
        Where no JSON object or array can be recovered.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    made: list[str] = []
    inner = _unfenced(text, made)
    value = _parsed(inner)
    if value is None:
        start = _first_bracket(inner)
        if start < 0:
            raise UnreadableError("no JSON object in the response")
        if inner[:start].strip():
            made.append("cut_from_text")
        body = inner[start:]
        end, closings = _scan(body)
        if end is not None:
            if body[end:].strip() and "cut_from_text" not in made:
                made.append("cut_from_text")
            value = _parsed_or_mended(body[:end], made)
        else:
            for candidate in closings:
                attempt = [*made, "closed_truncated"]
                value = _parsed_or_mended(candidate, attempt)
                if value is not None:
                    made = attempt
                    break
    if value is None:
        raise UnreadableError("the JSON of the response cannot be read")
    repairs += made
    return value


def _unfenced(text: str, made: list[str]) -> str:
    text = text.lstrip("\ufeff").strip()
    fence = FENCE.search(text)
    if fence is None or not _looks_like_json(fence.group(1)):
        return text
    before = text.find("{")
    if 0 <= before < fence.start():  # the fence stands inside the object
        return text
    made.append("unfenced")
    return fence.group(1).strip()


def _looks_like_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _first_bracket(text: str) -> int:
    """Return where the first object begins, or the first array where there is no object."""
    brace = text.find("{")
    if brace < 0:
        return text.find("[")
    bracket = text.find("[", 0, brace)
    return bracket if bracket >= 0 and not text[bracket + 1 : brace].strip() else brace


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _parsed_or_mended(text: str, made: list[str]) -> Any:
    value = _parsed(text)
    if value is None:
        mended = FAULT.sub(_mend, text)
        if mended != text:
            value = _parsed(mended)
            if value is not None:
                made.append("mended_syntax")
    return value


def _mend(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] == '"' and len(found) > 1:
        return CONTROL.sub(lambda c: f"\\u{ord(c.group()):04x}", found)
    return LITERALS.get(found, "")


def _scan(body: str) -> tuple[int | None, list[str]]:
    """Find the end of the value that begins the text, or ways to close it where the text ends before.

    Returns
    -------
    tuple
        The end, or None and the closed candidates, the most complete first.
    """
    # One entry per open bracket: its kind, where its last complete element ends, whether a value is due.
    stack: list[list[Any]] = []
    open_string = -1
    for token in TOKEN.finditer(body):
        first = token.group()[0]
        if first == '"':
            if not token.group(1):
                open_string = token.start()
                break
        elif first in "{[":
            stack.append([first, token.end(), first == "["])
        elif first in "}]":
            if not stack or CLOSER[stack[-1][0]] != first:
                return None, []
            stack.pop()
            if not stack:
                return token.end(), []
        elif stack:
            if first == ",":
                stack[-1][1], stack[-1][2] = token.start(), stack[-1][0] == "["
            else:
                stack[-1][2] = True
    if not stack:
        return None, []
    closers = "".join(CLOSER[kind] for kind, _, _ in reversed(stack))
    candidates = []
    kind, complete, value_due = stack[-1]
    if open_string >= 0:
        # A text that was cut stands; a list's element or a key that was cut does not.
        if kind == "{" and value_due:
            candidates.append(_without_half_escape(body) + '"' + closers)
    else:
        candidates.append(body.rstrip().rstrip(",") + closers)
    candidates.append(body[:complete] + closers)
    return None, candidates


def _without_half_escape(text: str) -> str:
    """Return the text without an escape sequence that was cut."""
    tail = re.search(r"\\(?:u[0-9a-fA-F]{0,3})?\Z", text)
    if tail is None:
        return text
    backslashes = len(text[: tail.start() + 1]) - len(text[: tail.start() + 1].rstrip("\\"))
    return text[: tail.start()] if backslashes % 2 else text
