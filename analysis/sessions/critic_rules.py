"""A knowledge base as tables, one row per rule and drug, and the conditions of rules as expressions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from analysis.sessions.knowledge import CONDITIONS, DoseRange, KnowledgeBase, When, fold

WHEN = {c: pl.String if c in ("factor", "sex") else pl.Float64 for c in CONDITIONS}
"""Columns of a rule's conditions; null: not asked."""
_RULE = {"rule": pl.String, "severity": pl.String, "reason": pl.String}


@dataclass(frozen=True)
class Rules:
    """The knowledge base as tables. Names are folded.

    Parameters
    ----------
    names : pl.DataFrame
        Every name of a drug: name, known (the drug).
    terms : pl.DataFrame
        What rules may call a drug, itself and its classes: known, term.
    profile : pl.DataFrame
        Contraindications and conflicts: rule, kind, severity, reason, term, conditions.
    interactions : pl.DataFrame
        Both directions of every pair: rule, severity, reason, known, other.
    doses : pl.DataFrame
        Ranges: rule, known, range_unit, range_route, range_indication, limits, specificity, conditions.
    routes : pl.DataFrame
        Routes of drugs that have only some: known, routes.
    route_rules : pl.DataFrame
        Routes that are wrong in a context: rule, severity, reason, term, route, conditions.
    requirements : pl.DataFrame
        Components: rule, severity, reason, diagnosis, any_of, conditions.
    """

    names: pl.DataFrame
    terms: pl.DataFrame
    profile: pl.DataFrame
    interactions: pl.DataFrame
    doses: pl.DataFrame
    routes: pl.DataFrame
    route_rules: pl.DataFrame
    requirements: pl.DataFrame


def rules_of(knowledge: KnowledgeBase) -> Rules:
    """Lay a knowledge base out as tables."""
    names = [(fold(n), fold(d.drug)) for d in knowledge.drugs for n in (d.drug, *d.names)]
    terms = sorted({(fold(d.drug), fold(t)) for d in knowledge.drugs for t in (d.drug, *d.classes)})
    drugs_of: dict[str, list[str]] = {}
    for drug, term in terms:
        drugs_of.setdefault(term, []).append(drug)
    pairs = sorted(
        {
            (i.rule, i.severity, i.reason, *ends)
            for i in knowledge.interactions
            for a in _drugs(i.between, drugs_of)
            for b in _drugs(i.against, drugs_of)
            for ends in ((a, b), (b, a))
            if a != b
        }
    )
    return Rules(
        names=_frame(names, {"name": pl.String, "known": pl.String}),
        terms=_frame(terms, {"known": pl.String, "term": pl.String}),
        profile=_frame(
            [
                (r.rule, r.severity, r.reason, r.kind, fold(t), *_conditions(r.when))
                for r in knowledge.profile_rules
                for t in r.drugs
            ],
            {**_RULE, "kind": pl.String, "term": pl.String, **WHEN},
        ),
        interactions=_frame(pairs, {**_RULE, "known": pl.String, "other": pl.String}),
        doses=_frame([_dose(d) for d in knowledge.doses], _DOSE),
        routes=_frame(
            [(fold(d.drug), [fold(r) for r in d.routes]) for d in knowledge.drugs if d.routes],
            {"known": pl.String, "routes": pl.List(pl.String)},
        ),
        route_rules=_frame(
            [
                (r.rule, r.severity, r.reason, fold(t), fold(route), *_conditions(r.when))
                for r in knowledge.routes
                for t in r.drugs
                for route in r.routes
            ],
            {**_RULE, "term": pl.String, "route": pl.String, **WHEN},
        ),
        requirements=_frame(
            [
                (
                    r.rule,
                    r.severity,
                    r.reason,
                    fold(r.diagnosis),
                    [fold(a) for a in r.any_of],
                    *_conditions(r.when),
                )
                for r in knowledge.requirements
            ],
            {**_RULE, "diagnosis": pl.String, "any_of": pl.List(pl.String), **WHEN},
        ),
    )


def holds() -> pl.Expr:
    """Return whether a row's conditions hold for its profile; null where the profile does not say.

    Rows carry the columns of `WHEN` and the profile: profile_sex, age, egfr, weight_kg, factors. A null list
    of factors is an unknown profile; an empty one is a patient without any.
    """
    asked = [
        pl.col("factor").is_null() | pl.col("factors").list.contains(pl.col("factor")),
        pl.col("sex").is_null() | (pl.col("sex") == pl.col("profile_sex")),
    ]
    for name, value in (("age", "age"), ("egfr", "egfr"), ("weight", "weight_kg")):
        low, below = pl.col(f"{name}_from"), pl.col(f"{name}_below")
        asked += [low.is_null() | (pl.col(value) >= low), below.is_null() | (pl.col(value) < below)]
    return pl.all_horizontal(asked)


def condition_text() -> pl.Expr:
    """Return what the patient has that the conditions ask for, such as `eGFR 22`; `any profile` without."""
    pieces = [
        pl.col("factor"),
        pl.when(pl.col("sex").is_not_null()).then(pl.format("sex {}", "sex")),
    ]
    for name, value, shown in (
        ("age", "age", "age"),
        ("egfr", "egfr", "eGFR"),
        ("weight", "weight_kg", "weight"),
    ):
        asked = pl.col(f"{name}_from").is_not_null() | pl.col(f"{name}_below").is_not_null()
        figure = pl.col(value).round_sig_figs(6).cast(pl.String).str.strip_suffix(".0")
        pieces.append(pl.when(asked).then(pl.format(shown + " {}", figure)))
    text = pl.concat_str(pieces, separator=", ", ignore_nulls=True)
    return pl.when(text == "").then(pl.lit("any profile")).otherwise(text)


_LIMITS = ("low", "high", "daily_low", "daily_high", "gross")
_DOSE: dict[str, Any] = {
    "rule": pl.String,
    "known": pl.String,
    "range_unit": pl.String,
    "range_route": pl.String,
    "range_indication": pl.String,
    **dict.fromkeys(_LIMITS, pl.Float64),
    "specificity": pl.Int64,
    "limits": pl.String,
    **WHEN,
}


def _dose(d: DoseRange) -> tuple[Any, ...]:
    conditions = _conditions(d.when)
    asked = [d.route, d.indication, *conditions]
    limits = [
        f"{what} {low if low is not None else 0:g} to {f'{high:g}' if high is not None else 'any'} {d.unit}"
        for what, low, high in (("dose", d.low, d.high), ("a day", d.daily_low, d.daily_high))
        if low is not None or high is not None
    ]
    return (
        d.rule,
        fold(d.drug),
        fold(d.unit),
        None if d.route is None else fold(d.route),
        None if d.indication is None else fold(d.indication),
        *(getattr(d, limit) for limit in _LIMITS),
        sum(a is not None for a in asked),
        "; ".join(limits),
        *conditions,
    )


def _conditions(when: When) -> tuple[Any, ...]:
    values = (getattr(when, c) for c in CONDITIONS)
    return tuple(fold(v) if isinstance(v, str) else v for v in values)


def _drugs(names: Iterable[str], drugs_of: dict[str, list[str]]) -> list[str]:
    return sorted({drug for name in names for drug in drugs_of[fold(name)]})


def _frame(rows: list[Any], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema, orient="row")
