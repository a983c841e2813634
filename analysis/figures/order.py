"""An order of models in which those that agree stand together."""

from __future__ import annotations

import numpy as np
import polars as pl

MAX_OPTIMAL = 120
"""Up to this many models the leaves of the tree are ordered optimally, beyond it as the tree gives them."""


def distances(frame: pl.DataFrame, models: list[str]) -> np.ndarray:
    """Return a models x models array of distances, from concordance.

    The distance is 1 - kappa, 1 - agreement where kappa is not defined, and the largest distance
    there is (at least 1) for pairs without common items.
    """
    place = {model: i for i, model in enumerate(models)}
    found = np.full((len(models), len(models)), np.nan)
    for a, b, kappa, agreement in frame.select("model_a", "model_b", "kappa", "agreement").iter_rows():
        value = kappa if kappa is not None else agreement
        if value is not None:
            found[place[a], place[b]] = found[place[b], place[a]] = round(1 - value, 9)
    known = found[np.isfinite(found)]
    found[~np.isfinite(found)] = max(1.0, float(known.max())) if known.size else 1.0
    np.fill_diagonal(found, 0.0)
    return np.asarray(np.maximum(found, 0.0))


def cluster_order(frame: pl.DataFrame, models: list[str]) -> list[str]:
    """Return models ordered by average-linkage clustering of their concordance.

    Parameters
    ----------
    frame : pl.DataFrame
        The concordance of one track.
    models : list of str
        The models in rank order: among the two directions of the order, the one is taken in which
        better models come first.

    Returns
    -------
    list of str
        The same models.
    """
    if len(models) < 3:
        return list(models)
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    condensed = squareform(distances(frame, models), checks=False)
    tree = linkage(condensed, method="average", optimal_ordering=len(models) <= MAX_OPTIMAL)
    leaves = [int(i) for i in leaves_list(tree)]
    half = len(leaves) // 2
    if sum(leaves[:half]) > sum(leaves[-half:]):
        leaves.reverse()
    return [models[i] for i in leaves]
