"""Tables of a benchmark whose ratings follow a scoring rubric."""

from __future__ import annotations

from analysis.schemas.columns import (
    HIGH,
    LOW,
    MODEL,
    count_column,
    key_column,
    number_column,
    share_column,
    text_column,
)
from analysis.typed_frames import dy

RATERS = "Whose ratings: `human`, `judge` or `scorer` (their mean)."
UNIT = "`subdimension`, `domain` or `composite`."
NAME = "Sub-dimension, domain, or composite: `unweighted` or `weighted` (the declared profile)."
CLASS = "Comparability class: vignettes of one task type with the same applicability."
CONFIDENCE = "Confidence level."


class RubricSheets(dy.Schema):
    """The validated scoring sheets: one row per rater, response, round and line of the sheet."""

    model = key_column(MODEL)
    item_id = key_column("Vignette: an item's identifier.")
    run = dy.Int64(primary_key=True, description="Run of the response.")
    round = key_column("`main`, or a round of calibration.")
    rater = key_column("Who rated.")
    criterion_id = key_column("Line of the sheet: a field of the rubric, the flag, the review of the key.")
    rater_kind = dy.String(description="`human`, `judge` or `scorer`.")
    value = number_column("Score or count; null for N/A and for answers in words.")
    label = text_column("N/A, yes or no, or tags parted by `;`.")
    applicable = dy.Bool(description="False: the sheet says N/A.")
    reason = text_column("Why N/A, or what a response volunteers that makes the line apply.")
    note = text_column("The rater's evidence.")
    error_ids = text_column(
        "Underlying errors that lowered this score, parted by `;`; one error may lower several."
    )
    list_items = text_column(
        "Entries of a strict list omitted, or of a flexible list covered, parted by `;`."
    )
    case_criterion = text_column("Hazard of the key that a flag names.")
    trigger = text_column("The response's text that triggered a flag.")
    key_sha256 = text_column("Hash of the key that the rater saw.")
    rated_at = dy.Datetime(description="When it was rated, UTC.", time_unit="us")


class RubricScores(dy.Schema):
    """Scores of every response: sub-dimensions, domains, composites, counts; raters of a kind averaged."""

    model = key_column(MODEL)
    item_id = key_column("Vignette.")
    run = dy.Int64(primary_key=True, description="Run of the response.")
    raters = key_column(RATERS)
    unit = key_column("`subdimension`, `domain`, `composite`, `count` or `option`.")
    name = key_column(f"{NAME} Or a count, or an option of the rubric.")
    score = number_column(
        "Score; null where it does not apply. A domain is the mean of its applicable sub-dimensions, a "
        "composite the (weighted) mean of applicable domains."
    )
    score_prespecified = number_column(
        "The same without sub-dimensions that only the response made apply: alike for all models."
    )
    applies = dy.Bool(description="False: N/A.")
    volunteered = dy.Bool(description="It applies, or differs, only because of what the response volunteers.")
    n_raters = count_column("Raters whose scores enter.")
    task_type = dy.String(description="Task type of the vignette.")
    comparability = dy.String(description=CLASS)
    flagged = dy.Bool(
        nullable=True, description="The response is flagged, by the card's rule over these raters."
    )


class Applicability(dy.Schema):
    """Which sub-dimensions apply to which vignette by its key, and what raters recorded."""

    item_id = key_column("Vignette.")
    criterion_id = key_column("Sub-dimension.")
    domain = dy.String(description="Its domain.")
    title = dy.String(description="Name of the sub-dimension.")
    domain_title = dy.String(description="Name of the domain.")
    position = dy.Int64(min=1, description="Place among the rubric's score lines.")
    task_type = dy.String(description="Task type of the vignette.")
    comparability = dy.String(description=CLASS)
    applies = dy.Bool(description="It applies by the key.")
    why_not = text_column("Why not, by the key.")
    in_mean = dy.Bool(description="It enters its domain's score.")
    n_scored = count_column("Sheets with a score.")
    n_not_applicable = count_column("Sheets with N/A.")
    n_volunteered = count_column("Responses to which it applies only through what they volunteer.")
    n_disputed = count_column("Responses that some raters score and others find N/A.")
    reason = text_column("The raters' most frequent reason for N/A.")


class RubricClasses(dy.Schema):
    """The comparability classes, with the weights that are in force in each."""

    comparability = key_column(CLASS)
    task_type = dy.String(description="Task type.")
    not_applicable = dy.String(description="Sub-dimensions that do not apply, parted by spaces.")
    domains = dy.String(description="Domains that apply, parted by spaces.")
    profile = dy.String(description="Declared weighting profile; empty: none.")
    weights = dy.String(
        description="Weights of the applicable domains after renormalising, as `domain=share`."
    )
    n_items = count_column("Vignettes.")
    n_models = count_column("Models with a rated response.")
    n_responses = count_column("Rated responses.")
    n_volunteered = count_column("Responses whose own applicability goes beyond the class's.")


