"""HELM run folders: `per_instance_stats.json` with `run_spec.json` and `scenario_state.json`.

The file holds each instance and trial once per metric group; these are put together. Statistics
that count tokens, time or requests are not metrics: tokens and time go to costs, the others are
left out. Perturbed instances are items of their own, flagged ``perturbed``.
Format: src/helm/benchmark/runner.py of stanford-crfm/helm (read in June 2026).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from analysis.ingest.importers.common.files import bare_name, clean_text, natural_name, open_binary
from analysis.ingest.importers.common.jsonfiles import parse_file, reason_of
from analysis.ingest.importers.common.jsonscanner import document
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

MAIN = "per_instance_stats.json"
BOOKKEEPING = frozenset(
    {
        "batch_size",
        "inference_denoised_runtime",
        "inference_idealized_runtime",
        "inference_runtime",
        "logprob",
        "max_num_completion_tokens",
        "max_prob",
        "num_bytes",
        "num_completion_tokens",
        "num_completions",
        "num_instances",
        "num_output_tokens",
        "num_perplexity_tokens",
        "num_prompt_characters",
        "num_prompt_tokens",
        "num_references",
        "num_train_instances",
        "num_train_trials",
        "predicted_index",
        "prompt_truncated",
        "training_co2_cost",
        "training_energy_cost",
    }
)
_JUDGE = re.compile(
    r"(^|_)(gpt|llama|claude|gemini|judge|annotator)\w*_score$|_score_(gpt|llama|claude|gemini)"
)
_MODEL_KEYS = ("model", "model_deployment")
_PLAIN = frozenset({"name", "robustness", "fairness", "computed_on"})


class HelmImporter:
    """Reads HELM run folders."""

    name = "helm"
    title = "HELM"
    maps: ClassVar[dict[str, str]] = {
        "model": "run_spec.adapter_spec.model",
        "item_id": "instance_id, with the perturbation's name",
        "run": "train_trial_index",
        "verdict": "stats.<metric>.mean",
        "flags": "perturbed, request_failed",
        "input_tokens": "num_prompt_tokens",
        "output_tokens": "num_output_tokens, else num_completion_tokens",
        "latency_s": "inference_runtime",
        "metrics": "further statistics that are metrics",
        "ratings": "statistics of annotators, where there are several",
        "items": "declared keys: split, sub_split, perturbation, instance, group, arg.*, extra_data.*",
    }

    def detect(self, path: Path, head: bytes) -> bool:
        """Say whether the file holds a run's statistics per instance."""
        return bare_name(path).endswith(MAIN)

    def find(self, path: Path) -> LogFile:
        """Return the run with its specification and its state."""
        prefix = bare_name(path).removesuffix(MAIN)
        companions = []
        for stem in ("run_spec.json", "scenario_state.json"):
            for suffix in ("", ".gz", ".zst"):
                companion = path.parent / f"{prefix}{stem}{suffix}"
                if companion.is_file():
                    companions.append(companion)
                    break
        return LogFile(path, natural_name(path, 2), tuple(companions))

    def read(self, file: LogFile, log: Log, options: ReadOptions) -> Iterator[Sample]:
        """Yield one sample per instance, perturbation and trial."""
        log.tool = "helm"
        found = {bare_name(c).rsplit("__", 1)[-1]: c for c in file.companions}
        spec: dict[str, Any] = {}
        for name, path in found.items():
            if name.endswith("run_spec.json"):
                spec = _companion(path, log)
        _take_spec(spec, file.path, log)
        samples: dict[tuple[str, str, int], Sample] = {}
        for element in _elements(file.path):
            _merge(element, samples, log, options, spec)
        for name, path in found.items():
            if name.endswith("scenario_state.json"):
                _take_state(path, samples, log, options)
        log.records = len(samples)
        if not samples:
            raise RefusedError(
                "holds no instances" + (f" ({'; '.join(sorted(log.broken))})" if log.broken else "")
            )
        yield from samples.values()


def _elements(path: Path) -> Iterator[Any]:
    with open_binary(path) as stream:
        for number, (key, value) in enumerate(document(stream, frozenset({""})), 1):
            if key:
                raise RefusedError("is no list of statistics per instance")
            yield number, value


def _companion(path: Path, log: Log) -> dict[str, Any]:
    try:
        data = parse_file(path)
    except RefusedError as error:
        log.note(f"its {bare_name(path)} {error}: not used")
        return {}
    return data if isinstance(data, dict) else {}


def _take_spec(spec: Mapping[str, Any], path: Path, log: Log) -> None:
    """Take model, task and variant from the run's specification, else the task from the folder's name."""
    adapter = _mapping(spec.get("adapter_spec"))
    log.model = text_or_none(adapter.get("model")) or text_or_none(adapter.get("model_deployment"))
    name = text_or_none(spec.get("name"))
    if name is None:
        log.note("no run_spec.json stands beside it")
        name = clean_text(path.resolve().parent.name.replace("-", ":", 1))
    scenario, _, arguments = name.partition(":")
    kept = [a for a in arguments.split(",") if a and a.split("=", 1)[0] not in _MODEL_KEYS]
    log.task = f"{scenario}:{','.join(kept)}" if kept else scenario
    log.groups = [clean_text(g) for g in spec.get("groups") or [] if isinstance(g, str)]
    log.log_id = name if log.model else ""
    skipped = {"model", "model_deployment", "max_eval_instances"}
    log.variant = {
        clean_text(k): clean_text(v if isinstance(v, str) else json.dumps(v, sort_keys=True))
        for k, v in adapter.items()
        if k not in skipped and v not in (None, "", [])
    }


