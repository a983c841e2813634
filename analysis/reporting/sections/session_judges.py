"""How far judges of sessions can be relied on: against themselves and humans, humans among themselves."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import NONE, count, fixed, listed
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

MOST_WORDS = 3


def show(view: View) -> str:
    """Return the reliability of the judges; empty where nothing was judged twice."""
    rows = view.results.table("judge_reliability")
    if rows is None:
        return ""
    return (
        "\n### Judges of sessions {#session-judges}\n" + paragraph(_sentence(view, rows)) + _table(view, rows)
    )


def _label(view: View, metric: str) -> str:
    definitions = view.results.table("metric_definitions")
    known = {} if definitions is None else dict(definitions.select("metric", "label").iter_rows())
    return escape(known.get(metric) or metric.replace("_", " ").capitalize())


def _kappa(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the kappa that suits the scale: quadratic for graded metrics, plain for yes and no."""
    wanted = pl.when(pl.col("n_levels") > 2).then(pl.lit("kappa_quadratic")).otherwise(pl.lit("kappa"))
    return rows.filter((pl.col("statistic") == wanted) & (pl.col("unit") == "judgement"))


def _sentence(view: View, rows: pl.DataFrame) -> str:
    parts = []
    human = _kappa(rows).filter(pl.col("comparison") == "judge_human", pl.col("estimate").is_not_null())
    people = _kappa(rows).filter(pl.col("comparison") == "human_human", pl.col("estimate").is_not_null())
    if human.height:
        ordered = human.sort("estimate", "metric", "rater_a")
        low, high = ordered.row(0, named=True), ordered.row(-1, named=True)
        text = "Judges agree with the humans\u2019 consensus between "
        text += f"\u03ba\u00a0=\u00a0{fixed(low['estimate'], 2)} ({_label(view, low['metric'])})"
        text += f" and {fixed(high['estimate'], 2)} ({_label(view, high['metric'])})"
        if people.height:
            text += (
                f"; two humans between {fixed(float(str(people['estimate'].min())), 2)} and "
                f"{fixed(float(str(people['estimate'].max())), 2)}"
            )
        parts.append(text + ".")
    again = rows.filter(
        pl.col("comparison") == "repeat", pl.col("statistic") == "mean_absolute_difference"
    ).filter(pl.col("unit") == pl.col("unit").max().over("metric", "rater_a"))
    if again.height:
        ordered = again.sort("estimate", "metric", descending=[True, False]).head(MOST_WORDS)
        told = [
            f"{_label(view, r['metric'])} by {fixed(r['estimate'], 2)}" for r in ordered.iter_rows(named=True)
        ]
        parts.append(
            f"Judging the same again moves a session\u2019s score most for {listed(told)} on average."
        )
    return " ".join(parts) or "Nothing was judged twice and nothing by humans as well."


def _table(view: View, rows: pl.DataFrame) -> str:
    columns = [
        Column("metric", "Metric"),
        Column("judge", "Judge"),
        Column("rho", "Spearman\u2019s \u03c1", "right", "Judged again, by session"),
        Column("mad", "Mean |difference|", "right", "Judged again, by session"),
        Column("n_again", "Sessions", "right", "Judged again, by session"),
        Column("jh", "Judge against humans", "right", "\u03ba by judgement"),
        Column("hh", "Two humans", "right", "\u03ba by judgement"),
        Column("fleiss", "All humans (Fleiss)", "right", "\u03ba by judgement"),
        Column("n", "Judgements", "right", "\u03ba by judgement"),
    ]
    cells = []
    judges = rows.filter(pl.col("comparison").is_in(["repeat", "judge_human"])).select("metric", "rater_a")
    for metric, judge in judges.unique().sort("metric", "rater_a").iter_rows():
        own = rows.filter(pl.col("metric") == metric)
        again = own.filter(pl.col("comparison") == "repeat", pl.col("rater_a") == judge)
        # A metric with one judgement a session has no rows by session: they would be the same.
        unit = "session" if "session" in set(again["unit"]) else "judgement"
        again = again.filter(pl.col("unit") == unit)
        kappas = _kappa(own)
        found = {
            "rho": _one(again.filter(pl.col("statistic") == "spearman")),
            "mad": _one(again.filter(pl.col("statistic") == "mean_absolute_difference")),
            "jh": _one(kappas.filter(pl.col("comparison") == "judge_human", pl.col("rater_a") == judge)),
            "hh": _several(kappas.filter(pl.col("comparison") == "human_human")),
            "fleiss": _one(
                own.filter(pl.col("comparison") == "humans", pl.col("statistic") == "fleiss_kappa")
            ),
        }
        with_humans = own.filter(pl.col("comparison") == "judge_human", pl.col("rater_a") == judge)
        numbers = {
            "n_again": count(again["n"][0]) if again.height else NONE,
            "n": count(with_humans["n"].max()) if with_humans.height else NONE,  # type: ignore[arg-type]
        }
        cells.append({"metric": _label(view, metric), "judge": named(judge), **found, **numbers})
    unresolved = rows.filter(pl.col("comparison") == "judge_human").unique(["metric", "rater_a"])
    left = int(unresolved["n_unresolved"].sum())
    note = (
        "\u03ba: Cohen\u2019s, with quadratic weights for graded metrics. Humans\u2019 consensus: the "
        "adjudicator\u2019s word, else what more than half say"
    )
    note += f"; {count(left)} judgements without one are left out." if left else "."
    return detail(
        view,
        "judge_reliability",
        columns,
        cells,
        summary="Reliability of the judges",
        caption=f"Judges against themselves and against humans, with {view.ci} over cases.",
        note=note,
        fold=False,
    )


def _one(rows: pl.DataFrame) -> str:
    if rows.is_empty() or rows["estimate"][0] is None:
        return NONE
    return _told(rows.row(0, named=True))


def _several(rows: pl.DataFrame) -> str:
    """Return the only pair's value, or the range of several pairs."""
    rows = rows.filter(pl.col("estimate").is_not_null()).sort("estimate")
    if rows.height < 2:
        return _one(rows)
    return f"{fixed(rows['estimate'][0], 2)} to {fixed(rows['estimate'][-1], 2)}"


def _told(row: dict[str, Any]) -> str:
    text = fixed(row["estimate"], 2)
    if row["ci_low"] is None:
        return text
    limits = f"{fixed(row['ci_low'], 2)} to {fixed(row['ci_high'], 2)}"
    return f"{text} {muted_range(limits)}"
