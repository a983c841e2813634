"""The core tables: scores, counts, coverage, comparisons, labels, costs."""

from __future__ import annotations

from analysis.schemas.columns import (
    BASIS,
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


class ModelScores(dy.Schema):
    """Estimates per track, metric and model, a row per interval method."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    model = key_column(MODEL)
    method = key_column("Interval method.")
    rank = dy.Int64(min=1, description="Position by estimate (12 decimals, descending), then by model.")
    estimate = dy.Float64(description="Mean over the model's cells.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n_items = count_column("Cells in the mean.")
    n_clusters = count_column("Clusters they belong to; items where no cluster is declared.")
    n_excluded = count_column("Cells without a scored run where a row is excluded.")
    n_unscored = count_column("Cells with rows, none scored and none excluded.")
    n_missing = count_column("Items of the track without a row of the model.")


class ItemCounts(dy.Schema):
    """How many models solve each item that any model answered."""

    item_id = key_column("Item's identifier as text.")
    track = text_column("Track.")
    question_type = text_column("Type of question.")
    k = count_column("Models that solve the item.")
    n_models = count_column("Models that have the cell.")
    mean_score = dy.Float64(description="Mean over the models' cells of the primary metric `correct`.")
    all_partial = dy.Bool(description="Every cell's verdict is `partial`.")
    all_incorrect = dy.Bool(description="Every cell's verdict is the worst one.")


class CountDistribution(dy.Schema):
    """How many items are solved by exactly k models."""

    track = key_column(TRACK)
    basis = key_column(BASIS)
    k = dy.Int64(primary_key=True, min=0, description="Models that solve the item.")
    n_items = count_column("Items solved by exactly k models.")
    share = share_column("Share of the basis.", nullable=False)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)


class Coverage(dy.Schema):
    """Items that an ensemble covers: at least one of its models solves them."""

    track = key_column(TRACK)
    basis = key_column(BASIS)
    method = key_column("`greedy`, `optimal` (the exact optimum of every size) or `cross_fitted`.")
    step = dy.Int64(primary_key=True, min=1, description="Size of the ensemble.")
    model = key_column("Model added (greedy), or a member (optimal: one row each).")
    gained = dy.Int64(description="Newly covered (greedy); covered by this member alone (optimal).")
    covered = dy.Int64(min=0, description="Items covered by the ensemble of this size.")
    share = share_column("Covered, as a share of the basis.", nullable=False)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)


class UniqueSolves(dy.Schema):
    """Items that one model alone solves."""

    track = key_column(TRACK)
    basis = key_column(BASIS)
    model = key_column(MODEL)
    n_unique = count_column("Items that only this model solves.")


class Concordance(dy.Schema):
    """How far two models give the same verdicts."""

    track = key_column(TRACK)
    model_a = key_column("The higher ranked model.")
    model_b = key_column("The lower ranked model.")
    n_items = count_column("Items for which both have the cell.")
    agreement = share_column("Share with the same verdict.")
    correct_agreement = share_column("Share with the same solved state.")
    kappa = number_column("Cohen's kappa on verdicts, unweighted; null if expected agreement is 1.")


class PairwiseTests(dy.Schema):
    """Paired comparison of two models on their common items."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    model_a = key_column("The higher ranked model.")
    model_b = key_column("The lower ranked model.")
    difference = number_column("Mean difference a - b over the common items.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    n_items = count_column("Common items.")
    n_better = count_column("Items on which a's cell is higher.")
    n_worse = count_column("Items on which b's cell is higher.")
    p_value = share_column("Two-sided p; null where there are no common items.")
    method = dy.String(description="Test.")
    adjacent = dy.Bool(description="The two stand next to each other in rank.")
    p_bonferroni = share_column("min(1, p x tested adjacent pairs); null for other pairs.")
    p_holm = share_column("Holm over all tested pairs.")
    significant = dy.Bool(description="Adjacent: p < alpha/m; others: Holm's p < alpha.")


class AdjustedTests(dy.Schema):
    """Other adjustments of the pairwise tests for their number."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    model_a = key_column("The higher ranked model.")
    model_b = key_column("The lower ranked model.")
    p_value = share_column("Two-sided p of `pairwise_tests`.")
    p_holm = share_column("Holm over all tested pairs: family-wise error.")
    p_benjamini_hochberg = share_column("Benjamini-Hochberg over all tested pairs: false discovery rate.")
    p_max_t = share_column("Westfall-Young max-T, step-down, from joint resamples: family-wise error.")


class Omnibus(dy.Schema):
    """One test of all models together."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    n_models = count_column("Models.")
    n_items = count_column("Items for which every model has a cell.")
    statistic = number_column("Cochran's Q.", nonnegative=True)
    degrees_of_freedom = count_column("Models - 1.")
    p_value = share_column("p of the chi-squared approximation.")


class Tiers(dy.Schema):
    """Tiers, and the ties that tiers do not show."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    model = key_column(MODEL)
    rank = dy.Int64(min=1, description="Position by estimate.")
    tier = dy.Int64(min=1, description="Sequential tier (Bonferroni over adjacent pairs).")
    letters = dy.String(description="Compact letter display: models that share a letter do not differ.")
    rank_low = dy.Int64(min=1, description="Best rank compatible with the pairwise decisions.")
    rank_high = dy.Int64(min=1, description="Worst rank compatible with the pairwise decisions.")
    in_best_set = dy.Bool(description="Not distinguishable from the best.")
    p_next = share_column("p of the test against the next model in rank.")
    alpha_adjusted = number_column("alpha / number of tested adjacent pairs; null where none is tested.")
    reversal = dy.Bool(description="The next model is significantly better on the common items.")


class FailureLabels(dy.Schema):
    """How often each label stands among a model's items."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    label = key_column("Failure label.")
    n_items = count_column("The model's items with any row.")
    count = count_column("Items with the label in any run.")
    rate = share_column("count / n_items.", nullable=False)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)


class Decisions(dy.Schema):
    """How often each decision was taken."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    decision = key_column("Decision.")
    n_items = count_column("The model's items with any row.")
    count = count_column("Items with the decision in any run.")
    rate = share_column("count / n_items.", nullable=False)
    decisive = dy.Bool(description="The card calls the decision decisive.")


class Strata(dy.Schema):
    """The primary metric within the values of the declared item columns."""

    stratum = key_column("Item column.")
    value = key_column("Its value.")
    model = key_column(MODEL)
    n_items = count_column("The model's cells in the stratum.")
    estimate = dy.Float64(description="Mean over them.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    n_zero_correct = count_column("Answered items of the stratum that no model solves.")
    n_stratum_items = count_column("Answered items of the stratum.")


class Frontier(dy.Schema):
    """Cost against performance."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    model = key_column(MODEL)
    cost_usd = number_column("Cost of the track's responses; null: unpriced.", unit="USD", nonnegative=True)
    cost_per_response_usd = number_column("Cost per response.", unit="USD", nonnegative=True)
    estimate = dy.Float64(description="Mean of the metric.")
    on_frontier = dy.Bool(
        description="No model has at least its score for less, or more for at most its cost."
    )
    dominated_by = text_column("A model that dominates it.")
    p_on_frontier = share_column("Share of resamples in which it is on the frontier; null: unpriced.")


class Costs(dy.Schema):
    """Where each model's cost comes from."""

    model = key_column(MODEL)
    basis = dy.String(
        check=lambda c: c.is_in(["total_cost_usd", "cost_usd", "tokens", "free", "unpriced"]),
        description="`total_cost_usd`, `cost_usd`, `tokens`, `free` or `unpriced`.",
    )
    n_rows = count_column("The model's rows.")
    n_priced = count_column("Rows that the cost covers.")
    cost_usd = number_column("Cost over the priced rows.", unit="USD", nonnegative=True)
    note = dy.String(description="Why, as a sentence.")


class Policies(dy.Schema):
    """Ranks under each policy for missing cells."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    policy = key_column("`exclude`, `failure` or `common_items`.")
    model = key_column(MODEL)
    rank = dy.Int64(min=1, description="Position by estimate under the policy.")
    estimate = dy.Float64(description="Mean under the policy.")
    n_items = count_column("Cells in the mean.")
    rank_in_force = dy.Int64(min=1, description="Rank under the card's policy.")
