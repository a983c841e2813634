"""The formats, by name; each module is imported when it is asked for."""

from __future__ import annotations

import importlib
from pathlib import Path

from analysis.ingest.importers.common.records import Importer

FORMATS: dict[str, tuple[str, str, str]] = {
    "inspect": ("inspect_logs", "InspectImporter", "Inspect AI: .eval archives and .json logs"),
    "lm-eval": ("lm_eval", "LmEvalImporter", "lm-evaluation-harness: samples_*.jsonl with results_*.json"),
    "helm": ("helm", "HelmImporter", "HELM run folders: per_instance_stats.json and run_spec.json"),
    "openai-evals": ("openai_evals", "OpenAiEvalsImporter", "OpenAI evals: event logs (JSON Lines)"),
    "eval-arena": ("eval_arena", "EvalArenaImporter", "eval-arena: JSON Lines with pass1, correct, count"),
    "every-eval-ever": (
        "every_eval_ever",
        "EveryEvalEverImporter",
        "every-eval-ever: instance records (*_samples.jsonl)",
    ),
    "resolved": (
        "resolved_ids",
        "ResolvedIdsImporter",
        "lists of resolved ids: SWE-bench reports, LiveCodeBench, {model: [ids]}",
    ),
    "table": ("tables", "TableImporter", "CSV, JSON Lines, XLSX or Parquet, with a mapping file"),
}
"""Name, module, class and what it reads, in the order in which `auto` tries them."""


def importer(name: str) -> Importer:
    """Return the importer of a format."""
    module, cls, _ = FORMATS[name]
    found: Importer = getattr(importlib.import_module(f"{__package__}.{module}"), cls)()
    return found


def detect(path: Path, head: bytes) -> str | None:
    """Return the format of a file, tables left aside: any CSV could be one."""
    for name in FORMATS:
        if name != "table" and importer(name).detect(path, head):
            return name
    return None
