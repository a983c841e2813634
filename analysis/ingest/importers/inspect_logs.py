"""Inspect AI: `.eval` archives (deflate and zstd members) and `.json` logs.

The light reader takes the samples' summaries where they say everything (scores, usage, errors,
limits), and the samples themselves where they do not. What Inspect calls an epoch is a run, from 0.
Format: https://inspect.aisi.org.uk/eval-logs.html (read at inspect_ai 0.3.2xx).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.archive import Archive, MemberError
from analysis.ingest.importers.common.files import (
    bare_name,
    clean_text,
    natural_name,
    open_binary,
)
from analysis.ingest.importers.common.jsontext import SMALL, JsonError, document, parse_file, reason_of
from analysis.ingest.importers.common.records import Log, LogFile, ReadOptions, RefusedError, Sample
from analysis.ingest.importers.common.values import (
    hash_input,
    identifier,
    instant,
    key_value,
    look_up,
    number_or_none,
    scores,
    text_or_none,
)

KNOWN_VERSION = 2
PLACEHOLDER = "88F74D2C"
"""Name under which Inspect itself keeps the score of logs from before scorers had names."""
_MONOLITH = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
_SHELL = re.compile(r"samples/.+_epoch_\d+/sample\.json", re.DOTALL)
_JUDGE_OPTIONS = frozenset(
    {"model", "models", "model_role", "grader", "grader_model", "judge", "judge_model"}
)
_NO_VARIANT = frozenset(
    {
        "adaptive_connections",
        "attempt_timeout",
        "batch",
        "cache",
        "cache_prompt",
        "max_connections",
        "max_retries",
        "timeout",
    }
)


class InspectImporter:
    """Reads Inspect AI logs without Inspect."""

    name = "inspect"
    title = "Inspect AI"
    maps: ClassVar[dict[str, str]] = {
        "model": "eval.model, or the model of a role",
        "item_id": "sample.id",
        "run": "sample.epoch - 1",
        "verdict": "scores.<scorer>.value: C correct, P partial, I incorrect, N no_answer, or a number",
        "technical_failure": "sample.error without a score, sample.invalidation, log status not success",
        "labels": "why: sample_error, invalidated, log_cancelled, log_error, log_started",
        "flags": "sample.limit (limit_<type>), scored_despite_error",
        "input_tokens": "model_usage of the evaluated model: input, cache read and cache write",
        "output_tokens": "model_usage of the evaluated model: output (with reasoning where it is apart)",
        "cost_usd": "model_usage.total_cost",
        "latency_s": "working_time, else total_time",
        "metrics": "further scorers; a dictionary score is one metric per key",
        "ratings": "scorers that are judges, where there are several",
        "items": "declared keys of sample.metadata, task_arg.<name>",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file is an Inspect log."""
        name = bare_name(path)
        if name.endswith(".eval"):
            return True
        start = head.lstrip()
        return (
            name.endswith(".json")
            and start[:1] == b"{"
            and re.search(rb'"version"\s*:\s*\d+\s*,\s*"status"', start[:2000]) is not None
        ) or (b'"eval"' in start and b'"plan"' in start and b'"task_id"' in start and start[:1] == b"{")

    def find(self, path: Path) -> LogFile:
        """Return the log; it stands in one file."""
        return LogFile(path, natural_name(path, 1))

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield the log's samples."""
        with file.path.open("rb") as stream:
            zipped = stream.read(2) == b"PK"
        if zipped or bare_name(file.path).endswith(".eval"):
            yield from _read_archive(file.path, log, options)
        else:
            yield from _read_json(file.path, log, options)
        if log.records == 0:
            raise RefusedError(_no_samples(log))


def _no_samples(log: Log) -> str:
    if log.broken:
        return f"holds no sample that can be read ({'; '.join(sorted(log.broken))})"
    return (
        f"holds no samples (status {log.status}); a log with aggregated results only gives no verdicts, "
        "so log the samples too"
    )


