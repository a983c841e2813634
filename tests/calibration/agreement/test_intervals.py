"""Coverage of the intervals and power of the test against known truth, seeded.

Bounds are three to four binomial standard errors below what was measured, so that a wrong interval
fails and a change of the random stream does not.
"""

from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.agreement import estimate_agreement
from analysis.stats.judge_correction import judge_bias, prediction_powered, share_of_yes
from analysis.stats.pass_at_k import estimate_run_noise
from analysis.stats.planning import detectable_difference, exact_power
from analysis.stats.reliability import estimate_alpha
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.rogan_gladen import rogan_gladen
from analysis.stats.sign_flip import binomial_sign_flip

RUNS = 250


def two_raters(rng: np.random.Generator, shares: list[float], kappa: float, n: int) -> tuple[np.ndarray, ...]:
    """Draw two raters with the same category shares and this kappa."""
    margin = np.array(shares)
    joint = np.outer(margin, margin) * (1 - kappa) + np.diag(margin) * kappa
    drawn = rng.choice(margin.size**2, size=n, p=joint.ravel())
    return drawn // margin.size, drawn % margin.size


@pytest.mark.parametrize(
    ("shares", "kappa", "n", "least"),
    [
        ([0.5, 0.5], 0.6, 40, 0.91),
        ([0.5, 0.5], 0.9, 150, 0.91),
        ([0.9, 0.1], 0.6, 150, 0.91),
        ([0.1, 0.3, 0.6], 0.7, 80, 0.91),
    ],
)
def test_kappa_intervals_cover(shares: list[float], kappa: float, n: int, least: float) -> None:
    hits, missing = 0, 0
    for seed in range(RUNS):
        rng = np.random.default_rng([seed, n])
        first, second = two_raters(rng, shares, kappa, n)
        units = ResampledUnits.create(n, rng=rng, n_resamples=399)
        _, low, high = estimate_agreement(first, second, len(shares), units=units, level=0.95)["kappa"]
        missing += np.isnan(low)
        hits += low <= kappa <= high
    assert missing <= 0.05 * RUNS
    assert hits / (RUNS - missing) >= least


def test_clustered_kappa_intervals_cover_where_item_intervals_do_not() -> None:
    """Six responses of one item are judged alike: clusters of the item know, single responses do not."""
    hits = np.zeros(2)
    for seed in range(120):
        rng = np.random.default_rng([seed, 77])
        first, second = two_raters(rng, [0.5, 0.5], 0.6, 60)
        first, second, items = (np.repeat(x, 6) for x in (first, second, np.arange(60)))
        for i, clusters in enumerate((items, None)):
            draw = np.random.default_rng(seed)
            units = ResampledUnits.create(360, rng=draw, n_resamples=199, clusters=clusters)
            _, low, high = estimate_agreement(first, second, 2, units=units, level=0.95)["kappa"]
            hits[i] += low <= 0.6 <= high
    assert hits[0] / 120 >= 0.89
    assert hits[1] / 120 <= 0.75


def test_alpha_intervals_cover() -> None:
    # Truth of variance 1 and noise of variance 1: interval alpha is 1/2.
    hits = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([seed, 5])
        ratings = rng.normal(size=(3, 80)) + rng.normal(size=80)
        ratings[rng.random(ratings.shape) < 0.2] = np.nan
        units = ResampledUnits.create(80, rng=rng, n_resamples=399)
        result = estimate_alpha(ratings, "interval", units=units, level=0.95)
        hits += bool(result.ci_low[0] <= 0.5 <= result.ci_high[0])
    assert hits / RUNS >= 0.90


