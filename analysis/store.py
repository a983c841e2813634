"""Validated Parquet in and out, with schema and provenance in the file's metadata."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from analysis import __version__
from analysis.errors import DataError, Problem, VerdictAtlasError
from analysis.schemas import TABLES
from analysis.typed_frames import dy

OPEN_TABLES = frozenset({"verdicts", "items"})
"""Tables to which declared metrics and covariates add columns of their own."""

METADATA_KEY = "verdict_atlas"


@dataclass(frozen=True)
class Provenance:
    """What a table was made from.

    Parameters
    ----------
    benchmark : str
        The benchmark's name.
    inputs : dict of str to str
        SHA-256 of every raw file, by its name.
    config_sha256 : str
        SHA-256 of card and configuration.
    seed : int
        Seed of everything random.
    settings : dict
        Statistics in force: alpha, level, resamples, permutations, intervals.
    synthetic : str
        The card's statement that data are simulated or reconstructed.
    """

    benchmark: str
    inputs: dict[str, str]
    config_sha256: str
    seed: int
    settings: dict[str, Any]
    synthetic: str


def write_table(
    frame: pl.DataFrame,
    table: str,
    path: Path,
    *,
    provenance: Provenance,
    method: str = "",
    extra: dict[str, Any] | None = None,
) -> None:
    """Validate, sort by key and write a table, the same bytes for the same frame.

    Parameters
    ----------
    frame : pl.DataFrame
        The rows, in any order and column order.
    table : str
        The table's name in `analysis.schemas.TABLES`.
    path : Path
        Where to write it.
    provenance : Provenance
        What it was made from.
    method : str
        How it was computed, in words.
    extra : dict, optional
        Further metadata, plain data.

    Raises
    ------
    VerdictAtlasError
        Where the frame breaks the table's schema: a fault of ours, said with table and rule.
    """
    schema = TABLES[table]
    key = schema.primary_key() or list(schema.columns())
    frame = conform(frame, table).sort(key, maintain_order=True)
    metadata = {
        "table": table,
        "version": __version__,
        "method": method,
        "columns": _described(schema),
        **asdict(provenance),
        **(extra or {}),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.write_parquet(
        path,
        compression="zstd",
        statistics=True,
        metadata={METADATA_KEY: json.dumps(metadata, sort_keys=True, ensure_ascii=False)},
    )


def read_table(path: Path, table: str | None = None) -> pl.DataFrame:
    """Read and validate a table.

    Parameters
    ----------
    path : Path
        The Parquet file.
    table : str, optional
        The table's name (default: the file's stem).
    """
    try:
        frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
    except FileNotFoundError:
        raise VerdictAtlasError(f"{path}: the table does not exist; snakemake tables makes it") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError([Problem(f"cannot be read: {error}", str(path))]) from None
    return conform(frame, table or path.stem)


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the provenance, method and column descriptions that `write_table` stored."""
    text = pl.read_parquet_metadata(path).get(METADATA_KEY)
    if text is None:
        raise VerdictAtlasError(f"{path}: was not written by Verdict Atlas: it holds no provenance")
    metadata: dict[str, Any] = json.loads(text)
    return metadata


def read_provenance(path: Path) -> Provenance:
    """Return the provenance of a table, to hand on to tables made from it."""
    metadata = read_metadata(path)
    return Provenance(**{name: metadata[name] for name in Provenance.__dataclass_fields__})


def conform(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """Return the frame with the schema's columns first, in order and type, validated."""
    schema = TABLES[table]
    names = list(schema.columns())
    missing = [c for c in names if c not in frame.columns]
    others = [c for c in frame.columns if c not in names]
    if missing or (others and table not in OPEN_TABLES):
        raise VerdictAtlasError(
            f"table {table}: columns missing {missing}, unexpected {others}; the schema has {names}"
        )
    try:
        core = schema.validate(frame.select(names), cast=True)
    except (dy.exc.SchemaError, dy.exc.ValidationError, pl.exceptions.PolarsError) as error:
        raise VerdictAtlasError(f"table {table} breaks its schema: {error}") from None
    return pl.DataFrame(core).with_columns(frame.select(others)) if others else pl.DataFrame(core)


def _described(schema: type[dy.Schema]) -> dict[str, dict[str, str]]:
    return {
        name: {
            "description": column.description or "",
            "unit": (column.metadata or {}).get("unit", ""),
        }
        for name, column in schema.columns().items()
    }
