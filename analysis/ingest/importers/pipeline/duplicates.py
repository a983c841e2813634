"""Answers that a model gave more than once: parts, retries, repetitions."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.naming import counted
from analysis.ingest.importers.pipeline.question import duplicate_question
from analysis.ingest.importers.pipeline.resolution import Resolution
from analysis.ingest.importers.pipeline.state import LogState


def put_parts_together(connection: duckdb.DuckDBPyConnection) -> None:
    """Put the parts of a sample together, and number what stands twice within a log."""
    connection.execute(
        """
        CREATE OR REPLACE TABLE occurrences AS
        SELECT *, row_number() OVER (
            PARTITION BY log, model, item_id, run, part ORDER BY row
        ) AS occurrence
        FROM named
        """
    )
    connection.execute(
        """
        CREATE OR REPLACE TABLE entities AS
        SELECT log, model, item_id, run, occurrence, min(row) AS row, arg_min(task, row) AS task,
               CASE WHEN count(*) > 1 THEN list(row ORDER BY row) END AS parts,
               bool_or(status = '') AND NOT bool_or(unfinished) AS usable,
               any_value(created) AS created, any_value(completed) AS completed
        FROM occurrences GROUP BY log, model, item_id, run, occurrence
        """
    )


_LATEST = "usable DESC, created DESC, completed DESC, log DESC, occurrence DESC"


def settle_duplicates(
    connection: duckdb.DuckDBPyConnection, states: Sequence[LogState], choices: Choices, out: Resolution
) -> None:
    """Let the latest of repeated answers count, or make runs of them; ask where neither is clear."""
    n, within, example = _count_duplicates(connection)
    differing = _differing_settings(connection, states) if n else []
    if n and choices.duplicates is None and (within or differing):
        out.questions.append(duplicate_question(n, within, differing, example))
    if choices.duplicates == "runs" and n:
        connection.execute(
            """
            CREATE OR REPLACE TABLE winners AS
            SELECT log, row, model, item_id,
                   row_number() OVER (
                       PARTITION BY model, item_id ORDER BY run, created, completed, log, occurrence
                   ) - 1 AS run,
                   task, parts
            FROM entities
            """
        )
        out.notes.append(
            counted(n, "repeated answer is a run of its own", "repeated answers are runs of their own")
            + ", by choice"
        )
        return
    connection.execute(
        f"""
        CREATE OR REPLACE TABLE ranked AS
        SELECT *, row_number() OVER (PARTITION BY model, item_id, run ORDER BY {_LATEST}) AS place
        FROM entities
        """
    )
    connection.execute(
        "CREATE OR REPLACE TABLE winners AS "
        "SELECT log, row, model, item_id, run, task, parts FROM ranked WHERE place = 1"
    )
    reason = "the same sample in a later log, which counts"
    for log, number in connection.sql(
        "SELECT log, count(*) FROM ranked WHERE place > 1 GROUP BY log ORDER BY log"
    ).fetchall():
        out.drop(log, reason, number)
    if n:
        how = "by choice" if choices.duplicates else "the logs have the same settings: retries"
        out.notes.append(
            counted(n, "sample stands", "samples stand") + f" in a later log too, which counts ({how})"
        )


def _count_duplicates(connection: duckdb.DuckDBPyConnection) -> tuple[int, int, str]:
    """Return how many answers repeat one, how many of them within one log, and an example."""
    connection.execute(
        """
        CREATE OR REPLACE TABLE repeated AS
        SELECT model, item_id, run, count(*) AS n, count(*) - count(DISTINCT log) AS within
        FROM entities GROUP BY model, item_id, run HAVING count(*) > 1
        """
    )
    row = connection.sql("SELECT sum(n - 1), sum(within) FROM repeated").fetchall()[0]
    if not row[0]:
        return 0, 0, ""
    example = connection.sql(
        "SELECT model, item_id FROM repeated ORDER BY model, item_id LIMIT 1"
    ).fetchall()[0]
    return int(row[0]), int(row[1]), f"{example[1]} of {example[0]}"


def _differing_settings(connection: duckdb.DuckDBPyConnection, states: Sequence[LogState]) -> list[str]:
    """Return the settings in which logs with a common sample differ."""
    groups: list[tuple[list[str]]] = connection.sql(
        """
        SELECT DISTINCT list(DISTINCT log ORDER BY log) FROM entities
        SEMI JOIN repeated USING (model, item_id, run)
        GROUP BY model, item_id, run HAVING count(DISTINCT log) > 1
        """
    ).fetchall()
    variants = {s.key: s.log.variant for s in states}
    differing: set[str] = set()
    for (logs,) in groups:
        for key in {k for log in logs for k in variants[log]}:
            if len({variants[log].get(key) for log in logs}) > 1:
                differing.add(key)
    return sorted(differing)


def number_of(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    """Return the number that a query gives; 0 for null."""
    value = connection.sql(query).fetchall()[0][0]
    return 0 if value is None else int(value)