class RubricVignettes(dy.Schema):
    """Every vignette's key: what was settled, when, its hash and how often it was rated."""

    item_id = key_column("Vignette.")
    task_type = dy.String(description="Task type.")
    comparability = dy.String(description=CLASS)
    audience = text_column("Who the response is for.")
    decision_point = text_column("Up to where evidence is known.")
    features = dy.String(description="Conditions that hold, parted by spaces.")
    n_hazards = count_column("Safety-critical errors that the key names.")
    prespecified_at = dy.Datetime(description="When the key was settled, UTC.", time_unit="us")
    first_rated_at = dy.Datetime(
        nullable=True, description="First rating, UTC; null: not rated.", time_unit="us"
    )
    sha256 = dy.String(description="Hash of the key.")
    n_sheets = count_column("Scoring sheets.")


class SafetyFlags(dy.Schema):
    """Flags raised, with the case criterion and the triggering text; and low safety scores without review."""

    model = key_column(MODEL)
    item_id = key_column("Vignette.")
    run = dy.Int64(primary_key=True, description="Run of the response.")
    rater = key_column("Who raised it.")
    kind = key_column("`flag`, or `not_reviewed`: a low safety score without a recorded review of the key.")
    criterion_id = key_column("The flag, or the sub-dimension with the low score.")
    rater_kind = dy.String(description="`human`, `judge` or `scorer`.")
    case_criterion = text_column("Hazard of the key.")
    statement = text_column("What the key says of it.")
    trigger = text_column("The response's text.")
    score = number_column("The low score.")
    note = text_column("The rater's note.")


class FlagRates(dy.Schema):
    """How many of a model's responses are flagged, with exact intervals."""

    comparability = key_column("Comparability class, or `all`.")
    raters = key_column(RATERS)
    rule = key_column("`any`: by one rater of the kind; `majority`: by more than half of those who rated it.")
    model = key_column(MODEL)
    n_responses = count_column("Responses with the flag answered.")
    n_flagged = count_column("Flagged ones.")
    rate = share_column("Share.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=CONFIDENCE)
    declared = dy.Bool(description="The rule is the card's.")


class RubricModels(dy.Schema):
    """Models' mean scores per comparability class, with intervals, ties and the flags beside them.

    Scores are those that all models could earn: sub-dimensions that only a response made apply are
    left out here and counted. Composites have no rows over all classes: they are not comparable.
    """

    comparability = key_column(
        "Comparability class; `all` for sub-dimensions and domains, never for composites."
    )
    raters = key_column(RATERS)
    unit = key_column(UNIT)
    name = key_column(NAME)
    model = key_column(MODEL)
    rank = dy.Int64(min=1, description="Position by estimate.")
    estimate = number_column("Mean over vignettes.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=CONFIDENCE)
    n_items = count_column("Vignettes.")
    n_units = count_column("Vignettes, or clusters of them: what is resampled.")
    tier = dy.Int64(min=1, description="Tier by adjacent tests.")
    letters = dy.String(description="Models that share a letter do not differ significantly (Holm).")
    rank_low = dy.Int64(min=1, description="Best rank not ruled out.")
    rank_high = dy.Int64(min=1, description="Worst rank not ruled out.")
    n_responses = count_column("Responses.")
    n_flagged = count_column("Of these, flagged by the card's rule.")
    n_volunteered = count_column("Of these, with a sub-dimension that only the response made apply.")


class RubricTests(dy.Schema):
    """Models compared in pairs on the vignettes that both have."""

    comparability = key_column("As in `rubric_models`.")
    raters = key_column(RATERS)
    unit = key_column(UNIT)
    name = key_column(NAME)
    model_a = key_column("The higher ranked model.")
    model_b = key_column("The other.")
    difference = number_column("Mean difference, a - b.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    n_items = count_column("Common vignettes.")
    n_better = count_column("Vignettes on which a scores higher.")
    n_worse = count_column("Vignettes on which b scores higher.")
    p_value = share_column("Two-sided p-value.")
    method = dy.String(description="How it was found.")
    adjacent = dy.Bool(description="Neighbours in rank.")
    p_bonferroni = share_column("Bonferroni over adjacent pairs; null for others.")
    p_holm = share_column("Holm over all pairs of the class, raters and name.")
    significant = dy.Bool(description="Adjacent: p below alpha / m; others: p_holm below alpha.")


class ProfileSensitivity(dy.Schema):
    """What another weighting profile would change."""

    comparability = key_column(CLASS)
    raters = key_column(RATERS)
    profile = key_column("`unweighted`, or a profile of the rubric.")
    model = key_column(MODEL)
    declared = dy.Bool(description="The profile is the one declared for the task type.")
    estimate = number_column("Mean composite; null where all weights that apply are 0.")
    rank = dy.Int64(min=1, nullable=True, description="Rank under the profile.")
    rank_declared = dy.Int64(min=1, nullable=True, description="Rank under the declared one.")
    shift = dy.Int64(nullable=True, description="rank_declared - rank: above 0, it stands higher here.")
    tau = number_column("Kendall's tau-b of the class's order with the declared one.")


class RubricDistribution(dy.Schema):
    """How often each score was given."""

    raters = key_column(RATERS)
    criterion_id = key_column("Sub-dimension.")
    model = key_column(f"{MODEL} Or `all`.")
    value = dy.Int64(primary_key=True, description="Score.")
    n = count_column("Ratings with it.")
    share = share_column("Share of the ratings that are not N/A.")
    n_not_applicable = count_column("Ratings that are N/A, of this sub-dimension and model.")
