"""The rule-based safety critic: regimens and profiles in, violations with severity and audit line out.

Deterministic and column-wise: rules are rows, and every check is a join and a filter. What cannot be
checked (an unknown drug, a dose in another unit, a profile value that is not known) is a gap, counted
and told, never a pass in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from analysis.schemas.sessions import VIOLATION_KINDS, SessionCases
from analysis.sessions.critic_doses import check_doses
from analysis.sessions.critic_parts import FOUND, GAP, PLAN, Checked, no_gap, no_text, split_by_conditions
from analysis.sessions.critic_rules import Rules, condition_text, rules_of
from analysis.sessions.knowledge import KnowledgeBase, folded

HARD_KINDS, HARD_SEVERITIES = VIOLATION_KINDS[:4], ("critical", "major")
PROFILE = ["profile_sex", "age", "egfr", "weight_kg", "factors"]


@dataclass(frozen=True)
class Critique:
    """What the critic found.

    Parameters
    ----------
    violations : pl.DataFrame
        Rows of the `SessionViolations` schema.
    gaps : pl.DataFrame
        What could not be checked: gap, subject, n (lines of regimens).
    """

    violations: pl.DataFrame
    gaps: pl.DataFrame


def is_hard(kind: pl.Expr, severity: pl.Expr) -> pl.Expr:
    """Return whether a violation fails the plan: a hard kind, critical or major."""
    return kind.is_in(HARD_KINDS) & severity.is_in(HARD_SEVERITIES)


def criticise(tables: Mapping[str, pl.DataFrame], knowledge: KnowledgeBase) -> Critique:
    """Check every plan against the knowledge base.

    Parameters
    ----------
    tables : mapping of str to pl.DataFrame
        Validated tables: `session_regimens`; `session_cases` and `session_gold` where they exist.
    knowledge : KnowledgeBase
        The rules.

    Returns
    -------
    Critique
        Violations sorted and numbered within each plan, and the gaps.
    """
    rules = rules_of(knowledge)
    cases = _profiles(tables.get("session_cases"), rules)
    lines = _lines(tables["session_regimens"], cases, rules)
    known = lines.drop_nulls("known")
    terms = known.join(rules.terms, on="known", how="inner", maintain_order="left")
    parts = [
        _profile_rules(terms, rules),
        _allergies(known, terms, cases, rules),
        _interactions(known, rules),
        _taken_already(known, cases, rules),
        check_doses(known, rules),
        _routes(known, terms, rules),
        _requirements(terms, lines, cases, tables.get("session_gold"), rules),
    ]
    found = pl.concat([violations.select(FOUND) for violations, _ in parts])
    gaps = pl.concat([_unknown_drugs(lines), *(gap for _, gap in parts)])
    return Critique(_numbered(found), gaps.group_by(GAP).agg(pl.len().cast(pl.Int64).alias("n")).sort(GAP))


def _profiles(cases: pl.DataFrame | None, rules: Rules) -> pl.DataFrame:
    """Return the cases with folded factors, allergies as terms and medications as known drugs."""
    cases = SessionCases.create_empty() if cases is None else pl.DataFrame(cases)
    names = dict(rules.names.iter_rows())
    element = pl.element()
    fold = folded(element)
    return cases.select(
        "case_id",
        folded(pl.col("sex")).alias("profile_sex"),
        "age",
        "egfr",
        "weight_kg",
        pl.col("factors").list.eval(fold),
        pl.col("allergies").list.eval(fold.replace(names)),
        pl.col("medications").list.eval(fold.replace(names)),
    )


def _lines(regimens: pl.DataFrame, cases: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """Return the lines with the drug as the knowledge base calls it (null: unknown) and the profile."""
    lines = regimens.with_columns(
        folded(pl.col("drug")).alias("folded"),
        folded(pl.col("route")).alias("route"),
        folded(pl.col("indication")).alias("indication"),
        folded(pl.col("dose_unit")).alias("unit"),
    )
    lines = lines.join(rules.names, left_on="folded", right_on="name", how="left", maintain_order="left")
    return lines.join(cases.select("case_id", *PROFILE), on="case_id", how="left", maintain_order="left")


def _unknown_drugs(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.filter(pl.col("known").is_null()).select(
        pl.lit("unknown_drug").alias("gap"), pl.col("drug").alias("subject")
    )


def _profile_rules(terms: pl.DataFrame, rules: Rules) -> Checked:
    met, gap = split_by_conditions(terms.join(rules.profile, on="term", how="inner", maintain_order="left"))
    note = pl.format("{}: {} for a patient with {}: {}", "rule", "drug", condition_text(), "reason")
    return met.with_columns(note.alias("note"), no_text("other_drug")).unique(
        [*PLAN, "line", "rule"], keep="first", maintain_order=True
    ), gap


def _named(cases: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    """Return the distinct entries of a list of the profile, a row each: case_id and the name."""
    rows = cases.select("case_id", pl.col(column).alias(name))
    return rows.explode(name, empty_as_null=False, keep_nulls=False).unique(maintain_order=True)


def _not_in_base(known: pl.DataFrame, named: pl.DataFrame, rules: Rules, on: str, gap: str) -> pl.DataFrame:
    """Return a gap for every line and entry of the profile that the knowledge base does not know."""
    other = named.columns[1]
    strange = named.join(rules.terms, left_on=other, right_on=on, how="anti")
    lines = known.select("case_id").join(strange, on="case_id", how="inner", maintain_order="left")
    return lines.select(pl.lit(gap).alias("gap"), pl.col(other).alias("subject"))


def _allergies(known: pl.DataFrame, terms: pl.DataFrame, cases: pl.DataFrame, rules: Rules) -> Checked:
    allergies = _named(cases, "allergies", "term")
    gap = _not_in_base(known, allergies, rules, "term", "unknown_allergy")
    met = terms.join(allergies, on=["case_id", "term"], how="inner", maintain_order="left")
    met = met.sort([*PLAN, "line", "term"]).unique([*PLAN, "line"], keep="first", maintain_order=True)
    return met.with_columns(
        pl.lit("allergy").alias("rule"),
        pl.lit("contraindication").alias("kind"),
        pl.lit("critical").alias("severity"),
        pl.format("allergy: {} for a patient allergic to {}", "drug", "term").alias("note"),
        no_text("other_drug"),
    ), gap


def _interactions(known: pl.DataFrame, rules: Rules) -> Checked:
    """Look every pair of a plan's drugs up; the pair stands once, its drugs in code-point order."""
    drugs = known.select(*PLAN, "line", "drug", "known").unique(
        [*PLAN, "drug"], keep="first", maintain_order=True
    )
    other = drugs.select(*PLAN, pl.col("drug").alias("other_drug"), pl.col("known").alias("other"))
    pairs = drugs.join(rules.interactions, on="known", how="inner", maintain_order="left")
    pairs = pairs.join(other, on=[*PLAN, "other"], how="inner", maintain_order="left")
    pairs = pairs.filter(pl.col("drug") < pl.col("other_drug"))
    note = pl.format("{}: {} with {}: {}", "rule", "drug", "other_drug", "reason")
    return pairs.with_columns(note.alias("note"), pl.lit("interaction").alias("kind")).unique(
        [*PLAN, "rule", "drug", "other_drug"], keep="first", maintain_order=True
    ), no_gap()


