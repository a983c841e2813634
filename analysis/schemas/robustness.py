"""Tables on what could have been found and what would change: planning, runs, policies, influence."""

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


class Planning(dy.Schema):
    """What the comparison of two models can detect, given the items it has.

    Says nothing of the observed difference: a difference that was missed may be as large as the
    detectable one.
    """

    track = key_column(TRACK)
    metric = key_column(METRIC)
    model_a = key_column("The higher ranked model.")
    model_b = key_column("The lower ranked model.")
    adjacent = dy.Bool(description="The two stand next to each other in rank.")
    n_items = count_column("Common items.")
    n_clusters = count_column("Clusters they lie in; items where no cluster is declared.")
    discordance = share_column(
        "Share of items on which they differ; of graded scores (mean |d|)^2 / mean d^2.", nullable=False
    )
    step = number_column("Size of an item difference: mean d^2 / mean |d|; 1 for single 0/1 runs.")
    design_effect = number_column("Variance over clusters, as a multiple of items'.", nonnegative=True)
    difference = number_column("Observed mean difference a - b, for comparison.")
    detectable = number_column("Smallest difference detected at alpha; null: too few items for any.")
    alpha_adjusted = number_column("alpha / number of tested adjacent pairs (of all pairs for others).")
    detectable_adjusted = number_column("Smallest difference detected at `alpha_adjusted`.")
    power = share_column("Probability of detection.", nullable=False)


class PlanningItems(dy.Schema):
    """How many items a stated difference of two neighbouring models needs."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    difference = dy.Float64(primary_key=True, min=0, description="Stated difference of the two means.")
    n_items = count_column("Answered items that the benchmark has.")
    n_pairs = count_column("Adjacent pairs whose spread was used.")
    discordance = share_column("Median discordance of adjacent pairs.", nullable=False)
    step = number_column("Median step of adjacent pairs, at least the stated difference.", nonnegative=True)
    design_effect = number_column("Median design effect.", nonnegative=True)
    items_needed = number_column("Items needed for one comparison at alpha.", unit="count", nonnegative=True)
    items_needed_adjusted = number_column(
        "Items needed at alpha / number of adjacent pairs.", unit="count", nonnegative=True
    )
    power = share_column("Probability of detection.", nullable=False)


class RepeatedRuns(dy.Schema):
    """Success in any of k runs (pass@k) and in all of k (pass^k)."""

    track = key_column(TRACK)
    model = key_column(MODEL)
    statistic = key_column("`pass_at`: at least one of k runs succeeds; `pass_hat`: all k do.")
    k = dy.Int64(primary_key=True, min=1, description="Runs.")
    estimate = share_column("Unbiased estimate, the mean over items with k runs or more.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n_items = count_column("Items with k scored runs or more.")
    n_short = count_column("Items with fewer: not in the mean.")
    same_items = share_column("Plain mean of the model over the items that are.")


class RunNoise(dy.Schema):
    """How much of a mean's variance comes from the runs, how much from the items."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    model = key_column(MODEL)
    n_items = count_column("Items with a scored run.")
    n_repeated = count_column("Items with two scored runs or more.")
    mean_runs = number_column("Mean number of scored runs per item.", nonnegative=True)
    var_items = number_column("Variance of the items' expected scores (data noise).", nonnegative=True)
    var_runs = number_column("Mean variance of the runs of an item (sampling noise).", nonnegative=True)
    share_of_runs = share_column("Share of the mean's variance that comes from the runs.")
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    se_now = number_column("Standard error of the mean with the runs there are.", nonnegative=True)
    se_one_run = number_column("Standard error with one run per item.", nonnegative=True)
    se_many_runs = number_column("Standard error with very many runs per item.", nonnegative=True)


class Ensembles(dy.Schema):
    """What ensembles reach: any of their models (an oracle that knows whom to trust), or their majority."""

    track = key_column(TRACK)
    basis = key_column(BASIS)
    method = key_column(
        "`greedy`: any of the greedy ensemble, in sample; `cross_fitted`: any of the greedy ensemble chosen "
        "on the other half of the items; `one_run`: any of the greedy ensemble if each model ran once "
        "(where runs are repeated); `majority`: more than half of all models that have the cell; "
        "`best_single`, `mean_single`: one model. `greedy` at the largest size is the oracle over all."
    )
    size = dy.Int64(primary_key=True, min=1, description="Models in the ensemble: 1 to 30, and all.")
    share = share_column("Share of items solved.", nullable=False)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n_items = count_column("Items of the basis.")
    n_models = count_column("Models of the track.")
    optimism = number_column("Greedy share in sample less the cross-fitted one (`cross_fitted` only).")
    model = text_column("Model added (`greedy`), or the one meant (`best_single`).")


