"""`verdict-atlas query`: SQL on a benchmark's tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from analysis.cli import show
from analysis.cli.app import OK


def query(
    file: str | None,
    benchmark: str,
    parameters: Sequence[str],
    *,
    engine: str,
    rows: int,
    out: Path | None,
    results: Path,
    as_json: bool,
) -> int:
    """Run a query, or list the queries; return the exit code."""
    from analysis.queries.__main__ import main

    if not as_json:
        arguments = [*([file] if file else []), "--results", str(results), "--engine", engine]
        arguments += ["--rows", str(rows), *(["--benchmark", benchmark] if benchmark else [])]
        arguments += [part for p in parameters for part in ("--set", p)]
        arguments += ["--out", str(out)] if out else []
        return main(arguments)

    def body() -> int:
        from analysis.errors import VerdictAtlasError
        from analysis.queries import find_query, list_queries, run_query

        if file is None:
            show.write_json(
                {"status": "ok", "queries": [{"name": q.name, "answers": q.answers} for q in list_queries()]}
            )
            return OK
        built = sorted(p.name for p in (results / "derived").glob("*") if p.is_dir())
        if not benchmark and len(built) != 1:
            raise VerdictAtlasError(
                f"say which benchmark with --benchmark: there are {', '.join(built) or 'none'}"
            )
        given = {}
        for text in parameters:
            name, equals, value = text.partition("=")
            if not equals:
                raise VerdictAtlasError(f"--set {text}: write NAME=VALUE")
            given[name.strip()] = value
        derived = results / "derived" / (benchmark or built[0])
        found = run_query(find_query(file), derived, engine=engine, parameters=given)  # type: ignore[arg-type]
        show.write_json({"status": "ok", "columns": found.columns, "rows": found.rows()})
        return OK

    return show.guarded(body, as_json=as_json)
