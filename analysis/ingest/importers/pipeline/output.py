"""Writing a benchmark's folder: verdicts, companions, card, `import.json`, and what the next import needs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.config import parse
from analysis.errors import VerdictAtlasError
from analysis.ingest.importers.common import files
from analysis.ingest.importers.pipeline.card import card_text
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.convert import Converter
from analysis.ingest.importers.pipeline.items import ItemColumns, item_columns, present_keys, write_items
from analysis.ingest.importers.pipeline.layout import RATINGS_SCHEMA, Tally
from analysis.ingest.importers.pipeline.naming import counted
from analysis.ingest.importers.pipeline.plan import Planned, plan_output
from analysis.ingest.importers.pipeline.profile import Profile
from analysis.ingest.importers.pipeline.questions import primary_notes
from analysis.ingest.importers.pipeline.report import ImportReport
from analysis.ingest.importers.pipeline.resolution import Resolution
from analysis.ingest.importers.pipeline.rules import VERDICT_ORDER
from analysis.ingest.importers.pipeline.staging import SteadyWriter
from analysis.ingest.importers.pipeline.state import FOLDER, LOGS_FILE, SAMPLES_FILE, state_text
from analysis.ingest.importers.pipeline.summary import refused_files, summary_of, superseded_versions
from analysis.ingest.importers.registry import importer

IMPORT_FILE = "import.json"
CARD_FILE = "benchmark.yaml"
VERDICTS, ITEMS, MODELS, RATINGS = "verdicts.parquet", "items.parquet", "models.parquet", "ratings.parquet"
BATCH = 16_384


def earlier_import(folder: Path) -> dict[str, Any]:
    """Return the benchmark's `import.json`, empty where there is none."""
    path = folder / IMPORT_FILE
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        raise VerdictAtlasError(f"{IMPORT_FILE} is damaged; import all logs again with --replace") from None
    return data if isinstance(data, dict) else {}


def earlier_choices(folder: Path) -> Choices:
    """Return the choices of the benchmark's earlier imports."""
    return parse(Choices, earlier_import(folder).get("choices", {}), file=IMPORT_FILE)


def write_benchmark(
    connection: duckdb.DuckDBPyConnection,
    profile: Profile,
    resolution: Resolution,
    choices: Choices,
    folder: Path,
    scratch: Path,
    report: ImportReport,
    *,
    replace: bool,
    dry_run: bool,
    force: bool,
) -> None:
    """Write everything to the scratch folder, then put it in place.

    Raises
    ------
    VerdictAtlasError
        Where a file stands in the way that no import has written.
    """
    out = scratch / "out"
    out.mkdir()
    earlier = earlier_import(folder)
    planned = plan_output(connection, profile, choices)
    tally = _write_verdicts(connection, planned, out)
    columns = item_columns(choices, len(profile.tasks), present_keys(connection))
    n_items, conflicts = write_items(connection, columns, out / ITEMS)
    if not columns.sources:
        (out / ITEMS).unlink()
    _write_models(choices, tally, out)
    notes = [*primary_notes(profile, choices), *resolution.notes]
    notes += [
        counted(n, "item has", "items have") + f" more than one {column} over the logs: the latest counts"
        for column, n in conflicts.items()
    ]
    card = _card(profile, planned, columns, tally)
    (out / CARD_FILE).write_text(card, encoding="utf-8")
    keep_card = _keep_card(folder, earlier, report)
    refused = refused_files(report, {} if replace else earlier, profile.states)
    report.summary = summary_of(
        connection, profile, resolution, planned, choices, tally, refused, notes, n_items
    )
    report.summary["superseded"] = superseded_versions(report, {} if replace else earlier, profile.states)
    state = out / FOLDER
    state.mkdir()
    shutil.move(scratch / SAMPLES_FILE, state / SAMPLES_FILE)
    (state / LOGS_FILE).write_text(state_text(profile.states), encoding="utf-8")
    report.summary["written"] = {
        name: files.sha256(out / name)
        for name in sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    }
    (out / IMPORT_FILE).write_text(_json(report.summary), encoding="utf-8")
    report.written = [n for n in report.summary["written"] if not (keep_card and n == CARD_FILE)]
    report.written.append(IMPORT_FILE)
    if not force:
        _check_way(folder, report.written, earlier)
    if not dry_run:
        _put(out, folder, report.written, earlier)


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _write_verdicts(connection: duckdb.DuckDBPyConnection, planned: Planned, out: Path) -> Tally:
    converter = Converter(planned.plan)
    parts = connection.sql("SELECT count(*) FROM winners WHERE parts IS NOT NULL").fetchall()[0][0]
    scores = "s.scores"
    joined = ""
    if parts:
        connection.execute(
            """
            CREATE OR REPLACE TABLE part_scores AS
            SELECT w.log, w.row, flatten(list(s.scores ORDER BY s.row)) AS scores
            FROM (SELECT log, row, unnest(parts) AS part_row FROM winners WHERE parts IS NOT NULL) w
            JOIN samples s ON s.log = w.log AND s.row = w.part_row GROUP BY w.log, w.row
            """
        )
        scores = "coalesce(p.scores, s.scores)"
        joined = "LEFT JOIN part_scores p ON p.log = w.log AND p.row = w.row"
    query = f"""
        SELECT w.model, w.item_id, w.run, w.task, w.row, {scores} AS scores,
               s.status, s.labels, s.flags, s.decision,
               s.cost_usd, s.input_tokens, s.output_tokens, s.latency_s
        FROM winners w
        LEFT JOIN samples s ON s.log = w.log AND s.row = w.row {joined}
        ORDER BY w.model, w.item_id, w.run
    """
    reader = connection.sql(query).to_arrow_reader(BATCH)
    with (
        SteadyWriter(out / VERDICTS, converter.schema) as verdicts,
        SteadyWriter(out / RATINGS, RATINGS_SCHEMA) as ratings,
    ):
        for batch in reader:
            rows, rated = converter.convert(pa.Table.from_batches([batch]))
            verdicts.write(rows)
            ratings.write(rated)
    if ratings.rows == 0:
        (out / RATINGS).unlink()
    return converter.tally


