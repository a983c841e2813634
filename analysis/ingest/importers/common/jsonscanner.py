"""A JSON document cut into its members and elements without holding it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from analysis.ingest.importers.common.files import CHUNK, Readable
from analysis.ingest.importers.common.jsontext import BOM, MAX_RECORD, SPACE, JsonError, loads, refuse_utf16
from analysis.ingest.importers.common.records import RefusedError


def document(
    stream: Readable, streamed: frozenset[str], skipped: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Any]]:
    """Yield a JSON document's members one by one, the elements of some arrays one by one too.

    Parameters
    ----------
    stream : binary stream
        The document: an object or an array.
    streamed : frozenset of str
        Keys of the top-level object whose array elements are yielded singly; the empty string
        stands for the document itself, where it is an array.
    skipped : frozenset of str
        Keys of the top-level object whose values are passed over, neither held nor parsed.

    Yields
    ------
    tuple of str and object
        Key and value. An element that is no JSON, or too long, is given as `JsonError`.

    Raises
    ------
    RefusedError
        Where the document's own structure is broken, such as when it is cut off.
    """
    scanner = _Scanner(stream)
    first = scanner.peek()
    if first == b"[":
        scanner.take()
        for value in _elements(scanner):
            yield "", value
    elif first == b"{":
        scanner.take()
        while scanner.peek() != b"}":
            if scanner.peek() != b'"':
                raise scanner.broken()
            key = loads(scanner.value() or b"null")
            scanner.expect(b":")
            if key in skipped:
                scanner.value(keep=False)
            elif key in streamed and scanner.peek() == b"[":
                scanner.take()
                for value in _elements(scanner):
                    yield key, value
            else:
                yield key, _parsed(scanner.value())
            if scanner.peek() == b",":
                scanner.take()
            elif scanner.peek() != b"}":
                raise scanner.broken()
        scanner.take()
    elif not first:
        raise RefusedError("is empty")
    else:
        raise RefusedError("is neither a JSON object nor a JSON array")
    if scanner.peek():
        raise RefusedError("goes on after its end: several JSON documents in one file?")


def _elements(scanner: _Scanner) -> Iterator[Any]:
    while scanner.peek() != b"]":
        yield _parsed(scanner.value())
        if scanner.peek() == b",":
            scanner.take()
        elif scanner.peek() != b"]":
            raise scanner.broken()
    scanner.take()


def _parsed(data: bytes | None) -> Any:
    if data is None:
        return JsonError(f"is longer than {MAX_RECORD >> 20} MB")
    try:
        return loads(data)
    except JsonError as error:
        return error


# Possessive, so that the time is linear and nothing is kept for backtracking.
_OUTSIDE = re.compile(rb'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)


_INSIDE = re.compile(rb"(?:[^\"\\]++|\\.)*+", re.DOTALL)


_SCALAR = re.compile(rb"[^,:\]}\s]*+")


class _Scanner:
    """Cuts a JSON text into the bytes of its values, without parsing them."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._buffer = stream.read(CHUNK).removeprefix(BOM)
        self._at = 0
        refuse_utf16(self._buffer[:2])

    def _more(self) -> bool:
        """Replace the consumed buffer by the next piece."""
        rest = self._buffer[self._at :]
        piece = self._stream.read(CHUNK)
        self._buffer = rest + piece
        self._at = 0
        return bool(piece)

    def peek(self) -> bytes:
        """Return the next byte that is no white space, empty at the end."""
        while True:
            while self._at < len(self._buffer):
                byte = self._buffer[self._at : self._at + 1]
                if byte not in SPACE:
                    return byte
                self._at += 1
            if not self._more():
                return b""

    def take(self) -> None:
        """Pass over the byte that `peek` returned."""
        self._at += 1

    def expect(self, byte: bytes) -> None:
        """Pass over a byte that must stand here."""
        if self.peek() != byte:
            raise self.broken()
        self._at += 1

    def broken(self) -> RefusedError:
        """Return the error for a structure that is not JSON."""
        return RefusedError("is not JSON" if self.peek() else "is not complete JSON: it ends in the middle")

    def value(self, *, keep: bool = True) -> bytes | None:
        """Return the bytes of the next value; None where it is beyond the limit or not to be kept."""
        first = self.peek()
        if first == b'"':
            return self._collect(depth=0, keep=keep)
        if first in (b"{", b"["):
            return self._collect(depth=1, keep=keep)
        parts = []
        while True:
            found = _SCALAR.match(self._buffer, self._at)
            assert found is not None  # the pattern matches nothing too
            parts.append(found.group())
            self._at = found.end()
            if self._at < len(self._buffer) or not self._more():
                break
        text = b"".join(parts)
        if not text:
            raise self.broken()
        return text

    def _collect(self, depth: int, *, keep: bool) -> bytes | None:
        """Collect a string (depth 0) or a bracketed value (depth 1), across pieces."""
        parts: list[bytes] = []
        size = 0
        at = start = self._at
        at += 1
        inside = depth == 0
        while True:
            found = (_INSIDE if inside else _OUTSIDE).match(self._buffer, at)
            assert found is not None  # both patterns match nothing too
            at = found.end()
            byte = self._buffer[at : at + 1]
            cut = not byte or (byte == b"\\" and at + 1 == len(self._buffer))
            if not cut:
                at += 1
                if inside:
                    inside = False  # byte is the closing quote
                    if depth == 0:
                        break
                elif byte == b'"':
                    inside = True
                elif byte in b"{[":
                    depth += 1
                else:
                    depth -= 1
                    if depth == 0:
                        break
                continue
            size += at - start
            if keep and size <= MAX_RECORD:
                parts.append(self._buffer[start:at])
            self._at = at
            if not self._more():
                raise (
                    self.broken() if not byte else RefusedError("is not complete JSON: it ends in the middle")
                )
            at = start = 0
        size += at - start
        parts.append(self._buffer[start:at])
        self._at = at
        return b"".join(parts) if keep and size <= MAX_RECORD else None
