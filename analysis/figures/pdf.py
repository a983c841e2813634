"""PDF files that repeat byte for byte.

The renderer numbers the objects of a PDF in an order that changes from run to run, and writes the
entries of dictionaries in no fixed order. Here the file is read as the renderer writes it (a flat
list of numbered objects without encryption or object streams), walked from its catalogue with
sorted entries, and written anew. What is drawn is not touched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OBJECT = re.compile(rb"(?:^|\n)(\d+) 0 obj\n")
_TOKEN = re.compile(
    rb"\s*(<<|>>|\[|\]|/[^\s<>\[\]()/%{}]*|\d+ 0 R(?![^\s<>\[\]()/])|<[0-9A-Fa-f\s]*>|[^\s<>\[\]()/%{}]+|\()"
)
_REFERENCE = re.compile(rb"(\d+) 0 R$")

Value = "bytes | Reference | list[Value] | dict[bytes, Value]"


@dataclass(frozen=True)
class Reference:
    """A reference to a numbered object."""

    number: int


@dataclass(frozen=True)
class _Body:
    """An object: its value, and the bytes of its stream."""

    value: object
    stream: bytes | None


def canonical_pdf(pdf: bytes, *, title: str = "") -> bytes:
    """Return the same document with objects and entries in a fixed order.

    Parameters
    ----------
    pdf : bytes
        What the renderer wrote.
    title : str
        Title of the document, shown by readers.

    Raises
    ------
    ValueError
        Where the file is not built as the renderer builds it.
    """
    objects = _read(pdf)
    trailer = pdf.rfind(b"trailer")
    root, _ = _parse(pdf, trailer + len(b"trailer"))
    if trailer < 0 or not isinstance(root, dict) or not isinstance(root.get(b"/Root"), Reference):
        raise ValueError("the PDF has no trailer that names its catalogue")
    order: dict[int, int] = {}
    _walk(root[b"/Root"], objects, order)
    parts = [b"%PDF-1.7\n%\x80\x80\x80\x80\n"]
    offsets = []
    for number in order:
        offsets.append(sum(map(len, parts)))
        body = objects[number]
        text = b"%d 0 obj\n" % order[number] + _write(body.value, order)
        if body.stream is not None:
            text += b"\nstream\n" + body.stream + b"\nendstream"
        parts = [b"".join(parts), text + b"\nendobj\n"]
    info = len(order) + 1
    offsets.append(sum(map(len, parts)))
    parts.append(b"%d 0 obj\n<</Producer (Verdict Atlas)/Title %s>>\nendobj\n" % (info, _text(title)))
    start = sum(map(len, parts))
    parts.append(b"xref\n0 %d\n0000000000 65535 f\r\n" % (info + 1))
    parts += [b"%010d 00000 n\r\n" % offset for offset in offsets]
    parts.append(
        b"trailer\n<</Size %d/Root %d 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (info + 1, order[root[b"/Root"].number], info, start)
    )
    return b"".join(parts)


def _text(title: str) -> bytes:
    """Return a text string: UTF-16 with byte order mark, in hexadecimal."""
    return b"<FEFF" + title.encode("utf-16-be", "replace").hex().upper().encode() + b">"


def _read(pdf: bytes) -> dict[int, _Body]:
    """Return the numbered objects of a document."""
    objects: dict[int, _Body] = {}
    at = 0
    while (found := _OBJECT.search(pdf, at)) is not None:
        value, at = _parse(pdf, found.end())
        stream = None
        if pdf.startswith(b"\nstream\n", at):
            length = value.get(b"/Length") if isinstance(value, dict) else None
            if not isinstance(length, bytes):
                raise ValueError(f"object {int(found[1])} of the PDF has a stream of unknown length")
            begin = at + len(b"\nstream\n")
            stream = pdf[begin : begin + int(length)]
            at = begin + int(length)
            if not pdf.startswith(b"\nendstream", at):
                raise ValueError(
                    f"the stream of object {int(found[1])} of the PDF does not end where it says"
                )
        objects[int(found[1])] = _Body(value, stream)
    return objects


def _parse(pdf: bytes, at: int) -> tuple[object, int]:
    """Read one value, and return it with the place behind it."""
    found = _TOKEN.match(pdf, at)
    if found is None:
        raise ValueError(f"the PDF cannot be read at byte {at}")
    token, at = found[1], found.end()
    if token == b"<<":
        entries: dict[bytes, object] = {}
        while (key := _TOKEN.match(pdf, at)) is not None and key[1] != b">>":
            entries[key[1]], at = _parse(pdf, key.end())
        return entries, key.end() if key else at
    if token == b"[":
        items: list[object] = []
        while (end := _TOKEN.match(pdf, at)) is not None and end[1] != b"]":
            item, at = _parse(pdf, at)
            items.append(item)
        return items, end.end() if end else at
    if token == b"(":
        return _string(pdf, at)
    reference = _REFERENCE.match(token)
    return (Reference(int(reference[1])) if reference else token), at


def _string(pdf: bytes, at: int) -> tuple[bytes, int]:
    """Read the rest of a string in parentheses, which may hold others and escaped ones."""
    depth, begin = 1, at - 1
    while depth:
        char = pdf[at : at + 1]
        if not char:
            raise ValueError("a string of the PDF does not end")
        depth += {b"(": 1, b")": -1}.get(char, 0)
        at += 2 if char == b"\\" else 1
    return pdf[begin:at], at


def _walk(value: object, objects: dict[int, _Body], order: dict[int, int]) -> None:
    """Give objects numbers in the order in which a walk from a value meets them."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Reference):
            if item.number in order:
                continue
            if item.number not in objects:
                raise ValueError(f"the PDF refers to object {item.number}, which it does not have")
            order[item.number] = len(order) + 1
            stack.append(objects[item.number].value)
        elif isinstance(item, dict):
            stack += [item[key] for key in sorted(item, reverse=True)]
        elif isinstance(item, list):
            stack += reversed(item)


def _write(value: object, order: dict[int, int]) -> bytes:
    if isinstance(value, Reference):
        return b"%d 0 R" % order[value.number]
    if isinstance(value, dict):
        entries = (key + _spaced(_write(value[key], order)) for key in sorted(value))
        return b"<<" + b"".join(entries) + b">>"
    if isinstance(value, list):
        return b"[" + b" ".join(_write(item, order) for item in value) + b"]"
    if not isinstance(value, bytes):
        raise ValueError(f"the PDF holds a {type(value).__name__} where a value belongs")
    return value


def _spaced(text: bytes) -> bytes:
    return text if text[:1] in (b"/", b"<", b"[", b"(") else b" " + text
