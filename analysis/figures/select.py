"""Rows that figures show: one interval per model, tracks, and how intervals are named."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard, Statistics
from analysis.figures.figure import Tables
from analysis.figures.text import natural, plural

ALL = "all"
"""The track of all items."""

METHODS = {
    "wilson": "Wilson",
    "clopper_pearson": "Clopper–Pearson",
    "jeffreys": "Jeffreys",
    "bootstrap": "percentile bootstrap",
    "bootstrap_basic": "basic bootstrap",
    "bootstrap_bca": "BCa bootstrap",
    "bootstrap_studentized": "studentized bootstrap",
}
"""Interval methods in words."""


def level_of(tables: Tables, card: BenchmarkCard) -> float:
    """Return the confidence level: of the score table, else of the card, else the default."""
    scores = tables.get("model_scores")
    if scores is not None and scores.height:
        return float(scores["level"][0])
    return card.level if card.level is not None else float(Statistics().level)


def level_text(tables: Tables, card: BenchmarkCard) -> str:
    """Write the confidence level, as in 95%.

    Examples
    --------
    >>> level_text({}, BenchmarkCard(level=0.995))
    '99.5%'
    """
    return f"{100 * level_of(tables, card):.4g}%"


def method_name(method: str) -> str:
    """Return an interval method in words."""
    return METHODS.get(method, method.replace("_", " "))


def tracks_of(frame: pl.DataFrame) -> list[str]:
    """Return the data's own tracks, numbers in their names in order, without `all`."""
    return sorted((t for t in frame["track"].unique().to_list() if t != ALL), key=natural)


def metric_of(frame: pl.DataFrame, card: BenchmarkCard) -> str:
    """Return the card's primary metric, or `correct`, or the first there is in the table."""
    have = set(frame["metric"].unique().to_list())
    for metric in (card.primary_metric, "correct"):
        if metric in have:
            return metric
    return min(have, default=card.primary_metric)


def in_track(frame: pl.DataFrame, track: str, metric: str = "") -> pl.DataFrame:
    """Return the rows of a track and, where one is named, of a metric."""
    keep = pl.col("track") == track
    return frame.filter(keep & (pl.col("metric") == metric) if metric else keep)


def with_intervals(scores: pl.DataFrame, card: BenchmarkCard) -> pl.DataFrame:
    """Return one row per track, metric and model: the first interval method that has limits.

    The order is that of the card (default: of the configuration), which leaves out what is not
    valid for a model; a method that neither names comes last.
    """
    order = card.intervals or Statistics().intervals
    preference = {method: i for i, method in enumerate(order)}
    place = pl.col("method").replace_strict(preference, default=len(order), return_dtype=pl.Int64)
    return (
        scores.with_columns(place.alias("_place"), pl.col("ci_low").is_null().alias("_none"))
        .sort("track", "metric", "model", "_none", "_place", "method")
        .unique(["track", "metric", "model"], keep="first", maintain_order=True)
        .drop("_place", "_none")
        .sort("track", "metric", "rank", "model")
    )


def interval_text(rows: pl.DataFrame, tables: Tables, card: BenchmarkCard, *, of: str = "model") -> str:
    """Name the intervals that stand in rows, as in "95% Wilson intervals".

    Where models differ in method, the most frequent leads and the others are counted.
    """
    some = rows.filter(pl.col("ci_low").is_not_null())
    if some.is_empty():
        return "no intervals"
    counts = some.group_by("method").len().sort(["len", "method"], descending=[True, False])
    (first, _), *others = counts.iter_rows()
    text = f"{level_text(tables, card)} {method_name(first)} intervals"
    if others:
        noun, many = ("model", "models") if of == "model" else (f"pair of {of}", f"pairs of {of}")
        rest = ", ".join(f"{method_name(m)} for {plural(n, noun, many)}" for m, n in others)
        text += f" ({rest})"
    return text


def n_text(numbers: list[int], noun: str = "item") -> str:
    """State n, or its range where it differs.

    Examples
    --------
    >>> n_text([2000, 2000]), n_text([331, 3374])
    ('n = 2,000 items', 'n = 331 to 3,374 items')
    """
    low, high = min(numbers), max(numbers)
    return f"n = {plural(low, noun)}" if low == high else f"n = {low:,} to {plural(high, noun)}"
