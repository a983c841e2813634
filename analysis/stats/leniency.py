"""How lenient raters are: the additive model of ratings, response and line plus rater."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.lattice import common_denominator, to_integers
from analysis.stats.resampled_units import ResampledUnits
from analysis.stats.results import BoolArray, FloatArray, IntArray

MAX_RATERS = 64
"""Raters up to which leniency has intervals."""


def estimate_leniency(
    ratings: npt.ArrayLike, reference: npt.ArrayLike, *, units: ResampledUnits, level: float
) -> Estimates:
    """Estimate how far each rater scores above a reference, on the same lines.

    Parameters
    ----------
    ratings : array_like of float, shape (R, N)
        Numbers of R raters on N lines (responses and sub-dimensions); NaN where there is none.
    reference : array_like of bool, shape (R,)
        The raters whose mean leniency is 0.
    units : ResampledUnits
        Which of the N lie in one unit, and the resamples of the units.
    level : float
        Confidence level.

    Returns
    -------
    Estimates
        One value per rater, named by its number; NaN for raters who share no line, directly or through
        others, with the reference; without intervals beyond `MAX_RATERS` raters. `n_items` counts
        lines with at least two ratings.

    Raises
    ------
    ValueError
        If shapes do not fit or a rating is infinite.

    Notes
    -----
    Least squares of ``rating = line + rater``: the additive part of a many-facet model, in points of
    the scale. It takes leniency to be the same on every line; raters need not rate the same lines.
    Interpretation follows Linacre (1989), Many-Facet Rasch Measurement, but on the raw scale, which
    holds where scores keep off its ends.

    Examples
    --------
    The second rater gives one point more than the first, the third as much as the first.

    >>> nan = np.nan
    >>> ratings = [[2, 3, 4, nan], [3, 4, nan, 4], [nan, nan, 4, 3]]
    >>> units = ResampledUnits.create(4, rng=np.random.default_rng(1), n_resamples=200)
    >>> result = estimate_leniency(ratings, [True, True, False], units=units, level=0.95)
    >>> result.estimate.round(3).tolist()
    [-0.5, 0.5, -0.5]
    """
    table, of = np.asarray(ratings, dtype=np.float64), np.asarray(reference, dtype=bool)
    if table.ndim != 2 or of.shape != table.shape[:1] or np.any(np.isinf(table)):
        raise ValueError(f"ratings must be finite or NaN, (raters, lines), got {table.shape} and {of.shape}")
    n_raters = table.shape[0]
    twice = np.count_nonzero(~np.isnan(table), axis=0) >= 2
    names = tuple(str(r) for r in range(n_raters))
    linked = _linked(table[:, twice], of)
    members = np.flatnonzero(linked)
    if members.size < 2 or not np.any(of[members]):
        none = np.full(n_raters, np.nan)
        return Estimates(names, none, none, none, none, level, ("none",) * n_raters, int(twice.sum()), 0)
    values = table[members]
    keep = np.count_nonzero(~np.isnan(values), axis=0) >= 2
    if members.size > MAX_RATERS:
        estimate = _solved(*_whole(values[:, keep]), of[members])
        return _spread(names, members, estimate, level, int(keep.sum()), units, keep)
    tables, factors = _sums(values[:, keep], units, keep)
    upper, lower = np.triu_indices(members.size, 1)

    def solve(sums: npt.NDArray[np.inexact]) -> npt.NDArray[np.inexact]:
        shared = np.zeros((*sums.shape[:-1], members.size, members.size), dtype=sums.dtype)
        shared[..., upper, lower] = shared[..., lower, upper] = sums[..., : upper.size] / factors[0]
        return _solved(shared, sums[..., upper.size :] / factors[1], of[members])

    boot = bootstrap_sums(tables, solve, units.draws)
    found = Estimates.from_bootstrap(names[: members.size], boot, level, int(keep.sum()))

    def spread(values: FloatArray) -> FloatArray:
        out = np.full(n_raters, np.nan)
        out[members] = values
        return out

    return Estimates(
        names,
        spread(found.estimate),
        spread(found.std_error),
        spread(found.ci_low),
        spread(found.ci_high),
        level,
        ("bootstrap_bca",) * n_raters,
        found.n_items,
        found.n_clusters,
    )


def _spread(
    names: tuple[str, ...],
    members: npt.NDArray[np.intp],
    estimate: npt.NDArray[np.inexact],
    level: float,
    n_lines: int,
    units: ResampledUnits,
    keep: BoolArray,
) -> Estimates:
    """Return estimates without intervals."""
    none, out = np.full(len(names), np.nan), np.full(len(names), np.nan)
    out[members] = estimate.real
    n_units = int(np.unique(units.codes[keep]).size)
    return Estimates(names, out, none, none, none, level, ("none",) * len(names), n_lines, n_units)


def _whole(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return shared lines of pairs, each line counting once, and deviations of raters, over all lines."""
    has = ~np.isnan(values)
    m = np.count_nonzero(has, axis=0)
    shared = (has / m) @ has.T.astype(np.float64)
    np.fill_diagonal(shared, 0.0)
    deviation = np.where(has, values - np.nansum(values, axis=0) / m, 0.0).sum(axis=1)
    return shared, deviation


