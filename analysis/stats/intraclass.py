"""Intraclass correlations: how much of the spread of numbers is between items, not between raters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.resampled_units import ResampledUnits

ICC = ("icc_1_1", "icc_a_1", "icc_c_1", "icc_1_k", "icc_a_k", "icc_c_k")
"""What :func:`estimate_icc` estimates: one-way, absolute agreement and consistency, of one rating and
of the mean of k. In the names of Shrout and Fleiss: ICC1, ICC2, ICC3, ICC1k, ICC2k, ICC3k."""


def estimate_icc(ratings: npt.ArrayLike, *, units: ResampledUnits, level: float) -> Estimates:
    """Estimate the six intraclass correlations of k raters, with intervals.

    Parameters
    ----------
    ratings : array_like of float, shape (k, N)
        Numbers; NaN where the rater gave none.
    units : ResampledUnits
        Which of the N lie in one unit, and the resamples of the units.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        Of `ICC`; `n_items` counts what all k raters have rated, which is what is used. NaN with
        fewer than two such items or raters, or where all numbers are the same.

    Raises
    ------
    ValueError
        If a rating is infinite or the shape is wrong.

    Notes
    -----
    From the mean squares of the two-way layout without replication; negative where ratings of an
    item differ more than those of different items. Intervals resample units and assume nothing of
    the distribution, unlike the F intervals of the sources. Source: Shrout and Fleiss (1979),
    doi:10.1037/0033-2909.86.2.420; McGraw and Wong (1996), doi:10.1037/1082-989X.1.1.30.

    Examples
    --------
    The six targets and four judges of Shrout and Fleiss.

    >>> judges = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]
    >>> units = ResampledUnits.create(6, rng=np.random.default_rng(1), n_resamples=200)
    >>> estimate_icc(judges, units=units, level=0.95).estimate.round(2).tolist()
    [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.any(np.isinf(table)):
        raise ValueError(f"ratings must be finite or NaN, of shape (raters, items), got {table.shape}")
    complete = ~np.any(np.isnan(table), axis=0)
    values = table[:, complete]
    k = table.shape[0]
    # A shift changes no correlation and keeps sums of squares from cancelling.
    values = values - (values.min() if values.size else 0.0)
    denominator = common_denominator(values)
    steps = np.rint(values * denominator) if denominator else values
    item = steps.sum(axis=0)
    groups = (np.ones((1, item.size)), steps, (item * item)[None], (steps * steps).sum(axis=0)[None])
    parts = [to_integers(g, common_denominator(g), item.size) for g in groups]
    factors = [factor for _, factor in parts]
    tables = units.totals(np.concatenate([rows for rows, _ in parts]), complete)
    boot = bootstrap_sums(tables, lambda sums: _correlations(sums, k, factors), units.draws)
    return Estimates.from_bootstrap(ICC, boot, level, int(np.count_nonzero(complete)))


def _correlations(sums: npt.NDArray[np.inexact], k: int, factors: list[float]) -> npt.NDArray[np.inexact]:
    n = sums[..., 0]
    of_rater = sums[..., 1 : 1 + k] / factors[1]
    of_items, of_all = sums[..., 1 + k] / factors[2], sums[..., 2 + k] / factors[3]
    with np.errstate(invalid="ignore", divide="ignore"):
        correction = of_rater.sum(axis=-1) ** 2 / (n * k)
        total = of_all - correction
        items = of_items / k - correction
        raters = np.sum(of_rater * of_rater, axis=-1) / n - correction
        # No spread at all, or too little of it to tell from rounding.
        none = (n.real < 2) | (k < 2) | (total.real <= 1e-12 * np.abs(of_all))
        n = np.where(none, np.nan, n)
        between = items / (n - 1)
        rater = raters / (k - 1) if k > 1 else raters
        within = (total - items) / (n * (k - 1)) if k > 1 else raters
        error = (total - items - raters) / ((n - 1) * (k - 1)) if k > 1 else raters
        correlations = np.stack(
            [
                (between - within) / (between + (k - 1) * within),
                (between - error) / (between + (k - 1) * error + k * (rater - error) / n),
                (between - error) / (between + (k - 1) * error),
                (between - within) / between,
                (between - error) / (between + (rater - error) / n),
                (between - error) / between,
            ],
            axis=-1,
        )
        # Items without any spread between them have no correlation of means: its limit is -inf.
        return np.where(np.isfinite(correlations), correlations, np.nan)
