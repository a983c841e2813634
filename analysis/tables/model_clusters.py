"""`model_clusters`: groups of models that behave alike, from the concordance of their verdicts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.schemas import ModelClusters
from analysis.tables.concordance import compare_verdicts
from analysis.tables.data import BenchmarkData, Made, table_frame


def derive(data: BenchmarkData) -> Made:
    """Make `model_clusters`."""
    method = "Complete linkage of the verdict concordance: every two models of a group agree at its level"
    return {"model_clusters": (cluster_models(compare_verdicts(data)), method)}


def cluster_models(concordance: pl.DataFrame) -> pl.DataFrame:
    """Join models into groups, those that agree most first.

    Parameters
    ----------
    concordance : pl.DataFrame
        Rows of the `Concordance` schema. Pairs without common items agree in nothing.

    Returns
    -------
    pl.DataFrame
        Rows of the `ModelClusters` schema: for each track, M - 1 joins of its M models.
    """
    parts: list[pl.DataFrame] = [ModelClusters.create_empty()]
    for (track,), rows in concordance.sort("track").group_by("track", maintain_order=True):
        models = sorted({*rows["model_a"], *rows["model_b"]})
        at = {m: i for i, m in enumerate(models)}
        agreement = np.zeros((len(models), len(models)))
        for a, b, share in rows.select("model_a", "model_b", "agreement").iter_rows():
            agreement[at[a], at[b]] = agreement[at[b], at[a]] = 0.0 if share is None else share
        for step, (level, group) in enumerate(complete_linkage(agreement), start=1):
            columns = {
                "track": str(track),
                "step": step,
                "model": models,
                "level": level,
                "cluster": group + 1,
                "size": np.bincount(group)[group],
            }
            parts.append(table_frame(ModelClusters, columns, len(models)))
    return pl.concat(parts)


def complete_linkage(similarity: npt.NDArray[np.float64]) -> list[tuple[float, npt.NDArray[np.int64]]]:
    """Join the two groups whose least similar members are most alike, until one group is left.

    Parameters
    ----------
    similarity : ndarray of float, shape (M, M)
        Symmetric.

    Returns
    -------
    list of (float, ndarray of int)
        Per join, the least similarity inside the joined group, and each row's group, numbered by first
        member. Of equally similar pairs of groups, the one with the first members is joined.

    Examples
    --------
    >>> steps = complete_linkage(np.array([[1, 0.9, 0.2], [0.9, 1, 0.4], [0.2, 0.4, 1]]))
    >>> [(level, group.tolist()) for level, group in steps]
    [(0.9, [0, 0, 1]), (0.2, [0, 0, 0])]
    """
    groups = [[i] for i in range(len(similarity))]
    steps = []
    while len(groups) > 1:
        level, first, second = max(
            (
                (similarity[np.ix_(groups[a], groups[b])].min(), -a, -b)
                for a in range(len(groups))
                for b in range(a + 1, len(groups))
            ),
        )
        groups[-first] += groups.pop(-second)
        groups.sort(key=min)
        member = np.empty(len(similarity), dtype=np.int64)
        for number, group in enumerate(groups):
            member[group] = number
        steps.append((float(level), member))
    return steps
