"""Run a query and show its rows: ``python -m analysis.queries hardest_items --benchmark demo``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.errors import VerdictAtlasError
from analysis.queries import find_query, list_queries, read_query, run_query, write_result
from analysis.queries.run import Engine

EXAMPLES = """examples:
  python -m analysis.queries
  python -m analysis.queries hardest_items --benchmark demo
  python -m analysis.queries disagreements --set model_a=aster-2 --set model_b=fjord-3
  python -m analysis.queries cost_per_correct --out cost.csv
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 1 where the data or the query stand against it."""
    options = _parser().parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 160)
    try:
        if not options.query:
            _show_queries(console)
            return 0
        path = find_query(options.query)
        derived = _derived(options.results, options.benchmark)
        given = dict(_assignment(text) for text in options.set)
        rows = run_query(path, derived, engine=options.engine, parameters=given)
        if options.out:
            write_result(rows, options.out)
            console.print(Text(f"{rows.height:,} rows written to {options.out}"))
        else:
            _show_rows(console, read_query(path).title, rows, options.rows)
    except VerdictAtlasError as error:
        Console(stderr=True).print(Text(str(error)), soft_wrap=True)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m analysis.queries",
        description="Run SQL on a benchmark's tables. Without a query, list those of the project.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("query", nargs="?", help="name of a query in queries/, or a .sql file")
    parser.add_argument("--benchmark", default="", help="benchmark (default: the only one that is built)")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder that holds derived/")
    parser.add_argument("--engine", choices=get_args(Engine), default="duckdb", help="what runs it")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter")
    parser.add_argument("--rows", type=int, default=50, help="rows to show at most, 0 for all")
    parser.add_argument("--out", type=Path, help="write the rows to a .parquet or .csv file instead")
    return parser


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise VerdictAtlasError(f"--set {text}: write NAME=VALUE")
    return name.strip(), value


def _derived(results: Path, benchmark: str) -> Path:
    """Return the benchmark's folder of tables; without a name there must be one only."""
    folder = results / "derived"
    if benchmark:
        return folder / benchmark
    built = sorted(p.name for p in folder.glob("*") if p.is_dir())
    if len(built) != 1:
        there = (
            f"there are {', '.join(built)}" if built else f"{folder} holds none; snakemake tables builds them"
        )
        raise VerdictAtlasError(f"say which benchmark with --benchmark: {there}")
    return folder / built[0]


def _show_queries(console: Console) -> None:
    table = Table("query", "answers", "parameters", title="queries")
    for query in list_queries():
        parameters = ", ".join(
            f"{p.name}={'null' if p.default is None else p.default}" for p in query.parameters
        )
        table.add_row(Text(query.name), Text(query.answers), Text(parameters))
    console.print(table)


def _show_rows(console: Console, title: str, rows: pl.DataFrame, limit: int) -> None:
    table = Table(title=Text(title))
    for name, kind in rows.schema.items():
        table.add_column(Text(name), justify="right" if kind.is_numeric() else "left")
    shown = rows if limit <= 0 else rows.head(limit)
    for row in shown.iter_rows():
        table.add_row(*(_cell(value) for value in row))
    console.print(table)
    more = rows.height - shown.height
    rest = f", {more:,} more (--rows 0 shows all, --out writes them)" if more else ""
    console.print(Text(f"{shown.height:,} rows{rest}"))


def _cell(value: object) -> Text:
    """Return a value as plain text: neither markup nor control characters of the data act."""
    if value is None:
        return Text("")
    if isinstance(value, bool):
        return Text("yes" if value else "no")
    if isinstance(value, int):
        return Text(f"{value:,}")
    if isinstance(value, float):
        return Text(f"{value:.4g}")
    if isinstance(value, list):
        value = "; ".join(str(v) for v in value)
    return Text("".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value)))


if __name__ == "__main__":
    sys.exit(main())
