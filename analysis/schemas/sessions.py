"""Consultation sessions: the validated raw tables, what the safety critic finds, and the metrics.

The files of ``results/raw/<benchmark>/sessions/`` become these tables, one each; `FILES` says which.
"""

from __future__ import annotations

from analysis.schemas.columns import MODEL, count_column, key_column, number_column, share_column, text_column
from analysis.typed_frames import dy

CASE = "Case (the item's identifier, where there are verdicts)."
RUN = "Repetition of the same case."
PLANS = ("initial", "revised")
VIOLATION_KINDS = (
    "contraindication",
    "interaction",
    "dose",
    "route",
    "profile_conflict",
    "missing_component",
)
SEVERITIES = ("critical", "major", "moderate", "minor")
STAGES = ("history", "diagnosis", "treatment", "follow_up")
TIERS = ("primary", "secondary", "supplementary")
DIRECTIONS = ("higher", "lower")
ROLES = ("model", "baseline", "reference")
UNITS = ("template", "aiu")
RATER_KINDS = ("judge", "human")


def _run() -> dy.Int64:
    return dy.Int64(primary_key=True, min=0, description=RUN)


def _one_of(allowed: tuple[str, ...], description: str, *, key: bool = False) -> dy.String:
    return dy.String(
        primary_key=key,
        check=lambda c: c.is_in(list(allowed)),
        description=f"{description}: {', '.join(f'`{a}`' for a in allowed)}.",
    )


def _turn(description: str, *, key: bool = False, low: int = 0) -> dy.Int64:
    return dy.Int64(
        primary_key=key, nullable=not key, min=low, description=description, metadata={"unit": "turn"}
    )


class Sessions(dy.Schema):
    """Consultation sessions: one row per model, case and run."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    t_dx = _turn("T_dx: history-taking turns before the diagnosis; 0: at once; null: no diagnosis made.")
    t_max = dy.Int64(min=1, description="T_max: turns that the session may take.", metadata={"unit": "turn"})


class SessionTurns(dy.Schema):
    """History-taking turns, one row each."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    turn = _turn("Turn from 1; 0: what the patient opens with, before any question.", key=True)
    question = text_column("The question as asked.")
    template = text_column("Inquiry template that the question maps to; null: outside the vocabulary.")
    intent = text_column("Intent cluster; a later turn with the same one repeats it (default: the template).")
    revealed = dy.List(dy.String(), description="AIUs that the reply reveals.")
    top_k = dy.List(
        dy.String(),
        nullable=True,
        description="The model's next-question templates, best first (default: the one asked).",
    )
    expert = dy.List(
        dy.String(),
        nullable=True,
        description="Q*_t: templates that doctors would ask next; null or empty: turn outside the slice.",
    )
    information_gain = number_column(
        "Entropy of the belief over diagnoses before the turn minus after it.", unit="bits"
    )


class SessionCases(dy.Schema):
    """Cases: the patient's profile, as the safety critic reads it."""

    case_id = key_column(CASE)
    title = text_column("What the case is called; as shown.")
    specialty = text_column("Department.")
    age = number_column("Age.", unit="years", nonnegative=True)
    sex = text_column("`female`, `male` or another text.")
    weight_kg = number_column("Body weight.", unit="kg", nonnegative=True)
    egfr = number_column("Glomerular filtration rate.", unit="mL/min/1.73 m2", nonnegative=True)
    factors = dy.List(
        dy.String(),
        nullable=True,
        description="Conditions that bear on drugs: comorbidities, pregnancy, habits; null: not known.",
    )
    allergies = dy.List(dy.String(), description="Drugs or drug classes.")
    medications = dy.List(dy.String(), description="Drugs taken already.")