def _write_models(choices: Choices, tally: Tally, out: Path) -> None:
    priced = [m for m in sorted(tally.rows) if m in choices.prices]
    if priced:
        table = pa.table(
            {
                "model": pa.array(priced, pa.string()),
                "input_price_usd": [choices.prices[m].input_price_usd for m in priced],
                "output_price_usd": [choices.prices[m].output_price_usd for m in priced],
            }
        )
        pq.write_table(table, out / MODELS, compression="zstd")


def _card(profile: Profile, planned: Planned, columns: ItemColumns, tally: Tally) -> str:
    excluded = tally.excluded_verdicts
    used = set(tally.verdicts) - excluded
    stated = [v for s in profile.states for v in s.log.verdict_order]
    order = [v for v in dict.fromkeys(stated) if v not in excluded]
    if not order or not used <= set(order):
        order = [v for v in VERDICT_ORDER if v in used] if used <= set(VERDICT_ORDER) else []
    texts = {
        m.verdict
        for rule in planned.plan.primary.values()
        for m in rule.texts.values()
        if m.correct and m.verdict in used
    }
    told = {v for s in profile.states for v in s.log.verdict_succeed if v in (order or used)}
    succeed = sorted((texts | told) - {None, "correct"})
    if succeed and "correct" in used:
        succeed = sorted({*succeed, "correct"})
    return card_text(
        tools=sorted({importer(s.log.format).title for s in profile.states}),
        order=order,
        excluded=excluded,
        succeed=[str(v) for v in succeed],
        metrics=planned.metrics,
        other_columns=planned.other_columns,
        primary=planned.primary_metric,
        labels=tally.labels,
        cluster=columns.cluster,
        strata=columns.strata,
        covariates=columns.covariates,
    )


def _keep_card(folder: Path, earlier: dict[str, Any], report: ImportReport) -> bool:
    """Say whether the card was written or edited by hand and stays as it is."""
    path = folder / CARD_FILE
    if not path.is_file():
        return False
    if files.sha256(path) == earlier.get("written", {}).get(CARD_FILE):
        return False
    report.messages.append(
        f"{CARD_FILE} was written by hand and stays as it is; compare it with {FOLDER}/{CARD_FILE}"
    )
    return True


def _check_way(folder: Path, names: Sequence[str], earlier: dict[str, Any]) -> None:
    """Refuse to overwrite what no import has written."""
    known = earlier.get("written", {})
    foreign = [
        name
        for name in names
        if name != IMPORT_FILE
        and (folder / name).is_file()
        and name not in known
        and not name.startswith(f"{FOLDER}/")
    ]
    if (folder / "verdicts").is_dir():
        foreign.append("verdicts/")
    if foreign:
        raise VerdictAtlasError(
            f"benchmark {folder.name!r} holds files that no import has written: {', '.join(foreign)}; "
            "choose another name, or overwrite them with --force"
        )


def _put(out: Path, folder: Path, names: Sequence[str], earlier: dict[str, Any]) -> None:
    """Put the files in place, `import.json` last, and remove those of an earlier import that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FOLDER).mkdir(exist_ok=True)
    for name in earlier.get("written", {}):
        if name not in names and name != CARD_FILE and (folder / name).is_file():
            (folder / name).unlink()
    if CARD_FILE not in names:
        shutil.move(out / CARD_FILE, folder / FOLDER / CARD_FILE)
    elif (folder / FOLDER / CARD_FILE).is_file():
        (folder / FOLDER / CARD_FILE).unlink()
    for name in names:
        target = folder / name
        partial = target.with_name(f".{target.name}.partial")
        shutil.move(out / name, partial)
        partial.replace(target)
