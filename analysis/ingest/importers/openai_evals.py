"""OpenAI evals: event logs, one JSON event a line.

A sample's verdict stands in its `match` and `metrics` events; the model's name, and everything else
that holds for the run, in the first line. Samples that were asked and never judged are unscored.
Format: evals/record.py of openai/evals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.files import clean_text, natural_name
from analysis.ingest.importers.common.jsonfiles import reason_of, records
from analysis.ingest.importers.common.jsontext import JsonError
from analysis.ingest.importers.common.records import Log, LogFile, ReadOptions, RefusedError, Sample, Score
from analysis.ingest.importers.common.values import (
    instant,
    key_value,
    look_up,
    number_or_none,
    score,
    text_or_none,
)

EVENT_TYPES = frozenset(
    {
        "sampling",
        "match",
        "metrics",
        "error",
        "embedding",
        "function_call",
        "cond_logp",
        "pick_option",
        "raw_sample",
        "extra",
    }
)


@dataclass
class _Answer:
    """What the events of one sample say, per repetition."""

    runs: list[dict[str, Score]] = field(default_factory=lambda: [{}])
    failed: bool = False
    read: float | None = None
    written: float | None = None
    keys: dict[str, str] = field(default_factory=dict)


class OpenAiEvalsImporter:
    """Reads the event logs of OpenAI evals."""

    name = "openai-evals"
    title = "OpenAI evals"
    maps: ClassVar[dict[str, str]] = {
        "model": "spec.completion_fns, the first",
        "item_id": "sample_id",
        "run": "repetition of an event for one sample",
        "verdict": "match.correct; metrics.choice with its score; other numbers of metrics",
        "technical_failure": "error event without a score",
        "input_tokens": "sampling.usage.prompt_tokens, where no grader takes part",
        "output_tokens": "sampling.usage.completion_tokens, where no grader takes part",
        "ratings": "choices of graders, where there are several",
        "items": "declared fields of the events' data",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file is an event log."""
        line = head.lstrip()[:4096]
        return (line.startswith(b'{"spec"') and (b'"eval_name"' in line or b'"run_id"' in line)) or (
            b'"event_id"' in line and b'"sample_id"' in line and b'"run_id"' in line
        )

    def find(self, path: Path) -> LogFile:
        """Return the log; it stands in one file."""
        return LogFile(path, natural_name(path, 1))

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield one sample per sample of the run and repetition."""
        log.tool = "openai/evals"
        answers: dict[str, _Answer] = {}
        finished = False
        for place, record in records(file.path):
            if isinstance(record, JsonError):
                log.drop(reason_of(record), place)
            elif not isinstance(record, dict):
                log.drop("record is no event", place)
            elif isinstance(record.get("spec"), dict):
                _take_spec(record["spec"], log)
            elif "final_report" in record:
                finished = True
            else:
                _take_event(record, answers, log, options, place)
        if not answers:
            raise RefusedError(
                "holds no samples" + (f" ({'; '.join(sorted(log.broken))})" if log.broken else "")
            )
        if not finished:
            log.note("no final report: the run may not have finished")
        log.records = len(answers)
        for item, answer in answers.items():
            yield from _samples(item, answer, log)


def _take_spec(spec: Mapping[str, Any], log: Log) -> None:
    config = _mapping(spec.get("run_config"))
    names = _mapping(spec.get("model_names")).get("completions")
    names = spec.get("completion_fns") or config.get("completion_fns") or names or [spec.get("model_name")]
    models = [text_or_none(n) for n in names] if isinstance(names, list) else [text_or_none(names)]
    log.model = models[0] if models else None
    if len(models) > 1 and models[-1]:
        log.roles["grader"] = models[-1]
    log.task = text_or_none(spec.get("eval_name")) or text_or_none(spec.get("base_eval"))
    log.log_id = text_or_none(spec.get("run_id")) or ""
    log.created = instant(spec.get("created_at"))
    evaluation = _mapping(config.get("eval_spec"))
    log.variant = {
        "class": clean_text(str(evaluation.get("cls", ""))),
        **{
            f"arg.{clean_text(k)}": text
            for k, v in _mapping(evaluation.get("args")).items()
            if (text := key_value(v)) is not None
        },
    }


def _take_event(
    event: Mapping[str, Any], answers: dict[str, _Answer], log: Log, options: ReadOptions, place: str
) -> None:
    item = event.get("sample_id")
    item = str(item) if isinstance(item, int) and not isinstance(item, bool) else text_or_none(item)
    kind = event.get("type")
    if item is None or not isinstance(kind, str):
        log.drop("event has no sample_id or no type", place)
        return
    answer = answers.setdefault(item, _Answer())
    data = _mapping(event.get("data"))
    if kind == "match":
        _judge(answer, _match_scores(data, log), log)
    elif kind == "metrics":
        _judge(answer, _metric_scores(data, log), log)
    elif kind == "error":
        answer.failed = True
    elif kind == "sampling":
        _take_usage(answer, data, log)
    elif kind not in EVENT_TYPES:
        log.note(f"events of type {clean_text(kind)[:40]}, not used")
    if kind in ("match", "metrics", "raw_sample", "extra"):
        for key in options.keys:
            if (value := key_value(look_up(data, key.removeprefix("data.")))) is not None:
                answer.keys.setdefault(key, value)


def _match_scores(data: Mapping[str, Any], log: Log) -> list[Score]:
    found = score("match", data.get("correct"), log)
    return [found] if found is not None else []


def _metric_scores(data: Mapping[str, Any], log: Log) -> list[Score]:
    """Return the metrics of an event; a grader's choice and its score are one metric."""
    found: list[Score] = []
    choice = data.get("choice")
    if isinstance(choice, str):
        label = clean_text(choice.strip())[:200] or None
        value = score("choice", data.get("score"), log) or Score("choice")
        if "score" in data and value.number is None:
            log.note("choices to which the run gives no score, taken as unscored", label)
            label = None
        found.append(Score("choice", value.number, label))
        log.judges["choice"] = log.roles.get("grader", "grader")
    for name, value in data.items():
        if name == "choice" or (name == "score" and isinstance(choice, str)):
            continue
        if isinstance(value, str):
            log.note(f"metric {clean_text(name)}: text beside the metrics, left out")
            continue
        one = score(clean_text(name), value, log)
        if one is not None:
            found.append(one)
    return found


