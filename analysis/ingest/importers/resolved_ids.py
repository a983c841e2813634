"""Lists of resolved items: SWE-bench reports, LiveCodeBench evaluations, and model -> list of ids.

A file that lists only what was resolved does not say what was asked: its log is marked as open, and
the pipeline asks for the items. Known shapes:

* SWE-bench run reports (`resolved_ids`, `unresolved_ids`, `error_ids` ...), the `results.json` of
  SWE-bench/experiments (`resolved`, `no_generation`, `generated` ...), `per_instance_details.json`
  and per-instance `report.json`;
* LiveCodeBench `*_eval_all.json` (`question_id`, `graded_list`) and leaderboard `performances`;
* terminal-bench `results` with `task_id` and `is_resolved`;
* ``{model: [ids]}`` and ``{model: {id: true}}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.files import bare_name, clean_text, natural_name
from analysis.ingest.importers.common.jsonfiles import parse_file, reason_of, records
from analysis.ingest.importers.common.jsontext import JsonError
from analysis.ingest.importers.common.records import Log, LogFile, ReadOptions, RefusedError, Sample, Score
from analysis.ingest.importers.common.values import (
    identifier,
    instant,
    key_value,
    look_up,
    number_or_none,
    score,
    text_or_none,
)

MAX_METADATA = 1 << 20
"""Bytes of a submission's `metadata.yaml` that are still read."""
_LABELS = {
    "error_ids": "evaluation_error",
    "empty_patch_ids": "empty_patch",
    "infra_failure_ids": "infrastructure_failure",
    "ambiguous_failure_ids": "ambiguous_failure",
    "no_generation": "no_generation",
    "no_logs": "no_logs",
    "install_fail": "install_failure",
    "reset_failed": "reset_failure",
    "test_errored": "test_error",
    "test_timeout": "test_timeout",
    "no_apply": "patch_not_applied",
}
"""Lists whose items were asked and not resolved, with the label that says why."""
_NOT_SUBMITTED = ("incomplete_ids",)
_ASKED = ("unresolved_ids", "submitted_ids", "completed_ids", "generated", "with_logs", "applied")
_CLOSED = ("unresolved_ids", "submitted_ids", "generated")
"""Lists that, together with the resolved, name everything that was asked."""
_RESOLVED = ("resolved_ids", "resolved")
_SHAPE = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*(\[\s*(["\]]|-?\d)|\{\s*("[^"]*"\s*:\s*(true|false|[01]\b)|\}))')


class ResolvedIdsImporter:
    """Reads lists of resolved items."""

    name = "resolved"
    title = "Lists of resolved ids (SWE-bench, LiveCodeBench)"
    maps: ClassVar[dict[str, str]] = {
        "model": "the key, the submission's folder or metadata.yaml, or asked",
        "item_id": "the listed identifier, question_id, task_id",
        "run": "position in graded_list",
        "verdict": "resolved or not; graded_list; pass@1",
        "labels": "why not: empty_patch, evaluation_error, no_generation, ...",
        "cost_usd": "cost of per_instance_details.json",
        "items": "declared fields, such as difficulty, platform",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file has one of the known shapes that need no telling."""
        if not bare_name(path).endswith((".json", ".jsonl")):
            return False
        return any(
            mark in head
            for mark in (
                b'"resolved"',
                b'"resolved_ids"',
                b'"graded_list"',
                b'"performances"',
                b'"is_resolved"',
                b'"no_generation"',
            )
        )

    def detect_by_shape(self, path: Path, head: bytes) -> bool:
        """Say whether the file looks like ``{model: [ids]}`` or ``{model: {id: verdict}}``.

        Much else looks so: it is asked only where a person names this format.
        """
        return bare_name(path).endswith(".json") and _SHAPE.match(head) is not None

    def find(self, path: Path) -> LogFile:
        """Return the log with the submission's metadata beside it."""
        parts = 3 if path.resolve().parent.name == "results" else 2
        folder = path.parent.parent if parts == 3 else path.parent
        metadata = folder / "metadata.yaml"
        return LogFile(path, natural_name(path, parts), (metadata,) if metadata.is_file() else ())

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield one sample per listed item."""
        path = file.path
        if _is_list(path):
            yield from _question_list(path, log, options)
        else:
            data = parse_file(path)
            if not isinstance(data, dict):
                raise RefusedError("is neither an object nor a list of objects")
            yield from _object(data, file, log, options)
        if log.records == 0:
            raise RefusedError(
                "lists no items" + (f" ({'; '.join(sorted(log.broken))})" if log.broken else "")
            )


def _is_list(path: Path) -> bool:
    from analysis.ingest.importers.common.files import head

    start = head(path).lstrip(b"\xef\xbb\xbf \t\r\n")
    return start[:1] == b"[" or (bare_name(path).endswith(".jsonl") and start[:1] == b"{")


def _object(data: dict[str, Any], file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
    if any(isinstance(data.get(k), list) for k in _RESOLVED):
        log.tool = "SWE-bench"
        _name_submission(file, log)
        yield from _report(data, log)
    elif isinstance(data.get("performances"), list):
        log.tool = "LiveCodeBench"
        for number, entry in enumerate(data["performances"], 1):
            yield from _performance(entry, log, options, f"performance {number}")
    elif isinstance(data.get("results"), list):
        log.tool = "terminal-bench"
        log.suggested_model = clean_text(file.path.resolve().parent.name)
        for number, entry in enumerate(data["results"], 1):
            yield from _trial(entry, log, options, f"result {number}")
    elif data and all(isinstance(v, dict) and "resolved" in v for v in data.values()):
        log.tool = "SWE-bench"
        _name_submission(file, log)
        for item, entry in data.items():
            yield from _detail(item, entry, log, options)
    elif data and all(isinstance(v, list) for v in data.values()):
        log.open_world = True
        for model, items in data.items():
            yield from _listed(items, 1.0, log, model=clean_text(model))
    elif data and all(isinstance(v, dict) for v in data.values()):
        for model, entries in data.items():
            for item, value in entries.items():
                yield from _one(item, value, log, model=clean_text(model))
    else:
        raise RefusedError("has none of the known shapes: see docs/importers/resolved.md")


def _name_submission(file: LogFile, log: Log) -> None:
    """Name the model by the layout of the folders, where the layout says it."""
    path = file.path.resolve()
    parts = path.parts
    name = bare_name(path)
    if name == "report.json" and "run_evaluation" in parts and len(parts) >= 4:
        log.model = clean_text(parts[-3].replace("__", "/"))
        log.variant = {"run_id": clean_text(parts[-4])}
    elif name in ("results.json", "per_instance_details.json"):
        folder = path.parent.parent if path.parent.name == "results" else path.parent
        log.model = clean_text(_submission_name(file.companions) or folder.name)
        if "evaluation" in parts and len(parts) > parts.index("evaluation") + 1:
            log.task = clean_text(f"swe-bench-{parts[parts.index('evaluation') + 1]}")
    else:
        log.suggested_model = clean_text(name.rsplit(".", 1)[0].replace("__", "/"))


def _submission_name(companions: Iterable[Path]) -> str | None:
    import yaml

    for path in companions:
        if path.stat().st_size > MAX_METADATA:
            continue
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (yaml.YAMLError, OSError, UnicodeDecodeError):
            continue
        info = data.get("info") if isinstance(data, dict) else None
        for source in (info, data):
            if isinstance(source, dict) and text_or_none(source.get("name")):
                return str(source["name"])
    return None


def _report(data: Mapping[str, Any], log: Log) -> Iterator[Sample]:
    """Yield the items of a run report: resolved, not resolved with the reason, not submitted."""
    outcome: dict[str, float | None] = {}
    labels: dict[str, list[str]] = {}
    integers: set[str] = set()
    for key in (*_NOT_SUBMITTED, *_ASKED, *_LABELS, *_RESOLVED):
        entries = data.get(key)
        for entry in entries if isinstance(entries, list) else []:
            item = identifier(entry)
            if item is None:
                log.drop("identifier is no text or number", entry)
                continue
            if item[1]:
                integers.add(item[0])
            outcome[item[0]] = None if key in _NOT_SUBMITTED else 1.0 if key in _RESOLVED else 0.0
            if key in _LABELS:
                labels.setdefault(item[0], []).append(_LABELS[key])
            elif key in _NOT_SUBMITTED:
                labels.setdefault(item[0], []).append("not_submitted")
    log.open_world = not any(isinstance(data.get(k), list) for k in _CLOSED)
    for name, value in outcome.items():
        log.records += 1
        yield Sample(
            item=name,
            item_is_int=name in integers,
            scores=[Score("resolved", value)],
            labels=[] if value == 1.0 else labels.get(name, []),
        )


def _detail(item: str, entry: Mapping[str, Any], log: Log, options: ReadOptions) -> Iterator[Sample]:
    for sample in _one(item, entry.get("resolved"), log):
        sample.cost_usd = number_or_none(entry.get("cost"))
        if entry.get("patch_exists") is False or entry.get("patch_is_None") is True:
            sample.labels = ["empty_patch"]
        sample.keys = _keys(entry, options)
        yield sample


def _listed(items: Any, value: float, log: Log, model: str) -> Iterator[Sample]:
    seen: set[tuple[str, bool]] = set()
    for entry in items:
        item = identifier(entry)
        if item is None:
            log.drop("identifier is no text or number", entry)
        elif item in seen:
            log.note("identifiers listed twice, counted once", item[0])
        else:
            seen.add(item)
            log.records += 1
            yield Sample(item=item[0], item_is_int=item[1], model=model, scores=[Score("resolved", value)])


def _one(item: str, value: Any, log: Log, model: str | None = None) -> Iterator[Sample]:
    found = score("resolved", value, log)
    if found is None or not item.strip():
        log.drop("entry has no identifier or no verdict", item)
        return
    log.records += 1
    yield Sample(item=clean_text(item), model=model, scores=[found])


def _question_list(path: Path, log: Log, options: ReadOptions) -> Iterator[Sample]:
    """Yield a LiveCodeBench evaluation's questions, a run per graded answer."""
    log.tool = "LiveCodeBench"
    resolved = path.resolve()
    scenario = re.match(r"(?:Scenario\.)?([a-z]+)_", bare_name(path))
    log.task = scenario[1] if scenario else None
    if len(resolved.parts) > 2 and resolved.parts[-3] == "output":
        log.model = clean_text(resolved.parts[-2])
    else:
        log.suggested_model = clean_text(resolved.parent.name)
    for place, record in records(path):
        if isinstance(record, JsonError):
            log.drop(reason_of(record), place)
            continue
        graded = record.get("graded_list") if isinstance(record, dict) else None
        item = identifier(record.get("question_id")) if isinstance(record, dict) else None
        if item is None or not isinstance(graded, list):
            log.drop("record has no question_id or no graded_list", place)
            continue
        log.records += 1
        for run, value in enumerate(graded):
            yield Sample(
                item=item[0],
                item_is_int=item[1],
                run=run,
                scores=[score("graded", value, log) or Score("graded")],
                keys=_keys(record, options),
            )


def _performance(entry: Any, log: Log, options: ReadOptions, place: str) -> Iterator[Sample]:
    item = identifier(entry.get("question_id")) if isinstance(entry, dict) else None
    found = score("pass@1", entry.get("pass@1"), log) if isinstance(entry, dict) else None
    if item is None or found is None:
        log.drop("entry has no question_id or no pass@1", place)
        return
    log.records += 1
    keys = _keys(entry, options)
    if "date" in keys:
        keys["date"] = instant(entry.get("date"))[:10] or keys["date"]
    yield Sample(
        item=item[0],
        item_is_int=item[1],
        model=text_or_none(entry.get("model")),
        scores=[found],
        keys=keys,
    )


def _trial(entry: Any, log: Log, options: ReadOptions, place: str) -> Iterator[Sample]:
    item = identifier(entry.get("task_id")) if isinstance(entry, dict) else None
    found = score("resolved", entry.get("is_resolved"), log) if isinstance(entry, dict) else None
    if item is None or found is None:
        log.drop("result has no task_id or no is_resolved", place)
        return
    log.records += 1
    mode = text_or_none(entry.get("failure_mode"))
    yield Sample(
        item=item[0],
        item_is_int=item[1],
        scores=[found],
        labels=[mode] if mode not in (None, "unset", "none") and found.number == 0 else [],
        input_tokens=number_or_none(entry.get("total_input_tokens")),
        output_tokens=number_or_none(entry.get("total_output_tokens")),
        keys=_keys(entry, options),
    )


def _keys(entry: Mapping[str, Any], options: ReadOptions) -> dict[str, str]:
    return {k: v for k in options.keys if (v := key_value(look_up(entry, k))) is not None}
