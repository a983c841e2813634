"""Statistics of raters against independent implementations."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.correlation import estimate_pearson
from analysis.stats.generalizability import COMPONENTS, VarianceComponents, variance_components
from analysis.stats.leniency import estimate_leniency
from analysis.stats.pairwise_agreement import PAIRWISE, estimate_pairwise
from analysis.stats.resampled_units import ResampledUnits


def units_of(
    n: int, clusters: list[int] | np.ndarray | None = None, n_resamples: int = 300
) -> ResampledUnits:
    return ResampledUnits.create(n, rng=np.random.default_rng(1), n_resamples=n_resamples, clusters=clusters)


def some_ratings(n_raters: int, n: int, missing: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, n)
    ratings = np.clip(np.rint(truth + rng.normal(0, 0.7, (n_raters, n))), 1, 5)
    return np.where(rng.random(ratings.shape) < missing, np.nan, ratings)


@pytest.mark.parametrize(("n_raters", "missing"), [(2, 0.0), (4, 0.3)])
def test_pairwise_kappas_are_the_means_of_scikit_learn_s(n_raters: int, missing: float) -> None:
    from sklearn.metrics import cohen_kappa_score

    ratings = some_ratings(n_raters, 80, missing, 3)
    found = estimate_pairwise(ratings, units=units_of(80), level=0.95)
    linear, quadratic, within, same = [], [], [], []
    for a in range(n_raters):
        for b in range(a + 1, n_raters):
            both = ~np.isnan(ratings[a]) & ~np.isnan(ratings[b])
            x, y = ratings[a][both].astype(int), ratings[b][both].astype(int)
            levels = [1, 2, 3, 4, 5]
            linear.append(cohen_kappa_score(x, y, weights="linear", labels=levels))
            quadratic.append(cohen_kappa_score(x, y, weights="quadratic", labels=levels))
            within.append(np.mean(np.abs(x - y) <= 1))
            same.append(np.mean(x == y))
    expected = [np.mean(same), np.mean(within), np.mean(linear), np.mean(quadratic)]
    assert found.names == PAIRWISE
    assert found.estimate == pytest.approx(expected)


def test_quadratic_kappa_of_means_is_lin_s_concordance() -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(4, 20, 40) / 4
    y = np.clip(x + rng.integers(-3, 4, 40) / 4, 1, 5)
    found = estimate_pairwise([x, y], units=units_of(40), level=0.95)["kappa_quadratic"][0]
    covariance = np.cov(x, y, ddof=0)
    lin = 2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + (x.mean() - y.mean()) ** 2)
    assert found == pytest.approx(lin)


def test_a_pair_without_variation_leaves_the_mean() -> None:
    constant = np.full(6, 3.0)
    other = np.array([3.0, 3, 3, 3, 3, 2])
    found = estimate_pairwise([constant, constant, other], units=units_of(6), level=0.95)
    # The two constant raters have no kappa, each with the third has 0.
    assert found["kappa_quadratic"][0] == pytest.approx(0.0)
    assert found["agreement"][0] == pytest.approx((1 + 5 / 6 + 5 / 6) / 3)
    alone = estimate_pairwise([constant, constant], units=units_of(6), level=0.95)
    assert np.isnan(alone["kappa_quadratic"][0])
    assert alone["agreement"][0] == 1.0


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_leniency_is_ordinary_least_squares_of_line_and_rater(missing: float) -> None:
    ratings = some_ratings(4, 60, missing, 7) + np.array([[0.0], [0.5], [-0.5], [1.0]])
    reference = np.array([True, True, True, False])
    found = estimate_leniency(ratings, reference, units=units_of(60), level=0.95)
    rater, line = np.nonzero(~np.isnan(ratings))
    twice = np.count_nonzero(~np.isnan(ratings), axis=0)[line] >= 2
    rater, line = rater[twice], line[twice]
    design = np.zeros((rater.size, 4 + 60))
    design[np.arange(rater.size), rater] = 1
    design[np.arange(rater.size), 4 + line] = 1
    solved = np.linalg.lstsq(design, ratings[rater, line], rcond=None)[0][:4]
    assert found.estimate == pytest.approx(solved - solved[reference].mean())
    assert np.all(found.ci_low < found.estimate)
    assert np.all(found.estimate < found.ci_high)


def test_many_raters_have_the_same_estimate_without_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    from analysis.stats import leniency

    ratings = some_ratings(5, 60, 0.5, 9)
    reference = np.array([True, True, False, False, False])
    few = estimate_leniency(ratings, reference, units=units_of(60), level=0.95)
    monkeypatch.setattr(leniency, "MAX_RATERS", 4)
    many = estimate_leniency(ratings, reference, units=units_of(60), level=0.95)
    assert many.estimate == pytest.approx(few.estimate)
    assert np.isnan(many.ci_low).all()
    assert (many.n_items, many.n_clusters) == (few.n_items, few.n_clusters)


def test_a_rater_without_a_common_line_has_no_leniency() -> None:
    nan = np.nan
    ratings = np.array(
        [[2.0, 3, 4, nan, nan], [3, 4, 5, nan, nan], [nan, nan, nan, 1, 2], [nan, nan, nan, 2, 3]]
    )
    found = estimate_leniency(ratings, [True, True, False, False], units=units_of(5), level=0.95)
    assert found.estimate[:2] == pytest.approx([-0.5, 0.5])
    assert np.isnan(found.estimate[2:]).all()


def test_the_leniency_interval_covers_as_it_says() -> None:
    """Lines of a vignette share an effect, so vignettes are resampled."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(200):
        effect = np.repeat(rng.normal(0, 0.3, (3, 25)), 4, axis=1)
        ratings = (
            rng.normal(3, 1, 100) + effect + rng.normal(0, 0.3, (3, 100)) + np.array([[0.2], [-0.2], [0.5]])
        )
        units = ResampledUnits.create(100, rng=rng, n_resamples=200, clusters=np.repeat(np.arange(25), 4))
        found = estimate_leniency(ratings, [True, True, False], units=units, level=0.9)
        hits += found.ci_low[2] <= 0.5 <= found.ci_high[2]
    # Binomial with p = 0.9 and n = 200: five standard errors are 0.106.
    assert abs(hits / 200 - 0.9) < 0.106