def _judge(answer: _Answer, found: list[Score], log: Log) -> None:
    """Add scores to the sample's last repetition, or to a new one where they stand there already."""
    if any(s.metric in answer.runs[-1] for s in found):
        answer.runs.append({})
        log.note("samples judged again, kept as further runs")
    answer.runs[-1].update({s.metric: s for s in found})


def _take_usage(answer: _Answer, data: Mapping[str, Any], log: Log) -> None:
    usage = _mapping(data.get("usage"))
    model = data.get("model")
    if not usage or (isinstance(model, str) and log.model and model != log.model):
        return
    if log.roles or "modelgraded" in log.variant.get("class", ""):
        log.note("token counts left out: the grader's calls cannot be told from the model's")
        return
    read, written = number_or_none(usage.get("prompt_tokens")), number_or_none(usage.get("completion_tokens"))
    answer.read = (answer.read or 0.0) + read if read is not None else answer.read
    answer.written = (answer.written or 0.0) + written if written is not None else answer.written


def _samples(item: str, answer: _Answer, log: Log) -> Iterator[Sample]:
    if len(answer.runs) > 1 and (answer.read is not None or answer.written is not None):
        log.note("token counts of repeated samples left out: they cannot be told apart")
        answer.read = answer.written = None
    if not any(answer.runs) and not answer.failed:
        log.note("samples asked and never judged, kept unscored")
    for run, found in enumerate(answer.runs):
        scored = any(s.number is not None or s.text is not None for s in found.values())
        yield Sample(
            item=clean_text(item),
            run=run,
            status="sample_error" if answer.failed and not scored else "",
            scores=list(found.values()),
            keys=answer.keys,
            input_tokens=answer.read,
            output_tokens=answer.written,
        )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
