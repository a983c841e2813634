"""Items and answers of one part of the reconstruction, gathered row by row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import polars as pl

CORRECT, INCORRECT, NOT_SCORED = "correct", "incorrect", "not_scored"

ITEM_TYPES: dict[str, Any] = {
    "item_id": pl.String,
    "track": pl.String,
    "cluster_id": pl.String,
    "component": pl.String,
    "position": pl.Int64,
    "question": pl.String,
    "class": pl.String,
    "card": pl.String,
    "structure": pl.String,
    "invasion_label": pl.String,
    "pathology_source": pl.String,
    "bal60": pl.String,
    "tags": pl.List(pl.String),
}
"""Columns of `items.parquet`; null where they do not concern an item."""

ANSWER_TYPES: dict[str, Any] = {
    "model": pl.String,
    "item_id": pl.String,
    "verdict": pl.String,
    "decision": pl.String,
}
"""Columns of `verdicts.parquet`."""


@dataclass
class Part:
    """Items and answers of some tracks."""

    items: list[dict[str, Any]] = field(default_factory=list)
    answers: list[tuple[str, str, str | None, str | None]] = field(default_factory=list)

    def add_item(self, item_id: str, track: str, cluster_id: str, component: str, **columns: Any) -> str:
        """Add an item; return its identifier."""
        named = {"item_id": item_id, "track": track, "cluster_id": cluster_id, "component": component}
        self.items.append({**named, **columns})
        return item_id

    def answer(self, model: str, item_id: str, right: bool, decision: str | None = None) -> None:
        """Add a scored answer."""
        self.answers.append((model, item_id, CORRECT if right else INCORRECT, decision))

    def leave_unscored(self, model: str, item_id: str, verdict: str | None = None) -> None:
        """Add a response without a score."""
        self.answers.append((model, item_id, verdict, None))


def item_frame(parts: Iterable[Part]) -> pl.DataFrame:
    """Return `items.parquet`."""
    return pl.DataFrame([row for part in parts for row in part.items], schema=ITEM_TYPES)


def answer_frame(parts: Iterable[Part]) -> pl.DataFrame:
    """Return `verdicts.parquet`."""
    rows = [row for part in parts for row in part.answers]
    return pl.DataFrame(rows, schema=ANSWER_TYPES, orient="row")
