"""`failure_labels`: how often each label stands among a model's items."""

from __future__ import annotations

import polars as pl

from analysis.matrix import ALL
from analysis.stats.proportions import wilson_interval
from analysis.tables.data import BenchmarkData, Made


def derive(data: BenchmarkData) -> Made:
    """Make `failure_labels`."""
    return {"failure_labels": (count_labels(data), "Items with the label in any run; Wilson intervals")}


def count_labels(data: BenchmarkData) -> pl.DataFrame:
    """Count, per track, model and label, the items that show the label in any run.

    Every label of the card (but the reserved ones) and of the data has a row for every model,
    zeros included; Wilson intervals treat items as independent.

    Returns
    -------
    pl.DataFrame
        Rows of the `FailureLabels` schema.
    """
    listed = data.verdicts.select("model", "item_id", pl.col("labels").alias("label"))
    names = [name for name, rule in data.card.labels.items() if not rule.reserved]
    counts = count_by_model(data, listed.explode("label").drop_nulls("label"), "label", names)
    limits = wilson_interval(
        counts["count"].to_numpy(), counts["n_items"].to_numpy(), level=data.settings.level
    )
    return counts.with_columns(
        (pl.col("count") / pl.col("n_items")).alias("rate"),
        pl.Series("ci_low", limits.low),
        pl.Series("ci_high", limits.high),
    )


def count_by_model(
    data: BenchmarkData, shown: pl.DataFrame, column: str, declared: list[str]
) -> pl.DataFrame:
    """Count distinct items per track, model and value; every value crosses every model."""
    tracks = data.items.select("item_id", "track")
    asked = data.verdicts.select("model", "item_id").unique().join(tracks, on="item_id")
    shown = shown.unique().join(tracks, on="item_id")
    values = pl.DataFrame({column: sorted({*declared, *shown[column].to_list()})}, schema={column: pl.String})
    n_items = _by_track(asked, ["model"]).rename({"n": "n_items"})
    counts = _by_track(shown, ["model", column]).rename({"n": "count"})
    return (
        n_items.join(values, how="cross")
        .join(counts, on=["track", "model", column], how="left")
        .with_columns(pl.col("count").fill_null(0))
        .select("track", "model", column, "n_items", "count")
        .sort("track", "model", column)
    )


def _by_track(frame: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Count rows by track and over all tracks."""
    count = pl.len().cast(pl.Int64).alias("n")
    each = frame.drop_nulls("track").group_by("track", *by).agg(count)
    every = frame.group_by(by).agg(count).with_columns(pl.lit(ALL).alias("track"))
    return pl.concat([each, every.select(each.columns)])
