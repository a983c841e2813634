"""One dataframely schema per Parquet table, raw and derived.

Every column carries its meaning and, where it has one, its unit (`metadata["unit"]`). Validation
happens on write and on read (`analysis.store`). The key of a table is its primary key.
"""

from __future__ import annotations

from analysis.typed_frames import dy

SHARE = {"unit": "share, 0 to 1"}
COUNT = {"unit": "count"}
USD = {"unit": "USD"}


def _key(description: str) -> dy.String:
    return dy.String(primary_key=True, description=description)


def _text(description: str) -> dy.String:
    return dy.String(nullable=True, description=description)


def _count(description: str, *, nullable: bool = False) -> dy.Int64:
    return dy.Int64(nullable=nullable, min=0, description=description, metadata=COUNT)


def _share(description: str, *, nullable: bool = True) -> dy.Float64:
    return dy.Float64(nullable=nullable, min=-1e-12, max=1 + 1e-12, description=description, metadata=SHARE)


def _number(description: str, *, unit: str = "", nonnegative: bool = False) -> dy.Float64:
    return dy.Float64(
        nullable=True,
        min=0.0 if nonnegative else None,
        description=description,
        metadata={"unit": unit} if unit else None,
    )


TRACK = "Track of the items, or `all`."
METRIC = "Metric: `correct`, `score`, a declared column, or a rate such as `hard_failure`."
MODEL = "Model's identifier."
BASIS = "`answered`: items for which any model has a cell; `complete`: items for which every model has one."
LOW = "Lower confidence limit; null where no interval exists."
HIGH = "Upper confidence limit; null where no interval exists."


class Verdicts(dy.Schema):
    """The validated verdicts: one row per model, item and run."""

    model = _key(MODEL)
    item_id = _key("Item's identifier as text.")
    run = dy.Int64(primary_key=True, description="Repetition (epoch, sample) of the same item.")
    verdict = _text("Verdict as given; null where the file had none.")
    correct = dy.Bool(
        nullable=True, description="Success by the rule of the design; null: excluded or unscored."
    )
    score = _share("Graded score as given.")
    excluded = dy.Bool(description="The verdict leaves the denominator.")
    labels = dy.List(dy.String(), description="Failure labels, distinct, in code-point order.")
    decision = _text("The structured decision taken.")
    flags = dy.List(dy.String(), description="Facts about the response, distinct, in code-point order.")
    cost_usd = _number("Cost of the response.", unit="USD", nonnegative=True)
    input_tokens = _number("Tokens read.", unit="tokens", nonnegative=True)
    output_tokens = _number("Tokens written.", unit="tokens", nonnegative=True)
    latency_s = _number("Time to the response.", unit="s", nonnegative=True)


class Items(dy.Schema):
    """The items of `items.parquet` and of the verdicts together. Declared covariates follow as columns."""

    item_id = _key("Item's identifier as text.")
    track = _text("Track; items without one count in `all` only.")
    question_type = _text("Type of question.")
    cluster_id = _text("Cluster: patient, case, passage.")
    position = _number("Position within the cluster (turn).")
    component = _text("Component of the cluster's joint answer.")
    weight = _number("Weight; ignored unless the card declares it.", nonnegative=True)


class Models(dy.Schema):
    """The models, those without verdicts included."""

    model = _key(MODEL)
    name = _text("Name as shown (default: the identifier).")
    family = _text("Model family.")
    vendor = _text("Who offers it.")
    weights = dy.String(
        nullable=True,
        check=lambda c: c.is_in(["open", "closed"]),
        description="`open` or `closed`.",
    )
    released = _text("Release date, ISO 8601.")
    input_price_usd = _number("Price of input.", unit="USD per million tokens", nonnegative=True)
    output_price_usd = _number("Price of output.", unit="USD per million tokens", nonnegative=True)
    total_cost_usd = _number("Cost over all tracks and rows.", unit="USD", nonnegative=True)
    n_rows = _count("Rows of verdicts.")


