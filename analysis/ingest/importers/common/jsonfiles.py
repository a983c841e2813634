"""Whole files of JSON: records in a stream, small documents in one go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from analysis.ingest.importers.common.files import one_line, open_binary
from analysis.ingest.importers.common.jsonscanner import document
from analysis.ingest.importers.common.jsontext import (
    BOM,
    MAX_RECORD,
    SPACE,
    JsonError,
    lines,
    loads,
    refuse_utf16,
)
from analysis.ingest.importers.common.records import RefusedError

SMALL = 32 << 20
"""Documents up to this size are parsed in one go."""


def records(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the records of a JSON Lines file, or the elements of a file that is one JSON array.

    Yields
    ------
    tuple of str and object
        The record's place (``line 12``, ``element 12``), and the record or the `JsonError` that
        says why it is none. Empty lines are passed over.
    """
    with open_binary(path) as stream:
        start = stream.read(4096)
    refuse_utf16(start)
    if start.removeprefix(BOM).lstrip(SPACE)[:1] == b"[":
        with open_binary(path) as stream:
            for number, (_, value) in enumerate(document(stream, frozenset({""})), 1):
                yield f"element {number}", value
        return
    with open_binary(path) as stream:
        for number, line in lines(stream):
            if line is None:
                yield f"line {number}", JsonError(f"is longer than {MAX_RECORD >> 20} MB")
                continue
            if number == 1:
                line = line.removeprefix(BOM)
            if not line.strip():
                continue
            try:
                yield f"line {number}", orjson.loads(line)
            except orjson.JSONDecodeError:
                try:
                    yield f"line {number}", loads(line)
                except JsonError as error:
                    yield f"line {number}", error


def parse_file(path: Path, limit: int = MAX_RECORD) -> Any:
    """Parse a whole JSON file.

    Raises
    ------
    RefusedError
        Where it is too large to be parsed in one go, or not JSON.
    """
    with open_binary(path) as stream:
        data = stream.read(limit + 1)
        while len(data) <= limit and (more := stream.read(limit + 1 - len(data))):
            data += more
    refuse_utf16(data[:2])
    if len(data) > limit:
        raise RefusedError(f"is larger than {limit >> 20} MB")
    if not data.strip():
        raise RefusedError("is empty")
    try:
        return loads(data.removeprefix(BOM))
    except JsonError as error:
        raise RefusedError(f"{error}{_cut(data)}") from None


def _cut(data: bytes) -> str:
    end = data.rstrip()[-1:]
    return " (it ends in the middle: truncated?)" if end not in (b"}", b"]") else ""


def reason_of(error: JsonError) -> str:
    """Return the reason as it is counted."""
    return f"record {one_line(error)}"