def _sums(
    values: FloatArray, units: ResampledUnits, keep: BoolArray
) -> tuple[FloatArray, tuple[float, float]]:
    """Return what each unit adds to the normal equations: shared lines of pairs, deviations of raters."""
    has = ~np.isnan(values)
    m = np.count_nonzero(has, axis=0)
    part, of_part = to_integers(1 / m, common_denominator(1 / m), m.size)
    deviation = np.where(has, values - np.nansum(values, axis=0) / m, 0.0)
    away, of_away = to_integers(deviation, common_denominator(deviation), m.size)
    upper, lower = np.triu_indices(values.shape[0], 1)
    # One pair at a time: all pairs' lines at once would not fit.
    shared = [
        units.totals(np.where(has[a] & has[b], part, 0.0)[None], keep)
        for a, b in zip(upper, lower, strict=True)
    ]
    return np.concatenate([*shared, units.totals(away, keep)]), (of_part, of_away)


def _solved(
    shared: npt.NDArray[np.inexact], deviation: npt.NDArray[np.inexact], reference: BoolArray
) -> npt.NDArray[np.inexact]:
    """Solve the normal equations, the Laplacian of the raters' shared lines, and centre the result."""
    n = shared.shape[-1]
    eye = np.eye(n)
    laplacian = shared.sum(axis=-1)[..., None] * eye - shared
    system = laplacian + np.ones((n, n)) / n
    # A resample may part the raters into groups that share nothing: then there is no solution.
    smallest = np.linalg.eigvalsh(system.real)[..., 0]
    singular = smallest <= 1e-9 * np.abs(np.diagonal(system.real, axis1=-2, axis2=-1)).max(axis=-1)
    system = np.where(singular[..., None, None], eye, system)
    found = np.linalg.solve(system, deviation[..., None])[..., 0]
    found = found - found[..., reference].mean(axis=-1)[..., None]
    return np.where(singular[..., None], np.nan, found)


def _linked(values: FloatArray, reference: BoolArray) -> BoolArray:
    """Return the raters linked to the reference raters, or to the largest group of those."""
    has = ~np.isnan(values)
    shares = (has.astype(np.int64) @ has.T.astype(np.int64)) > 0
    group = _groups(shares)
    sizes = np.bincount(group[reference], minlength=group.max(initial=0) + 1)
    linked: BoolArray = (group == int(np.argmax(sizes))) & has.any(axis=1)
    return linked


def _groups(shares: BoolArray) -> IntArray:
    group = np.full(shares.shape[0], -1, dtype=np.int64)
    for start in range(shares.shape[0]):
        if group[start] >= 0:
            continue
        number, todo = int(group.max()) + 1, [start]
        while todo:
            at = todo.pop()
            if group[at] < 0:
                group[at] = number
                todo += np.flatnonzero(shares[at] & (group < 0)).tolist()
    return group
