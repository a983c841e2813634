"""Rules on whole sheets: their time and key, completeness, parts of a count."""

from __future__ import annotations

import polars as pl

from analysis.scoring.rubric.faults import Faults, some_of
from analysis.scoring.rubric.sheets import MAIN, SHEET
from analysis.scoring.rubric.state import RubricState


def check_times(found: Faults, state: RubricState) -> None:
    """Check that ratings are younger than the key, of the key's version, and younger than the declaration."""
    found.flag(
        pl.col("rated_at") <= pl.col("prespecified_at"),
        "was rated before the key was settled",
        column="rated_at",
        allowed="a time after the key's prespecified_at",
        hint="a date alone counts from midnight: give times",
        shown="rated_at",
    )
    found.flag(
        pl.col("key_sha256").is_not_null() & (pl.col("key_sha256") != pl.col("locked")),
        "was rated with another version of the key",
        column="key_sha256",
        allowed="the sha256 of the vignette's key",
    )
    declared = state.use.declared_at
    if declared is not None:
        found.flag(
            (pl.col("rated_at") <= pl.lit(declared)) & (pl.col("round") == MAIN),
            "was rated before the profile was declared",
            column="rated_at",
            allowed=f"a time after declared_at, {declared.isoformat()}",
            shown="rated_at",
        )


def check_completeness(found: Faults, state: RubricState, plan: pl.DataFrame) -> None:
    """Check that every sheet has every required line."""
    rubric = state.rubric
    fixed = [n for n, f in rubric.fields.items() if f.required and f.kind == "count"]
    fixed += [rubric.flag.id] if rubric.flag else []
    optional = {n for n, f in rubric.fields.items() if not f.required}
    needed = plan.filter(~pl.col("criterion_id").is_in(list(optional))).group_by("item_id").len("n_scores")
    rows = found.rows
    counted = rows["criterion_id"].is_in(fixed) | (
        (rows["kind"] == "score") & ~rows["criterion_id"].is_in(list(optional))
    )
    have = rows.with_columns(counted=counted).group_by(SHEET).agg(pl.col("counted").sum().alias("n_have"))
    have = have.join(needed, on="item_id", how="inner").with_columns(n_needed=pl.col("n_scores") + len(fixed))
    short = have.filter(pl.col("n_have") < pl.col("n_needed")).sort(SHEET)
    if not short.height:
        return
    first = short.row(0, named=True)
    own = rows.filter(*(pl.col(c) == first[c] for c in SHEET))["criterion_id"].to_list()
    wanted = [
        n for n in plan.filter(pl.col("item_id") == first["item_id"])["criterion_id"] if n not in optional
    ]
    missing = [n for n in [*wanted, *fixed] if n not in own]
    joined = rows.join(
        short.select(*SHEET).with_columns(short=pl.lit(True)), on=SHEET, how="left", maintain_order="left"
    )
    found.flag(
        joined["short"],
        f"belongs to an incomplete sheet ({short.height:,} of {have.height:,} sheets); the first, of rater "
        f"{first['rater']}, vignette {first['item_id']}, model {first['model']}, lacks {some_of(missing)}",
        column="criterion_id",
        allowed="every line of the sheet, N/A with a reason where it does not apply",
    )


def check_parts(found: Faults, state: RubricState) -> None:
    """Check that the parts of a count add up to it."""
    parts = {name: f.part_of for name, f in state.rubric.fields.items() if f.part_of}
    for whole in dict.fromkeys(parts.values()):
        own = [name for name, of in parts.items() if of == whole]
        counts = found.rows.filter(pl.col("criterion_id").is_in([whole, *own]))
        total = (pl.col("criterion_id") == whole).alias("is_whole")
        sums = (
            counts.with_columns(total)
            .group_by(SHEET)
            .agg(
                pl.col("value").filter(pl.col("is_whole")).sum().alias("whole"),
                pl.col("value").filter(~pl.col("is_whole")).sum().alias("parts"),
                (~pl.col("is_whole")).sum().alias("n"),
            )
        )
        wrong = sums.filter((pl.col("n") > 0) & (pl.col("whole") != pl.col("parts")))
        if wrong.height:
            joined = found.rows.join(
                wrong.select(*SHEET).with_columns(wrong=pl.lit(True)),
                on=SHEET,
                how="left",
                maintain_order="left",
            )
            found.flag(
                joined["wrong"].fill_null(False) & (found.rows["criterion_id"] == whole),
                f"is not the sum of its parts ({', '.join(own)})",
                column="value",
                allowed="the sum of the parts, all of them given",
                shown="value",
            )