def _taken_already(known: pl.DataFrame, cases: pl.DataFrame, rules: Rules) -> Checked:
    """Look the plan's drugs up against what the patient takes already and the plan does not repeat."""
    taken = _named(cases, "medications", "other")
    gap = _not_in_base(known, taken, rules, "known", "unknown_medication")
    pairs = known.join(rules.interactions, on="known", how="inner", maintain_order="left")
    pairs = pairs.join(taken, on=["case_id", "other"], how="inner", maintain_order="left")
    planned = known.select(*PLAN, pl.col("known").alias("other"))
    pairs = pairs.join(planned, on=[*PLAN, "other"], how="anti")
    note = pl.format("{}: {} with {}, taken already: {}", "rule", "drug", "other", "reason")
    return pairs.with_columns(
        note.alias("note"), pl.lit("interaction").alias("kind"), pl.col("other").alias("other_drug")
    ).unique([*PLAN, "rule", "drug", "other_drug"], keep="first", maintain_order=True), gap


def _routes(known: pl.DataFrame, terms: pl.DataFrame, rules: Rules) -> Checked:
    limited = known.join(rules.routes, on="known", how="inner", maintain_order="left")
    gap = limited.filter(pl.col("route").is_null()).select(
        pl.lit("route_not_given").alias("gap"), pl.col("drug").alias("subject")
    )
    wrong = limited.drop_nulls("route").filter(~pl.col("routes").list.contains(pl.col("route")))
    allowed = pl.col("routes").list.join(", ")
    wrong = wrong.with_columns(
        pl.format("route:{}", "known").alias("rule"),
        pl.lit("major").alias("severity"),
        pl.format("route: {} given {}; allowed: {}", "drug", "route", allowed).alias("note"),
    )
    in_context, unsure = split_by_conditions(
        terms.join(rules.route_rules, on=["term", "route"], how="inner", maintain_order="left")
    )
    note = pl.format(
        "{}: {} given {} to a patient with {}: {}", "rule", "drug", "route", condition_text(), "reason"
    )
    in_context = in_context.with_columns(note.alias("note")).unique(
        [*PLAN, "line", "rule"], keep="first", maintain_order=True
    )
    columns = [*PLAN, "line", "rule", "severity", "drug", "note"]
    both = pl.concat([wrong.select(columns), in_context.select(columns)])
    return both.with_columns(pl.lit("route").alias("kind"), no_text("other_drug")), pl.concat([gap, unsure])


