"""Faults of scoring sheets, with words that name rater, vignette, model and sub-dimension."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from analysis.ingest.checks import RowChecks

MAX_WORDS = 240
"""Characters of a place that a message shows: rater, vignette, model and sub-dimension."""


class Faults:
    """Flags rows with a message that names rater, vignette, model and sub-dimension.

    Parameters
    ----------
    checks : RowChecks
        Takes up what is wrong.
    rows : pl.DataFrame
        The typed rows, with what lines and keys say of them.
    """

    def __init__(self, checks: RowChecks, rows: pl.DataFrame) -> None:
        self.checks, self.rows = checks, rows

    def flag(
        self,
        bad: pl.Expr | pl.Series,
        message: str,
        *,
        column: str,
        allowed: str = "",
        hint: str = "",
        shown: str = "",
    ) -> None:
        """Flag the rows for which `bad` holds; null counts as not."""
        mask = (self.rows.select(bad.alias("bad"))["bad"] if isinstance(bad, pl.Expr) else bad).fill_null(
            False
        )
        if not mask.any():
            return
        # Words are put together for the flagged rows only.
        at = mask.arg_true().head(200)
        some = self.rows[at.to_list()].select(
            pl.format(
                "rater {}, vignette {}, model {}, {}",
                *(pl.col(c).fill_null("?") for c in ("rater", "item_id", "model", "criterion_id")),
            ).alias("who"),
            (
                pl.col(shown).cast(pl.String).fill_null("empty") if shown else pl.lit(None, dtype=pl.String)
            ).alias("got"),
        )
        words = some.select(
            pl.when(pl.col("got").is_null()).then("who").otherwise(pl.format("{}: {}", "who", "got"))
        )
        values = (
            pl.Series([None], dtype=pl.String).new_from_index(0, mask.len()).scatter(at, words.to_series())
        )
        self.checks.flag(
            mask, message, column=column, values=values, allowed=allowed, hint=hint, width=MAX_WORDS
        )


def some_of(names: Iterable[str]) -> str:
    """Return the first forty names, and how many more there are."""
    names = list(names)
    more = len(names) - 40
    if more > 0:
        return ", ".join(names[:40]) + f" and {more:,} more"
    return ", ".join(names)
