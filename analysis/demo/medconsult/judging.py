"""How the simulated judge and humans judge: a true value for everything judged, and known error rates.

A rater says the truth, or with a known probability the opposite (yes or no) or a step beside it
(graded scales). The judge judges some cases twice; two humans repeat some judgements, and a third
adjudicates where they differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from analysis.demo.medconsult.cast import CAST, HUMAN_FLIP, JUDGE_FLIP, N_HUMAN, N_REPEATED, OTHER_FLIP, Style
from analysis.demo.medconsult.consult import Consultation

DIMENSIONS = {
    "drss": ("evidence coverage", "negative evidence", "causal plausibility", "calibration"),
    "aoc": ("clarity", "practicality", "empathy"),
    "sdbi": ("options", "preferences", "agreement"),
}
"""Dimensions of the graded metrics."""

STEPS = {"drss": 2, "aoc": 2, "sdbi": 2, "psc": 4}
"""Steps of the graded scales from 0 to 1; the other metrics are yes or no."""

SPREAD = 2.2
"""Concentration of a session's quality about the system's: small means that sessions differ much."""

JUDGE, HUMANS = "judge-sim", ("clinician-1", "clinician-2", "clinician-3")


@dataclass(frozen=True)
class Judgements:
    """What was judged.

    Parameters
    ----------
    rows : pl.DataFrame
        Rows of `judgements.parquet`.
    truth : pl.DataFrame
        The true value of every judgement: model, case_id, metric, target, dimension, truth.
    """

    rows: pl.DataFrame
    truth: pl.DataFrame


def judge(rng: np.random.Generator, consultations: list[Consultation]) -> Judgements:
    """Draw the true values and what judge and humans make of them."""
    styles = {s.model: s for s in CAST}
    truth: list[dict[str, Any]] = []
    for consultation in consultations:
        truth += _truth(rng, consultation, styles[consultation.planted["model"]])
    frame = pl.DataFrame(truth)
    steps = frame["metric"].replace_strict(STEPS, default=1, return_dtype=pl.Int64).to_numpy()
    level = np.rint(frame["truth"].to_numpy() * steps).astype(np.int64)
    flip = frame["metric"].replace_strict(JUDGE_FLIP, default=OTHER_FLIP, return_dtype=pl.Float64).to_numpy()
    first = _said(rng, level, steps, flip)
    parts = [_rows(frame, first / steps, JUDGE, 0, "judge", np.ones(len(level), bool))]
    twice = _twice(frame)
    again = _said(rng, level, steps, flip)
    parts.append(_rows(frame, again / steps, JUDGE, 1, "judge", twice))
    by_humans = np.zeros(len(level), bool)
    for metric in frame["metric"].unique(maintain_order=True):
        of = np.flatnonzero((frame["metric"] == metric).to_numpy())
        by_humans[rng.choice(of, size=min(N_HUMAN, of.size), replace=False)] = True
    one, two = (_said(rng, level, steps, np.full(level.size, HUMAN_FLIP)) for _ in range(2))
    for name, said in zip(HUMANS, (one, two), strict=False):
        parts.append(_rows(frame, said / steps, name, 0, "human", by_humans))
    # The third decides where the two differ; as an expert with both before him he finds the truth.
    parts.append(_rows(frame, level / steps, HUMANS[2], 0, "human", by_humans & (one != two)))
    return Judgements(pl.concat(parts), frame)


def _truth(rng: np.random.Generator, one: Consultation, style: Style) -> list[dict[str, Any]]:
    key = {"model": one.planted["model"], "case_id": one.planted["case_id"]}
    out: list[dict[str, Any]] = []

    def add(metric: str, mean: float, target: str) -> None:
        quality = _quality(rng, mean)
        for dimension in DIMENSIONS.get(metric, ("",)):
            steps = STEPS.get(metric, 1)
            level = int(np.floor(quality * steps + rng.random()))
            value = min(level, steps) / steps
            out.append({**key, "metric": metric, "target": target, "dimension": dimension, "truth": value})

    for row in one.rows["differentials"]:
        add("drss", style.reasons, row["diagnosis"])
        add("neu", style.negatives, f"no warning sign | {row['diagnosis']}")
    if not one.rows["differentials"]:
        add("neu", style.negatives, "no warning sign")
    together = _quality(rng, style.answers)
    for row in one.rows["followups"]:
        value = float(rng.random() < together)
        out.append({**key, "metric": "fqr", "target": str(row["turn"]), "dimension": "", "truth": value})
    met = float(one.planted["concern_met"])
    out.append({**key, "metric": "car", "target": "1", "dimension": "", "truth": met})
    add("aoc", style.counsel, "")
    add("sdbi", style.shares, "")
    hard = sum(one.planted[k] for k in ("contraindicated", "severe_pair", "gross_dose"))
    add("psc", 0.12 if hard else 0.62 if one.planted["caution"] else 0.88, "initial")
    seen: set[str] = set()
    for row in one.rows["turns"]:
        if row["template"] in seen:
            value = float(bool(row["revealed"]))
            target = str(row["turn"])
            out.append({**key, "metric": "repetition", "target": target, "dimension": "", "truth": value})
        seen.add(row["template"])
    return out


def _quality(rng: np.random.Generator, mean: float) -> float:
    """Return a session's quality about a mean, between 0 and 1."""
    if mean <= 0 or mean >= 1:
        return mean
    return float(rng.beta(mean * SPREAD, (1 - mean) * SPREAD))


def _said(rng: np.random.Generator, level: np.ndarray, steps: np.ndarray, flip: np.ndarray) -> np.ndarray:
    """Return levels with errors: a step up or down at random, inwards at the ends of the scale."""
    wrong = rng.random(level.size) < flip
    up = rng.random(level.size) < 0.5
    step = np.where(level == 0, 1, np.where(level == steps, -1, np.where(up, 1, -1)))
    return np.where(wrong, level + step, level)


def _twice(frame: pl.DataFrame) -> np.ndarray:
    """Return what is judged twice: the first cases, each with one system in turn."""
    cases = frame["case_id"].unique(maintain_order=True).to_list()[:N_REPEATED]
    chosen = {(case, CAST[i % len(CAST)].model) for i, case in enumerate(cases)}
    pairs = zip(frame["case_id"], frame["model"], strict=True)
    return np.array([pair in chosen for pair in pairs])


def _rows(
    frame: pl.DataFrame, value: np.ndarray, rater: str, repeat: int, kind: str, keep: np.ndarray
) -> pl.DataFrame:
    return frame.select(
        "model",
        "case_id",
        "metric",
        "target",
        "dimension",
        pl.lit(rater).alias("rater"),
        pl.lit(repeat, dtype=pl.Int64).alias("repeat"),
        pl.lit(kind).alias("rater_kind"),
        pl.Series("value", value),
    ).filter(pl.Series(keep))
