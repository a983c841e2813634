"""`SessionMatrix`: the metrics of sessions as arrays of models by sessions, and their joint bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.schemas import DERIVED
from analysis.seeds import generator_for
from analysis.stats.bootstrap import bootstrap_means
from analysis.tables.data import BenchmarkData, Made

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STAGES = ("history", "diagnosis", "treatment", "follow_up")


@dataclass(frozen=True)
class Means:
    """Means of K rows of sessions with bootstrap limits over cases.

    Parameters
    ----------
    estimate, low, high : ndarray of float, shape (K,)
        Means and limits; NaN where none exists.
    replicates : ndarray of float, shape (B, K)
        Means in each resample of the cases.
    n_sessions, n_cases : ndarray of int, shape (K,)
        Sessions in the mean, and the cases they lie in.
    """

    estimate: Floats
    low: Floats
    high: Floats
    replicates: Floats
    n_sessions: Ints
    n_cases: Ints


@dataclass(frozen=True)
class SessionMatrix:
    """Metrics of M models on S slots, one slot for every case and run.

    Parameters
    ----------
    models : tuple of str
        Models in code-point order.
    roles : tuple of str
        `model`, `baseline` or `reference`, for each.
    slots : pl.DataFrame
        case_id and run of each slot.
    units : ndarray of int, shape (S,)
        What is resampled: number of the case, or of its declared cluster.
    definitions : pl.DataFrame
        Rows of `metric_definitions` of the metrics there are, in their order.
    n_sessions : ndarray of int, shape (M,)
        Sessions of each model.
    """

    models: tuple[str, ...]
    roles: tuple[str, ...]
    slots: pl.DataFrame
    units: Ints
    definitions: pl.DataFrame
    n_sessions: Ints
    _data: BenchmarkData = field(repr=False)
    _values: dict[str, Floats] = field(repr=False)

    @property
    def level(self) -> float:
        """Confidence level."""
        return self._data.settings.level

    @property
    def seed(self) -> int:
        """The benchmark's seed."""
        return self._data.settings.seed

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, in their order."""
        return self.definitions["metric"].to_list()

    @property
    def ranked(self) -> Ints:
        """Numbers of the models that are no baseline and no reference."""
        return np.flatnonzero([role == "model" for role in self.roles])

    def values(self, metric: str) -> Floats:
        """Return a metric, shape (M, S); NaN where there is no session or it is not defined."""
        return self._values[metric]

    def of_tier(self, tier: str) -> pl.DataFrame:
        """Return the definitions of a tier that have a value in any session of any model.

        What the files leave undefined everywhere says nothing of any model, whichever file is to blame.
        """
        known = [name for name in self.metrics if not np.isnan(self.values(name)).all()]
        return self.definitions.filter(pl.col("tier") == tier, pl.col("metric").is_in(known))

    def metric_means(self) -> Means:
        """Return the means of all metrics: rows ordered by metric, then model."""
        rows = [self.values(name) for name in self.metrics]
        return self.means(np.concatenate([np.zeros((0, self.slots.height)), *rows]))

    def means(self, rows: Floats) -> Means:
        """Return means over sessions of rows of shape (K, S), with limits from one draw of the cases.

        Every call uses the same resamples, so what is computed of one agrees with the others.
        """
        has = ~np.isnan(rows)
        n = has.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate = np.where(has, rows, 0.0).sum(axis=1) / n
        settings = self._data.settings
        boot = bootstrap_means(
            rows,
            rng=generator_for(settings.seed, "resample", "cases"),
            n_resamples=settings.resamples,
            clusters=self.units,
        )
        limits = boot.interval(settings.level)
        return Means(
            estimate, limits.ci_low, limits.ci_high, boot.replicates, n.astype(np.int64), boot.n_clusters
        )


def without(*tables: str) -> Made:
    """Return tables without rows, for a benchmark that has no sessions or none that were judged."""
    return {name: (DERIVED[name].create_empty(), "no sessions") for name in tables}


def lay_out_sessions(data: BenchmarkData) -> SessionMatrix:
    """Lay the metrics of the sessions out as arrays.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, with the metrics of the sessions.
    """
    rows = data.measured["session_metrics"]
    definitions = data.measured["metric_definitions"].filter(
        pl.col("metric").is_in(rows["metric"].unique().to_list())
    )
    definitions = definitions.sort("position")
    sessions = data.sessions["sessions"].select("model", "case_id", "run")
    models = tuple(sorted(sessions["model"].unique()))
    slots = sessions.select("case_id", "run").unique().sort("case_id", "run").with_row_index("slot")
    place = pl.DataFrame(
        {"model": models, "m": range(len(models))}, schema={"model": pl.String, "m": pl.Int64}
    )
    located = rows.join(place, on="model").join(slots, on=["case_id", "run"])
    values = {}
    for (name,), part in located.select("metric", "m", "slot", "value").group_by("metric"):
        grid = np.full((len(models), slots.height), np.nan)
        grid[part["m"].to_numpy(), part["slot"].to_numpy()] = part["value"].fill_null(float("nan")).to_numpy()
        values[str(name)] = grid
    n = sessions.group_by("model").len().sort("model")["len"].cast(pl.Int64).to_numpy()
    roles = _roles(data, models)
    return SessionMatrix(models, roles, slots.drop("slot"), _units(data, slots), definitions, n, data, values)


def _roles(data: BenchmarkData, models: Sequence[str]) -> tuple[str, ...]:
    if "session_systems" not in data.sessions:
        return ("model",) * len(models)
    known = dict(data.sessions["session_systems"].select("model", "role").iter_rows())
    return tuple(known.get(m, "model") for m in models)


def _units(data: BenchmarkData, slots: pl.DataFrame) -> Ints:
    """Return the resampled unit of each slot: its case, or the declared cluster of the case."""
    unit = slots["case_id"]
    if data.card.cluster is not None:
        clusters = data.items.select(
            pl.col("item_id").alias("case_id"), pl.col(data.card.cluster).cast(pl.String).alias("cluster")
        )
        joined = slots.join(clusters, on="case_id", how="left", maintain_order="left")
        unit = joined.select(pl.coalesce("cluster", "case_id")).to_series()
    return (unit.rank("dense").cast(pl.Int64) - 1).to_numpy()
