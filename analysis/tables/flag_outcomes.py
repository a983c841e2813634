"""`flag_outcomes`: facts about responses against their success, such as the knowledge-to-action gap."""

from __future__ import annotations

import polars as pl

from analysis.matrix import ALL
from analysis.schemas import FlagOutcomes
from analysis.stats.proportions import wilson_interval
from analysis.tables.data import BenchmarkData, Made, table_frame

FAILED = ~pl.col("correct").fill_null(False)
"""A run that does not succeed: wrong, excluded or unscored."""


def derive(data: BenchmarkData) -> Made:
    """Make `flag_outcomes`."""
    return {"flag_outcomes": (relate_flags(data), "Items with any row; Wilson interval of the gap")}


def relate_flags(data: BenchmarkData) -> pl.DataFrame:
    """Count, per track, model and flag, the items that show it and those that show it without success.

    Returns
    -------
    pl.DataFrame
        Rows of the `FlagOutcomes` schema: every flag of the data for every model, zeros kept.
    """
    tracks = data.items.select("item_id", "track")
    rows = data.verdicts.select("model", "item_id", "flags", FAILED.alias("failed"))
    flags = rows["flags"].list.explode(empty_as_null=False).drop_nulls().unique().sort()
    items = rows.group_by("model", "item_id").agg(pl.col("failed").any())
    shown = (
        rows.explode("flags")
        .drop_nulls("flags")
        .group_by("model", "item_id", flag="flags")
        .agg(pl.col("failed").any().alias("flagged_failed"))
    )
    totals = _by_track(items.join(tracks, on="item_id"), ["model"], {"n_items": None, "n_failed": "failed"})
    counts = _by_track(
        shown.join(tracks, on="item_id"),
        ["model", "flag"],
        {"n_flagged": None, "n_flagged_failed": "flagged_failed"},
    )
    table = (
        totals.join(pl.DataFrame({"flag": flags}, schema={"flag": pl.String}), how="cross")
        .join(counts, on=["track", "model", "flag"], how="left")
        .with_columns(pl.col("n_flagged", "n_flagged_failed").fill_null(0))
        .sort("track", "model", "flag")
    )
    gap = table["n_flagged_failed"].to_numpy()
    limits = wilson_interval(gap, table["n_items"].to_numpy(), level=data.settings.level)
    columns = {name: table[name] for name in table.columns} | {
        "rate": table["n_flagged"] / table["n_items"],
        "gap": table["n_flagged_failed"] / table["n_items"],
        "ci_low": limits.low,
        "ci_high": limits.high,
        "share_of_failures": table["n_flagged_failed"] / table["n_failed"],
    }
    return table_frame(FlagOutcomes, columns, table.height)


def _by_track(frame: pl.DataFrame, by: list[str], counted: dict[str, str | None]) -> pl.DataFrame:
    """Count rows (None) or true values of a column, by track and over all tracks."""
    sums = [
        (pl.len() if column is None else pl.col(column).sum()).cast(pl.Int64).alias(name)
        for name, column in counted.items()
    ]
    each = frame.drop_nulls("track").group_by("track", *by).agg(sums)
    every = frame.group_by(by).agg(sums).with_columns(pl.lit(ALL).alias("track"))
    return pl.concat([each, every.select(each.columns)])
