"""Scoring sheets, Parquet or CSV, to typed rows: one row per rater, response, round and line of the sheet."""

from __future__ import annotations

import re

import polars as pl

from analysis.ingest import columns
from analysis.ingest.checks import RowChecks

MAIN = "main"
"""The round that is scored; every other round is one of calibration."""

SHEET = ("rater", "item_id", "model", "run", "round")
"""What makes a sheet: one rater's view of one response."""

FREE_TEXT = ("reason", "note", "error_ids", "list_items", "case_criterion", "trigger", "key_sha256")
"""Columns of text that may be empty."""

NEEDED = ("model", "item_id", "criterion_id", "rater", "rater_kind", "rated_at")
"""Columns that every file of sheets has."""

KNOWN = (*NEEDED, *FREE_TEXT, "run", "round", "score", "value", "label", "what", "anchors")
"""Columns that are read, and those that only help the rater (`what`, `anchors`)."""

NOT_APPLICABLE = ("n/a", "na", "not applicable")
"""How a sheet says that a line does not apply, in any case."""

_APOSTROPHE = r"^'(\s*[=+\-@\t\r])"
"""What our own CSV puts before text that a spreadsheet would compute."""

_NUMBER = re.compile(r"^[+-]?\d+(\.\d+)?$")


def normalise_sheets(checks: RowChecks) -> pl.DataFrame | None:
    """Return the rows of a file of sheets in their types, or None where the file is refused.

    Parameters
    ----------
    checks : RowChecks
        The file's rows; added to where something is wrong.

    Returns
    -------
    pl.DataFrame or None
        `model`, `item_id`, `run`, `round`, `rater`, `rater_kind`, `criterion_id`, `value`, `label`,
        `rated_at` and the columns of `FREE_TEXT`. A CSV has `score` in place of `value` and `label`.
    """
    frame = checks.frame
    if len(frame.columns) == 1 and ";" in frame.columns[0]:
        checks.refuse("is parted by semicolons", allowed="a CSV parted by commas, in UTF-8")
        return None
    for name in NEEDED:
        if name not in frame.columns:
            checks.refuse(
                "is missing",
                column=name,
                allowed="sheets have model, item_id, criterion_id, rater, rater_kind, rated_at and a score",
            )
    if not {"score", "value", "label"} & set(frame.columns):
        checks.refuse("has no score", allowed="score (text), or value (number) and label (text)")
    if checks.fatal:
        return None
    frame = checks.frame = _plain_text(frame)
    out = [
        columns.text(checks, "model", required=True),
        columns.identifier(checks, "item_id"),
        _run(checks),
        _text(checks, "round").fill_null(MAIN),
        columns.text(checks, "rater", required=True),
        columns.text(checks, "rater_kind").str.to_lowercase(),
        columns.identifier(checks, "criterion_id"),
        *_scores(checks),
        *(_text(checks, name) for name in FREE_TEXT),
        _moments(checks, "rated_at"),
    ]
    if checks.fatal:
        return None
    checks.flag(
        ~out[5].is_in(["human", "judge", "scorer"]).fill_null(False),
        "is not a kind of rater",
        column="rater_kind",
        allowed="human, judge, scorer",
    )
    return pl.DataFrame(out)


def _plain_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Trim text, take our apostrophe off again, and make empty text null."""
    names = [c for c in frame.columns if frame[c].dtype == pl.String]
    trimmed = [pl.col(c).str.strip_chars().str.replace(_APOSTROPHE, "$1") for c in names]
    frame = frame.with_columns(trimmed)
    return frame.with_columns(pl.when(pl.col(c) != "").then(pl.col(c)).alias(c) for c in names)


def _text(checks: RowChecks, name: str) -> pl.Series:
    if name not in checks.frame.columns:
        return pl.Series(name, [None], dtype=pl.String).new_from_index(0, checks.frame.height)
    return columns.identifier_or_null(checks, name)


def _run(checks: RowChecks) -> pl.Series:
    frame = checks.frame
    if "run" not in frame.columns or frame["run"].null_count() == frame.height:
        return pl.Series("run", [0], dtype=pl.Int64).new_from_index(0, frame.height)
    if frame["run"].dtype == pl.String:
        whole = frame["run"].cast(pl.Int64, strict=False)
        bad = whole.is_null() & frame["run"].is_not_null()
        checks.flag(bad, "is not an integer", column="run", allowed="integer; empty is 0")
        return whole.fill_null(0)
    checks.frame = frame.with_columns(pl.col("run").fill_null(0))
    return columns.integer(checks, "run")


def _scores(checks: RowChecks) -> tuple[pl.Series, pl.Series]:
    """Return numbers and words: a sheet's one column of scores is parted into both."""
    frame = checks.frame
    if "score" not in frame.columns:
        label = _text(checks, "label")
        if "value" not in frame.columns:
            return pl.Series("value", [None], dtype=pl.Float64).new_from_index(0, frame.height), label
        return columns.number(checks, "value"), label
    score = frame["score"]
    if score.dtype.is_numeric():
        return columns.number(checks, "score").alias("value"), _text(checks, "label")
    text = columns.text(checks, "score")
    is_number = text.str.contains(_NUMBER.pattern)
    parted = pl.DataFrame({"text": text, "is_number": is_number}).select(
        value=pl.when("is_number").then(pl.col("text")).cast(pl.Float64),
        label=pl.when(~pl.col("is_number")).then(pl.col("text")),
    )
    label = parted["label"]
    if "label" in frame.columns:
        own = _text(checks, "label")
        label = pl.DataFrame({"a": label, "b": own}).select(pl.coalesce("a", "b").alias("label"))["label"]
    return parted["value"], label


def _moments(checks: RowChecks, name: str) -> pl.Series:
    """Return moments in UTC without an offset, from dates, datetimes or ISO 8601 text."""
    series = checks.frame[name]
    kind = pl.Datetime("us")
    if series.dtype == pl.String:
        distinct = series.unique().drop_nulls()
        read = {text: _moment(text) for text in distinct.to_list()}
        found = pl.DataFrame(
            {"text": list(read), name: list(read.values())}, schema={"text": pl.String, name: kind}
        )
        joined = series.to_frame("text").join(found, on="text", how="left", maintain_order="left")
        moments = joined[name]
    elif isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone:
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).cast(kind)
    elif series.dtype.is_temporal() and series.dtype != pl.Time:
        moments = series.cast(kind)
    else:
        checks.refuse(
            "holds no times", column=name, found=str(series.dtype), allowed="ISO 8601 text or datetime"
        )
        return pl.Series(name, [None], dtype=kind).new_from_index(0, checks.frame.height)
    checks.flag(
        moments.is_null(), "is no time", column=name, allowed="ISO 8601, such as 2026-06-01T09:30:00Z"
    )
    return moments


def _moment(text: str) -> object:
    from datetime import datetime

    from analysis.scoring.rubric.keys import in_utc

    try:
        return in_utc(datetime.fromisoformat(text))
    except ValueError:
        return None
