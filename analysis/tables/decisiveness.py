"""`decisiveness`: how often a model commits, how often it fails hard, and how the two go together."""

from __future__ import annotations

import polars as pl

from analysis.matrix import ALL
from analysis.schemas import Decisiveness
from analysis.stats.proportions import wilson_interval
from analysis.tables.data import BenchmarkData, Made, table_frame


def derive(data: BenchmarkData) -> Made:
    """Make `decisiveness`."""
    return {"decisiveness": (relate_decisions(data), "Responses with a decision; Wilson intervals")}


def relate_decisions(data: BenchmarkData) -> pl.DataFrame:
    """Count decisive responses, hard failures and successes, per track and model.

    Responses without a decision (technical failures, items that ask for none) are left out, so a
    track of items without decisions has no rows.

    Returns
    -------
    pl.DataFrame
        Rows of the `Decisiveness` schema.
    """
    decisive = pl.col("decision").is_in(list(data.card.decisions.decisive))
    hard = pl.col("labels").list.set_intersection(list(data.card.hard_labels)).list.len() > 0
    success = pl.col("correct").fill_null(False)
    rows = (
        data.verdicts.drop_nulls("decision")
        .select("model", "item_id", decisive.alias("d"), hard.alias("h"), success.alias("s"))
        .join(data.items.select("item_id", "track"), on="item_id")
    )
    sums = [
        pl.len().alias("n_responses"),
        pl.col("d").sum().alias("n_decisive"),
        pl.col("h").sum().alias("n_hard"),
        (pl.col("d") & pl.col("h")).sum().alias("n_decisive_hard"),
        (pl.col("d") & pl.col("s")).sum().alias("n_decisive_correct"),
        (~pl.col("d") & pl.col("s")).sum().alias("n_cautious_correct"),
    ]
    each = rows.drop_nulls("track").group_by("track", "model").agg(sums)
    every = rows.group_by("model").agg(sums).with_columns(pl.lit(ALL).alias("track"))
    table = pl.concat([each, every.select(each.columns)]).sort("track", "model")
    table = table.with_columns(pl.exclude("track", "model").cast(pl.Int64))
    n, n_decisive = table["n_responses"], table["n_decisive"]
    limits = wilson_interval(
        table["n_decisive_hard"].to_numpy(), n_decisive.to_numpy(), level=data.settings.level
    )
    columns = {name: table[name] for name in table.columns} | {
        "decisive_rate": n_decisive / n,
        "hard_rate": table["n_hard"] / n,
        "hard_given_decisive": table["n_decisive_hard"] / n_decisive,
        "hard_given_decisive_low": limits.low,
        "hard_given_decisive_high": limits.high,
        "correct_given_decisive": table["n_decisive_correct"] / n_decisive,
        "correct_given_cautious": table["n_cautious_correct"] / (n - n_decisive),
    }
    return table_frame(Decisiveness, columns, table.height)
