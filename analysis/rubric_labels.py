"""What a rater's label on a rubric criterion says (met, not, not applicable), and whose labels lead."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard

YES = ("yes", "true", "1", "pass", "passed", "met", "positive", "correct", "present", "triggered")
NO = ("no", "false", "0", "fail", "failed", "unmet", "not met", "negative", "incorrect", "absent")
NOT_APPLICABLE = ("not applicable", "not_applicable", "n/a", "na")

NO_APPLICATION = -1.0
"""Stands for a criterion that does not apply."""


def main_rater(scores: pl.DataFrame, card: BenchmarkCard) -> str:
    """Return the rater whose labels lead: the card's first, else the one with most to show.

    Parameters
    ----------
    scores : pl.DataFrame
        Rows of `consultation_scores`; at least one.
    card : BenchmarkCard
        May name raters.
    """
    there = set(scores["rater"])
    for rater in card.consultation.raters:
        if rater in there:
            return rater
    scored = pl.col("n_items").filter(pl.col("statistic") == "item_mean").sum().alias("scored")
    sizes = scores.filter(pl.col("tag") == "all").group_by("rater").agg(scored, pl.len().alias("n"))
    return str(sizes.sort(["scored", "n", "rater"], descending=[True, True, False])["rater"][0])


def label_values(ratings: pl.DataFrame, card: BenchmarkCard) -> pl.Series:
    """Return what each rating says of its criterion.

    Parameters
    ----------
    ratings : pl.DataFrame
        Columns `label` and `value`.
    card : BenchmarkCard
        Its verdicts are labels too: those that succeed say yes, the others that are not excluded no.

    Returns
    -------
    pl.Series of float
        1 met (an error: triggered), 0 not, between them in part; `NO_APPLICATION`; null where the
        rating says none of these.

    Examples
    --------
    >>> labels, numbers = ["Met", "no", "N/A", None, "?"], [None, None, None, 0.5, None]
    >>> rows = pl.DataFrame({"label": labels, "value": numbers})
    >>> label_values(rows, BenchmarkCard()).to_list()
    [1.0, 0.0, -1.0, 0.5, None]
    """
    verdicts = card.verdicts
    words = {
        **{v.casefold(): 0.0 for v in verdicts.order or () if v not in verdicts.exclude},
        **{v.casefold(): 1.0 for v in verdicts.succeeding},
        **dict.fromkeys(YES, 1.0),
        **dict.fromkeys(NO, 0.0),
        **dict.fromkeys(NOT_APPLICABLE, NO_APPLICATION),
    }
    spoken = ratings["label"].str.strip_chars().str.to_lowercase()
    by_word = spoken.replace_strict(words, default=None, return_dtype=pl.Float64)
    number = ratings["value"]
    unit = pl.select(pl.when(ratings["label"].is_null() & number.is_between(0, 1)).then(number)).to_series()
    return pl.select(pl.coalesce(by_word, unit)).to_series().alias("met")
