"""How ranks differ between tracks and between metrics."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import plural
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

MOST_SENTENCES = 4
RANKING = ["track_from", "metric_from", "track_to", "metric_to"]


def show(view: View) -> str:
    """Return which models stand elsewhere in another ranking, and by how many places."""
    rows = view.results.table("rank_shifts")
    if rows is None:
        return absent(view.results.why_absent("rank_shifts"))
    lead = _leading(view, rows)
    texts = [sentence(view, part) for _, part in lead.group_by(RANKING, maintain_order=True)]
    return paragraph(" ".join(texts[:MOST_SENTENCES])) + _table(view, rows)


def _leading(view: View, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the shifts between tracks in the leading metric; where there are none, those from it."""
    metric = view.metric
    tracks = rows.filter(pl.col("metric_from") == metric, pl.col("metric_to") == metric)
    if tracks.height:
        return tracks
    own = rows.filter((pl.col("metric_from") == metric) | (pl.col("metric_to") == metric))
    return own if own.height else rows


def sentence(view: View, rows: pl.DataFrame) -> str:
    """Return how many models move between two rankings, and which one most surely."""
    first = rows.row(0, named=True)
    head = f"From {_ranking(first, 'from')} to {_ranking(first, 'to')}, "
    moved = rows.filter(pl.col("shift") != 0)
    if not moved.height:
        return f"{head}no model changes rank."
    # Limits are null where every resample gives the same shift, which is as sure as can be.
    enough = (1 + view.results.settings.level) / 2
    sure = rows.filter((pl.col("p_rises") >= enough) | (pl.col("p_falls") >= enough))
    most = moved.sort(pl.col("shift").abs(), "model", descending=[True, False]).row(0, named=True)
    text = (
        f"{head}{moved.height} of {plural(rows.height, 'model')} change rank; {view.name(most['model'])} "
        f"goes from {most['rank_from']} to {most['rank_to']}."
    )
    if sure.height:
        return f"{text} Beyond chance are the shifts of {view.names(sure['model'].to_list())}."
    return f"{text} No shift is beyond what resampling the items gives."


def _ranking(row: dict[str, object], end: str) -> str:
    return (
        f"<code>{escape(str(row[f'metric_{end}']))}</code> in <bdi>{escape(str(row[f'track_{end}']))}</bdi>"
    )


def _table(view: View, rows: pl.DataFrame) -> str:
    columns = [
        Column("model", "Model"),
        Column("before", "Rank in the first", "right"),
        Column("after", "Rank in the second", "right"),
        Column("shift", "Places gained", "right"),
        Column("interval", view.ci),
    ]
    cells = []
    lead = (pl.col("metric_from") == view.metric) & (pl.col("metric_to") == view.metric)
    for _, part in rows.sort(~lead, maintain_order=True).group_by(RANKING, maintain_order=True):
        for row in part.sort("rank_from").iter_rows(named=True):
            limits = "\u2013"
            if row["ci_low"] is not None:
                limits = muted_range(f"{_places(row['ci_low'])} to {_places(row['ci_high'])}")
            cells.append(
                {
                    "ranking": f"{_ranking(row, 'from')} to {_ranking(row, 'to')}",
                    "model": view.name(row["model"]),
                    "before": str(row["rank_from"]),
                    "after": str(row["rank_to"]),
                    "shift": _places(row["shift"]),
                    "interval": limits,
                }
            )
    return detail(
        view,
        "rank_shifts",
        columns,
        cells,
        summary="Ranks in two rankings, model by model",
        caption="Ranks among the models that are in both rankings; intervals from joint resamples of the "
        "items.",
        groups="ranking",
    )


def _places(value: float) -> str:
    n = round(value)
    return f"+{n}" if n > 0 else str(n).replace("-", "\u2212")
