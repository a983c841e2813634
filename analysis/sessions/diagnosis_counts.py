"""What the diagnosis metrics count, per session: hits, false diagnoses, rewards by rank, delays."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.sessions import diagnosis
from analysis.sessions.history_counts import History
from analysis.sessions.index import Floats, Ints, SessionIndex, as_floats, totals


def diagnosis_metrics(index: SessionIndex, told: History | None) -> dict[str, Floats]:
    """Return the diagnosis metrics that the tables make possible, by name, each of shape (n,).

    Parameters
    ----------
    index : SessionIndex
        The sessions.
    told : History or None
        What `take_history` returned; it says when the evidence sufficed where the cases do not.
    """
    if not index.has("session_gold", "session_differentials"):
        return {}
    gold = index.of_cases("session_gold")
    listed = _listed(index, gold)
    return {**_f1(index, gold, listed), **_rewards(index, gold, listed), **_delays(index, gold, told)}


def top_1_core(index: SessionIndex) -> Floats:
    """Return whether each session ranks a core diagnosis first, shape (n,)."""
    gold = index.of_cases("session_gold")
    return _top(index, gold, _listed(index, gold))


def _listed(index: SessionIndex, gold: pl.DataFrame) -> pl.DataFrame:
    """Return the differentials by session and rank, with what is gold and the positions of ties."""
    known = gold.select("case", "diagnosis", "core", "weight", "severity")
    rows = index.of_sessions("session_differentials")
    rows = rows.join(known, on=["case", "diagnosis"], how="left", maintain_order="left")
    rows = rows.sort("session", "rank", "diagnosis")
    # Positions follow the order of the ranks, so gaps in the numbering do not matter.
    new_session = np.diff(rows["session"].to_numpy().astype(np.int64), prepend=-1) != 0
    new_rank = new_session | (np.diff(rows["rank"].to_numpy(), prepend=-1) != 0)
    order = np.arange(rows.height)
    start = np.maximum.accumulate(np.where(new_session, order, 0)) if rows.height else order
    begins = np.flatnonzero(new_rank)
    sizes = np.diff(np.append(begins, rows.height))
    before = np.repeat(begins, sizes) - start
    alpha = diagnosis.tied_discount(before.astype(np.int64), np.repeat(sizes, sizes).astype(np.int64))
    return rows.with_columns(pl.Series("alpha", alpha), pl.Series("first", before == 0))


def _f1(index: SessionIndex, gold: pl.DataFrame, listed: pl.DataFrame) -> dict[str, Floats]:
    n, codes = index.n, listed["session"]
    core = listed["core"]
    n_listed = totals(codes, n)
    hits = totals(codes, n, core.fill_null(False))
    hits_non = totals(codes, n, (~core).fill_null(False))
    neither = n_listed - hits - hits_non
    n_core, n_non = (
        totals(part["case"], index.n_cases)[index.case]
        for part in (gold.filter("core"), gold.filter(~pl.col("core")))
    )
    out = {
        "f1_core": diagnosis.f1(hits, n_listed - hits, n_core),
        "f1_core_lenient": diagnosis.f1(hits, neither, n_core),
        "f1_noncore": diagnosis.f1(hits_non, n_listed - hits_non, n_non),
        "f1_noncore_lenient": diagnosis.f1(hits_non, neither, n_non),
        "top_1_core": _top(index, gold, listed),
    }
    if listed["as_core"].null_count() < listed.height:
        marked = totals(
            codes, n, listed.select(pl.col("as_core") & ~pl.col("core").fill_null(False)).to_series()
        )
        unmarked = totals(codes, n, listed["as_core"].is_null())
        value = diagnosis.f1(hits, marked, n_core)
        out["f1_core_marked"] = np.where(unmarked > 0, np.nan, value)
    return out


def _top(index: SessionIndex, gold: pl.DataFrame, listed: pl.DataFrame) -> Floats:
    first = listed.filter("first")
    core = totals(gold["case"], index.n_cases, gold["core"])[index.case]
    hits = totals(first["session"], index.n, first["core"].fill_null(False))
    return diagnosis.top_1_core(hits, totals(first["session"], index.n), core)


def _rewards(index: SessionIndex, gold: pl.DataFrame, listed: pl.DataFrame) -> dict[str, Floats]:
    n, codes = index.n, listed["session"]
    reward, gain = (
        totals(codes, n, as_floats(listed[c].fill_null(0.0)) * listed["alpha"].to_numpy())
        for c in ("weight", "severity")
    )
    by_weight, by_severity = (_ideal(gold, c, index.n_cases) for c in ("weight", "severity"))
    length = np.minimum(totals(codes, n).astype(np.int64), by_severity.shape[1] - 1)
    return {
        "swds": diagnosis.swds(reward, by_weight[index.case, -1]),
        "ndcg_severity": diagnosis.ndcg_severity(
            gain, by_severity[index.case, length], by_severity[index.case, -1]
        ),
    }


def _ideal(gold: pl.DataFrame, by: str, n_cases: int) -> Floats:
    """Return the reward of the best lists of length 0 to m for every case, shape (n_cases, m + 1)."""
    rows = gold.select("case", by).sort("case", by, descending=[False, True])
    case: Ints = rows["case"].to_numpy().astype(np.int64)
    sizes = np.bincount(case, minlength=n_cases)
    place = np.arange(len(case)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    grid = np.zeros((n_cases, int(sizes.max(initial=0)) + 1))
    grid[case, place + 1] = as_floats(rows[by]) * diagnosis.discount(place + 1)
    return np.cumsum(grid, axis=1)


def _delays(index: SessionIndex, gold: pl.DataFrame, told: History | None) -> dict[str, Floats]:
    """Compare when each gold diagnosis was named with when its evidence sufficed."""
    rows = index.sessions.select("session", "case", "t_dx", "t_max").join(
        gold.select("case", "diagnosis", "t_evidence"), on="case", how="inner"
    )
    named = index.of_sessions("session_differentials", "t_dx").select(
        "session", "diagnosis", pl.coalesce("turn_named", "t_dx").alias("t_ai"), pl.lit(True).alias("named")
    )
    rows = rows.join(named, on=["session", "diagnosis"], how="left").with_columns(
        pl.col("named").fill_null(False)
    )
    rows = _evidence(index, rows, told).drop_nulls("t_evidence").sort("session", "diagnosis")
    if rows.is_empty():
        return {}
    # Named without a turn, where no diagnosis was made either: as late as can be.
    t_ai = pl.when("named").then(pl.coalesce("t_ai", "t_max")).otherwise("t_max")
    delay = rows.select((t_ai - pl.col("t_evidence")).clip(0)).to_series()
    n, codes = index.n, rows["session"]
    was = as_floats(rows["named"])
    return {
        "ded": np.minimum(diagnosis.ded(totals(codes, n, delay), totals(codes, n), index.t_max), 1.0),
        "ded_turns": diagnosis.ded_turns(totals(codes, n, as_floats(delay) * was), totals(codes, n, was)),
    }


def _evidence(index: SessionIndex, rows: pl.DataFrame, told: History | None) -> pl.DataFrame:
    """Fill in t*: the turn by which the session had revealed every unit of the diagnosis's MNI."""
    if told is None or not index.has("session_aius") or rows["t_evidence"].null_count() == 0:
        return rows
    needed = (
        index.of_cases("session_aius")
        .select("case", "aiu_id", pl.col("mni_of").alias("diagnosis"))
        .explode("diagnosis", empty_as_null=False, keep_nulls=False)
    )
    seen = told.revealed.select("session", "aiu_id", "turn")
    open_rows = rows.filter(pl.col("t_evidence").is_null()).select("session", "case", "diagnosis")
    found = open_rows.join(needed, on=["case", "diagnosis"]).join(seen, on=["session", "aiu_id"], how="left")
    complete = found.group_by("session", "diagnosis").agg(
        pl.col("turn").max().alias("t_mni"), pl.col("turn").null_count().alias("n_missing")
    )
    complete = complete.filter(pl.col("n_missing") == 0).drop("n_missing")
    rows = rows.join(complete, on=["session", "diagnosis"], how="left")
    return rows.with_columns(pl.coalesce("t_evidence", "t_mni").alias("t_evidence")).drop("t_mni")
