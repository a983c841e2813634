"""The optional companions of the verdicts: items, models and ratings."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from analysis.config import BenchmarkCard
from analysis.errors import DataError, Problem
from analysis.ingest import columns
from analysis.ingest.checks import RowChecks
from analysis.ingest.declared import named_item_columns
from analysis.ingest.files import SourceFile, read_parquet_file
from analysis.ingest.verdicts import flag_track_all

ITEM_TEXT = ("track", "question_type", "cluster_id", "component")
MODEL_TEXT = ("name", "family", "vendor", "released")
MODEL_NUMBERS = ("input_price_usd", "output_price_usd", "total_cost_usd")


def declared_item_columns(card: BenchmarkCard) -> list[str]:
    """Return the item columns that the card names beyond those of the contract, in order."""
    named = [*card.covariates, *(card.strata or ()), *([card.cluster] if card.cluster else []), _tags(card)]
    named += [column for _, column in named_item_columns(card)]
    contract = {"item_id", "position", "weight", *ITEM_TEXT}
    return list(dict.fromkeys(c for c in named if c not in contract))


def companion(folder: Path, stem: str, *, csv: bool = False) -> SourceFile | None:
    """Return the companion file of that name, or None."""
    found = [
        folder / f"{stem}{suffix}"
        for suffix in (".parquet", ".csv")
        if (csv or suffix == ".parquet") and (folder / f"{stem}{suffix}").is_file()
    ]
    if len(found) == 2:
        problem = Problem(
            message=f"stands beside {stem}.parquet", file=f"{stem}.csv", hint="keep one of the two"
        )
        raise DataError([problem], folder.name)
    return SourceFile(found[0], found[0].name, {}) if found else None


def read_companion(source: SourceFile) -> pl.DataFrame:
    """Read a companion, Parquet or CSV. CSV is read as text and converted column by column."""
    if source.path.suffix == ".parquet":
        return read_parquet_file(source)
    try:
        return pl.read_csv(source.path, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = " ".join(str(error).split())[:160]
        raise DataError([Problem("cannot be read as CSV", source.name, hint=f"reader: {reason}")]) from None


def normalise_items(checks: RowChecks, card: BenchmarkCard) -> pl.DataFrame | None:
    """Return `items.parquet` in the types of the contract, one row per item."""
    frame = checks.frame
    if "item_id" not in frame.columns:
        checks.refuse("is missing", column="item_id", allowed="items.parquet has one row per item_id")
        return None
    out = [columns.identifier(checks, "item_id")]
    checks.flag(
        out[0].is_duplicated() & out[0].is_not_null(),
        "stands more than once",
        column="item_id",
        values=out[0],
        allowed="one row per item",
    )
    for name in ITEM_TEXT:
        if name in frame.columns:
            values = columns.identifier_or_null(checks, name)
            if name == "track":
                flag_track_all(checks, values)
            out.append(values)
    for name in ("position", "weight"):
        if name in frame.columns:
            out.append(columns.number(checks, name, low=0 if name == "weight" else None))
    for name in declared_item_columns(card):
        if name in frame.columns:
            out.append(_item_column(checks, name, listed=name == _tags(card)))
    return None if checks.fatal else pl.DataFrame(out)


def _tags(card: BenchmarkCard) -> str:
    return card.consultation.tags or "tags"


def _item_column(checks: RowChecks, name: str, *, listed: bool) -> pl.Series:
    """Return a declared item column: numbers, text, or lists of text where it holds tags."""
    dtype = checks.frame[name].dtype
    if listed and isinstance(dtype, pl.List | pl.Array):
        return columns.text_list(checks, name)
    return checks.frame[name] if dtype.is_numeric() else columns.text(checks, name)


def normalise_models(checks: RowChecks) -> pl.DataFrame | None:
    """Return the models table in the types of the contract, one row per model."""
    if "model" not in checks.frame.columns:
        checks.refuse("is missing", column="model", allowed="the models table has one row per model")
        return None
    checks.frame = _parsed_numbers(checks)
    frame = checks.frame
    out = [columns.text(checks, "model", required=True)]
    checks.flag(
        out[0].is_duplicated() & out[0].is_not_null(),
        "stands more than once",
        column="model",
        values=out[0],
        allowed="one row per model",
    )
    for name in MODEL_TEXT:
        if name in frame.columns:
            series = frame[name]
            out.append(
                series.cast(pl.String)
                if series.dtype.is_temporal()
                else columns.identifier_or_null(checks, name)
            )
    if "weights" in frame.columns:
        weights = columns.text(checks, "weights").str.to_lowercase()
        checks.flag(
            ~weights.is_in(["open", "closed"]),
            "is neither open nor closed",
            column="weights",
            allowed="open, closed",
        )
        out.append(weights)
    out += [columns.number(checks, n, low=0) for n in MODEL_NUMBERS if n in frame.columns]
    return None if checks.fatal else pl.DataFrame(out)


def _parsed_numbers(checks: RowChecks) -> pl.DataFrame:
    """Turn the numeric columns of a CSV, read as text, into numbers; empty text is null."""
    frame = checks.frame
    text = [c for c in frame.columns if frame[c].dtype == pl.String]
    frame = frame.with_columns(pl.when(pl.col(c) != "").then(pl.col(c)).alias(c) for c in text)
    for name in MODEL_NUMBERS:
        if name in text:
            values = frame[name].str.strip_chars().cast(pl.Float64, strict=False)
            checks.flag(
                values.is_null() & frame[name].is_not_null(),
                "is not a number",
                column=name,
                allowed="a number",
            )
            frame = frame.with_columns(values.alias(name))
    return frame


def normalise_ratings(checks: RowChecks) -> pl.DataFrame | None:
    """Return the ratings in the types of the contract."""
    frame = checks.frame
    for required in ("item_id", "rater", "rater_kind"):
        if required not in frame.columns:
            checks.refuse(
                "is missing",
                column=required,
                allowed="ratings have item_id, rater, rater_kind (human, judge, scorer) and label or value",
            )
    if "label" not in frame.columns and "value" not in frame.columns:
        checks.refuse("has neither a label nor a value column", allowed="label (text) or value (number)")
    if checks.fatal:
        return None
    n = frame.height
    null_text = pl.Series([None], dtype=pl.String).new_from_index(0, n)
    out = [
        columns.text(checks, "model") if "model" in frame.columns else null_text.alias("model"),
        columns.identifier(checks, "item_id"),
        columns.integer(checks, "run", nullable=True)
        if "run" in frame.columns and frame["run"].null_count() < n
        else pl.Series("run", [None], dtype=pl.Int64).new_from_index(0, n),
        columns.identifier_or_null(checks, "criterion_id")
        if "criterion_id" in frame.columns
        else null_text.alias("criterion_id"),
        columns.text(checks, "rater", required=True),
    ]
    kind = columns.text(checks, "rater_kind")
    checks.flag(
        ~kind.is_in(["human", "judge", "scorer"]).fill_null(False),
        "is not a kind of rater",
        column="rater_kind",
        allowed="human, judge, scorer",
    )
    out.append(kind)
    out.append(
        columns.identifier_or_null(checks, "label") if "label" in frame.columns else null_text.alias("label")
    )
    out.append(
        columns.number(checks, "value")
        if "value" in frame.columns
        else pl.Series("value", [None], dtype=pl.Float64).new_from_index(0, n)
    )
    out.append(
        columns.identifier_or_null(checks, "polarity")
        if "polarity" in frame.columns
        else null_text.alias("polarity")
    )
    out.append(
        columns.boolean(checks, "flagged")
        if "flagged" in frame.columns
        else pl.Series("flagged", [None], dtype=pl.Boolean).new_from_index(0, n)
    )
    ratings = pl.DataFrame(out)
    key = ["model", "item_id", "run", "criterion_id", "rater"]
    checks.flag(
        ratings.select(key).is_duplicated(),
        "rates the same response and criterion more than once",
        column="rater",
        values=ratings["rater"],
        allowed="one row per model, item_id, run, criterion_id and rater",
    )
    return ratings
