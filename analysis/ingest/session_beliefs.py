"""Information gain of a turn from the beliefs before and after it."""

from __future__ import annotations

import polars as pl

from analysis.ingest.checks import RowChecks

BEFORE, AFTER = "belief_before", "belief_after"
TOLERANCE = 1e-3
"""How far probabilities may sum from 1, and a given gain may lie from the computed one."""


def information_gain(checks: RowChecks, given: pl.Series) -> pl.Series:
    """Return the gain as given, else the entropy of the belief before minus that after, in bits.

    Parameters
    ----------
    checks : RowChecks
        The rows of a file of turns.
    given : pl.Series
        The column `information_gain`, null where the file has none.
    """
    frame = checks.frame
    there = [c for c in (BEFORE, AFTER) if c in frame.columns]
    if not there:
        return given
    if len(there) == 1:
        checks.refuse(f"stands without {BEFORE if there == [AFTER] else AFTER}", column=there[0])
        return given
    for name in there:
        kind = frame[name].dtype
        if not (isinstance(kind, pl.List | pl.Array) and (kind.inner.is_numeric() or kind.inner == pl.Null)):
            checks.refuse(
                "holds no lists of numbers", column=name, found=str(kind), allowed="list of probabilities"
            )
            return given
    beliefs = frame.select(pl.col(c).cast(pl.List(pl.Float64)) for c in there)
    for name in there:
        _check(checks, beliefs[name])
    same = beliefs.select(pl.col(BEFORE).list.len() == pl.col(AFTER).list.len()).to_series()
    checks.flag(
        ~same, "differs in length from belief_before", column=AFTER, allowed="the same diagnoses in both"
    )
    computed = beliefs.select(_entropy(BEFORE) - _entropy(AFTER)).to_series()
    checks.flag(
        ((given - computed).abs() > TOLERANCE).fill_null(False),
        "contradicts the beliefs",
        column="information_gain",
        values=given,
        allowed="entropy of belief_before minus that of belief_after, in bits, or no beliefs",
    )
    return given.to_frame("gain").select(pl.coalesce("gain", computed)).to_series().alias("information_gain")


def _check(checks: RowChecks, belief: pl.Series) -> None:
    rows = belief.to_frame("p").select(
        pl.col("p").list.sum().alias("sum"),
        pl.col("p").list.min().alias("min"),
        (pl.col("p").list.len() == 0).alias("empty"),
        pl.col("p").list.eval(pl.element().is_null() | pl.element().is_nan()).list.any().alias("gap"),
    )
    odd = rows["empty"] | rows["gap"] | (rows["min"] < 0) | ((rows["sum"] - 1).abs() > TOLERANCE)
    checks.flag(
        odd,
        "is no probability distribution",
        column=belief.name,
        values=belief.cast(pl.List(pl.String)).list.join(", "),
        allowed="probabilities of at least 0 that sum to 1",
    )


def _entropy(column: str) -> pl.Expr:
    """Return the entropy in bits; 0 log 0 is 0."""
    p = pl.element()
    term = pl.when(p > 0).then(-p * p.log(2)).otherwise(0.0)
    return pl.col(column).list.eval(term).list.sum()
