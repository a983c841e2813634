"""The header of an Inspect log: model, task, settings, scorers, judges."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from analysis.ingest.importers.common.files import (
    clean_text,
)
from analysis.ingest.importers.common.records import Log, RefusedError
from analysis.ingest.importers.common.values import (
    instant,
    text_or_none,
)

KNOWN_VERSION = 2


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


def read_header(header: Mapping[str, Any], log: Log) -> None:
    """Take from a log's header what holds for all its samples."""
    spec = header.get("eval")
    if not isinstance(spec, dict):
        raise RefusedError("is no Inspect log: it has no eval")
    version = header.get("version")
    if isinstance(version, int) and version > KNOWN_VERSION:
        log.note(f"log format version {version} is newer than the known {KNOWN_VERSION}")
    stats = mapping_of(header.get("stats"))
    log.tool = "inspect_ai"
    log.tool_version = text_or_none(mapping_of(spec.get("packages")).get("inspect_ai")) or ""
    log.task = text_or_none(spec.get("task"))
    log.dataset = text_or_none(mapping_of(spec.get("dataset")).get("name")) or ""
    model = text_or_none(spec.get("model"))
    log.model = None if model in (None, "none", "none/none") else model
    log.created = instant(spec.get("created"))
    log.completed = instant(stats.get("completed_at"))
    log.status = text_or_none(header.get("status")) or "success"
    identity = [spec.get("run_id"), spec.get("task_id"), spec.get("created")]
    log.log_id = text_or_none(spec.get("eval_id")) or "/".join(str(i) for i in identity if i)
    for role, config in mapping_of(spec.get("model_roles")).items():
        configs = config if isinstance(config, list) else [config]
        names = [c if isinstance(c, str) else text_or_none(mapping_of(c).get("model")) for c in configs]
        log.roles[clean_text(str(role))] = ", ".join(n for n in names if n)
    log.variant = _variant(spec, mapping_of(header.get("plan")))
    _read_scorers(spec, mapping_of(header.get("results")), log)


def _variant(spec: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, str]:
    """Return what distinguishes two evaluations of one model on one task."""
    found: dict[str, Any] = {"solver": spec.get("solver"), "task_version": spec.get("task_version")}
    if found["solver"] is None:
        steps = plan.get("steps")
        found["solver"] = [mapping_of(s).get("solver") for s in steps] if isinstance(steps, list) else None
    for name, values in (
        ("task_arg", spec.get("task_args_passed") or spec.get("task_args")),
        ("solver_arg", spec.get("solver_args_passed") or spec.get("solver_args")),
        ("model_arg", spec.get("model_args")),
        ("config", {**mapping_of(plan.get("config")), **mapping_of(spec.get("model_generate_config"))}),
    ):
        for key, value in mapping_of(values).items():
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
    for entry in [*(list_of(results.get("scores"))), *list_of(declared)]:
        entry = mapping_of(entry)
        name = text_or_none(entry.get("name"))
        if name is None:
            continue
        log.default_metric = log.default_metric or name
        scorer = str(entry.get("scorer") or name).rsplit("/", 1)[-1]
        options = {**mapping_of(entry.get("params")), **mapping_of(entry.get("options"))}
        if scorer.startswith("model_graded") or any(options.get(o) for o in _JUDGE_OPTIONS):
            log.judges[name] = name


def mapping_of(value: Any) -> dict[str, Any]:
    """Return a mapping, empty where the value is none."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list, empty where the value is none."""
    return value if isinstance(value, list) else []
