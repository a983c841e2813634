"""The audit trail of a scorer: every step that led to a verdict, where the scorer wrote them down."""

from __future__ import annotations

import polars as pl

from analysis.ingest import columns
from analysis.ingest.checks import RowChecks

REQUIRED = ("model", "item_id", "step", "field", "outcome")
TEXT = ("phase", "found", "expected")
NUMBERS = ("value", "threshold")
KEY = ["model", "item_id", "run", "step"]
ORDER = [*KEY, "phase", "field", "outcome", "found", "expected", "value", "threshold"]
VERDICT = "verdict"
"""The phase whose outcome is the verdict itself."""


def normalise_audit_trail(checks: RowChecks) -> pl.DataFrame | None:
    """Return `audit_trail.parquet` in the types of the contract, one row per model, item, run and step.

    Parameters
    ----------
    checks : RowChecks
        Gathers what is wrong with the file.

    Returns
    -------
    pl.DataFrame or None
        Rows of the `AuditTrail` schema in the order of the file; None where the file as a whole is refused.
    """
    frame = checks.frame
    for name in REQUIRED:
        if name not in frame.columns:
            checks.refuse(
                "is missing",
                column=name,
                allowed="an audit trail has model, item_id, step, field and outcome; optional are run, "
                "phase, found, expected, value and threshold",
            )
    if checks.fatal:
        return None
    n = frame.height
    out = [
        columns.text(checks, "model", required=True),
        columns.identifier(checks, "item_id"),
        columns.integer(checks, "run")
        if "run" in frame.columns
        else pl.Series("run", [0], dtype=pl.Int64).new_from_index(0, n),
        columns.integer(checks, "step"),
    ]
    out += [columns.text(checks, name, required=True) for name in ("field", "outcome")]
    for name in TEXT:
        # Integers are texts here as they are among the identifiers: a gold answer may be a number.
        there = name in frame.columns
        empty = pl.Series(name, [None], dtype=pl.String).new_from_index(0, n)
        out.append(columns.identifier_or_null(checks, name) if there else empty)
    for name in NUMBERS:
        there = name in frame.columns
        nothing = pl.Series(name, [None], dtype=pl.Float64).new_from_index(0, n)
        out.append(columns.number(checks, name) if there else nothing)
    trail = pl.DataFrame(out).select(ORDER)
    checks.flag(
        trail.select(KEY).is_duplicated(),
        "stands more than once for the same response",
        column="step",
        values=trail.select(pl.format("{}, {}, run {}, step {}", *KEY)).to_series(),
        allowed="one row per model, item_id, run and step",
    )
    return trail
