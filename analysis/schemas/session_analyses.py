"""Tables that analyse consultation sessions: scores, composite, hidden errors, judges, validity, variants."""

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

LEVEL = "Confidence level."
ROLE = "`model`, `baseline` or `reference`; only models are ranked."
SOURCE = "What is drawn anew: `weights` of the metrics, `stage_weights` of the stages, or `cases`."


class SessionScores(dy.Schema):
    """Mean of every metric of consultation sessions, per model, raw and on a scale from 0 to 1."""

    model = key_column(MODEL)
    metric = key_column("Metric: see `metric_definitions`.")
    role = dy.String(description=ROLE)
    stage = dy.String(description="Stage.")
    tier = dy.String(description="`primary`, `secondary` or `supplementary`.")
    direction = dy.String(description="Which way is better: `higher` or `lower`.")
    n_sessions = count_column("Sessions.")
    n_defined = count_column("Sessions for which the metric is defined: those in the mean.")
    n_cases = count_column("Cases that these lie in.")
    estimate = number_column("Mean over the sessions; null where none is defined.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = number_column(LEVEL)
    normalised = share_column("The mean mapped to [0, 1], 1 the best: by the bounds, or x / (1 + x).")
    normalised_low = share_column(LOW)
    normalised_high = share_column(HIGH)


class StageScores(dy.Schema):
    """Means of the normalised primary metrics: per stage, and the composite over all."""

    model = key_column(MODEL)
    stage = key_column(
        "`history`, `diagnosis`, `treatment`, `follow_up`; `composite`: all primary metrics alike; "
        "`composite_of_stages`: all stages alike."
    )
    role = dy.String(description=ROLE)
    n_metrics = count_column("Primary metrics in the mean.")
    estimate = share_column("Mean of the normalised metrics; null where one of them is not defined.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    level = number_column(LEVEL)
    rank = dy.Int64(nullable=True, min=1, description="Rank among the models with a value.")
    lacking = text_column("Primary metrics that are not defined for any session of the model.")


class CompositeRanks(dy.Schema):
    """How the models' ranks by the composite move when weights or cases are drawn anew."""

    model = key_column(MODEL)
    source = key_column(SOURCE)
    rank = dy.Int64(min=1, description="Rank by the composite in force.")
    rank_low = dy.Int64(min=1, description="Best rank, after cutting the tails of the draws off.")
    rank_high = dy.Int64(min=1, description="Worst rank, likewise.")
    mean_rank = dy.Float64(min=1, description="Mean rank.")
    p_first = share_column("Share of the draws in which the model is first; ties share.", nullable=False)
    rank_low_all = dy.Int64(
        nullable=True, min=1, description="Of `cases`: best rank that simultaneous intervals leave."
    )
    rank_high_all = dy.Int64(nullable=True, min=1, description="Of `cases`: worst rank, likewise.")
    level = number_column("Share of the draws within the tails.")
    n_draws = count_column("Draws.")


class CompositeOrders(dy.Schema):
    """How often the order of the models changes when weights or cases are drawn anew."""

    source = key_column(SOURCE)
    n_models = count_column("Ranked models.")
    n_draws = count_column("Draws.")
    p_same_order = share_column("Share of the draws with every rank as in force.", nullable=False)
    p_same_first = share_column("Share of the draws with the same model first.", nullable=False)
    tau = number_column("Mean of Kendall's tau-b with the order in force.")
    tau_low = number_column("Lower end of its range, after cutting the tails off.")
    tau_high = number_column("Upper end.")
    level = number_column("Share of the draws within the tails.")


class CompositePairs(dy.Schema):
    """Every pair of ranked models: difference of the composite, and how often it keeps its sign."""

    model_a = key_column("The higher ranked model.")
    model_b = key_column("The lower ranked model.")
    difference = number_column("Composite of a minus that of b.")
    ci_low = number_column("Lower limit, simultaneous over all pairs.")
    ci_high = number_column("Upper limit, simultaneous over all pairs.")
    level = number_column(LEVEL)
    p_cases = share_column("Share of the resamples of cases in which a is above b; ties half.")
    p_weights = share_column("Share of the weights of metrics with a above b; ties half.")
    p_stage_weights = share_column("Share of the weights of stages with a above b; ties half.")
    n_better = count_column("Primary metrics on which a is better.")
    n_worse = count_column("Primary metrics on which a is worse; 0: no weights put b above a.")


class HiddenIndicators(dy.Schema):
    """Credit for the diagnosis as process, safety and adaptation come in, and what the drop is due to.

    A session's credit is 1 where the first diagnosis is core; with process it is multiplied by
    MNI-Comp, in full by PSC and DCSR too. The drop is attributed by the Shapley value.
    """

    model = key_column(MODEL)
    quantity = key_column(
        "`static`, `with_process`, `full`: means of the credit; `drop`: static less full; "
        "`drop_history`, `drop_safety`, `drop_adaptation`: its parts, which sum to it."
    )
    role = dy.String(description=ROLE)
    estimate = number_column("Mean over the sessions for which all of it is defined.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = number_column(LEVEL)
    n_sessions = count_column("Sessions in the mean.")
    n_left_out = count_column("Sessions for which a part is not defined.")


class HiddenErrors(dy.Schema):
    """Statically right sessions that fail in history, safety or adaptation: overlapping and exclusive.

    History fails below a share of the minimal necessary information, safety with a hard violation,
    adaptation where a constraint is not met or the regimen loses quality.
    """

    model = key_column(MODEL)
    coverage_at = dy.Float64(
        primary_key=True, min=0, max=1, description="History fails with less MNI coverage than this."
    )
    error = key_column(
        "`history`, `safety`, `adaptation` (overlapping); `history_only`, `safety_only`, "
        "`adaptation_only`, `several`, `none` (exclusive: they sum to all); `any`."
    )
    role = dy.String(description=ROLE)
    in_force = dy.Bool(description="The threshold that the report shows.")
    n = count_column("Statically right sessions with it.")
    n_right = count_column("Statically right sessions for which all is defined.")
    n_sessions = count_column("Sessions for which all is defined.")
    n_left_out = count_column("Sessions for which something is not defined.")
    share = share_column("Share of the statically right sessions.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    share_of_all = share_column("Share of all sessions.")
    all_low = share_column(LOW)
    all_high = share_column(HIGH)
    level = number_column(LEVEL)


class JudgeReliability(dy.Schema):
    """How far judges agree with themselves, with humans and with each other, and humans among themselves."""

    metric = key_column("What is judged: see `session_judgements`.")
    unit = key_column("`judgement`: one by one; `session`: means over a session's judgements.")
    comparison = key_column(
        "`repeat` (the same judge again), `human_repeat`, `judge_human` (against the humans' consensus), "
        "`human_human`, `judge_judge`, `humans`, `judges` (all together)."
    )
    rater_a = key_column("First rater; empty: all of the kind.")
    rater_b = key_column("Second rater; empty: the consensus, or all of the kind.")
    statistic = key_column(
        "`spearman`, `mean_difference`, `mean_absolute_difference`; `agreement`, `kappa`, "
        "`kappa_quadratic`; `fleiss_kappa`."
    )
    estimate = number_column("Estimate; null where the data do not define it.")
    std_error = number_column("Standard error.", nonnegative=True)
    ci_low = number_column("Lower limit of the bootstrap interval over cases.")
    ci_high = number_column(HIGH)
    level = number_column(LEVEL)
    n = count_column("What both have judged.")
    n_cases = count_column("Cases that it lies in.")
    n_levels = count_column("Distinct values of the scale, as used.")
    n_unresolved = count_column("Judgements on which humans differ without a majority: left out.")


class MetricValidity(dy.Schema):
    """Which metrics put baselines below the models, and a reference above them, as one would wish."""

    metric = key_column("Metric.")
    system = key_column("Baseline or reference.")
    role = dy.String(description="`baseline` or `reference`.")
    tier = dy.String(description="Tier of the metric.")
    direction = dy.String(description="Which way is better.")
    estimate = number_column("Mean of the system; null where the metric is not defined for it.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = number_column(LEVEL)
    best_model = number_column("Best mean of a model.")
    worst_model = number_column("Worst mean of a model.")
    n_models = count_column("Models compared.")
    n_as_wished = count_column(
        "Models on the wished side: better than a baseline, not better than a reference."
    )
    n_against = count_column("Models on the other side, beyond what the cases leave open.")
    as_wished = dy.Bool(nullable=True, description="All models stand on the wished side; null: not compared.")


class PairedFactors(dy.Schema):
    """Variants of the same base model, compared on the same cases: thinking minus not thinking.

    Positive is better, whichever way the metric runs.
    """

    factor = key_column("What the variants differ in: `thinking`.")
    base_model = key_column("Base model; `all`: mean over the base models.")
    model_a = key_column("Variant with the factor; empty: several.")
    model_b = key_column("Variant without it; empty: several.")
    metric = key_column("Metric.")
    stage = dy.String(description="Stage.")
    tier = dy.String(description="Tier.")
    n_pairs = count_column("Pairs of variants.")
    n_cases = count_column("Cases that all of them have.")
    mean_a = number_column("Mean with the factor, as the metric runs.")
    mean_b = number_column("Mean without it.")
    advantage = number_column("Mean paired difference, positive where the factor is better.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = number_column(LEVEL)
    p_value = share_column("Paired test: sign flips over cases.")
    p_holm = share_column("Adjusted by Holm within the tier and the base model.")
    p_benjamini_hochberg = share_column("Adjusted for the false discovery rate within the same.")
    method = dy.String(description="Test.")


class ReplayedSessions(dy.Schema):
    """Sessions that the report replays turn by turn, and why these."""

    model = key_column(MODEL)
    case_id = key_column("Case.")
    run = dy.Int64(primary_key=True, min=0, description="Repetition of the same case.")
    number = dy.Int64(min=1, description="Place among the examples.")
    example = dy.String(description="What it is an example of.")
    reason = dy.String(description="What was looked for, in words.")
    n_alike = count_column("Sessions of which it is one.")


class ReplayedTurns(dy.Schema):
    """Turns of the replayed sessions: what was revealed, and what each metric counted."""

    model = key_column(MODEL)
    case_id = key_column("Case.")
    run = dy.Int64(primary_key=True, min=0, description="Repetition of the same case.")
    turn = dy.Int64(primary_key=True, min=0, description="Turn.")
    question = text_column("The question.")
    template = text_column("Inquiry template.")
    revealed = dy.List(dy.String(), description="What was revealed, as text.")
    necessary = dy.List(
        dy.String(), description="Of it, necessary units revealed for the first time (MNI-Comp)."
    )
    beyond = dy.List(dy.String(), description="Of it, further units revealed for the first time (CPRw).")
    beyond_weight = number_column("Their importance.", nonnegative=True)
    n_necessary_so_far = count_column("Necessary units revealed up to here.")
    n_necessary = count_column("Necessary units of the case.")
    information_gain = number_column("Information gained (IGE).", unit="bits")
    expert = dy.List(dy.String(), description="What doctors would ask next (Hit@K).")
    hit = dy.Bool(nullable=True, description="The question is one of them; null: none known.")
    repeats = dy.Int64(nullable=True, min=0, description="Earlier turn with the same intent.")
    too_late = dy.List(dy.String(), description="What it should have come before and did not (POVR).")
    counted = dy.Bool(description="Within T_dx: the metrics count the turn.")


SESSION_ANALYSES: dict[str, type[dy.Schema]] = {
    "session_scores": SessionScores,
    "stage_scores": StageScores,
    "composite_ranks": CompositeRanks,
    "composite_orders": CompositeOrders,
    "composite_pairs": CompositePairs,
    "hidden_indicators": HiddenIndicators,
    "hidden_errors": HiddenErrors,
    "judge_reliability": JudgeReliability,
    "metric_validity": MetricValidity,
    "paired_factors": PairedFactors,
    "replayed_sessions": ReplayedSessions,
    "replayed_turns": ReplayedTurns,
}
"""The analyses of consultation sessions."""
