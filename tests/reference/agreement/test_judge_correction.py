"""Judge correction against ppi_py and R's asht; planning and repeated runs against published numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analysis.stats.judge_correction import prediction_powered
from analysis.stats.pass_at_k import pass_at_k, pass_hat_k
from analysis.stats.planning import items_needed
from analysis.stats.rogan_gladen import rogan_gladen

PPI = [
    # Yes and no by both, by human only, by judge only, by neither; yes and no of the judge on the rest;
    # ppi_py 0.2.3: estimate and 95 % limits with tuned weight, then with weight 1 (ppi_values.py).
    (
        (42, 0, 7, 11, 560, 240),
        (0.6326901843456316, 0.5461413711201857, 0.7192389975710776),
        (0.5833333333333333, 0.4961184025266995, 0.670548264139967),
    ),
    (
        (89, 3, 2, 6, 357, 43),
        (0.912083173076923, 0.8693677003938711, 0.9547986457599749),
        (0.9025, 0.849224322028281, 0.9557756779717189),
    ),
    (
        (18, 6, 3, 23, 2525, 2475),
        (0.5333159011567352, 0.42678564733825447, 0.6398461549752159),
        (0.565, 0.4477621202292131, 0.6822378797707869),
    ),
    (
        (31, 24, 65, 80, 103, 97),
        (0.27660601515037875, 0.21488804537540793, 0.33832398492534954),
        (0.31000000000000005, 0.19802874821615846, 0.42197125178384165),
    ),
]


def labels(cells: tuple[int, ...]) -> tuple[list[int], list[int], list[int]]:
    """Return human, judge and judge-only labels from counts."""
    both, human, judge, none, yes, no = cells
    return (
        [1] * (both + human) + [0] * (judge + none),
        [1] * both + [0] * human + [1] * judge + [0] * none,
        [1] * yes + [0] * no,
    )


@pytest.mark.parametrize(("cells", "tuned", "plain"), PPI)
def test_prediction_powered_inference_is_ppi_pys(
    cells: tuple[int, ...], tuned: tuple[float, ...], plain: tuple[float, ...]
) -> None:
    for weight, expected in ((None, tuned), (1.0, plain)):
        share = prediction_powered(*labels(cells), level=0.95, judge_weight=weight, small_sample=False)
        assert (share.estimate, share.ci_low, share.ci_high) == pytest.approx(expected, abs=1e-12)


def test_rogan_gladen_is_that_of_lang_and_reiczigel() -> None:
    """The formulae of R's asht::prevSeSp, written out with other names, on one sample."""
    n_yes, n_no, n, z = 60, 90, 500, 1.959963984540054
    hits, rejections, positive = 51, 83, 210
    share = rogan_gladen(
        [1] * n_yes + [0] * n_no,
        [1] * hits + [0] * (n_yes - hits) + [1] * (n_no - rejections) + [0] * rejections,
        [1] * positive + [0] * (n - positive),
        level=0.95,
    )
    se, sp, ap = (hits + 1) / (n_yes + 2), (rejections + 1) / (n_no + 2), (positive + z**2 / 2) / (n + z**2)
    p = (ap + sp - 1) / (se + sp - 1)
    dp = 2 * z**2 * (p * se * (1 - se) / (n_yes + 2) - (1 - p) * sp * (1 - sp) / (n_no + 2))
    variance = ap * (1 - ap) / (n + z**2) + p**2 * se * (1 - se) / (n_yes + 2)
    variance += (1 - p) ** 2 * sp * (1 - sp) / (n_no + 2)
    half = z * variance**0.5 / (se + sp - 1)
    assert share.estimate == pytest.approx((0.42 + 83 / 90 - 1) / (0.85 + 83 / 90 - 1))
    assert (share.ci_low, share.ci_high) == pytest.approx((p + dp - half, p + dp + half))


def test_items_needed_are_statsmodels() -> None:
    from statsmodels.stats.power import normal_sample_size_one_tail

    for difference, discordance, alpha, power in ((0.02, 0.2, 0.05, 0.8), (0.1, 0.3, 0.01, 0.9)):
        expected = normal_sample_size_one_tail(
            difference,
            power,
            alpha / 2,
            std_null=discordance**0.5,
            std_alternative=(discordance - difference**2) ** 0.5,
        )
        found = items_needed(difference, discordance, alpha=alpha, power=power)
        assert found == np.ceil(expected)


def test_pass_hat_k_of_tau_bench(data_dir: Path) -> None:
    """The benchmark's own table gives gpt-4o on the airline tasks 0.420, 0.273, 0.220 and 0.200."""
    import polars as pl

    rows = pl.read_parquet(data_dir / "tau_trials" / "verdicts.parquet")
    rows = rows.filter(
        pl.col("model") == "tau-bench:gpt-4o", pl.col("item_id").str.starts_with("tau1_airline")
    )
    counts = rows.group_by("item_id").agg(pl.len().alias("n"), pl.col("correct").sum().alias("c"))
    found = [pass_hat_k(counts["n"], counts["c"], k).mean() for k in (1, 2, 3, 4)]
    assert found == pytest.approx([0.420, 0.273, 0.220, 0.200], abs=5e-4)
    assert pass_at_k(counts["n"], counts["c"], 4).mean() == pytest.approx((counts["c"] > 0).mean())
