"""What the checks of the safety critic share: the columns of what they return, conditions, texts."""

from __future__ import annotations

import polars as pl

from analysis.sessions.critic_rules import holds

PLAN = ["model", "case_id", "run", "plan"]
FOUND = [*PLAN, "line", "rule", "kind", "severity", "drug", "other_drug", "note"]
"""Columns of the violations that a check returns."""
GAP = ["gap", "subject"]
"""Columns of what a check could not check, a row each."""

Checked = tuple[pl.DataFrame, pl.DataFrame]
"""Violations (columns `FOUND` and others) and gaps (columns `GAP`)."""


def split_by_conditions(rows: pl.DataFrame) -> Checked:
    """Split rows that carry rule and profile: those whose conditions hold, and those that cannot say."""
    rows = rows.with_columns(holds().alias("__holds"))
    unsure = rows.filter(pl.col("__holds").is_null())
    unsure = unsure.unique([*PLAN, "line", "rule"], keep="first", maintain_order=True)
    gap = unsure.select(pl.lit("unknown_profile").alias("gap"), pl.col("rule").alias("subject"))
    return rows.filter("__holds"), gap


def figure(column: str) -> pl.Expr:
    """Return a number as text without trailing zeros."""
    return pl.col(column).round_sig_figs(6).cast(pl.String).str.strip_suffix(".0")


def no_text(name: str) -> pl.Expr:
    """Return a column of null texts."""
    return pl.lit(None, dtype=pl.String).alias(name)


def no_gap() -> pl.DataFrame:
    """Return no gaps."""
    return pl.DataFrame(schema=dict.fromkeys(GAP, pl.String))
