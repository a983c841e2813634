"""Tables on episodes: the items of a cluster taken together, controls, endpoints, judge audits, families."""

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
    text_column,
)
from analysis.typed_frames import dy

ENDPOINT = "`all_correct` (every item), `all_correct:<component>`, or a joint endpoint of the card."
EPISODES = "Episodes: clusters of which the model has a cell on every item that the endpoint asks for."
CONSTRUCTION = "The card says that the model was used in choosing the episodes."
LEVEL = "Confidence level."


class Episodes(dy.Schema):
    """How often a model is right on a whole cluster, a row per interval method."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    endpoint = key_column(ENDPOINT)
    method = key_column("Interval method: `clopper_pearson` (exact), `wilson`, `cluster_bootstrap`.")
    rank = dy.Int64(min=1, description="Position by share (12 decimals, descending), then by model.")
    n_clusters = count_column(EPISODES)
    n_success = count_column("Episodes with every item of the endpoint right.")
    share = share_column("n_success / n_clusters.", nullable=False)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=LEVEL)
    n_incomplete = count_column("Clusters left out: the model lacks a cell on an item of the endpoint.")
    n_without = count_column("Clusters of the track without an item of one of the endpoint's components.")
    n_items = count_column("Items of those episodes that the endpoint asks for.")
    construction = dy.Bool(description=CONSTRUCTION)


class EpisodeStates(dy.Schema):
    """In how many episodes exactly these of the declared components or endpoints are right."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    state = key_column("What is right, joined by ` + ` in the card's order; `none` where nothing is.")
    holds = dy.List(dy.String(), description="What is right, in the card's order.")
    fails = dy.List(dy.String(), description="What is not.")
    n_clusters = count_column("Episodes in this state.")
    n_total = count_column("Episodes in which all of them can be told.")
    share = share_column("n_clusters / n_total.", nullable=False)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)


class EpisodeNested(dy.Schema):
    """How each further requirement narrows the set of successful episodes."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    step = dy.Int64(primary_key=True, min=1, description="Number of requirements.")
    requirement = dy.String(description="The component or endpoint that the step adds.")
    n_clusters = count_column("Episodes in which all requirements of the last step can be told.")
    n_success = count_column("Of those, with every requirement up to this step met.")
    share = share_column("n_success / n_clusters.", nullable=False)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    kept = share_column("Of the episodes that met the step before, the share that meets this one too.")


class EpisodeDepth(dy.Schema):
    """Success by the number of decisions, and how long an episode stays right."""

    track = key_column(TRACK)
    endpoint = key_column("An endpoint of `episodes`; for `turn` always `all_correct`.")
    kind = key_column("`decisions`: episodes with exactly so many; `turn`: everything up to this turn.")
    step = dy.Int64(primary_key=True, min=1, description="Number of decisions, or of the turn.")
    model = key_column(MODEL)
    n_clusters = count_column("Episodes with exactly (`turn`: at least) so many.")
    n_items = count_column("Decisions in those episodes (`turn`: up to this turn).")
    n_success = count_column("Episodes that succeed (`turn`: with every answer up to this turn right).")
    share = share_column("n_success / n_clusters.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    item_accuracy = share_column("Share of right items among n_items (`turn`: of this turn's items).")
    n_at_risk = count_column("`turn`: episodes with this turn and everything before right.", nullable=True)
    n_failed = count_column("`turn`: of those, with this turn wrong.", nullable=True)
    survival = share_column("`turn`: Kaplan-Meier share still right; shorter episodes are censored.")
    survival_low = share_column(LOW)
    survival_high = share_column(HIGH)


class EpisodeGroups(dy.Schema):
    """Episodes and item accuracy within the values of an item column that is constant within clusters."""

    stratum = key_column("Item column.")
    value = key_column("Its value.")
    track = key_column(TRACK)
    model = key_column(MODEL)
    endpoint = key_column("An endpoint of `episodes`, or `accuracy:<component>`: share of right items.")
    n_clusters = count_column(EPISODES)
    n = count_column("Episodes, or items (`accuracy`).")
    n_success = count_column("Of those, right; null where cells are not 0 or 1.", nullable=True)
    share = share_column("n_success / n; mean of the cells for `accuracy`.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    construction = dy.Bool(description=CONSTRUCTION)


class CompositionGap(dy.Schema):
    """Joint success against what single parts would let expect."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    endpoint = key_column("A joint endpoint of several components, or `all_correct`.")
    parts = dy.List(dy.String(), description="Its components; empty where the parts are the items.")
    n_clusters = count_column(EPISODES)
    joint = share_column("Share of episodes with everything right.", nullable=False)
    item_accuracy = share_column("Share of right items over the same episodes.", nullable=False)
    independent = share_column("Product of the parts' shares: joint success if they failed independently.")
    weakest = share_column("The lowest of the parts' shares: joint success cannot exceed it.")
    weakest_part = text_column("Which part that is (the first in order); null where the parts are items.")
    lowest_possible = share_column("Joint success cannot fall below this: max(0, sum of shares - parts + 1).")
    gap_accuracy = dy.Float64(description="joint - item_accuracy.")
    gap_accuracy_low = number_column(LOW)
    gap_accuracy_high = number_column(HIGH)
    gap_independent = number_column("joint - independent.")
    gap_independent_low = number_column(LOW)
    gap_independent_high = number_column(HIGH)
    gap_weakest = number_column("joint - weakest.")
    gap_weakest_low = number_column(LOW)
    gap_weakest_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=LEVEL)
    construction = dy.Bool(description=CONSTRUCTION)


