"""A benchmark's folder to its validated tables, with a count of everything that was set aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from analysis.capabilities import COMPANIONS, has_part_files
from analysis.config import BenchmarkCard, read_card
from analysis.errors import ConfigError, DataError, Problem
from analysis.ingest import companions, rubric
from analysis.ingest.audit import AuditCounts, audit_verdicts
from analysis.ingest.audit_trail import normalise_audit_trail
from analysis.ingest.checks import QUARANTINE_SCHEMA, RowChecks
from analysis.ingest.declared import declared_problems
from analysis.ingest.files import SourceFile, read_parquet_file, verdict_files
from analysis.ingest.items import item_attributes, join_items
from analysis.ingest.reading import PLACE, Reading, distinct_rows
from analysis.ingest.session_links import audit_session_verdicts
from analysis.ingest.sessions import read_sessions, verdicts_from_sessions
from analysis.ingest.sheets import as_ratings, audit_sheets, join_sheets, no_main_round, read_sheets
from analysis.ingest.statements import normalise_statements
from analysis.ingest.unread import audit_unread
from analysis.ingest.verdicts import extra_metrics, normalise, unused_columns
from analysis.scoring.rubric.sheets import KNOWN, MAIN
from analysis.scoring.rubric.state import RubricState, read_state

Progress = Callable[[str], None]
KEY = ["model", "item_id", "run"]


@dataclass(frozen=True)
class Benchmark:
    """The validated tables of one benchmark.

    Parameters
    ----------
    name : str
        The folder's name.
    card : BenchmarkCard
        What `benchmark.yaml` says.
    verdicts, items, models : pl.DataFrame
        Tables of the schemas of the same names; declared metrics and covariates follow as columns.
    ratings : pl.DataFrame or None
        Ratings, where there are any.
    audit_trail : pl.DataFrame or None
        Steps of the scorer, where it left any.
    statements : pl.DataFrame or None
        What a publication says of the same data, where a reproduction wrote it down.
    audit : pl.DataFrame
        What was counted on the way.
    quarantine : pl.DataFrame
        Rows set aside by a lenient run.
    inputs : dict of str to str
        SHA-256 of every file read, by name.
    import_record : str or None
        Text of `import.json`, where the benchmark was imported from other tools' logs.
    criteria : pl.DataFrame or None
        The rubric of consultations, where there is one.
    sheets : pl.DataFrame or None
        Scoring sheets, where the card declares a rubric; `ratings` are then their scores.
    rubric : RubricState or None
        That rubric with the vignettes' keys.
    sessions : dict of str to pl.DataFrame
        Tables of consultation sessions by name, where there are any.
    """

    name: str
    card: BenchmarkCard
    verdicts: pl.DataFrame
    items: pl.DataFrame
    models: pl.DataFrame
    ratings: pl.DataFrame | None
    audit_trail: pl.DataFrame | None
    statements: pl.DataFrame | None
    audit: pl.DataFrame
    quarantine: pl.DataFrame
    inputs: dict[str, str]
    import_record: str | None = None
    criteria: pl.DataFrame | None = None
    sheets: pl.DataFrame | None = None
    rubric: RubricState | None = None
    sessions: dict[str, pl.DataFrame] = field(default_factory=dict)


def read_benchmark(folder: Path, *, lenient: bool = False, progress: Progress | None = None) -> Benchmark:
    """Read and validate every file of a benchmark's folder.

    Parameters
    ----------
    folder : Path
        ``results/raw/<benchmark>``.
    lenient : bool
        Set offending rows aside, with their reason, rather than refuse the benchmark. Faults of a
        whole file are refused all the same.
    progress : callable, optional
        Told the name of each file before it is read.

    Returns
    -------
    Benchmark
        The validated tables.

    Raises
    ------
    DataError
        With everything that is wrong, each problem with its file, column, values and rows.
    """
    reading = Reading(lenient)
    card = _card(folder, reading)
    trail = AuditCounts()
    audit_unread(trail, folder, card)
    sessions = read_sessions(folder, reading, trail, progress)
    verdicts = _read_verdicts(folder, card, reading, trail, progress, sessions)
    # Ratings that follow a rubric are read as scoring sheets.
    stems = [stem for stem in COMPANIONS if not (card.rubric and stem == "ratings")]
    tables = {"ratings": None} | {stem: _read_companion(folder, stem, card, reading, trail) for stem in stems}
    rubric, sheets = _read_rubric(folder, card, reading, trail)
    if rubric is not None and sheets is not None:
        tables["ratings"] = as_ratings(sheets, rubric)
        audit_sheets(trail, sheets, rubric)
    if reading.problems:
        raise DataError(reading.problems, folder.name)
    verdicts, attributes = item_attributes(verdicts, reading)
    verdicts = distinct_rows(verdicts, KEY, reading)
    items = join_items(verdicts, attributes, tables["items"], card, reading)
    if not reading.problems:
        reading.problems += declared_problems(items, verdicts["model"].unique(), tables["ratings"], card)
    if not reading.problems and verdicts.height == 0:
        reading.problems.append(_no_rows(folder, reading))
    if reading.problems:
        raise DataError(reading.problems, folder.name)
    models = _models(verdicts, tables["models"])
    tables["ratings"] = _rubric(tables["criteria"], tables["ratings"], items, card, reading)
    if reading.problems:
        raise DataError(reading.problems, folder.name)
    quarantine = pl.concat([pl.DataFrame(schema=QUARANTINE_SCHEMA), *reading.quarantine])
    quarantine = quarantine.unique(["file", "row", "reason"], keep="first").sort("file", "row", "reason")
    audit_session_verdicts(trail, sessions, verdicts)
    audit_verdicts(trail, verdicts, items, models, tables, card, quarantine)
    keep = [c for c in verdicts.columns if c not in PLACE]
    record = folder / "import.json"
    return Benchmark(
        name=folder.name,
        card=card,
        verdicts=verdicts.select(keep).sort(KEY),
        items=items.sort("item_id"),
        models=models.sort("model"),
        ratings=tables["ratings"],
        audit_trail=tables["audit_trail"],
        statements=tables["statements"],
        audit=trail.frame(),
        quarantine=quarantine,
        inputs=dict(sorted(reading.inputs.items())),
        import_record=record.read_text(encoding="utf-8") if record.is_file() else None,
        criteria=tables["criteria"],
        sheets=sheets,
        rubric=rubric,
        sessions=sessions,
    )


def _read_rubric(
    folder: Path, card: BenchmarkCard, reading: Reading, trail: AuditCounts
) -> tuple[RubricState | None, pl.DataFrame | None]:
    """Read the rubric that the card declares and the sheets that follow it."""
    if card.rubric is None:
        return None, None
    for name in (card.rubric.vignettes, card.rubric.file):
        if (folder / name).is_file():
            reading.inputs[name] = SourceFile(folder / name, name, {}).sha256()
    try:
        state = read_state(folder, card)
    except ConfigError as error:
        raise ConfigError(f"benchmark {folder.name!r}: {error}") from None
    parts = []
    try:
        for source, checks, rows in read_sheets(folder, state):
            reading.inputs[source.name] = source.sha256()
            trail.note_unused(source.name, checks.frame, [c for c in checks.frame.columns if c not in KNOWN])
            frame = reading.settle(checks, rows)
            if frame is not None:
                parts.append((source.name, frame))
    except DataError as error:
        reading.problems += error.problems
    if not parts:
        return state, None
    sheets, problems = join_sheets(parts)
    reading.problems += problems
    if not reading.problems and sheets.filter(pl.col("round") == MAIN).is_empty():
        reading.problems.append(no_main_round(folder, reading, [name for name, _ in parts]))
    return state, sheets


def _card(folder: Path, reading: Reading) -> BenchmarkCard:
    path = folder / "benchmark.yaml"
    if path.is_file():
        reading.inputs[path.name] = SourceFile(path, path.name, {}).sha256()
    try:
        return read_card(path)
    except ConfigError as error:
        raise ConfigError(f"benchmark {folder.name!r}: {error}") from None


def _read_verdicts(
    folder: Path,
    card: BenchmarkCard,
    reading: Reading,
    trail: AuditCounts,
    progress: Progress | None,
    sessions: dict[str, pl.DataFrame],
) -> pl.DataFrame:
    parts = []
    if (folder / "sessions").is_dir() and not has_part_files(folder, "verdicts"):
        if reading.problems:
            raise DataError(reading.problems, folder.name)
        try:
            return verdicts_from_sessions(sessions, card, reading, trail)
        except DataError as error:
            raise DataError(error.problems, folder.name) from None
    sources = verdict_files(folder)
    declared: set[str] = set()
    for source in sources:
        if progress is not None:
            progress(source.name)
        reading.inputs[source.name] = source.sha256()
        try:
            raw = read_parquet_file(source)
        except DataError as error:
            reading.problems += error.problems
            continue
        declared |= set(raw.columns)
        checks = RowChecks(raw, source.name)
        frame = normalise(checks, card)
        trail.note_file(source.name, raw, unused_columns(raw, card))
        if frame is not None:
            frame = frame.with_columns(
                pl.lit(source.name).alias("__file"),
                pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("__row"),
            )
        frame = reading.settle(checks, frame)
        if frame is not None:
            parts.append(frame)
    for name in extra_metrics(card):
        if parts and name not in declared:
            near = ", ".join(sorted(declared)[:12])
            reading.problems.append(
                Problem(
                    f"names a metric that no verdict file has (columns: {near})",
                    "benchmark.yaml",
                    name,
                    kind="metric",
                )
            )
    if not parts:
        raise DataError(reading.problems or [_no_rows(folder, reading)], folder.name)
    return pl.concat(parts, how="diagonal")


def _no_rows(folder: Path, reading: Reading) -> Problem:
    aside = sum(q.height for q in reading.quarantine)
    return Problem(
        "there are no verdict rows" + (f" left: all {aside:,} were set aside" if aside else ""),
        file=f"{folder.name}/",
        allowed="at least one row",
    )


def _read_companion(
    folder: Path, stem: str, card: BenchmarkCard, reading: Reading, trail: AuditCounts
) -> pl.DataFrame | None:
    try:
        source = companions.companion(folder, stem, csv=stem == "models")
        if source is None:
            return None
        reading.inputs[source.name] = source.sha256()
        checks = RowChecks(companions.read_companion(source), source.name)
    except DataError as error:
        reading.problems += error.problems
        return None
    if stem == "items":
        frame = companions.normalise_items(checks, card)
    elif stem == "models":
        frame = companions.normalise_models(checks)
    elif stem == "ratings":
        frame = companions.normalise_ratings(checks)
    elif stem == "criteria":
        frame = rubric.normalise_criteria(checks, card)
    elif stem == "audit_trail":
        frame = normalise_audit_trail(checks)
    else:
        frame = normalise_statements(checks)
    if frame is not None:
        read = set(frame.columns)
        trail.note_unused(source.name, checks.frame, [c for c in checks.frame.columns if c not in read])
    return reading.settle(checks, frame)


def _rubric(
    criteria: pl.DataFrame | None,
    ratings: pl.DataFrame | None,
    items: pl.DataFrame,
    card: BenchmarkCard,
    reading: Reading,
) -> pl.DataFrame | None:
    """Check the rubric against items and ratings; return the ratings whose labels it can read."""
    if criteria is None:
        return ratings
    reading.problems += rubric.unknown_items(criteria, items)
    reading.problems += rubric.unknown_names(items, ratings, card)
    if ratings is None:
        return None
    checks = RowChecks(ratings, "ratings.parquet")
    rubric.check_labels(checks, criteria, card)
    return reading.settle(checks, ratings)


def _models(verdicts: pl.DataFrame, listed: pl.DataFrame | None) -> pl.DataFrame:
    """Join the models of the models table and of the verdicts, with the number of their rows."""
    counts = verdicts.group_by("model").agg(pl.len().cast(pl.Int64).alias("n_rows"))
    base = counts if listed is None else listed.join(counts, on="model", how="full", coalesce=True)
    base = base.with_columns(pl.col("n_rows").fill_null(0))
    text = [c for c in ("name", "family", "vendor", "weights", "released") if c not in base.columns]
    base = base.with_columns(pl.lit(None, dtype=pl.String).alias(c) for c in text)
    numbers = [c for c in companions.MODEL_NUMBERS if c not in base.columns]
    base = base.with_columns(pl.lit(None, dtype=pl.Float64).alias(c) for c in numbers)
    return base.with_columns(pl.coalesce("name", "model").alias("name"))
