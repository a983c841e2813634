"""Every item of a benchmark with how it went, and the order in which items get a place on pages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from analysis.reporting.results import Results

GROUPS = ("unsolved", "some", "every", "unscored")
"""Items by outcome: solved by no model, by some, by every one that was scored on it, scored on none."""

SCHEMA = {
    "item_id": pl.String,
    "track": pl.String,
    "question_type": pl.String,
    "k": pl.Int64,
    "n_models": pl.Int64,
    "mean_score": pl.Float64,
    "all_partial": pl.Boolean,
    "all_incorrect": pl.Boolean,
}


@dataclass(frozen=True)
class Catalogue:
    """The items of a benchmark.

    Parameters
    ----------
    frame : pl.DataFrame
        A row per item, sorted by identifier: `item_id`, `track`, `question_type`, `k`, `n_models`,
        `mean_score`, `all_partial`, `all_incorrect` (null where no model is scored), `group`.
    """

    frame: pl.DataFrame

    def count(self, group: str) -> int:
        """Return how many items a group has."""
        return self.frame.filter(pl.col("group") == group).height

    def left_out(self, placed: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return per group that has items how many of them are not placed, and how many there are."""
        counted = self.frame.group_by("group").agg(left=(~among(placed)).sum(), n=pl.len())
        found = {group: (left, n) for group, left, n in counted.iter_rows()}
        return {group: found[group] for group in GROUPS if group in found}


def among(items: Iterable[str]) -> pl.Expr:
    """Return the expression that tells which rows are of these items."""
    return pl.col("item_id").is_in(pl.Series(list(items), dtype=pl.String).implode())


def read_catalogue(results: Results) -> Catalogue:
    """Gather a benchmark's items with the counts of `item_counts`."""
    items, counts = results.table("items"), results.table("item_counts")
    if items is None:
        return Catalogue(pl.DataFrame(schema={**SCHEMA, "group": pl.String}))
    known = pl.DataFrame(schema=SCHEMA) if counts is None else counts
    own = ("k", "n_models", "mean_score", "all_partial", "all_incorrect")
    frame = items.select("item_id", "track", "question_type").join(
        known.select("item_id", *own), on="item_id", how="left", maintain_order="left"
    )
    group = (
        pl.when(pl.col("n_models").is_null() | (pl.col("n_models") == 0))
        .then(pl.lit("unscored"))
        .when(pl.col("k") == 0)
        .then(pl.lit("unsolved"))
        .when(pl.col("k") == pl.col("n_models"))
        .then(pl.lit("every"))
        .otherwise(pl.lit("some"))
    )
    return Catalogue(frame.with_columns(group=group).sort("item_id"))


def by_interest(catalogue: Catalogue, most: int) -> list[str]:
    """Return the first `most` items in the order in which they get a place.

    Items that no model solves and items that divide the models take turns until both are used up; then come
    the items that every model solves, then those without a score. Unsolved items on which more models were
    scored come first; an item divides the models by the number of pairs of which one solves it and the
    other does not, k (n - k). Ties go to the identifier in code-point order.

    Examples
    --------
    >>> counts = {"item_id": ["a", "b", "c", "d"], "k": [4, 2, 0, 0], "n_models": [4, 4, 4, 3]}
    >>> groups = pl.Series(["every", "some", "unsolved", "unsolved"])
    >>> by_interest(Catalogue(pl.DataFrame(counts).with_columns(group=groups)), 3)
    ['c', 'b', 'd']
    """
    weight = (
        pl.when(pl.col("group") == "some")
        .then(pl.col("k") * (pl.col("n_models") - pl.col("k")))
        .otherwise(pl.col("n_models"))
        .fill_null(0)
    )
    turn = (
        pl.when(pl.col("group") == "unsolved")
        .then(0)
        .when(pl.col("group") == "some")
        .then(1)
        .when(pl.col("group") == "every")
        .then(2)
        .otherwise(3)
    )
    ordered = catalogue.frame.select("item_id", turn.alias("turn"), weight.alias("weight")).sort(
        ["turn", "weight", "item_id"], descending=[False, True, False]
    )
    place = pl.int_range(pl.len()).over("turn")
    first = pl.col("turn") < 2
    ordered = ordered.with_columns(
        late=pl.when(first).then(0).otherwise(pl.col("turn")),
        place=place,
    ).sort("late", "place", "turn")
    return ordered["item_id"].head(most).to_list()


def anchor(item_id: str) -> str:
    """Return an item's identifier on its page: made of its digest, so that any text can be an identifier.

    Examples
    --------
    >>> anchor("<script>")
    'i-5b63e5b2097fc690'
    """
    return f"i-{hashlib.sha256(item_id.encode()).hexdigest()[:16]}"


def natural_key(track: str | None, item_id: str) -> tuple[object, ...]:
    """Return the key by which people sort: by track, numbers within identifiers by their value.

    Examples
    --------
    >>> sorted(["q10", "q9", "q09"], key=lambda i: natural_key(None, i))
    ['q09', 'q9', 'q10']
    """
    parts = re.split(r"([0-9]+)", item_id)
    # Digits stay text, longer ones being larger: an identifier may have thousands of them.
    key = [(len(p.lstrip("0")), p.lstrip("0")) if i % 2 else (0, p) for i, p in enumerate(parts)]
    return (track is None, track or "", key, item_id)
