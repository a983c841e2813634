"""Row checks that either refuse a file or, in a lenient run, set its rows aside with the reason."""

from __future__ import annotations

import json

import polars as pl

from analysis.errors import MAX_VALUES, Problem, problem_with_values

ROW = "__row"
"""Column that numbers a file's rows from 1."""


class RowChecks:
    """Collects what is wrong with the rows of one file.

    Parameters
    ----------
    frame : pl.DataFrame
        The file's rows, as read.
    file : str
        The file's name, relative to the raw folder.
    """

    def __init__(self, frame: pl.DataFrame, file: str) -> None:
        self.frame = frame
        self.file = file
        self.problems: list[Problem] = []
        self.fatal: list[Problem] = []
        self._bad: list[tuple[pl.Series, str]] = []

    def flag(
        self,
        bad: pl.Series,
        message: str,
        *,
        column: str,
        values: pl.Series | None = None,
        allowed: str = "",
        hint: str = "",
        width: int = 80,
    ) -> None:
        """Note the rows for which `bad` is true (null counts as false)."""
        bad = bad.fill_null(False)
        if not bad.any():
            return
        shown = self.frame[column] if values is None and column in self.frame.columns else values
        distinct = shown.filter(bad).unique(maintain_order=True) if shown is not None else pl.Series([])
        self.problems.append(
            problem_with_values(
                message,
                file=self.file,
                column=column,
                values=[_show(v) for v in distinct.head(MAX_VALUES).to_list()],
                n_values=distinct.len(),
                rows=(bad.arg_true().head(MAX_VALUES) + 1).to_list(),
                n_rows=int(bad.sum()),
                allowed=allowed,
                hint=hint,
                width=width,
            )
        )
        self._bad.append((bad, f"{column}: {message}"))

    def set_aside(self, rows: pl.Series, reason: str) -> None:
        """Let a lenient run set further rows aside, which are at fault only through others."""
        if rows.any():
            self._bad.append((rows, reason))

    def refuse(
        self, message: str, *, column: str = "", allowed: str = "", hint: str = "", found: str = ""
    ) -> None:
        """Note a fault of the file as a whole: no run can go on without a mend."""
        values = (found,) if found else ()
        self.fatal.append(
            Problem(
                message, self.file, column, values=values, n_values=len(values), allowed=allowed, hint=hint
            )
        )

    @property
    def bad_rows(self) -> pl.Series:
        """True for every row that a check flagged."""
        bad = pl.Series([False]).new_from_index(0, self.frame.height)
        for mask, _ in self._bad:
            bad = bad | mask
        return bad

    def quarantine(self) -> pl.DataFrame:
        """Return the flagged rows: file, row, reason, content as JSON."""
        rows = [
            {
                "file": self.file,
                "row": index + 1,
                "reason": reason,
                "content": row_as_json(self.frame.row(index, named=True)),
            }
            for mask, reason in self._bad
            for index in mask.arg_true().to_list()
        ]
        return pl.DataFrame(rows, schema=QUARANTINE_SCHEMA)


QUARANTINE_SCHEMA = {"file": pl.String, "row": pl.Int64, "reason": pl.String, "content": pl.String}


def row_as_json(row: dict[str, object]) -> str:
    """Return one row as JSON, whatever its columns hold."""
    return json.dumps(row, ensure_ascii=False, sort_keys=True, default=str)


def _show(value: object) -> str:
    return "null" if value is None else str(value)
