"""Which staged samples become rows, under which names: identity, duplicates, items not listed.

Everything is done in SQL on disk, so that memory is bounded whatever the number of samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa

from analysis.errors import VerdictAtlasError
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.naming import counted
from analysis.ingest.importers.pipeline.profile import Profile, register_logs
from analysis.ingest.importers.pipeline.questions import Question, duplicate_question, same_id_question
from analysis.ingest.importers.pipeline.state import LogState


@dataclass
class Resolution:
    """What was resolved, and what is still open.

    Parameters
    ----------
    questions : list of Question
        Open questions; where there are any, the rest is provisional.
    dropped : dict of str to Counter
        Samples that gave no row, by log and reason.
    notes : list of str
        What was decided by rule, in sentences.
    rows : int
        Rows that will be written.
    added : Counter
        Rows added for items that a list does not name, by log.
    """

    questions: list[Question] = field(default_factory=list)
    dropped: dict[str, Counter[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    rows: int = 0
    added: Counter[str] = field(default_factory=Counter)

    def drop(self, log: str, reason: str, n: int) -> None:
        """Count samples of a log that give no row."""
        self.dropped.setdefault(log, Counter())[reason] += n


def resolve(connection: duckdb.DuckDBPyConnection, profile: Profile, choices: Choices) -> Resolution:
    """Decide identity and duplicates; leave the result in the table `winners`.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        The database that `profile` looked over.
    profile : Profile
        What the samples hold.
    choices : Choices
        What was decided.

    Returns
    -------
    Resolution
        Counts and open questions. The table ``winners`` has `log`, `row` (the sample's first
        part), `model`, `item_id`, `run`, `task`, `parts` (null, or all its rows).
    """
    out = Resolution()
    register_logs(connection, profile.states, choices)
    _keys(connection, profile, choices, out)
    _mixed_types(connection, out)
    _same_ids(connection, choices, out)
    _item_ids(connection, profile, choices, out)
    _entities(connection)
    _duplicates(connection, profile.states, choices, out)
    _open_world(connection, choices, out)
    out.rows = _one(connection, "SELECT count(*) FROM winners")
    return out


def _one(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    value = connection.sql(query).fetchall()[0][0]
    return 0 if value is None else int(value)


def _keys(connection: duckdb.DuckDBPyConnection, profile: Profile, choices: Choices, out: Resolution) -> None:
    perturbed = "list_contains(s.flags, 'perturbed')"
    if profile.perturbed and choices.perturbed == "exclude":
        for log, n in connection.sql(
            f"SELECT log, count(*) FROM samples s WHERE {perturbed} GROUP BY log ORDER BY log"
        ).fetchall():
            out.drop(log, "perturbed instance, left out by choice", n)
        where = f"WHERE NOT {perturbed}"
    else:
        where = ""
    connection.execute(
        f"""
        CREATE OR REPLACE TABLE keys AS
        SELECT s.log, s.row, coalesce(s.model, l.model, '?') || l.suffix AS model,
               coalesce(s.task, l.task, '') AS task, s.item, s.item_is_int, s.run, s.part,
               s.input_hash, s.status, l.unfinished, l.created, l.completed
        FROM samples s JOIN logs l USING (log) {where}
        """
    )


def _mixed_types(connection: duckdb.DuckDBPyConnection, out: Resolution) -> None:
    """Keep 1 and "1" apart where one log has both."""
    connection.execute(
        """
        CREATE OR REPLACE TABLE mixed AS
        SELECT DISTINCT task, item FROM keys
        GROUP BY log, task, item HAVING bool_or(item_is_int) AND bool_or(NOT item_is_int)
        """
    )
    n = _one(connection, "SELECT count(*) FROM mixed")
    if n:
        out.notes.append(
            counted(n, "identifier stands", "identifiers stand")
            + " as a number and as text within one log: different samples, and the text keeps its quotes"
        )
    joined = _one(
        connection,
        """
        SELECT count(*) FROM (
            SELECT task, item FROM keys ANTI JOIN mixed USING (task, item)
            GROUP BY task, item HAVING bool_or(item_is_int) AND bool_or(NOT item_is_int)
        )
        """,
    )
    if joined:
        out.notes.append(
            counted(joined, "identifier is", "identifiers are")
            + " a number in some logs and text in others: joined on their text"
        )


def _same_ids(connection: duckdb.DuckDBPyConnection, choices: Choices, out: Resolution) -> None:
    """Find identifiers that stand for several questions."""
    connection.execute(
        """
        CREATE OR REPLACE TABLE ambiguous AS
        SELECT task, item, item_is_int FROM keys WHERE input_hash IS NOT NULL
        GROUP BY ALL HAVING count(DISTINCT input_hash) > 1
        """
    )
    n = _one(connection, "SELECT count(*) FROM ambiguous")
    if n == 0:
        return
    if choices.same_id is None:
        row = connection.sql("SELECT task, item FROM ambiguous ORDER BY task, item LIMIT 1").fetchall()[0]
        out.questions.append(same_id_question(n, "/".join(p for p in row if p)))
    elif choices.same_id == "merge":
        out.notes.append(f"identifiers with different questions, one item each by choice: {n:,}")
    else:
        out.notes.append(f"identifiers with different questions, several items each by choice: {n:,}")


def _item_ids(
    connection: duckdb.DuckDBPyConnection, profile: Profile, choices: Choices, out: Resolution
) -> None:
    """Give every sample its item's identifier, distinct over tasks."""
    split = "" if choices.same_id == "split" else "FALSE AND "
    several = len(profile.tasks) > 1
    for separator in ("/", "::"):
        prefix = f"CASE WHEN k.task = '' THEN '' ELSE k.task || '{separator}' END" if several else "''"
        connection.execute(
            f"""
            CREATE OR REPLACE TABLE named AS
            SELECT k.*,
                   {prefix}
                   || CASE WHEN m.item IS NOT NULL AND NOT k.item_is_int
                      THEN '"' || k.item || '"' ELSE k.item END
                   || CASE WHEN {split}a.item IS NOT NULL AND k.input_hash IS NOT NULL
                      THEN '#' || lower(printf('%08x', (k.input_hash >> 20) & 4294967295)) ELSE '' END
                   AS item_id
            FROM keys k
            LEFT JOIN mixed m ON k.task = m.task AND k.item = m.item
            LEFT JOIN ambiguous a ON k.task = a.task AND k.item = a.item AND k.item_is_int = a.item_is_int
            """
        )
        if not _one(
            connection,
            "SELECT count(*) FROM "
            "(SELECT item_id FROM named GROUP BY item_id HAVING count(DISTINCT task) > 1)",
        ):
            break
    else:
        raise VerdictAtlasError("identifiers of different tasks cannot be told apart")
    if several:
        out.notes.append(
            counted(len(profile.tasks), "task")
            + f": items are named task{separator}item, the task is the track"
        )


