"""Schemas of the tables about behaviour: versions, specialties, decisions, flags, scores, reviews.

They stand apart from `analysis.schemas` until the workflow builds these tables.
"""

from __future__ import annotations

import dataframely as dy

from analysis.schemas import (
    HIGH,
    LOW,
    METRIC,
    MODEL,
    TRACK,
    _count,
    _key,
    _number,
    _share,
)


class VersionChanges(dy.Schema):
    """What changed between two models of one family, on the items that both have."""

    track = _key(TRACK)
    model_a = _key("The earlier model: by release, then by identifier.")
    model_b = _key("The later model.")
    kind = _key("`verdict`, `label`, `decision` or `flag`.")
    name = _key("The verdict, label, decision or flag.")
    n_items = _count("Items with a row of both.")
    count_a = _count("Items on which a shows it in any run.")
    count_b = _count("Items on which b shows it in any run.")
    difference = dy.Int64(description="count_b - count_a.")
    ratio = _number("count_b / count_a; null where count_a is 0.", nonnegative=True)
    n_only_a = _count("Items on which only a shows it.")
    n_only_b = _count("Items on which only b shows it.")
    p_value = _share("Exact McNemar test on those items, two-sided.")
    p_holm = _share("Holm over the rows of the pair in the track.")


class RankShifts(dy.Schema):
    """How a model's rank differs between two (track, metric) rankings, over the models in both."""

    track_from = _key(TRACK)
    metric_from = _key(METRIC)
    track_to = _key(TRACK)
    metric_to = _key(METRIC)
    model = _key(MODEL)
    n_models = _count("Models in both rankings.")
    rank_from = dy.Int64(min=1, description="Rank in the first, among them.")
    rank_to = dy.Int64(min=1, description="Rank in the second, among them.")
    shift = dy.Int64(description="rank_from - rank_to: above 0, the model stands higher in the second.")
    ci_low = _number(LOW)
    ci_high = _number(HIGH)
    p_rises = _share("Share of resamples in which it stands higher in the second.")
    p_falls = _share("Share of resamples in which it stands lower in the second.")


class Specialties(dy.Schema):
    """Where each model is strong among the values of an item column, and what it alone solves there."""

    stratum = _key("Item column.")
    value = _key("Its value.")
    model = _key(MODEL)
    n_items = _count("The model's cells of the primary metric.")
    estimate = dy.Float64(description="Mean over them.")
    rank = dy.Int64(min=1, description="Rank among the models within the value.")
    lead = _number("Estimate minus that of the best other model; above 0 for the leader alone.")
    is_top_value = dy.Bool(
        description="The model's highest estimate among the column's values of at least 20 items."
    )
    n_unique = _count("Answered items of the value that only this model solves.")


class Decisiveness(dy.Schema):
    """How often a model commits, how often it fails hard, and how the two go together. Counts responses."""

    track = _key(TRACK)
    model = _key(MODEL)
    n_responses = _count("Responses with a decision.")
    n_decisive = _count("Of those, with a decisive one.")
    n_hard = _count("Of those, with a hard failure.")
    n_decisive_hard = _count("Decisive ones with a hard failure.")
    n_decisive_correct = _count("Decisive ones that succeed.")
    n_cautious_correct = _count("Others that succeed.")
    decisive_rate = _share("n_decisive / n_responses.")
    hard_rate = _share("n_hard / n_responses.")
    hard_given_decisive = _share("n_decisive_hard / n_decisive.")
    hard_given_decisive_low = _share(LOW)
    hard_given_decisive_high = _share(HIGH)
    correct_given_decisive = _share("n_decisive_correct / n_decisive.")
    correct_given_cautious = _share("n_cautious_correct / (n_responses - n_decisive).")


class FlagOutcomes(dy.Schema):
    """How often a flag stands, and how often without success.

    Of the flag `reasoning_has_gold_step` that is the knowledge-to-action gap.
    """

    track = _key(TRACK)
    model = _key(MODEL)
    flag = _key("Flag.")
    n_items = _count("The model's items with any row.")
    n_flagged = _count("Items with the flag in any run.")
    n_flagged_failed = _count("Items with the flag in a run that does not succeed.")
    n_failed = _count("Items with a run that does not succeed.")
    rate = _share("n_flagged / n_items.")
    gap = _share("n_flagged_failed / n_items.")
    ci_low = _share(LOW)
    ci_high = _share(HIGH)
    share_of_failures = _share("n_flagged_failed / n_failed.")


