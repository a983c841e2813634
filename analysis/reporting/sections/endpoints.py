"""The card's further endpoints, each beside the majority-class baseline where classes are declared."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import count, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View


def show(view: View) -> str:
    """Return the declared endpoints in words and as tables; empty where the card declares none."""
    frame = view.results.table("endpoint_scores")
    if frame is None:
        return ""
    names = frame["endpoint"].unique(maintain_order=True).to_list()
    names = [n for n in view.results.card.endpoints if n in names]
    texts = [sentence(view, name, frame.filter(pl.col("endpoint") == name)) for name in names]
    head = "\n### Declared endpoints {#endpoints}\n"
    return head + "".join(paragraph(t) for t in texts if t) + _table(view, frame, names)


def sentence(view: View, name: str, rows: pl.DataFrame) -> str:
    """Return how many models stay at or below the majority-class baseline; empty without classes."""
    rows = rows.filter(pl.col("statistic") == "accuracy", pl.col("baseline").is_not_null())
    rows = rows.unique("model", keep="first", maintain_order=True)
    if rows.is_empty():
        return ""
    scale = scale_for("percent", [])
    below = rows.filter(pl.col("estimate") <= pl.col("baseline") + 1e-12).height
    low, high = min(rows["baseline"].to_list()), max(rows["baseline"].to_list())
    base = scale.value(low) if low == high else f"{scale.value(low)} to {scale.value(high)}"
    return (
        f"<bdi><strong>{escape(name)}</strong></bdi>: always the most frequent class would be right in "
        f"{base}; {below} of {rows.height} models are not above that."
    )


def _table(view: View, frame: pl.DataFrame, names: list[str]) -> str:
    """Return a table for each track: a row per endpoint and model."""
    tracks = frame["track"].unique(maintain_order=True).to_list()
    return "".join(_track_table(view, i, track, frame, names) for i, track in enumerate(sorted(tracks)))


def _track_table(view: View, number: int, track: str, frame: pl.DataFrame, names: list[str]) -> str:
    columns = [
        Column("model", "Model"),
        Column("n", "Right of all", "right"),
        Column("share", "%", "right"),
        Column("base", "Majority class, %", "right"),
        Column("mean", "Balanced or macro, %", "right"),
        Column("given", "Given the condition, %", "right"),
        Column("parts", "By class or group, %"),
    ]
    cells = []
    for name in names:
        rows = frame.filter(pl.col("endpoint") == name, pl.col("track") == track)
        meaning = view.results.card.endpoints[name].meaning
        head = f"<bdi>{escape(name)}</bdi>{f': {escape(meaning)}' if meaning else ''}"
        for model in sorted(set(rows["model"])):
            found = _shown(rows.filter(pl.col("model") == model))
            cells.append({"group": head, "model": view.name(model), **_cells(found)})
    used = [
        c for c in columns if c.key == "model" or any(cell[c.key] not in ("", "\u2013") for cell in cells)
    ]
    where = "all items" if track == ALL else track
    return detail(
        view,
        "endpoint_scores",
        used,
        cells,
        summary=f"Declared endpoints of {where}, by model",
        caption="Wilson intervals where every cluster holds one item, else the bootstrap over clusters. Of "
        "conditional endpoints the share is of both right; ceilings of staging are in the table to download.",
        name=f"endpoint-scores-{number}",
        groups="group",
    )


def _shown(rows: pl.DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Return one row of each statistic and part: Wilson's where there is one, else what has limits."""
    last = (pl.col("method") != "wilson").alias("_last"), pl.col("ci_low").is_null().alias("_none")
    best = rows.with_columns(*last).sort("_none", "_last", maintain_order=True)
    best = best.unique(["statistic", "part"], keep="first", maintain_order=True)
    return {(r["statistic"], r["part"]): r for r in best.iter_rows(named=True)}


def _cells(found: dict[tuple[str, str], dict[str, Any]]) -> dict[str, str]:
    main = found.get(("accuracy", "")) or found.get(("joint", ""))
    parts = [r for (statistic, _), r in sorted(found.items()) if statistic in ("recall", "group")]
    bare = scale_for("percent", []).bare
    named = [f"<bdi>{escape(r['part'])}</bdi> {bare(r['estimate'])}" for r in parts]
    mean = found.get(("balanced", "")) or found.get(("macro", ""))
    of = "\u2013"
    if main is not None:
        hits = main["n_success"]
        of = count(main["n_items"]) if hits is None else f"{count(hits)} of {count(main['n_items'])}"
    return {
        "n": of,
        "share": _share(main),
        "base": "\u2013" if main is None else bare(main["baseline"]),
        "mean": _share(mean),
        "given": _share(found.get(("conditional", ""))),
        "parts": f'<span class="words">{", ".join(named)}</span>' if named else "",
    }


def _share(row: dict[str, Any] | None) -> str:
    if row is None or row["estimate"] is None:
        return "\u2013"
    low, high = row["ci_low"], row["ci_high"]
    limits = "" if low is None else f" {muted_range(scale_for('percent', [(low, high)]).interval(low, high))}"
    return f"{scale_for('percent', []).bare(row['estimate'])}{limits}"
