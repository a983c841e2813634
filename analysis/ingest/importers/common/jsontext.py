"""JSON from other tools, read in a stream: lines, arrays and documents, none held whole unless small.

orjson parses; what it refuses and other writers allow (NaN, lone surrogates) goes to the standard
library's parser. Every record has an upper bound on its size.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson

from analysis.ingest.importers.common.files import CHUNK, Readable
from analysis.ingest.importers.common.records import RefusedError

MAX_RECORD = 256 << 20
"""Bytes that one record (line, array element, archive member) may have."""
BOM = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"


class JsonError(ValueError):
    """A record that cannot be taken; the text says why, without its place."""


def loads(data: bytes) -> Any:
    """Parse one JSON value.

    Raises
    ------
    JsonError
        With a reason that does not depend on the record, so that reasons can be counted.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise JsonError("is not UTF-8") from None
    except RecursionError:
        raise JsonError("is nested too deeply") from None
    except ValueError as error:
        if "integer string conversion" in str(error):
            raise JsonError("holds a number with thousands of digits") from None
        raise JsonError("is not JSON") from None


def lines(stream: Readable, limit: int = MAX_RECORD) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines with their numbers from 1; a line beyond the limit is given as None."""
    number = 0
    held: list[bytes] = []
    size = 0
    while chunk := stream.read(CHUNK):
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            number += 1
            if size + len(piece) > limit:
                yield number, None
            else:
                yield number, b"".join([*held, piece]) if held else piece
            held, size = [], 0
        size += len(pieces[-1])
        if size <= limit:
            held.append(pieces[-1])
        else:
            held = []
    if size:
        yield number + 1, b"".join(held) if size <= limit else None


def refuse_utf16(start: bytes) -> None:
    """Refuse text that is UTF-16, which some shells write."""
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise RefusedError("is UTF-16 text; save it as UTF-8")