def _requirements(
    terms: pl.DataFrame,
    lines: pl.DataFrame,
    cases: pl.DataFrame,
    gold: pl.DataFrame | None,
    rules: Rules,
) -> Checked:
    """Find the components that the case's diagnoses require and neither plan nor patient has."""
    if gold is None:
        gold = pl.DataFrame(schema={"case_id": pl.String, "diagnosis": pl.String})
    diagnoses = gold.select("case_id", folded(pl.col("diagnosis")).alias("diagnosis"))
    needs = diagnoses.join(rules.requirements, on="diagnosis", how="inner", maintain_order="left")
    plans = lines.select(*PLAN, *PROFILE).unique(PLAN, keep="first", maintain_order=True)
    needs = plans.join(needs, on="case_id", how="inner", maintain_order="left").with_columns(
        pl.lit(None, dtype=pl.Int64).alias("line")
    )
    needs, gap = split_by_conditions(needs)
    wanted = needs.select(*PLAN, "rule", pl.col("any_of").alias("term")).explode("term")
    taken = _named(cases, "medications", "known").join(rules.terms, on="known", how="inner")
    taken = taken.select("case_id", "term")
    met = pl.concat(
        [
            wanted.join(terms.select(*PLAN, "term"), on=[*PLAN, "term"], how="semi"),
            wanted.join(taken, on=["case_id", "term"], how="semi"),
        ]
    )
    lacking = needs.join(met, on=[*PLAN, "rule"], how="anti")
    note = pl.format(
        "{}: {} needs one of {}: {}", "rule", "diagnosis", pl.col("any_of").list.join(", "), "reason"
    )
    return lacking.with_columns(
        pl.lit("missing_component").alias("kind"),
        note.alias("note"),
        no_text("drug"),
        no_text("other_drug"),
    ), gap


def _numbered(found: pl.DataFrame) -> pl.DataFrame:
    order = pl.Enum(VIOLATION_KINDS)
    found = found.with_columns(pl.col("kind").cast(order).alias("__order"))
    found = found.sort([*PLAN, "__order", "line", "rule", "drug", "other_drug"], nulls_last=True)
    return found.with_columns(
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(PLAN).alias("violation"),
        is_hard(pl.col("kind"), pl.col("severity")).alias("hard"),
    ).select(*PLAN, "violation", "rule", "kind", "severity", "hard", "drug", "other_drug", "note")