class SessionAius(dy.Schema):
    """Atomic information units of the cases."""

    case_id = key_column(CASE)
    aiu_id = key_column("The unit's identifier within the case.")
    text = text_column("What it says.")
    category = text_column("Such as `symptom`, `sign`, `history`, `investigation`, `profile`, `medication`.")
    weight = dy.Float64(min=0, description="w_imp: importance (default 1).")
    red_flag = dy.Bool(description="A red flag.")
    key = dy.Bool(
        nullable=True,
        description="Member of U_key; null in every row of a case: red flags and MNI members are.",
    )
    mni_of = dy.List(dy.String(), description="Diagnoses whose minimal necessary information it belongs to.")


class SessionPrecedence(dy.Schema):
    """Precedence pairs: `before` is to come before `after`."""

    case_id = key_column("Case; empty: every case.")
    unit = _one_of(UNITS, "What is ordered", key=True)
    before = key_column("Template (or AIU) that comes first.")
    after = key_column("Template (or AIU) that comes later.")
    support = share_column("Share of the doctors' sessions that have both in which it comes first.")


class SessionGold(dy.Schema):
    """Gold diagnoses of the cases."""

    case_id = key_column(CASE)
    diagnosis = key_column("Diagnosis.")
    core = dy.Bool(description="A core diagnosis.")
    weight = dy.Float64(min=0, description="w_final: frequency and severity together (default 1).")
    severity = dy.Float64(min=0, description="w: severity weight of the NDCG (default: `weight`).")
    t_evidence = _turn("t*: turn from which the evidence suffices; null: once its MNI is revealed.")


class SessionDifferentials(dy.Schema):
    """Differential diagnoses as given, one row per diagnosis."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    diagnosis = key_column("Diagnosis, in the vocabulary of the gold diagnoses.")
    rank = dy.Int64(min=1, description="Rank, 1 first; equal ranks are ties.")
    as_core = dy.Bool(nullable=True, description="The model calls it a core diagnosis.")
    turn_named = _turn("Turn in which it was first named (default: T_dx).")
    rationale = text_column("Its reasons, as given.")


class SessionRegimens(dy.Schema):
    """Lines of the proposed regimens."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    plan = _one_of(PLANS, "Which plan", key=True)
    line = dy.Int64(primary_key=True, min=1, description="Line of the plan.")
    drug = dy.String(description="Drug.")
    dose = number_column("One dose, in `dose_unit`.", nonnegative=True)
    dose_unit = text_column("Unit of the dose, such as `mg`.")
    per_day = number_column("Doses a day.", nonnegative=True)
    route = text_column("Such as `oral`.")
    indication = text_column("Diagnosis that it is for.")


class SessionViolations(dy.Schema):
    """Rule violations of regimens: as delivered with the sessions, or found by the safety critic."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    plan = _one_of(PLANS, "Which plan", key=True)
    violation = dy.Int64(primary_key=True, min=1, description="Number within the plan.")
    rule = text_column("Rule of the knowledge base.")
    kind = _one_of(VIOLATION_KINDS, "Kind of rule")
    severity = _one_of(SEVERITIES, "Severity")
    hard = dy.Bool(description="Fails the plan (default: critical or major, of the first four kinds).")
    drug = text_column("Drug concerned.")
    other_drug = text_column("The other drug of an interaction.")
    note = text_column("Audit line: what broke which rule.")


class SessionFollowups(dy.Schema):
    """Follow-up turns after the plan."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    turn = _turn("Follow-up turn, from 1.", key=True, low=1)
    intent = text_column("The patient's intent, such as `side_effect_concern`, `cost_access_issue`.")
    question = text_column("The patient's words.")
    answer = text_column("The model's words.")
    weight = dy.Float64(min=0, description="Weight of the concern (default 1).")


