"""What `import.json` says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import duckdb

from analysis import __version__
from analysis.errors import VerdictAtlasError
from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.layout import Tally
from analysis.ingest.importers.pipeline.plan import Planned
from analysis.ingest.importers.pipeline.profile import MetricProfile, Profile
from analysis.ingest.importers.pipeline.report import ImportReport
from analysis.ingest.importers.pipeline.resolution import Resolution
from analysis.ingest.importers.pipeline.rules import Rule
from analysis.ingest.importers.pipeline.state import LogState
from analysis.ingest.importers.registry import importer

FORMAT_VERSION = 1


def summary_of(
    connection: duckdb.DuckDBPyConnection,
    profile: Profile,
    resolution: Resolution,
    planned: Planned,
    choices: Choices,
    tally: Tally,
    refused: list[dict[str, str]],
    notes: Sequence[str],
    n_items: int,
) -> dict[str, Any]:
    """Return what `import.json` says: the same for the same logs and choices, whatever the order."""
    written = dict(
        connection.sql("SELECT log, count(*) FROM winners WHERE row IS NOT NULL GROUP BY log").fetchall()
    )
    joined = dict(
        connection.sql(
            "SELECT log, sum(len(parts) - 1)::BIGINT FROM entities WHERE parts IS NOT NULL GROUP BY log"
        ).fetchall()
    )
    sources = [
        _source(state, written.get(state.key, 0), joined.get(state.key, 0), resolution)
        for state in profile.states
    ]
    dropped = _sum(s["dropped"] for s in sources)
    return {
        "format_version": FORMAT_VERSION,
        "verdict_atlas": __version__,
        "totals": {
            "logs": len(sources),
            "refused": len(refused),
            "records": sum(s["records"] for s in sources),
            "broken": _sum(s["broken"] for s in sources),
            "rows_read": sum(s["rows_read"] for s in sources),
            "rows_joined": sum(s["rows_joined"] for s in sources),
            "dropped": dropped,
            "rows_added": sum(resolution.added.values()),
            "rows_written": sum(tally.rows.values()),
            "scored": sum(tally.scored.values()),
            "excluded": {reason: tally.reasons[reason] for reason in sorted(tally.reasons)},
            "unscored": sum(tally.unscored.values()),
            "models": len(tally.rows),
            "items": n_items,
            "tasks": [t for t in profile.tasks if t],
        },
        "decided": [*notes, *[f"metric {text}" for text in planned.left_out]],
        "choices": choices.stored(),
        "metrics": _metrics(profile, planned),
        "mapping": _mapping(profile.states),
        "models": [
            {
                "model": model,
                "rows": tally.rows[model],
                "scored": tally.scored[model],
                "excluded": tally.excluded[model],
                "unscored": tally.unscored[model],
                "correct": tally.correct[model],
            }
            for model in sorted(tally.rows)
        ],
        "sources": sorted(sources, key=lambda s: (s["name"], s["sha256"])),
        "refused": refused,
    }


def _source(state: LogState, written: int, joined: int, resolution: Resolution) -> dict[str, Any]:
    log = state.log
    dropped = Counter(resolution.dropped.get(state.key, {}))
    if state.rows != written + joined + sum(dropped.values()):
        raise VerdictAtlasError(f"{log.name}: {state.rows} rows do not add up: a fault of the importer")
    return {
        "name": log.name,
        "sha256": log.sha256,
        "bytes": log.size,
        "companions": dict(sorted(log.companions.items())),
        "copies": log.copies,
        "format": log.format,
        "tool": log.tool,
        "tool_version": log.tool_version,
        "log_id": log.log_id,
        "created": log.created,
        "status": log.status,
        "model": log.model,
        "task": log.task,
        "records": log.records,
        "broken": dict(sorted(log.broken.items())),
        "rows_read": state.rows,
        "rows_joined": joined,
        "dropped": dict(sorted(dropped.items())),
        "rows_added": resolution.added.get(state.key, 0),
        "rows_written": written,
        "notes": dict(sorted(log.notes.items())),
        "examples": {k: log.examples[k] for k in sorted(log.examples)},
    }


def _sum(counters: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return {reason: total[reason] for reason in sorted(total)}


def refused_files(
    report: ImportReport, earlier: dict[str, Any], states: Sequence[LogState]
) -> list[dict[str, str]]:
    """Return the files that could not be imported, those of earlier imports included."""
    found = {
        (e["name"], e["sha256"]): e
        for e in earlier.get("refused", [])
        if isinstance(e, dict) and {"name", "sha256", "reason"} <= set(e)
    }
    for refusal in report.refused:
        if refusal.sha256:
            entry = {"name": refusal.name, "sha256": refusal.sha256, "reason": refusal.reason}
            found = {k: v for k, v in found.items() if k[0] != refusal.name or k[1] == refusal.sha256}
            found[refusal.name, refusal.sha256] = entry
    imported = {s.log.name for s in states}
    return [found[key] for key in sorted(found) if key[0] not in imported]


def superseded_versions(
    report: ImportReport, earlier: dict[str, Any], states: Sequence[LogState]
) -> list[dict[str, str]]:
    """Return the versions of logs that do not count because a later one does, in any order of imports."""
    by = {s.log.log_id: s.log.name for s in states if s.log.log_id}
    found = [
        (e["name"], e["sha256"], e["log_id"]) for e in earlier.get("superseded", []) if isinstance(e, dict)
    ]
    found += [(s.name, s.sha256, s.log_id) for s in report.superseded]
    return [
        {"name": name, "sha256": sha256, "log_id": log_id, "by": by[log_id]}
        for name, sha256, log_id in sorted(set(found))
        if log_id in by and by[log_id] != name
    ]


def _metrics(profile: Profile, planned: Planned) -> list[dict[str, Any]]:
    plan = planned.plan
    raters = {r.metric: r for r in plan.raters}
    found = []
    for task in profile.tasks:
        for metric, entry in sorted(profile.of(task).items()):
            primary = task in plan.primary and plan.primary[task].metric == metric
            found.append(
                {
                    "task": task,
                    "metric": metric,
                    "primary": primary,
                    "column": plan.columns.get(metric, "correct" if primary else None),
                    "rule": planned.readings[task, metric].rule.sentence(),
                    "rater": raters[metric].rater if metric in raters else None,
                    "n": entry.n,
                    "scored": entry.n_scored,
                    "unscored": entry.n - entry.n_scored,
                    "mean": _mean(entry, planned.readings[task, metric].rule),
                    "texts": dict(sorted(entry.texts.items())),
                }
            )
    return found


def _mean(entry: MetricProfile, rule: Rule) -> float | None:
    """Return the mean over the numbers and over the texts that count a number."""
    counted = [(m.number, entry.texts.get(t, 0)) for t, m in rule.texts.items() if m.number is not None]
    n = entry.n_number + sum(times for _, times in counted)
    total = (entry.mean or 0.0) * entry.n_number + sum(number * times for number, times in counted)
    return total / n if n else None


def _mapping(states: Sequence[LogState]) -> dict[str, dict[str, str]]:
    return {name: importer(name).maps for name in sorted({s.log.format for s in states})}
