"""Where the line between success and failure is drawn, and what another line would change."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, fixed, plural
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

SHOWN = (5, 8, 10, 12, 14, 15, 16, 18, 20)
"""Thresholds that have a column, in twentieths; the table has all."""
MOST_STRETCHES = 5
"""Where the lead changes more often than this, thresholds are counted, not listed."""
PERCENT = Scale("percent", 1)


def show(view: View) -> str:
    """Return who leads under each threshold of each graded metric; empty without graded metrics."""
    rows = view.results.table("threshold_sensitivity")
    if rows is None:
        return ""
    rows = rows.filter(pl.col("track") == _track(rows))
    texts = [sentence(view, part) for _, part in rows.group_by("metric", maintain_order=True)]
    head = "\n### Another threshold {#thresholds}\n"
    return head + paragraph(" ".join(texts)) + _table(view, rows)


def _track(rows: pl.DataFrame) -> str:
    return ALL if ALL in rows["track"] else str(rows["track"][0])


def sentence(view: View, rows: pl.DataFrame) -> str:
    """Return which models lead under some threshold of one metric, as a sentence."""
    metric = f"<code>{escape(rows['metric'][0])}</code>"
    leaders = rows.filter(pl.col("rank") == 1).sort("step")
    names = leaders["model"].unique(maintain_order=True).to_list()
    if len(names) == 1:
        return f"Wherever {metric} is cut, {view.name(names[0])} has the largest share of cells above."
    stretches = _stretches(leaders)
    if len(stretches) > MOST_STRETCHES:
        counted = [f"{view.name(m)} at {leaders.filter(pl.col('model') == m).height}" for m in names[:4]]
        more = f" and {plural(len(names) - 4, 'other model')} at the others" if len(names) > 4 else ""
        return f"The leader depends on where {metric} is cut: of 20 thresholds {', '.join(counted)}{more}."
    parts = [f"{view.name(m)} {_span(low, high)}" for m, low, high in stretches]
    return f"The leader depends on where {metric} is cut: {'; '.join(parts)}."


def _stretches(leaders: pl.DataFrame) -> list[tuple[str, float, float]]:
    """Return each leader with the first and the last threshold of a stretch without another."""
    found: list[tuple[str, float, float]] = []
    for model, threshold in leaders.select("model", "threshold").iter_rows():
        if found and found[-1][0] == model:
            found[-1] = (model, found[-1][1], threshold)
        else:
            found.append((model, threshold, threshold))
    return found


def _span(low: float, high: float) -> str:
    if low == high:
        return f"at {fixed(low, 2)}"
    return f"from {fixed(low, 2)} to {fixed(high, 2)}"


def _table(view: View, rows: pl.DataFrame) -> str:
    columns = [Column("model", "Model")]
    columns += [Column(f"t{s}", f"\u2265\u00a0{fixed(s / 20, 2)}", "right") for s in SHOWN]
    cells = []
    ranked = [] if view.standings is None else view.standings["model"].to_list()
    place = {m: i for i, m in enumerate(ranked)}
    for (metric,), part in rows.group_by("metric", maintain_order=True):
        found = {(r["model"], r["step"]): r for r in part.iter_rows(named=True)}
        for model in sorted(part["model"].unique(), key=lambda m: (place.get(m, len(place)), m)):
            cell = {"metric": f"<code>{escape(str(metric))}</code>", "model": view.name(model)}
            for step in SHOWN:
                row = found.get((model, step))
                cell[f"t{step}"] = "\u2013" if row is None else _share(row)
            cells.append(cell)
    return detail(
        view,
        "threshold_sensitivity",
        columns,
        cells,
        summary="Shares above each threshold",
        caption="Share of a model\u2019s cells that reach a threshold, in %, with the rank by it.",
        groups="metric",
    )


def _share(row: dict[str, float]) -> str:
    return f'{PERCENT.bare(row["share"])} <span class="range">{row["rank"]}</span>'
