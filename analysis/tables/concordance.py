"""`concordance`: how far two models give the same verdicts."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.schemas import Concordance
from analysis.stats.concordance import pairwise_agreement
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, rank_order, table_frame


def derive(data: BenchmarkData) -> Made:
    """Make `concordance`."""
    return {"concordance": (compare_verdicts(data), "Exact agreement; Cohen's kappa, unweighted")}


def compare_verdicts(data: BenchmarkData) -> pl.DataFrame:
    """Compare the verdicts of every pair of models with common items, per track.

    Returns
    -------
    pl.DataFrame
        Rows of the `Concordance` schema, the higher ranked model first.
    """
    parts: list[pl.DataFrame] = [Concordance.create_empty()]
    for track in data.tracks:
        matrix = data.track(track)
        if len(matrix.models) < 2:
            continue
        codes, _ = data.cell_codes(matrix)
        solved = np.where(matrix.has_cell, matrix.solved(data.card.solved_at), -1).astype(np.int16)
        verdict, correct = pairwise_agreement(codes), pairwise_agreement(solved)
        order = rank_order(mean_of_cells(matrix))
        upper, lower = np.triu_indices(len(order), 1)
        a, b = order[upper], order[lower]
        names = np.array(matrix.models, dtype=object)
        part = table_frame(
            Concordance,
            {
                "track": track,
                "model_a": names[a].tolist(),
                "model_b": names[b].tolist(),
                "n_items": correct.n_items[a, b],
                "agreement": verdict.agreement[a, b],
                "correct_agreement": correct.agreement[a, b],
                "kappa": verdict.kappa[a, b],
            },
            len(a),
        )
        parts.append(part.filter(pl.col("n_items") > 0))
    return pl.concat(parts)
