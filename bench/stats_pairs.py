"""All pairs of models: permutation tests, McNemar tests and kappa against loops over a library."""

from __future__ import annotations

import numpy as np

from analysis.stats.concordance import pairwise_agreement
from analysis.stats.joint_counts import joint_counts
from analysis.stats.mcnemar import mcnemar_test
from analysis.stats.paired import PairedComparisons, compare_pairs
from bench.measure import Comparison, best_of

N_PERMUTATIONS = 9_999


def graded(missing: float = 0.0) -> np.ndarray:
    """Return 50 models x 1,000 items scored 0, 0.5 or 1."""
    rng = np.random.default_rng(2)
    difficulty = rng.random(1000)
    raw = np.linspace(0.0, 0.15, 50)[:, None] + difficulty + rng.normal(0, 0.4, (50, 1000))
    scores = np.clip(np.round(raw * 2), 0, 2) / 2
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores


def binary() -> np.ndarray:
    """Return 50 models x 1,000 items that are solved or not."""
    rng = np.random.default_rng(3)
    return (rng.random((50, 1000)) < rng.random(1000) * np.linspace(0.7, 1.0, 50)[:, None]).astype(float)


def compare(scores: np.ndarray, n_resamples: int = 2000) -> PairedComparisons:
    """Run our comparison of all pairs, with intervals unless `n_resamples` is 0."""
    return compare_pairs(
        scores, rng=np.random.default_rng(0), n_resamples=n_resamples, n_permutations=N_PERMUTATIONS,
        level=0.95,
    )  # fmt: skip


def against_permutation_test() -> list[Comparison]:
    """Compare exact tests of graded scores with scipy's random permutations."""
    from scipy.stats import permutation_test

    def theirs(scores: np.ndarray, a: int, b: int) -> float:
        both = ~np.isnan(scores[a]) & ~np.isnan(scores[b])
        result = permutation_test(
            (scores[a, both], scores[b, both]), lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples", n_resamples=N_PERMUTATIONS, vectorized=True,
            rng=np.random.default_rng(0),
        )  # fmt: skip
        return float(result.pvalue)

    rows = []
    sample = [(0, 7), (3, 20), (11, 12), (30, 44)]
    for name, scores in (("complete", graded()), ("5 % of cells missing", graded(0.05))):
        one_time, _ = best_of(lambda scores=scores: compare(scores[[0, 7]]))
        all_time, result = best_of(lambda scores=scores: compare(scores))
        their_time, p_values = best_of(lambda scores=scores: [theirs(scores, a, b) for a, b in sample], 1)
        place = {(a, b): i for i, (a, b) in enumerate(zip(result.first, result.second, strict=True))}
        for pair, p in zip(sample, p_values, strict=True):
            exact = result.p_value[place[pair]]
            if abs(p - exact) > 5 * np.sqrt(exact * (1 - exact) / N_PERMUTATIONS) + 2 / N_PERMUTATIONS:
                raise AssertionError(f"pair {pair}: {p} drawn, {exact} exact")
        checked = f"exact p within Monte Carlo error of {len(sample)} drawn ones"
        per_pair = their_time / len(sample)
        rows.append(
            Comparison(
                f"permutation test of one pair, 1,000 graded items, {name} (ours with interval)",
                "scipy permutation_test, 9,999 draws", one_time, per_pair, checked,
            )
        )  # fmt: skip
        rows.append(
            Comparison(
                f"all 1,225 pairs, {name} (ours with intervals)",
                "scipy permutation_test, 9,999 draws", all_time, per_pair * 1225, checked, True,
            )
        )  # fmt: skip
    return rows


def against_mcnemar() -> list[Comparison]:
    """Compare with a loop over statsmodels' exact McNemar test."""
    from statsmodels.stats.contingency_tables import mcnemar

    scores = binary()

    def theirs() -> np.ndarray:
        out = []
        for a, b in zip(*np.triu_indices(50, 1), strict=True):
            x, y = scores[a], scores[b]
            table = [
                [np.sum((x == 1) & (y == 1)), np.sum((x == 1) & (y == 0))],
                [np.sum((x == 0) & (y == 1)), np.sum((x == 0) & (y == 0))],
            ]
            out.append(mcnemar(table, exact=True).pvalue)
        return np.array(out)

    first, second = np.triu_indices(50, 1)

    def tests_only() -> np.ndarray:
        counts = joint_counts(scores.astype(np.int8), 2)[:, :, first, second]
        return mcnemar_test(counts[1, 0], counts[0, 1]).p_value

    their_time, p_values = best_of(theirs)
    peer, checked = "statsmodels mcnemar in a loop", "p equal to 1e-9"
    rows = []
    for how, run in (
        ("joint_counts and mcnemar_test", tests_only),
        ("compare_pairs without intervals", lambda: compare(scores, n_resamples=0).p_value),
        ("compare_pairs with bootstrap intervals", lambda: compare(scores).p_value),
    ):
        own_time, own = best_of(run, 10)
        np.testing.assert_allclose(own, np.minimum(p_values, 1), rtol=1e-9)
        task = f"exact tests of all 1,225 pairs, 1,000 binary items: {how}"
        rows.append(Comparison(task, peer, own_time, their_time, checked))
    return rows


def against_kappa() -> list[Comparison]:
    """Compare with a loop over scikit-learn's kappa."""
    from sklearn.metrics import cohen_kappa_score

    codes = (graded() * 2).astype(np.int64)
    own_time, result = best_of(lambda: pairwise_agreement(codes), 10)
    first, second = np.triu_indices(50, 1)
    their_time, kappas = best_of(
        lambda: [cohen_kappa_score(codes[a], codes[b]) for a, b in zip(first, second, strict=True)], 1
    )
    np.testing.assert_allclose(result.kappa[first, second], kappas, rtol=1e-9, atol=1e-12)
    return [
        Comparison(
            "agreement and kappa of all 1,225 pairs, 1,000 items, three verdicts",
            "scikit-learn cohen_kappa_score in a loop", own_time, their_time, "kappa equal to 1e-9",
        )
    ]  # fmt: skip


RUNS = (against_permutation_test, against_mcnemar, against_kappa)
