"""Stages derived from predicted evidence by the rules of the card.

A mapping takes the slots (structures) that a model calls present in a cluster and gives a stage. Which
slot an item fills is the item's own (oracle-slot), or what the model decided (model-slot). A stager that
is a model itself (LLM-slot) needs nothing from here: its stages are answers to items of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.card_episodes import Endpoint, Staging
from analysis.tables.data import BenchmarkData

Mapping = Callable[[frozenset[str]], str]
"""A staging mapping: the slots that are present, to the stage."""


@dataclass(frozen=True)
class Staged:
    """Derived stages against the reference.

    Parameters
    ----------
    models : tuple of str
        M models with any evidence.
    clusters : tuple of str
        G clusters with a reference stage.
    reference : tuple of str
        Their stages.
    right : ndarray of float, shape (M, G)
        1 where the derived stage is the reference, 0 where it is not, NaN without any evidence.
    ceiling : ndarray of float, shape (G,)
        The same for the reference evidence; NaN where none is declared.
    """

    models: tuple[str, ...]
    clusters: tuple[str, ...]
    reference: tuple[str, ...]
    right: npt.NDArray[np.float64]
    ceiling: npt.NDArray[np.float64]


def rule_mapping(staging: Staging) -> Mapping:
    """Return the mapping that the card's rules describe: the first that holds gives the stage.

    Examples
    --------
    >>> rules = [{"stage": "T4", "any_of": ["orbit"]}, {"stage": "T3", "any_of": ["bone"]}]
    >>> stage = rule_mapping(Staging(evidence="inv", slot="structure", rules=rules, otherwise="T1"))
    >>> stage(frozenset({"bone", "orbit"})), stage(frozenset({"bone"})), stage(frozenset())
    ('T4', 'T3', 'T1')
    """

    def stage(present: frozenset[str]) -> str:
        for rule in staging.rules:
            if not present.isdisjoint(rule.any_of):
                return rule.stage
        return staging.otherwise

    return stage


def derive_stages(data: BenchmarkData, endpoint: Endpoint, mapping: Mapping | None = None) -> Staged:
    """Derive a stage for every model and cluster of an endpoint with `staging`.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables; the card declares the cluster.
    endpoint : Endpoint
        Its items, its reference class and its staging.
    mapping : callable, optional
        A mapping other than the card's rules.

    Returns
    -------
    Staged
        Of repeated runs, an item's most frequent decision counts (ties: the first in code-point
        order). Items without a decision leave their slot absent; a cluster without any decision of a
        model has no stage of it.
    """
    staging = endpoint.staging
    assert staging is not None
    assert data.card.cluster is not None
    assert endpoint.classes is not None
    stage = mapping or rule_mapping(staging)
    items = select_items(data.items, endpoint).with_columns(
        pl.col(data.card.cluster).cast(pl.String).alias("__cluster"),
        pl.col(staging.slot).cast(pl.String).alias("__slot"),
        pl.col(endpoint.classes).cast(pl.String).alias("__class"),
    )
    classes = items.drop_nulls("__class").group_by("__cluster").agg(pl.col("__class").first())
    classes = classes.sort("__cluster")
    clusters, reference = classes["__cluster"].to_list(), classes["__class"].to_list()
    evidence = items.filter(pl.col("component") == staging.evidence)
    decided = _decisions(data, items)
    rows = decided.join(evidence, on="item_id", how="inner")
    if staging.slot_decided_by:
        named = items.filter(pl.col("component") == staging.slot_decided_by).select(staging.within, "item_id")
        named = decided.join(named, on="item_id", how="inner").drop_nulls(staging.within)
        named = named.unique(["model", staging.within], keep="first", maintain_order=True)
        named = named.select("model", staging.within, pl.col("decision").alias("__named"))
        rows = rows.join(named, on=["model", staging.within], how="left").with_columns(__slot="__named")
    present = _present(rows, pl.col("decision") == staging.present, staging, ["model", "__cluster"])
    asked = rows.select("model", "__cluster").unique()
    models = tuple(sorted(asked["model"].unique()))
    place = {name: i for i, name in enumerate(clusters)}
    right = np.full((len(models), len(clusters)), np.nan)
    for model, cluster in asked.iter_rows():
        if cluster in place:
            found = stage(present.get((model, cluster), frozenset()))
            right[models.index(model), place[cluster]] = found == reference[place[cluster]]
    ceiling = np.full(len(clusters), np.nan)
    if staging.reference:
        truth = pl.col(staging.reference).cast(pl.String) == staging.present
        of_reference = _present(evidence, truth, staging, ["__cluster"])
        for cluster, at in place.items():
            ceiling[at] = stage(of_reference.get((cluster,), frozenset())) == reference[at]
    return Staged(models, tuple(clusters), tuple(reference), right, ceiling)


def select_items(items: pl.DataFrame, endpoint: Endpoint) -> pl.DataFrame:
    """Return the items of an endpoint's track and fixed subset, of every component."""
    wanted = {"track": endpoint.track, **endpoint.where}
    for column, value in wanted.items():
        if value is not None:
            items = items.filter(pl.col(column).cast(pl.String) == value)
    return items.sort("item_id")


def _decisions(data: BenchmarkData, items: pl.DataFrame) -> pl.DataFrame:
    """Return each model's most frequent decision on each of these items."""
    rows = data.verdicts.filter(pl.col("decision").is_not_null())
    rows = rows.join(items.select("item_id"), on="item_id", how="semi")
    counts = rows.group_by("model", "item_id", "decision").agg(pl.len().alias("n"))
    counts = counts.sort("model", "item_id", "n", "decision", descending=[False, False, True, False])
    return counts.unique(["model", "item_id"], keep="first", maintain_order=True).drop("n")


def _present(
    rows: pl.DataFrame, hit: pl.Expr, staging: Staging, by: Iterable[str]
) -> dict[tuple[str, ...], frozenset[str]]:
    """Return the slots present, by model and cluster."""
    key = list(by)
    votes = rows.drop_nulls("__slot").group_by(*key, "__slot").agg(hit.fill_null(False).mean().alias("share"))
    enough = pl.col("share") > (0.5 if staging.aggregate == "majority" else 0.0)
    found = votes.filter(enough).group_by(key).agg(pl.col("__slot"))
    return {tuple(row[:-1]): frozenset(row[-1]) for row in found.iter_rows()}