def _perturbation(description: Any) -> str:
    """Return a name for a perturbation, distinct for distinct descriptions; empty for none."""
    if not isinstance(description, dict):
        return ""
    name = clean_text(str(description.get("name", "perturbed")))
    others = [f"{k}={v}" for k, v in sorted(description.items()) if k not in _PLAIN and v is not None]
    return clean_text(f"{name}({','.join(others)})") if others else name


def _merge(
    numbered: tuple[int, Any],
    samples: dict[tuple[str, str, int], Sample],
    log: Log,
    options: ReadOptions,
    spec: Mapping[str, Any],
) -> None:
    number, element = numbered
    place = f"element {number}"
    if isinstance(element, JsonError):
        log.drop(reason_of(element), place)
        return
    item = identifier(element.get("instance_id")) if isinstance(element, dict) else None
    stats = element.get("stats") if isinstance(element, dict) else None
    if item is None or not isinstance(stats, list):
        log.drop("record has no instance_id or no stats", place)
        return
    trial = element.get("train_trial_index")
    trial = trial if isinstance(trial, int) and trial >= 0 else 0
    perturbation = _perturbation(element.get("perturbation"))
    key = (item[0], perturbation, trial)
    sample = samples.get(key)
    if sample is None:
        sample = samples[key] = Sample(
            item=f"{item[0]}~{perturbation}" if perturbation else item[0],
            item_is_int=item[1] and not perturbation,
            run=trial,
            flags=["perturbed"] if perturbation else [],
        )
        _take_keys(sample, options, {"instance": item[0], "perturbation": perturbation or None}, spec, log)
    present = {s.metric: s for s in sample.scores}
    for stat in stats:
        _take_stat(stat, sample, present, log, options)


def _take_stat(stat: Any, sample: Sample, present: dict[str, Score], log: Log, options: ReadOptions) -> None:
    named = _mapping(stat).get("name")
    named = {"name": named} if isinstance(named, str) else _mapping(named)
    metric = text_or_none(named.get("name"))
    if metric is None:
        log.note("statistics without a name")
        return
    for key in ("split", "sub_split"):
        if key in options.keys and named.get(key):
            sample.keys.setdefault(key, clean_text(str(named[key])))
    count = number_or_none(stat.get("count"))
    total = stat.get("sum")
    if metric in ("num_prompt_tokens", "num_output_tokens", "num_completion_tokens", "inference_runtime"):
        _take_usage(metric, number_or_none(total), sample)
    if metric in BOOKKEEPING or metric.startswith("finish_reason_"):
        log.note("statistics that count tokens, time or requests, left out as metrics")
        return
    value = stat.get("mean")
    if value is None and isinstance(total, int | float) and count:
        value = total / count
    found = score(metric, value if count != 0 else None, log)
    if found is None:
        return
    if metric in present:
        if present[metric] != found:
            log.note(f"metric {metric}: two values for one instance and trial, the first kept", sample.item)
        return
    present[metric] = found
    sample.scores.append(found)
    if _JUDGE.search(metric):
        log.judges[metric] = metric


def _take_usage(metric: str, value: float | None, sample: Sample) -> None:
    if metric == "num_prompt_tokens":
        sample.input_tokens = value
    elif metric == "inference_runtime":
        sample.latency_s = value
    elif metric == "num_output_tokens" or sample.output_tokens is None:
        sample.output_tokens = value


def _take_keys(
    sample: Sample, options: ReadOptions, own: Mapping[str, str | None], spec: Mapping[str, Any], log: Log
) -> None:
    arguments = _mapping(_mapping(spec.get("scenario_spec")).get("args"))
    for key in options.keys:
        if key in own:
            value = own[key]
        elif key == "group":
            value = log.groups[0] if log.groups else None
        else:
            value = key_value(look_up(arguments, key.removeprefix("arg.")))
        if value is not None:
            sample.keys[key] = value


def _take_state(
    path: Path, samples: dict[tuple[str, str, int], Sample], log: Log, options: ReadOptions
) -> None:
    """Take from the run's state what the statistics lack: the questions, failed requests, the time."""
    last = 0.0
    try:
        with open_binary(path) as stream:
            for key, state in document(stream, frozenset({"request_states"})):
                if key == "adapter_spec" and log.model is None:
                    log.model = text_or_none(_mapping(state).get("model"))
                if key == "request_states" and isinstance(state, dict):
                    last = max(last, _take_request(state, samples, options))
    except RefusedError as error:
        log.note(f"its scenario_state.json {error}: used as far as it goes")
    if last:
        log.created = instant(last)


def _take_request(
    state: Mapping[str, Any], samples: dict[tuple[str, str, int], Sample], options: ReadOptions
) -> float:
    instance = _mapping(state.get("instance"))
    result = _mapping(state.get("result"))
    trial = state.get("train_trial_index")
    key = (
        str(instance.get("id")),
        _perturbation(instance.get("perturbation")),
        trial if isinstance(trial, int) else 0,
    )
    sample = samples.get(key)
    if sample is not None:
        source = _mapping(instance.get("input"))
        sample.input_hash = hash_input(source.get("messages") or source.get("text"))
        if result.get("success") is False and "request_failed" not in sample.flags:
            sample.flags.append("request_failed")
        for wanted in options.keys:
            value = key_value(look_up(instance.get("extra_data"), wanted.removeprefix("extra_data.")))
            if value is not None:
                sample.keys.setdefault(wanted, value)
    return number_or_none(result.get("request_datetime")) or 0.0


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
