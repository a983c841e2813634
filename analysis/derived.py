"""A benchmark's derived folder: what ingest leaves there, and how tables are made from it."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from analysis.config import BenchmarkCard, Config, Settings, config_hash, parse, settings_for
from analysis.errors import VerdictAtlasError
from analysis.schemas.sessions import SESSION_TABLES
from analysis.sessions.stored import MEASURED, stored_sessions
from analysis.store import Provenance, read_provenance, read_table, write_table
from analysis.tables.data import BenchmarkData, Made

if TYPE_CHECKING:
    from analysis.ingest.benchmark import Benchmark

IMPORT_FILE = "import.json"
"""What the import of other tools' logs said, where the benchmark was imported."""

RUBRIC_FILE = "rubric.json"
"""The rubric, the keys of the vignettes and the declaration, where the card declares a rubric."""

CARD_FILE = "benchmark.json"
"""The card and the statistics in force, as ingest understood them."""


def write_benchmark(benchmark: Benchmark, folder: Path, config: Config) -> None:
    """Write the validated tables, the audit and the card in force to a derived folder."""
    settings = settings_for(benchmark.card, config)
    provenance = Provenance(
        benchmark=benchmark.name,
        inputs=benchmark.inputs,
        config_sha256=config_hash(benchmark.card, settings),
        seed=settings.seed,
        settings=settings.model_dump(mode="json", exclude={"seed"}),
        synthetic=benchmark.card.synthetic,
    )
    folder.mkdir(parents=True, exist_ok=True)
    state = {"name": benchmark.name, "card": benchmark.card.model_dump(mode="json")}
    state["settings"] = settings.model_dump(mode="json")
    # The card's order is kept: endpoints may use those before them, kinds stand as declared.
    text = json.dumps(state, indent=2, ensure_ascii=False)
    (folder / CARD_FILE).write_text(text + "\n", encoding="utf-8")
    _keep(benchmark.import_record, folder / IMPORT_FILE)
    _keep(benchmark.rubric.to_json() if benchmark.rubric else None, folder / RUBRIC_FILE)
    for name in ("verdicts", "items", "models", "audit"):
        write_table(getattr(benchmark, name), name, folder / f"{name}.parquet", provenance=provenance)
    for name in SESSION_TABLES:
        path = folder / f"{name}.parquet"
        if name in benchmark.sessions:
            write_table(benchmark.sessions[name], name, path, provenance=provenance)
        else:
            path.unlink(missing_ok=True)
    optional = {
        "ratings": benchmark.ratings,
        "rubric_sheets": benchmark.sheets,
        "criteria": benchmark.criteria,
        "audit_trail": benchmark.audit_trail,
        "statements": benchmark.statements,
        "quarantine": benchmark.quarantine if benchmark.quarantine.height else None,
    }
    for name, frame in optional.items():
        path = folder / f"{name}.parquet"
        if frame is not None:
            write_table(frame, name, path, provenance=provenance)
        else:
            path.unlink(missing_ok=True)


def _keep(text: str | None, path: Path) -> None:
    """Write the record of an import beside the tables, for the report's provenance."""
    if text is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(text, encoding="utf-8")


def read_state(folder: Path) -> tuple[str, BenchmarkCard, Settings]:
    """Return a derived folder's benchmark name, card and statistics in force."""
    path = folder / CARD_FILE
    if not path.is_file():
        raise VerdictAtlasError(
            f"{folder}: is not a derived benchmark (no {CARD_FILE}); snakemake tables makes it"
        )
    state = json.loads(path.read_text(encoding="utf-8"))
    card = parse(BenchmarkCard, state["card"], file=CARD_FILE)
    return state["name"], card, parse(Settings, state["settings"], file=CARD_FILE)


