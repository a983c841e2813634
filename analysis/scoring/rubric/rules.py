"""What a scoring sheet must keep to: the paper's rules on scores, N/A, flags, keys and completeness.

Every fault names rater, vignette, model and sub-dimension. A fault concerns a row, but a sheet with a
hole has another mean: a lenient run therefore sets the whole sheet aside.
"""

from __future__ import annotations

import polars as pl

from analysis.ingest.checks import RowChecks
from analysis.scoring.rubric.faults import Faults, some_of
from analysis.scoring.rubric.line_rules import (
    check_flags,
    check_labels,
    check_lists,
    check_not_applicable,
    check_scores,
)
from analysis.scoring.rubric.lines import key_facts, line_kinds, plan_lines
from analysis.scoring.rubric.sheet_rules import check_completeness, check_parts, check_times
from analysis.scoring.rubric.sheets import NOT_APPLICABLE, SHEET
from analysis.scoring.rubric.state import RubricState

LINE = (*SHEET, "criterion_id")


def check_sheets(checks: RowChecks, frame: pl.DataFrame, state: RubricState) -> pl.DataFrame:
    """Check typed rows of sheets against rubric, keys and declaration.

    Parameters
    ----------
    checks : RowChecks
        Takes up what is wrong.
    frame : pl.DataFrame
        Rows as `normalise_sheets` returns them.
    state : RubricState
        The rubric in use.

    Returns
    -------
    pl.DataFrame
        The rows with `applicable`: false where the sheet says N/A.
    """
    plan = plan_lines(state)
    rows = frame.with_columns(pl.col("label").str.strip_chars().str.to_lowercase().alias("word"))
    rows = rows.join(line_kinds(state), on="criterion_id", how="left", maintain_order="left")
    rows = rows.join(plan, on=["item_id", "criterion_id"], how="left", maintain_order="left")
    rows = rows.join(key_facts(state), on="item_id", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("word").is_in(NOT_APPLICABLE).fill_null(False).alias("na"))
    found = Faults(checks, rows)
    _identity(found, state)
    check_scores(found, state)
    check_not_applicable(found)
    check_labels(found, state)
    check_flags(found, state)
    check_lists(found, state)
    check_times(found, state)
    check_completeness(found, state, plan)
    check_parts(found, state)
    _whole_sheets(checks, rows)
    return frame.with_columns((~rows["na"]).alias("applicable"))


def _identity(found: Faults, state: RubricState) -> None:
    found.flag(
        pl.col("kind").is_null() & pl.col("criterion_id").is_not_null(),
        "is no line of the rubric",
        column="criterion_id",
        allowed=some_of(line_kinds(state)["criterion_id"].to_list()),
    )
    found.flag(
        pl.col("prespecified_at").is_null() & pl.col("item_id").is_not_null(),
        "has no key: it was not prespecified",
        column="item_id",
        allowed=f"a vignette of {state.use.vignettes}",
    )
    if state.rubric.item_criteria:
        # A criterion of one case is no line of another case's sheets.
        found.flag(
            (pl.col("kind") == "score")
            & pl.col("applies").is_null()
            & pl.col("prespecified_at").is_not_null(),
            "is a criterion of another vignette",
            column="criterion_id",
        )
    # A sheet's line stands once: rows sorted by nothing, so the copies are found by hash.
    twice = found.rows.select(LINE).is_duplicated()
    found.flag(twice, "stands more than once in a sheet", column="criterion_id", allowed="one row per line")
    kinds = (
        found.rows.group_by("rater").agg(pl.col("rater_kind").n_unique().alias("n")).filter(pl.col("n") > 1)
    )
    if kinds.height:
        found.flag(
            pl.col("rater").is_in(kinds["rater"].implode()),
            "is a rater of several kinds",
            column="rater_kind",
            allowed="one kind per rater",
            shown="rater_kind",
        )


def _whole_sheets(checks: RowChecks, rows: pl.DataFrame) -> None:
    """Add the other rows of a sheet with a fault to what a lenient run sets aside."""
    bad = checks.bad_rows
    if not bad.any():
        return
    sheets = rows.filter(bad).select(SHEET).unique().with_columns(aside=pl.lit(True))
    joined = rows.join(sheets, on=SHEET, how="left", nulls_equal=True, maintain_order="left")
    checks.set_aside(
        joined["aside"].fill_null(False) & ~bad, "criterion_id: another line of its sheet is at fault"
    )
