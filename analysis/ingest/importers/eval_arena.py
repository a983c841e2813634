"""eval-arena: JSON Lines with `pass1`, `correct` and `count` per benchmark, model and example.

`count` attempts of which `correct` succeeded become as many runs, the successful first: the order
of the attempts is not in the file. Further keys `excluded` and `unscored`, which our own export
writes, count attempts without a verdict.
Format: README of crux-eval/eval-arena (arXiv:2512.21326).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.files import clean_text, natural_name
from analysis.ingest.importers.common.jsonfiles import reason_of, records
from analysis.ingest.importers.common.jsontext import JsonError
from analysis.ingest.importers.common.records import Log, LogFile, ReadOptions, RefusedError, Sample, Score
from analysis.ingest.importers.common.values import (
    identifier,
    key_value,
    look_up,
    number_or_none,
    text_or_none,
)

MAX_COUNT = 100_000
"""Attempts that one record may stand for."""


class EvalArenaImporter:
    """Reads eval-arena's question-level metrics."""

    name = "eval-arena"
    title = "eval-arena"
    maps: ClassVar[dict[str, str]] = {
        "model": "model",
        "item_id": "example_id",
        "run": "the attempts of count, successful first",
        "verdict": "correct of count, else pass1",
        "technical_failure": "excluded (our own export)",
        "track": "benchmark_id, where there are several",
        "items": "declared fields",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file holds question-level metrics."""
        line = head.lstrip()[:4096]
        return b'"benchmark_id"' in line and b'"example_id"' in line and b'"pass1"' in line

    def find(self, path: Path) -> LogFile:
        """Return the log; it stands in one file."""
        return LogFile(path, natural_name(path, 2))

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield one sample per attempt."""
        log.tool = "eval-arena"
        for place, record in records(file.path):
            if isinstance(record, JsonError):
                log.drop(reason_of(record), place)
            elif not isinstance(record, dict):
                log.drop("record is no object", place)
            else:
                yield from _attempts(record, log, options, place)
        if log.records == 0:
            raise RefusedError(
                "holds no records" + (f" ({'; '.join(sorted(log.broken))})" if log.broken else "")
            )


def _attempts(record: Mapping[str, Any], log: Log, options: ReadOptions, place: str) -> Iterator[Sample]:
    item = identifier(record.get("example_id"))
    if item is None:
        log.drop("record has no example_id", place)
        return
    outcome = _outcome(record, log, place)
    if outcome is None:
        return
    log.records += 1
    task = record.get("benchmark_id")
    model = record.get("model")
    common: dict[str, Any] = {
        "item": item[0],
        "item_is_int": item[1],
        "model": text_or_none(model) or (str(model) if isinstance(model, int) else None),
        "task": text_or_none(task) or (str(task) if isinstance(task, int) else None),
        "keys": {k: v for k in options.keys if (v := key_value(look_up(record, k))) is not None},
    }
    values, excluded, unscored = outcome
    for run, value in enumerate(values):
        yield Sample(**common, run=run, scores=[Score("pass1", value)])
    for run in range(len(values), len(values) + excluded):
        yield Sample(**common, run=run, status="technical_failure", scores=[Score("pass1")])
    for run in range(len(values) + excluded, len(values) + excluded + unscored):
        yield Sample(**common, run=run, scores=[Score("pass1")])


def _outcome(record: Mapping[str, Any], log: Log, place: str) -> tuple[list[float], int, int] | None:
    """Return the attempts' values, and how many were excluded and unscored; None where it is dropped."""
    excluded, unscored = _whole(record.get("excluded", 0)), _whole(record.get("unscored", 0))
    pass1 = number_or_none(record.get("pass1"))
    count = _whole(record["count"]) if record.get("count") is not None else 1
    if count is None or excluded is None or unscored is None or count + excluded + unscored > MAX_COUNT:
        log.drop(f"count is not a whole number from 0 to {MAX_COUNT:,}", place)
        return None
    if record.get("correct") is not None:
        correct = _whole(record["correct"])
        if correct is None or correct > count:
            log.drop("correct is not a whole number from 0 to count", place)
            return None
        if pass1 is not None and count and not math.isclose(pass1 * count, correct, abs_tol=1e-6):
            log.note("pass1 is not correct / count: correct and count used", place)
        return [1.0] * correct + [0.0] * (count - correct), excluded, unscored
    if count == 0 and excluded + unscored > 0:
        return [], excluded, unscored
    if pass1 is None:
        return [], excluded, max(unscored, 1)
    if pass1 <= 1 and math.isclose(pass1 * count, round(pass1 * count), abs_tol=1e-6):
        correct = round(pass1 * count)
        return [1.0] * correct + [0.0] * (count - correct), excluded, unscored
    log.note("pass1 fits no whole number of successes: kept as one graded score", clean_text(place))
    return [pass1], excluded, unscored


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return int(value)
    number = number_or_none(value)
    return int(number) if number is not None and number.is_integer() and number <= MAX_COUNT else None
