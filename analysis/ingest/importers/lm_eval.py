"""lm-evaluation-harness: `samples_*.jsonl` with the `results_*.json` of the same run.

A file has one line per document and filter: the filters of a document are parts of one sample, and
a metric under a filter is named as the harness names it (``exact_match,strict-match``; the filter
``none`` is left out). The model's name stands in the results only.
Format: lm_eval/loggers/evaluation_tracker.py of EleutherAI/lm-evaluation-harness (read at 0.4.13).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
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
    score,
    text_or_none,
)

_DATE = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?"
_SAMPLES = re.compile(rf"(?P<prefix>.*?)samples_(?P<task>.+)_(?P<date>{_DATE})\.jsonl?")
_RESULTS = re.compile(rf"(?P<prefix>.*?)(?:results|[^/]*)_(?P<date>{_DATE})\.json")
_NO_METRIC = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    }
)
_MODEL_ARGUMENTS = ("peft", "delta", "pretrained", "model", "path", "engine")


class LmEvalImporter:
    """Reads the per-sample logs of lm-evaluation-harness."""

    name = "lm-eval"
    title = "lm-evaluation-harness"
    maps: ClassVar[dict[str, str]] = {
        "model": "model_name of the results, else their config.model_args",
        "item_id": "doc_id",
        "run": "0",
        "verdict": "the metrics named in metrics, per filter",
        "metrics": "further metrics: <metric> or <metric>,<filter>",
        "items": "declared fields of doc, group",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file holds the harness's samples."""
        name = bare_name(path)
        if not name.endswith((".json", ".jsonl")):
            return False
        if _SAMPLES.fullmatch(name):
            return True
        return b'"doc_id"' in head and (b'"resps"' in head or b'"filtered_resps"' in head)

    def find(self, path: Path) -> LogFile:
        """Return the log with the results file of the same run."""
        dated = _SAMPLES.fullmatch(bare_name(path))
        results = _results_for(path, dated)
        return LogFile(path, natural_name(path, 1 if dated else 2), (results,) if results else ())

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield one sample per document and filter."""
        results = _read_results(file.companions[0], log) if file.companions else {}
        dated = _SAMPLES.fullmatch(bare_name(file.path))
        log.tool = "lm_eval"
        log.task = _task(file.path, dated, results)
        if results:
            _take_results(results, log)
        else:
            log.note("no results file of the same run stands beside it")
        if dated:
            day, _, time = dated["date"].partition("T")
            log.created = instant(f"{day}T{time.replace('-', ':')}")
        for place, record in records(file.path):
            if isinstance(record, JsonError):
                log.drop(reason_of(record), place)
                continue
            sample = _sample(record, log, options, place)
            if sample is not None:
                yield sample
        if log.records == 0:
            raise RefusedError(
                "holds no samples" + (f" ({'; '.join(sorted(log.broken))})" if log.broken else "")
            )


def _results_for(path: Path, dated: re.Match[str] | None) -> Path | None:
    """Return the results file of the samples' run: of the same date, and prefix where several are."""
    by_date = _results_in(path.parent, path.parent.stat().st_mtime_ns)
    if dated is None:
        plain = path.parent / "results.json"
        return plain if plain.is_file() else None
    found = by_date.get(dated["date"], [])
    same = [p for p in found if p.name.startswith(f"{dated['prefix']}results_")]
    if same or len(found) == 1:
        return (same or found)[0]
    return None


@lru_cache(maxsize=4)
def _results_in(folder: Path, _mtime: int) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        match = _RESULTS.fullmatch(path.name)
        if match and not _SAMPLES.fullmatch(path.name) and path.is_file():
            found.setdefault(match["date"], []).append(path)
    return found


def _read_results(path: Path, log: Log) -> dict[str, Any]:
    try:
        return _parsed_results(path, path.stat().st_mtime_ns)
    except RefusedError as error:
        log.note(f"its results file {error}: not used", path.name)
        return {}


@lru_cache(maxsize=2)
def _parsed_results(path: Path, _mtime: int) -> dict[str, Any]:
    data = parse_file(path)
    if not isinstance(data, dict):
        raise RefusedError("is no results file")
    return data


