"""Precedence pairs against the order in which a session asked: kept, wrong, or not both asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from analysis.sessions.index import Floats, SessionIndex, totals

NEVER = np.iinfo(np.int32).max
BLOCK = 4_000_000
"""Comparisons held in memory at a time."""


@dataclass(frozen=True)
class PairCounts:
    """Counts per session, each of shape (n,).

    Parameters
    ----------
    pairs : ndarray
        |P|: pairs that apply to the session's case.
    asked : ndarray
        Those of which both were asked (or revealed).
    wrong : ndarray
        |V|: those in the wrong order. The same turn is no violation.
    """

    pairs: Floats
    asked: Floats
    wrong: Floats


def count_pairs(index: SessionIndex, positions: pl.DataFrame) -> PairCounts:
    """Count the pairs of every case, and those of single cases.

    Parameters
    ----------
    index : SessionIndex
        The sessions, with the table `session_precedence`.
    positions : pl.DataFrame
        First turn of everything asked or revealed: session, unit, name, turn.
    """
    pairs = index.tables["session_precedence"].select("case_id", "unit", "before", "after")
    everywhere = pairs.filter(pl.col("case_id") == "")
    own = pairs.filter(pl.col("case_id") != "").join(everywhere, on=["unit", "before", "after"], how="anti")
    a, b = _everywhere(index, everywhere, positions), _of_cases(index, own, positions)
    return PairCounts(a.pairs + b.pairs, a.asked + b.asked, a.wrong + b.wrong)


def _everywhere(index: SessionIndex, pairs: pl.DataFrame, positions: pl.DataFrame) -> PairCounts:
    """Count pairs that apply to every case: positions as a matrix, compared in blocks of sessions."""
    n = index.n
    names = pl.concat(
        [pairs.select("unit", name="before"), pairs.select("unit", name="after")]
    ).unique().sort("unit", "name").with_row_index("element")  # fmt: skip
    place = np.full((n, max(names.height, 1)), NEVER, dtype=np.int32)
    rows = positions.join(names, on=["unit", "name"], how="inner")
    place[rows["session"].to_numpy(), rows["element"].to_numpy()] = rows["turn"].to_numpy()
    code = {(u, name): i for i, u, name in names.select("element", "unit", "name").iter_rows()}
    before = np.array([code[u, x] for u, x in pairs.select("unit", "before").iter_rows()], dtype=np.int64)
    after = np.array([code[u, x] for u, x in pairs.select("unit", "after").iter_rows()], dtype=np.int64)
    asked, wrong = np.zeros(n), np.zeros(n)
    step = max(1, BLOCK // max(pairs.height, 1))
    for start in range(0, n if pairs.height else 0, step):
        part = place[start : start + step]
        first, later = part[:, before], part[:, after]
        both = (first != NEVER) & (later != NEVER)
        asked[start : start + step] = both.sum(axis=1)
        wrong[start : start + step] = (both & (first > later)).sum(axis=1)
    return PairCounts(np.full(n, float(pairs.height)), asked, wrong)


def _of_cases(index: SessionIndex, pairs: pl.DataFrame, positions: pl.DataFrame) -> PairCounts:
    """Count pairs of single cases by joining them with the sessions of the case."""
    rows = index.sessions.select("session", "case_id").join(pairs, on="case_id", how="inner")
    for end in ("before", "after"):
        turn = positions.select(
            "session", "unit", pl.col("name").alias(end), pl.col("turn").alias(f"at_{end}")
        )
        rows = rows.join(turn, on=["session", "unit", end], how="left")
    both = rows.drop_nulls(["at_before", "at_after"])
    wrong = both.filter(pl.col("at_before") > pl.col("at_after"))
    return PairCounts(*(totals(part["session"], index.n) for part in (rows, both, wrong)))
