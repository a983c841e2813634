"""Opening tables: columns and rows of CSV, JSON, XLSX and Parquet, in a stream."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from analysis.ingest.importers.common.files import (
    bare_name,
    clean_text,
    head,
    one_line,
    open_binary,
)
from analysis.ingest.importers.common.jsonfiles import parse_file, records
from analysis.ingest.importers.common.jsontext import JsonError, refuse_utf16
from analysis.ingest.importers.common.records import RefusedError
from analysis.ingest.importers.common.values import (
    look_up,
)
from analysis.ingest.importers.table_mapping import (
    TableMapping,
)

CSV_SUFFIXES = (".csv", ".tsv")


JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")


MAX_FIELD = 16 << 20


MAX_WORKBOOK = 1 << 30


Row = Mapping[str, Any]


Rows = Iterator[tuple[str, Row | JsonError]]


def open_table(path: Path, mapping: TableMapping, stack: ExitStack) -> tuple[list[str], Rows]:
    """Return the columns, and the rows in a stream that the stack closes."""
    name = bare_name(path)
    if name.endswith(CSV_SUFFIXES):
        return _open_csv(path, mapping, stack)
    if name.endswith(".xlsx"):
        return _open_workbook(path, mapping)
    if name.endswith(".parquet"):
        return _open_parquet(path, stack)
    return _open_json(path, mapping)


def _open_csv(path: Path, mapping: TableMapping, stack: ExitStack) -> tuple[list[str], Rows]:
    start = head(path)
    refuse_utf16(start)
    first = start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    delimiter = mapping.delimiter or max(",\t;|", key=lambda d: (first.count(d), -",\t;|".index(d)))
    stream = open_binary(path)
    binary = io.BufferedReader(stream, 1 << 20) if isinstance(stream, io.RawIOBase) else stream
    text = io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape", newline="")
    stack.enter_context(text)
    csv.field_size_limit(MAX_FIELD)
    reader = csv.reader(text, delimiter=delimiter)
    columns = next(reader, [])
    if not columns:
        raise RefusedError("is empty")
    columns = [clean_text(c.strip()) for c in columns]
    twice = sorted({c for c in columns if columns.count(c) > 1})
    if twice:
        raise RefusedError(f"has two columns named {twice[0]!r}")
    return columns, _csv_rows(reader, columns)


def _csv_rows(reader: Any, columns: list[str]) -> Rows:
    width = len(columns)
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield f"line {reader.line_num}", JsonError(f"is not CSV ({one_line(error)})")
            continue
        place = f"line {reader.line_num}"
        if not fields:
            continue
        if len(fields) != width:
            yield place, JsonError("is not as wide as the header")
        elif any("\udc80" <= c <= "\udcff" for f in fields if not f.isascii() for c in f):
            yield place, JsonError("is not UTF-8")
        else:
            yield place, dict(zip(columns, fields, strict=True))


def _open_workbook(path: Path, mapping: TableMapping) -> tuple[list[str], Rows]:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise RefusedError(f"is no readable workbook ({one_line(error)})") from None
    if size > MAX_WORKBOOK:
        raise RefusedError(
            f"expands to more than {MAX_WORKBOOK:,} bytes: a compression bomb? Export it as CSV"
        )
    import fastexcel

    try:
        workbook = fastexcel.read_excel(path)
        if mapping.sheet is not None and mapping.sheet not in workbook.sheet_names:
            raise RefusedError(f"has no sheet {mapping.sheet!r}; it has {', '.join(workbook.sheet_names)}")
        frame = workbook.load_sheet(mapping.sheet or 0, dtypes="string").to_polars()
    except fastexcel.FastExcelError as error:
        raise RefusedError(f"is no readable workbook ({one_line(error)})") from None
    rows = ((f"row {n}", row) for n, row in enumerate(frame.iter_rows(named=True), 2))
    return [clean_text(c) for c in frame.columns], rows


def _open_parquet(path: Path, stack: ExitStack) -> tuple[list[str], Rows]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = stack.enter_context(pq.ParquetFile(path))
    except (pa.ArrowException, OSError) as error:
        raise RefusedError(f"is no readable Parquet file ({one_line(error)})") from None

    def rows() -> Rows:
        number = 0
        try:
            for batch in file.iter_batches(batch_size=8192):
                for row in batch.to_pylist():
                    number += 1
                    yield f"row {number}", row
        except (pa.ArrowException, OSError) as error:
            raise RefusedError(f"is damaged after row {number} ({one_line(error)})") from None

    return list(file.schema_arrow.names), rows()


def _open_json(path: Path, mapping: TableMapping) -> tuple[list[str], Rows]:
    if mapping.records is not None:
        found = look_up(parse_file(path), mapping.records)
        if not isinstance(found, list):
            raise RefusedError(f"has no list at {mapping.records!r}")
        return _dotted(found[:100]), ((f"element {n}", _row(r)) for n, r in enumerate(found, 1))
    first = []
    for _, record in records(path):
        if isinstance(record, dict):
            first.append(record)
        if len(first) == 100:
            break
    return _dotted(first), ((place, _row(record)) for place, record in records(path))


def _row(record: Any) -> Row | JsonError:
    return record if isinstance(record, dict | JsonError) else JsonError("is no object")


def _dotted(sample: Sequence[Any], depth: int = 2) -> list[str]:
    """Return the paths to the values of some records, nested objects opened."""
    found: dict[str, None] = {}

    def visit(value: Any, prefix: str, left: int) -> None:
        for key, inner in value.items():
            path = f"{prefix}{key}"
            if isinstance(inner, dict) and inner and left:
                visit(inner, f"{path}.", left - 1)
            else:
                found.setdefault(clean_text(path))

    for record in sample:
        if isinstance(record, dict):
            visit(record, "", depth)
    return list(found)
