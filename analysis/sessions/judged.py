"""Judgements that the metrics use: the judges' first ones; humans' where a metric has no judge."""

from __future__ import annotations

import polars as pl

from analysis.sessions import follow_up
from analysis.sessions.index import Floats, SessionIndex, means_by, totals

DIRECT = ("drss", "neu", "car", "aoc", "sdbi")
"""Metrics that are means of judgements."""


def judged_metrics(index: SessionIndex) -> dict[str, Floats]:
    """Return the metrics that are means of judgements, by name, each of shape (n,)."""
    if not index.has("session_judgements"):
        return {}
    out = {}
    for metric in DIRECT:
        rows = first_judgements(index, metric)
        if not rows.is_empty():
            codes = rows["session"]
            total, n = totals(codes, index.n, rows["value"]), totals(codes, index.n)
            out[metric] = follow_up.judged_mean(total, n)
    return out


def first_judgements(index: SessionIndex, metric: str) -> pl.DataFrame:
    """Return one value per session and target: mean over dimensions of the mean over raters.

    Returns
    -------
    pl.DataFrame
        Columns session, target, value; sorted.
    """
    if not index.has("session_judgements"):
        return pl.DataFrame(schema={"session": pl.UInt32, "target": pl.String, "value": pl.Float64})
    rows = index.of_sessions("session_judgements").filter(pl.col("metric") == metric)
    judges = rows.filter(pl.col("rater_kind") == "judge")
    used = (rows if judges.is_empty() else judges).filter(pl.col("repeat") == 0)
    return means_by(means_by(used, ["session", "target", "dimension"]), ["session", "target"])
