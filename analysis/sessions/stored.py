"""The validated tables of the sessions in a derived folder, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from analysis.schemas.sessions import SESSION_TABLES

Reader = Callable[[Path], pl.DataFrame]


@dataclass(frozen=True)
class StoredSessions(Mapping[str, pl.DataFrame]):
    """Tables of `SESSION_TABLES` by name, those that exist. Rules that need none read none.

    Parameters
    ----------
    paths : mapping of str to Path
        Where each table lies.
    read : callable
        Reads and validates one table.
    """

    paths: Mapping[str, Path]
    read: Reader = pl.read_parquet
    _read: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, table: str) -> pl.DataFrame:
        """Return a table, read at the first request."""
        if table not in self._read:
            self._read[table] = self.read(self.paths[table])
        return self._read[table]

    def __contains__(self, table: object) -> bool:
        """Tell whether a table exists, without reading it."""
        return table in self.paths

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the tables that exist."""
        return iter(self.paths)

    def __len__(self) -> int:
        """Return how many tables exist."""
        return len(self.paths)


NO_SESSIONS = StoredSessions({})
"""A benchmark without sessions."""


MEASURED = ("session_metrics", "metric_definitions")
"""Derived tables of the sessions that further ones start from."""


def stored_sessions(folder: Path, read: Reader, names: Iterable[str] = SESSION_TABLES) -> StoredSessions:
    """Return the tables of the sessions that a derived folder has."""
    paths = {name: folder / f"{name}.parquet" for name in names}
    return StoredSessions({name: path for name, path in paths.items() if path.is_file()}, read)
