"""Running a query on a benchmark's tables with DuckDB or polars.

Parameters reach the query as the one row of a table called `parameters`, never as text of the SQL:
the same file runs on any engine, and a value cannot become a statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from analysis.capabilities import WHY_ABSENT
from analysis.errors import VerdictAtlasError
from analysis.queries.header import Query, Value, read_query, unknown

Engine = Literal["duckdb", "polars"]

SIGNIFICANT_DIGITS = 12
"""To which floats are rounded: sums differ in the last bits by engine and by number of cores."""

ABSENT = {
    "ratings": "has no ratings",
    "criteria": "has no rubric",
    "audit_trail": "has no audit trail",
    "statements": "has no statements of a publication",
    "failure_labels": "has no failure labels",
    "decisions": "has no decisions",
    "strata": "has no strata",
    "frontier": "has no costs",
    "costs": "has no costs",
    "concordance": "has no pair of models",
    "pairwise_tests": "has no pair of models",
}
"""What the absence of a table says about a benchmark."""


def run_query(
    path: Path,
    derived: Path,
    *,
    engine: Engine = "duckdb",
    parameters: Mapping[str, Value] | None = None,
) -> pl.DataFrame:
    """Run a SQL file on a benchmark's tables.

    Parameters
    ----------
    path : pathlib.Path
        The SQL file.
    derived : pathlib.Path
        Folder of the benchmark's tables, such as `results/derived/demo`.
    engine : {'duckdb', 'polars'}
        What runs it. The queries that come with the project give the same rows on both.
    parameters : mapping of str to value, optional
        Values of the parameters; the others keep their defaults.

    Returns
    -------
    polars.DataFrame
        The rows. Whole numbers are Int64, other numbers Float64 to 12 significant digits, on both engines.

    Raises
    ------
    VerdictAtlasError
        Where the benchmark lacks a table, a parameter is unknown or of the wrong type, or the engine
        refuses the query.
    """
    query = read_query(path)
    if engine not in get_args(Engine):
        raise VerdictAtlasError(unknown("engine", engine, list(get_args(Engine))))
    bound = _bind(query, parameters or {})
    tables = _tables(query, derived)
    if bound is not None:
        tables.pop("parameters", None)
    run = _on_duckdb if engine == "duckdb" else _on_polars
    return _normalised(run(query, tables, bound))


def _bind(query: Query, given: Mapping[str, Value]) -> pl.DataFrame | None:
    """Return the one row of parameters, or None for a query without any."""
    known = {p.name: p for p in query.parameters}
    for name in given:
        if name not in known:
            raise VerdictAtlasError(f"{query.name}: {unknown('parameter', name, list(known))}")
    types = {str: pl.String, int: pl.Int64, float: pl.Float64, type(None): pl.String}
    columns = {p.name: [p.parse(given.get(p.name, p.default))] for p in query.parameters}
    kinds = {p.name: types[type(p.default)]() for p in query.parameters}
    return pl.DataFrame(columns, schema=kinds) if columns else None


def _tables(query: Query, derived: Path) -> dict[str, Path]:
    """Return the files of the tables that a query may read."""
    if not derived.is_dir():
        known = sorted(p.name for p in derived.parent.glob("*") if p.is_dir())
        raise VerdictAtlasError(f"{unknown('benchmark', derived.name, known)}: {derived} does not exist")
    files = {p.stem: p for p in sorted(derived.glob("*.parquet"))}
    for table in query.tables:
        if table not in files:
            reason = WHY_ABSENT.get(table, f"there is no {table}.parquet in {derived}")
        elif table in ABSENT and _is_empty(files[table]):
            reason = f"its table {table} is empty"
        else:
            continue
        why = ABSENT.get(table, f"has no table {table}")
        raise VerdictAtlasError(f"{query.name}: benchmark {derived.name} {why}: {reason}")
    return {t: files[t] for t in query.tables} if query.tables else files


def _is_empty(path: Path) -> bool:
    scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return int(scan.select(pl.len()).collect().item()) == 0


def _on_duckdb(query: Query, tables: Mapping[str, Path], bound: pl.DataFrame | None) -> pl.DataFrame:
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        for name, path in tables.items():
            # In a pattern, a bracketed character stands for itself.
            literal = re.sub(r"([*?\[])", r"[\1]", str(path))
            connection.read_parquet(literal, hive_partitioning=False).create_view(name)
        if bound is not None:
            connection.register("parameters", bound)
        try:
            statements = connection.extract_statements(query.sql)
            if [s.type for s in statements] != [duckdb.StatementType.SELECT]:
                raise VerdictAtlasError(f"{query.name}: is not one SELECT")
            rows: pl.DataFrame = connection.sql(query.sql).pl()
        except duckdb.Error as error:
            raise VerdictAtlasError(_refused(query, "DuckDB", error)) from None
        return rows


def _on_polars(query: Query, tables: Mapping[str, Path], bound: pl.DataFrame | None) -> pl.DataFrame:
    frames = {n: pl.scan_parquet(p, glob=False, hive_partitioning=False) for n, p in tables.items()}
    if bound is not None:
        frames["parameters"] = bound.lazy()
    try:
        return pl.SQLContext(frames).execute(query.sql, eager=True)
    except pl.exceptions.PolarsError as error:
        raise VerdictAtlasError(_refused(query, "polars", error)) from None


def _refused(query: Query, engine: str, error: Exception) -> str:
    return f"{query.name}: {engine} refuses it: {' '.join(str(error).split())[:300]}"


def _normalised(frame: pl.DataFrame) -> pl.DataFrame:
    """Give both engines' rows the same types and the same digits."""
    columns = []
    for name, kind in frame.schema.items():
        column = pl.col(name)
        if kind.is_integer() or (isinstance(kind, pl.Decimal) and kind.scale == 0):
            columns.append(column.cast(pl.Int64))
        elif kind.is_numeric():
            columns.append(column.cast(pl.Float64).round_sig_figs(SIGNIFICANT_DIGITS) + 0.0)
        else:
            columns.append(column)
    return frame.select(columns)
