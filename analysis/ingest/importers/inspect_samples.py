"""One sample of an Inspect log to our record: scores, status, usage, metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.ingest.importers.common.files import (
    clean_text,
)
from analysis.ingest.importers.common.jsonfiles import reason_of
from analysis.ingest.importers.common.jsontext import JsonError
from analysis.ingest.importers.common.records import Log, ReadOptions, Sample
from analysis.ingest.importers.common.values import (
    hash_input,
    identifier,
    key_value,
    look_up,
    number_or_none,
    scores,
    text_or_none,
)
from analysis.ingest.importers.inspect_header import mapping_of

PLACEHOLDER = "88F74D2C"
"""Name under which Inspect itself keeps the score of logs from before scorers had names."""


def samples_of(raw: Any, log: Log, options: ReadOptions) -> Iterator[Sample]:
    """Yield the sample of a record; nothing where it is none, which is counted."""
    if isinstance(raw, JsonError):
        log.drop(reason_of(raw))
        return
    item = identifier(raw.get("id")) if isinstance(raw, dict) else None
    if item is None:
        log.drop("sample has no id")
        return
    log.records += 1
    epoch = raw.get("epoch")
    sample = Sample(
        item=item[0],
        item_is_int=item[1],
        run=epoch - 1 if isinstance(epoch, int) and not isinstance(epoch, bool) and epoch > 0 else 0,
        input_hash=hash_input(raw.get("input")),
        keys={key: value for key in options.keys if (value := key_of(raw, log, key)) is not None},
    )
    for name, entry in _raw_scores(raw, log):
        value = entry.get("value") if isinstance(entry, dict) else entry
        sample.scores.extend(scores(name, value, log))
    _take_status(raw, sample, log)
    _take_usage(raw, sample, log)
    yield sample


def _raw_scores(raw: Mapping[str, Any], log: Log) -> Iterator[tuple[str, Any]]:
    found = raw.get("scores")
    if not isinstance(found, dict):
        found = {PLACEHOLDER: raw["score"]} if raw.get("score") is not None else {}
    for name, entry in found.items():
        if name == PLACEHOLDER:
            name = log.default_metric or "score"
        yield clean_text(name), entry


def _take_status(raw: Mapping[str, Any], sample: Sample, log: Log) -> None:
    limit = raw.get("limit")
    kind = text_or_none(limit) or text_or_none(mapping_of(limit).get("type"))
    if kind:
        sample.flags.append(f"limit_{kind}")
    scored = any(s.number is not None or s.text is not None for s in sample.scores)
    if raw.get("invalidation"):
        sample.status = "invalidated"
    elif log.status != "success":
        sample.status = f"log_{log.status}"
    elif raw.get("error"):
        if scored:
            sample.flags.append("scored_despite_error")
        else:
            sample.status = "sample_error"


def _take_usage(raw: Mapping[str, Any], sample: Sample, log: Log) -> None:
    seconds = number_or_none(raw.get("working_time"))
    sample.latency_s = number_or_none(raw.get("total_time")) if seconds is None else seconds
    usages = mapping_of(raw.get("model_usage"))
    usage = usages.get(log.model) if log.model else None
    if usage is None and len(usages) == 1 and (log.model is None or not log.roles):
        usage = next(iter(usages.values()))
    if not isinstance(usage, dict):
        return
    total = _tokens(usage)
    for role, spent in mapping_of(raw.get("role_usage")).items():
        if log.model and log.roles.get(role) == log.model and isinstance(spent, dict):
            total = tuple(
                a if a is None or b is None else max(a - b, 0.0)
                for a, b in zip(total, _tokens(spent), strict=True)
            )
    sample.input_tokens, sample.output_tokens, sample.cost_usd = total


def _tokens(usage: Mapping[str, Any]) -> tuple[float | None, ...]:
    """Return tokens read (cached ones included), tokens written, and the cost if it is stated.

    Some providers count reasoning within the tokens written, others beside them: they are added
    exactly where the stated total needs them.
    """
    read = number_or_none(usage.get("input_tokens"))
    written = number_or_none(usage.get("output_tokens"))
    if read is not None:
        for cached in ("input_tokens_cache_read", "input_tokens_cache_write"):
            read += number_or_none(usage.get(cached)) or 0.0
    reasoning = number_or_none(usage.get("reasoning_tokens"))
    total = number_or_none(usage.get("total_tokens"))
    if read is not None and written is not None and reasoning and total == read + written + reasoning:
        written += reasoning
    return read, written, number_or_none(usage.get("total_cost"))


def key_of(raw: Mapping[str, Any], log: Log, key: str) -> str | None:
    """Return the value of a declared key: of the sample's metadata, or of the task's arguments."""
    if key.startswith("task_arg."):
        return log.variant.get(key)
    if key == "choices":
        choices = raw.get("choices")
        return str(len(choices)) if isinstance(choices, list) and choices else None
    if key == "target":
        return key_value(raw.get("target"))
    if key == "dataset":
        return log.dataset or None
    metadata = raw.get("metadata")
    found = look_up(metadata, key.removeprefix("metadata."))
    return key_value(look_up(metadata, key) if found is None else found)
