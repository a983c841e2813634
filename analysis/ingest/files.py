"""Which Parquet files a benchmark's folder holds, and what their folders say (hive keys)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from analysis.errors import DataError, Problem

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class SourceFile:
    """A raw file and the columns that its folders give it.

    Parameters
    ----------
    path : Path
        Where it is.
    name : str
        Its path relative to the benchmark's folder, with forward slashes.
    hive : dict of str to (str or None)
        Column values from folders named ``key=value``.
    """

    path: Path
    name: str
    hive: dict[str, str | None]

    def sha256(self) -> str:
        """Return the file's SHA-256."""
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def verdict_files(folder: Path) -> list[SourceFile]:
    """Return the verdict files in the order of their names.

    Raises
    ------
    DataError
        Where there are none, or both ``verdicts.parquet`` and a folder ``verdicts`` with Parquet files.
    """
    found = part_files(folder, "verdicts")
    if not found:
        problem = Problem(
            message="the benchmark has no verdicts",
            file=f"{folder.name}/",
            allowed="verdicts.parquet, any Parquet files under verdicts/, or sessions/sessions.parquet",
        )
        raise DataError([problem], folder.name)
    return found


def part_files(folder: Path, stem: str) -> list[SourceFile]:
    """Return the file of that stem, or the files of the folder of that name in the order of their names.

    Parameters
    ----------
    folder : Path
        The benchmark's folder.
    stem : str
        Path below it without suffix, such as ``verdicts`` or ``sessions/turns``.

    Raises
    ------
    DataError
        Where there are both.
    """
    single, parts = folder / f"{stem}.parquet", folder / stem
    found = sorted(p for p in parts.glob("**/*.parquet") if p.is_file()) if parts.is_dir() else []
    if single.is_file() and found:
        problem = Problem(
            message=f"stands beside the folder {stem}/ with {len(found)} Parquet files: which one counts?",
            file=f"{stem}.parquet",
            hint="keep one of the two",
        )
        raise DataError([problem], folder.name)
    if single.is_file():
        return [SourceFile(single, f"{stem}.parquet", {})]
    return [
        SourceFile(path, path.relative_to(folder).as_posix(), _hive_values(path.relative_to(parts).parent))
        for path in found
    ]


def _hive_values(folders: Path) -> dict[str, str | None]:
    values: dict[str, str | None] = {}
    for part in folders.parts:
        key, equals, value = part.partition("=")
        if equals and key:
            values[unquote(key)] = None if value == HIVE_NULL else unquote(value)
    return values


def read_parquet_file(source: SourceFile) -> pl.DataFrame:
    """Read one Parquet file, with the columns of its folders added.

    Raises
    ------
    DataError
        Where the file is not Parquet, is truncated, or contradicts its folders' keys.
    """
    try:
        frame = pl.read_parquet(source.path, hive_partitioning=False, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError([_unreadable(source, error)]) from None
    both = [key for key in source.hive if key in frame.columns]
    if both:
        problem = Problem(
            message="is given by the folder's name and by the file",
            file=source.name,
            column=both[0],
            hint="keep one of the two",
        )
        raise DataError([problem])
    return frame.with_columns(pl.lit(value, dtype=pl.String).alias(key) for key, value in source.hive.items())


def _unreadable(source: SourceFile, error: Exception) -> Problem:
    size = source.path.stat().st_size if source.path.exists() else 0
    with source.path.open("rb") as stream:
        head = stream.read(4)
    if size == 0:
        message = "is empty (0 bytes)"
    elif head != b"PAR1":
        message = "is not a Parquet file (it does not begin with PAR1)"
    else:
        message = f"is a damaged or truncated Parquet file ({size:,} bytes)"
    reason = " ".join(str(error).split())[:160]
    return Problem(message=message, file=source.name, hint=f"write the file again (reader: {reason})")
