"""Drawn tables on consultation sessions for figures: plausible frames of the right shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from analysis.schemas import TABLES
from analysis.sessions.definitions import METRICS

STAGES = ("history", "diagnosis", "treatment", "follow_up")
ERRORS = ("history_only", "safety_only", "adaptation_only", "several")


def session_tables(models: list[str], *, seed: int = 1) -> dict[str, pl.DataFrame]:
    """Return the tables that the figures need; of several models the last is a baseline."""
    rng = np.random.default_rng([seed, 99])
    roles = {m: "baseline" if i == len(models) - 1 > 0 else "model" for i, m in enumerate(models)}
    rows: dict[str, list[dict[str, Any]]] = {
        "stage_scores": [],
        "session_scores": [],
        "metric_definitions": [],
        "hidden_errors": [],
    }
    shown = [m for m in METRICS if m.tier != "supplementary"]
    for position, metric in enumerate(shown, start=1):
        parts = ("metric", "label", "stage", "tier", "direction", "low", "high", "unit", "meaning", "formula")
        row = {p: getattr(metric, "name" if p == "metric" else p) for p in parts}
        row |= {"section": metric.section, "form_of": None, "needs": "", "position": position}
        rows["metric_definitions"].append(row | {"n_sessions": 50, "n_defined": 50, "why": None})
    for model in models:
        base = {"model": model, "role": roles[model], "level": 0.95}
        for stage in (*STAGES, "composite"):
            at = float(rng.uniform(0.1, 0.95))
            # An interval that does not exist, where all resamples are equal.
            none = stage == "treatment" and at > 0.7
            rows["stage_scores"].append(
                {**base, "stage": stage, "n_metrics": 3, "estimate": at,
                 "ci_low": None if none else at - 0.04, "ci_high": None if none else at + 0.04,
                 "rank": None, "lacking": None}
            )  # fmt: skip
        for metric in shown:
            at = float(rng.uniform(0.0, 1.0))
            rows["session_scores"].append(
                {**base, "metric": metric.name, "stage": metric.stage, "tier": metric.tier,
                 "direction": metric.direction, "n_sessions": 50, "n_defined": 48, "n_cases": 48,
                 "estimate": at, "ci_low": at, "ci_high": at,
                 "normalised": at if metric.direction == "higher" else 1 - at,
                 "normalised_low": None, "normalised_high": None}
            )  # fmt: skip
        counts = rng.multinomial(int(rng.integers(0, 41)), [0.1, 0.1, 0.2, 0.1, 0.5]).tolist()
        right = sum(counts)
        of = dict(zip((*ERRORS, "none"), counts, strict=True)) | {"any": right - counts[-1]}
        for error, n in of.items():
            rows["hidden_errors"].append(
                {**base, "coverage_at": 0.75, "error": error, "in_force": True, "n": n, "n_right": right,
                 "n_sessions": 50, "n_left_out": 0, "share": n / right if right else None, "ci_low": None,
                 "ci_high": None, "share_of_all": n / 50, "all_low": None, "all_high": None}
            )  # fmt: skip
    out = {}
    for name, part in rows.items():
        schema = TABLES[name]
        frame = pl.DataFrame(part, schema={c: d.dtype for c, d in schema.columns().items()})
        out[name] = frame.sort(schema.primary_key(), maintain_order=True)
    return out