def labels(
    rng: np.random.Generator, share: float, se: float, sp: float, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw n human and judge labels."""
    human = rng.random(n) < share
    judge = np.where(human, rng.random(n) < se, rng.random(n) >= sp)
    return human.astype(int), judge.astype(int)


CASES = [(0.8, 0.95, 0.85, 40), (0.95, 0.99, 0.9, 60), (0.5, 0.9, 0.9, 150), (0.97, 0.98, 0.6, 150)]


@pytest.mark.parametrize(("share", "se", "sp", "n"), CASES)
def test_prediction_powered_intervals_cover(share: float, se: float, sp: float, n: int) -> None:
    rng = np.random.default_rng(n)
    hits, plain, bias, width, alone = 0, 0, 0, 0.0, 0.0
    runs = 800
    for _ in range(runs):
        human, judge = labels(rng, share, se, sp, n + 1000)
        data = human[:n], judge[:n], judge[n:]
        found = prediction_powered(*data, level=0.95)
        hits += found.ci_low <= share <= found.ci_high
        source = prediction_powered(*data, level=0.95, small_sample=False)
        plain += source.ci_low <= share <= source.ci_high
        off = judge_bias(*data[:2], level=0.95)
        bias += off.ci_low <= share * se + (1 - share) * (1 - sp) - share <= off.ci_high
        width += found.ci_high - found.ci_low
        humans = prediction_powered(*data, level=0.95, judge_weight=0.0)
        alone += humans.ci_high - humans.ci_low
    assert hits / runs >= 0.91
    assert bias / runs >= 0.91
    # The small-sample variance is why: the plain interval covers less everywhere.
    assert plain < hits
    assert width < alone


@pytest.mark.parametrize(("share", "se", "sp", "n"), [(0.8, 0.95, 0.85, 60), (0.5, 0.9, 0.9, 150)])
def test_rogan_gladen_intervals_cover(share: float, se: float, sp: float, n: int) -> None:
    rng = np.random.default_rng(n)
    hits, none = 0, 0
    for _ in range(800):
        human, judge = labels(rng, share, se, sp, n + 1000)
        found = rogan_gladen(human[:n], judge[:n], judge[n:], level=0.95)
        none += np.isnan(found.estimate)
        hits += found.ci_low <= share <= found.ci_high
    assert none <= 8
    assert hits / (800 - none) >= 0.93


def test_the_judge_alone_does_not_cover() -> None:
    """Why correct at all: a thousand labels of a lenient judge give a narrow interval in the wrong place."""
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(300):
        _, judge = labels(rng, 0.8, 0.95, 0.7, 1000)
        found = share_of_yes(judge, level=0.95, by="judge")
        hits += found.ci_low <= 0.8 <= found.ci_high
    # The judge says yes to 0.82, two points too many.
    assert hits / 300 < 0.8


@pytest.mark.parametrize(("n", "discordance"), [(200, 0.3), (600, 0.15), (1500, 0.4)])
def test_the_detectable_difference_is_detected_with_the_stated_power(n: int, discordance: float) -> None:
    difference = float(detectable_difference(n, discordance, alpha=0.05, power=0.8))
    power = exact_power(n, discordance, difference, alpha=0.05)
    assert 0.75 <= power <= 0.81
    rng = np.random.default_rng(n)
    up, down = (discordance + difference) / 2, (discordance - difference) / 2
    drawn = rng.multinomial(n, [up, down, 1 - discordance], size=20_000)
    simulated = np.mean(binomial_sign_flip(drawn[:, 0], drawn[:, 1]) < 0.05)
    assert simulated == pytest.approx(power, abs=0.012)


def test_noise_of_runs_is_unbiased() -> None:
    # Chances of success uniform on (0, 1): variance 1/12 between items, mean of p (1 - p) = 1/6 within.
    rng = np.random.default_rng(8)
    found = []
    for _ in range(200):
        p = rng.random(60)
        runs = (rng.random((3, 60)) < p).astype(float)
        runs[2, ::2] = np.nan
        noise = estimate_run_noise(runs, units=ResampledUnits.create(60, rng=rng, n_resamples=2), level=0.95)
        found.append((noise.between, noise.within))
    between, within = np.mean(found, axis=0)
    assert between == pytest.approx(1 / 12, abs=0.005)
    assert within == pytest.approx(1 / 6, abs=0.005)
