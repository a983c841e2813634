"""Tables on behaviour: versions, specialties, decisions, flags, scores, reviews."""

from __future__ import annotations

from analysis.schemas.columns import (
    HIGH,
    LOW,
    METRIC,
    MODEL,
    TRACK,
    count_column,
    key_column,
    number_column,
    share_column,
)
from analysis.typed_frames import dy


class VersionChanges(dy.Schema):
    """What changed between two models of one family, on the items that both have."""

    track = key_column(TRACK)
    model_a = key_column("The earlier model: by release, then by identifier.")
    model_b = key_column("The later model.")
    kind = key_column("`verdict`, `label`, `decision` or `flag`.")
    name = key_column("The verdict, label, decision or flag.")
    n_items = count_column("Items with a row of both.")
    count_a = count_column("Items on which a shows it in any run.")
    count_b = count_column("Items on which b shows it in any run.")
    difference = dy.Int64(description="count_b - count_a.")
    ratio = number_column("count_b / count_a; null where count_a is 0.", nonnegative=True)
    n_only_a = count_column("Items on which only a shows it.")
    n_only_b = count_column("Items on which only b shows it.")
    p_value = share_column("Exact McNemar test on those items, two-sided.")
    p_holm = share_column("Holm over the rows of the pair in the track.")


class RankShifts(dy.Schema):
    """How a model's rank differs between two (track, metric) rankings, over the models in both."""

    track_from = key_column(TRACK)
    metric_from = key_column(METRIC)
    track_to = key_column(TRACK)
    metric_to = key_column(METRIC)
    model = key_column(MODEL)
    n_models = count_column("Models in both rankings.")
    rank_from = dy.Int64(min=1, description="Rank in the first, among them.")
    rank_to = dy.Int64(min=1, description="Rank in the second, among them.")
    shift = dy.Int64(description="rank_from - rank_to: above 0, the model stands higher in the second.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    p_rises = share_column("Share of resamples in which it stands higher in the second.")
    p_falls = share_column("Share of resamples in which it stands lower in the second.")


class Specialties(dy.Schema):
    """Where each model is strong among the values of an item column, and what it alone solves there."""

    stratum = key_column("Item column.")
    value = key_column("Its value.")
    model = key_column(MODEL)
    n_items = count_column("The model's cells of the primary metric.")
    estimate = dy.Float64(description="Mean over them.")
    rank = dy.Int64(min=1, description="Rank among the models within the value.")
    lead = number_column("Estimate minus that of the best other model; above 0 for the leader alone.")
    is_top_value = dy.Bool(
        description="The model's highest estimate among the column's values of at least 20 items."
    )
    n_unique = count_column("Answered items of the value that only this model solves.")


class Decisiveness(dy.Schema):
    """How often a model commits, how often it fails hard, and how the two go together. Counts responses."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    n_responses = count_column("Responses with a decision.")
    n_decisive = count_column("Of those, with a decisive one.")
    n_hard = count_column("Of those, with a hard failure.")
    n_decisive_hard = count_column("Decisive ones with a hard failure.")
    n_decisive_correct = count_column("Decisive ones that succeed.")
    n_cautious_correct = count_column("Others that succeed.")
    decisive_rate = share_column("n_decisive / n_responses.")
    hard_rate = share_column("n_hard / n_responses.")
    hard_given_decisive = share_column("n_decisive_hard / n_decisive.")
    hard_given_decisive_low = share_column(LOW)
    hard_given_decisive_high = share_column(HIGH)
    correct_given_decisive = share_column("n_decisive_correct / n_decisive.")
    correct_given_cautious = share_column("n_cautious_correct / (n_responses - n_decisive).")


class FlagOutcomes(dy.Schema):
    """How often a flag stands, and how often without success.

    Of the flag `reasoning_has_gold_step` that is the knowledge-to-action gap.
    """

    track = key_column(TRACK)
    model = key_column(MODEL)
    flag = key_column("Flag.")
    n_items = count_column("The model's items with any row.")
    n_flagged = count_column("Items with the flag in any run.")
    n_flagged_failed = count_column("Items with the flag in a run that does not succeed.")
    n_failed = count_column("Items with a run that does not succeed.")
    rate = share_column("n_flagged / n_items.")
    gap = share_column("n_flagged_failed / n_items.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    share_of_failures = share_column("n_flagged_failed / n_failed.")


class ScoreSummaries(dy.Schema):
    """How scores lie on the items that no model solves, and on the others. Cells count, not items."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    subset = key_column("`unsolved` (no model solves the item), `solved` or `all`: answered items.")
    n_items = count_column("Items.")
    n_cells = count_column("Cells with a value.")
    mean = number_column("Mean.")
    median = number_column("Median.")
    q25 = number_column("First quartile.")
    q75 = number_column("Third quartile.")
    share_zero = share_column("Share of cells at 0.")
    share_below_tenth = share_column("Share of cells below 0.1.")


class ScoreDistribution(dy.Schema):
    """Histogram of the scores that `score_summaries` sums up: bins of a twentieth, the last one closed."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    subset = key_column("As in `score_summaries`.")
    bin = dy.Int64(primary_key=True, min=0, max=19, description="Number of the bin.")
    low = dy.Float64(description="Its lower edge.")
    high = dy.Float64(description="Its upper edge.")
    n_cells = count_column("Cells in it.")
    share = share_column("n_cells / all cells of the subset.")


class ThresholdSensitivity(dy.Schema):
    """What share of a model's cells reaches a threshold, for a score that the verdict cuts somewhere."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    step = dy.Int64(primary_key=True, min=1, max=20, description="Threshold in twentieths.")
    model = key_column(MODEL)
    threshold = dy.Float64(min=0, max=1, description="Threshold.")
    n_items = count_column("Cells with a value.")
    share = share_column("Share of cells that reach it.")
    rank = dy.Int64(min=1, description="Rank by that share.")


class ModelClusters(dy.Schema):
    """Groups of models whose verdicts agree, by complete linkage of the concordance.

    At each level every two models of a group agree at least that often; the levels are those at which
    groups join.
    """

    track = key_column(TRACK)
    step = dy.Int64(primary_key=True, min=1, description="Number of the join; fewer groups with every step.")
    model = key_column(MODEL)
    level = share_column("Least agreement of two models in the group that the step joins.")
    cluster = dy.Int64(min=1, description="Group; numbered by its first model in code-point order.")
    size = count_column("Models in the group.")


class AgreementByClass(dy.Schema):
    """How often a rater gives the same category as another one, for each category of the other one."""

    rater_a = key_column("Whose category is given.")
    rater_b = key_column("Who agrees, or not.")
    criterion_id = key_column("Criterion; empty where the ratings name none.")
    label = key_column("Category given by a.")
    n = count_column("What both have rated and a has given this category.")
    n_agreed = count_column("Of those, with the same category by b.")
    rate = share_column("n_agreed / n.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)


class RatingLabels(dy.Schema):
    """How often each category was given, by one rater, by all raters of a kind, or by any of them."""

    criterion_id = key_column("Criterion; empty where the ratings name none.")
    who = key_column("A rater, `every <kind>` (all that have rated it) or `any <kind>`.")
    label = key_column("Category.")
    n = count_column("What was rated (for `every` and `any`: by at least two raters of the kind).")
    count = count_column("Of those, with the category.")
    rate = share_column("count / n.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
