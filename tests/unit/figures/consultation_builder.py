"""Small tables on consultations for figures: plausible frames, no statistics."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.schemas import TABLES

Row = dict[str, Any]
TAGS = {"treatment": 30, "<work> up": 2, "漢字" * 30: 11, "single": 1}
KINDS = {"core": "positive", "<evidence>": "positive", "major": "negative"}


def consultation_tables(models: list[str], rate: tuple[float, float]) -> dict[str, pl.DataFrame]:
    """Return the tables that the figure on consultations needs, models in the order of their scores."""
    spread = max(len(models) - 1, 1)
    scores, counts = [], []
    sizes = {"all": sum(TAGS.values()), **TAGS}
    for i, model in enumerate(models):
        share = rate[1] - (rate[1] - rate[0]) * i / spread
        for j, (tag, n) in enumerate(sizes.items()):
            value = 100 * share * (1 - 0.1 * j)
            scores.append(_score(model, tag, "item_mean", value, i + 1, n))
        for kind, polarity in KINDS.items():
            name = f"{'met' if polarity == 'positive' else 'avoided'}:{kind}"
            scores.append(_score(model, "all", name, share, i + 1, sizes["all"]))
    for tag, n in sizes.items():
        for kind, polarity in {"all": "both", **KINDS}.items():
            row = {"tag": tag, "kind": kind, "polarity": polarity, "n_items": n, "n_cases": n}
            counts.append({**row, "n_criteria": 3 * n, "weight": None})
    return {
        name: _frame(name, rows)
        for name, rows in {"consultation_scores": scores, "criterion_counts": counts}.items()
    }


def _score(model: str, tag: str, statistic: str, value: float, rank: int, n: int) -> Row:
    return {
        "rater": "judge <b>", "tag": tag, "model": model, "statistic": statistic, "rank": rank,
        "estimate": value, "level": 0.95, "method": "none: one question" if n == 1 else "case_bootstrap",
        "n_items": n, "n_cases": n, "n_criteria": 3 * n, "n_missing": 0,
    }  # fmt: skip


def _frame(name: str, rows: list[Row]) -> pl.DataFrame:
    schema = TABLES[name]
    types = {c: d.dtype for c, d in schema.columns().items()}
    frame = pl.DataFrame([{c: row.get(c) for c in types} for row in rows], schema=types)
    return frame.sort(schema.primary_key(), maintain_order=True)
