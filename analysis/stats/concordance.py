"""Agreement of models about items: how alike they are, not how good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.joint_counts import joint_counts
from analysis.stats.results import FloatArray, IntArray, frozen_array


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of all pairs of M models.

    Parameters
    ----------
    n_items : ndarray of int, shape (M, M)
        Items for which both have a cell.
    agreement : ndarray of float, shape (M, M)
        Share of those with the same code; NaN where there are none.
    kappa : ndarray of float, shape (M, M)
        Cohen's unweighted kappa; NaN where expected agreement is 1 or there are no items.
    """

    n_items: IntArray
    agreement: FloatArray
    kappa: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_items", frozen_array(self.n_items, np.int64))
        object.__setattr__(self, "agreement", frozen_array(self.agreement, np.float64))
        object.__setattr__(self, "kappa", frozen_array(self.kappa, np.float64))
        if not self.n_items.shape == self.agreement.shape == self.kappa.shape:
            raise ValueError("n_items, agreement and kappa differ in shape")


def pairwise_agreement(codes: npt.ArrayLike) -> PairAgreement:
    """Compute agreement and Cohen's kappa of all pairs of models.

    Parameters
    ----------
    codes : array_like of int, shape (M, N)
        Categories as integers from 0; -1 where a model has no cell.

    Returns
    -------
    PairAgreement

    Notes
    -----
    Chance agreement uses both models' category shares on the items they have in common, so it
    differs from pair to pair where cells are missing. Where both models use one and the same
    category throughout, expected agreement is 1 and kappa is not defined. Source: Cohen (1960),
    doi:10.1177/001316446002000104.

    Examples
    --------
    >>> result = pairwise_agreement([[0, 1, 1, 0], [0, 1, 0, -1]])
    >>> result.n_items[0, 1].item(), result.agreement[0, 1].round(3).item(), result.kappa[0, 1].item()
    (3, 0.667, 0.4)
    """
    table = np.asarray(codes)
    if table.ndim != 2:
        raise ValueError(f"codes must have shape (models, items), got {table.shape}")
    levels = np.unique(table)
    levels = levels[levels >= 0]
    # Codes that do not occur cost nothing.
    dense = np.full(table.shape, -1, dtype=np.int16)
    for code, level in enumerate(levels.tolist()):
        dense[table == level] = code
    return agreement_from_counts(joint_counts(dense, max(int(levels.size), 1)))


def agreement_from_counts(counts: IntArray) -> PairAgreement:
    """Compute agreement and kappa from joint counts.

    Parameters
    ----------
    counts : ndarray of int, shape (K, K, M, M)
        As :func:`analysis.stats.joint_counts.joint_counts` returns them, or the sum of those of
        shards of the items.

    Returns
    -------
    PairAgreement
    """
    n = counts.sum(axis=(0, 1))
    same = np.einsum("kkab->ab", counts)
    # In integers, so that "expected agreement is 1" is a comparison without rounding.
    expected = np.einsum("kab,kab->ab", counts.sum(axis=1), counts.sum(axis=0))
    certain = expected == n * n
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = same / n
        kappa = (same * n - expected) / (n * n - expected)
    return PairAgreement(n, agreement, np.where(certain, np.nan, kappa))