def _task(path: Path, dated: re.Match[str] | None, results: Mapping[str, Any]) -> str:
    if dated is not None:
        # Windows and some scripts write other characters than the task has; the results know it.
        names = [n for n in _mapping(results.get("configs")) if re.sub(r"\W", "_", n) == dated["task"]]
        return clean_text(names[0] if len(names) == 1 else dated["task"])
    stem = bare_name(path).rsplit(".", 1)[0]
    known = sorted((n for n in _mapping(results.get("results")) if stem.endswith(n)), key=len)
    return clean_text(known[-1] if known else stem.removeprefix("samples_"))


def _take_results(results: Mapping[str, Any], log: Log) -> None:
    task = log.task or ""
    config = _mapping(results.get("config"))
    arguments = config.get("model_args")
    log.model = text_or_none(results.get("model_name")) or _model_in(arguments)
    log.tool_version = (
        text_or_none(results.get("lm_eval_version")) or text_or_none(results.get("git_hash")) or ""
    )
    log.created = instant(results.get("date"))
    log.groups = _groups(task, _mapping(results.get("group_subtasks")))
    for metric, higher in _mapping(_mapping(results.get("higher_is_better")).get(task)).items():
        if higher is False:
            log.lower_is_better.add(clean_text(metric))
    variant = {
        "n_shot": _mapping(results.get("n-shot")).get(task),
        "version": _mapping(results.get("versions")).get(task),
        "model_args": arguments,
        "gen_kwargs": config.get("gen_kwargs"),
        "chat_template_sha": results.get("chat_template_sha"),
        "system_instruction_sha": results.get("system_instruction_sha"),
        "fewshot_as_multiturn": results.get("fewshot_as_multiturn"),
    }
    log.variant = {
        key: clean_text(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
        for key, value in variant.items()
        if value is not None
    }


def _model_in(arguments: Any) -> str | None:
    """Return the model's name in the harness's model arguments, as the harness finds it."""
    if isinstance(arguments, dict):
        return next((str(arguments[k]) for k in _MODEL_ARGUMENTS if arguments.get(k)), None)
    if isinstance(arguments, str):
        pairs = dict(p.split("=", 1) for p in arguments.split(",") if "=" in p)
        return next((pairs[k] for k in _MODEL_ARGUMENTS if pairs.get(k)), None)
    return None


def _groups(task: str, subtasks: Mapping[str, Any]) -> list[str]:
    """Return the groups that hold the task, the outermost first."""
    found: list[str] = []
    inner = task
    while True:
        holders = sorted(
            clean_text(g)
            for g, tasks in subtasks.items()
            if isinstance(tasks, list) and inner in tasks and g != inner
        )
        holders = [g for g in holders if g not in found]
        if not holders:
            return found[::-1]
        inner = holders[0]
        found.append(inner)


def _sample(record: Any, log: Log, options: ReadOptions, place: str) -> Sample | None:
    item = identifier(record.get("doc_id")) if isinstance(record, dict) else None
    if item is None:
        log.drop("record has no doc_id", place)
        return None
    log.records += 1
    name = text_or_none(record.get("filter"))
    named = None if name in (None, "none") else name
    metrics = record.get("metrics")
    if not isinstance(metrics, list):
        metrics = [k for k, v in record.items() if k not in _NO_METRIC and not isinstance(v, str)]
    found: list[Score] = []
    for metric in metrics:
        if isinstance(metric, str) and metric in record:
            full = clean_text(f"{metric},{named}" if named else metric)
            if (value := score(full, record[metric], log)) is not None:
                found.append(value)
            if metric in log.lower_is_better:
                log.lower_is_better.add(full)
    return Sample(
        item=item[0],
        item_is_int=item[1],
        part=named or "",
        input_hash=_hash(record.get("doc_hash")),
        scores=found,
        keys={k: v for k in options.keys if (v := _key(record, log, k)) is not None},
    )


def _hash(value: Any) -> int | None:
    """Return the harness's hash of the document, shortened to 63 bits."""
    try:
        return int(value[:16], 16) >> 1 if isinstance(value, str) and len(value) >= 16 else None
    except ValueError:
        return None


def _key(record: Mapping[str, Any], log: Log, key: str) -> str | None:
    if key == "group":
        return log.groups[0] if log.groups else None
    return key_value(look_up(record.get("doc"), key.removeprefix("doc.")))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
