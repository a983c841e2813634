"""What a publication says of the same data, and what is measured for it: a reproduction's own record."""

from __future__ import annotations

import polars as pl

from analysis.ingest import columns
from analysis.ingest.checks import RowChecks

REQUIRED = ("place", "says", "printed", "measured", "met")
TEXT = ("quantity", "reason", "note")


def normalise_statements(checks: RowChecks) -> pl.DataFrame | None:
    """Return `statements.parquet` in the types of the contract, numbered in the order of the file.

    Parameters
    ----------
    checks : RowChecks
        Gathers what is wrong with the file.

    Returns
    -------
    pl.DataFrame or None
        Rows of the `Statements` schema; None where the file as a whole is refused.
    """
    frame = checks.frame
    for name in REQUIRED:
        if name not in frame.columns:
            checks.refuse(
                "is missing",
                column=name,
                allowed="statements have place, says, printed, measured and met; optional are quantity, "
                "reason and note",
            )
    if checks.fatal:
        return None
    n = frame.height
    out = [pl.Series("position", range(1, n + 1), dtype=pl.Int64)]
    # A printed value may have been written as a number, a place as a section's.
    out += [columns.identifier(checks, name) for name in ("place", "says", "printed")]
    for name in TEXT:
        there = name in frame.columns
        empty = pl.Series(name, [None], dtype=pl.String).new_from_index(0, n)
        out.append(columns.identifier_or_null(checks, name) if there else empty)
    out.append(columns.number(checks, "measured"))
    met = columns.boolean(checks, "met")
    checks.flag(met.is_null(), "is neither true nor false", column="met", allowed="true, false")
    return pl.DataFrame([*out, met]).select(
        "position", "place", "says", "quantity", "printed", "measured", "met", "reason", "note"
    )
