"""What the treatment and follow-up metrics count, per session: drugs, violations, answers, constraints."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.sessions import follow_up, treatment
from analysis.sessions.index import Floats, SessionIndex, totals
from analysis.sessions.judged import first_judgements

SEVERE = ("critical", "major")
"""Severities that count as severe."""


def treatment_metrics(index: SessionIndex) -> dict[str, Floats]:
    """Return the treatment metrics of the first plans, by name, each of shape (n,).

    They need `session_regimens` and `session_violations`: those delivered, or those that the
    safety critic found. A plan without a violation is one that breaks no rule.
    """
    if not index.has("session_regimens", "session_violations"):
        return {}
    first = pl.col("plan") == "initial"
    n = index.n
    lines = index.of_sessions("session_regimens").filter(first)
    drugs = lines.select("session", "drug").unique()
    n_drugs = totals(drugs["session"], n)
    broken = index.of_sessions("session_violations").filter(first)
    hard = totals(broken["session"], n, broken["hard"])
    missing = broken.filter(pl.col("kind") == "missing_component")
    in_conflict = _conflicts(broken, drugs, ("profile_conflict", "contraindication"))
    cautioned = _conflicts(broken, drugs, ("profile_conflict",))
    psc = treatment.psc(hard)
    ddiv = treatment.ddiv(totals(_pairs(broken, drugs), n), n_drugs)
    pcr = treatment.pcr(totals(in_conflict, n), n_drugs)
    complete = treatment.plan_completeness(totals(missing["session"], n))
    return {
        "psc": psc,
        "ddiv": ddiv,
        "pcr": pcr,
        "pcr_cautions": treatment.pcr(totals(cautioned, n), n_drugs),
        "psc_planned": treatment.of_plans(psc, n_drugs),
        "ddiv_pairs": treatment.of_plans(ddiv, treatment.pairs_of(n_drugs)),
        "pcr_planned": treatment.of_plans(pcr, n_drugs),
        "plan_completeness": treatment.of_plans(complete, n_drugs),
    }


def _conflicts(broken: pl.DataFrame, drugs: pl.DataFrame, kinds: tuple[str, ...]) -> pl.Series:
    """Return the session of every distinct drug of its plan that breaks a rule of these kinds."""
    rows = broken.filter(pl.col("kind").is_in(kinds)).select("session", "drug").unique()
    return rows.join(drugs, on=["session", "drug"], how="semi")["session"]


def _pairs(broken: pl.DataFrame, drugs: pl.DataFrame) -> pl.Series:
    """Return the session of every distinct pair of its plan's drugs with a severe interaction."""
    rows = broken.filter((pl.col("kind") == "interaction") & pl.col("severity").is_in(SEVERE))
    rows = rows.filter(pl.col("drug") != pl.col("other_drug"))
    rows = rows.select(
        "session",
        pl.min_horizontal("drug", "other_drug").alias("drug"),
        pl.max_horizontal("drug", "other_drug").alias("other"),
    ).unique()
    rows = rows.join(drugs, on=["session", "drug"], how="semi")
    return rows.join(drugs.rename({"drug": "other"}), on=["session", "other"], how="semi")["session"]


def follow_up_metrics(index: SessionIndex, tau: float) -> dict[str, Floats]:
    """Return FQR and DCSR with their forms, by name, each of shape (n,).

    Parameters
    ----------
    index : SessionIndex
        The sessions.
    tau : float
        τ: share of the first regimen's quality that the revised one must keep.
    """
    return {**_answers(index), **_constraints(index, tau)}


def _answers(index: SessionIndex) -> dict[str, Floats]:
    judged = first_judgements(index, "fqr")
    if not index.has("session_followups") or judged.is_empty():
        return {}
    turns = index.of_sessions("session_followups").select(
        "session", pl.col("turn").cast(pl.String).alias("target"), "weight"
    )
    rows = turns.join(judged, on=["session", "target"], how="inner", maintain_order="left")
    n, codes = index.n, rows["session"]
    weighted = totals(codes, n, rows["value"] * rows["weight"])
    return {
        "fqr": follow_up.fqr(totals(codes, n, rows["value"]), totals(codes, n)),
        "fqr_weighted": follow_up.fqr(weighted, totals(codes, n, rows["weight"])),
    }


def _constraints(index: SessionIndex, tau: float) -> dict[str, Floats]:
    if not index.has("session_adaptations"):
        return {}
    rows = index.of_sessions("session_adaptations")
    # The comparison allows for the rounding of decimal fractions: 0.9 of 0.8 is kept by 0.72.
    kept = pl.col("quality_after") >= tau * pl.col("quality_before") - 1e-9
    rows = rows.select(
        "session",
        (~pl.col("satisfied")).fill_null(False).alias("unmet"),
        pl.col("satisfied").is_null().alias("unjudged"),
        (~kept).fill_null(False).alias("degraded"),
        kept.is_null().alias("unmeasured"),
        (pl.col("satisfied").is_null() | kept.is_null()).alias("open"),
    )
    n, codes = index.n, rows["session"]
    count = {c: totals(codes, n, rows[c]) for c in rows.columns if c != "session"}
    nothing, constraints = np.zeros(n), totals(codes, n)
    out = {
        "dcsr": follow_up.dcsr(count["unmet"], count["open"], count["degraded"], constraints),
        "constraint_met": follow_up.dcsr(count["unmet"], count["unjudged"], nothing, constraints),
        "quality_kept": follow_up.dcsr(nothing, count["unmeasured"], count["degraded"], constraints),
    }
    return {name: value for name, value in out.items() if not np.isnan(value).all()}
