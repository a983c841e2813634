"""Members of a zip archive, read without extracting anything, within bounds.

Python 3.11's zipfile knows no zstd, with which newer logs are compressed; members are therefore
read from their place in the file and decompressed here. Names of members are only compared, never
used as paths.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

from analysis.ingest.importers.common.files import FREE_EXPANSION, MAX_EXPANSION, one_line
from analysis.ingest.importers.common.jsontext import MAX_RECORD, JsonError, loads
from analysis.ingest.importers.common.records import RefusedError

STORED, DEFLATED, ZSTD = 0, 8, 93
LOCAL_HEADER = struct.Struct("<4s5H3I2H")


class MemberError(ValueError):
    """A member that cannot be read; the text says why."""


class Archive:
    """A zip archive, opened for reading single members.

    Parameters
    ----------
    path : Path
        The archive.

    Raises
    ------
    RefusedError
        Where the file is no zip archive (cut off, or something else).
    """

    def __init__(self, path: Path) -> None:
        if path.stat().st_size == 0:
            raise RefusedError("is empty")
        self._file = path.open("rb")
        try:
            with zipfile.ZipFile(self._file) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, struct.error, NotImplementedError) as error:
            self._file.close()
            raise RefusedError(f"is no readable zip archive ({one_line(error)}); was it cut off?") from None
        self._left = max(path.stat().st_size * MAX_EXPANSION, FREE_EXPANSION)
        self.unsafe = sum(not _is_safe(info.filename) for info in infos)
        # A repeated name supersedes: the last one counts.
        self.members = {info.filename: info for info in infos if _is_safe(info.filename)}

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Raises
        ------
        MemberError
            Where it is too large, encrypted, damaged, or compressed in a way that is not known.
        """
        info = self.members[name]
        if info.flag_bits & 1:
            raise MemberError("member is encrypted")
        if info.file_size > MAX_RECORD:
            raise MemberError(f"member is larger than {MAX_RECORD >> 20} MB")
        self._left -= info.file_size
        if self._left < 0:
            raise RefusedError("expands to much more than its size: a compression bomb?")
        data = _decompress(self._raw(info), info)
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise MemberError("member is damaged")
        return data

    def json(self, name: str) -> Any:
        """Return a member that is JSON.

        Raises
        ------
        MemberError
            Where it cannot be read or is not JSON.
        """
        try:
            return loads(self.read(name))
        except JsonError as error:
            raise MemberError(f"member {error}") from None

    def _raw(self, info: zipfile.ZipInfo) -> bytes:
        self._file.seek(info.header_offset)
        header = self._file.read(LOCAL_HEADER.size)
        if len(header) < LOCAL_HEADER.size or header[:4] != b"PK\x03\x04":
            raise MemberError("member is damaged")
        fields = LOCAL_HEADER.unpack(header)
        self._file.seek(fields[9] + fields[10], 1)
        data = self._file.read(min(info.compress_size, MAX_RECORD))
        if len(data) != info.compress_size:
            raise MemberError("member is damaged")
        return data


def _is_safe(name: str) -> bool:
    return not (name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/") or ":" in name[:2])


def _decompress(data: bytes, info: zipfile.ZipInfo) -> bytes:
    """Decompress, never to more than the size that the archive's directory states."""
    try:
        if info.compress_type == STORED:
            return data
        if info.compress_type == DEFLATED:
            return zlib.decompressobj(-15).decompress(data, info.file_size + 1)
        if info.compress_type == ZSTD:
            return _unzstd(data, info.file_size + 1)
    except (zlib.error, MemoryError):
        raise MemberError("member is damaged") from None
    raise MemberError(f"member has compression method {info.compress_type}, which is not known")


def _unzstd(data: bytes, limit: int) -> bytes:
    import zstandard

    parts: list[bytes] = []
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            data, read_across_frames=True
        ) as reader:
            while limit > 0 and (part := reader.read(min(limit, 1 << 20))):
                parts.append(part)
                limit -= len(part)
    except zstandard.ZstdError:
        raise MemberError("member is damaged") from None
    return b"".join(parts)
