"""The benchmark's card as an import writes it, and the meaning of the labels it uses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from analysis.config import BenchmarkCard

MEANINGS: dict[str, tuple[str, bool]] = {
    "sample_error": ("The sample ended with an error and was not scored.", True),
    "log_cancelled": ("The log was cancelled before it was complete.", True),
    "log_error": ("The log ended with an error.", True),
    "log_started": ("The log was never finished.", True),
    "invalidated": ("The sample was invalidated by those who ran it.", True),
    "not_submitted": ("Nothing was submitted for the item.", True),
    "infrastructure_failure": ("The evaluation's own infrastructure failed.", True),
    "ambiguous_failure": ("The evaluation failed; infrastructure or answer cannot be told apart.", False),
    "evaluation_error": ("The evaluation of the answer ended with an error.", False),
    "empty_patch": ("The answer was an empty patch.", False),
    "no_generation": ("No answer was generated.", False),
    "no_logs": ("The evaluation left no logs.", False),
    "install_failure": ("The installation failed.", False),
    "reset_failure": ("The repository could not be reset.", False),
    "test_error": ("The tests ended with an error.", False),
    "test_timeout": ("The tests ran out of time.", False),
    "patch_not_applied": ("The patch could not be applied.", False),
}
"""Meaning of the labels that importers give, and whether they are technical."""


def card_text(
    *,
    tools: Sequence[str],
    order: Sequence[str],
    excluded: Iterable[str],
    succeed: Sequence[str],
    metrics: Sequence[str],
    other_columns: Sequence[str],
    primary: str,
    labels: Iterable[str],
    cluster: bool,
    strata: Sequence[str],
    covariates: Sequence[str],
) -> str:
    """Return the text of `benchmark.yaml`: what the import knows, the same for the same logs."""
    verdicts: dict[str, Any] = {}
    if order:
        verdicts["order"] = list(order)
    if succeed:
        verdicts["succeed"] = list(succeed)
    verdicts["exclude"] = sorted({*excluded, "technical_failure"} - set(succeed))
    data: dict[str, Any] = {
        "description": f"Imported from logs of {', '.join(tools)}; see import.json for what was left out.",
        "verdicts": verdicts,
    }
    if metrics:
        data["metrics"] = list(metrics)
    if primary != "correct":
        data["primary_metric"] = primary
    known = {name: MEANINGS[name] for name in sorted(labels) if name in MEANINGS}
    if known:
        data["labels"] = {
            name: {"meaning": meaning, **({"technical": True} if technical else {})}
            for name, (meaning, technical) in known.items()
        }
    if cluster:
        data["cluster"] = "cluster_id"
    if strata:
        data["strata"] = list(strata)
    if covariates:
        data["covariates"] = list(covariates)
    BenchmarkCard.model_validate(data)
    head = (
        "# Written by verdict-atlas import, and written again by the next import until it is edited.\n"
        "# Every key of the card: config/benchmark.schema.json, docs/configuration.md\n"
    )
    body = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    if other_columns:
        listed = json.dumps(list(other_columns), ensure_ascii=False)
        body += f"# Further columns of verdicts.parquet, not from 0 to 1, can be metrics too: {listed}\n"
    return head + body
