"""Names of models, tasks and columns, as the choices have them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analysis.ingest.importers.common.records import Log
from analysis.ingest.importers.pipeline.choices import Choices

CONTRACT_COLUMNS = frozenset(
    {
        "model",
        "item_id",
        "run",
        "verdict",
        "correct",
        "score",
        "labels",
        "failure_label",
        "decision",
        "flags",
        "cost_usd",
        "input_tokens",
        "output_tokens",
        "latency_s",
        "track",
        "question_type",
        "cluster_id",
        "position",
        "component",
        "weight",
        "excluded",
        "all",
    }
)


def counted(n: int, one: str, many: str = "") -> str:
    """Return a number with its noun (and verb), in the singular or the plural.

    Examples
    --------
    >>> counted(1, "log"), counted(2000, "log"), counted(2, "item stands", "items stand")
    ('1 log', '2,000 logs', '2 items stand')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def model_of(log: Log, choices: Choices) -> str | None:
    """Return the model of a log: what it says, or the chosen role's, or the chosen name."""
    if log.model:
        return log.model
    if choices.model_role and log.roles.get(choices.model_role):
        return log.roles[choices.model_role]
    return choices.model_for(log.name)


def suffix_of(log: Log, choices: Choices) -> str:
    """Return what the chosen settings add to the model's name."""
    parts = [f"{key}={_setting(log, key)}" for key in choices.name_by if _setting(log, key)]
    return f" [{', '.join(parts)}]" if parts else ""


def _setting(log: Log, key: str) -> str:
    if key == "tool_version":
        return log.tool_version
    if key == "log":
        return log.name
    return log.variant.get(key, "")


def column_names(wanted: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a column name per metric or key: letters, digits and underscores, all distinct.

    Examples
    --------
    >>> column_names(["exact_match,strict-match", "score", "f1"])
    {'exact_match,strict-match': 'exact_match_strict_match', 'f1': 'f1', 'score': 'metric_score'}
    """
    used = {*CONTRACT_COLUMNS, *taken}
    names: dict[str, str] = {}
    for name in sorted(set(wanted)):
        column = re.sub(r"\W+", "_", name).strip("_") or "metric"
        if column in CONTRACT_COLUMNS:
            column = f"metric_{column}"
        base, number = column, 2
        while column in used:
            column, number = f"{base}_{number}", number + 1
        used.add(column)
        names[name] = column
    return names
