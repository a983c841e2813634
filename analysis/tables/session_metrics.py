"""`session_metrics` and `metric_definitions`: the metrics of every consultation session."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from analysis.schemas import MetricDefinitions, SessionMetrics
from analysis.sessions.definitions import BY_NAME, METRICS
from analysis.sessions.index import KEY, Floats, SessionIndex
from analysis.sessions.measure import measure_sessions, why_impossible
from analysis.tables.data import BenchmarkData, Made, table_frame


def derive(data: BenchmarkData) -> Made:
    """Make `session_metrics` and `metric_definitions`; without rows where there are no sessions."""
    if "sessions" not in data.sessions:
        return {
            "session_metrics": (SessionMetrics.create_empty(), "no sessions"),
            "metric_definitions": (MetricDefinitions.create_empty(), "no sessions"),
        }
    tau = data.card.sessions.tau
    index, values = measure_sessions(data.sessions, tau=tau)
    method = (
        f"MedConsultBench (arXiv:2601.12661), with the decisions of docs/medconsult-decisions.md; τ = {tau:g}"
    )
    return {
        "session_metrics": (long_metrics(index, values), method),
        "metric_definitions": (describe_metrics(values, data.sessions), method),
    }


def long_metrics(index: SessionIndex, values: Mapping[str, Floats]) -> pl.DataFrame:
    """Return the metrics as rows, sorted by session and metric.

    Parameters
    ----------
    index : SessionIndex
        The sessions.
    values : mapping of str to ndarray, shape (n,)
        Values by metric, NaN where not defined.
    """
    names = sorted(values)
    of_metrics = pl.DataFrame(
        {
            "metric": names,
            **{part: [getattr(BY_NAME[n], part) for n in names] for part in ("stage", "direction", "tier")},
        },
        schema=dict.fromkeys(("metric", "stage", "direction", "tier"), pl.String),
    )
    session = np.repeat(np.arange(index.n), len(names))
    metric = np.tile(np.arange(len(names)), index.n)
    flat = np.stack([values[n] for n in names], axis=1).ravel() if names else np.zeros(0)
    value = pl.Series("value", flat).fill_nan(None)
    return pl.concat(
        [index.sessions.select(KEY)[session], of_metrics[metric], value.to_frame()], how="horizontal"
    ).with_columns(pl.col("value").is_not_null().alias("defined"))


def describe_metrics(values: Mapping[str, Floats], tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the catalogue of all metrics, with how many sessions each is defined for and why not for all."""
    n = next(iter(values.values())).size if values else tables["sessions"].height
    defined = {name: int((~np.isnan(value)).sum()) for name, value in values.items()}
    why = [
        why_impossible(m, tables)
        if m.name not in values
        else (m.undefined or None)
        if defined[m.name] < n
        else None
        for m in METRICS
    ]
    columns = {
        "metric": [m.name for m in METRICS],
        "position": list(range(1, len(METRICS) + 1)),
        "form_of": [m.form_of or None for m in METRICS],
        "needs": [", ".join(m.needs) for m in METRICS],
        "n_sessions": n,
        "n_defined": [defined.get(m.name, 0) for m in METRICS],
        "why": why,
        **{
            part: [getattr(m, part) for m in METRICS]
            for part in (
                *("label", "stage", "tier", "direction", "low", "high"),
                *("unit", "meaning", "formula", "section"),
            )
        },
    }
    return table_frame(MetricDefinitions, columns, len(METRICS))