class CompositionGapPairs(dy.Schema):
    """Differences of joint success and of composition gaps between two models, on the same resamples."""

    track = key_column(TRACK)
    endpoint = key_column("As in `composition_gap`.")
    statistic = key_column("`joint`, `item_accuracy`, `gap_accuracy`, `gap_independent` or `gap_weakest`.")
    model_a = key_column("The model with the higher joint success (then the first in code-point order).")
    model_b = key_column("The other model.")
    n_clusters = count_column("Episodes of both.")
    difference = number_column("a - b, over the episodes of both.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)


class EndpointScores(dy.Schema):
    """The card's further endpoints: macro, balanced, conditional, on a subset, of a derived stage."""

    track = key_column("Track of the endpoint's items, or `all`.")
    endpoint = key_column("Name in the card.")
    statistic = key_column(
        "`accuracy`; `group` and `macro` (mean of the groups); `recall` and `balanced` (mean of the classes' "
        "recalls); `majority_baseline`; `given`, `joint` and `conditional`; `ceiling` (the mapping on the "
        "reference evidence)."
    )
    part = key_column("The group or class; empty where the statistic is of everything.")
    model = key_column(MODEL)
    method = key_column("Interval method; `none` where there is no interval.")
    n_items = count_column("Items (`conditional`: units where the condition is right; staging: clusters).")
    n_success = count_column("Of those, right; null where cells are not 0 or 1, or for means.", nullable=True)
    n_clusters = count_column("Clusters they lie in.")
    estimate = number_column("Its value; null where the data do not define it.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=LEVEL)
    baseline = share_column("Share of the most frequent class among the same items.")
    n_left_out = count_column("Items without a cell of the model, or without a class, group or partner.")


class PairedControls(dy.Schema):
    """The same questions under two conditions, within each model."""

    control = key_column("Name in the card.")
    model = key_column(MODEL)
    endpoint = key_column("`item_weighted`, `cluster_macro` or `all_correct` (whole clusters right).")
    primary = dy.Bool(description="The endpoint that figures show.")
    baseline = dy.String(description="The baseline condition.")
    changed = dy.String(description="The changed condition.")
    n_items = count_column("Questions that the model answered under both.")
    n_clusters = count_column("Clusters they lie in.")
    n_unpaired = count_column("Questions answered under one condition only, or items without a partner.")
    score_baseline = share_column("Score under the baseline condition; null without common questions.")
    score_changed = share_column("Score under the changed condition.")
    difference = number_column("score_changed - score_baseline.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=LEVEL)
    n_better = count_column("Clusters with a higher score under the changed condition.")
    n_worse = count_column("Clusters with a lower one.")
    n_unchanged = count_column("Clusters with the same.")
    n_corrected = count_column("Questions wrong under the baseline, right under the changed condition.")
    n_harmed = count_column("Questions right under the baseline, wrong under the changed condition.")
    p_value = share_column("Two-sided sign-flip test; whole clusters flip.")
    method = dy.String(description="Test; `none` without common questions.")
    p_holm = share_column("Holm over the models of the control and endpoint.")
    p_benjamini_hochberg = share_column("Benjamini-Hochberg over the same.")
    note = dy.String(description="Why there is no comparison, where there is none.")


class JudgeAudit(dy.Schema):
    """Judges against the reference rater of an audit."""

    audit = key_column("Name in the card, or the reference rater.")
    judge = key_column("Judge.")
    excluded = key_column("`none`, or the name of the sensitivity analysis.")
    polarity = key_column("`all`, a polarity of the criteria, or `(none)` for criteria without one.")
    statistic = key_column(
        "`agreement`, `kappa`, `sensitivity`, `specificity`, `balanced_accuracy`, `true_rate` (that the "
        "judge calls true) or `reference_rate` (that the reference calls true)."
    )
    reference = dy.String(description="The reference rater.")
    n = count_column("Labels that both have given.")
    n_responses = count_column("Responses they belong to.")
    n_units = count_column("Units that are resampled whole: responses, items or clusters.")
    n_true = count_column("Of the labels, called true by the reference.")
    estimate = number_column("Its value; null where the data do not define it.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=LEVEL)
    method = dy.String(description="Interval method; `none` where there is no interval.")
    note = dy.String(description="Why a value or an interval does not exist; empty where it does.")


class JudgeAuditCoverage(dy.Schema):
    """What a judge audit rests on, by the model whose responses were rated."""

    audit = key_column("As in `judge_audit`.")
    model = key_column("Model whose responses were rated; empty where items themselves are rated.")
    n_responses = count_column("Responses with a row of the reference rater.")
    n_excluded_responses = count_column("Of those, without any label of the reference.")
    n_labels = count_column("Labels of the reference.")
    n_flagged_labels = count_column("Of those, flagged.")
    n_flagged_responses = count_column("Responses with a flagged label.")
    n_without_polarity = count_column("Labels of criteria without a polarity.")
    n_unread = count_column("Rows of the reference whose label is neither true nor false.")


class FamilyProfiles(dy.Schema):
    """What the models of a family reach in each track."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    family = key_column("Family of the models table.")
    n_models = count_column("Models of the family with a row of verdicts anywhere.")
    n_available = count_column("Of those, with a score in the track; the others have no such task.")
    median = number_column("Median of their estimates; null where none is available.")
    best = number_column("Highest of their estimates.")
    best_model = text_column("Which model that is (ties: the first in code-point order).")
    n_best = count_column("Models that share the highest estimate.")
    rank = dy.Int64(nullable=True, min=1, description="Position of the family by median within the track.")
    n_best_models = count_column("Different models that are best of the family in some track (not `all`).")