class SessionAdaptations(dy.Schema):
    """New constraints of the follow-up and how the revised regimen meets them."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    constraint = key_column("Constraint (default: empty, where a session has one).")
    kind = text_column("Such as `cost`, `access`, `preference`.")
    satisfied = dy.Bool(nullable=True, description="The revised regimen meets it; null: not judged.")
    quality_before = number_column("Q: quality of the first regimen.", nonnegative=True)
    quality_after = number_column("Quality of the revised regimen, on the same scale.", nonnegative=True)


class SessionJudgements(dy.Schema):
    """Judgements of sessions by judges and humans, one row each."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    metric = key_column("What is judged: see `JUDGED`.")
    target = key_column("What of the session: a diagnosis, a turn, a finding; empty: the session.")
    dimension = key_column("Dimension of the rubric; empty where there is one.")
    rater = key_column("Who judged.")
    repeat = dy.Int64(primary_key=True, min=0, description="Repetition of the same judgement; 0 counts.")
    rater_kind = _one_of(RATER_KINDS, "Kind of rater")
    value = dy.Float64(min=0, max=1, description="Judgement; 0 and 1 where it is yes or no.")


class SessionSystems(dy.Schema):
    """What the models are: models, baselines or a human reference, and variants of one base model."""

    model = key_column(MODEL)
    role = _one_of(ROLES, "What it is")
    base_model = text_column("Model that variants share.")
    thinking = dy.Bool(nullable=True, description="Variant that thinks before it answers.")


class SessionMetrics(dy.Schema):
    """The metrics of every session."""

    model = key_column(MODEL)
    case_id = key_column(CASE)
    run = _run()
    stage = _one_of(STAGES, "Stage")
    metric = key_column("Metric: see `metric_definitions`.")
    value = number_column("Value; null where it is not defined.")
    direction = _one_of(DIRECTIONS, "Which way is better")
    tier = _one_of(TIERS, "Tier")
    defined = dy.Bool(description="The metric is defined for the session.")


class MetricDefinitions(dy.Schema):
    """Catalogue of the metrics of sessions: what each means, and for how many sessions it is defined."""

    metric = key_column("Metric.")
    position = count_column("Place in the order of stages and metrics.")
    label = dy.String(description="Name as shown.")
    stage = _one_of(STAGES, "Stage")
    tier = _one_of(TIERS, "Tier")
    direction = _one_of(DIRECTIONS, "Which way is better")
    low = dy.Float64(description="Least value.")
    high = number_column("Greatest value; null: unbounded.")
    unit = dy.String(description="Unit; empty: a share or a ratio.")
    form_of = text_column("Primary or secondary metric of which this is another form.")
    needs = dy.String(description="Tables of the sessions that it is made from.")
    meaning = dy.String(description="What it says, in a sentence.")
    formula = dy.String(description="Formula.")
    section = dy.String(description="Where the paper defines it.")
    n_sessions = count_column("Sessions.")
    n_defined = count_column("Sessions for which it is defined.")
    why = text_column("Why it is not defined for the others, most frequent reason first.")


SESSION_TABLES: dict[str, type[dy.Schema]] = {
    "sessions": Sessions,
    "session_turns": SessionTurns,
    "session_cases": SessionCases,
    "session_aius": SessionAius,
    "session_precedence": SessionPrecedence,
    "session_gold": SessionGold,
    "session_differentials": SessionDifferentials,
    "session_regimens": SessionRegimens,
    "session_violations": SessionViolations,
    "session_followups": SessionFollowups,
    "session_adaptations": SessionAdaptations,
    "session_judgements": SessionJudgements,
    "session_systems": SessionSystems,
}
"""The validated tables of the sessions."""

FILES: dict[str, str] = {name: name.removeprefix("session_") for name in SESSION_TABLES}
"""The raw file of each: ``results/raw/<benchmark>/sessions/<stem>.parquet``."""

JUDGED = {
    "drss": "a rationale of the differential; target: the diagnosis; dimensions: the rubric's four",
    "neu": "use of a negative finding; target: finding and diagnosis",
    "repetition": "a repeated question yields new information; target: the turn",
    "fqr": "the answer matches the intent; target: the follow-up turn",
    "car": "the patient's concern is addressed; target: the follow-up turn or the concern",
    "aoc": "counselling that promotes adherence; dimensions: clarity, practicality, empathy",
    "sdbi": "shared decision-making; three dimensions",
    "psc": "the plan is safe; target: the plan. Reliability of judges only: PSC itself is counted by rule",
}
"""What `session_judgements.metric` may say."""
