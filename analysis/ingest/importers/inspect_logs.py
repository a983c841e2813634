"""Inspect AI: `.eval` archives (deflate and zstd members) and `.json` logs.

The light reader takes the samples' summaries where they say everything (scores, usage, errors,
limits), and the samples themselves where they do not. What Inspect calls an epoch is a run, from 0.
Format: https://inspect.aisi.org.uk/eval-logs.html (read at inspect_ai 0.3.2xx).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.archive import Archive, MemberError
from analysis.ingest.importers.common.files import (
    bare_name,
    natural_name,
    open_binary,
)
from analysis.ingest.importers.common.jsonfiles import SMALL, parse_file
from analysis.ingest.importers.common.jsonscanner import document
from analysis.ingest.importers.common.records import Log, LogFile, ReadOptions, RefusedError, Sample
from analysis.ingest.importers.inspect_header import read_header
from analysis.ingest.importers.inspect_samples import key_of, samples_of

_MONOLITH = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
_SHELL = re.compile(r"samples/.+_epoch_\d+/sample\.json", re.DOTALL)


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
                yield from samples_of(_with_keys(raw, archive, log, options), log, options)
            return
        if not names and summaries:
            names, found = [], iter(summaries)
        else:
            found = _whole_samples(archive, names, log)
        for raw in found:
            yield from samples_of(raw, log, options)


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
    if all(_is_whole(key_of(raw, log, key)) for key in options.keys):
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
            yield from samples_of(raw, log, options)
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
            yield from samples_of(value, log, options)
    if not known:
        read_header(header, log)


def _json_header(path: Path) -> dict[str, Any]:
    with open_binary(path) as stream:
        return dict(document(stream, frozenset(), frozenset({"samples"})))
