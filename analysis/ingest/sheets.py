"""Scoring sheets of a benchmark that declares a rubric: from files to validated rows and ratings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from analysis.errors import DataError, Problem, problem_with_values
from analysis.ingest.audit import AuditCounts, plural
from analysis.ingest.checks import RowChecks
from analysis.ingest.companions import read_companion
from analysis.ingest.files import SourceFile
from analysis.ingest.reading import Reading
from analysis.scoring.rubric.rules import LINE, check_sheets
from analysis.scoring.rubric.sheets import MAIN, SHEET, normalise_sheets
from analysis.scoring.rubric.state import RubricState

SUFFIXES = (".parquet", ".csv")


def sheet_files(folder: Path) -> list[SourceFile]:
    """Return the files of scoring sheets: `ratings.parquet`, `sheets.csv`, and all of `sheets/`."""
    single = [folder / f"{stem}{suffix}" for stem in ("ratings", "sheets") for suffix in SUFFIXES]
    parts = sorted(p for p in (folder / "sheets").glob("**/*") if p.suffix in SUFFIXES)
    return [SourceFile(p, p.relative_to(folder).as_posix(), {}) for p in [*single, *parts] if p.is_file()]


def read_sheets(
    folder: Path, state: RubricState
) -> Iterator[tuple[SourceFile, RowChecks, pl.DataFrame | None]]:
    """Read and check every file of sheets.

    Parameters
    ----------
    folder : Path
        The benchmark's raw folder.
    state : RubricState
        The rubric in use.

    Yields
    ------
    SourceFile, RowChecks, pl.DataFrame or None
        The file, what is wrong with it, and its rows in the types of `rubric_sheets`.

    Raises
    ------
    DataError
        Where a file cannot be read, or there is none.
    """
    sources = sheet_files(folder)
    if not sources:
        problem = Problem(
            "there are no scoring sheets, and the card declares a rubric",
            file=f"{folder.name}/",
            allowed="ratings.parquet, sheets.csv or files in sheets/",
            hint="python -m analysis.scoring.rubric template writes empty sheets",
        )
        raise DataError([problem], folder.name)
    for source in sources:
        checks = RowChecks(read_companion(source), source.name)
        frame = normalise_sheets(checks)
        yield source, checks, None if frame is None else check_sheets(checks, frame, state)


def join_sheets(parts: list[tuple[str, pl.DataFrame]]) -> tuple[pl.DataFrame, list[Problem]]:
    """Put the sheets of all files together; a line that stands in two files is a problem."""
    frame = pl.concat([part.with_columns(pl.lit(name).alias("__file")) for name, part in parts])
    problems = []
    if len(parts) > 1:
        again = frame.filter(frame.select(LINE).is_duplicated())
        if again.height:
            who = again.select(
                pl.format("rater {}, vignette {}, model {}", "rater", "item_id", "model")
            ).to_series()
            problems.append(
                problem_with_values(
                    "the same sheet stands in several files",
                    file=", ".join(again["__file"].unique(maintain_order=True).head(3)),
                    values=who.unique(maintain_order=True).head(3),
                    n_values=who.n_unique(),
                    n_rows=again.height,
                    allowed="a sheet in one file",
                )
            )
    return frame.drop("__file"), problems


def no_main_round(folder: Path, reading: Reading, files: list[str]) -> Problem:
    """Return that no sheet of the main round stands, and how many rows of sheets were set aside."""
    aside = sum(
        frame.filter(pl.col("file").is_in(files)).select("row").n_unique() for frame in reading.quarantine
    )
    left = f" left: {plural(aside, 'row')} of sheets were set aside" if aside else ""
    return Problem(
        f"there is no scoring sheet of the main round{left}",
        file=f"{folder.name}/",
        allowed="at least one whole sheet whose round is main, or empty",
    )


def as_ratings(sheets: pl.DataFrame, state: RubricState) -> pl.DataFrame:
    """Return the scores of the main round as ratings, for what compares raters of any benchmark."""
    fields = state.fields
    scored = [name for name, f in fields.items() if f.kind == "score" and f.in_mean]
    keep = (pl.col("round") == MAIN) & pl.col("criterion_id").is_in(scored) & pl.col("value").is_not_null()
    return sheets.filter(keep).select(
        "model",
        "item_id",
        "run",
        "criterion_id",
        "rater",
        "rater_kind",
        pl.lit(None, dtype=pl.String).alias("label"),
        "value",
        pl.lit(None, dtype=pl.String).alias("polarity"),
        pl.lit(None, dtype=pl.Boolean).alias("flagged"),
    )


def audit_sheets(trail: AuditCounts, sheets: pl.DataFrame, state: RubricState) -> None:
    """Count sheets, rounds, keys without ratings and low safety scores without a reviewed key."""
    n = sheets.select(SHEET).unique().height
    trail.add(
        "rubric_sheets", "", n, f"{plural(n, 'scoring sheet')} with {plural(sheets.height, 'line')} read"
    )
    for name, part in sheets.group_by("round"):
        own = part.select(SHEET).unique().height
        trail.add("rubric_round", str(name[0]), own, f"round {name[0]}: {plural(own, 'sheet')}")
    na = sheets.filter(~pl.col("applicable")).height
    trail.add("rubric_not_applicable", "", na, f"{plural(na, 'line')} N/A, each with a reason")
    unrated = sorted(set(state.keys) - set(sheets["item_id"].unique()))
    if unrated:
        trail.add("rubric_keys_unrated", "", len(unrated), f"{plural(len(unrated), 'key')} without any sheet")
    low = unreviewed(sheets, state)
    if low.height:
        note = (
            f"{plural(low.height, 'score')} so low as to ask for a review of the key, and none is recorded "
            "(every round)"
        )
        trail.add("rubric_key_not_reviewed", "", low.height, note)


def unreviewed(sheets: pl.DataFrame, state: RubricState) -> pl.DataFrame:
    """Return the low scores that ask for a review of the key, on sheets that record none."""
    limits = {n: f.review_at_most for n, f in state.rubric.fields.items() if f.review_at_most is not None}
    flag = state.rubric.flag
    if not limits or flag is None or not flag.reviewed_id:
        return sheets.clear()
    limit = pl.col("criterion_id").replace_strict(limits, default=None, return_dtype=pl.Float64)
    low = sheets.filter((pl.col("value") <= limit).fill_null(False))
    yes = (pl.col("criterion_id") == flag.reviewed_id) & (pl.col("label").str.to_lowercase() == "yes")
    return low.join(sheets.filter(yes).select(SHEET).unique(), on=SHEET, how="anti")
