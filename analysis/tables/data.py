"""`BenchmarkData`: the validated tables of one benchmark and the matrices made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.cells import cell_verdicts, verdict_codes
from analysis.config import BenchmarkCard, MissingPolicy, Settings
from analysis.matrix import VerdictMatrix, apply_policy, build_matrix, track_matrix, tracks_of
from analysis.seeds import generator_for
from analysis.sessions.stored import NO_SESSIONS, StoredSessions
from analysis.typed_frames import dy

Made = dict[str, tuple[pl.DataFrame, str]]
"""What a rule makes: tables by name, each with its method in words."""


@dataclass(frozen=True)
class BenchmarkData:
    """What every derived table is computed from.

    Parameters
    ----------
    verdicts, items, models : pl.DataFrame
        Tables of the schemas of the same names.
    card : BenchmarkCard
        The benchmark's card.
    settings : Settings
        The statistics in force.
    ratings : pl.DataFrame or None
        Table of the schema of the same name, where there are ratings.
    audit : pl.DataFrame or None
        What ingest counted.
    criteria : pl.DataFrame or None
        Table of the schema of the same name, where there is a rubric.
    sheets : pl.DataFrame or None
        Scoring sheets, where the card declares a rubric.
    rubric : str or None
        That rubric with the vignettes' keys, as JSON.
    sessions : StoredSessions
        Tables of consultation sessions, read when they are asked for.
    measured : StoredSessions
        Their metrics, for the tables that start from them.
    """

    verdicts: pl.DataFrame
    items: pl.DataFrame
    models: pl.DataFrame
    card: BenchmarkCard
    settings: Settings
    ratings: pl.DataFrame | None = None
    audit: pl.DataFrame | None = None
    criteria: pl.DataFrame | None = None
    sheets: pl.DataFrame | None = None
    rubric: str | None = None
    sessions: StoredSessions = NO_SESSIONS
    measured: StoredSessions = NO_SESSIONS
    _matrices: dict[tuple[str, MissingPolicy], VerdictMatrix] = field(
        default_factory=dict, repr=False, compare=False
    )
    _cells: list[pl.DataFrame] = field(default_factory=list, repr=False, compare=False)

    @property
    def tracks(self) -> list[str]:
        """`all` and every track of the items."""
        return tracks_of(self.items)

    @property
    def metrics(self) -> list[str]:
        """The quality metrics: `correct`, `score` where given, and the declared columns."""
        names = ["correct", *self.card.metrics, self.card.primary_metric]
        if self.verdicts["score"].null_count() < self.verdicts.height:
            names.append("score")
        return [n for n in dict.fromkeys(names) if n in self.verdicts.columns]

    def matrix(self, metric: str = "correct", policy: MissingPolicy | None = None) -> VerdictMatrix:
        """Return the matrix of a metric over all items, under the card's policy or another."""
        key = (metric, policy or self.card.missing)
        if key not in self._matrices:
            if (metric, "exclude") not in self._matrices:
                made = build_matrix(self.verdicts, self.items, self.card, metric, policy="exclude")
                self._matrices[metric, "exclude"] = made
            self._matrices[key] = apply_policy(self._matrices[metric, "exclude"], key[1])
        return self._matrices[key]

    def track(
        self, track: str, metric: str = "correct", policy: MissingPolicy | None = None
    ) -> VerdictMatrix:
        """Return a track's matrix: its items, the models with a cell there."""
        return track_matrix(self.matrix(metric, policy), track, policy or self.card.missing)

    def cell_codes(self, matrix: VerdictMatrix) -> tuple[npt.NDArray[np.int16], list[str]]:
        """Return the verdict of each cell of a matrix as a code, -1 where there is none, and the names."""
        if not self._cells:
            self._cells.append(cell_verdicts(self.verdicts, self.card))
        return verdict_codes(self._cells[0], matrix)

    def resampling_rng(self, track: str) -> np.random.Generator:
        """Return the generator of a track's joint resamples: every table asks for the same draw."""
        return generator_for(self.settings.seed, "resample", track)


def mean_of_cells(matrix: VerdictMatrix) -> npt.NDArray[np.float64]:
    """Return each model's mean over its own cells (weighted where weights are declared), shape (M,)."""
    means = np.full(len(matrix.models), np.nan)
    for m, (values, has) in enumerate(zip(matrix.values, matrix.has_cell, strict=True)):
        weight = None if matrix.weights is None else matrix.weights[has]
        if has.any() and (weight is None or weight.sum() > 0):
            means[m] = np.average(values[has].astype(np.float64), weights=weight)
    return means


def rank_order(estimate: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return model indices in rank order: by estimate to 12 decimals, descending, then by model.

    Models are in code-point order already, so a stable sort settles ties.
    """
    return np.argsort(-np.round(estimate, 12), kind="stable").astype(np.int64)


def ranks_of(order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return each model's rank, 1 to M, from the rank order."""
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def table_frame(schema: type[dy.Schema], columns: Mapping[str, Any], n_rows: int) -> pl.DataFrame:
    """Return rows of a schema from arrays, lists, series and single values that stand in every row.

    NaN becomes null: a table says null where nothing exists.

    Parameters
    ----------
    schema : type of dataframely.Schema
        Gives columns, their order and types.
    columns : mapping of str to array, list, series or scalar
        One entry per column.
    n_rows : int
        How many rows there are.
    """
    series = []
    for name, column in schema.columns().items():
        value = columns[name]
        if isinstance(value, str | int | float | bool) or value is None:
            value = None if value != value else value
            series.append(pl.Series(name, [value], dtype=column.dtype).new_from_index(0, n_rows))
            continue
        one = pl.Series(name, value).cast(column.dtype)
        series.append(one.fill_nan(None) if column.dtype == pl.Float64 else one)
    return pl.DataFrame(series)