def _read_archive(path: Path, log: Log, options: ReadOptions) -> Iterator[Sample]:
    with Archive(path) as archive:
        if archive.unsafe:
            log.note("archive members with an unsafe name, never read", n=archive.unsafe)
        header = _archive_header(archive)
        read_header(header, log)
        names = [n for n in archive.members if _MONOLITH.fullmatch(n) or _SHELL.fullmatch(n)]
        summaries = None if options.full or header.get("invalidated") else _summaries(archive, log)
        if summaries is not None and len(summaries) >= len(names) and all(map(_suffices, summaries)):
            log.note("samples read from their summaries", n=len(summaries))
            for raw in summaries:
                yield from _samples(_with_keys(raw, archive, log, options), log, options)
            return
        if not names and summaries:
            names, found = [], iter(summaries)
        else:
            found = _whole_samples(archive, names, log)
        for raw in found:
            yield from _samples(raw, log, options)


def _archive_header(archive: Archive) -> dict[str, Any]:
    for name, unfinished in (("header.json", False), ("_journal/start.json", True)):
        if name in archive:
            try:
                header = archive.json(name)
            except MemberError as error:
                raise RefusedError(f"{name}: {error}") from None
            if isinstance(header, dict) and isinstance(header.get("eval"), dict):
                return {**header, "status": "started"} if unfinished else header
            raise RefusedError(f"{name} is no header of an Inspect log")
    raise RefusedError(
        "is a zip archive, but no Inspect log: it has neither header.json nor _journal/start.json"
    )


def _summaries(archive: Archive, log: Log) -> list[dict[str, Any]] | None:
    """Return the samples' summaries, the last of each sample; None where one cannot be read."""
    if "summaries.json" in archive:
        names = ["summaries.json"]
    else:
        numbered = {
            int(m[1]): n
            for n in archive.members
            if (m := re.fullmatch(r"_journal/summaries/(\d{1,9})\.json", n))
        }
        names = [numbered[number] for number in sorted(numbered)]
    last: dict[tuple[str, Any, Any], dict[str, Any]] = {}
    for name in names:
        try:
            for raw in archive.json(name):
                last[(type(raw["id"]).__name__, raw["id"], raw.get("epoch"))] = raw
        except (MemberError, TypeError, KeyError):
            log.note(f"summaries cannot be read, samples read instead: {name}")
            return None
    return list(last.values())


def _suffices(summary: Mapping[str, Any]) -> bool:
    """Say whether a summary holds all that is imported; those of early versions do not."""
    return "model_usage" in summary and ("scores" in summary or bool(summary.get("error")))


def _with_keys(raw: dict[str, Any], archive: Archive, log: Log, options: ReadOptions) -> dict[str, Any]:
    """Take what declared keys need from the sample itself, where its summary may have shortened it."""
    if all(_is_whole(_key(raw, log, key)) for key in options.keys):
        return raw
    name = f"samples/{raw['id']}_epoch_{raw.get('epoch', 1)}"
    whole = f"{name}.json" if f"{name}.json" in archive else f"{name}/sample.json"
    if whole not in archive:
        return raw
    found = next(_whole_samples(archive, [whole], log), raw)
    return {**raw, **{key: found.get(key) for key in ("metadata", "choices", "target")}}


def _is_whole(value: str | None) -> bool:
    return value is not None and not (len(value) > 1000 and value.endswith("..."))


def _whole_samples(archive: Archive, names: Iterable[str], log: Log) -> Iterator[dict[str, Any]]:
    for name in names:
        try:
            raw = archive.json(name)
            metadata = name.removesuffix("sample.json") + "metadata.json"
            if name.endswith("/sample.json") and metadata in archive:
                raw = {**raw, "metadata": archive.json(metadata)}
        except MemberError as error:
            log.drop(f"sample: {error}", name)
            continue
        yield raw


def _read_json(path: Path, log: Log, options: ReadOptions) -> Iterator[Sample]:
    if path.stat().st_size <= SMALL:
        data = parse_file(path)
        if not isinstance(data, dict) or not isinstance(data.get("eval"), dict):
            raise RefusedError("is JSON, but no Inspect log: it has no eval")
        read_header(data, log)
        for raw in data.get("samples") or []:
            yield from _samples(raw, log, options)
        return
    header: dict[str, Any] = {}
    known = False
    with open_binary(path) as stream:
        for key, value in document(stream, frozenset({"samples"})):
            if key != "samples":
                header[key] = value
                continue
            if not known:
                known = True
                read_header(header if {"eval", "status"} <= set(header) else _json_header(path), log)
            yield from _samples(value, log, options)
    if not known:
        read_header(header, log)


