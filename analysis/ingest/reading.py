"""What one reading of a benchmark's folder gathers: problems, rows set aside, hashes of files."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from analysis.errors import Problem, problem_with_values
from analysis.ingest.checks import QUARANTINE_SCHEMA, RowChecks, row_as_json

PLACE = ["__file", "__row"]
"""Columns that say where a row stands."""


@dataclass
class Reading:
    """What one reading gathers."""

    lenient: bool
    problems: list[Problem] = field(default_factory=list)
    quarantine: list[pl.DataFrame] = field(default_factory=list)
    inputs: dict[str, str] = field(default_factory=dict)

    def settle(self, checks: RowChecks, frame: pl.DataFrame | None) -> pl.DataFrame | None:
        """Take over what the checks found; return the rows that stand."""
        self.problems += checks.fatal
        if frame is None or checks.fatal:
            self.problems += checks.problems
            return None
        if not self.lenient:
            self.problems += checks.problems
        elif checks.problems:
            self.quarantine.append(checks.quarantine())
            return frame.filter(~checks.bad_rows)
        return frame


def distinct_rows(
    frame: pl.DataFrame,
    key: list[str],
    reading: Reading,
    hint: str = "number repetitions in the column run, or remove the copies",
) -> pl.DataFrame:
    """Refuse, or set aside, every row after the first of its key; rows carry the columns `PLACE`."""
    again = ~frame.select(pl.struct(key).is_first_distinct()).to_series()
    if not again.any():
        return frame
    named = ", ".join(key)
    if reading.lenient:
        reading.quarantine.append(
            set_aside(frame, again, f"{named}: repeats an earlier row (the first one stands)")
        )
        return frame.filter(~again)
    repeated = frame.filter(again)
    numbers = [k for k in key if frame[k].dtype.is_integer()]
    text = ", ".join(f"{k} {{}}" if k in numbers else "{}" for k in key)
    parts = [pl.col(k).cast(pl.String).fill_null("null") for k in key]
    shown = repeated.select(pl.format(text, *parts)).to_series().unique(maintain_order=True)
    reading.problems.append(
        problem_with_values(
            f"rows repeat an earlier ({named})",
            file=", ".join(repeated["__file"].unique(maintain_order=True).head(3).to_list()),
            values=shown.head(3).to_list(),
            n_values=shown.len(),
            rows=repeated["__row"].head(3).to_list(),
            n_rows=repeated.height,
            allowed=f"one row per {', '.join(key[:-1])} and {key[-1]}"
            if len(key) > 1
            else f"one row per {named}",
            hint=hint,
        )
    )
    return frame


def set_aside(frame: pl.DataFrame, bad: pl.Series, reason: str) -> pl.DataFrame:
    """Return the bad rows as rows of the quarantine; rows carry the columns `PLACE`."""
    rows = frame.filter(bad)
    shown = [c for c in rows.columns if c not in PLACE]
    content = [
        pl.Series([row_as_json(row)], dtype=pl.String) for row in rows.select(shown).iter_rows(named=True)
    ]
    return pl.DataFrame(
        {
            "file": rows["__file"],
            "row": rows["__row"],
            "reason": pl.Series([reason]).new_from_index(0, rows.height),
            "content": pl.concat(content),
        },
        schema=QUARANTINE_SCHEMA,
    )
