"""`VerdictMatrix`: the dense models x items view that every table starts from.

A cell is one model on one item; its value is the mean over its scored runs. Building is additive:
rows can come in any number of shards, in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.config import BenchmarkCard, MissingPolicy
from analysis.errors import DataError, problem_with_values

CELL, EXCLUDED, UNSCORED, MISSING = 0, 1, 2, 3
"""States of a cell: it has a value; a row is excluded; it has rows, none scored; it has no row."""

ALL = "all"
"""The track that stands for every track together."""


@dataclass(frozen=True)
class VerdictMatrix:
    """One metric of M models on N items.

    Parameters
    ----------
    metric : str
        The metric's name.
    models : tuple of str
        M model identifiers in code-point order.
    items : pl.DataFrame
        N items, sorted by `item_id`, with their attributes.
    values : ndarray of float or int8, shape (M, N)
        Cell values; int8 where every cell is a single 0/1 run, so that large benchmarks stay small.
        Without meaning (NaN or 0) where there is no cell: see `has_cell`.
    n_runs : ndarray of int, shape (M, N)
        Scored runs of each cell.
    state : ndarray of uint8, shape (M, N)
        `CELL`, `EXCLUDED`, `UNSCORED` or `MISSING`.
    clusters : ndarray of int, shape (N,), or None
        Cluster codes where the card declares the cluster.
    weights : ndarray of float, shape (N,), or None
        Item weights where the card declares them.
    """

    metric: str
    models: tuple[str, ...]
    items: pl.DataFrame
    values: npt.NDArray[np.float64] | npt.NDArray[np.int8]
    n_runs: npt.NDArray[np.uint16]
    state: npt.NDArray[np.uint8]
    clusters: npt.NDArray[np.int64] | None
    weights: npt.NDArray[np.float64] | None

    @property
    def is_compact(self) -> bool:
        """Whether every cell is a single 0/1 run, held as int8."""
        return self.values.dtype == np.int8

    @property
    def has_cell(self) -> npt.NDArray[np.bool_]:
        """True where model and item have a cell, shape (M, N)."""
        return np.equal(self.state, CELL)

    @property
    def models_with_cells(self) -> npt.NDArray[np.bool_]:
        """True for the models that have any cell, shape (M,)."""
        return np.asarray(self.has_cell.any(axis=1))

    def select_items(self, keep: npt.NDArray[np.bool_]) -> VerdictMatrix:
        """Return the matrix of the items for which `keep`, shape (N,), is true."""
        if keep.all():
            return self
        return replace(
            self,
            items=self.items.filter(pl.Series(keep)),
            values=self.values[:, keep],
            n_runs=self.n_runs[:, keep],
            state=self.state[:, keep],
            clusters=None if self.clusters is None else self.clusters[keep],
            weights=None if self.weights is None else self.weights[keep],
        )

    def select_models(self, keep: npt.NDArray[np.bool_]) -> VerdictMatrix:
        """Return the matrix of the models for which `keep`, shape (M,), is true."""
        if keep.all():
            return self
        return replace(
            self,
            models=tuple(m for m, k in zip(self.models, keep, strict=True) if k),
            values=self.values[keep],
            n_runs=self.n_runs[keep],
            state=self.state[keep],
        )

    def for_track(self, track: str) -> VerdictMatrix:
        """Return the items of a track and the models that have a cell there."""
        part = self
        if track != ALL:
            part = self.select_items((self.items["track"] == track).fill_null(False).to_numpy())
        return part.select_models(part.models_with_cells)

    def complete(self) -> VerdictMatrix:
        """Return the items for which every model of the matrix has a cell."""
        return self.select_items(np.asarray(self.has_cell.all(axis=0)) & bool(self.models))

    def answered(self) -> VerdictMatrix:
        """Return the items for which any model of the matrix has a cell."""
        return self.select_items(np.asarray(self.has_cell.any(axis=0)))

    def solved(self, solved_at: float) -> npt.NDArray[np.bool_]:
        """Tell where the cell reaches `solved_at` (false where there is none), shape (M, N)."""
        if self.is_compact:
            return np.equal(self.values, 1) & self.has_cell
        # A mean of thirds may fall an ulp short of the limit that it equals.
        return np.greater_equal(self.values, solved_at - 1e-12) & self.has_cell


def tracks_of(items: pl.DataFrame) -> list[str]:
    """Return `all` and every track, in code-point order."""
    return [ALL, *sorted(items["track"].drop_nulls().unique().to_list())]


def build_matrix(
    verdicts: pl.DataFrame | Iterable[pl.DataFrame],
    items: pl.DataFrame,
    card: BenchmarkCard,
    metric: str = "correct",
    *,
    models: Iterable[str] | None = None,
    policy: MissingPolicy | None = None,
) -> VerdictMatrix:
    """Build the matrix of one metric from validated verdicts.

    Parameters
    ----------
    verdicts : DataFrame or iterable of DataFrame
        Rows of the `Verdicts` schema, whole or in shards; a (model, item, run) stands in one shard.
    items : DataFrame
        Rows of the `Items` schema.
    card : BenchmarkCard
        Says cluster, weight and policy for missing cells.
    metric : str
        `correct`, `score` or a declared numeric column.
    models : iterable of str, optional
        Models to lay out (default: those of the verdicts; required for shards).
    policy : str, optional
        Policy for missing cells other than the card's.

    Returns
    -------
    VerdictMatrix
        With the policy applied.

    Raises
    ------
    DataError
        Under the policy `error`, where a model lacks a cell.
    """
    shards = [verdicts] if isinstance(verdicts, pl.DataFrame) else verdicts
    if models is None:
        if not isinstance(verdicts, pl.DataFrame):
            raise ValueError("verdicts in shards need models")
        models = verdicts["model"].unique()
    names = sorted(models)
    items = items.sort("item_id")
    sums = _Sums((len(names), items.height))
    for shard in shards:
        sums.add(shard, names, items["item_id"], metric)
    values, n_runs, state = sums.cells()
    matrix = VerdictMatrix(
        metric,
        tuple(names),
        items,
        values,
        n_runs,
        state,
        _codes(items, card.cluster),
        _weights(items, card.weight),
    )
    return apply_policy(matrix, policy or card.missing)


class _Sums:
    """What shards add up to: per cell the sum of its scores, its scored runs, and what else was seen."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.total = np.zeros(shape)
        self.n_runs = np.zeros(shape, dtype=np.uint16)
        self.asked = np.zeros(shape, dtype=bool)
        self.excluded = np.zeros(shape, dtype=bool)

    def add(self, shard: pl.DataFrame, names: list[str], item_ids: pl.Series, metric: str) -> None:
        row, column = cell_index(shard, names, item_ids)
        flat = row * np.int64(item_ids.len()) + column
        out = shard["excluded"].to_numpy()
        value = shard[metric].cast(pl.Float64).to_numpy()
        scored = ~out & ~np.isnan(value)
        self.asked.reshape(-1)[flat] = True
        n_runs, total, at = self.n_runs.reshape(-1), self.total.reshape(-1), flat[scored]
        if np.all(at[1:] > at[:-1]):
            # Each cell stands once: plain indexing adds, several times faster.
            n_runs[at] += 1
            total[at] += value[scored]
        else:
            np.add.at(n_runs, at, 1)
            np.add.at(total, at, value[scored])
        self.excluded.reshape(-1)[flat[out]] = True

    def cells(
        self,
    ) -> tuple[npt.NDArray[np.float64] | npt.NDArray[np.int8], npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """Return values, scored runs and states of the cells; the sums are used up."""
        state = np.full(self.total.shape, MISSING, dtype=np.uint8)
        state[self.asked] = UNSCORED
        state[self.excluded] = EXCLUDED
        state[self.n_runs > 0] = CELL
        single = self.n_runs.max(initial=0) <= 1
        if single and all(np.all((row == 0) | (row == 1)) for row in self.total):
            return self.total.astype(np.int8), self.n_runs, state
        values = self.total
        values[self.n_runs == 0] = np.nan
        np.divide(values, self.n_runs, out=values, where=self.n_runs > 1)
        return values, self.n_runs, state


def cell_index(
    verdicts: pl.DataFrame, models: list[str] | tuple[str, ...], item_ids: pl.Series
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the row and column of each verdict in a matrix of these models and items."""
    return _position(verdicts["model"], pl.Series(list(models), dtype=pl.String)), _position(
        verdicts["item_id"], item_ids
    )


def _position(values: pl.Series, among: pl.Series) -> npt.NDArray[np.int64]:
    # Files of one model in the order of the items need no join.
    if values.len() == among.len() and values.equals(among):
        return np.arange(among.len(), dtype=np.int64)
    if values.len() > 1 and values.is_sorted() and values[0] == values[-1]:
        return np.full(values.len(), among.index_of(values[0]), dtype=np.int64)
    index = pl.DataFrame({"v": among, "i": np.arange(among.len(), dtype=np.int64)})
    found = pl.DataFrame({"v": values}).join(index, on="v", how="left", maintain_order="left")["i"]
    return found.to_numpy()


def _codes(items: pl.DataFrame, cluster: str | None) -> npt.NDArray[np.int64] | None:
    if cluster is None:
        return None
    names = items[cluster].cast(pl.String)
    return _position(names, names.unique().sort())


def _weights(items: pl.DataFrame, weight: str | None) -> npt.NDArray[np.float64] | None:
    return None if weight is None else items[weight].cast(pl.Float64).fill_null(1.0).to_numpy()


def apply_policy(matrix: VerdictMatrix, policy: MissingPolicy) -> VerdictMatrix:
    """Apply a policy for missing cells.

    `exclude` leaves them out, `failure` counts asked but unscored cells as 0, `common_items` keeps
    the items for which every model has a cell (per track: see `track_matrix`), `error` refuses.
    """
    if policy == "failure":
        asked = (matrix.state == EXCLUDED) | (matrix.state == UNSCORED)
        state = np.where(asked, CELL, matrix.state).astype(np.uint8)
        n_runs = np.where(asked, 1, matrix.n_runs).astype(np.uint16)
        values = np.where(asked, matrix.values.dtype.type(0), matrix.values)
        return replace(matrix, values=values, state=state, n_runs=n_runs)
    if policy == "error" and (matrix.state != CELL).any():
        _refuse(matrix)
    return matrix


def track_matrix(matrix: VerdictMatrix, track: str, policy: MissingPolicy) -> VerdictMatrix:
    """Return a track's matrix; under `common_items`, its complete items only."""
    part = matrix.for_track(track)
    return part.complete() if policy == "common_items" else part


def _refuse(matrix: VerdictMatrix) -> None:
    row, column = np.nonzero(matrix.state != CELL)
    shown = [
        f"{matrix.models[r]}, {matrix.items['item_id'][int(c)]}"
        for r, c in zip(row[:3], column[:3], strict=True)
    ]
    raise DataError(
        [
            problem_with_values(
                "cells (model, item) have no scored run, and the card says missing: error",
                file="benchmark.yaml",
                column="missing",
                values=shown,
                n_values=len(row),
                allowed="exclude, failure or common_items admit them",
            )
        ]
    )


def rate_matrix(
    verdicts: pl.DataFrame, items: pl.DataFrame, card: BenchmarkCard, metric: str, hit: pl.Expr
) -> VerdictMatrix:
    """Build the 0/1 matrix of a rate: 1 where any run of the cell is a hit, over all cells with a row."""
    flagged = verdicts.with_columns(hit.fill_null(False).alias("__hit"))
    names = sorted(verdicts["model"].unique())
    items = items.sort("item_id")
    row, column = cell_index(flagged, names, items["item_id"])
    shape = (len(names), items.height)
    asked = np.zeros(shape, dtype=bool)
    asked[row, column] = True
    hits = np.zeros(shape, dtype=bool)
    is_hit = flagged["__hit"].to_numpy()
    hits[row[is_hit], column[is_hit]] = True
    return VerdictMatrix(
        metric,
        tuple(names),
        items,
        hits.astype(np.int8),
        asked.astype(np.uint16),
        np.where(asked, CELL, MISSING).astype(np.uint8),
        _codes(items, card.cluster),
        _weights(items, card.weight),
    )


@dataclass(frozen=True)
class RunScores:
    """Scores of single runs, for pairs of models with different numbers of runs.

    Parameters
    ----------
    values : ndarray of float, shape (R, M, N)
        Score of each run; NaN where that run is not scored.
    """

    values: npt.NDArray[np.float64]


def run_scores(verdicts: pl.DataFrame, matrix: VerdictMatrix) -> RunScores | None:
    """Lay the runs of a matrix out one by one, or return None where every cell has at most one.

    Runs are numbered by rank of their `run` over the whole benchmark, so that equal numbers match.
    """
    if matrix.n_runs.max(initial=0) <= 1 or matrix.metric not in verdicts.columns:
        return None
    kept = verdicts.filter(
        pl.col("model").is_in(list(matrix.models))
        & pl.col("item_id").is_in(matrix.items["item_id"].implode())
    ).filter(~pl.col("excluded") & pl.col(matrix.metric).is_not_null())
    runs = kept["run"].unique().sort()
    row, column = cell_index(kept, matrix.models, matrix.items["item_id"])
    values = np.full((runs.len(), *matrix.values.shape), np.nan)
    values[_position(kept["run"], runs), row, column] = kept[matrix.metric].cast(pl.Float64).to_numpy()
    return RunScores(values)


Basis = Literal["answered", "complete"]
BASES: tuple[Basis, ...] = ("answered", "complete")


def on_basis(matrix: VerdictMatrix, basis: Basis) -> VerdictMatrix:
    """Return the items of a basis: any model has a cell, or every one has."""
    return matrix.answered() if basis == "answered" else matrix.complete()
