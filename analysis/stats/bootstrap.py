"""Bootstrap means of M models from one joint draw of resamples.

Estimands
---------
``item``
    The mean over a model's own cells, weighted where item weights are given. Over clusters of
    ragged size this is a ratio of two sums over clusters, and both are resampled.
``cluster``
    The mean over clusters of the mean within a cluster, so that each cluster counts once.

Units are resampled whole: the item, or the cluster where clusters are given. The interval then
rests on the units being exchangeable and independent of each other; cells of a unit may depend on
each other in any way.

Which interval
--------------
``expanded`` is the recommended default: the percentile interval with its tails widened as Student's
t widens those of a normal interval (Hesterberg 2015, section 5.3). It keeps the percentile
interval's virtues (inside the range of the scores, equivariant, monotone in the level, always
defined when resamples differ) and removes its narrowness for few units, which matters most where
clusters are few. Coverage at a nominal 0.95, of the data sets that have an interval
(``tests/calibration/stats`` repeats it):

=====================================  ========  ==========  =====  ===========
data                                   expanded  percentile  bca    studentized
=====================================  ========  ==========  =====  ===========
0/1, n = 20, rate 0.3 and 0.5          .97, .97  .95, .96    .98    .99, .97
0/1, n = 100, rate 0.3 and 0.5         .96       .96, .95    .96    .96, .95
0/1, n = 1,600, rate 0.02, 0.3, 0.5    .95, .96  .95         .96    .95, .96
graded, n = 20                         .95       .93         .95    .98
graded, n = 100                        .95       .94         .95    .95
0/1 in 20 clusters, rate 0.3           .97       .95         .96    .97
0/1 in 100 clusters, rate 0.02         .93       .92         .94    .96
=====================================  ========  ==========  =====  ===========

Studentized has no interval in up to 9 of 10 data sets where successes are rare, since resamples
then often have no spread; bca is the better choice for rare outcomes in clusters. No bootstrap
interval exists where nothing, or everything, succeeded (a third to two thirds of data sets with
n p below 1): for single-run 0/1 scores without clusters prefer
:func:`analysis.stats.proportions.wilson_interval`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special

from analysis.stats.exact_sums import ExactSums
from analysis.stats.resampling import Resamples, child_generators, order_statistic_limits
from analysis.stats.results import (
    FloatArray,
    IntArray,
    MeanEstimates,
    check_level,
    frozen_array,
)
from analysis.stats.units import Cells, Estimand, as_cells

MAX_UNITS = 2**17
"""Units up to which each is resampled by itself."""

N_BLOCKS = 2**15
"""Random blocks that more units are put into."""

IntervalMethod = Literal["expanded", "percentile", "basic", "bca", "studentized"]


@dataclass(frozen=True)
class BootstrapMeans:
    """Means of M models and their joint bootstrap replicates.

    Parameters
    ----------
    estimate : ndarray of float, shape (M,)
        Means; NaN for a model without a cell.
    replicates : ndarray of float, shape (B, M)
        Means in each of B resamples; NaN where the resample holds no cell of the model.
    std_error : ndarray of float, shape (M,)
        Linearised standard error (of a mean: s / sqrt(n); of a ratio: that of its residuals over
        units); NaN where the model has one unit or its units do not differ, for then the data say
        nothing of it.
    n_items, n_clusters : ndarray of int, shape (M,)
        Cells of the model, and units (items where no clusters were given) with a cell.
    """

    estimate: FloatArray
    replicates: FloatArray
    std_error: FloatArray
    n_items: IntArray
    n_clusters: IntArray
    _acceleration: Callable[[], FloatArray] = field(repr=False)
    _studentized: Callable[[], FloatArray] = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("estimate", "replicates", "std_error"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.float64))
        for name in ("n_items", "n_clusters"):
            object.__setattr__(self, name, frozen_array(getattr(self, name), np.int64))
        if self.replicates.ndim != 2 or self.replicates.shape[1:] != self.estimate.shape:
            raise ValueError(f"replicates have shape {self.replicates.shape}, estimate {self.estimate.shape}")

    def interval(self, level: float, method: IntervalMethod = "expanded") -> MeanEstimates:
        """Return the means with a bootstrap interval.

        Parameters
        ----------
        level : float
            Confidence level.
        method : {"expanded", "percentile", "basic", "bca", "studentized"}
            ``expanded``: percentile with t-widened tails; ``percentile``; ``basic``: reflected about
            the estimate; ``bca``: bias-corrected and accelerated (Efron 1987,
            doi:10.1080/01621459.1987.10478410), the acceleration from the jackknife over units;
            ``studentized``: bootstrap-t with the linearised standard error in each resample.

        Returns
        -------
        MeanEstimates
            Limits are NaN where all resamples of a model are equal, and for ``studentized`` also
            where the quantile needed is infinite because too many resamples have no spread.

        Raises
        ------
        ValueError
            If the level or the method is unknown.
        """
        check_level(level)
        tail = (1 - level) / 2
        centre = self.estimate
        if method == "percentile":
            low, high = order_statistic_limits(self.replicates, tail, tail)
        elif method == "expanded":
            low, high = order_statistic_limits(self.replicates, *[expanded_tail(tail, self.n_clusters)] * 2)
        elif method == "basic":
            q_low, q_high = order_statistic_limits(self.replicates, tail, tail)
            low, high = 2 * centre - q_high, 2 * centre - q_low
        elif method == "bca":
            low, high = order_statistic_limits(self.replicates, *self._bca_tails(tail))
        elif method == "studentized":
            q_low, q_high = order_statistic_limits(self._t_replicates, tail, tail)
            low, high = centre - q_high * self.std_error, centre - q_low * self.std_error
            infinite = ~(np.isfinite(low) & np.isfinite(high))
            low, high = np.where(infinite, np.nan, low), np.where(infinite, np.nan, high)
        else:
            raise ValueError(
                f"unknown interval method {method!r}: expanded, percentile, basic, bca, studentized"
            )
        return MeanEstimates(
            centre, self.std_error, low, high, level, f"bootstrap_{method}", self.n_items, self.n_clusters
        )

    @cached_property
    def _t_replicates(self) -> FloatArray:
        return self._studentized()

    def _bca_tails(self, tail: float) -> tuple[FloatArray, FloatArray]:
        with np.errstate(invalid="ignore"):
            below = np.count_nonzero(self.replicates < self.estimate, axis=0)
            equal = np.count_nonzero(self.replicates == self.estimate, axis=0)
        n = np.maximum(np.count_nonzero(~np.isnan(self.replicates), axis=0), 1)
        # On a lattice many replicates equal the estimate; half of them count as below it.
        share = np.clip((below + equal / 2) / n, 0.5 / n, 1 - 0.5 / n)
        bias = special.ndtri(share)
        acceleration = self._acceleration()
        tails = []
        for z in (special.ndtri(tail), -special.ndtri(tail)):
            shifted = bias + z
            tails.append(special.ndtr(bias + shifted / (1 - acceleration * shifted)))
        return tails[0], 1 - tails[1]


def expanded_tail(tail: float, n_units: npt.ArrayLike) -> FloatArray:
    """Return the tail of the normal distribution beyond Student's quantile, widened for n units.

    A percentile interval of a mean of n values is too narrow by sqrt((n - 1) / n) and by the ratio
    of the normal to Student's quantile; cutting off this smaller tail makes up for both.

    Parameters
    ----------
    tail : float
        Nominal probability of one tail.
    n_units : array_like of int
        Number of units.

    Returns
    -------
    ndarray of float
        Tail to cut off, in the limit `tail`; that of two units where there is one.

    Notes
    -----
    Source: Hesterberg (2015), What teachers should know about the bootstrap,
    doi:10.1080/00031305.2015.1089789.
    """
    n = np.maximum(np.asarray(n_units, dtype=np.float64), 2.0)
    tails: FloatArray = special.ndtr(np.sqrt(n / (n - 1)) * special.stdtrit(n - 1, tail))
    return tails


def bootstrap_means(
    scores: npt.ArrayLike,
    *,
    rng: np.random.Generator,
    n_resamples: int,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    observed: npt.ArrayLike | None = None,
    estimand: Estimand = "item",
) -> BootstrapMeans:
    """Bootstrap the means of M models jointly.

    Parameters
    ----------
    scores : array_like, shape (M, N)
        Scores; NaN where a model has no cell. Compact integers need `observed` unless complete.
    rng : numpy.random.Generator
        Source of randomness.
    n_resamples : int
        Number of resamples, B.
    clusters : array_like of int, shape (N,), optional
        Cluster codes; whole clusters are resampled.
    weights : array_like of float, shape (N,), optional
        Item weights.
    observed : array_like of bool, shape (M, N), optional
        Which cells exist.
    estimand : {"item", "cluster"}
        See the module's text.

    Returns
    -------
    BootstrapMeans

    Raises
    ------
    ValueError
        If shapes do not fit or a number is not admissible.

    Notes
    -----
    One draw of counts serves all models, depends only on `rng` and the number of units, and
    resamples units whether or not a model has a cell there. Sums are of integers, hence exact.
    More than 131,072 units are first put into 32,768 blocks at random, and blocks are resampled in
    their place: sums of random blocks vary as those of as many independent units do, and a spread
    estimated from so many blocks is off by 0.4 per cent, a quarter of what 2,000 resamples are.
    Source: Efron (1979), doi:10.1214/aos/1176344552; Davison and Hinkley (1997), section 3.8, for
    clusters.

    Examples
    --------
    >>> scores = np.array([[1, 0, 1, 1, 0, 1], [1, 0, 0, 1, 0, 1.0]])
    >>> boot = bootstrap_means(scores, rng=np.random.default_rng(1), n_resamples=500)
    >>> boot.replicates.shape, boot.estimate.round(3).tolist()
    ((500, 2), [0.667, 0.5])
    >>> bool(np.all(boot.replicates[:, 0] >= boot.replicates[:, 1]))
    True
    """
    if estimand not in ("item", "cluster"):
        raise ValueError(f"estimand must be 'item' or 'cluster', got {estimand!r}")
    cells = as_cells(scores, clusters=clusters, weights=weights, observed=observed)
    weights_rng, block_rng = child_generators(rng, 2)
    if cells.n_units == 0 or cells.n_models == 0:
        return _without_units(cells, n_resamples)
    blocks = None
    if cells.n_units > MAX_UNITS:
        blocks = block_rng.permutation(np.arange(cells.n_units) % N_BLOCKS)
    sums = ExactSums(cells, estimand, blocks, N_BLOCKS)
    resamples = Resamples(weights_rng, sums.n_resampled, n_resamples, keep=False)
    estimate, replicates = sums.estimate(), sums.replicates(resamples)
    return BootstrapMeans(
        estimate,
        replicates,
        sums.std_error,
        cells.n_cells,
        sums.n_clusters,
        sums.accelerations,
        lambda: sums.t_replicates(resamples, estimate, replicates),
    )


def _without_units(cells: Cells, n_resamples: int) -> BootstrapMeans:
    none = np.full(cells.n_models, np.nan)
    zero = np.zeros(cells.n_models, dtype=np.int64)
    empty = np.full((n_resamples, cells.n_models), np.nan)
    return BootstrapMeans(none, empty, none, zero, zero, lambda: none, lambda: empty)
