"""every-eval-ever: instance records (`*_samples.jsonl`), with the aggregate file beside them.

A record holds one metric's score of one sample; records of one sample with several metrics are
parts of it. The aggregate names the metrics and says which way is better.
Format: instance_level_eval.schema.json of evaleval/every_eval_ever (0.2 and 0.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.files import bare_name, clean_text, natural_name
from analysis.ingest.importers.common.jsonfiles import parse_file, reason_of, records
from analysis.ingest.importers.common.jsontext import JsonError
from analysis.ingest.importers.common.records import Log, LogFile, ReadOptions, RefusedError, Sample, Score
from analysis.ingest.importers.common.values import (
    hash_input,
    identifier,
    instant,
    key_value,
    look_up,
    number_or_none,
    score,
    text_or_none,
)


class EveryEvalEverImporter:
    """Reads instance-level records of every-eval-ever."""

    name = "every-eval-ever"
    title = "every-eval-ever"
    maps: ClassVar[dict[str, str]] = {
        "model": "model_id",
        "item_id": "sample_id",
        "run": "0",
        "verdict": "evaluation.is_correct",
        "score": "evaluation.score",
        "flags": "error",
        "input_tokens": "token_usage: input, cache read and cache write",
        "output_tokens": "token_usage.output_tokens",
        "latency_s": "performance.latency_ms / 1000",
        "track": "evaluation_name, where there are several",
        "metrics": "the metric of evaluation_result_id, from the aggregate file",
        "items": "declared keys of metadata",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file holds instance records."""
        return (
            bare_name(path).endswith((".jsonl", ".json"))
            and b'"model_id"' in head
            and b'"sample_id"' in head
            and (b'"interaction_type"' in head or b'"evaluation_name"' in head)
        )

    def find(self, path: Path) -> LogFile:
        """Return the records with their aggregate."""
        stem = bare_name(path).rsplit(".", 1)[0].removesuffix("_samples")
        aggregate = path.parent / f"{stem}.json"
        found = aggregate.is_file() and aggregate != path
        return LogFile(path, natural_name(path, 1), (aggregate,) if found else ())

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield one sample per record."""
        log.tool = "every_eval_ever"
        metrics = _read_aggregate(file.companions[0], log) if file.companions else {}
        for place, record in records(file.path):
            if isinstance(record, JsonError):
                log.drop(reason_of(record), place)
                continue
            sample = _sample(record, metrics, log, options, place)
            if sample is not None:
                yield sample
        if log.records == 0:
            raise RefusedError(
                "holds no records" + (f" ({'; '.join(sorted(log.broken))})" if log.broken else "")
            )


def _read_aggregate(path: Path, log: Log) -> dict[str, dict[str, Any]]:
    """Return what the aggregate says of each of its results, by result and by evaluation."""
    try:
        data = _mapping(parse_file(path))
    except RefusedError as error:
        log.note(f"its aggregate file {error}: not used")
        return {}
    log.created = instant(data.get("evaluation_timestamp")) or instant(data.get("retrieved_timestamp"))
    library = _mapping(data.get("eval_library"))
    if text_or_none(library.get("name")) not in (None, "unknown"):
        log.tool = clean_text(str(library["name"]))
        log.tool_version = text_or_none(library.get("version")) or ""
    found: dict[str, dict[str, Any]] = {}
    results = data.get("evaluation_results")
    for result in results if isinstance(results, list) else []:
        config = _mapping(_mapping(result).get("metric_config"))
        name = text_or_none(config.get("metric_id")) or text_or_none(config.get("metric_name"))
        if name is None:
            continue
        if config.get("lower_is_better") is True:
            log.lower_is_better.add(name)
        if _mapping(config.get("llm_scoring")):
            log.judges[name] = name
        entry = {"metric": name, "unknown": config.get("has_unknown_level") is True}
        if text_or_none(result.get("evaluation_result_id")):
            found[result["evaluation_result_id"]] = entry
        found.setdefault(str(result.get("evaluation_name")), entry)
    return found


def _sample(
    record: Any, metrics: Mapping[str, dict[str, Any]], log: Log, options: ReadOptions, place: str
) -> Sample | None:
    item = identifier(record.get("sample_id")) if isinstance(record, dict) else None
    if item is None:
        log.drop("record has no sample_id", place)
        return None
    log.records += 1
    task = text_or_none(record.get("evaluation_name"))
    result = text_or_none(record.get("evaluation_result_id"))
    known = metrics.get(result or "") or metrics.get(task or "") or {}
    metric = known.get("metric") or (result.rsplit("/", 1)[-1] if result and result != task else "score")
    run = text_or_none(record.get("evaluation_id"))
    if log.records == 1 and run:
        log.log_id = run
        log.created = log.created or instant(run.rsplit("/", 1)[-1])
    if not log.tool_version:
        log.tool_version = text_or_none(record.get("schema_version")) or ""
    evaluation = _mapping(record.get("evaluation"))
    value = evaluation.get("score")
    if known.get("unknown") and value == -1:
        value = None
    found = score(metric, value, log) or Score(metric)
    stated = evaluation.get("is_correct")
    correct = stated if isinstance(stated, bool) and value is not None else None
    sample = Sample(
        item=item[0],
        item_is_int=item[1],
        part=result or "",
        model=text_or_none(record.get("model_id")),
        task=task,
        scores=[found._replace(correct=correct)],
        flags=["error"] if text_or_none(record.get("error")) else [],
        input_hash=_hash(record),
        keys={
            k: v
            for k in options.keys
            if (v := key_value(look_up(record.get("metadata"), k.removeprefix("metadata.")))) is not None
        },
    )
    _take_usage(record, sample)
    return sample


def _hash(record: Mapping[str, Any]) -> int | None:
    stated = record.get("sample_hash")
    if isinstance(stated, str) and len(stated) >= 16:
        try:
            return int(stated[:16], 16) >> 1
        except ValueError:
            pass
    return hash_input(_mapping(record.get("input")).get("raw"))


def _take_usage(record: Mapping[str, Any], sample: Sample) -> None:
    usage = _mapping(record.get("token_usage"))
    read = number_or_none(usage.get("input_tokens"))
    if read is not None:
        for cached in ("input_tokens_cache_read", "input_tokens_cache_write"):
            read += number_or_none(usage.get(cached)) or 0.0
    sample.input_tokens = read
    sample.output_tokens = number_or_none(usage.get("output_tokens"))
    latency = number_or_none(_mapping(record.get("performance")).get("latency_ms"))
    sample.latency_s = latency / 1000 if latency is not None else None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
