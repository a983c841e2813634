"""Which staged samples become rows, under which names: identity, duplicates, items not listed.

Everything is done in SQL on disk, so that memory is bounded whatever the number of samples.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa

from analysis.errors import VerdictAtlasError
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.duplicates import number_of, put_parts_together, settle_duplicates
from analysis.ingest.importers.pipeline.naming import counted
from analysis.ingest.importers.pipeline.profile import Profile, register_logs
from analysis.ingest.importers.pipeline.question import same_id_question
from analysis.ingest.importers.pipeline.resolution import Resolution


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
    put_parts_together(connection)
    settle_duplicates(connection, profile.states, choices, out)
    _open_world(connection, choices, out)
    out.rows = number_of(connection, "SELECT count(*) FROM winners")
    return out


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
    n = number_of(connection, "SELECT count(*) FROM mixed")
    if n:
        out.notes.append(
            counted(n, "identifier stands", "identifiers stand")
            + " as a number and as text within one log: different samples, and the text keeps its quotes"
        )
    joined = number_of(
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
    n = number_of(connection, "SELECT count(*) FROM ambiguous")
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
        if not number_of(
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


def _open_world(connection: duckdb.DuckDBPyConnection, choices: Choices, out: Resolution) -> None:
    """Add the items that a list of resolved ones does not name, as not resolved."""
    connection.execute("CREATE OR REPLACE TABLE unlisted (log TEXT, model TEXT, item_id TEXT, task TEXT)")
    if choices.items is None or not number_of(connection, "SELECT count(*) FROM logs WHERE open_world"):
        return
    if choices.items == "union":
        universe = "SELECT DISTINCT task, item_id FROM named"
    else:
        connection.register("asked", pa.table({"item_id": pa.array(sorted(set(choices.items)), pa.string())}))
        several = number_of(connection, "SELECT count(DISTINCT task) FROM named") > 1
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
        stray = number_of(
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