def _entities(connection: duckdb.DuckDBPyConnection) -> None:
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


def _duplicates(
    connection: duckdb.DuckDBPyConnection, states: Sequence[LogState], choices: Choices, out: Resolution
) -> None:
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


def _open_world(connection: duckdb.DuckDBPyConnection, choices: Choices, out: Resolution) -> None:
    """Add the items that a list of resolved ones does not name, as not resolved."""
    connection.execute("CREATE OR REPLACE TABLE unlisted (log TEXT, model TEXT, item_id TEXT, task TEXT)")
    if choices.items is None or not _one(connection, "SELECT count(*) FROM logs WHERE open_world"):
        return
    if choices.items == "union":
        universe = "SELECT DISTINCT task, item_id FROM named"
    else:
        connection.register("asked", pa.table({"item_id": pa.array(sorted(set(choices.items)), pa.string())}))
        several = _one(connection, "SELECT count(DISTINCT task) FROM named") > 1
        universe = "SELECT t.task, a.item_id FROM asked a, (SELECT DISTINCT task FROM named) t"
        if several:
            universe += " WHERE starts_with(a.item_id, t.task || '/')"
    connection.execute(
        f"""
        INSERT INTO unlisted
        WITH universe AS ({universe}), answerers AS (
            SELECT w.model, w.task, min(w.log) AS log
            FROM winners w JOIN logs l USING (log) WHERE l.open_world GROUP BY w.model, w.task
        )
        SELECT a.log, a.model, u.item_id, a.task FROM answerers a JOIN universe u USING (task)
        ANTI JOIN winners w ON w.model = a.model AND w.item_id = u.item_id
        """
    )
    connection.execute("INSERT INTO winners SELECT log, NULL, model, item_id, 0, task, NULL FROM unlisted")
    for log, n in connection.sql("SELECT log, count(*) FROM unlisted GROUP BY log ORDER BY log").fetchall():
        out.added[log] = n
    if choices.items != "union":
        stray = _one(
            connection,
            "SELECT count(DISTINCT w.item_id) FROM winners w JOIN logs l USING (log) "
            "ANTI JOIN asked a ON a.item_id = w.item_id WHERE l.open_world",
        )
        if stray:
            out.notes.append(
                counted(stray, "resolved item is", "resolved items are")
                + " not in the list of what was asked, and kept"
            )
        connection.unregister("asked")
    total = sum(out.added.values())
    source = "all that any model lists" if choices.items == "union" else "the given list"
    out.notes.append(
        counted(total, "answer that a list does not name counts", "answers that a list does not name count")
        + f" as not resolved ({source})"
    )
