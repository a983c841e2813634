"""Decisiveness, hard failures, the knowledge-to-action gap and flags, measured with plain code."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from analysis.demo.odbb.measures import BOLD, Record, n_items, wilson

DECISIVE = ["proceed_with_treatment", "route_to_alternative_pathway"]
HARD = ["F1", "F3"]


def hard_count(r: Record, model: str) -> float:
    """Count NCCN items with F1 or F3."""
    return r.rows(model).filter(pl.col("labels").list.set_intersection(HARD).list.len() > 0).height


def hard_rate(r: Record, model: str) -> float:
    """Return their share of all NCCN items."""
    return hard_count(r, model) / n_items(r, "NCCN")


def hard_wilson(r: Record, model: str, side: str) -> float:
    """Return a Wilson limit of that share."""
    return wilson(int(hard_count(r, model)), int(n_items(r, "NCCN")), side)


def decisive_rate(r: Record, model: str) -> float:
    """Return the share of NCCN items with a committed action."""
    return r.rows(model).filter(pl.col("decision").is_in(DECISIVE)).height / n_items(r, "NCCN")


def gap_rate(r: Record, model: str) -> float:
    """Return the share of NCCN items whose reasoning holds the gold step although not correct."""
    held = pl.col("flags").list.contains("reasoning_has_gold_step") & (pl.col("verdict") != "correct")
    return r.rows(model).filter(held).height / n_items(r, "NCCN")


def contradictory_rate(r: Record, model: str, track: str | None = None) -> float:
    """Return the share of contradictory outputs."""
    rows = r.rows(model, track)
    return rows.filter(pl.col("flags").list.contains("contradictory_output")).height / rows.height


def conflicts(r: Record, model: str) -> float:
    """Count responses that acknowledge a data conflict."""
    return r.rows(model, None).filter(pl.col("flags").list.contains("acknowledges_data_conflict")).height


def contraindicated_rate(r: Record, model: str) -> float:
    """Return the share of CRC items with F16."""
    rows = r.rows(model, "CRC")
    return rows.filter(pl.col("labels").list.contains("F16")).height / rows.height


RATES: dict[str, Callable[[Record, str], float]] = {
    "hard": hard_rate,
    "decisive": decisive_rate,
    "gap": gap_rate,
    "contradictory": contradictory_rate,
    "conflicts": conflicts,
    "contraindicated": contraindicated_rate,
}


def extreme(r: Record, rate: str, of: str, end: str) -> float:
    """Return the lowest or highest value of a rate among all, cautious, open or bold models."""
    groups = {"all": r.names, "cautious": r.cautious, "open": r.open_models, "bold": BOLD}
    return {"low": min, "high": max}[end](RATES[rate](r, m) for m in groups[of])


def is_extreme(r: Record, rate: str, model: str, end: str) -> float:
    """Tell whether a model has the lowest, or the highest, value of all."""
    return float(RATES[rate](r, model) == extreme(r, rate, "all", end))


def hard_ratio(r: Record, end: str) -> float:
    """Return the smallest or largest ratio of a bold model's hard-failure rate to a cautious one's."""
    ratios = [hard_rate(r, b) / hard_rate(r, c) for b in BOLD for c in r.cautious]
    return {"low": min, "high": max}[end](ratios)


def label_count(r: Record, model: str, label: str) -> float:
    """Count a model's NCCN items with a label."""
    return r.rows(model).filter(pl.col("labels").list.contains(label)).height


def label_ratio(r: Record, a: str, b: str, label: str) -> float:
    """Return by what factor the count of a label changes from model a to model b."""
    return label_count(r, b, label) / label_count(r, a, label)


def decision_count(r: Record, model: str, decision: str) -> float:
    """Count a model's NCCN items with a decision."""
    return r.rows(model).filter(pl.col("decision") == decision).height


def decision_change(r: Record, a: str, b: str, decision: str) -> float:
    """Return the relative change of the count of a decision from model a to model b."""
    return decision_count(r, b, decision) / decision_count(r, a, decision) - 1


def n_truncated_below(r: Record, limit: float) -> float:
    """Count models whose share of unreadable responses (T2) is below a limit."""
    unreadable = pl.col("labels").list.contains("T2")
    return sum(r.rows(m, None).filter(unreadable).height / r.items.height < limit for m in r.names)
