"""Any column of any file may hold anything: it is read or refused in words, never met with a traceback."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.errors import DataError
from analysis.ingest.benchmark import read_benchmark
from analysis.ingest.session_contract import known_columns
from analysis.schemas import SESSION_TABLES
from analysis.schemas.sessions import FILES
from analysis.sessions.measure import measure_sessions
from analysis.store import conform
from tests.property.sessions.generated import frames, generate
from tests.unit.sessions.worked_example import write

ODD: dict[str, Any] = {
    "booleans": pl.lit(True),
    "dates": pl.lit(date(2026, 1, 1)),
    "structs": pl.struct(pl.lit(1).alias("a")),
    "nested lists": pl.lit([[["a"]]], dtype=pl.List(pl.List(pl.List(pl.String)))),
    "lists of numbers": pl.lit([1.5, 2.0], dtype=pl.List(pl.Float64)),
    "lists of integers": pl.lit([1, 2], dtype=pl.List(pl.Int64)),
    "lists with nulls": pl.lit([None, "", "a"], dtype=pl.List(pl.String)),
    "arrays": pl.lit(["a", "b"], dtype=pl.List(pl.String)).list.to_array(2),
    "categories": pl.lit("x").cast(pl.Categorical),
    "bytes": pl.lit(b"\xff"),
    "nulls": pl.lit(None),
    "infinities": pl.lit(float("inf")),
    "huge integers": pl.lit(2**63, dtype=pl.UInt64),
    "negative numbers": pl.lit(-1),
    "empty text": pl.lit(""),
    "markup": pl.lit("<script>alert(1)</script>"),
}


NEEDED = ("sessions", "gold", "differentials")
"""Files without which there is no benchmark."""


def outcome(folder: Path, *, lenient: bool) -> str:
    """Read, check against the schemas and measure; return what came of it."""
    try:
        benchmark = read_benchmark(folder, lenient=lenient)
    except DataError:
        return "refused"
    for name, frame in benchmark.sessions.items():
        conform(frame, name)
    measure_sessions(benchmark.sessions, tau=0.9)
    return "read"


@pytest.mark.parametrize("table", [t for t, stem in FILES.items() if stem in frames(generate(3))])
def test_odd_columns_are_read_or_refused(tmp_path: Path, table: str) -> None:
    made = frames(generate(3, n_models=2, n_cases=2))
    stem = FILES[table]
    found = set()
    for i, column in enumerate(known_columns(table)):
        files = {s: made[s] for s in (*NEEDED, *(["aius"] if stem == "turns" else []))}
        for j, odd in enumerate(ODD.values()):
            if (i + j) % 2 == 0:  # Every kind meets columns of every type so; half the time.
                files[stem] = made[stem].with_columns(odd.alias(column))
                found.add(outcome(write(tmp_path / f"{i}-{j}", files), lenient=(i + j) % 4 == 0))
    assert found == {"read", "refused"}


def test_files_may_have_columns_in_any_order_and_more(tmp_path: Path) -> None:
    made = frames(generate(3, n_models=2, n_cases=3))
    mixed = {s: f.select(reversed(f.columns)).with_columns(extra=pl.lit(1)) for s, f in made.items()}
    a, b = (read_benchmark(write(tmp_path / n, f)) for n, f in (("a", made), ("b", mixed)))
    assert all(a.sessions[t].equals(b.sessions[t]) for t in a.sessions)
    unused = b.audit.filter(pl.col("check") == "unused_column", pl.col("subject").str.contains("sessions/"))
    assert unused.height == len(made)
    assert set(a.sessions) <= set(SESSION_TABLES)
