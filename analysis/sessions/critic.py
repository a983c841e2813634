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
from analysis.sessions.critic_rules import Rules, condition_text, holds, rules_of
from analysis.sessions.knowledge import KnowledgeBase, folded

PLAN = ["model", "case_id", "run", "plan"]
FOUND = [*PLAN, "line", "rule", "kind", "severity", "drug", "other_drug", "note"]
GAP = ["gap", "subject"]
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
        _allergies(terms, cases),
        _interactions(known, rules),
        _taken_already(known, cases, rules),
        _doses(known, rules),
        _routes(known, terms, rules),
        _requirements(terms, lines, cases, tables.get("session_gold"), rules),
    ]
    found = pl.concat([violations.select(FOUND) for violations, _ in parts])
    gaps = pl.concat([_unknown_drugs(lines), *(gap for _, gap in parts)])
    return Critique(_numbered(found), gaps.group_by(GAP).agg(pl.len().cast(pl.Int64).alias("n")).sort(GAP))


Checked = tuple[pl.DataFrame, pl.DataFrame]
"""Violations (columns `FOUND`) and gaps (columns `GAP`, a row each)."""


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


def _conditions(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split rows that carry rule and profile: those whose conditions hold, and those that cannot say."""
    rows = rows.with_columns(holds().alias("__holds"))
    unsure = rows.filter(pl.col("__holds").is_null()).unique(
        [*PLAN, "line", "rule"], keep="first", maintain_order=True
    )
    gap = unsure.select(pl.lit("unknown_profile").alias("gap"), pl.col("rule").alias("subject"))
    return rows.filter("__holds"), gap


def _profile_rules(terms: pl.DataFrame, rules: Rules) -> Checked:
    met, gap = _conditions(terms.join(rules.profile, on="term", how="inner", maintain_order="left"))
    note = pl.format("{}: {} for a patient with {}: {}", "rule", "drug", condition_text(), "reason")
    return met.with_columns(note.alias("note"), _no_text("other_drug")).unique(
        [*PLAN, "line", "rule"], keep="first", maintain_order=True
    ), gap


def _allergies(terms: pl.DataFrame, cases: pl.DataFrame) -> Checked:
    allergies = cases.select("case_id", pl.col("allergies").alias("term")).explode(
        "term", empty_as_null=False, keep_nulls=False
    )
    met = terms.join(allergies.unique(), on=["case_id", "term"], how="inner", maintain_order="left")
    met = met.sort([*PLAN, "line", "term"]).unique([*PLAN, "line"], keep="first", maintain_order=True)
    return met.with_columns(
        pl.lit("allergy").alias("rule"),
        pl.lit("contraindication").alias("kind"),
        pl.lit("critical").alias("severity"),
        pl.format("allergy: {} for a patient allergic to {}", "drug", "term").alias("note"),
        _no_text("other_drug"),
    ), _no_gap()


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
    ), _no_gap()


def _taken_already(known: pl.DataFrame, cases: pl.DataFrame, rules: Rules) -> Checked:
    """Look the plan's drugs up against what the patient takes already and the plan does not repeat."""
    taken = cases.select("case_id", pl.col("medications").alias("other")).explode(
        "other", empty_as_null=False, keep_nulls=False
    )
    pairs = known.join(rules.interactions, on="known", how="inner", maintain_order="left")
    pairs = pairs.join(taken.unique(), on=["case_id", "other"], how="inner", maintain_order="left")
    planned = known.select(*PLAN, pl.col("known").alias("other"))
    pairs = pairs.join(planned, on=[*PLAN, "other"], how="anti")
    note = pl.format("{}: {} with {}, taken already: {}", "rule", "drug", "other", "reason")
    return pairs.with_columns(
        note.alias("note"), pl.lit("interaction").alias("kind"), pl.col("other").alias("other_drug")
    ).unique([*PLAN, "rule", "drug", "other_drug"], keep="first", maintain_order=True), _no_gap()


def _doses(known: pl.DataFrame, rules: Rules) -> Checked:
    """Check doses against the most specific range that fits the line; ties go to the lower limit."""
    rows = known.join(rules.doses, on="known", how="inner", maintain_order="left")
    same = pl.col("range_unit") == pl.col("unit")
    scaled = pl.col("unit").replace_strict(MG, default=None, return_dtype=pl.Float64) / pl.col(
        "range_unit"
    ).replace_strict(MG, default=None, return_dtype=pl.Float64)
    rows = rows.with_columns(pl.when(same).then(1.0).otherwise(scaled).alias("scale"))
    unlike = rows.filter(pl.col("dose").is_null() | pl.col("scale").is_null())
    gap = unlike.unique([*PLAN, "line"], keep="first", maintain_order=True).select(
        pl.when(pl.col("dose").is_null())
        .then(pl.lit("dose_not_given"))
        .otherwise(pl.lit("dose_unit"))
        .alias("gap"),
        pl.col("drug").alias("subject"),
    )
    fits = (pl.col("range_route").is_null() | (pl.col("range_route") == pl.col("route")).fill_null(False)) & (
        pl.col("range_indication").is_null()
        | (pl.col("range_indication") == pl.col("indication")).fill_null(False)
    )
    rows, unsure = _conditions(rows.drop_nulls(["dose", "scale"]).filter(fits))
    ceiling = pl.min_horizontal("high", "daily_high")
    rows = rows.sort([*PLAN, "line", pl.col("specificity").neg(), ceiling, "rule"])
    rows = rows.unique([*PLAN, "line"], keep="first", maintain_order=True)
    no_rate = rows.filter(
        pl.col("per_day").is_null() & (pl.col("daily_high").is_not_null() | pl.col("daily_low").is_not_null())
    ).select(pl.lit("doses_a_day_not_given").alias("gap"), pl.col("drug").alias("subject"))
    return _out_of_range(rows), pl.concat([gap, unsure, no_rate])


MG = {"kg": 1e6, "g": 1e3, "mg": 1.0, "ug": 1e-3, "mcg": 1e-3, "µg": 1e-3, "μg": 1e-3, "ng": 1e-6}
"""Milligrams in a unit of mass."""


def _out_of_range(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a violation for every line whose dose, or dose a day, leaves its range; the worse of both."""
    # Conversions of units must not push a dose at the limit over it.
    slack = 1e-9
    dose = pl.col("dose") * pl.col("scale")
    rows = rows.with_columns(dose.alias("single"), (dose * pl.col("per_day")).alias("daily"))
    excess = pl.max_horizontal(pl.col("single") / pl.col("high"), pl.col("daily") / pl.col("daily_high"))
    lack = pl.max_horizontal(
        (pl.col("single") < pl.col("low") * (1 - slack)),
        (pl.col("daily") < pl.col("daily_low") * (1 - slack)),
    )
    rows = rows.with_columns(excess.alias("excess"), lack.fill_null(False).alias("lack"))
    over = (pl.col("excess") > 1 + slack).fill_null(False)
    rows = rows.filter(over | pl.col("lack"))
    gross = (pl.col("excess") > pl.col("gross") * (1 + slack)).fill_null(False)
    what = (
        pl.when(gross)
        .then(pl.lit("grossly above the range"))
        .when(over)
        .then(pl.lit("above the range"))
        .otherwise(pl.lit("below the range"))
    )
    given = pl.format(
        "{} {}{}",
        _figure("single"),
        "range_unit",
        pl.when(pl.col("per_day").is_null())
        .then(pl.lit(""))
        .otherwise(pl.format(" {} times a day", _figure("per_day"))),
    )
    note = pl.format("{}: {} {}: {} ({})", "rule", "drug", given, what, "limits")
    return rows.with_columns(
        pl.lit("dose").alias("kind"),
        pl.when(gross).then(pl.lit("critical")).otherwise(pl.lit("moderate")).alias("severity"),
        note.alias("note"),
        _no_text("other_drug"),
    )


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
    in_context, unsure = _conditions(
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
    return both.with_columns(pl.lit("route").alias("kind"), _no_text("other_drug")), pl.concat([gap, unsure])


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
    needs, gap = _conditions(needs)
    wanted = needs.select(*PLAN, "rule", pl.col("any_of").alias("term")).explode("term")
    taken = (
        cases.select("case_id", pl.col("medications").alias("known"))
        .explode("known", empty_as_null=False, keep_nulls=False)
        .join(rules.terms, on="known", how="inner")
        .select("case_id", "term")
    )
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
        _no_text("drug"),
        _no_text("other_drug"),
    ), gap


def _numbered(found: pl.DataFrame) -> pl.DataFrame:
    order = pl.Enum(VIOLATION_KINDS)
    found = found.with_columns(pl.col("kind").cast(order).alias("__order"))
    found = found.sort([*PLAN, "__order", "line", "rule", "drug", "other_drug"], nulls_last=True)
    return found.with_columns(
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(PLAN).alias("violation"),
        is_hard(pl.col("kind"), pl.col("severity")).alias("hard"),
    ).select(*PLAN, "violation", "rule", "kind", "severity", "hard", "drug", "other_drug", "note")


def _figure(column: str) -> pl.Expr:
    """Return a number as text without trailing zeros."""
    return pl.col(column).round_sig_figs(6).cast(pl.String).str.strip_suffix(".0")


def _no_text(name: str) -> pl.Expr:
    return pl.lit(None, dtype=pl.String).alias(name)


def _no_gap() -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(GAP, pl.String))
