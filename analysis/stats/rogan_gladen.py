"""A share of yes from a judge's labels, its sensitivity and its specificity.

It needs the judge's sensitivity and specificity to be the same where humans looked and where they did
not, not that the two parts are alike; prediction-powered inference
(:mod:`analysis.stats.judge_correction`) needs the part that humans labelled to be a random sample.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.judge_correction import Share, zero_one
from analysis.stats.results import check_level


def rogan_gladen(
    human: npt.ArrayLike, judge: npt.ArrayLike, judge_only: npt.ArrayLike, *, level: float
) -> Share:
    """Estimate the share of yes from the judge's labels, its sensitivity and its specificity.

    Parameters
    ----------
    human, judge : array_like of int, shape (n,)
        1 or 0 by human and judge, on what both have labelled.
    judge_only : array_like of int, shape (N,)
        1 or 0 by the judge on the rest.
    level : float
        Confidence level.

    Returns
    -------
    Share
        In [0, 1]; NaN where humans gave no yes or no no, where the judge has labelled nothing more,
        or where the judge is no better than chance (sensitivity + specificity at most 1).

    Notes
    -----
    Sensitivity and specificity come from the part that humans labelled and the share from the rest,
    so that the three are independent, as the interval assumes. Labels are taken as independent.
    Source: Rogan and Gladen (1978), doi:10.1093/oxfordjournals.aje.a112510; interval: Lang and
    Reiczigel (2014), doi:10.1016/j.prevetmed.2013.09.015.

    Examples
    --------
    >>> human, judge = [1] * 40 + [0] * 20, [1] * 38 + [0] * 2 + [1] * 4 + [0] * 16
    >>> share = rogan_gladen(human, judge, [1] * 560 + [0] * 240, level=0.95)
    >>> round(share.estimate, 3), round(share.ci_low, 3), round(share.ci_high, 3)
    (0.667, 0.541, 0.78)
    """
    y, f, rest = zero_one(human, "human"), zero_one(judge, "judge"), zero_one(judge_only, "judge_only")
    if y.shape != f.shape:
        raise ValueError(f"human and judge labels differ in number: {y.size} and {f.size}")
    check_level(level)
    n_yes, n_no, n = float(y.sum()), float(y.size - y.sum()), float(rest.size)
    nan = float("nan")
    none = Share(nan, nan, nan, nan, level, "rogan_gladen", y.size, rest.size, 1.0)
    if not (n_yes and n_no and n):
        return none
    hits, rejections, positive = float(f @ y), float((1 - f) @ (1 - y)), float(rest.sum())
    youden = hits / n_yes + rejections / n_no - 1
    if youden <= 0:
        return none
    estimate = (positive / n + rejections / n_no - 1) / youden
    z = float(special.ndtri(0.5 + level / 2))
    # One observation more of each kind, and z squared of them for the share, as the source has it.
    se, sp, p = (hits + 1) / (n_yes + 2), (rejections + 1) / (n_no + 2), (positive + z * z / 2) / (n + z * z)
    centre = (p + sp - 1) / (se + sp - 1)
    v_se, v_sp, v_p = se * (1 - se) / (n_yes + 2), sp * (1 - sp) / (n_no + 2), p * (1 - p) / (n + z * z)
    shift = 2 * z * z * (centre * v_se - (1 - centre) * v_sp)
    std_error = float(np.sqrt(v_p + centre**2 * v_se + (1 - centre) ** 2 * v_sp)) / (se + sp - 1)
    low, high = np.clip([centre + shift - z * std_error, centre + shift + z * std_error], 0, 1).tolist()
    return Share(
        float(np.clip(estimate, 0, 1)), std_error, low, high, level, "rogan_gladen", y.size, rest.size, 1.0
    )
