"""Seeded stratified samples of responses for human review, balanced over models.

A sample is described by strata (how many units from which part of the pool), by quotas that cut across
the strata (so many of each verdict), and by what is balanced (models). Items are drawn at most once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from analysis.errors import DataError, Problem


@dataclass(frozen=True)
class Stratum:
    """A part of the sample.

    Parameters
    ----------
    name : str
        Stands in the column `stratum` of the sample.
    n : int
        How many units it gets.
    where : mapping of str to collection of str
        Columns of the pool and the values that belong to the stratum; empty is the whole pool.
    """

    name: str
    n: int
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)


def draw_sample(
    pool: pl.DataFrame,
    strata: Sequence[Stratum],
    *,
    rng: np.random.Generator,
    unit: str = "item_id",
    balance: str | None = "model",
    quotas: Mapping[str, Mapping[str, int]] | None = None,
) -> pl.DataFrame:
    """Draw a stratified sample.

    Strata are filled in the order given, so scarce ones belong first. Within a stratum, each draw takes
    the value of a quota column with probability proportional to what is left of its quota, then the
    value of `balance` that was drawn least often so far, then a row at random.

    Parameters
    ----------
    pool : pl.DataFrame
        One row per candidate (such as a model's response to an item), in a fixed order.
    strata : sequence of Stratum
        What to draw.
    rng : numpy.random.Generator
        Source of randomness.
    unit : str
        Column whose values are drawn at most once.
    balance : str or None
        Column over which the sample is spread evenly.
    quotas : mapping of str to mapping of str to int, optional
        For one column, how many of each value the whole sample holds.

    Returns
    -------
    pl.DataFrame
        The drawn rows of the pool with the column `stratum`, in the order of the draws.

    Raises
    ------
    DataError
        Where a stratum cannot be filled; it names the stratum and what was left.
    """
    if quotas is not None and len(quotas) != 1:
        raise ValueError(f"quotas: one column at most, got {len(quotas)}")
    cut = next(iter(quotas), None) if quotas else None
    left = dict(quotas[cut]) if quotas and cut else {}
    units = pool[unit].to_numpy()
    groups = np.zeros(pool.height, dtype=np.int64)
    if balance:
        groups = np.unique(pool[balance].to_numpy(), return_inverse=True)[1]
    drawn_of = np.zeros(pool.height, dtype=np.int64)
    classes = pool[cut].to_numpy() if cut else None
    available = np.ones(pool.height, dtype=bool)
    rows: list[int] = []
    names: list[str] = []
    for stratum in strata:
        within = np.ones(pool.height, dtype=bool)
        for column, values in stratum.where.items():
            within &= pool[column].is_in(list(values)).to_numpy()
        for n_drawn in range(stratum.n):
            open_rows = available & within
            if classes is not None:
                open_rows = _of_one_class(open_rows, classes, left, rng)
            candidates = np.flatnonzero(open_rows)
            if not candidates.size:
                problem = Problem(
                    f"stratum {stratum.name!r} cannot be filled: {n_drawn} of {stratum.n} units drawn",
                    hint="put scarce strata first, or lower n or the quotas",
                )
                raise DataError([problem])
            often = drawn_of[groups[candidates]]
            candidates = candidates[often == often.min()]
            row = int(candidates[rng.integers(candidates.size)])
            rows.append(row)
            names.append(stratum.name)
            drawn_of[groups[row]] += 1
            if classes is not None:
                left[classes[row]] -= 1
            available &= units != units[row]
    return pool[rows].with_columns(pl.Series("stratum", names, dtype=pl.String))


def _of_one_class(
    open_rows: np.ndarray, classes: np.ndarray, left: Mapping[str, int], rng: np.random.Generator
) -> np.ndarray:
    """Keep the open rows of one class, drawn in proportion to what is left of its quota."""
    present = [c for c in left if left[c] > 0 and (open_rows & (classes == c)).any()]
    if not present:
        return np.zeros_like(open_rows)
    weight = np.array([left[c] for c in present], dtype=np.float64)
    chosen = present[int(rng.choice(len(present), p=weight / weight.sum()))]
    kept: np.ndarray = open_rows & (classes == chosen)
    return kept
