"""The item columns: tracks, clusters, strata and covariates, one value per item."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.naming import column_names
from analysis.ingest.importers.pipeline.staging import SteadyWriter

CONTRACT = ("track", "question_type", "cluster_id", "component")
NUMERIC = ("position", "weight")


@dataclass
class ItemColumns:
    """Which item columns there are, and where each comes from.

    Parameters
    ----------
    sources : dict of str to str
        Column and metadata key; the key ``task`` is the task itself.
    strata, covariates : list of str
        Columns for the card.
    """

    sources: dict[str, str] = field(default_factory=dict)
    strata: list[str] = field(default_factory=list)
    covariates: list[str] = field(default_factory=list)

    @property
    def cluster(self) -> bool:
        """Whether there is a cluster."""
        return "cluster_id" in self.sources


def item_columns(choices: Choices, n_tasks: int, present: set[str]) -> ItemColumns:
    """Return the item columns.

    Parameters
    ----------
    choices : Choices
        The declared keys.
    n_tasks : int
        Number of tasks: with several, the task is the track unless a key is named.
    present : set of str
        Keys that the samples have; tables name columns of the contract themselves.
    """
    out = ItemColumns()
    for name in (*CONTRACT, *NUMERIC):
        if name in present:
            out.sources[name] = name
    if choices.track:
        out.sources["track"] = choices.track
    elif n_tasks > 1 and "track" not in out.sources:
        out.sources["track"] = "task"
    if choices.cluster:
        out.sources["cluster_id"] = choices.cluster
    short = {key: _short(key) for key in (*choices.strata, *choices.covariates)}
    names = column_names(short.values(), taken=out.sources)
    for key in choices.strata:
        column = names[short[key]]
        out.sources[column] = key
        out.strata.append(column)
    for key in choices.covariates:
        column = names[short[key]]
        out.sources.setdefault(column, key)
        out.covariates.append(column)
    out.sources = {c: k for c, k in out.sources.items() if k == "task" or k in present}
    out.strata = [c for c in out.strata if c in out.sources]
    out.covariates = [c for c in out.covariates if c in out.sources]
    return out


def _short(key: str) -> str:
    for prefix in ("metadata.", "doc.", "task_arg.", "extra_data.", "data.", "arg."):
        if key.startswith(prefix):
            return key.removeprefix(prefix)
    return key


def write_items(
    connection: duckdb.DuckDBPyConnection, columns: ItemColumns, target: Path
) -> tuple[int, dict[str, int]]:
    """Write `items.parquet`: per item and column the latest log's value.

    Returns
    -------
    tuple of int and dict
        The number of items, and per column how many items had more than one value.
    """
    connection.execute(
        """
        CREATE OR REPLACE TABLE item_values AS
        SELECT w.item_id, e.key AS key, e.value AS value,
               l.created || '|' || w.log || '|' || printf('%020d', s.row) AS moment
        FROM winners w JOIN samples s ON s.log = w.log AND s.row = w.row
             JOIN logs l ON l.log = w.log, unnest(s.keys) AS t(e)
        """
    )
    selected = ["w.item_id"]
    conflicts: dict[str, int] = {}
    for column, key in columns.sources.items():
        quoted = key.replace("'", "''")
        if key == "task":
            selected.append(f"any_value(NULLIF(w.task, '')) AS \"{column}\"")
            continue
        value = f"arg_max(v.value, v.moment) FILTER (v.key = '{quoted}')"
        selected.append(
            f'try_cast({value} AS DOUBLE) AS "{column}"' if column in NUMERIC else f'{value} AS "{column}"'
        )
        row = connection.sql(
            f"SELECT count(*) FROM (SELECT item_id FROM item_values WHERE key = '{quoted}' "
            "GROUP BY item_id HAVING count(DISTINCT value) > 1)"
        ).fetchall()[0]
        if row[0]:
            conflicts[column] = row[0]
    query = (
        f"SELECT {', '.join(selected)} FROM (SELECT DISTINCT item_id, task FROM winners) w "
        "LEFT JOIN item_values v USING (item_id) GROUP BY w.item_id ORDER BY w.item_id"
    )
    reader = connection.sql(query).to_arrow_reader(65_536)
    with SteadyWriter(target, reader.schema) as writer:
        for batch in reader:
            writer.write(pa.Table.from_batches([batch]))
    return writer.rows, conflicts


def present_keys(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the keys that any sample has."""
    query = "SELECT DISTINCT e.key FROM samples s, unnest(s.keys) AS t(e)"
    return {row[0] for row in connection.sql(query).fetchall()}
