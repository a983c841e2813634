"""What the history-taking metrics count, per session: turns, units revealed, pairs, repetitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from analysis.sessions import history
from analysis.sessions.index import Bools, Floats, SessionIndex, as_floats, totals
from analysis.sessions.judged import first_judgements
from analysis.sessions.precedence import count_pairs


@dataclass(frozen=True)
class History:
    """The turns up to the diagnosis and the units that they revealed.

    Parameters
    ----------
    asked : pl.DataFrame
        Turns from 1 to T_dx, sorted by session and turn.
    revealed : pl.DataFrame
        First turn of every unit: session, case, aiu_id, turn, and of `aius` weight, red_flag, is_mni, is_key.
    units : pl.DataFrame
        Units of the cases: case, aiu_id, weight, red_flag, is_mni, is_key.
    n_asked : ndarray of float, shape (n,)
        Turns asked up to T_dx.
    known : ndarray of bool, shape (n,)
        False where T_dx is above 0 and no turn is recorded: nothing can be said of such a session.
    """

    asked: pl.DataFrame
    revealed: pl.DataFrame
    units: pl.DataFrame
    n_asked: Floats
    known: Bools


def history_metrics(index: SessionIndex, told: History | None) -> dict[str, Floats]:
    """Return the history-taking metrics that the tables make possible, by name, each of shape (n,).

    Parameters
    ----------
    index : SessionIndex
        The sessions.
    told : History or None
        What `take_history` returned; None: there are no turns, and no metrics.
    """
    if told is None:
        return {}
    found = {
        **_coverage(index, told),
        **_gain(index, told),
        **_hits(index, told),
        **_order(index, told),
        **_repetition(index, told),
    }
    return {name: np.where(told.known, value, np.nan) for name, value in found.items()}


def take_history(index: SessionIndex) -> History | None:
    """Cut the turns at the diagnosis and find when each unit was first revealed; None without turns."""
    if not index.has("session_turns"):
        return None
    turns = index.of_sessions("session_turns", "t_dx").sort("session", "turn")
    turns = turns.filter((pl.col("turn") <= pl.col("t_dx")).fill_null(True))
    asked = turns.filter(pl.col("turn") >= 1)
    n_asked = totals(asked["session"], index.n)
    first = (
        turns.lazy()
        .select("session", "case", "turn", pl.col("revealed").alias("aiu_id"))
        .explode("aiu_id", empty_as_null=False, keep_nulls=False)
        .group_by("session", "case", "aiu_id")
        .agg(pl.col("turn").min())
        .sort("session", "aiu_id")
        .collect()
    )
    units = _units(index)
    revealed = first.join(units, on=["case", "aiu_id"], how="left", maintain_order="left")
    return History(asked, revealed, units, n_asked, (n_asked > 0) | ~(index.t_dx > 0))


def _units(index: SessionIndex) -> pl.DataFrame:
    """Return the units of the cases with membership of U_mni and U_key."""
    if not index.has("session_aius"):
        flags = dict.fromkeys(("red_flag", "is_mni", "is_key"), pl.Boolean)
        return pl.DataFrame(schema={"case": pl.UInt32, "aiu_id": pl.String, "weight": pl.Float64, **flags})
    units = index.of_cases("session_aius").select("case", "aiu_id", "weight", "red_flag", "key", "mni_of")
    gold = _gold_lists(index)
    units = units.join(gold, on="case", how="left", maintain_order="left")
    is_mni = pl.col("mni_of").list.set_intersection("gold").list.len().fill_null(0) > 0
    units = units.with_columns(is_mni.alias("is_mni"))
    declared = pl.col("key").is_not_null().any().over("case")
    by_default = pl.col("red_flag") | pl.col("is_mni")
    is_key = pl.when(declared).then(pl.col("key").fill_null(False)).otherwise(by_default)
    return units.with_columns(is_key.alias("is_key")).drop("key", "mni_of", "gold")


def _gold_lists(index: SessionIndex) -> pl.DataFrame:
    if not index.has("session_gold"):
        return pl.DataFrame(schema={"case": pl.UInt32, "gold": pl.List(pl.String)})
    gold = index.of_cases("session_gold")
    return gold.group_by("case", maintain_order=True).agg(pl.col("diagnosis").alias("gold"))


def _coverage(index: SessionIndex, told: History) -> dict[str, Floats]:
    if not index.has("session_aius"):
        return {}
    n, t_dx, t_max = index.n, index.t_dx, index.t_max
    shown = told.revealed

    def found(mask: str, values: str | None = None) -> Floats:
        rows = shown.filter(pl.col(mask))
        return totals(rows["session"], n, None if values is None else rows[values])

    def present(mask: str, values: str | None = None) -> Floats:
        rows = told.units.filter(pl.col(mask))
        return totals(rows["case"], index.n_cases, None if values is None else rows[values])[index.case]

    late = shown.filter("is_key").join(
        index.sessions.select("session", "t_max"), on="session", how="left", maintain_order="left"
    )
    latency = ((late["turn"] - 1).clip(0) / late["t_max"]).clip(0, 1)
    keys = present("is_key")
    out = {
        "red_flag_coverage": history.red_flag_coverage(found("red_flag"), present("red_flag")),
        "kiel": history.kiel(totals(late["session"], n, latency) + keys - found("is_key"), keys),
    }
    if not index.has("session_gold"):
        return out
    n_found, n_mni, mass = found("is_mni"), present("is_mni"), present("is_mni", "weight")
    rest = shown.filter(~pl.col("is_mni"))
    beyond = totals(rest["session"], n, rest["weight"])
    return out | {
        "mni_comp": history.mni_comp(n_found, n_mni, t_dx, t_max),
        "mni_comp_printed": history.mni_comp_printed(n_found, n_mni, t_dx, t_max),
        "mni_comp_capped": history.mni_comp_capped(n_found, n_mni, t_dx, t_max),
        "mni_coverage": history.mni_coverage(n_found, n_mni),
        "cprw": history.cprw(beyond, mass),
        "cprw_bounded": history.cprw_bounded(beyond, mass),
    }


def _gain(index: SessionIndex, told: History) -> dict[str, Floats]:
    gains = as_floats(told.asked["information_gain"])
    if told.asked.height and np.isnan(gains).all():
        return {}
    gain = totals(told.asked["session"], index.n, np.maximum(gains, 0.0))
    return {"ige": history.ige(gain, np.where(np.isnan(index.t_dx), told.n_asked, index.t_dx))}


def _hits(index: SessionIndex, told: History) -> dict[str, Floats]:
    """Count hits over the slice: turns for which an expert set is known and not empty."""
    sliced = told.asked.filter(pl.col("expert").list.len() > 0)
    if told.asked.height and sliced.is_empty():
        return {}
    template = pl.col("template")
    first = pl.when(pl.col("top_k").is_null()).then(template).otherwise(pl.col("top_k").list.first())

    def holds(name: pl.Expr) -> pl.Expr:
        return (name.is_not_null() & pl.col("expert").list.contains(name)).fill_null(False)

    at = [holds(first), *(holds(pl.col("top_k").list.get(i, null_on_oob=True)) for i in (1, 2))]
    rows = sliced.select(
        "session",
        at[0].alias("one"),
        (at[0] | at[1] | at[2]).alias("three"),
        pl.col("top_k").is_null().alias("unlisted"),
    )
    n, codes = index.n, rows["session"]
    in_slice = totals(codes, n)
    one, three, unlisted = (totals(codes, n, rows[c]) for c in ("one", "three", "unlisted"))
    out = {"hit_1": history.hit_at_k(one, in_slice, told.n_asked)}
    if not rows["unlisted"].all() or rows.is_empty():
        value = history.hit_at_k(three, in_slice, told.n_asked)
        out["hit_3"] = np.where(unlisted > 0, np.nan, value)
    return out


def _order(index: SessionIndex, told: History) -> dict[str, Floats]:
    if not index.has("session_precedence"):
        return {}
    asked = told.asked.drop_nulls("template").group_by("session", "template").agg(pl.col("turn").min())
    asked = asked.select(
        "session", pl.lit("template").alias("unit"), pl.col("template").alias("name"), "turn"
    )
    shown = told.revealed.select(
        "session", pl.lit("aiu").alias("unit"), pl.col("aiu_id").alias("name"), "turn"
    )
    counts = count_pairs(index, pl.concat([asked, shown]))
    return {
        "povr": history.povr(counts.wrong, counts.pairs, told.n_asked),
        "povr_printed": history.povr_printed(counts.wrong, counts.pairs),
        "povr_strict": history.povr_strict(counts.asked - counts.wrong, counts.pairs),
        "povr_asked": history.povr_asked(counts.wrong, counts.asked),
    }


def _repetition(index: SessionIndex, told: History) -> dict[str, Floats]:
    """Count turns whose intent an earlier turn had; a judge says what was effective, else the units do."""
    turns = told.asked.select("session", "turn", pl.coalesce("intent", "template").alias("intent"))
    if turns.height and turns["intent"].null_count() == turns.height:
        return {}
    again = turns.drop_nulls("intent").filter(~pl.struct("session", "intent").is_first_distinct())
    new = told.revealed.select("session", "turn").unique().with_columns(brought=pl.lit(1.0))
    again = again.join(new, on=["session", "turn"], how="left", maintain_order="left")
    judged = first_judgements(index, "repetition")
    said = judged.with_columns(pl.col("target").cast(pl.Int64, strict=False).alias("turn"))
    said = said.drop_nulls("turn").select("session", "turn", (pl.col("value") >= 0.5).alias("said"))
    again = again.join(said, on=["session", "turn"], how="left", maintain_order="left")
    good = again.select(pl.coalesce(pl.col("said").cast(pl.Float64), "brought", pl.lit(0.0))).to_series()
    n_turns = np.where(np.isnan(index.t_dx), told.n_asked, index.t_dx)
    effective = totals(again["session"], index.n, good)
    return {
        "repetition_effective": history.repetition(effective, n_turns),
        "repetition_ineffective": history.repetition(totals(again["session"], index.n) - effective, n_turns),
    }