def _json_header(path: Path) -> dict[str, Any]:
    with open_binary(path) as stream:
        return dict(document(stream, frozenset(), frozenset({"samples"})))


def read_header(header: Mapping[str, Any], log: Log) -> None:
    """Take from a log's header what holds for all its samples."""
    spec = header.get("eval")
    if not isinstance(spec, dict):
        raise RefusedError("is no Inspect log: it has no eval")
    version = header.get("version")
    if isinstance(version, int) and version > KNOWN_VERSION:
        log.note(f"log format version {version} is newer than the known {KNOWN_VERSION}")
    stats = _mapping(header.get("stats"))
    log.tool = "inspect_ai"
    log.tool_version = text_or_none(_mapping(spec.get("packages")).get("inspect_ai")) or ""
    log.task = text_or_none(spec.get("task"))
    log.dataset = text_or_none(_mapping(spec.get("dataset")).get("name")) or ""
    model = text_or_none(spec.get("model"))
    log.model = None if model in (None, "none", "none/none") else model
    log.created = instant(spec.get("created"))
    log.completed = instant(stats.get("completed_at"))
    log.status = text_or_none(header.get("status")) or "success"
    identity = [spec.get("run_id"), spec.get("task_id"), spec.get("created")]
    log.log_id = text_or_none(spec.get("eval_id")) or "/".join(str(i) for i in identity if i)
    for role, config in _mapping(spec.get("model_roles")).items():
        configs = config if isinstance(config, list) else [config]
        names = [c if isinstance(c, str) else text_or_none(_mapping(c).get("model")) for c in configs]
        log.roles[clean_text(str(role))] = ", ".join(n for n in names if n)
    log.variant = _variant(spec, _mapping(header.get("plan")))
    _read_scorers(spec, _mapping(header.get("results")), log)


def _variant(spec: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, str]:
    """Return what distinguishes two evaluations of one model on one task."""
    found: dict[str, Any] = {"solver": spec.get("solver"), "task_version": spec.get("task_version")}
    if found["solver"] is None:
        steps = plan.get("steps")
        found["solver"] = [_mapping(s).get("solver") for s in steps] if isinstance(steps, list) else None
    for name, values in (
        ("task_arg", spec.get("task_args_passed") or spec.get("task_args")),
        ("solver_arg", spec.get("solver_args_passed") or spec.get("solver_args")),
        ("model_arg", spec.get("model_args")),
        ("config", {**_mapping(plan.get("config")), **_mapping(spec.get("model_generate_config"))}),
    ):
        for key, value in _mapping(values).items():
            if key not in _NO_VARIANT:
                found[f"{name}.{key}"] = value
    return {
        clean_text(k): clean_text(v if isinstance(v, str) else json.dumps(v, sort_keys=True, default=str))
        for k, v in found.items()
        if v is not None
    }


def _read_scorers(spec: Mapping[str, Any], results: Mapping[str, Any], log: Log) -> None:
    """Note the name of the only scorer of early logs, and which scorers are judges."""
    if isinstance(results.get("scorer"), dict):
        results = {"scores": [results["scorer"]]}
    declared = spec.get("scorers")
    for entry in [*(_list(results.get("scores"))), *_list(declared)]:
        entry = _mapping(entry)
        name = text_or_none(entry.get("name"))
        if name is None:
            continue
        log.default_metric = log.default_metric or name
        scorer = str(entry.get("scorer") or name).rsplit("/", 1)[-1]
        options = {**_mapping(entry.get("params")), **_mapping(entry.get("options"))}
        if scorer.startswith("model_graded") or any(options.get(o) for o in _JUDGE_OPTIONS):
            log.judges[name] = name


def _samples(raw: Any, log: Log, options: ReadOptions) -> Iterator[Sample]:
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
        keys={key: value for key in options.keys if (value := _key(raw, log, key)) is not None},
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
    kind = text_or_none(limit) or text_or_none(_mapping(limit).get("type"))
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
    usages = _mapping(raw.get("model_usage"))
    usage = usages.get(log.model) if log.model else None
    if usage is None and len(usages) == 1 and (log.model is None or not log.roles):
        usage = next(iter(usages.values()))
    if not isinstance(usage, dict):
        return
    total = _tokens(usage)
    for role, spent in _mapping(raw.get("role_usage")).items():
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


def _key(raw: Mapping[str, Any], log: Log, key: str) -> str | None:
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


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
