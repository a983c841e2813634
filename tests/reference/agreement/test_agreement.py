"""Agreement against scikit-learn, statsmodels, krippendorff, pingouin, scipy and irrCAC's examples."""

from __future__ import annotations

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, recall_score

from analysis.stats.accuracy import estimate_accuracy
from analysis.stats.agreement import AGREEMENT, estimate_agreement, kappas_from_counts, pairwise_kappas
from analysis.stats.intraclass import estimate_icc
from analysis.stats.rank_agreement import estimate_differences, kendall_tau
from analysis.stats.reliability import category_counts, estimate_alpha, estimate_reliability
from tests.unit.agreement.conftest import units_of

NAN = np.nan

RAW_4_RATERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, NAN],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
"""`cac.raw4raters` of irrCAC, from Gwet (2014), Handbook of Inter-Rater Reliability."""

ABSTRACTORS = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
"""`cont3x3abstractors` of irrCAC."""


KINDS = [("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")]


def both_rate(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two raters of n responses on k categories who agree on about two thirds."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, k, n)
    second = np.where(rng.random(n) < 0.65, first, rng.integers(0, k, n))
    return first, second


@pytest.mark.parametrize("k", [2, 3, 7, 40])
@pytest.mark.parametrize(
    ("name", "weights"), [("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")]
)
def test_kappa_is_scikit_learns(k: int, name: str, weights: str | None) -> None:
    first, second = both_rate(k, 400, k)
    result = estimate_agreement(first, second, k, units=units_of(400, n_resamples=2), level=0.95)
    expected = cohen_kappa_score(first, second, labels=list(range(k)), weights=weights)
    assert result[name][0] == pytest.approx(expected, abs=1e-12)


def test_kappas_of_all_pairs_are_scikit_learns_with_gaps() -> None:
    rng = np.random.default_rng(11)
    codes = np.where(rng.random((6, 300)) < 0.25, -1, rng.integers(0, 4, (6, 300)))
    kappas = pairwise_kappas(codes, 4)
    for a in range(6):
        for b in range(a):
            both = (codes[a] >= 0) & (codes[b] >= 0)
            expected = cohen_kappa_score(codes[a][both], codes[b][both], labels=range(4), weights="linear")
            assert kappas.kappa_linear[a, b] == pytest.approx(expected, abs=1e-12)
            assert kappas.n[a, b] == both.sum()


@pytest.mark.parametrize(
    ("name", "weights"), [("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")]
)
def test_standard_errors_are_statsmodels(name: str, weights: str | None) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    first, second = both_rate(3, 500, 4)
    table = np.zeros((4, 4))
    np.add.at(table, (first, second), 1)
    expected = cohens_kappa(table, wt=weights)
    result = estimate_agreement(first, second, 4, units=units_of(500, n_resamples=2), level=0.95)
    at = AGREEMENT.index(name)
    assert result.estimate[at] == pytest.approx(expected.kappa)
    # Ours is over items as a sample: times sqrt(n / (n - 1)).
    assert result.std_error[at] * np.sqrt(499 / 500) == pytest.approx(expected.std_kappa)


def test_kappa_of_irrcacs_printed_table() -> None:
    first = np.repeat(np.arange(3), ABSTRACTORS.sum(axis=1))
    second = np.concatenate([np.repeat(np.arange(3), row) for row in ABSTRACTORS])
    result = estimate_agreement(first, second, 3, units=units_of(100), level=0.95)
    assert result["kappa"][0] == pytest.approx(0.7964094, abs=5e-8)
    assert result.std_error[1] * np.sqrt(99 / 100) == pytest.approx(0.05891072, abs=5e-9)
    reliability = estimate_reliability([first, second], 3, units=units_of(100), level=0.95)
    assert reliability["fleiss_kappa"][0] == pytest.approx(0.7962397, abs=5e-8)
    assert reliability["gwet_ac1"][0] == pytest.approx(0.8493305, abs=5e-8)
    alpha = estimate_alpha([first, second], "nominal", units=units_of(100), level=0.95)
    assert alpha.estimate[0] == pytest.approx(0.7972585, abs=5e-8)


def test_missing_ratings_of_irrcacs_printed_example() -> None:
    codes = np.where(np.isnan(RAW_4_RATERS), -1, RAW_4_RATERS - 1).astype(int)
    result = estimate_reliability(codes, 5, units=units_of(12), level=0.95)
    assert result["agreement"][0] == pytest.approx(0.81818, abs=5e-6)
    assert result["fleiss_kappa"][0] == pytest.approx(0.76117, abs=5e-6)
    assert result["gwet_ac1"][0] == pytest.approx(0.77544, abs=5e-6)
    nominal = estimate_alpha(RAW_4_RATERS, "nominal", units=units_of(12), level=0.95)
    interval = estimate_alpha(RAW_4_RATERS, "interval", units=units_of(12), level=0.95)
    assert nominal.estimate[0] == pytest.approx(0.74342, abs=5e-6)
    assert interval.estimate[0] == pytest.approx(0.84911, abs=5e-6)


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize(("levels", "missing"), [(2, 0.0), (4, 0.3), (60, 0.5)])
def test_alpha_is_krippendorffs(metric: str, levels: int, missing: float) -> None:
    rng = np.random.default_rng(levels)
    truth = rng.integers(0, levels, 250)
    ratings = np.clip(truth + rng.integers(-1, 2, (5, 250)), 0, levels - 1).astype(float)
    ratings[rng.random(ratings.shape) < missing] = NAN
    expected = krippendorff.alpha(ratings, level_of_measurement=metric)
    result = estimate_alpha(ratings, metric, units=units_of(250, n_resamples=2), level=0.95)  # type: ignore[arg-type]
    assert result.estimate[0] == pytest.approx(expected, abs=1e-10)


def test_fleiss_is_statsmodels() -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa

    rng = np.random.default_rng(8)
    codes = rng.integers(0, 3, (4, 120)) // rng.integers(1, 3, 120)
    expected = fleiss_kappa(category_counts(codes, 3).T)
    result = estimate_reliability(codes, 3, units=units_of(120, n_resamples=2), level=0.95)
    assert result["fleiss_kappa"][0] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
def test_intraclass_correlations_are_pingouins() -> None:
    import pingouin

    rng = np.random.default_rng(5)
    ratings = rng.normal(size=(4, 50)) + 1.3 * rng.normal(size=50) + np.array([[0], [0.4], [0], [-0.5]])
    long = pd.DataFrame(
        {"rater": np.repeat(np.arange(4), 50), "item": np.tile(np.arange(50), 4), "value": ratings.ravel()}
    )
    expected = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value")["ICC"]
    result = estimate_icc(ratings, units=units_of(50, n_resamples=2), level=0.95)
    assert result.estimate == pytest.approx(expected.to_numpy())


def test_spearman_is_scipys_with_ties_and_gaps() -> None:
    rng = np.random.default_rng(6)
    first = rng.integers(0, 6, 150).astype(float)
    second = first + rng.integers(-2, 3, 150)
    second[::7] = NAN
    both = ~np.isnan(second)
    result = estimate_differences(first, second, units=units_of(150), level=0.95)
    assert result["spearman"][0] == pytest.approx(spearmanr(first[both], second[both]).statistic)
    assert result["mean_absolute_difference"][0] == pytest.approx(np.abs(first - second)[both].mean())


def test_spearman_of_a_resample_is_scipys_on_copies() -> None:
    from analysis.stats.rank_agreement import weighted_spearman

    rng = np.random.default_rng(9)
    first, second = rng.integers(0, 5, 40), rng.integers(0, 5, 40)
    weights = rng.integers(0, 4, (3, 40)).astype(float)
    found = weighted_spearman(first, second, weights)
    for row, value in zip(weights.astype(int), found, strict=True):
        assert value == pytest.approx(spearmanr(np.repeat(first, row), np.repeat(second, row)).statistic)


def test_kendalls_tau_is_scipys_with_ties() -> None:
    rng = np.random.default_rng(2)
    first = rng.integers(0, 8, 30)
    others = rng.integers(0, 8, (5, 30))
    expected = [kendalltau(first, other).statistic for other in others]
    assert kendall_tau(first, others) == pytest.approx(expected)


def test_sensitivity_and_specificity_are_scikit_learns() -> None:
    rng = np.random.default_rng(4)
    reference = rng.integers(0, 2, 200)
    rating = np.where(rng.random(200) < 0.8, reference, 1 - reference)
    result = estimate_accuracy(rating, reference, units=units_of(200), level=0.95)
    assert result["sensitivity"][0] == pytest.approx(recall_score(reference, rating))
    assert result["specificity"][0] == pytest.approx(recall_score(reference, rating, pos_label=0))
    assert result["balanced_accuracy"][0] == pytest.approx(balanced_accuracy_score(reference, rating))


ODBB = {
    # Scorer's verdict in rows, clinician's in columns: incorrect, partial, correct. Of the partial
    # verdicts all disagreements are upgrades, of the correct ones downgrades.
    "doctor A": ([[5, 0, 0], [0, 73, 2], [0, 2, 41]], 0.939),
    "doctor B": ([[4, 0, 0], [0, 71, 7], [0, 6, 34]], 0.790),
}


@pytest.mark.parametrize("name", sorted(ODBB))
def test_weighted_kappas_of_the_odbb_paper(name: str) -> None:
    counts, printed = ODBB[name]
    assert kappas_from_counts(counts).kappa_linear == pytest.approx(printed, abs=5e-4)


def test_agreement_of_the_odbb_paper_over_both_doctors() -> None:
    both = np.sum([counts for counts, _ in ODBB.values()], axis=0)
    kappas = kappas_from_counts(both)
    assert kappas.n == 245
    assert kappas.agreement * 245 == pytest.approx(228)
