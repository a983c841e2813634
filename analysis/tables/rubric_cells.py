"""Rubric scores as models x vignettes, runs averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from analysis.tables.rubric_layout import FloatArray

ALL = "all"


@dataclass(frozen=True)
class Cells:
    """Scores of M models on N vignettes, runs averaged.

    Parameters
    ----------
    models, items : tuple of str
        In code-point order.
    values : ndarray of float, shape (M, N)
        NaN where a model has no score.
    runs : ndarray of float, shape (R, M, N)
        Scores of single runs.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    values: FloatArray
    runs: FloatArray


def cells_of(responses: pl.DataFrame, score: FloatArray) -> Cells:
    """Lay the scores of responses out; responses without a score are left out."""
    known = responses.select("model", "item_id", "run").with_columns(score=pl.Series(score))
    known = known.filter(pl.Series(~np.isnan(score))).sort("model", "item_id", "run")
    models, items = known["model"].unique().sort(), known["item_id"].unique().sort()
    nth = known.select(pl.int_range(pl.len()).over("model", "item_id")).to_series().to_numpy()
    row = known["model"].replace_strict({m: i for i, m in enumerate(models)}, return_dtype=pl.Int64)
    column = known["item_id"].replace_strict({m: i for i, m in enumerate(items)}, return_dtype=pl.Int64)
    runs = np.full((int(nth.max(initial=0)) + 1, models.len(), items.len()), np.nan)
    runs[nth, row.to_numpy(), column.to_numpy()] = known["score"].to_numpy()
    n = (~np.isnan(runs)).sum(axis=0)
    mean = np.divide(np.nansum(runs, axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    return Cells(tuple(models), tuple(items), mean, runs)