def read_data(folder: Path) -> BenchmarkData:
    """Read what every derived table is computed from."""
    _, card, settings = read_state(folder)
    verdicts, items, models = (
        read_table(folder / f"{name}.parquet") for name in ("verdicts", "items", "models")
    )
    ratings, audit, criteria = (
        read_table(path) if path.is_file() else None
        for path in (folder / f"{name}.parquet" for name in ("ratings", "audit", "criteria"))
    )
    sessions = stored_sessions(folder, read_table)
    measured = stored_sessions(folder, read_table, MEASURED)
    sheets, rubric = folder / "rubric_sheets.parquet", folder / RUBRIC_FILE
    return BenchmarkData(
        verdicts,
        items,
        models,
        card,
        settings,
        ratings,
        audit,
        criteria,
        sheets=read_table(sheets) if sheets.is_file() else None,
        rubric=rubric.read_text(encoding="utf-8") if rubric.is_file() else None,
        sessions=sessions,
        measured=measured,
    )


def read_derived(folder: Path) -> dict[str, pl.DataFrame]:
    """Return every table of a derived folder by name."""
    from analysis.schemas import TABLES

    return {p.stem: read_table(p) for p in sorted(folder.glob("*.parquet")) if p.stem in TABLES}


def derive(rule: str, folder: Path, *, outputs: dict[str, Path] | None = None) -> None:
    """Run one rule of the derived stage and write its tables beside its inputs.

    Parameters
    ----------
    rule : str
        A key of `RULES`.
    folder : Path
        The derived folder.
    outputs : dict of str to Path, optional
        Where to write each table (default: beside the inputs).
    """
    made: Made = importlib.import_module(RULES[rule]).derive(read_data(folder))
    provenance = read_provenance(folder / "verdicts.parquet")
    for table, (frame, method) in made.items():
        path = (outputs or {}).get(table, folder / f"{table}.parquet")
        write_table(frame, table, path, provenance=provenance, method=method)


RULES: dict[str, str] = {
    "score_models": "analysis.tables.model_scores",
    "count_items": "analysis.tables.counts",
    "cover_items": "analysis.tables.coverage",
    "compare_verdicts": "analysis.tables.concordance",
    "compare_models": "analysis.tables.comparisons",
    "count_labels": "analysis.tables.labels",
    "count_decisions": "analysis.tables.decisions",
    "stratify_scores": "analysis.tables.strata",
    "price_models": "analysis.tables.costs",
    "trace_frontier": "analysis.tables.frontier",
    "compare_policies": "analysis.tables.policies",
    "compare_raters": "analysis.tables.agreement",
    "assess_reliability": "analysis.tables.reliability",
    "correct_judges": "analysis.tables.judge_correction",
    "plan_comparisons": "analysis.tables.planning",
    "assess_runs": "analysis.tables.repeated_runs",
    "combine_models": "analysis.tables.ensembles",
    "vary_denominators": "analysis.tables.denominators",
    "leave_parts_out": "analysis.tables.influence",
    "audit_data": "analysis.tables.data_quality",
    "describe_behaviour": "analysis.tables.behaviour",
    "review_outcomes": "analysis.tables.review_outcomes",
    "score_rubric": "analysis.tables.rubric_scores",
    "compare_rubric_scores": "analysis.tables.rubric_models",
    "assess_rubric_raters": "analysis.tables.rubric_raters",
    "plan_rubric": "analysis.tables.rubric_planning",
    "join_episodes": "analysis.tables.episodes",
    "measure_composition": "analysis.tables.composition",
    "score_endpoints": "analysis.tables.endpoint_scores",
    "compare_conditions": "analysis.tables.paired_controls",
    "audit_judges": "analysis.tables.judge_audit",
    "profile_families": "analysis.tables.family_profiles",
    "score_consultations": "analysis.tables.consultation",
    "measure_sessions": "analysis.tables.session_metrics",
    "score_sessions": "analysis.tables.session_scores",
    "find_hidden_errors": "analysis.tables.hidden_errors",
    "assess_judges": "analysis.tables.judge_reliability",
    "validate_metrics": "analysis.tables.metric_validity",
    "compare_variants": "analysis.tables.paired_factors",
    "replay_sessions": "analysis.tables.session_replay",
}
"""The rules of the derived stage and the module of each, which has a function `derive(data) -> Made`.

Modules are named, not imported, so that a rule depends on the code of its own tables only.
"""