class Ratings(dy.Schema):
    """Human, judge and scorer ratings, one row each."""

    model = _text("Model rated; null where the item itself is rated.")
    item_id = dy.String(description="Item's identifier as text.")
    run = dy.Int64(nullable=True, description="Run rated.")
    criterion_id = _text("Criterion; null where there is only one.")
    rater = dy.String(description="Who rated.")
    rater_kind = dy.String(
        check=lambda c: c.is_in(["human", "judge", "scorer"]),
        description="`human`, `judge` or `scorer`.",
    )
    label = _text("Rating as a category.")
    value = _number("Rating as a number.")
    polarity = _text("Whether the criterion is wanted or unwanted.")
    flagged = dy.Bool(nullable=True, description="The rating is flagged.")


class Audit(dy.Schema):
    """What ingest counted: nothing is lost without a row here."""

    check = _key("What was counted.")
    subject = _key("Where: a file, a model, a label, a column; empty for the benchmark.")
    n = _count("How many.")
    note = dy.String(description="The sentence a reader sees.")


class Quarantine(dy.Schema):
    """Rows that a lenient run set aside."""

    file = _key("File, relative to the raw folder.")
    row = dy.Int64(primary_key=True, description="Row in the file, from 1.")
    reason = _key("Why.")
    content = dy.String(description="The row as JSON.")


