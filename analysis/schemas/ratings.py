"""Tables made from ratings: agreement, reliability, judge correction."""

from __future__ import annotations

from analysis.schemas.columns import HIGH, LOW, MODEL, count_column, key_column, number_column, share_column
from analysis.typed_frames import dy


class Agreement(dy.Schema):
    """How far two raters agree; every statistic with its interval stands in `agreement_statistics`.

    `rater_b` is the reference where the kinds differ: a human, else the benchmark's own verdict (a
    rater named `verdict`), else a scorer. `<rater> (repeat)` is the rater's second rating.
    """

    rater_a = key_column("A rater.")
    rater_b = key_column("Another rater; the reference, if either is one.")
    criterion_group = key_column(
        "`all`, `unflagged` (without flagged ratings), `polarity:<name>` or `criterion:<id>`."
    )
    n = count_column("Responses (or responses and criteria) that both have rated.")
    agreement = share_column("Share with the same category.")
    kappa = number_column("Cohen's kappa; null where both use one and the same category throughout.")
    kappa_linear = number_column("Kappa, linear weights; null where the categories have no declared order.")
    kappa_quadratic = number_column(
        "Kappa, quadratic weights; null where the categories have no declared order."
    )
    ci_low = number_column("Lower confidence limit of `kappa`; null where no interval exists.")
    ci_high = number_column("Upper confidence limit of `kappa`; null where no interval exists.")
    sensitivity = share_column("Yes of a where b says yes; null without yes and no, or without a reference.")
    specificity = share_column("No of a where b says no; null without yes and no, or without a reference.")
    balanced_accuracy = share_column("Mean of sensitivity and specificity.")


class AgreementStatistics(dy.Schema):
    """Every statistic of agreement of two raters, with its interval."""

    rater_a = key_column("A rater.")
    rater_b = key_column("Another rater; the reference, if either is one.")
    criterion_group = key_column("As in `agreement`.")
    statistic = key_column(
        "`agreement`, `kappa`, `kappa_linear`, `kappa_quadratic`, `gwet_ac1`, `sensitivity`, "
        "`specificity`, `balanced_accuracy`, `positive_agreement`, `negative_agreement`, `spearman`, "
        "`mean_difference` (a - b) or `mean_absolute_difference`."
    )
    kind_a = dy.String(description="`human`, `judge`, `scorer` or `verdict`.")
    kind_b = dy.String(description="`human`, `judge`, `scorer` or `verdict`.")
    estimate = number_column("Its value; null where the data do not define it.")
    std_error = number_column("Standard error.", nonnegative=True)
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    method = dy.String(description="Interval: `wilson` or `bootstrap_bca` over items or clusters.")
    n = count_column("What both have rated.")
    n_units = count_column("Items (clusters, where declared) it lies in: what is resampled.")


class Reliability(dy.Schema):
    """Agreement of several raters at once, beyond chance."""

    raters = key_column("`all`, or a kind of rater: `human`, `judge`, `scorer`.")
    criterion_group = key_column("As in `agreement`.")
    statistic = key_column(
        "`agreement` (of pairs of ratings), `fleiss_kappa`, `gwet_ac1`, `alpha_nominal`, "
        "`alpha_ordinal`, `alpha_interval`, or an intraclass correlation: `icc_1_1` (one-way), "
        "`icc_a_1` (absolute agreement), `icc_c_1` (consistency), and `_k` of the raters' mean."
    )
    n_raters = count_column("Raters.")
    n_ratings = count_column("Ratings.")
    estimate = number_column("Its value; null where the data do not define it.")
    std_error = number_column("Standard error.", nonnegative=True)
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    n = count_column("What is rated at least twice (for the intraclass correlations: by all raters).")
    n_units = count_column("Items (clusters, where declared) it lies in: what is resampled.")


class Raters(dy.Schema):
    """Who rated what."""

    rater = key_column("Rater; `verdict` is the benchmark's own verdict on rated responses.")
    rater_kind = dy.String(description="`human`, `judge`, `scorer` or `verdict`.")
    n_ratings = count_column("Ratings.")
    n_items = count_column("Items they are of.")
    n_models = count_column("Models they are of; 0 where the item itself is rated.")
    n_criteria = count_column("Criteria; 0 where none is named.")
    n_categories = count_column("Labels that the rater used.")
    n_flagged = count_column("Flagged ratings.")
    n_without_verdict = count_column("Ratings of a model and item that have no verdict row.")
    share_positive = share_column("Share of yes, of the ratings that are yes or no.")
    mean_value = number_column("Mean of the numbers given.")
    is_verdict = dy.Bool(
        description="On 20 responses or more the recorded verdict never differs from this rater: "
        "the verdict seems to be taken from it, so their agreement says nothing."
    )


class JudgeCorrection(dy.Schema):
    """Each model's share of yes as humans would see it, from a judge's labels and some human ones."""

    judge = key_column("Rater of kind judge or scorer, or `verdict`: the benchmark's own verdict.")
    model = key_column(MODEL)
    method = key_column(
        "`human_only`, `judge_only` (all the judge's labels), `ppi` (prediction-powered) or `rogan_gladen`."
    )
    judge_kind = dy.String(description="`judge`, `scorer` or `verdict`.")
    n_human = count_column("Responses that humans (by majority) and the judge have labelled.")
    n_judge_only = count_column("Responses that only the judge has labelled.")
    estimate = share_column("Share of yes; null where the method does not apply.")
    std_error = number_column("Standard error.", nonnegative=True)
    ci_low = share_column(LOW)
    ci_high = share_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description="Confidence level.")
    judge_weight = share_column("Weight of the judge's labels: 0 is humans alone, 1 counts them fully.")
    bias = number_column("Judge's share of yes less the humans', where both have labelled.")
    bias_low = number_column("Lower confidence limit of the bias.")
    bias_high = number_column("Upper confidence limit of the bias.")
    human_equivalent = number_column(
        "How many human labels alone would be as precise (`ppi` only).", nonnegative=True
    )
    worth_it = dy.Bool(nullable=True, description="The judge adds a tenth or more (`ppi` only).")
    note = dy.String(description="What it means, as a sentence.")
