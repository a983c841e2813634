"""`version_changes`: verdicts, labels, decisions and flags of two models of one family, item by item."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import polars as pl

from analysis.matrix import ALL
from analysis.schemas import VersionChanges
from analysis.stats.mcnemar import mcnemar_test
from analysis.stats.multiplicity import holm
from analysis.tables.data import BenchmarkData, Made, table_frame


def derive(data: BenchmarkData) -> Made:
    """Make `version_changes`."""
    method = "Common items; exact McNemar test on discordant items; Holm over the rows of a pair in a track"
    return {"version_changes": (compare_versions(data), method)}


def version_pairs(models: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of models of one family that have verdicts, the earlier one first.

    Models are ordered by release, those without a date last, then by identifier: in a family, a later
    version usually has the later name.
    """
    known = models.filter(pl.col("family").is_not_null() & (pl.col("n_rows") > 0))
    ordered = known.sort("family", "released", "model", nulls_last=True)
    groups = ordered.group_by("family", maintain_order=True).agg("model")
    return [pair for names in groups["model"].to_list() for pair in combinations(names, 2)]


def compare_versions(data: BenchmarkData) -> pl.DataFrame:
    """Compare every pair of models of one family.

    Returns
    -------
    pl.DataFrame
        Rows of the `VersionChanges` schema: everything that either model shows in the track.
    """
    shown = _shown(data)
    tracks = data.items.select("item_id", "track")
    asked = data.verdicts.select("model", "item_id").unique().join(tracks, on="item_id")
    parts: list[pl.DataFrame] = [VersionChanges.create_empty()]
    for a, b in version_pairs(data.models):
        common = asked.filter(pl.col("model") == a).join(
            asked.filter(pl.col("model") == b).select("item_id"), on="item_id", how="semi"
        )
        for track, items in _by_track(common):
            if items.height:
                parts.append(_pair_rows(shown, items, track, a, b))
    return pl.concat(parts)


def _shown(data: BenchmarkData) -> pl.DataFrame:
    """Return `model`, `item_id`, `kind`, `name` of everything that a model shows on an item in any run."""
    verdicts = data.verdicts
    parts = [
        verdicts.select("model", "item_id", pl.lit(kind).alias("kind"), pl.col(column).alias("name"))
        for kind, column in (("verdict", "verdict"), ("decision", "decision"))
    ]
    parts += [
        verdicts.select("model", "item_id", pl.lit(kind).alias("kind"), pl.col(column).alias("name")).explode(
            "name"
        )
        for kind, column in (("label", "labels"), ("flag", "flags"))
    ]
    return pl.concat(parts).drop_nulls("name").unique()


def _by_track(items: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    yield ALL, items
    for track in items["track"].drop_nulls().unique().sort():
        yield track, items.filter(pl.col("track") == track)


def _pair_rows(shown: pl.DataFrame, items: pl.DataFrame, track: str, a: str, b: str) -> pl.DataFrame:
    of_pair = shown.filter(pl.col("model").is_in([a, b])).join(
        items.select("item_id"), on="item_id", how="semi"
    )
    per_item = of_pair.group_by("kind", "name", "item_id").agg(
        (pl.col("model") == a).any().alias("a"), (pl.col("model") == b).any().alias("b")
    )
    table = (
        per_item.group_by("kind", "name")
        .agg(
            pl.col("a").sum().cast(pl.Int64).alias("count_a"),
            pl.col("b").sum().cast(pl.Int64).alias("count_b"),
            (pl.col("a") & ~pl.col("b")).sum().cast(pl.Int64).alias("n_only_a"),
            (pl.col("b") & ~pl.col("a")).sum().cast(pl.Int64).alias("n_only_b"),
        )
        .sort("kind", "name")
    )
    p_value = mcnemar_test(table["n_only_a"].to_numpy(), table["n_only_b"].to_numpy()).p_value
    ratio = pl.when(pl.col("count_a") > 0).then(pl.col("count_b") / pl.col("count_a"))
    columns = {name: table[name] for name in table.columns} | {
        "track": track,
        "model_a": a,
        "model_b": b,
        "n_items": items.height,
        "difference": table["count_b"] - table["count_a"],
        "ratio": table.select(ratio.alias("ratio"))["ratio"],
        "p_value": p_value,
        "p_holm": holm(p_value),
    }
    return table_frame(VersionChanges, columns, table.height)
