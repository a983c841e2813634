"""What the benchmark could have found: smallest detectable differences, and items for smaller ones."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import paragraph
from analysis.reporting.numbers import Scale, count, plural, significant
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent, kind_of

STATED = 0.02
"""The difference that the sentence names."""


def show(view: View) -> str:
    """Return what comparisons of neighbours could detect and the items that stated differences need."""
    if view.results.rows("planning", track=ALL, metric=view.metric) is None:
        return absent(view.results.why_absent("planning"))
    parts = [paragraph(" ".join(filter(None, (detectable(view), needed(view))))), _items(view), _pairs(view)]
    note = (
        "Plans are made for differences that matter, not for those that were observed: the power at an "
        "observed difference says no more than its p-value."
    )
    return "".join([*parts, paragraph(note, css="note")])


def neighbours(view: View) -> pl.DataFrame:
    """Return the rows of neighbours in rank, in rank order."""
    rows = view.results.rows("planning", track=ALL, metric=view.metric, adjacent=True)
    if rows is None:
        return pl.DataFrame()
    ranked = [] if view.standings is None else view.standings["model"].to_list()
    place = {m: i for i, m in enumerate(ranked)}
    at = pl.col("model_a").replace_strict(place, default=len(place), return_dtype=pl.Int64)
    return rows.sort(at, "model_a", "model_b")


def detectable(view: View) -> str:
    """Return the smallest differences that comparisons of neighbours could detect, as sentences."""
    rows = neighbours(view)
    if not rows.height:
        return "No two neighbours in rank share items, so none of their differences could have been found."
    power = f"{rows['power'][0]:.0%}"
    known = rows.filter(pl.col("detectable").is_not_null())
    silent = rows.height - known.height
    text = ""
    if known.height:
        pair = "the two models" if rows.height == 1 else "neighbours in rank"
        text = (
            f"A true difference between {pair} is found with a probability of {power} (\u03b1\u00a0=\u00a0"
            f"{view.alpha:g}, two-sided) if it is at least {_range(view, known['detectable'])}"
        )
        text += f"{_adjusted(view, known)}."
    if silent:
        pairs = (
            "the pair" if rows.height == 1 else plural(silent, "pair of neighbours", "pairs of neighbours")
        )
        they = "shares" if silent == 1 else "share"
        text += f" For {pairs} no difference could be found so surely: {'it' if silent == 1 else 'they'} "
        text += f"{they} too few items."
    return text.strip()


def _adjusted(view: View, rows: pl.DataFrame) -> str:
    """Return the same where alpha is shared among the tests of neighbours, to be appended."""
    found = rows["detectable_adjusted"].drop_nulls()
    if rows.height < 2 or not found.len():
        return ""
    text = f"; with \u03b1 shared among the {plural(rows.height, 'test')}, "
    if found.len() == rows.height:
        return text + _range(view, found)
    least = _range(view, found.sort().head(1))
    silent = rows.height - found.len()
    share = "pair shares" if silent == 1 else "pairs share"
    return f"{text}{least} or more, and {count(silent)} {share} too few items"


def needed(view: View) -> str:
    """Return the items that a stated difference needs, against those there are, as a sentence."""
    rows = view.results.rows("planning_items", track=ALL, metric=view.metric)
    if rows is None:
        return ""
    rows = rows.sort("difference")
    stated = rows.filter((pl.col("difference") - STATED).abs() < 1e-9)
    text, who = "", "Neighbours" if neighbours(view).height > 1 else "Two models"
    if stated.height and stated["items_needed"][0] is not None:
        row = stated.row(0, named=True)
        text = f"{who} {_stated(view, row['difference'])} apart need {_count(row['items_needed'])} items; "
        text += f"there {'is' if row['n_items'] == 1 else 'are'} {count(row['n_items'])}."
    low, high = _shared(view)
    if low < rows["n_items"][0]:
        ends = count(low) if low == high else f"{count(low)} to {count(high)}"
        text += f" {'The two' if who == 'Two models' else who} share {ends} of them."
    return text.strip()


def _shared(view: View) -> tuple[int, int]:
    """Return the fewest and the most items that two neighbours share."""
    shared = neighbours(view)
    if not shared.height:
        return 0, 0
    return int(shared["n_items"].min()), int(shared["n_items"].max())  # type: ignore[arg-type]


def _items(view: View) -> str:
    rows = view.results.rows("planning_items", track=ALL, metric=view.metric)
    if rows is None:
        return ""
    columns = [
        Column("difference", "Difference"),
        Column("one", "Items, one comparison", "right"),
    ]
    if neighbours(view).height > 1:
        columns.append(Column("all", "Items, all neighbours", "right"))
    fewest, cells = _shared(view)[0], []
    for row in rows.sort("difference").iter_rows(named=True):
        enough = row["items_needed"] is not None and row["items_needed"] <= fewest
        one = _count(row["items_needed"])
        cells.append(
            {
                "difference": _stated(view, row["difference"]),
                "one": f"<strong>{one}</strong>" if enough else one,
                "all": _count(row["items_needed_adjusted"]),
            }
        )
    first = rows.row(0, named=True)
    note = (
        f"At {first['power']:.0%} power and \u03b1\u00a0=\u00a0{view.alpha:g}, if neighbours differ as much "
        f"from item to item as they do here (median of {plural(first['n_pairs'], 'pair')}: discordance "
        f"{Scale('percent', 1).value(first['discordance'])}). Bold: every two neighbours share as many."
    )
    return detail(
        view,
        "planning_items",
        columns,
        cells,
        summary="",
        caption="Items that a stated difference between neighbours in rank needs.",
        note=note,
        fold=False,
    )


def _pairs(view: View) -> str:
    scale = _scale(view)
    unit = ", points" if scale.kind == "percent" else ""
    columns = [
        Column("a", "Higher in rank"),
        Column("b", "Lower in rank"),
        Column("n", "Common items", "right"),
        Column("discordance", "Discordance, %", "right"),
        Column("one", f"Detectable{unit}", "right"),
        Column("all", f"Adjusted{unit}", "right"),
    ]
    rows = neighbours(view)
    clustered = rows.height and (rows["n_clusters"] != rows["n_items"]).any()
    if clustered:
        columns.insert(3, Column("clusters", "Clusters", "right"))
        columns.insert(5, Column("effect", "Design effect", "right"))
    cells = [
        {
            "a": view.name(row["model_a"]),
            "b": view.name(row["model_b"]),
            "n": count(row["n_items"]),
            "clusters": count(row["n_clusters"]),
            "effect": "\u2013" if row["design_effect"] is None else f"{row['design_effect']:.2f}",
            "discordance": Scale("percent", 1).bare(row["discordance"]),
            "one": scale.bare(row["detectable"]),
            "all": scale.bare(row["detectable_adjusted"]),
        }
        for row in rows.iter_rows(named=True)
    ]
    return detail(
        view,
        "planning",
        columns,
        cells,
        summary="The smallest detectable difference of every two neighbours",
        caption="Smallest true differences that the comparisons of neighbours detect at the stated power.",
    )


def _scale(view: View) -> Scale:
    return Scale("percent", 1) if kind_of(view.metric) == "percent" else Scale("plain", 3)


def _stated(view: View, difference: float) -> str:
    """Return a stated difference with its unit: points of a percentage, else units of the metric."""
    if kind_of(view.metric) == "percent":
        points = f"{difference * 100:g}"
        return f"{points} point{'' if points == '1' else 's'}"
    return f"{difference:g}"


def _count(items: float | None) -> str:
    return "\u2013" if items is None else count(round(items))


def _range(view: View, values: pl.Series) -> str:
    """Return the lowest and highest of some differences with their unit."""
    scale = _scale(view)
    ends = [scale.bare(float(v)) for v in (values.min(), values.max())]  # type: ignore[arg-type]
    if kind_of(view.metric) != "percent":
        ends = [significant(float(v), 2) for v in (values.min(), values.max())]  # type: ignore[arg-type]
    unit = " points" if scale.kind == "percent" else ""
    return (ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}") + unit