class CoverageShares(dy.Schema):
    """Each model's share of what all models cover together."""

    track = key_column(TRACK)
    basis = key_column(BASIS)
    model = key_column(MODEL)
    n_items = count_column("Items of the basis.")
    n_solved = count_column("Items that the model solves.")
    n_unique = count_column("Items that only this model solves.")
    shapley = number_column(
        "Shapley value of coverage: an item that k models solve counts 1/k for each of them.",
        unit="items",
        nonnegative=True,
    )
    ci_low = number_column("Lower confidence limit of `shapley`.", unit="items")
    ci_high = number_column("Upper confidence limit of `shapley`.", unit="items")
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    share_of_coverage = share_column("`shapley` as a share of the items covered; null where none is.")
    shapley_one_run = number_column(
        "Shapley value of the expected coverage if each model ran once; null where no run is repeated.",
        unit="items",
        nonnegative=True,
    )
    chosen_first = share_column("Share of random halves of the items on which the model is the best one.")
    chosen_in_three = share_column("Share of random halves on which it is in the greedy ensemble of three.")


class Denominators(dy.Schema):
    """The ranking under every policy for cells without a score."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    policy = key_column(
        "What counts as 0: `exclude` nothing; `excluded_as_failure`; `unscored_as_failure`; `failure` both; "
        "`missing_as_failure` also items never asked. `common_items`: items scored for every model."
    )
    model = key_column(MODEL)
    rank = dy.Int64(min=1, description="Position by estimate under the policy.")
    estimate = dy.Float64(description="Mean under the policy.")
    n_items = count_column("Cells in the mean.")
    rank_in_force = dy.Int64(nullable=True, min=1, description="Rank under the card's policy.")


class RankAgreement(dy.Schema):
    """How far the rankings of two policies agree, over the models that both rank."""

    track = key_column(TRACK)
    metric = key_column(METRIC)
    policy_a = key_column("A policy, as in `denominators`.")
    policy_b = key_column("Another.")
    n_models = count_column("Models that both rank.")
    kendall_tau = number_column("Kendall's tau-b; null with one model or where a policy ties all.")
    n_moved = count_column("Models whose rank differs.")
    max_rank_change = count_column("Largest change of rank.")
    model_most_moved = text_column("The model that moves most; null where none moves.")
    leader_a = dy.String(description="First under policy a.")
    leader_b = dy.String(description="First under policy b.")


class Influence(dy.Schema):
    """What happens to the ranking of all items if one track or one cluster is left out."""

    metric = key_column(METRIC)
    kind = key_column("`track`, or `cluster` where the card declares it.")
    left_out = key_column("The track or cluster.")
    n_items_left_out = count_column("Answered items of it.")
    n_models = count_column("Models that keep a cell.")
    kendall_tau = number_column("Kendall's tau-b with the ranking on all items; null with one model.")
    n_moved = count_column("Models whose rank changes, among those that keep a cell.")
    max_rank_change = count_column("Largest change of rank.")
    model_most_moved = text_column("The model that moves most; null where none moves.")
    rank_before = dy.Int64(nullable=True, min=1, description="Its rank on all items.")
    rank_after = dy.Int64(nullable=True, min=1, description="Its rank without the part.")
    leader_before = text_column("First on all items.")
    leader_after = text_column("First without the part.")
    leader_changes = dy.Bool(description="They differ.")


class RankStability(dy.Schema):
    """Between which ranks each model moves if one track or one cluster is left out."""

    metric = key_column(METRIC)
    kind = key_column("`track`, or `cluster` where the card declares it.")
    model = key_column(MODEL)
    rank = dy.Int64(min=1, description="Rank on all items.")
    rank_best = dy.Int64(nullable=True, min=1, description="Best rank without one part.")
    rank_worst = dy.Int64(nullable=True, min=1, description="Worst rank without one part.")
    without_best = text_column("The part without which the model ranks best.")
    without_worst = text_column("The part without which it ranks worst.")
    n_left_out = count_column("Parts without which the model keeps a cell.")


class DataQuality(dy.Schema):
    """What a reader has to know of the data before trusting a number."""

    check = key_column("What was looked for.")
    subject = key_column("The model, label, rater or reason; empty for the whole benchmark.")
    n = count_column("How many were found.")
    of = count_column("Of how many.")
    share = share_column("n / of; null of none.")
    status = dy.String(
        check=lambda c: c.is_in(["ok", "note", "attention"]),
        description="`ok`: nothing found; `note`: harmless; `attention`: read it before the numbers.",
    )
    note = dy.String(description="The finding as a sentence.")
