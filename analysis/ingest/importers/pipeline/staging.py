"""Samples on disk between reading and deciding: Parquet, one row per sample, written in a stream.

What stands here does not depend on any choice that a person makes, so a choice can be changed, and
logs added, without reading the others again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.ingest.importers.common.records import Sample

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCH = 16_384
GROUP = 65_536
"""Rows of a row group."""
MEMORY = "512MB"
"""Memory that sorting and joining may use; beyond it they use the disk."""

SCORE_TYPE = pa.struct(
    [("metric", pa.string()), ("number", pa.float64()), ("text", pa.string()), ("correct", pa.bool_())]
)
KEY_TYPE = pa.struct([("key", pa.string()), ("value", pa.string())])
SCHEMA = pa.schema(
    [
        ("log", pa.string()),
        ("row", pa.int64()),
        ("model", pa.string()),
        ("task", pa.string()),
        ("item", pa.string()),
        ("item_is_int", pa.bool_()),
        ("run", pa.int64()),
        ("part", pa.string()),
        ("status", pa.string()),
        ("input_hash", pa.int64()),
        ("scores", pa.list_(SCORE_TYPE)),
        ("keys", pa.list_(KEY_TYPE)),
        ("labels", pa.list_(pa.string())),
        ("flags", pa.list_(pa.string())),
        ("decision", pa.string()),
        ("input_tokens", pa.float64()),
        ("output_tokens", pa.float64()),
        ("cost_usd", pa.float64()),
        ("latency_s", pa.float64()),
    ]
)
_PLAIN = [f.name for f in SCHEMA if f.name not in ("log", "row", "scores", "keys", "labels", "flags")]


class StageWriter:
    """Writes samples, a batch at a time.

    Parameters
    ----------
    path : Path
        The Parquet file.
    """

    def __init__(self, path: Path) -> None:
        self._writer = pq.ParquetWriter(path, SCHEMA, compression="zstd", compression_level=1)
        self._logs: list[str] = []
        self._rows: list[int] = []
        self._samples: list[Sample] = []

    def add(self, log: str, row: int, sample: Sample) -> None:
        """Add one sample of a log."""
        self._logs.append(log)
        self._rows.append(row)
        self._samples.append(sample)
        if len(self._samples) >= BATCH:
            self._flush()

    def close(self) -> None:
        """Write what is left and close the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if not self._samples:
            return
        samples = self._samples
        columns: dict[str, pa.Array] = {
            "log": pa.array(self._logs, pa.string()),
            "row": pa.array(self._rows, pa.int64()),
        }
        for name in _PLAIN:
            columns[name] = pa.array([getattr(s, name) for s in samples], SCHEMA.field(name).type)
        columns["scores"] = _scores(samples)
        columns["keys"] = _keys(samples)
        for name in ("labels", "flags"):
            columns[name] = pa.array([getattr(s, name) for s in samples], pa.list_(pa.string()))
        self._writer.write_table(pa.table([columns[f.name] for f in SCHEMA], schema=SCHEMA))
        self._logs, self._rows, self._samples = [], [], []


def _scores(samples: Sequence[Sample]) -> pa.Array:
    flat = [score for sample in samples for score in sample.scores]
    values = pa.StructArray.from_arrays(
        [pa.array([s[i] for s in flat], SCORE_TYPE.field(i).type) for i in range(4)],
        fields=list(SCORE_TYPE),
    )
    return pa.ListArray.from_arrays(_offsets(len(s.scores) for s in samples), values)


def _keys(samples: Sequence[Sample]) -> pa.Array:
    flat = [pair for sample in samples for pair in sorted(sample.keys.items())]
    values = pa.StructArray.from_arrays(
        [pa.array([p[i] for p in flat], pa.string()) for i in range(2)], fields=list(KEY_TYPE)
    )
    return pa.ListArray.from_arrays(_offsets(len(s.keys) for s in samples), values)


def _offsets(lengths: Iterable[int]) -> pa.Array:
    offsets = [0]
    for length in lengths:
        offsets.append(offsets[-1] + length)
    return pa.array(offsets, pa.int32())


def connect(scratch: Path) -> duckdb.DuckDBPyConnection:
    """Open a database that spills to the scratch folder and gives the same rows every time."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET threads = 1")
    connection.execute(f"SET memory_limit = '{MEMORY}'")
    connection.execute(f"SET temp_directory = '{scratch / 'spill'}'".replace("\\", "/"))
    connection.execute("SET enable_progress_bar = false")
    return connection


def consolidate(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Path], live: Iterable[str], target: Path
) -> None:
    """Write the samples of the live logs to one file, sorted by log and row.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A database from `connect`.
    sources : sequence of Path
        Staged files; the former result first.
    live : iterable of str
        Keys of the logs to keep.
    target : Path
        The file to write.
    """
    connection.register("live_logs", pa.table({"log": pa.array(sorted(live), pa.string())}))
    schema = ", ".join(f.name for f in SCHEMA)
    files = [str(p) for p in sources if p.is_file()]
    query = f"SELECT {schema} FROM read_parquet($files) SEMI JOIN live_logs USING (log) ORDER BY log, row"
    with SteadyWriter(target, SCHEMA) as writer:
        for batch in connection.sql(query, params={"files": files}).to_arrow_reader(BATCH):
            writer.write(pa.Table.from_batches([batch]).cast(SCHEMA))
    connection.unregister("live_logs")


class SteadyWriter:
    """Writes Parquet in row groups of one size, whatever the pieces: the same rows, the same bytes.

    Parameters
    ----------
    path : Path
        The file.
    schema : pa.Schema
        Its columns.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._schema = schema
        self._pending: list[pa.Table] = []
        self._held = 0
        self.rows = 0

    def __enter__(self) -> SteadyWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        if exc[0] is None and self._held:
            self._write(pa.concat_tables(self._pending))
        self._writer.close()

    def write(self, table: pa.Table) -> None:
        """Add rows."""
        self._pending.append(table)
        self._held += table.num_rows
        self.rows += table.num_rows
        while self._held >= GROUP:
            whole = pa.concat_tables(self._pending)
            self._write(whole.slice(0, GROUP))
            self._pending = [whole.slice(GROUP)]
            self._held -= GROUP

    def _write(self, table: pa.Table) -> None:
        self._writer.write_table(table.combine_chunks(), row_group_size=GROUP)
