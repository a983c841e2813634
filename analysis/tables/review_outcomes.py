"""`agreement_by_class` and `rating_labels`: what reviewers say, category by category."""

from __future__ import annotations

from itertools import permutations

import polars as pl

from analysis.schemas import AgreementByClass, RatingLabels
from analysis.stats.proportions import wilson_interval
from analysis.tables.data import BenchmarkData, Made, table_frame

TARGET = ["criterion_id", "model", "item_id", "run"]


def derive(data: BenchmarkData) -> Made:
    """Make `agreement_by_class` and `rating_labels`."""
    return {
        "agreement_by_class": (agree_by_class(data), "On what both have rated; Wilson intervals"),
        "rating_labels": (count_rating_labels(data), "Wilson intervals; responses count as independent"),
    }


def _labelled(data: BenchmarkData) -> pl.DataFrame:
    """Return the ratings that are categories; a rater's first rating of a response counts."""
    empty = dict.fromkeys((*TARGET, "rater", "rater_kind", "label"), pl.String)
    if data.ratings is None:
        return pl.DataFrame(schema=empty)
    rows = data.ratings.drop_nulls("label").with_columns(pl.col("criterion_id").fill_null(""))
    rows = rows.select(*TARGET, "rater", "rater_kind", "label")
    return rows.unique([*TARGET, "rater"], keep="first", maintain_order=True)


def agree_by_class(data: BenchmarkData) -> pl.DataFrame:
    """Count, for each category that one rater gives, how often another one gives the same.

    Returns
    -------
    pl.DataFrame
        Rows of the `AgreementByClass` schema, for every ordered pair of raters with common ratings.
    """
    rows = _labelled(data)
    parts: list[pl.DataFrame] = [AgreementByClass.create_empty()]
    for a, b in permutations(sorted(rows["rater"].unique()), 2):
        both = rows.filter(pl.col("rater") == a).join(
            rows.filter(pl.col("rater") == b), on=TARGET, nulls_equal=True, suffix="_b"
        )
        if both.is_empty():
            continue
        same = pl.col("label") == pl.col("label_b")
        table = (
            both.group_by("criterion_id", "label")
            .agg(pl.len().cast(pl.Int64).alias("n"), same.sum().cast(pl.Int64).alias("n_agreed"))
            .sort("criterion_id", "label")
        )
        limits = wilson_interval(
            table["n_agreed"].to_numpy(), table["n"].to_numpy(), level=data.settings.level
        )
        columns = {name: table[name] for name in table.columns} | {
            "rater_a": a,
            "rater_b": b,
            "rate": table["n_agreed"] / table["n"],
            "ci_low": limits.low,
            "ci_high": limits.high,
        }
        parts.append(table_frame(AgreementByClass, columns, table.height))
    return pl.concat(parts)


def count_rating_labels(data: BenchmarkData) -> pl.DataFrame:
    """Count the categories by rater, and by whether every or any rater of a kind gives them.

    Returns
    -------
    pl.DataFrame
        Rows of the `RatingLabels` schema; every category of a criterion for everyone who rates it.
    """
    rows = _labelled(data)
    labels = rows.select("criterion_id", "label").unique()
    n_raters = pl.col("rater").n_unique()
    shared = rows.with_columns(n_raters.over([*TARGET, "rater_kind"]).alias("n_raters"))
    shared = shared.filter(pl.col("n_raters") >= 2)
    given = shared.group_by(*TARGET, "rater_kind", "label").agg(
        n_raters.alias("n_givers"), pl.col("n_raters").first()
    )
    targets = shared.select(*TARGET, "rater_kind").unique()
    unanimous = given.filter(pl.col("n_givers") == pl.col("n_raters"))
    parts = [
        _counted(rows, rows, labels, pl.col("rater")),
        _counted(unanimous, targets, labels, pl.format("every {}", "rater_kind")),
        _counted(given, targets, labels, pl.format("any {}", "rater_kind")),
    ]
    table = pl.concat(parts).sort("criterion_id", "who", "label")
    limits = wilson_interval(table["count"].to_numpy(), table["n"].to_numpy(), level=data.settings.level)
    columns = {name: table[name] for name in table.columns} | {
        "rate": table["count"] / table["n"],
        "ci_low": limits.low,
        "ci_high": limits.high,
    }
    return table_frame(RatingLabels, columns, table.height)


def _counted(held: pl.DataFrame, of: pl.DataFrame, labels: pl.DataFrame, who: pl.Expr) -> pl.DataFrame:
    """Count labels by criterion and who, of what they rated; every label of a criterion stands, zeros too."""
    by = ["criterion_id", "who"]
    totals = of.group_by("criterion_id", who.alias("who")).agg(
        pl.struct(TARGET).n_unique().cast(pl.Int64).alias("n")
    )
    counts = held.group_by("criterion_id", who.alias("who"), "label").agg(
        pl.len().cast(pl.Int64).alias("count")
    )
    joined = totals.join(labels, on="criterion_id").join(counts, on=[*by, "label"], how="left")
    return joined.with_columns(pl.col("count").fill_null(0)).select(*by, "label", "n", "count")
