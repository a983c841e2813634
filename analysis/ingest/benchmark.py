"""A benchmark's folder to its validated tables, with a count of everything that was set aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from analysis.capabilities import COMPANIONS
from analysis.config import BenchmarkCard, read_card
from analysis.errors import ConfigError, DataError, Problem, problem_with_values
from analysis.ingest import companions, rubric
from analysis.ingest.audit import AuditCounts, audit_verdicts
from analysis.ingest.audit_trail import normalise_audit_trail
from analysis.ingest.checks import QUARANTINE_SCHEMA, RowChecks, row_as_json
from analysis.ingest.declared import declared_problems
from analysis.ingest.files import SourceFile, read_parquet_file, verdict_files
from analysis.ingest.sheets import as_ratings, audit_sheets, join_sheets, read_sheets
from analysis.ingest.statements import normalise_statements
from analysis.ingest.verdicts import ITEM_COLUMNS, extra_metrics, normalise, unused_columns
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


@dataclass
class _Reading:
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
    reading = _Reading(lenient)
    card = _card(folder, reading)
    trail = AuditCounts()
    verdicts = _read_verdicts(folder, card, reading, trail, progress)
    # Ratings that follow a rubric are read as scoring sheets.
    stems = [stem for stem in COMPANIONS if not (card.rubric and stem == "ratings")]
    tables = {stem: _read_companion(folder, stem, card, reading) for stem in stems}
    rubric, sheets = _read_rubric(folder, card, reading)
    if rubric is not None and sheets is not None:
        tables["ratings"] = as_ratings(sheets, rubric)
        audit_sheets(trail, sheets, rubric)
    if reading.problems:
        raise DataError(reading.problems, folder.name)
    verdicts, attributes = _item_attributes(verdicts, reading)
    verdicts = _distinct_rows(verdicts, reading)
    items = _items(verdicts, attributes, tables["items"], card, reading)
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
    audit_verdicts(trail, verdicts, items, models, tables, card, quarantine)
    keep = [c for c in verdicts.columns if c not in ("__file", "__row")]
    record = folder / "import.json"
    return Benchmark(
        name=folder.name,
        card=card,
        verdicts=verdicts.select(keep).sort(KEY),
        items=items.sort("item_id"),
        models=models.sort("model"),
        ratings=tables.get("ratings"),
        audit_trail=tables["audit_trail"],
        statements=tables["statements"],
        audit=trail.frame(),
        quarantine=quarantine,
        inputs=dict(sorted(reading.inputs.items())),
        import_record=record.read_text(encoding="utf-8") if record.is_file() else None,
        criteria=tables.get("criteria"),
        sheets=sheets,
        rubric=rubric,
    )


def _read_rubric(
    folder: Path, card: BenchmarkCard, reading: _Reading
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
            frame = reading.settle(checks, rows)
            if frame is not None:
                parts.append((source.name, frame))
    except DataError as error:
        reading.problems += error.problems
    if not parts:
        return state, None
    sheets, problems = join_sheets(parts)
    reading.problems += problems
    return state, sheets


def _card(folder: Path, reading: _Reading) -> BenchmarkCard:
    path = folder / "benchmark.yaml"
    if path.is_file():
        reading.inputs[path.name] = SourceFile(path, path.name, {}).sha256()
    try:
        return read_card(path)
    except ConfigError as error:
        raise ConfigError(f"benchmark {folder.name!r}: {error}") from None


def _read_verdicts(
    folder: Path, card: BenchmarkCard, reading: _Reading, trail: AuditCounts, progress: Progress | None
) -> pl.DataFrame:
    parts = []
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


def _no_rows(folder: Path, reading: _Reading) -> Problem:
    aside = sum(q.height for q in reading.quarantine)
    return Problem(
        "there are no verdict rows" + (f" left: all {aside:,} were set aside" if aside else ""),
        file=f"{folder.name}/",
        allowed="at least one row",
    )


def _read_companion(folder: Path, stem: str, card: BenchmarkCard, reading: _Reading) -> pl.DataFrame | None:
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
    return reading.settle(checks, frame)


def _rubric(
    criteria: pl.DataFrame | None,
    ratings: pl.DataFrame | None,
    items: pl.DataFrame,
    card: BenchmarkCard,
    reading: _Reading,
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


def _item_attributes(verdicts: pl.DataFrame, reading: _Reading) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Take item attributes out of the verdicts; within an item they may not vary.

    A null beside a value is an unknown, not a contradiction.
    """
    present = [c for c in ITEM_COLUMNS if c in verdicts.columns]
    first = verdicts.group_by("item_id", maintain_order=True).agg(
        pl.col(c).drop_nulls().first().alias(c) for c in present
    )
    varies = pl.Series([False]).new_from_index(0, verdicts.height)
    for name in present:
        joined = verdicts.select("item_id", name).join(
            first.select("item_id", pl.col(name).alias("__first")),
            on="item_id",
            how="left",
            maintain_order="left",
        )
        differs = (joined[name] != joined["__first"]).fill_null(False)
        if not differs.any():
            continue
        items = verdicts.filter(differs)["item_id"].unique(maintain_order=True)
        shown = [
            f"{row[0]}: {row[1]} and {row[2]}"
            for row in joined.filter(differs).unique(maintain_order=True).rows()[:3]
        ]
        problem = problem_with_values(
            f"varies within {items.len():,} item{'s' if items.len() != 1 else ''}",
            file=verdicts.filter(differs)["__file"][0],
            column=name,
            values=shown,
            n_values=items.len(),
            rows=verdicts.filter(differs)["__row"].head(3).to_list(),
            n_rows=int(differs.sum()),
            allowed=f"one {name} per item",
        )
        if reading.lenient:
            reading.quarantine.append(_set_aside(verdicts, differs, f"{name}: varies within the item"))
        else:
            reading.problems.append(problem)
        varies = varies | differs
    kept = verdicts.drop(present)
    return (kept.filter(~varies) if reading.lenient else kept), first


