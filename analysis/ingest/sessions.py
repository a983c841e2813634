"""The folder ``sessions/`` of a benchmark to the validated tables of its consultation sessions."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from analysis.capabilities import has_part_files
from analysis.config import BenchmarkCard
from analysis.errors import ConfigError, DataError, Problem
from analysis.ingest.audit import AuditCounts, plural
from analysis.ingest.checks import RowChecks
from analysis.ingest.columns import empty_lists
from analysis.ingest.files import SourceFile, part_files, read_parquet_file
from analysis.ingest.reading import Reading, distinct_rows
from analysis.ingest.session_columns import normalise
from analysis.ingest.session_contract import known_columns
from analysis.ingest.session_links import audit_sessions, check_links
from analysis.ingest.verdicts import RESOURCES
from analysis.schemas.sessions import FILES, SESSION_TABLES
from analysis.sessions.critic import criticise
from analysis.sessions.diagnosis_counts import top_1_core
from analysis.sessions.index import index_sessions
from analysis.sessions.knowledge import read_knowledge

FOLDER = "sessions"
KNOWLEDGE = "knowledge.yaml"
ORDER = (
    "sessions",
    "session_aius",
    *(t for t in SESSION_TABLES if t not in ("sessions", "session_aius")),
)
"""Tables in the order in which they are read: what others refer to comes first."""

GAPS = {
    "unknown_drug": "with a drug that the knowledge base does not know: not checked",
    "unknown_allergy": "for patients with an allergy that the knowledge base does not know: not checked",
    "unknown_medication": "for patients who take what the knowledge base does not know: not checked",
    "unknown_profile": "for which the profile does not say whether the rule applies: not checked",
    "dose_not_given": "without a dose: dose not checked",
    "dose_unit": "with a dose in a unit that does not convert: dose not checked",
    "doses_a_day_not_given": "without doses a day: dose a day not checked",
    "route_not_given": "without a route: route not checked",
}
"""What the safety critic could not check, as the audit says it."""


def read_sessions(
    folder: Path, reading: Reading, trail: AuditCounts, progress: Callable[[str], None] | None
) -> dict[str, pl.DataFrame]:
    """Read every file of the sessions; what is wrong is added to the problems of the reading.

    Returns
    -------
    dict of str to pl.DataFrame
        Tables by name, rows in order of the files; none where there is no folder, or where files are refused.
    """
    if not (folder / FOLDER).is_dir():
        return {}
    before = len(reading.problems)
    _refuse_strangers(folder, reading)
    if not has_part_files(folder, f"{FOLDER}/sessions"):
        allowed = "sessions/sessions.parquet, or Parquet files under sessions/sessions/"
        reading.problems.append(Problem("holds no list of the sessions", f"{FOLDER}/", allowed=allowed))
        return {}
    tables: dict[str, pl.DataFrame] = {}
    for table in ORDER:
        frame = _read_table(folder, table, tables, reading, trail, progress)
        if frame is not None:
            tables[table] = frame
    if len(reading.problems) > before:
        return {}
    _criticise(folder, tables, reading, trail)
    audit_sessions(trail, tables)
    return tables if len(reading.problems) == before else {}


def _refuse_strangers(folder: Path, reading: Reading) -> None:
    """Refuse files and folders whose names mean nothing: a misspelt name must not pass in silence."""
    known = {f"{stem}.parquet" for stem in FILES.values()} | set(FILES.values()) | {KNOWLEDGE}
    for path in sorted((folder / FOLDER).iterdir()):
        if path.name not in known and not path.name.startswith("."):
            table = path.is_file() and path.stem in FILES.values()
            near = difflib.get_close_matches(path.name, sorted(known), n=1)
            hint = f"rename it to {near[0]}" if near else "remove it, or keep it elsewhere"
            reading.problems.append(
                Problem(
                    "is no file of the sessions",
                    f"{FOLDER}/{path.name}",
                    allowed=", ".join([*FILES.values(), KNOWLEDGE]),
                    hint=f"write it as Parquet: {path.stem}.parquet" if table else hint,
                )
            )


def _read_table(
    folder: Path,
    table: str,
    tables: dict[str, pl.DataFrame],
    reading: Reading,
    trail: AuditCounts,
    progress: Callable[[str], None] | None,
) -> pl.DataFrame | None:
    try:
        sources = part_files(folder, f"{FOLDER}/{FILES[table]}")
    except DataError as error:
        reading.problems += error.problems
        return None
    parts = []
    for source in sources:
        if progress is not None:
            progress(source.name)
        reading.inputs[source.name] = source.sha256()
        try:
            raw = read_parquet_file(source)
        except DataError as error:
            reading.problems += error.problems
            continue
        unused = [c for c in raw.columns if c not in known_columns(table)]
        trail.note_file(source.name, raw.select(c for c in raw.columns if c != "item_id"), unused)
        frame = _checked(RowChecks(raw, source.name), table, tables, reading)
        if frame is not None:
            parts.append(frame)
    if not parts:
        return None
    key = SESSION_TABLES[table].primary_key()
    joined = distinct_rows(pl.concat(parts), key, reading, hint="keep one of the rows")
    return joined.drop("__file", "__row")


def _checked(
    checks: RowChecks, table: str, tables: dict[str, pl.DataFrame], reading: Reading
) -> pl.DataFrame | None:
    """Normalise one file, check it against the others and return the rows that stand, with their places."""
    frame = normalise(checks, table)
    if frame is not None:
        check_links(checks, frame, table, tables)
        frame = frame.with_columns(
            pl.lit(checks.file).alias("__file"),
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("__row"),
        )
    return reading.settle(checks, frame)


def _criticise(folder: Path, tables: dict[str, pl.DataFrame], reading: Reading, trail: AuditCounts) -> None:
    """Run the safety critic where there is a knowledge base and no violations were delivered."""
    path = folder / FOLDER / KNOWLEDGE
    if not path.is_file():
        return
    name = f"{FOLDER}/{KNOWLEDGE}"
    reading.inputs[name] = SourceFile(path, name, {}).sha256()
    try:
        knowledge = read_knowledge(path)
    except ConfigError as error:
        reading.problems.append(Problem(str(error), name, kind="key"))
        return
    if "session_violations" in tables:
        note = "the violations delivered count; the safety critic was not run on the knowledge base"
        trail.add("critic_not_run", name, 0, note)
        return
    if "session_regimens" not in tables:
        trail.add("critic_not_run", name, 0, "there is a knowledge base, and no regimens to check")
        return
    critique = criticise(tables, knowledge)
    tables["session_violations"] = critique.violations
    n = critique.violations.height
    trail.add("critic_violations", name, n, f"{plural(n, 'violation')} found by the safety critic")
    for gap, subject, count in critique.gaps.iter_rows():
        trail.add(f"critic_{gap}", subject, count, f"{subject}: {plural(count, 'line')} {GAPS[gap]}")


def verdicts_from_sessions(
    sessions: dict[str, pl.DataFrame], card: BenchmarkCard, reading: Reading, trail: AuditCounts
) -> pl.DataFrame:
    """Make verdicts of a benchmark that has sessions only, by whether the first diagnosis is a core one.

    `correct` where every diagnosis of the best rank is a core gold diagnosis, `partial` where some of
    a tie are, `incorrect` otherwise and without a diagnosis; unscored where the case has no core gold
    diagnosis. The score is the share.

    Raises
    ------
    DataError
        Where gold diagnoses or differentials are missing, or the card's verdicts do not have these.
    """
    lacking = [FILES[t] for t in ("session_gold", "session_differentials") if t not in sessions]
    if lacking:
        problem = Problem(
            f"the benchmark has no verdicts, and none can be made from the sessions without {lacking[0]}",
            f"{FOLDER}/",
            allowed="verdicts.parquet, or sessions with gold and differentials",
        )
        raise DataError([problem])
    index = index_sessions(sessions)
    score = pl.Series("score", top_1_core(index)).fill_nan(None)
    verdict = np.select([score.to_numpy() == 1, score.to_numpy() > 0], ["correct", "partial"], "incorrect")
    order = card.verdicts.order
    made = ("incorrect", "partial", "correct")
    unknown = [v for v in made if order is not None and v not in order]
    if unknown:
        problem = Problem(
            f"does not have {unknown[0]!r}, a verdict that is made from the sessions",
            "benchmark.yaml",
            "verdicts.order",
            values=order or (),
            n_values=len(order or ()),
            allowed=", ".join(made),
            kind="key",
        )
        raise DataError([problem])
    n = index.n
    unscored = score.null_count()
    note = f"{plural(n, 'verdict')} made from the sessions: correct where the first diagnosis is a core one"
    trail.add("verdicts_from_sessions", "", n, note + (f"; {unscored:,} unscored" if unscored else ""))
    nothing = {name: pl.lit(None, dtype=pl.Float64).alias(name) for name in RESOURCES}
    return index.sessions.select("model", pl.col("case_id").alias("item_id"), "run").with_columns(
        pl.Series("verdict", verdict).set(score.is_null(), None),
        (score == 1).alias("correct"),
        score,
        pl.lit(False).alias("excluded"),
        empty_lists("labels", n),
        pl.lit(None, dtype=pl.String).alias("decision"),
        empty_lists("flags", n),
        *nothing.values(),
        pl.lit(f"{FOLDER}/sessions").alias("__file"),
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("__row"),
    )
