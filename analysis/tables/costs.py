"""`costs`: where each model's cost comes from, and the cost of every priced row."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.schemas import Costs
from analysis.tables.data import BenchmarkData, Made

PER_MILLION = 1e-6


def derive(data: BenchmarkData) -> Made:
    """Make `costs`."""
    return {"costs": (price_models(data), "Total cost, else cost per row, else tokens times prices")}


def price_rows(data: BenchmarkData) -> pl.DataFrame:
    """Return `model`, `item_id`, `row_cost` of every priced row, by the model's cost basis.

    Rows of a model with a total cost share it equally.
    """
    basis = price_models(data)
    prices = data.models.select("model", "input_price_usd", "output_price_usd", "total_cost_usd")
    rows = data.verdicts.select("model", "item_id", "cost_usd", "input_tokens", "output_tokens")
    # Rows keep their order: cells add their runs in it.
    known = basis.select("model", "basis", "n_rows").join(prices, on="model", how="left")
    rows = rows.join(known, on="model", how="left", maintain_order="left")
    cost = (
        pl.when(pl.col("basis") == "total_cost_usd")
        .then(pl.col("total_cost_usd") / pl.col("n_rows"))
        .when(pl.col("basis") == "cost_usd")
        .then(pl.col("cost_usd"))
        .when(pl.col("basis") == "tokens")
        .then(_token_cost())
        .when(pl.col("basis") == "free")
        .then(0.0)
    )
    return rows.select("model", "item_id", cost.alias("row_cost")).drop_nulls("row_cost")


def price_models(data: BenchmarkData) -> pl.DataFrame:
    """Decide where each model's cost comes from.

    In this order: `total_cost_usd` of the models table; the sum of `cost_usd` if every row has it
    and none is 0; tokens times prices; else the model is unpriced. A cost of 0 means unknown
    unless the card calls the model free.

    Returns
    -------
    pl.DataFrame
        Rows of the `Costs` schema, models with verdicts only.
    """
    prices = data.models.select("model", "input_price_usd", "output_price_usd", "total_cost_usd")
    rows = (
        data.verdicts.join(prices, on="model", how="left")
        .group_by("model")
        .agg(
            pl.len().cast(pl.Int64).alias("n_rows"),
            pl.col("total_cost_usd").first(),
            pl.col("cost_usd").count().cast(pl.Int64).alias("n_cost"),
            (pl.col("cost_usd") == 0).sum().cast(pl.Int64).alias("n_zero"),
            ordered_sum("cost_usd").alias("sum_cost"),
            _token_cost().count().cast(pl.Int64).alias("n_tokens"),
            _token_cost().sort().sum().alias("sum_tokens"),
            pl.col("input_tokens").count().cast(pl.Int64).alias("with_tokens"),
            pl.col("input_price_usd").is_not_null().any().alias("has_price"),
        )
    )
    found = [
        _basis(row, row["model"] in data.card.free_models) for row in rows.sort("model").iter_rows(named=True)
    ]
    return pl.DataFrame(found, schema={name: column.dtype for name, column in Costs.columns().items()})


def _basis(row: dict[str, Any], free: bool) -> dict[str, Any]:
    n, total, n_tokens = row["n_rows"], row["total_cost_usd"], row["n_tokens"]
    out = {"model": row["model"], "n_rows": n}
    if total is not None and (free or total != 0):
        return out | {
            "basis": "total_cost_usd",
            "n_priced": n,
            "cost_usd": total,
            "note": "total of the models table",
        }
    if row["n_cost"] == n and (free or row["n_zero"] == 0):
        note = "sum of cost_usd over every row"
        return out | {"basis": "cost_usd", "n_priced": n, "cost_usd": row["sum_cost"], "note": note}
    if n_tokens and (free or row["sum_tokens"] != 0):
        note = f"tokens times prices over {n_tokens:,} of {n:,} rows"
        return out | {"basis": "tokens", "n_priced": n_tokens, "cost_usd": row["sum_tokens"], "note": note}
    if free:
        return out | {
            "basis": "free",
            "n_priced": n,
            "cost_usd": 0.0,
            "note": "the card calls the model free",
        }
    return out | {"basis": "unpriced", "n_priced": 0, "cost_usd": None, "note": _why_unpriced(row)}


def _why_unpriced(row: dict[str, Any]) -> str:
    n, n_cost, n_zero = row["n_rows"], row["n_cost"], row["n_zero"]
    if n_cost == n and n_zero:
        return f"cost_usd is 0 in {n_zero:,} of {n:,} rows, which means unknown (see free_models)"
    if n_cost:
        return f"cost_usd stands in {n_cost:,} of {n:,} rows only, and there are no tokens with prices"
    if row["with_tokens"] and not row["has_price"]:
        return "tokens are known, prices are not (input_price_usd, output_price_usd of the models table)"
    return "no total cost, no cost_usd, no tokens with prices"


def ordered_sum(column: str) -> pl.Expr:
    """Return the sum of a group's values from the smallest up: the same bits whatever the order of rows."""
    return pl.col(column).sort().sum()


def _token_cost() -> pl.Expr:
    return (
        pl.col("input_tokens") * pl.col("input_price_usd")
        + pl.col("output_tokens") * pl.col("output_price_usd")
    ) * PER_MILLION
