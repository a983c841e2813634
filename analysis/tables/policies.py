"""`policies`: what each policy for missing cells would make of the ranks."""

from __future__ import annotations

import polars as pl

from analysis.config import MissingPolicy
from analysis.schemas import Policies
from analysis.tables.data import BenchmarkData, Made, mean_of_cells, rank_order, ranks_of, table_frame

POLICIES: tuple[MissingPolicy, ...] = ("exclude", "failure", "common_items")
"""The policies that give every benchmark a ranking; `error` is `exclude` where it lets data pass."""


def derive(data: BenchmarkData) -> Made:
    """Make `policies`."""
    return {"policies": (compare_policies(data), "Ranks under each policy for missing cells")}


def compare_policies(data: BenchmarkData) -> pl.DataFrame:
    """Rank the models under each policy for missing cells, per track and quality metric.

    Returns
    -------
    pl.DataFrame
        Rows of the `Policies` schema; none where a policy leaves no items.
    """
    parts: list[pl.DataFrame] = [Policies.create_empty()]
    for metric in data.metrics:
        for track in data.tracks:
            in_force = _ranks(data, track, metric, data.card.missing)
            for policy in POLICIES:
                ranks = _ranks(data, track, metric, policy)
                if not ranks.height:
                    continue
                joined = ranks.join(in_force.select("model", rank_in_force="rank"), on="model", how="inner")
                columns = {"track": track, "metric": metric, "policy": policy, **joined.to_dict()}
                parts.append(table_frame(Policies, columns, joined.height))
    return pl.concat(parts)


def _ranks(data: BenchmarkData, track: str, metric: str, policy: MissingPolicy) -> pl.DataFrame:
    matrix = data.track(track, metric, policy)
    if not matrix.models or not matrix.items.height:
        return pl.DataFrame(
            schema={"model": pl.String, "rank": pl.Int64, "estimate": pl.Float64, "n_items": pl.Int64}
        )
    estimate = mean_of_cells(matrix)
    return pl.DataFrame(
        {
            "model": list(matrix.models),
            "rank": ranks_of(rank_order(estimate)),
            "estimate": estimate,
            "n_items": matrix.has_cell.sum(axis=1),
        }
    )
