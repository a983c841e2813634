"""What a leaderboard holds: rows, groups of columns, filters, and the models that cannot be ranked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from analysis.reporting.markup import escape
from analysis.reporting.numbers import Scale, plural, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.view import View, kind_of, metric_head

MOST_FLAGS = 6
"""More flags than this are left to the table to download."""
MOST_STRATA = 40
"""More values of strata than this are left to the table to download."""


@dataclass(frozen=True)
class Detail:
    """A further column: one number per model.

    Parameters
    ----------
    key : str
        Its name in the exports.
    head : str
        Its head, as HTML.
    scale : Scale or None
        How its numbers are shown; None for amounts of money.
    values : dict of str to float
        Numbers by model.
    intervals : dict
        Limits by model, where there are any.
    """

    key: str
    head: str
    scale: Scale | None
    values: dict[str, float | None]
    intervals: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Columns that are shown and hidden together.

    Parameters
    ----------
    key : str
        Name in the page's script.
    head : str
        Head above its columns, plain text.
    meaning : str
        What the columns hold, as HTML.
    shown : bool
        Shown at first.
    columns : list of Detail
        The columns.
    """

    key: str
    head: str
    meaning: str
    shown: bool
    columns: list[Detail]


@dataclass(frozen=True)
class Board:
    """A leaderboard.

    Parameters
    ----------
    rows : list of dict
        One row per ranked model, in rank order: the columns of `Results.standings` and what the
        models table says.
    compared : bool
        Whether there are ranks, letters and tiers.
    groups : list of Group
        Further columns.
    filters : list of tuple
        Key, head and values of the columns of the models table to filter by.
    unranked : list of tuple
        Models without a scored item, with the reason.
    """

    rows: list[dict[str, Any]]
    compared: bool
    groups: list[Group]
    filters: list[tuple[str, str, list[str]]]
    unranked: list[tuple[str, str]]


def build_board(view: View) -> Board:
    """Gather a benchmark's leaderboard."""
    models, standings = view.results.table("models"), view.standings
    known = {} if models is None else {row["model"]: row for row in models.iter_rows(named=True)}
    rows = []
    if standings is not None:
        about = ("name", "family", "vendor", "weights", "released")
        for row in standings.iter_rows(named=True):
            listed = known.get(row["model"], {})
            rows.append(row | {key: listed.get(key) for key in about})
    ranked = {row["model"] for row in rows}
    compared = len(rows) > 1 and all(row["tier"] is not None for row in rows)
    unranked = [(model, _why(row)) for model, row in known.items() if model not in ranked]
    return Board(rows, compared, _groups(view) if rows else [], _filters(rows), unranked)


def _why(row: dict[str, Any]) -> str:
    if not row["n_rows"]:
        return "stands in the models table and has no verdicts"
    return f"none of its {plural(row['n_rows'], 'row')} is scored"


def _filters(rows: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
    found = []
    for key, head in (("weights", "Weights"), ("vendor", "Vendor"), ("family", "Family")):
        values = sorted({row[key] for row in rows if row[key]})
        if 2 <= len(values) < max(len(rows), 3):
            found.append((key, head, values))
    return found


def _groups(view: View) -> list[Group]:
    made = [_rates(view), _costs(view), _tracks(view), _strata(view), _flags(view)]
    return [group for group in made if group is not None]


def _rates(view: View) -> Group | None:
    there = _metrics(view)
    wanted = [
        m for m in there if m not in (view.metric, "hard_failure", "decisive") and not m.startswith("flag:")
    ]
    columns = _metric_columns(view, [*wanted, *(m for m in ("hard_failure", "decisive") if m in there)])
    if not columns:
        return None
    meaning = ["Further metrics over all items."]
    if "hard_failure" in there:
        meaning.append(
            "Hard failures: share of the model's items on which any response carries a hard label."
        )
    if "decisive" in there:
        meaning.append("Decisive: share of items on which a decision commits to an action.")
    return Group("rates", "Further metrics", " ".join(meaning), True, columns)


def _flags(view: View) -> Group | None:
    flags = [m for m in _metrics(view) if m.startswith("flag:")]
    columns = _metric_columns(view, flags) if len(flags) <= MOST_FLAGS else []
    if not columns:
        return None
    return Group("flags", "Flags", "Share of items on which any response has the flag.", False, columns)


def _metrics(view: View) -> list[str]:
    scores = view.results.table("model_scores")
    there = [] if scores is None else scores.filter(pl.col("track") == ALL)["metric"].unique().to_list()
    return sorted(there)


def _metric_columns(view: View, metrics: list[str]) -> list[Detail]:
    """Return a column per metric; its key cannot meet those of the fixed columns."""
    columns = []
    for metric in metrics:
        rows = view.results.scores(metric)
        if rows is not None:
            key = metric if metric.startswith("flag:") else f"metric:{metric}"
            columns.append(_detail(key, metric_head(metric), view.scale_of(metric), rows))
    return columns


def _costs(view: View) -> Group | None:
    rows = view.results.rows("frontier", track=ALL, metric=view.metric)
    if rows is None or rows["cost_per_response_usd"].null_count() == rows.height:
        return None
    values = dict(rows.select("model", "cost_per_response_usd").iter_rows())
    totals = dict(rows.select("model", "cost_usd").iter_rows())
    columns = [
        Detail("cost_per_response_usd", "Cost per response", None, values),
        Detail("cost_usd", "Total cost", None, totals),
    ]
    return Group(
        "cost", "Cost", "US dollars; a dash means that the model's cost is not known.", True, columns
    )


def _tracks(view: View) -> Group | None:
    columns = []
    for track in view.results.tracks:
        rows = view.results.scores(view.metric, track)
        if rows is not None:
            scale = view.scale_of(view.metric, track)
            columns.append(_detail(f"track:{track}", f"<bdi>{escape(track)}</bdi>", scale, rows))
    if not columns:
        return None
    return Group("tracks", "Tracks", "The score within each track.", len(columns) <= 5, columns)


def _strata(view: View) -> Group | None:
    rows = view.results.table("strata")
    if rows is None or rows.select("stratum", "value").unique().height > MOST_STRATA:
        return None
    columns = []
    several = rows["stratum"].n_unique() > 1
    for (stratum, value), part in rows.partition_by(
        "stratum", "value", as_dict=True, maintain_order=True
    ).items():
        limits = part.select("ci_low", "ci_high").iter_rows()
        scale = scale_for(kind_of(view.metric), limits, values=part["estimate"])
        head = f"<bdi>{escape(value)}</bdi>"
        if several:
            head = f'<span class="muted">{escape(stratum)}</span><br>{head}'
        columns.append(_detail(f"stratum:{stratum}={value}", head, scale, part))
    return Group("strata", "Strata", "The score within each stratum of the items.", False, columns)


def _detail(key: str, head: str, scale: Scale, rows: pl.DataFrame) -> Detail:
    return Detail(
        key,
        head,
        scale,
        dict(rows.select("model", "estimate").iter_rows()),
        {m: (low, high) for m, low, high in rows.select("model", "ci_low", "ci_high").iter_rows()},
    )
