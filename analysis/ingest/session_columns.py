"""One raw file of the sessions to rows of its schema: conversion of every column, and what goes beyond."""

from __future__ import annotations

import difflib
from collections.abc import Callable

import polars as pl

from analysis.ingest import columns
from analysis.ingest.checks import RowChecks
from analysis.ingest.session_beliefs import information_gain
from analysis.ingest.session_contract import COLUMNS, Column, known_columns
from analysis.sessions.critic import is_hard


def normalise(checks: RowChecks, table: str) -> pl.DataFrame | None:
    """Return a file's rows in the types of its schema, or None where the file is refused.

    Parameters
    ----------
    checks : RowChecks
        The file's rows and what is wrong with them; added to.
    table : str
        Name of the table in `SESSION_TABLES`.
    """
    _require(checks, table)
    if checks.fatal:
        return None
    frame = pl.DataFrame([_column(checks, column) for column in COLUMNS[table]])
    if checks.fatal:
        return None
    finish = FINISH.get(table)
    return frame if finish is None else finish(checks, frame)


def _require(checks: RowChecks, table: str) -> None:
    names = checks.frame.columns
    known = known_columns(table)
    for column in COLUMNS[table]:
        if column.required and column.name not in names:
            spare = [n for n in names if n not in known]
            near = difflib.get_close_matches(column.name, spare, n=1, cutoff=0.6)
            checks.refuse(
                "is missing",
                column=column.name,
                allowed="required: " + ", ".join(c.name for c in COLUMNS[table] if c.required),
                hint=f"rename {near[0]!r}" if near else "",
            )


def _column(checks: RowChecks, column: Column) -> pl.Series:
    """Convert one column; nulls take the default, and are flagged where neither is allowed."""
    name = column.name
    if name not in checks.frame.columns:
        values = _absent(column, checks.frame.height)
    else:
        values = _CONVERT[column.kind](checks, column)
    if column.default is not None:
        return values.fill_null(column.default)
    if not column.nullable and column.kind != "id":
        checks.flag(
            values.is_null() & checks.frame[name].is_null(), "is null", column=name, allowed="a value"
        )
    return values


def _absent(column: Column, n: int) -> pl.Series:
    if column.kind == "set":
        return columns.empty_lists(column.name, n)
    types = {
        "whole": pl.Int64(),
        "number": pl.Float64(),
        "flag": pl.Boolean(),
        "sequence": pl.List(pl.String),
    }
    return pl.Series(column.name, [None], dtype=types.get(column.kind, pl.String())).new_from_index(0, n)


def _identifier(checks: RowChecks, column: Column) -> pl.Series:
    if column.default is not None:
        return columns.identifier_or_null(checks, column.name)
    return columns.identifier(checks, column.name)


def _whole(checks: RowChecks, column: Column) -> pl.Series:
    """Return whole numbers; null stays null."""
    series = checks.frame[column.name]
    allowed = f"a whole number of at least {column.low:g}"
    if series.dtype == pl.Boolean or not (series.dtype.is_numeric() or series.dtype == pl.Null):
        checks.refuse("holds no whole numbers", column=column.name, found=str(series.dtype), allowed=allowed)
        return _absent(column, checks.frame.height)
    whole = series.cast(pl.Int64, strict=False)
    odd = series.is_not_null() & (whole.is_null() | (series.cast(pl.Float64) != whole.cast(pl.Float64)))
    checks.flag(odd, "is not a whole number", column=column.name, allowed=allowed)
    checks.flag(whole < column.low, f"is below {column.low:g}", column=column.name, allowed=allowed)
    return whole


def _flag(checks: RowChecks, column: Column) -> pl.Series:
    return columns.boolean(checks, column.name)


def _number(checks: RowChecks, column: Column) -> pl.Series:
    return columns.number(checks, column.name, low=column.low, high=column.high)


def _text(checks: RowChecks, column: Column) -> pl.Series:
    return columns.identifier_or_null(checks, column.name)


def _word(checks: RowChecks, column: Column) -> pl.Series:
    values = columns.text(checks, column.name)
    checks.flag(
        ~values.is_in(column.allowed),
        "is not one of the words that are allowed",
        column=column.name,
        values=values,
        allowed=", ".join(column.allowed),
    )
    return values


def _set(checks: RowChecks, column: Column) -> pl.Series:
    return columns.text_list(_with_text_lists(checks, column.name), column.name)


