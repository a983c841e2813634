"""From profile and choices to the plan of the output: rules, columns, raters."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from analysis.ingest.importers.pipeline.choices import Choices
from analysis.ingest.importers.pipeline.layout import RESOURCES, Plan
from analysis.ingest.importers.pipeline.naming import column_names
from analysis.ingest.importers.pipeline.profile import MetricProfile, Profile
from analysis.ingest.importers.pipeline.questions import primaries
from analysis.ingest.importers.pipeline.raters import raters_of
from analysis.ingest.importers.pipeline.rules import Reading, Rule, reading_of


@dataclass
class Planned:
    """The plan, and what the card and the report need to know of it.

    Parameters
    ----------
    plan : Plan
        For the conversion.
    readings : dict of tuple to Reading
        How every metric of every task is read.
    metrics : list of str
        Columns between 0 and 1: metrics of the card.
    other_columns : list of str
        Further numeric columns.
    primary_metric : str
        ``correct`` or ``score``.
    left_out : list of str
        Metrics without a column, each with the reason.
    """

    plan: Plan
    readings: dict[tuple[str, str], Reading]
    metrics: list[str]
    other_columns: list[str]
    primary_metric: str
    left_out: list[str]


def plan_output(connection: duckdb.DuckDBPyConnection, profile: Profile, choices: Choices) -> Planned:
    """Return the plan of the output."""
    readings = {
        (task, metric): reading_of(entry, choices)
        for task, metrics in profile.metrics.items()
        for metric, entry in metrics.items()
    }
    chosen = primaries(profile, choices)
    primary = {task: readings[task, metric].rule for task, metric in chosen.items()}
    beside = frozenset(t for t in profile.tasks if _score_beside(profile.of(t), chosen.get(t)))
    extras, left_out = _extras(profile, readings, chosen, beside)
    columns = column_names(extras)
    graded = any(r.graded and r.threshold is None for r in primary.values())
    score = bool(beside) or any(_needs_score(profile.of(t)[m], readings[t, m]) for t, m in chosen.items())
    metrics = ["score"] if score else []
    other: list[str] = []
    for metric in sorted(columns):
        (metrics if _in_unit(profile, metric) else other).append(columns[metric])
    known = sorted({m for metrics_ in profile.metrics.values() for m in metrics_})
    judges = {m: e.judge for t in profile.metrics.values() for m, e in t.items() if e.judge}
    plan = Plan(
        primary=primary,
        extras=extras,
        columns=columns,
        raters=raters_of(judges, choices.raters, known),
        score=score,
        score_beside=beside,
        optional=_optional(connection),
        score_unfinished=choices.unfinished == "score",
    )
    return Planned(plan, readings, metrics, other, "score" if graded else "correct", left_out)


def _extras(
    profile: Profile,
    readings: dict[tuple[str, str], Reading],
    chosen: dict[str, str],
    beside: frozenset[str],
) -> tuple[dict[str, dict[str, Rule]], list[str]]:
    """Return the metrics that become columns of their own, and those that cannot."""
    wanted: set[str] = set()
    left_out: set[str] = set()
    for (task, metric), reading in readings.items():
        entry = profile.of(task)[metric]
        if chosen.get(task) == metric and not _own_column(reading):
            continue
        if task in beside and metric == "score":
            continue
        if entry.bookkeeping or entry.n_scored == 0:
            continue
        if entry.n_number == 0 and all(m.number is None for m in reading.rule.texts.values()):
            left_out.add(f"{metric}: its values are text that no number was chosen for")
            continue
        wanted.add(metric)
    extras = {
        metric: {task: readings[task, metric].rule for task in profile.tasks if (task, metric) in readings}
        for metric in sorted(wanted)
    }
    return extras, sorted(left_out)


def _score_beside(metrics: dict[str, MetricProfile], primary: str | None) -> bool:
    """Say whether a table's score stands beside the verdict that decides."""
    entry = metrics.get("score")
    if primary not in ("correct", "verdict") or entry is None or not metrics[primary].declared:
        return False
    return entry.n_number > 0 and (entry.low or 0) >= 0 and (entry.high or 0) <= 1


def _own_column(reading: Reading) -> bool:
    """Say whether a primary metric's values are lost in `correct` and `score`."""
    return reading.rule.scale is not None or reading.outside


def _needs_score(entry: MetricProfile, reading: Reading) -> bool:
    if reading.rule.kind == "stated":
        return entry.n_number > 0
    return reading.fractional and not (reading.outside and reading.rule.scale is None)


def _in_unit(profile: Profile, metric: str) -> bool:
    entries = [t[metric] for t in profile.metrics.values() if metric in t]
    return all(e.low is None or (e.low >= 0 and (e.high or 0) <= 1) for e in entries)


def _optional(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Return which optional columns have any value among the samples."""
    tests = [f"count({name})" for name in (*RESOURCES, "decision")]
    tests += ["count(*) FILTER (len(labels) > 0 OR status <> '')", "count(*) FILTER (len(flags) > 0)"]
    row = connection.sql(f"SELECT {', '.join(tests)} FROM samples").fetchall()[0]
    names = (*RESOURCES, "decision", "labels", "flags")
    unfinished = connection.sql("SELECT count(*) FROM logs WHERE unfinished").fetchall()[0][0]
    found = {name for name, n in zip(names, row, strict=True) if n}
    return frozenset(found | ({"labels"} if unfinished else set()))
