"""Walking folders, hashing and opening files, plain or compressed, within bounds."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from analysis.ingest.importers.common.records import RefusedError

HEAD_BYTES = 65_536
CHUNK = 1 << 20
MAX_EXPANSION = 200
"""A compressed file may grow to this many times its size ..."""
FREE_EXPANSION = 1 << 30
"""... and in any case to this many bytes. Logs shrink 5 to 50 times."""
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
GZIP_MAGIC = b"\x1f\x8b"


def walk(path: Path) -> Iterator[Path]:
    """Yield the regular files under a path, in code-point order of their names.

    Linked folders are not followed (they may form loops), hidden folders and files are left out,
    and anything that is not a regular file (devices, pipes) is never opened.
    """
    if path.is_file():
        yield path
        return
    for folder, folders, files in os.walk(path, followlinks=False):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        for name in sorted(files):
            file = Path(folder) / name
            if not name.startswith(".") and file.is_file():
                yield file


def natural_name(path: Path, parts: int) -> str:
    """Return the last parts of the resolved path, joined by slashes."""
    return clean_text("/".join(path.resolve().parts[-parts:]))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def head(path: Path) -> bytes:
    """Return the first bytes of a file, decompressed where it is compressed."""
    try:
        with open_binary(path) as file:
            return file.read(HEAD_BYTES)
    except (OSError, EOFError, RefusedError, ValueError):
        return b""


def bare_name(path: Path) -> str:
    """Return the file's name without the suffix of its compression."""
    name = path.name
    for suffix in (".gz", ".zst", ".zstd"):
        name = name.removesuffix(suffix)
    return name


class Readable(Protocol):
    """What a stream must offer to be read here."""

    def read(self, size: int = -1, /) -> bytes:
        """Read up to a number of bytes."""

    def close(self) -> None:
        """Close the stream."""


def open_binary(path: Path) -> io.BufferedReader | Bounded:
    """Open a file for reading, decompressing gzip and zstd on the way.

    Raises
    ------
    RefusedError
        On reading, where the file expands beyond `MAX_EXPANSION` times its size.
    """
    with path.open("rb") as file:
        magic = file.read(4)
    limit = max(path.stat().st_size * MAX_EXPANSION, FREE_EXPANSION)
    if magic[:2] == GZIP_MAGIC:
        return Bounded(gzip.open(path, "rb"), limit)
    if magic == ZSTD_MAGIC:
        import zstandard

        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            path.open("rb"), read_across_frames=True, closefd=True
        )
        return Bounded(reader, limit)
    return path.open("rb")


class Bounded(io.RawIOBase):
    """A stream that refuses to give more than a number of bytes: a compression bomb ends here."""

    def __init__(self, stream: Readable, limit: int) -> None:
        super().__init__()
        self._stream = stream
        self._left = limit
        self._limit = limit

    def readable(self) -> bool:
        """Say that the stream can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer, counting what was given."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self._read(len(view))
        view[: len(data)] = data
        return len(data)

    def read(self, size: int | None = -1, /) -> bytes:
        """Read up to a number of bytes."""
        if size is not None and size >= 0:
            return self._read(size)
        parts = []
        while part := self._read(CHUNK):
            parts.append(part)
        return b"".join(parts)

    def _read(self, size: int) -> bytes:
        try:
            data = self._stream.read(size)
        except (OSError, EOFError, ValueError) as error:
            raise RefusedError(f"is damaged: {one_line(error)}") from None
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise RefusedError(f"is damaged: {one_line(error)}") from None
        self._left -= len(data)
        if self._left < 0:
            raise RefusedError(f"expands to more than {self._limit:,} bytes: a compression bomb?")
        return data

    def close(self) -> None:
        """Close the stream underneath."""
        if not self.closed:
            self._stream.close()
        super().close()


def one_line(error: object) -> str:
    """Return an error's text on one line, shortened."""
    return clean_text(" ".join(str(error).split()))[:160]


def clean_text(text: str) -> str:
    """Return text that UTF-8 can hold: lone surrogates become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
