"""Tables on the raters of a rubric, and on how many of them and of vignettes are needed."""

from __future__ import annotations

from analysis.schemas.columns import HIGH, LOW, count_column, key_column, number_column, share_column
from analysis.schemas.rubric import CONFIDENCE, NAME, RATERS, UNIT
from analysis.typed_frames import dy


class FloorCeiling(dy.Schema):
    """Shares of ratings at the ends of the scale."""

    raters = key_column(RATERS)
    criterion_id = key_column("Sub-dimension.")
    n = count_column("Ratings.")
    floor = share_column("Share at the lowest score.")
    floor_low = share_column(LOW)
    floor_high = share_column(HIGH)
    ceiling = share_column("Share at the highest score.")
    ceiling_low = share_column(LOW)
    ceiling_high = share_column(HIGH)
    effect = dy.String(description="`floor`, `ceiling`, `both` or empty: more than 15% at an end.")


class RubricReliability(dy.Schema):
    """How far raters agree, per round, sub-dimension, domain and composite."""

    round = key_column("`main`, or a round of calibration.")
    raters = key_column("`human`, `judge`, or `all`.")
    unit = key_column(UNIT)
    name = key_column(NAME)
    statistic = key_column(
        "`agreement`, `within_one`, `kappa_linear`, `kappa_quadratic` (means over pairs of raters), "
        "`alpha_ordinal`, `icc_2_1`, `icc_2_k`."
    )
    estimate = number_column("Its value; null where the data do not define it.")
    std_error = number_column("Standard error.", nonnegative=True)
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=CONFIDENCE)
    n = count_column("Responses that it rests on.")
    n_units = count_column("Vignettes (clusters) that they lie in: what is resampled.")
    n_raters = count_column("Raters.")


class RaterSeverity(dy.Schema):
    """How much higher (lenient) or lower (severe) a rater scores than the others on the same lines."""

    name = key_column("Domain, or `all`.")
    rater = key_column("Rater.")
    rater_kind = dy.String(description="`human`, `judge` or `scorer`.")
    leniency = number_column(
        "Points above the human raters' mean (all raters' without two humans); null: not linked to the "
        "others."
    )
    std_error = number_column("Standard error.", nonnegative=True)
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=CONFIDENCE)
    n_ratings = count_column("Scores of the rater.")
    n_shared = count_column("Of these, lines that another rater scored too.")
    n_units = count_column("Vignettes (clusters): what is resampled.")


class JudgeAgreement(dy.Schema):
    """A judge against the mean of the human raters."""

    judge = key_column("Judge.")
    unit = key_column(UNIT)
    name = key_column(NAME)
    statistic = key_column(
        "`pearson`, `spearman`, `mean_difference` (judge - humans) or `mean_absolute_difference`."
    )
    estimate = number_column("Its value.")
    std_error = number_column("Standard error.", nonnegative=True)
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=CONFIDENCE)
    n = count_column("Responses that both have.")
    n_units = count_column("Vignettes (clusters).")


class FlagAgreement(dy.Schema):
    """How far two raters agree on the safety flag; exact intervals take responses as independent."""

    rater_a = key_column("A rater.")
    rater_b = key_column("Another; a human where the kinds differ. `human (any)`: at least one human.")
    kind_a = dy.String(description="Kind of a.")
    kind_b = dy.String(description="Kind of b.")
    n = count_column("Responses on which both have answered.")
    n_both = count_column("Flagged by both.")
    n_only_a = count_column("By a alone.")
    n_only_b = count_column("By b alone.")
    n_neither = count_column("By neither.")
    agreement = share_column("Share answered alike.")
    agreement_low = share_column(LOW)
    agreement_high = share_column(HIGH)
    kappa = number_column("Cohen's kappa; null where it is not defined.")
    kappa_low = number_column(LOW)
    kappa_high = number_column(HIGH)
    positive_agreement = share_column("2 n_both / (2 n_both + n_only_a + n_only_b).")
    sensitivity = share_column("Flags of b that a raises too; null between raters of one kind.")
    sensitivity_low = share_column(LOW)
    sensitivity_high = share_column(HIGH)
    specificity = share_column("Unflagged by b that a leaves unflagged; null between raters of one kind.")
    specificity_low = share_column(LOW)
    specificity_high = share_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=CONFIDENCE)


class DomainCorrelations(dy.Schema):
    """Correlations of domains over responses, and how many errors were counted in both."""

    raters = key_column(RATERS)
    domain_a = key_column("Domain.")
    domain_b = key_column("Domain after it.")
    n = count_column("Responses with both.")
    pearson = number_column("Correlation.")
    ci_low = number_column(LOW)
    ci_high = number_column(HIGH)
    level = dy.Float64(min_exclusive=0, max_exclusive=1, description=CONFIDENCE)
    n_shared_errors = count_column("Underlying errors that raters noted in both domains.")
    n_shared_responses = count_column("Responses with such an error.")
    pearson_without = number_column("Correlation over the other responses.")
    without_low = number_column(LOW)
    without_high = number_column(HIGH)


class VarianceComponents(dy.Schema):
    """Where the spread of scores comes from: models, vignettes, raters and how they interact."""

    comparability = key_column("`all`, or the class of a composite.")
    raters = key_column("`human` or `judge`.")
    unit = key_column(UNIT)
    name = key_column(NAME)
    component = key_column(
        "`model`, `vignette`, `rater`, `model:vignette`, `model:rater`, `vignette:rater` or `residual`."
    )
    variance = number_column("Estimate; negative estimates are set to 0.", nonnegative=True)
    raw = number_column("Estimate before that.")
    share = share_column("Share of the sum.")
    n_models = count_column("Models.")
    n_items = count_column("Vignettes that all raters scored for all models.")
    n_raters = count_column("Raters.")


class DecisionStudy(dy.Schema):
    """How reliable models' means would be with other numbers of vignettes and raters; how many are needed."""

    comparability = key_column("As in `variance_components`.")
    raters = key_column("`human` or `judge`.")
    unit = key_column(UNIT)
    name = key_column(NAME)
    n_raters = dy.Int64(primary_key=True, min=1, description="Raters.")
    n_items = dy.Int64(primary_key=True, min=1, description="Vignettes.")
    generalizability = share_column("Reliability of the order of models.")
    dependability = share_column("Reliability of their level.")
    target = share_column(
        "Stated reliability (of the order) for which the row is the least number of vignettes; else null."
    )
    target_raters = share_column(
        "Stated reliability for which the row is the least number of raters with this study's vignettes."
    )
    observed = dy.Bool(description="The numbers of this study.")