class ScoreSummaries(dy.Schema):
    """How scores lie on the items that no model solves, and on the others. Cells count, not items."""

    track = _key(TRACK)
    metric = _key(METRIC)
    subset = _key("`unsolved` (no model solves the item), `solved` or `all`: answered items.")
    n_items = _count("Items.")
    n_cells = _count("Cells with a value.")
    mean = _number("Mean.")
    median = _number("Median.")
    q25 = _number("First quartile.")
    q75 = _number("Third quartile.")
    share_zero = _share("Share of cells at 0.")
    share_below_tenth = _share("Share of cells below 0.1.")


class ScoreDistribution(dy.Schema):
    """Histogram of the scores that `score_summaries` sums up: bins of a twentieth, the last one closed."""

    track = _key(TRACK)
    metric = _key(METRIC)
    subset = _key("As in `score_summaries`.")
    bin = dy.Int64(primary_key=True, min=0, max=19, description="Number of the bin.")
    low = dy.Float64(description="Its lower edge.")
    high = dy.Float64(description="Its upper edge.")
    n_cells = _count("Cells in it.")
    share = _share("n_cells / all cells of the subset.")


class ThresholdSensitivity(dy.Schema):
    """What share of a model's cells reaches a threshold, for a score that the verdict cuts somewhere."""

    track = _key(TRACK)
    metric = _key(METRIC)
    step = dy.Int64(primary_key=True, min=1, max=20, description="Threshold in twentieths.")
    model = _key(MODEL)
    threshold = dy.Float64(min=0, max=1, description="Threshold.")
    n_items = _count("Cells with a value.")
    share = _share("Share of cells that reach it.")
    rank = dy.Int64(min=1, description="Rank by that share.")


class ModelClusters(dy.Schema):
    """Groups of models whose verdicts agree, by complete linkage of the concordance.

    At each level every two models of a group agree at least that often; the levels are those at which
    groups join.
    """

    track = _key(TRACK)
    step = dy.Int64(primary_key=True, min=1, description="Number of the join; fewer groups with every step.")
    model = _key(MODEL)
    level = _share("Least agreement of two models in the group that the step joins.")
    cluster = dy.Int64(min=1, description="Group; numbered by its first model in code-point order.")
    size = _count("Models in the group.")


class AgreementByClass(dy.Schema):
    """How often a rater gives the same category as another one, for each category of the other one."""

    rater_a = _key("Whose category is given.")
    rater_b = _key("Who agrees, or not.")
    criterion_id = _key("Criterion; empty where the ratings name none.")
    label = _key("Category given by a.")
    n = _count("What both have rated and a has given this category.")
    n_agreed = _count("Of those, with the same category by b.")
    rate = _share("n_agreed / n.")
    ci_low = _share(LOW)
    ci_high = _share(HIGH)


class RatingLabels(dy.Schema):
    """How often each category was given, by one rater, by all raters of a kind, or by any of them."""

    criterion_id = _key("Criterion; empty where the ratings name none.")
    who = _key("A rater, `every <kind>` (all that have rated it) or `any <kind>`.")
    label = _key("Category.")
    n = _count("What was rated (for `every` and `any`: by at least two raters of the kind).")
    count = _count("Of those, with the category.")
    rate = _share("count / n.")
    ci_low = _share(LOW)
    ci_high = _share(HIGH)


BEHAVIOUR: dict[str, type[dy.Schema]] = {
    "version_changes": VersionChanges,
    "rank_shifts": RankShifts,
    "specialties": Specialties,
    "decisiveness": Decisiveness,
    "flag_outcomes": FlagOutcomes,
    "score_summaries": ScoreSummaries,
    "score_distribution": ScoreDistribution,
    "threshold_sensitivity": ThresholdSensitivity,
    "model_clusters": ModelClusters,
    "agreement_by_class": AgreementByClass,
    "rating_labels": RatingLabels,
}
"""The tables about behaviour."""
