"""Consultations scored by rubric criteria: the criteria, every response's score, the models' scores."""

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

RATER = "Rater whose labels are scored."
TAG = "Tag of the questions, or `all`."
POINTS = "points, 0 to 100"


class Criteria(dy.Schema):
    """The rubric: one row per question and criterion."""

    item_id = key_column("Question's item.")
    criterion_id = key_column("Criterion; unique within its question.")
    kind = dy.String(
        description="Kind of criterion, such as `core`, `evidence`, `conditional`, `major`, `minor`."
    )
    polarity = dy.String(
        check=lambda c: c.is_in(["positive", "negative"]),
        description="`positive`: a requirement, earns weight; `negative`: an error, costs points.",
    )
    weight = dy.Float64(
        min=0, description="Weight (of a requirement) or points (of an error), as the card says."
    )
    text = text_column("What the criterion asks.")


class ConsultationItems(dy.Schema):
    """Every response to a question: what it met, what it got wrong, and its score."""

    rater = key_column(RATER)
    model = key_column(MODEL)
    item_id = key_column("Question's item.")
    run = dy.Int64(primary_key=True, description="Run; 0 where the ratings name none.")
    case_id = dy.String(description="Case: the declared cluster, else the item itself.")
    n_met = count_column("Requirements met.")
    n_applicable = count_column("Requirements that apply and are rated.")
    n_not_applicable = count_column("Requirements that the rater says do not apply: they leave the score.")
    n_errors = count_column("Error criteria triggered.")
    n_unrated = count_column("Criteria without a label by this rater: they leave the score.")
    earned = share_column("Weight of the requirements met / weight of those that apply; null: none applies.")
    deduction = dy.Float64(min=0, description="Points taken off for errors.", metadata={"unit": POINTS})
    score = number_column("100 x earned - deduction, kept within 0 and 100.", unit=POINTS)


class ConsultationScores(dy.Schema):
    """Scores and error rates of consultations per tag; a statistic with its interval a row."""

    rater = key_column(RATER)
    tag = key_column(TAG)
    model = key_column(MODEL)
    statistic = key_column(
        "`item_mean` and `case_mean` of the scores (0 to 100); as shares: `error:<kind>` (responses with at "
        "least one such error), `met:<kind>` and `avoided:<kind>` (criteria)."
    )
    rank = dy.Int64(min=1, description="Position of the model by this statistic; 1 is best.")
    estimate = dy.Float64(description="Its value.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    method = dy.String(
        description="`case_bootstrap` or `item_bootstrap` (no cluster declared); `none: ...` says why "
        "there is no interval."
    )
    n_items = count_column("Questions that count.")
    n_cases = count_column("Cases they are of: what is resampled.")
    n_criteria = count_column("Rated criteria of the statistic.")
    n_missing = count_column(
        "Questions of the tag for which the rater has no scorable response of the model."
    )


class CriterionCounts(dy.Schema):
    """How many questions and criteria each tag has."""

    tag = key_column(TAG)
    kind = key_column("Kind of criterion, or `all`.")
    polarity = dy.String(description="`positive`, `negative`, or `both` for kind `all`.")
    n_items = count_column("Questions of the tag.")
    n_cases = count_column("Cases they are of.")
    n_criteria = count_column("Criteria of the kind.")
    weight = number_column("Weight of one requirement or points of one error; null where they differ.")
