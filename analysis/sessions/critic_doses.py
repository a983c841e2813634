"""Doses of regimens against the ranges of the knowledge base."""

from __future__ import annotations

import polars as pl

from analysis.sessions.critic_parts import PLAN, Checked, figure, no_text, split_by_conditions
from analysis.sessions.critic_rules import Rules


def check_doses(known: pl.DataFrame, rules: Rules) -> Checked:
    """Check doses against the most specific range that fits the line; ties go to the lower limit."""
    rows = known.join(rules.doses, on="known", how="inner", maintain_order="left")
    same = pl.col("range_unit") == pl.col("unit")
    scaled = pl.col("unit").replace_strict(MG, default=None, return_dtype=pl.Float64) / pl.col(
        "range_unit"
    ).replace_strict(MG, default=None, return_dtype=pl.Float64)
    rows = rows.with_columns(pl.when(same).then(1.0).otherwise(scaled).alias("scale"))
    unlike = rows.filter(pl.col("dose").is_null() | pl.col("scale").is_null())
    gap = unlike.unique([*PLAN, "line"], keep="first", maintain_order=True).select(
        pl.when(pl.col("dose").is_null())
        .then(pl.lit("dose_not_given"))
        .otherwise(pl.lit("dose_unit"))
        .alias("gap"),
        pl.col("drug").alias("subject"),
    )
    fits = (pl.col("range_route").is_null() | (pl.col("range_route") == pl.col("route")).fill_null(False)) & (
        pl.col("range_indication").is_null()
        | (pl.col("range_indication") == pl.col("indication")).fill_null(False)
    )
    rows, unsure = split_by_conditions(rows.drop_nulls(["dose", "scale"]).filter(fits))
    ceiling = pl.min_horizontal("high", "daily_high")
    rows = rows.sort([*PLAN, "line", pl.col("specificity").neg(), ceiling, "rule"])
    rows = rows.unique([*PLAN, "line"], keep="first", maintain_order=True)
    no_rate = rows.filter(
        pl.col("per_day").is_null() & (pl.col("daily_high").is_not_null() | pl.col("daily_low").is_not_null())
    ).select(pl.lit("doses_a_day_not_given").alias("gap"), pl.col("drug").alias("subject"))
    return _out_of_range(rows), pl.concat([gap, unsure, no_rate])


MG = {"kg": 1e6, "g": 1e3, "mg": 1.0, "ug": 1e-3, "mcg": 1e-3, "µg": 1e-3, "μg": 1e-3, "ng": 1e-6}
"""Milligrams in a unit of mass."""


def _out_of_range(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a violation for every line whose dose, or dose a day, leaves its range; the worse of both."""
    # Conversions of units must not push a dose at the limit over it.
    slack = 1e-9
    dose = pl.col("dose") * pl.col("scale")
    rows = rows.with_columns(dose.alias("single"), (dose * pl.col("per_day")).alias("daily"))
    excess = pl.max_horizontal(pl.col("single") / pl.col("high"), pl.col("daily") / pl.col("daily_high"))
    lack = pl.max_horizontal(
        (pl.col("single") < pl.col("low") * (1 - slack)),
        (pl.col("daily") < pl.col("daily_low") * (1 - slack)),
    )
    rows = rows.with_columns(excess.alias("excess"), lack.fill_null(False).alias("lack"))
    over = (pl.col("excess") > 1 + slack).fill_null(False)
    rows = rows.filter(over | pl.col("lack"))
    gross = (pl.col("excess") > pl.col("gross") * (1 + slack)).fill_null(False)
    what = (
        pl.when(gross)
        .then(pl.lit("grossly above the range"))
        .when(over)
        .then(pl.lit("above the range"))
        .otherwise(pl.lit("below the range"))
    )
    given = pl.format(
        "{} {}{}",
        figure("single"),
        "range_unit",
        pl.when(pl.col("per_day").is_null())
        .then(pl.lit(""))
        .otherwise(pl.format(" {} times a day", figure("per_day"))),
    )
    note = pl.format("{}: {} {}: {} ({})", "rule", "drug", given, what, "limits")
    return rows.with_columns(
        pl.lit("dose").alias("kind"),
        pl.when(gross).then(pl.lit("critical")).otherwise(pl.lit("moderate")).alias("severity"),
        note.alias("note"),
        no_text("other_drug"),
    )