class ModelScores(dy.Schema):
    """Estimates per track, metric and model, a row per interval method."""

    track = _key(TRACK)
    metric = _key(METRIC)
    model = _key(MODEL)
    method = _key("Interval method.")
    rank = dy.Int64(min=1, description="Position by estimate (12 decimals, descending), then by model.")
    estimate = dy.Float64(description="Mean over the model's cells.")
    ci_low = _number(LOW)
    ci_high = _number(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n_items = _count("Cells in the mean.")
    n_clusters = _count("Clusters they belong to; items where no cluster is declared.")
    n_excluded = _count("Cells without a scored run where a row is excluded.")
    n_unscored = _count("Cells with rows, none scored and none excluded.")
    n_missing = _count("Items of the track without a row of the model.")


class ItemCounts(dy.Schema):
    """How many models solve each item that any model answered."""

    item_id = _key("Item's identifier as text.")
    track = _text("Track.")
    question_type = _text("Type of question.")
    k = _count("Models that solve the item.")
    n_models = _count("Models that have the cell.")
    mean_score = dy.Float64(description="Mean over the models' cells of the primary metric `correct`.")
    all_partial = dy.Bool(description="Every cell's verdict is `partial`.")
    all_incorrect = dy.Bool(description="Every cell's verdict is the worst one.")


class CountDistribution(dy.Schema):
    """How many items are solved by exactly k models."""

    track = _key(TRACK)
    basis = _key(BASIS)
    k = dy.Int64(primary_key=True, min=0, description="Models that solve the item.")
    n_items = _count("Items solved by exactly k models.")
    share = _share("Share of the basis.", nullable=False)
    ci_low = _share(LOW)
    ci_high = _share(HIGH)


class Coverage(dy.Schema):
    """Items that an ensemble covers: at least one of its models solves them."""

    track = _key(TRACK)
    basis = _key(BASIS)
    method = _key("`greedy`, `optimal` (the exact optimum of every size) or `cross_fitted`.")
    step = dy.Int64(primary_key=True, min=1, description="Size of the ensemble.")
    model = _key("Model added (greedy), or a member (optimal: one row each).")
    gained = dy.Int64(description="Newly covered (greedy); covered by this member alone (optimal).")
    covered = dy.Int64(min=0, description="Items covered by the ensemble of this size.")
    share = _share("Covered, as a share of the basis.", nullable=False)
    ci_low = _share(LOW)
    ci_high = _share(HIGH)


class UniqueSolves(dy.Schema):
    """Items that one model alone solves."""

    track = _key(TRACK)
    basis = _key(BASIS)
    model = _key(MODEL)
    n_unique = _count("Items that only this model solves.")


class Concordance(dy.Schema):
    """How far two models give the same verdicts."""

    track = _key(TRACK)
    model_a = _key("The higher ranked model.")
    model_b = _key("The lower ranked model.")
    n_items = _count("Items for which both have the cell.")
    agreement = _share("Share with the same verdict.")
    correct_agreement = _share("Share with the same solved state.")
    kappa = _number("Cohen's kappa on verdicts, unweighted; null if expected agreement is 1.")


class PairwiseTests(dy.Schema):
    """Paired comparison of two models on their common items."""

    track = _key(TRACK)
    metric = _key(METRIC)
    model_a = _key("The higher ranked model.")
    model_b = _key("The lower ranked model.")
    difference = _number("Mean difference a - b over the common items.")
    ci_low = _number(LOW)
    ci_high = _number(HIGH)
    n_items = _count("Common items.")
    n_better = _count("Items on which a's cell is higher.")
    n_worse = _count("Items on which b's cell is higher.")
    p_value = _share("Two-sided p; null where there are no common items.")
    method = dy.String(description="Test.")
    adjacent = dy.Bool(description="The two stand next to each other in rank.")
    p_bonferroni = _share("min(1, p x tested adjacent pairs); null for other pairs.")
    p_holm = _share("Holm over all tested pairs.")
    significant = dy.Bool(description="Adjacent: p < alpha/m; others: Holm's p < alpha.")


class Tiers(dy.Schema):
    """Tiers, and the ties that tiers do not show."""

    track = _key(TRACK)
    metric = _key(METRIC)
    model = _key(MODEL)
    rank = dy.Int64(min=1, description="Position by estimate.")
    tier = dy.Int64(min=1, description="Sequential tier (Bonferroni over adjacent pairs).")
    letters = dy.String(description="Compact letter display: models that share a letter do not differ.")
    rank_low = dy.Int64(min=1, description="Best rank compatible with the pairwise decisions.")
    rank_high = dy.Int64(min=1, description="Worst rank compatible with the pairwise decisions.")
    in_best_set = dy.Bool(description="Not distinguishable from the best.")
    p_next = _share("p of the test against the next model in rank.")
    alpha_adjusted = _number("alpha / number of tested adjacent pairs; null where none is tested.")
    reversal = dy.Bool(description="The next model is significantly better on the common items.")


class FailureLabels(dy.Schema):
    """How often each label stands among a model's items."""

    track = _key(TRACK)
    model = _key(MODEL)
    label = _key("Failure label.")
    n_items = _count("The model's items with any row.")
    count = _count("Items with the label in any run.")
    rate = _share("count / n_items.", nullable=False)
    ci_low = _share(LOW)
    ci_high = _share(HIGH)


class Decisions(dy.Schema):
    """How often each decision was taken."""

    track = _key(TRACK)
    model = _key(MODEL)
    decision = _key("Decision.")
    n_items = _count("The model's items with any row.")
    count = _count("Items with the decision in any run.")
    rate = _share("count / n_items.", nullable=False)
    decisive = dy.Bool(description="The card calls the decision decisive.")


class Strata(dy.Schema):
    """The primary metric within the values of the declared item columns."""

    stratum = _key("Item column.")
    value = _key("Its value.")
    model = _key(MODEL)
    n_items = _count("The model's cells in the stratum.")
    estimate = dy.Float64(description="Mean over them.")
    ci_low = _number(LOW)
    ci_high = _number(HIGH)
    n_zero_correct = _count("Answered items of the stratum that no model solves.")
    n_stratum_items = _count("Answered items of the stratum.")


class Frontier(dy.Schema):
    """Cost against performance."""

    track = _key(TRACK)
    metric = _key(METRIC)
    model = _key(MODEL)
    cost_usd = _number("Cost of the track's responses; null: unpriced.", unit="USD", nonnegative=True)
    cost_per_response_usd = _number("Cost per response.", unit="USD", nonnegative=True)
    estimate = dy.Float64(description="Mean of the metric.")
    on_frontier = dy.Bool(
        description="No model has at least its score for less, or more for at most its cost."
    )
    dominated_by = _text("A model that dominates it.")
    p_on_frontier = _share("Share of resamples in which it is on the frontier; null: unpriced.")


class Costs(dy.Schema):
    """Where each model's cost comes from."""

    model = _key(MODEL)
    basis = dy.String(
        check=lambda c: c.is_in(["total_cost_usd", "cost_usd", "tokens", "free", "unpriced"]),
        description="`total_cost_usd`, `cost_usd`, `tokens`, `free` or `unpriced`.",
    )
    n_rows = _count("The model's rows.")
    n_priced = _count("Rows that the cost covers.")
    cost_usd = _number("Cost over the priced rows.", unit="USD", nonnegative=True)
    note = dy.String(description="Why, as a sentence.")


class Policies(dy.Schema):
    """Ranks under each policy for missing cells."""

    track = _key(TRACK)
    metric = _key(METRIC)
    policy = _key("`exclude`, `failure` or `common_items`.")
    model = _key(MODEL)
    rank = dy.Int64(min=1, description="Position by estimate under the policy.")
    estimate = dy.Float64(description="Mean under the policy.")
    n_items = _count("Cells in the mean.")
    rank_in_force = dy.Int64(min=1, description="Rank under the card's policy.")


class Agreement(dy.Schema):
    """How far two raters agree; every statistic with its interval stands in `agreement_statistics`.

    `rater_b` is the reference where the kinds differ: a human, else the benchmark's own verdict (a
    rater named `verdict`), else a scorer. `<rater> (repeat)` is the rater's second rating.
    """

    rater_a = _key("A rater.")
    rater_b = _key("Another rater; the reference, if either is one.")
    criterion_group = _key(
        "`all`, `unflagged` (without flagged ratings), `polarity:<name>` or `criterion:<id>`."
    )
    n = _count("Responses (or responses and criteria) that both have rated.")
    agreement = _share("Share with the same category.")
    kappa = _number("Cohen's kappa; null where both use one and the same category throughout.")
    kappa_linear = _number("Kappa with linear weights; null where the categories have no declared order.")
    kappa_quadratic = _number(
        "Kappa with quadratic weights; null where the categories have no declared order."
    )
    ci_low = _number("Lower confidence limit of `kappa`; null where no interval exists.")
    ci_high = _number("Upper confidence limit of `kappa`; null where no interval exists.")
    sensitivity = _share("Yes of a where b says yes; null without yes and no, or without a reference.")
    specificity = _share("No of a where b says no; null without yes and no, or without a reference.")
    balanced_accuracy = _share("Mean of sensitivity and specificity.")


class AgreementStatistics(dy.Schema):
    """Every statistic of agreement of two raters, with its interval."""

    rater_a = _key("A rater.")
    rater_b = _key("Another rater; the reference, if either is one.")
    criterion_group = _key("As in `agreement`.")
    statistic = _key(
        "`agreement`, `kappa`, `kappa_linear`, `kappa_quadratic`, `gwet_ac1`, `sensitivity`, "
        "`specificity`, `balanced_accuracy`, `positive_agreement`, `negative_agreement`, `spearman`, "
        "`mean_difference` (a - b) or `mean_absolute_difference`."
    )
    kind_a = dy.String(description="`human`, `judge`, `scorer` or `verdict`.")
    kind_b = dy.String(description="`human`, `judge`, `scorer` or `verdict`.")
    estimate = _number("Its value; null where the data do not define it.")
    std_error = _number("Standard error.", nonnegative=True)
    ci_low = _number(LOW)
    ci_high = _number(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    method = dy.String(description="Interval: `wilson` or `bootstrap_bca` over items or clusters.")
    n = _count("What both have rated.")
    n_units = _count("Items (clusters, where declared) it lies in: what is resampled.")


class Reliability(dy.Schema):
    """Agreement of several raters at once, beyond chance."""

    raters = _key("`all`, or a kind of rater: `human`, `judge`, `scorer`.")
    criterion_group = _key("As in `agreement`.")
    statistic = _key(
        "`agreement` (of pairs of ratings), `fleiss_kappa`, `gwet_ac1`, `alpha_nominal`, "
        "`alpha_ordinal`, `alpha_interval`, or an intraclass correlation: `icc_1_1` (one-way), "
        "`icc_a_1` (absolute agreement), `icc_c_1` (consistency), and `_k` of the raters' mean."
    )
    n_raters = _count("Raters.")
    n_ratings = _count("Ratings.")
    estimate = _number("Its value; null where the data do not define it.")
    std_error = _number("Standard error.", nonnegative=True)
    ci_low = _number(LOW)
    ci_high = _number(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n = _count("What is rated at least twice (for the intraclass correlations: by all raters).")
    n_units = _count("Items (clusters, where declared) it lies in: what is resampled.")


class Raters(dy.Schema):
    """Who rated what."""

    rater = _key("Rater; `verdict` is the benchmark's own verdict on rated responses.")
    rater_kind = dy.String(description="`human`, `judge`, `scorer` or `verdict`.")
    n_ratings = _count("Ratings.")
    n_items = _count("Items they are of.")
    n_models = _count("Models they are of; 0 where the item itself is rated.")
    n_criteria = _count("Criteria; 0 where none is named.")
    n_categories = _count("Labels that the rater used.")
    n_flagged = _count("Flagged ratings.")
    n_without_verdict = _count("Ratings of a model and item that have no verdict row.")
    share_positive = _share("Share of yes, of the ratings that are yes or no.")
    mean_value = _number("Mean of the numbers given.")
    is_verdict = dy.Bool(
        description="On 20 responses or more the recorded verdict never differs from this rater: "
        "the verdict seems to be taken from it, so their agreement says nothing."
    )


class JudgeCorrection(dy.Schema):
    """Each model's share of yes as humans would see it, from a judge's labels and some human ones."""

    judge = _key("Rater of kind judge or scorer, or `verdict`: the benchmark's own verdict.")
    model = _key(MODEL)
    method = _key(
        "`human_only`, `judge_only` (all the judge's labels), `ppi` (prediction-powered) or `rogan_gladen`."
    )
    judge_kind = dy.String(description="`judge`, `scorer` or `verdict`.")
    n_human = _count("Responses that humans (by majority) and the judge have labelled.")
    n_judge_only = _count("Responses that only the judge has labelled.")
    estimate = _share("Share of yes; null where the method does not apply.")
    std_error = _number("Standard error.", nonnegative=True)
    ci_low = _share(LOW)
    ci_high = _share(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    judge_weight = _share("Weight of the judge's labels: 0 is humans alone, 1 counts them fully.")
    bias = _number("Judge's share of yes less the humans', where both have labelled.")
    bias_low = _number("Lower confidence limit of the bias.")
    bias_high = _number("Upper confidence limit of the bias.")
    human_equivalent = _number(
        "How many human labels alone would be as precise (`ppi` only).", nonnegative=True
    )
    worth_it = dy.Bool(nullable=True, description="The judge adds a tenth or more (`ppi` only).")
    note = dy.String(description="What it means, as a sentence.")


class Planning(dy.Schema):
    """What the comparison of two models can detect, given the items it has.

    Says nothing of the observed difference: a difference that was missed may be as large as the
    detectable one.
    """

    track = _key(TRACK)
    metric = _key(METRIC)
    model_a = _key("The higher ranked model.")
    model_b = _key("The lower ranked model.")
    adjacent = dy.Bool(description="The two stand next to each other in rank.")
    n_items = _count("Common items.")
    n_clusters = _count("Clusters they lie in; items where no cluster is declared.")
    discordance = _share(
        "Share of items on which they differ; of graded scores (mean |d|)^2 / mean d^2.", nullable=False
    )
    step = _number("Size of an item difference: mean d^2 / mean |d|; 1 for single 0/1 runs.")
    design_effect = _number("Variance over clusters as a multiple of that over items.", nonnegative=True)
    difference = _number("Observed mean difference a - b, for comparison.")
    detectable = _number("Smallest difference detected at alpha; null: too few items for any.")
    alpha_adjusted = _number("alpha / number of tested adjacent pairs (of all pairs for others).")
    detectable_adjusted = _number("Smallest difference detected at `alpha_adjusted`.")
    power = _share("Probability of detection.", nullable=False)


class PlanningItems(dy.Schema):
    """How many items a stated difference of two neighbouring models needs."""

    track = _key(TRACK)
    metric = _key(METRIC)
    difference = dy.Float64(primary_key=True, min=0, description="Stated difference of the two means.")
    n_items = _count("Answered items that the benchmark has.")
    n_pairs = _count("Adjacent pairs whose spread was used.")
    discordance = _share("Median discordance of adjacent pairs.", nullable=False)
    step = _number("Median step of adjacent pairs, at least the stated difference.", nonnegative=True)
    design_effect = _number("Median design effect.", nonnegative=True)
    items_needed = _number("Items needed for one comparison at alpha.", unit="count", nonnegative=True)
    items_needed_adjusted = _number(
        "Items needed at alpha / number of adjacent pairs.", unit="count", nonnegative=True
    )
    power = _share("Probability of detection.", nullable=False)


class RepeatedRuns(dy.Schema):
    """Success in any of k runs (pass@k) and in all of k (pass^k)."""

    track = _key(TRACK)
    model = _key(MODEL)
    statistic = _key("`pass_at`: at least one of k runs succeeds; `pass_hat`: all k do.")
    k = dy.Int64(primary_key=True, min=1, description="Runs.")
    estimate = _share("Unbiased estimate, the mean over items with k runs or more.")
    ci_low = _share(LOW)
    ci_high = _share(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n_items = _count("Items with k scored runs or more.")
    n_short = _count("Items with fewer: not in the mean.")
    same_items = _share("Plain mean of the model over the items that are.")


class RunNoise(dy.Schema):
    """How much of a mean's variance comes from the runs, how much from the items."""

    track = _key(TRACK)
    metric = _key(METRIC)
    model = _key(MODEL)
    n_items = _count("Items with a scored run.")
    n_repeated = _count("Items with two scored runs or more.")
    mean_runs = _number("Mean number of scored runs per item.", nonnegative=True)
    var_items = _number("Variance of the items' expected scores (data noise).", nonnegative=True)
    var_runs = _number("Mean variance of the runs of an item (sampling noise).", nonnegative=True)
    share_of_runs = _share("Share of the mean's variance that comes from the runs.")
    ci_low = _share(LOW)
    ci_high = _share(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    se_now = _number("Standard error of the mean with the runs there are.", nonnegative=True)
    se_one_run = _number("Standard error with one run per item.", nonnegative=True)
    se_many_runs = _number("Standard error with very many runs per item.", nonnegative=True)


class Ensembles(dy.Schema):
    """What ensembles reach: any of their models (an oracle that knows whom to trust), or their majority."""

    track = _key(TRACK)
    basis = _key(BASIS)
    method = _key(
        "`greedy`: any of the greedy ensemble, in sample; `cross_fitted`: any of the greedy ensemble chosen "
        "on the other half of the items; `one_run`: any of the greedy ensemble if each model ran once "
        "(where runs are repeated); `majority`: more than half of all models that have the cell; "
        "`best_single`, `mean_single`: one model. `greedy` at the largest size is the oracle over all."
    )
    size = dy.Int64(primary_key=True, min=1, description="Models in the ensemble: 1 to 30, and all.")
    share = _share("Share of items solved.", nullable=False)
    ci_low = _share(LOW)
    ci_high = _share(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n_items = _count("Items of the basis.")
    n_models = _count("Models of the track.")
    optimism = _number("Greedy share in sample less the cross-fitted one (`cross_fitted` only).")
    model = _text("Model added (`greedy`), or the one meant (`best_single`).")


class CoverageShares(dy.Schema):
    """Each model's share of what all models cover together."""

    track = _key(TRACK)
    basis = _key(BASIS)
    model = _key(MODEL)
    n_items = _count("Items of the basis.")
    n_solved = _count("Items that the model solves.")
    n_unique = _count("Items that only this model solves.")
    shapley = _number(
        "Shapley value of coverage: an item that k models solve counts 1/k for each of them.",
        unit="items",
        nonnegative=True,
    )
    ci_low = _number("Lower confidence limit of `shapley`.", unit="items")
    ci_high = _number("Upper confidence limit of `shapley`.", unit="items")
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    share_of_coverage = _share("`shapley` as a share of the items covered; null where none is.")
    shapley_one_run = _number(
        "Shapley value of the expected coverage if each model ran once; null where no run is repeated.",
        unit="items",
        nonnegative=True,
    )
    chosen_first = _share("Share of random halves of the items on which the model is the best one.")
    chosen_in_three = _share("Share of random halves on which it is in the greedy ensemble of three.")


class Denominators(dy.Schema):
    """The ranking under every policy for cells without a score."""

    track = _key(TRACK)
    metric = _key(METRIC)
    policy = _key(
        "What counts as 0: `exclude` nothing; `excluded_as_failure`; `unscored_as_failure`; `failure` both; "
        "`missing_as_failure` also items never asked. `common_items`: items scored for every model."
    )
    model = _key(MODEL)
    rank = dy.Int64(min=1, description="Position by estimate under the policy.")
    estimate = dy.Float64(description="Mean under the policy.")
    n_items = _count("Cells in the mean.")
    rank_in_force = dy.Int64(nullable=True, min=1, description="Rank under the card's policy.")


class RankAgreement(dy.Schema):
    """How far the rankings of two policies agree, over the models that both rank."""

    track = _key(TRACK)
    metric = _key(METRIC)
    policy_a = _key("A policy, as in `denominators`.")
    policy_b = _key("Another.")
    n_models = _count("Models that both rank.")
    kendall_tau = _number("Kendall's tau-b; null with one model or where a policy ties all.")
    n_moved = _count("Models whose rank differs.")
    max_rank_change = _count("Largest change of rank.")
    model_most_moved = _text("The model that moves most; null where none moves.")
    leader_a = dy.String(description="First under policy a.")
    leader_b = dy.String(description="First under policy b.")


class Influence(dy.Schema):
    """What happens to the ranking of all items if one track or one cluster is left out."""

    metric = _key(METRIC)
    kind = _key("`track`, or `cluster` where the card declares it.")
    left_out = _key("The track or cluster.")
    n_items_left_out = _count("Answered items of it.")
    n_models = _count("Models that keep a cell.")
    kendall_tau = _number("Kendall's tau-b with the ranking on all items; null with one model.")
    n_moved = _count("Models whose rank changes, among those that keep a cell.")
    max_rank_change = _count("Largest change of rank.")
    model_most_moved = _text("The model that moves most; null where none moves.")
    rank_before = dy.Int64(nullable=True, min=1, description="Its rank on all items.")
    rank_after = dy.Int64(nullable=True, min=1, description="Its rank without the part.")
    leader_before = _text("First on all items.")
    leader_after = _text("First without the part.")
    leader_changes = dy.Bool(description="They differ.")


class RankStability(dy.Schema):
    """Between which ranks each model moves if one track or one cluster is left out."""

    metric = _key(METRIC)
    kind = _key("`track`, or `cluster` where the card declares it.")
    model = _key(MODEL)
    rank = dy.Int64(min=1, description="Rank on all items.")
    rank_best = dy.Int64(nullable=True, min=1, description="Best rank without one part.")
    rank_worst = dy.Int64(nullable=True, min=1, description="Worst rank without one part.")
    without_best = _text("The part without which the model ranks best.")
    without_worst = _text("The part without which it ranks worst.")
    n_left_out = _count("Parts without which the model keeps a cell.")


class DataQuality(dy.Schema):
    """What a reader has to know of the data before trusting a number."""

    check = _key("What was looked for.")
    subject = _key("The model, label, rater or reason; empty for the whole benchmark.")
    n = _count("How many were found.")
    of = _count("Of how many.")
    share = _share("n / of; null of none.")
    status = dy.String(
        check=lambda c: c.is_in(["ok", "note", "attention"]),
        description="`ok`: nothing found; `note`: harmless; `attention`: read it before the numbers.",
    )
    note = dy.String(description="The finding as a sentence.")


RAW: dict[str, type[dy.Schema]] = {
    "verdicts": Verdicts,
    "items": Items,
    "models": Models,
    "ratings": Ratings,
}
"""The validated raw tables."""

DERIVED: dict[str, type[dy.Schema]] = {
    "model_scores": ModelScores,
    "item_counts": ItemCounts,
    "count_distribution": CountDistribution,
    "coverage": Coverage,
    "unique_solves": UniqueSolves,
    "concordance": Concordance,
    "pairwise_tests": PairwiseTests,
    "tiers": Tiers,
    "failure_labels": FailureLabels,
    "decisions": Decisions,
    "strata": Strata,
    "frontier": Frontier,
    "costs": Costs,
    "policies": Policies,
    "agreement": Agreement,
    "agreement_statistics": AgreementStatistics,
    "reliability": Reliability,
    "raters": Raters,
    "judge_correction": JudgeCorrection,
    "planning": Planning,
    "planning_items": PlanningItems,
    "repeated_runs": RepeatedRuns,
    "run_noise": RunNoise,
    "ensembles": Ensembles,
    "coverage_shares": CoverageShares,
    "denominators": Denominators,
    "rank_agreement": RankAgreement,
    "influence": Influence,
    "rank_stability": RankStability,
    "data_quality": DataQuality,
}
"""The derived tables."""

TABLES: dict[str, type[dy.Schema]] = {**RAW, "audit": Audit, "quarantine": Quarantine, **DERIVED}
"""Every table of a benchmark's derived folder."""
