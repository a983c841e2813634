"""The mapping file of tables: which column is what; and suggestions from the columns' names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from analysis.config import VerdictRules, parse, read_yaml
from analysis.ingest.importers.common.records import RefusedError
from analysis.strict import Strict

Target = Literal[
    "model",
    "item_id",
    "run",
    "verdict",
    "correct",
    "score",
    "labels",
    "decision",
    "flags",
    "cost_usd",
    "input_tokens",
    "output_tokens",
    "latency_s",
    "task",
    "track",
    "question_type",
    "cluster_id",
    "position",
    "component",
    "weight",
]
ITEM_TARGETS = ("track", "question_type", "cluster_id", "position", "component", "weight")
OUTCOMES = ("verdict", "correct", "score")
SUFFIX = ".mapping.yaml"

SYNONYMS: dict[str, tuple[str, ...]] = {
    "model": ("model_name", "model_id", "llm", "system", "engine", "deployment", "model_name_or_path"),
    "item_id": (
        "id",
        "question_id",
        "qid",
        "example_id",
        "sample_id",
        "instance_id",
        "problem_id",
        "doc_id",
        "prompt_id",
        "case_id",
        "task_id",
        "uid",
        "idx",
        "index",
        "item",
        "question",
    ),
    "run": ("epoch", "repeat", "repetition", "trial", "seed", "attempt", "replicate", "generation", "run_id"),
    "correct": ("is_correct", "passed", "pass", "success", "solved", "resolved", "acc", "accuracy", "hit"),
    "score": ("points", "reward", "f1", "value", "rating", "mark"),
    "verdict": ("grade", "result", "outcome", "judgement", "judgment", "status", "evaluation"),
    "labels": ("failure_label", "failure_labels", "error_type", "failure_mode", "tags"),
    "decision": ("action", "choice", "answer", "prediction", "predicted"),
    "cost_usd": ("cost", "price", "usd", "total_cost"),
    "input_tokens": ("prompt_tokens", "tokens_in", "n_input_tokens", "num_prompt_tokens"),
    "output_tokens": ("completion_tokens", "tokens_out", "generated_tokens", "n_output_tokens"),
    "latency_s": ("latency", "seconds", "time", "duration", "elapsed", "runtime"),
    "track": ("category", "subset", "domain", "subject", "benchmark", "dataset", "split"),
    "question_type": ("type", "kind", "qtype"),
    "cluster_id": ("cluster", "patient", "patient_id", "passage", "passage_id", "document_id", "group_id"),
}


class TableMapping(Strict):
    """A mapping file (YAML). Every key is optional; `item_id` and an outcome must be found."""

    columns: dict[Target, str] = Field(default_factory=dict)
    """Which column (dotted path in JSON) holds what."""
    constants: dict[Literal["model", "task", "run", "track"], str] = Field(default_factory=dict)
    """Values that hold for every row."""
    metrics: dict[str, str] = Field(default_factory=dict)
    """Further metrics: name and column. A list of columns is accepted too."""
    verdicts: VerdictRules = VerdictRules()
    """Order, success and exclusion of the verdicts, as in `benchmark.yaml`."""
    true: tuple[str, ...] = ("true", "1", "1.0", "yes", "t", "y")
    """Texts that mean true in `correct`, whatever their case."""
    false: tuple[str, ...] = ("false", "0", "0.0", "no", "f", "n")
    """Texts that mean false in `correct`, whatever their case."""
    null: tuple[str, ...] = ("",)
    """Texts that mean that a value is missing."""
    separator: str = ";"
    """What separates the entries of `labels` and `flags` within a text."""
    delimiter: str | None = None
    """What separates the columns of a CSV file (default: found from its first line)."""
    sheet: str | None = None
    """The sheet of a workbook (default: the first)."""
    records: str | None = None
    """Dotted path to the list of records within a JSON document."""
    csv_escape: Literal["none", "apostrophe"] = "none"
    """`apostrophe`: a leading apostrophe before = + - @ was put there by our export."""

    @field_validator("metrics", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return {str(name): str(name) for name in value} if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _distinct(self) -> TableMapping:
        both = sorted(set(self.columns) & set(self.constants))
        if both:
            raise ValueError(f"{both[0]!r} is both a column and a constant")
        return self


def read_mapping(path: Path) -> TableMapping:
    """Read a mapping file; errors name its keys."""
    return parse(TableMapping, read_yaml(path), file=path.name)


class NeedsMappingError(RefusedError):
    """A table's columns do not say by their names what they are.

    Parameters
    ----------
    columns : sequence of str
        The columns.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.suggestion = suggest(columns)
        shown = ", ".join(columns[:12]) + (" ..." if len(columns) > 12 else "")
        super().__init__(f"has columns whose meaning must be said: {shown}")


def native_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns that carry the names of the raw contract."""
    names = set(columns)
    known = {t: t for t in Target.__args__ if t in names}  # type: ignore[attr-defined]
    if "labels" not in known and "failure_label" in names:
        known["labels"] = "failure_label"
    return known


def suggest(columns: Sequence[str]) -> dict[str, str]:
    """Suggest a column per target, by name: exact first, then the usual synonyms.

    Examples
    --------
    >>> suggest(["Model Name", "qid", "is_correct"])
    {'model': 'Model Name', 'item_id': 'qid', 'correct': 'is_correct'}
    """
    plain = {
        re.sub(r"[^a-z0-9]+", "_", c.rsplit(".", 1)[-1].lower()).strip("_"): c for c in reversed(columns)
    }
    found: dict[str, str] = {}
    used: set[str] = set()
    for target, synonyms in SYNONYMS.items():
        for name in (target, *synonyms):
            column = plain.get(name)
            if column is not None and column not in used:
                found[target] = column
                used.add(column)
                break
    return found


def suggestion_file(columns: Sequence[str], suggestion: dict[str, str]) -> str:
    """Return a mapping file to start from, its guesses marked as such."""
    import json

    out = ["# Which column is what. Check every line: these are guesses from the names.", "columns:"]
    out += [f"  {target}: {json.dumps(column, ensure_ascii=False)}" for target, column in suggestion.items()]
    for target in ("model", "item_id"):
        if target not in suggestion:
            out.append(f"  # {target}: which column?")
    if not any(o in suggestion for o in OUTCOMES):
        out.append("  # correct (true, false), verdict (text) or score (0 to 1): which column?")
    rest = [c for c in columns if c not in suggestion.values()]
    if rest:
        out += ["# Not used so far; numeric ones can be metrics:", "# metrics:"]
        out += [f"#   - {json.dumps(c, ensure_ascii=False)}" for c in rest]
    return "\n".join(out) + "\n"
