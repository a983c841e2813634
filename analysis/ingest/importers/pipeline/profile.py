"""What the staged samples hold: tasks, metrics and their values, names that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.state import LogState

MAX_TEXTS = 200
"""Distinct texts of a metric that are looked at; a metric with more is no verdict."""


@dataclass
class MetricProfile:
    """One metric of one task.

    Parameters
    ----------
    task, metric : str
        Which.
    n : int
        Samples that have an entry for it.
    n_scored : int
        Those with a value.
    n_stated, n_unstated : int
        Those whose success the log itself states, and those of samples that count whose it does not.
    n_binary, n_number : int
        Numbers that are 0 or 1, and all numbers.
    low, high, mean : float or None
        Of the numbers.
    texts : dict of str to int
        Values that are text only, and how often.
    """

    task: str
    metric: str
    n: int
    n_scored: int
    n_stated: int
    n_unstated: int
    n_number: int
    n_binary: int
    low: float | None
    high: float | None
    mean: float | None
    texts: dict[str, int] = field(default_factory=dict)
    many_texts: bool = False
    lower_is_better: bool = False
    bookkeeping: bool = False
    judge: str = ""
    format: str = ""
    declared: bool = False


@dataclass
class Profile:
    """What the staged samples hold."""

    states: list[LogState]
    rows: dict[str, int]
    unnamed: dict[str, int]
    tasks: list[str]
    metrics: dict[str, dict[str, MetricProfile]]
    perturbed: int
    open_world: dict[str, int]

    def of(self, task: str) -> dict[str, MetricProfile]:
        """Return the task's metrics."""
        return self.metrics.get(task, {})


def register_logs(
    connection: duckdb.DuckDBPyConnection, states: Sequence[LogState], choices: Choices
) -> None:
    """Make the logs a table: names by the choices, and what orders them."""
    from analysis.ingest.importers.pipeline.naming import model_of, suffix_of

    rows = [
        {
            "log": s.key,
            "model": model_of(s.log, choices),
            "suffix": suffix_of(s.log, choices),
            "task": s.log.task or "",
            "unfinished": s.log.status not in ("success", ""),
            "created": s.log.created,
            "completed": s.log.completed,
            "variant": repr(sorted(s.log.variant.items())),
            "open_world": s.log.open_world,
        }
        for s in states
    ]
    schema = pa.schema(
        [
            ("log", pa.string()),
            ("model", pa.string()),
            ("suffix", pa.string()),
            ("task", pa.string()),
            ("unfinished", pa.bool_()),
            ("created", pa.string()),
            ("completed", pa.string()),
            ("variant", pa.string()),
            ("open_world", pa.bool_()),
        ]
    )
    connection.register("logs", pa.Table.from_pylist(rows, schema=schema))


def profile(
    connection: duckdb.DuckDBPyConnection, states: Sequence[LogState], staged: str, choices: Choices
) -> Profile:
    """Look over the staged samples.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A database from `staging.connect`.
    states : sequence of LogState
        The logs.
    staged : str
        Path of the staged samples.
    choices : Choices
        What was decided so far.
    """
    path = staged.replace("'", "''")
    connection.execute(f"CREATE OR REPLACE VIEW samples AS SELECT * FROM read_parquet('{path}')")
    register_logs(connection, states, choices)
    task = "coalesce(s.task, l.task, '')"
    rows = _pairs(connection, "SELECT log, count(*) FROM samples GROUP BY log ORDER BY log")
    unnamed = _pairs(
        connection,
        "SELECT s.log, count(*) FROM samples s JOIN logs l USING (log) "
        "WHERE coalesce(s.model, l.model) IS NULL GROUP BY s.log ORDER BY s.log",
    )
    tasks = [
        r[0]
        for r in connection.sql(
            f"SELECT DISTINCT {task} AS t FROM samples s JOIN logs l USING (log) ORDER BY t"
        ).fetchall()
    ]
    perturbed = connection.sql(
        "SELECT count(*) FROM samples WHERE list_contains(flags, 'perturbed')"
    ).fetchall()[0][0]
    open_world = _pairs(
        connection,
        f"SELECT {task} AS t, count(*) FROM samples s JOIN logs l USING (log) "
        "WHERE l.open_world GROUP BY t ORDER BY t",
    )
    metrics = _metrics(connection, task)
    _add_texts(connection, task, metrics)
    _add_facts(metrics, states, connection, task)
    return Profile(list(states), rows, unnamed, tasks, metrics, perturbed, open_world)


def _pairs(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, int]:
    return dict(connection.sql(query).fetchall())


def _metrics(connection: duckdb.DuckDBPyConnection, task: str) -> dict[str, dict[str, MetricProfile]]:
    query = f"""
        WITH entries AS (
            SELECT {task} AS task, s.status AS status, unnest(s.scores) AS e
            FROM samples s JOIN logs l USING (log)
        )
        SELECT task, e.metric,
               count(*),
               count(*) FILTER (e.number IS NOT NULL OR e.text IS NOT NULL OR e.correct IS NOT NULL),
               count(e.correct),
               count(*) FILTER (e.correct IS NULL AND status = ''
                                AND (e.number IS NOT NULL OR e.text IS NOT NULL)),
               count(e.number),
               count(*) FILTER (e.number IN (0, 1)),
               min(e.number), max(e.number), avg(e.number)
        FROM entries GROUP BY task, e.metric ORDER BY task, e.metric
    """
    found: dict[str, dict[str, MetricProfile]] = {}
    for row in connection.sql(query).fetchall():
        entry = MetricProfile(*row)
        found.setdefault(entry.task, {})[entry.metric] = entry
    return found


def _add_texts(
    connection: duckdb.DuckDBPyConnection, task: str, metrics: dict[str, dict[str, MetricProfile]]
) -> None:
    query = f"""
        WITH entries AS (
            SELECT {task} AS task, s.status AS status, unnest(s.scores) AS e
            FROM samples s JOIN logs l USING (log)
        ), texts AS (
            SELECT task, e.metric AS metric, e.text AS text, count(*) AS n
            FROM entries WHERE e.number IS NULL AND e.text IS NOT NULL AND e.correct IS NULL
                  AND e.text <> status
            GROUP BY ALL
        )
        SELECT * FROM texts
        QUALIFY row_number() OVER (PARTITION BY task, metric ORDER BY n DESC, text) <= {MAX_TEXTS + 1}
        ORDER BY task, metric, n DESC, text
    """
    for task_name, metric, text, n in connection.sql(query).fetchall():
        entry = metrics[task_name][metric]
        if len(entry.texts) == MAX_TEXTS:
            entry.many_texts = True
        else:
            entry.texts[text] = n


def _add_facts(
    metrics: dict[str, dict[str, MetricProfile]],
    states: Sequence[LogState],
    connection: duckdb.DuckDBPyConnection,
    task: str,
) -> None:
    """Add what the logs say of their metrics: direction, judges, the tool."""
    by_key = {s.key: s.log for s in states}
    pairs: list[tuple[Any, ...]] = connection.sql(
        f"SELECT DISTINCT {task} AS t, s.log FROM samples s JOIN logs l USING (log) ORDER BY t, s.log"
    ).fetchall()
    for task_name, key in pairs:
        log = by_key[key]
        for metric, entry in metrics.get(task_name, {}).items():
            entry.lower_is_better |= metric in log.lower_is_better
            entry.declared |= metric == log.declared_primary
            entry.bookkeeping |= metric in log.bookkeeping
            entry.format = entry.format or log.format
            for scorer, rater in log.judges.items():
                if metric == scorer or metric.startswith(f"{scorer}."):
                    entry.judge = entry.judge or rater
