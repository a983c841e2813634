"""Small tables on episodes, controls and judges for figures: plausible frames, no statistics."""

from __future__ import annotations

from itertools import product
from typing import Any

import polars as pl

from analysis.schemas import TABLES
from tests.unit.figures.plain import wilson

Row = dict[str, Any]
N = 40
PARTS = ("care", "<image>")


def episode_tables(models: list[str], rate: tuple[float, float]) -> dict[str, pl.DataFrame]:
    """Return the tables that figures on episodes need, for models in the order of their success."""
    spread = max(len(models) - 1, 1)
    share = {m: rate[1] - (rate[1] - rate[0]) * i / spread for i, m in enumerate(models)}
    judges = [_audit(f"judge {i} <b>", 0.9 - 0.1 * i) for i in range(min(3, len(models)))]
    rows: dict[str, list[Row]] = {
        "composition_gap": [_gap(m, s, i) for i, (m, s) in enumerate(share.items())],
        "episodes": [_episode(m, s) for m, s in share.items()],
        "episode_states": [row for m, s in share.items() for row in _states(m, s)],
        "episode_depth": [row for m, s in share.items() for row in _depth(m, s)],
        "paired_controls": [_control(m, s, i) for i, (m, s) in enumerate(share.items())],
        "judge_audit": [row for part in judges for row in part],
    }
    return {name: _frame(name, part) for name, part in rows.items()}


def _frame(name: str, rows: list[Row]) -> pl.DataFrame:
    schema = TABLES[name]
    types = {c: d.dtype for c, d in schema.columns().items()}
    frame = pl.DataFrame([{c: row.get(c) for c in types} for row in rows], schema=types)
    return frame.sort(schema.primary_key(), maintain_order=True)


def _limits(share: float, n: int = N) -> Row:
    low, high = wilson(round(share * n), n)
    return {"ci_low": low, "ci_high": high}


def _gap(model: str, share: float, i: int) -> Row:
    joint = share**3
    row: Row = {
        "track": "all", "model": model, "endpoint": "all_correct", "parts": [], "n_clusters": N,
        "joint": joint, "item_accuracy": share, "independent": share**3.5, "level": 0.95,
        "construction": i == 1,
    }  # fmt: skip
    for name, value in (("gap_accuracy", joint - share), ("gap_independent", joint - share**3.5)):
        row |= {name: value, f"{name}_low": value - 0.05, f"{name}_high": value + 0.05}
    return row


def _episode(model: str, share: float) -> Row:
    keys = {"track": "all", "model": model, "endpoint": "all_correct", "method": "clopper_pearson"}
    return {**keys, "rank": 1, "n_clusters": N, "share": share**3, "level": 0.95, **_limits(share**3)}


def _states(model: str, share: float) -> list[Row]:
    counts = {"care + <image>": round(N * share**2), "care": round(N * share * (1 - share)), "<image>": 0}
    counts["none"] = N - sum(counts.values())
    rows = []
    for state, n in counts.items():
        holds = [p for p in PARTS if p in state.split(" + ")]
        fails = [p for p in PARTS if p not in holds]
        keys = {"track": "all", "model": model, "state": state, "holds": holds, "fails": fails}
        rows.append({**keys, "n_clusters": n, "n_total": N, "share": n / N, **_limits(n / N)})
    return rows


def _depth(model: str, share: float) -> list[Row]:
    rows = []
    for kind, step in product(("decisions", "turn"), (1, 2, 4)):
        value = share**step
        keys = {"track": "all", "endpoint": "all_correct", "kind": kind, "step": step, "model": model}
        survival = value if kind == "turn" else None
        row = {"n_clusters": 12, "n_success": round(12 * value), "share": value, "survival": survival}
        rows.append({**keys, **row, **_limits(value, 12)})
    return rows


def _control(model: str, share: float, i: int) -> Row:
    difference = 0.1 - 0.03 * (i % 8)
    return {
        "control": "history & more", "model": model, "endpoint": "item_weighted", "primary": True,
        "baseline": "snapshot", "changed": "<history>", "n_items": N, "n_clusters": 9, "n_unpaired": 0,
        "score_baseline": share, "score_changed": share + difference, "difference": difference,
        "ci_low": difference - 0.08, "ci_high": difference + 0.08, "level": 0.95, "n_better": 4, "n_worse": 2,
        "n_unchanged": 3, "n_corrected": 7, "n_harmed": 3, "p_value": 0.01, "method": "sign_flip_exact",
        "p_holm": 0.03 if i % 2 else 0.4, "p_benjamini_hochberg": 0.04, "note": "",
    }  # fmt: skip


def _audit(judge: str, agreement: float) -> list[Row]:
    values = {
        "agreement": agreement,
        "kappa": 2 * agreement - 1,
        "sensitivity": agreement - 0.1,
        "specificity": None,
    }
    rows = []
    for polarity, (statistic, value) in product(("all", "major_error", "(none)"), values.items()):
        keys = {"audit": "panel", "judge": judge, "excluded": "none", "polarity": polarity}
        limits = {} if value is None else {"ci_low": value - 0.05, "ci_high": value}
        counts = {"n": 80 if polarity == "all" else 30, "n_responses": 8, "n_units": 8, "n_true": 40}
        about = {"statistic": statistic, "reference": "physicians", "level": 0.95, "method": "x", "note": ""}
        rows.append({**keys, **about, **counts, "estimate": value, **limits})
    return rows