def _distinct_rows(verdicts: pl.DataFrame, reading: _Reading) -> pl.DataFrame:
    """Refuse, or set aside, every row after the first of its (model, item, run)."""
    again = ~verdicts.select(pl.struct(KEY).is_first_distinct()).to_series()
    if not again.any():
        return verdicts
    if reading.lenient:
        reading.quarantine.append(
            _set_aside(verdicts, again, "model, item_id, run: repeats an earlier row (the first one stands)")
        )
        return verdicts.filter(~again)
    repeated = verdicts.filter(again)
    shown = repeated.select(pl.format("{}, {}, run {}", *KEY)).to_series().unique(maintain_order=True)
    reading.problems.append(
        problem_with_values(
            "rows repeat an earlier (model, item_id, run)",
            file=", ".join(repeated["__file"].unique(maintain_order=True).head(3).to_list()),
            values=shown.head(3).to_list(),
            n_values=shown.len(),
            rows=repeated["__row"].head(3).to_list(),
            n_rows=repeated.height,
            allowed="one row per model, item_id and run",
            hint="number repetitions in the column run, or remove the copies",
        )
    )
    return verdicts


def _set_aside(verdicts: pl.DataFrame, bad: pl.Series, reason: str) -> pl.DataFrame:
    rows = verdicts.filter(bad)
    shown = [c for c in rows.columns if c not in ("__file", "__row")]
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


def _items(
    verdicts: pl.DataFrame,
    attributes: pl.DataFrame,
    listed: pl.DataFrame | None,
    card: BenchmarkCard,
    reading: _Reading,
) -> pl.DataFrame:
    """Join the items of the items table and of the verdicts; a contradiction between them is refused."""
    base = (
        attributes
        if listed is None
        else listed.join(attributes, on="item_id", how="full", coalesce=True, suffix="__v")
    )
    for name in ITEM_COLUMNS:
        other = f"{name}__v"
        if other in base.columns:
            clash = base.filter((pl.col(name) != pl.col(other)).fill_null(False))
            if clash.height:
                reading.problems.append(
                    problem_with_values(
                        f"differs between items.parquet and the verdicts for {clash.height:,} items",
                        file="items.parquet",
                        column=name,
                        values=[
                            f"{r[0]}: {r[1]} and {r[2]}"
                            for r in clash.select("item_id", name, other).rows()[:3]
                        ],
                        n_values=clash.height,
                        allowed="one value per item",
                    )
                )
            base = base.with_columns(pl.coalesce(name, other).alias(name)).drop(other)
    text = [c for c in (*ITEM_COLUMNS, "component") if c not in base.columns]
    base = base.with_columns(pl.lit(None, dtype=pl.String).alias(c) for c in text)
    numbers = [c for c in ("position", "weight") if c not in base.columns]
    base = base.with_columns(pl.lit(None, dtype=pl.Float64).alias(c) for c in numbers)
    reading.problems += _declared_columns(base, card)
    return base


def _declared_columns(items: pl.DataFrame, card: BenchmarkCard) -> list[Problem]:
    """Check that every item column that the card names exists and can serve."""
    problems = []
    named = {
        "cluster": [card.cluster] if card.cluster else [],
        "weight": [card.weight] if card.weight else [],
    }
    named |= {"strata": list(card.strata or ()), "covariates": list(card.covariates)}
    for key, names in named.items():
        for name in names:
            if name not in items.columns or items[name].null_count() == items.height:
                known = [c for c in items.columns if c != "item_id" and items[c].null_count() < items.height]
                problems.append(
                    Problem(
                        f"names the item column {name!r}, which the items do not have",
                        "benchmark.yaml",
                        key,
                        allowed=", ".join(known) or "no item column has values",
                        kind="key",
                    )
                )
    if card.cluster and not problems and items[card.cluster].null_count():
        problems.append(
            Problem(
                f"{items[card.cluster].null_count():,} of {items.height:,} items have no {card.cluster}",
                "items.parquet",
                card.cluster,
                allowed="a cluster for every item, since the card declares the cluster",
            )
        )
    return problems


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
