"""`family_profiles`: the median and the best of each model family in each track.

A model that has no score in a track has no such task, or was not asked: it is counted as not available
and enters neither the median nor the best. The best of a family may be another model in each track; the
table says which, and of how many models a family's bests are made up.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.matrix import ALL
from analysis.schemas import FamilyProfiles
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, rank_order, ranks_of, table_frame


def derive(data: BenchmarkData) -> Made:
    """Make `family_profiles`."""
    method = "Median and maximum of the models' estimates; models without the task are left out and counted"
    return {"family_profiles": (profile_families(data), method)}


def profile_families(data: BenchmarkData) -> pl.DataFrame:
    """Describe each family in each track, by every quality metric.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables; the models table gives the family.

    Returns
    -------
    pl.DataFrame
        Rows of the `FamilyProfiles` schema: every family in every track that any model has.
    """
    members = data.models.filter(pl.col("family").is_not_null() & (pl.col("n_rows") > 0))
    families = {
        str(name): part["model"].sort().to_list()
        for (name,), part in members.sort("family").group_by("family", maintain_order=True)
    }
    frames: list[pl.DataFrame] = [FamilyProfiles.create_empty()]
    for metric in data.metrics:
        rows = [row for track in data.tracks for row in _track_rows(data, track, metric, families)]
        best = {
            family: {row["best_model"] for row in rows if row["family"] == family and row["track"] != ALL}
            for family in families
        }
        for row in rows:
            row["n_best_models"] = len(best[str(row["family"])] - {None})
        columns = {name: [row[name] for row in rows] for name in FamilyProfiles.column_names()}
        frames.append(table_frame(FamilyProfiles, columns, len(rows)))
    return pl.concat(frames)


def _track_rows(
    data: BenchmarkData, track: str, metric: str, families: dict[str, list[str]]
) -> list[dict[str, object]]:
    matrix = data.track(track, metric)
    estimate = dict(zip(matrix.models, mean_of_cells(matrix).tolist(), strict=True))
    if not estimate:
        return []
    rows: list[dict[str, object]] = []
    for family, models in families.items():
        found = {m: estimate[m] for m in models if m in estimate}
        values = np.round(np.array(list(found.values())), 12)
        best = float(values.max()) if values.size else None
        rows.append(
            {
                "track": track,
                "metric": metric,
                "family": family,
                "n_models": len(models),
                "n_available": len(found),
                "median": float(np.median(list(found.values()))) if found else None,
                "best": None if best is None else max(found.values()),
                "best_model": None if best is None else list(found)[int(np.argmax(values))],
                "n_best": 0 if best is None else int(np.sum(values == best)),
                "rank": None,
            }
        )
    ranked = [row for row in rows if row["median"] is not None]
    ranks = ranks_of(rank_order(np.array([row["median"] for row in ranked], dtype=np.float64)))
    for row, rank in zip(ranked, ranks.tolist(), strict=True):
        row["rank"] = rank
    return rows
