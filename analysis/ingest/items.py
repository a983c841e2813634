"""The items of a benchmark: what the verdicts and the items table say of them together."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard
from analysis.errors import Problem, problem_with_values
from analysis.ingest.reading import Reading, set_aside
from analysis.ingest.verdicts import ITEM_COLUMNS


def item_attributes(verdicts: pl.DataFrame, reading: Reading) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Take item attributes out of the verdicts; within an item they may not vary.

    A null beside a value is an unknown, not a contradiction.
    """
    present = [c for c in ITEM_COLUMNS if c in verdicts.columns]
    first = verdicts.group_by("item_id", maintain_order=True).agg(
        pl.col(c).drop_nulls().first().alias(c) for c in present
    )
    varies = pl.Series([False]).new_from_index(0, verdicts.height)
    for name in present:
        joined = verdicts.select("item_id", name).join(
            first.select("item_id", pl.col(name).alias("__first")),
            on="item_id",
            how="left",
            maintain_order="left",
        )
        differs = (joined[name] != joined["__first"]).fill_null(False)
        if not differs.any():
            continue
        items = verdicts.filter(differs)["item_id"].unique(maintain_order=True)
        shown = [
            f"{row[0]}: {row[1]} and {row[2]}"
            for row in joined.filter(differs).unique(maintain_order=True).rows()[:3]
        ]
        problem = problem_with_values(
            f"varies within {items.len():,} item{'s' if items.len() != 1 else ''}",
            file=verdicts.filter(differs)["__file"][0],
            column=name,
            values=shown,
            n_values=items.len(),
            rows=verdicts.filter(differs)["__row"].head(3).to_list(),
            n_rows=int(differs.sum()),
            allowed=f"one {name} per item",
        )
        if reading.lenient:
            reading.quarantine.append(set_aside(verdicts, differs, f"{name}: varies within the item"))
        else:
            reading.problems.append(problem)
        varies = varies | differs
    kept = verdicts.drop(present)
    return (kept.filter(~varies) if reading.lenient else kept), first


def join_items(
    verdicts: pl.DataFrame,
    attributes: pl.DataFrame,
    listed: pl.DataFrame | None,
    card: BenchmarkCard,
    reading: Reading,
) -> pl.DataFrame:
    """Join the items of the items table and of the verdicts; a contradiction between them is refused."""
    base = (
        attributes
        if listed is None
        else listed.join(attributes, on="item_id", how="full", coalesce=True, suffix="__v")
    )
    for name in ITEM_COLUMNS:
        other = f"{name}__v"
        if other in base.columns:
            clash = base.filter((pl.col(name) != pl.col(other)).fill_null(False))
            if clash.height:
                reading.problems.append(
                    problem_with_values(
                        f"differs between items.parquet and the verdicts for {clash.height:,} items",
                        file="items.parquet",
                        column=name,
                        values=[
                            f"{r[0]}: {r[1]} and {r[2]}"
                            for r in clash.select("item_id", name, other).rows()[:3]
                        ],
                        n_values=clash.height,
                        allowed="one value per item",
                    )
                )
            base = base.with_columns(pl.coalesce(name, other).alias(name)).drop(other)
    text = [c for c in (*ITEM_COLUMNS, "component") if c not in base.columns]
    base = base.with_columns(pl.lit(None, dtype=pl.String).alias(c) for c in text)
    numbers = [c for c in ("position", "weight") if c not in base.columns]
    base = base.with_columns(pl.lit(None, dtype=pl.Float64).alias(c) for c in numbers)
    reading.problems += _declared_columns(base, card)
    return base


def _declared_columns(items: pl.DataFrame, card: BenchmarkCard) -> list[Problem]:
    """Check that every item column that the card names exists and can serve."""
    problems = []
    named = {
        "cluster": [card.cluster] if card.cluster else [],
        "weight": [card.weight] if card.weight else [],
    }
    named |= {"strata": list(card.strata or ()), "covariates": list(card.covariates)}
    for key, names in named.items():
        for name in names:
            if name not in items.columns or items[name].null_count() == items.height:
                known = [c for c in items.columns if c != "item_id" and items[c].null_count() < items.height]
                problems.append(
                    Problem(
                        f"names the item column {name!r}, which the items do not have",
                        "benchmark.yaml",
                        key,
                        allowed=", ".join(known) or "no item column has values",
                        kind="key",
                    )
                )
    if card.cluster and not problems and items[card.cluster].null_count():
        problems.append(
            Problem(
                f"{items[card.cluster].null_count():,} of {items.height:,} items have no {card.cluster}",
                "items.parquet",
                card.cluster,
                allowed="a cluster for every item, since the card declares the cluster",
            )
        )
    return problems
