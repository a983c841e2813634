"""`decisions`: how often each decision was taken among a model's items."""

from __future__ import annotations

import polars as pl

from analysis.tables.data import BenchmarkData, Made
from analysis.tables.labels import count_by_model


def derive(data: BenchmarkData) -> Made:
    """Make `decisions`."""
    return {"decisions": (count_decisions(data), "Items with the decision in any run")}


def count_decisions(data: BenchmarkData) -> pl.DataFrame:
    """Count, per track, model and decision, the items on which the decision was taken in any run.

    Returns
    -------
    pl.DataFrame
        Rows of the `Decisions` schema.
    """
    taken = data.verdicts.select("model", "item_id", "decision").drop_nulls("decision")
    decisive = list(data.card.decisions.decisive)
    return count_by_model(data, taken, "decision", decisive).with_columns(
        (pl.col("count") / pl.col("n_items")).alias("rate"),
        pl.col("decision").is_in(decisive).alias("decisive"),
    )
