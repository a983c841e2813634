"""Groups of models that behave alike, from how often their verdicts agree."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.numbers import Scale
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

PERCENT = Scale("percent", 1)


def show(view: View) -> str:
    """Return the joins of models into groups as a table, the most alike first; empty below three models."""
    rows = view.results.rows("model_clusters", track=ALL)
    if rows is None or rows["model"].n_unique() < 3:
        return ""
    cells, before = [], {m: {m} for m in rows["model"].unique()}
    for _, part in rows.sort("step").group_by("step", maintain_order=True):
        after = {m: _members(part, m) for m in part["model"]}
        joined = sorted({tuple(sorted(g)) for m, g in after.items() if g != before[m]})
        for group in joined:
            parts = sorted({tuple(sorted(before[m])) for m in group}, key=lambda p: (-len(p), p))
            cells.append(
                {
                    "level": PERCENT.bare(part["level"][0]),
                    "parts": " + ".join(f'<span class="words">{_named(view, p)}</span>' for p in parts),
                    "n": str(len(group)),
                }
            )
        before = after
    columns = [
        Column("level", "All agree on at least, %", "right"),
        Column("parts", "Groups that join"),
        Column("n", "Models together", "right"),
    ]
    return detail(
        view,
        "model_clusters",
        columns,
        cells,
        summary="Models grouped by how alike they are",
        caption="Complete linkage of the agreement of verdicts: at each level every two models of a group "
        "agree at least that often.",
    )


def _members(part: pl.DataFrame, model: str) -> set[str]:
    own = part.filter(pl.col("model") == model)["cluster"][0]
    return set(part.filter(pl.col("cluster") == own)["model"])


def _named(view: View, models: tuple[str, ...]) -> str:
    return view.names(list(models), most=8)
