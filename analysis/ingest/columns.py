"""Converters from the encodings people use to the types of the raw contract.

Each takes the checks of one file and a column's name and returns a series of the contract's type;
what does not convert is flagged, never dropped or guessed.
"""

from __future__ import annotations

import polars as pl

from analysis.ingest.checks import RowChecks

TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum)
TRUE_TEXT, FALSE_TEXT = ("true", "1", "1.0"), ("false", "0", "0.0")


def text(checks: RowChecks, column: str, *, required: bool = False, fatal_hint: str = "") -> pl.Series:
    """Return a column as text; other types than text refuse the file."""
    series = checks.frame[column]
    if series.dtype == pl.Null:
        series = series.cast(pl.String)
    elif series.dtype == pl.Binary:
        series = _decoded(checks, series)
    elif not isinstance(series.dtype, TEXT_TYPES):
        checks.refuse(
            "holds no text", column=column, found=str(series.dtype), allowed="string", hint=fatal_hint
        )
        return _nothing(checks, column, pl.String)
    series = series.cast(pl.String).alias(column)
    if required:
        checks.flag(series.is_null(), "is null", column=column, allowed="any text", values=series)
        checks.flag(series == "", "is empty", column=column, allowed="any text", values=series)
    return series


def identifier(checks: RowChecks, column: str) -> pl.Series:
    """Return a string or integer column as text, integers in decimal."""
    series = checks.frame[column]
    if series.dtype.is_integer():
        series = series.cast(pl.String)
        checks.flag(series.is_null(), "is null", column=column, allowed="string or integer", values=series)
        return series
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        checks.refuse(
            "holds neither text nor integers",
            column=column,
            found=str(series.dtype),
            allowed="string or integer",
            hint="write the identifiers as text: 1 and 1.0 would not join",
        )
        return _nothing(checks, column, pl.String)
    return text(checks, column, required=True)


def identifier_or_null(checks: RowChecks, column: str) -> pl.Series:
    """Return a string or integer column as text; null stays null."""
    series = checks.frame[column]
    return series.cast(pl.String) if series.dtype.is_integer() else text(checks, column)


def integer(checks: RowChecks, column: str, *, nullable: bool = False) -> pl.Series:
    """Return an integer column; floats without a fraction are integers. Nulls are flagged unless allowed."""
    series = checks.frame[column]
    if series.dtype == pl.Boolean or not (series.dtype.is_numeric() or series.dtype == pl.Null):
        checks.refuse("holds no integers", column=column, found=str(series.dtype), allowed="integer")
        return _nothing(checks, column, pl.Int64)
    whole = series.cast(pl.Int64, strict=False)
    wrong = (series.is_not_null() & whole.is_null()) | (series.cast(pl.Float64) != whole.cast(pl.Float64))
    checks.flag(
        wrong.fill_null(False) if nullable else (wrong | series.is_null()).fill_null(True),
        "is not an integer",
        column=column,
        allowed="integer",
    )
    return whole


def number(
    checks: RowChecks, column: str, *, low: float | None = None, high: float | None = None
) -> pl.Series:
    """Return a numeric column; NaN, infinities and values outside [low, high] are flagged."""
    series = checks.frame[column]
    if not (series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Null)):
        checks.refuse("holds no numbers", column=column, found=str(series.dtype), allowed="number")
        return _nothing(checks, column, pl.Float64)
    series = series.cast(pl.Float64)
    allowed = _range(low, high)
    checks.flag(
        ~series.is_finite(), "is not finite", column=column, allowed=allowed, hint="null means unknown"
    )
    if low is not None:
        message = "is negative" if low == 0 and high is None else f"is below {low:g}"
        checks.flag(series < low, message, column=column, allowed=allowed)
    if high is not None:
        checks.flag(
            (series > high) & series.is_finite(),
            f"is above {high:g}",
            column=column,
            allowed=allowed,
            hint="percentages are written as shares: 0.83, not 83" if high == 1 else "",
        )
    return series


def boolean(checks: RowChecks, column: str) -> pl.Series:
    """Return truth values given as booleans, as 0 and 1, or as the texts true and false."""
    series = checks.frame[column]
    allowed = "true or false, 1 or 0, null for unscored"
    if series.dtype in (pl.Boolean, pl.Null):
        return series.cast(pl.Boolean)
    if series.dtype.is_numeric():
        checks.flag(~((series == 0) | (series == 1)), "is not a truth value", column=column, allowed=allowed)
        return series == 1
    if isinstance(series.dtype, TEXT_TYPES):
        lower = series.cast(pl.String).str.strip_chars().str.to_lowercase()
        lower = lower.set(lower == "", None)
        known = lower.is_in([*TRUE_TEXT, *FALSE_TEXT])
        checks.flag(~known, "is not a truth value", column=column, allowed=allowed)
        return lower.is_in(TRUE_TEXT).set(lower.is_null() | ~known.fill_null(True), None).alias(column)
    checks.refuse("holds no truth values", column=column, found=str(series.dtype), allowed=allowed)
    return _nothing(checks, column, pl.Boolean)


def text_list(checks: RowChecks, column: str) -> pl.Series:
    """Return a list-of-text column with distinct, non-empty entries in code-point order.

    A column of plain text is a list of one.
    """
    series = checks.frame[column]
    if series.dtype == pl.Null:
        series = series.cast(pl.List(pl.String))
    elif isinstance(series.dtype, TEXT_TYPES):
        frame = pl.DataFrame({column: series.cast(pl.String)})
        series = frame.select(pl.concat_list(column).alias(column)).to_series()
    elif isinstance(series.dtype, pl.List | pl.Array):
        inner = series.dtype.inner
        if not (isinstance(inner, TEXT_TYPES) or inner == pl.Null):
            checks.refuse(
                "holds lists of other things than text",
                column=column,
                found=str(series.dtype),
                allowed="list of strings",
            )
            return empty_lists(column, checks.frame.height)
        series = series.cast(pl.List(pl.String))
    else:
        checks.refuse("holds no lists", column=column, found=str(series.dtype), allowed="list of strings")
        return empty_lists(column, checks.frame.height)
    return clean_lists(series.alias(column))


def clean_lists(series: pl.Series) -> pl.Series:
    """Return lists with nulls and empty texts removed, distinct, in code-point order; null becomes empty."""
    if series.null_count() == series.len():
        return empty_lists(series.name, series.len())
    element = pl.element()
    return (
        series.to_frame()
        .select(
            pl.col(series.name)
            .list.eval(element.filter(element.is_not_null() & (element != "")))
            .list.unique()
            .list.sort()
            .fill_null([])
        )
        .to_series()
    )


def _decoded(checks: RowChecks, series: pl.Series) -> pl.Series:
    def decode(value: bytes) -> str | None:
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None

    decoded = series.map_elements(decode, return_dtype=pl.String)
    checks.flag(
        decoded.is_null() & series.is_not_null(), "is not valid UTF-8", column=series.name, values=series
    )
    return decoded


def _range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"a number in [{low:g}, {high:g}]"
    return "a number of at least 0" if low == 0 else "a finite number"


def _nothing(checks: RowChecks, column: str, dtype: pl.DataType | type[pl.DataType]) -> pl.Series:
    return pl.Series(column, [None], dtype=dtype).new_from_index(0, checks.frame.height)


def empty_lists(name: str, n: int) -> pl.Series:
    """Return `n` empty lists of text."""
    return pl.Series(name, [[]], dtype=pl.List(pl.String)).new_from_index(0, n)