def _sequence(checks: RowChecks, column: Column) -> pl.Series:
    """Return lists in their order, nulls and empty texts removed; null stays null."""
    checks = _with_text_lists(checks, column.name)
    series = checks.frame[column.name]
    if isinstance(series.dtype, pl.List) and series.dtype.inner == pl.String:
        element = pl.element()
        kept = element.filter(element.is_not_null() & (element != ""))
        return series.to_frame().select(pl.col(column.name).list.eval(kept)).to_series()
    # Other types go through the same refusals as sets; plain text is a list of one.
    lists = columns.text_list(checks, column.name)
    none = _absent(column, lists.len())
    return lists.zip_with(series.is_not_null(), none)


def _with_text_lists(checks: RowChecks, name: str) -> RowChecks:
    """Turn lists of integers into lists of their decimal texts, as identifiers are."""
    series = checks.frame[name]
    if isinstance(series.dtype, pl.List | pl.Array):
        inner = series.dtype.inner
        if isinstance(inner, pl.DataType) and (inner.is_integer() or isinstance(inner, columns.TEXT_TYPES)):
            checks.frame = checks.frame.with_columns(series.cast(pl.List(pl.String)))
    return checks


_CONVERT: dict[str, Callable[[RowChecks, Column], pl.Series]] = {
    "id": _identifier,
    "text": _text,
    "whole": _whole,
    "number": _number,
    "flag": _flag,
    "set": _set,
    "sequence": _sequence,
    "word": _word,
}


def _finish_sessions(checks: RowChecks, frame: pl.DataFrame) -> pl.DataFrame:
    checks.flag(
        frame["t_dx"] > frame["t_max"],
        "is above t_max",
        column="t_dx",
        values=frame["t_dx"],
        allowed="at most t_max; null where no diagnosis was made",
    )
    return frame


def _finish_turns(checks: RowChecks, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(information_gain(checks, frame["information_gain"]))


def _finish_precedence(checks: RowChecks, frame: pl.DataFrame) -> pl.DataFrame:
    checks.flag(
        frame["before"] == frame["after"],
        "comes before itself",
        column="before",
        values=frame["before"],
        allowed="two different names",
    )
    return frame


def _finish_gold(checks: RowChecks, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.coalesce("severity", "weight").alias("severity"))


def _finish_regimens(checks: RowChecks, frame: pl.DataFrame) -> pl.DataFrame:
    return _numbered(checks, frame, "line")


def _finish_violations(checks: RowChecks, frame: pl.DataFrame) -> pl.DataFrame:
    hard = pl.coalesce("hard", is_hard(pl.col("kind"), pl.col("severity")))
    frame = frame.with_columns(hard.fill_null(False).alias("hard"))
    named = frame["drug"].is_not_null() & frame["other_drug"].is_not_null()
    checks.flag(
        (frame["kind"] == "interaction") & ~named,
        "is an interaction without both drugs",
        column="kind",
        values=frame["kind"],
        allowed="drug and other_drug",
    )
    about_drug = frame["kind"].is_in(["profile_conflict", "contraindication"])
    checks.flag(
        about_drug & frame["drug"].is_null(),
        "names no drug",
        column="drug",
        values=frame["kind"],
        allowed="the drug of every contraindication and profile_conflict",
    )
    return _numbered(checks, frame, "violation")


def _finish_adaptations(checks: RowChecks, frame: pl.DataFrame) -> pl.DataFrame:
    one = frame["quality_before"].is_null() != frame["quality_after"].is_null()
    checks.flag(
        one,
        "stands without the other quality",
        column="quality_after",
        values=frame["quality_after"],
        allowed="quality_before and quality_after together, or neither",
    )
    return frame


def _numbered(checks: RowChecks, frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Give rows their number within the plan, in the order of the file, where it has no such column."""
    if name in checks.frame.columns:
        checks.flag(
            checks.frame[name].is_null(), "is null", column=name, allowed=f"a number, or no column {name}"
        )
        return frame
    plan = ["model", "case_id", "run", "plan"]
    return frame.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(plan).alias(name))


FINISH: dict[str, Callable[[RowChecks, pl.DataFrame], pl.DataFrame]] = {
    "sessions": _finish_sessions,
    "session_turns": _finish_turns,
    "session_precedence": _finish_precedence,
    "session_gold": _finish_gold,
    "session_regimens": _finish_regimens,
    "session_violations": _finish_violations,
    "session_adaptations": _finish_adaptations,
}
"""What a table needs beyond its columns one by one."""