def test_pearson_is_numpy_s_and_nan_for_a_constant() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(1, 6, 50) / 3, rng.normal(size=50)
    y[3] = np.nan
    keep = ~np.isnan(y)
    found = estimate_pearson(x, y, units=units_of(50), level=0.95)
    assert found["pearson"][0] == pytest.approx(np.corrcoef(x[keep], y[keep])[0, 1])
    assert found.n_items == 49
    assert np.isnan(estimate_pearson(np.full(50, 1 / 3), y, units=units_of(50), level=0.95)["pearson"][0])


def test_variance_components_equal_those_of_a_linear_model() -> None:
    """Sums of squares from nested least-squares fits give the same mean squares."""
    rng = np.random.default_rng(4)
    m, v, r = 4, 5, 3
    scores = rng.normal(size=(m, v, r)) + rng.normal(size=(m, 1, 1)) + rng.normal(size=(1, v, 1))
    index = np.indices((m, v, r)).reshape(3, -1)

    def residual(*terms: tuple[int, ...]) -> float:
        columns = [np.ones((m * v * r, 1))]
        for term in terms:
            codes = np.ravel_multi_index(tuple(index[t] for t in term), tuple((m, v, r)[t] for t in term))
            columns.append(np.eye(codes.max() + 1)[codes])
        design = np.hstack(columns)
        fitted = design @ np.linalg.lstsq(design, scores.ravel(), rcond=None)[0]
        return float(np.sum((scores.ravel() - fitted) ** 2))

    main = ((0,), (1,), (2,))
    pairs = ((0, 1), (0, 2), (1, 2))
    squares = {(): residual()}
    ms = {}
    for term in main:
        ms[term] = (squares[()] - residual(term)) / ((m, v, r)[term[0]] - 1)
    for pair in pairs:
        without = residual(*main)
        df = ((m, v, r)[pair[0]] - 1) * ((m, v, r)[pair[1]] - 1)
        ms[pair] = (without - residual(*main, pair)) / df
    e = residual(*main, *pairs) / ((m - 1) * (v - 1) * (r - 1))
    expected = {
        "model": (ms[0,] - ms[0, 1] - ms[0, 2] + e) / (v * r),
        "vignette": (ms[1,] - ms[0, 1] - ms[1, 2] + e) / (m * r),
        "rater": (ms[2,] - ms[0, 2] - ms[1, 2] + e) / (m * v),
        "model:vignette": (ms[0, 1] - e) / r,
        "model:rater": (ms[0, 2] - e) / v,
        "vignette:rater": (ms[1, 2] - e) / m,
        "residual": e,
    }
    found = dict(zip(COMPONENTS, variance_components(scores).raw, strict=True))
    assert found == pytest.approx(expected)


def test_variance_components_are_recovered_on_average() -> None:
    rng = np.random.default_rng(8)
    true = np.array([0.5, 0.2, 0.1, 0.3, 0.05, 0.05, 0.4])
    shapes = [(6, 1, 1), (1, 15, 1), (1, 1, 4), (6, 15, 1), (6, 1, 4), (1, 15, 4), (6, 15, 4)]
    draws = []
    for _ in range(400):
        effects = (rng.normal(0, np.sqrt(s), shape) for s, shape in zip(true, shapes, strict=True))
        draws.append(variance_components(sum(effects, np.zeros((6, 15, 4)))).raw)
    error = np.std(draws, axis=0) / np.sqrt(400)
    assert np.all(np.abs(np.mean(draws, axis=0) - true) < 5 * error)


def test_reliability_is_the_textbook_ratio() -> None:
    components = VarianceComponents(np.array([0.5, 0.1, 0.05, 0.4, 0.02, 0.01, 0.2]), 6, 20, 3)
    relative = 0.4 / 20 + 0.02 / 3 + 0.2 / 60
    absolute = relative + 0.1 / 20 + 0.05 / 3 + 0.01 / 60
    g, phi = components.reliability(20, 3)
    assert (g, phi) == pytest.approx((0.5 / (0.5 + relative), 0.5 / (0.5 + absolute)))
    raters = components.raters_needed(0.9, 10)
    assert components.reliability(10, raters)[0] >= 0.9 > components.reliability(10, raters - 1)[0]
    assert components.raters_needed(0.99, 5) is None
    needed = components.vignettes_needed(0.9, 3)
    assert components.reliability(needed, 3)[0] >= 0.9 > components.reliability(needed - 1, 3)[0]


def test_one_score_per_line_of_two_vignettes_gives_single_rating_reliability() -> None:
    """With raters as the only second facet it is the intraclass correlation of Shrout and Fleiss."""
    from analysis.stats.intraclass import estimate_icc

    judges = np.array(
        [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]], float
    )
    # The six targets as models on two equal vignettes: no vignette and no residual variance is added.
    scores = np.stack([judges.T, judges.T], axis=1)
    found = variance_components(scores)
    model, _, rater, _, mr, _, _ = found.raw
    icc = estimate_icc(judges, units=units_of(6), level=0.95)
    assert model / (model + rater + mr) == pytest.approx(icc["icc_a_1"][0])
