"""`ItemView`: the rows of single items, and how models are named beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from analysis.reporting.items.cells import text
from analysis.reporting.view import View


@dataclass(frozen=True)
class ItemView:
    """A benchmark as the pages of its items show it.

    Parameters
    ----------
    report : View
        The benchmark as its report shows it: card, settings, names.
    items : frozenset of str
        The items whose rows may be asked for; the rows of others are not read.
    """

    report: View
    items: frozenset[str]
    _tables: dict[str, pl.DataFrame | None] = field(default_factory=dict, repr=False, compare=False)
    _places: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict, repr=False, compare=False)

    _filled: dict[tuple[str, ...], list[str]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def models(self) -> list[str]:
        """Models with verdicts, those with a score in rank order, then the others."""
        standings = self.report.standings
        ranked = [] if standings is None else standings["model"].to_list()
        return ranked + self.report.unranked

    def name(self, model: str) -> str:
        """Return a model's name as HTML, whether or not it has verdicts."""
        return text(self.report.results.names.get(model, model))

    def has(self, table: str) -> bool:
        """Tell whether the benchmark has a table, with or without rows of these items."""
        return (self.report.results.folder / f"{table}.parquet").is_file()

    def table(self, name: str) -> pl.DataFrame:
        """Return a table's rows of these items, sorted by item, then by the models' ranks.

        Rows of no model come first; otherwise rows keep the order of the table, which is that of its key.
        """
        if name not in self._tables:
            path = self.report.results.folder / f"{name}.parquet"
            wanted = pl.Series(sorted(self.items), dtype=pl.String)
            rows = pl.scan_parquet(path, glob=False, hive_partitioning=False)
            # A case of consultation sessions is an item.
            rows = rows.rename({"case_id": "item_id"}, strict=False)
            frame = rows.filter(pl.col("item_id").is_in(wanted.implode())).collect()
            by = ["item_id"]
            if "model" in frame.columns:
                place = {model: i for i, model in enumerate(self.models)}
                last = pl.when(pl.col("model").is_null()).then(-1).otherwise(len(place))
                ranks = pl.col("model").replace_strict(place, default=None, return_dtype=pl.Int64)
                frame = frame.with_columns(__place=pl.coalesce(ranks, last))
                by.append("__place")
            frame = frame.sort(by, maintain_order=True).drop("__place", strict=False)
            sizes = frame.group_by("item_id", maintain_order=True).len()
            starts = sizes["len"].cum_sum() - sizes["len"]
            self._places[name] = dict(
                zip(sizes["item_id"], zip(starts, sizes["len"], strict=True), strict=True)
            )
            self._tables[name] = frame
        found = self._tables[name]
        assert found is not None
        return found

    def rows(self, table: str, item_id: str) -> list[dict[str, Any]]:
        """Return an item's rows of a table, in the order of `table`."""
        frame = self.table(table)
        start, n = self._places[table].get(item_id, (0, 0))
        return frame.slice(start, n).rows(named=True) if n else []

    def filled(self, table: str, columns: tuple[str, ...]) -> list[str]:
        """Return those of a table's columns that say anything here: a value, an entry of a list, a true."""
        key = (table, *columns)
        if key not in self._filled:
            self._filled[key] = self._find_filled(table, columns)
        return list(self._filled[key])

    def _find_filled(self, table: str, columns: tuple[str, ...]) -> list[str]:
        frame = self.table(table)
        found = []
        for column in columns:
            if column not in frame.columns:
                continue
            values = frame[column]
            if values.dtype == pl.List:
                filled = bool((values.list.len() > 0).any())
            elif values.dtype == pl.Boolean:
                filled = bool(values.any())
            else:
                filled = values.null_count() < values.len()
            if filled:
                found.append(column)
        return found
