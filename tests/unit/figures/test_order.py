"""Clustered order: models that agree stand together."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

from analysis.figures.order import cluster_order, distances


def concordance(groups: dict[str, int], drop: tuple[str, ...] = ()) -> pl.DataFrame:
    rows = [
        {
            "model_a": a,
            "model_b": b,
            "kappa": 0.8 if groups[a] == groups[b] else 0.1,
            "agreement": 0.9,
        }
        for a, b in itertools.combinations(groups, 2)
        if a not in drop and b not in drop
    ]
    return pl.DataFrame(rows)


def test_groups_stand_together() -> None:
    groups = {name: i % 3 for i, name in enumerate("abcdefghi")}
    order = cluster_order(concordance(groups), list(groups))
    blocks = [g for g, _ in itertools.groupby(groups[m] for m in order)]
    assert len(blocks) == 3
    assert sorted(order) == sorted(groups)


def test_better_models_come_first() -> None:
    groups = {name: int(i > 2) for i, name in enumerate("abcdef")}
    assert set(cluster_order(concordance(groups), list("abcdef"))[:3]) == {"a", "b", "c"}
    assert set(cluster_order(concordance(groups), list("fedcba"))[:3]) == {"f", "e", "d"}


def test_pairs_without_common_items_are_farthest() -> None:
    groups = dict.fromkeys("abc", 0)
    found = distances(concordance(groups, drop=("c",)), ["a", "b", "c"])
    assert np.allclose(found, [[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])


def test_agreement_stands_in_for_undefined_kappa() -> None:
    frame = pl.DataFrame({"model_a": ["a"], "model_b": ["b"], "kappa": [None], "agreement": [1.0]},
                         schema_overrides={"kappa": pl.Float64})  # fmt: skip
    assert distances(frame, ["a", "b"])[0, 1] == 0


def test_one_and_two_models_keep_their_order() -> None:
    assert cluster_order(pl.DataFrame(), ["z"]) == ["z"]
    assert cluster_order(pl.DataFrame(), ["z", "a"]) == ["z", "a"]
