"""What the sections on a rubric share: its own words, and whose ratings lead."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import polars as pl

from analysis.reporting.markup import escape
from analysis.reporting.numbers import Scale, listed
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.view import View

SCORE = Scale("plain", 2)
"""How rubric scores are shown."""

TOGETHER = "the tables of a rubric are made together"

SHORT = 3
"""Characters up to which an identifier stands before a title."""

KINDS = {"human": "human raters", "judge": "judges", "scorer": "scorers", "all": "all raters"}
"""Kinds of raters as words, humans first."""

COMPOSITES = {"weighted": "Composite", "unweighted": "Unweighted"}
"""Heads of the composites, the declared one first."""


@cache
def _read(path: str, changed: int) -> dict[str, Any]:
    """Read a file once; `changed` is when it was written last."""
    with open(path, encoding="utf-8") as stream:
        content: dict[str, Any] = json.load(stream)
    return content


def rubric_of(view: View) -> dict[str, Any]:
    """Return what ingest kept of the rubric: `rubric`, `use`, `keys`, `declaration_sha256`; empty without."""
    path = view.results.folder / "rubric.json"
    return _read(str(path), path.stat().st_mtime_ns) if path.is_file() else {}


FEW_UNITS = 10
"""Fewer resampled units than this give rough intervals."""


def leading_kind(view: View) -> str:
    """Return whose ratings lead: humans where there are any."""
    rows = view.results.table("rubric_models")
    have = set() if rows is None else set(rows["raters"].unique())
    return next((kind for kind in KINDS if kind in have), "")


def domain_titles(view: View) -> dict[str, str]:
    """Return the domains' titles in the rubric's order."""
    return {d["id"]: d["title"] for d in rubric_of(view)["rubric"]["domains"]}


def line_titles(view: View) -> dict[str, str]:
    """Return the sub-dimensions' titles in the rubric's order, those of single vignettes last."""
    rows = view.results.table("applicability")
    if rows is None:
        return {}
    rows = rows.sort("position").unique("criterion_id", keep="first", maintain_order=True)
    return dict(rows.select("criterion_id", "title").iter_rows())


def named_line(line: str, titles: dict[str, str]) -> str:
    """Return a domain or sub-dimension with its title, as HTML."""
    title = titles.get(line, "")
    if title and len(line) > SHORT:
        return f"<bdi>{escape(title)}</bdi>"
    return f"<bdi>{escape(line)}</bdi> <bdi>{escape(title)}</bdi>" if title else f"<bdi>{escape(line)}</bdi>"


def with_range(value: float | None, low: float | None, high: float | None, scale: Scale = SCORE) -> str:
    """Return a value with its interval behind it, as HTML."""
    text = scale.bare(value)
    return text if low is None or high is None else f"{text} {muted_range(scale.interval(low, high))}"


def flagged_cell(n: int, of: int) -> str:
    """Return how many of some responses are flagged, as HTML; a flag stands out."""
    text = f"{n}/{of}"
    return f'<strong class="flagged">{text}</strong>' if n else text


def wide(frame: pl.DataFrame, key: list[str], column: str) -> dict[tuple[Any, ...], Any]:
    """Return a column by the values of a key."""
    return {row[:-1]: row[-1] for row in frame.select(*key, column).iter_rows()}


def rough_intervals(rows: pl.DataFrame, titles: dict[str, str]) -> str:
    """Say which lines' intervals rest on few resampled units; empty where none does.

    Parameters
    ----------
    rows : pl.DataFrame
        Rows with `name` and `n_units`.
    titles : dict of str to str
        Titles of the lines.
    """
    sizes = rows.group_by("name").agg(pl.col("n_units").max()).filter(pl.col("n_units") < FEW_UNITS)
    if not sizes.height:
        return ""
    which = listed([named_line(name, titles) for name in titles if name in set(sizes["name"])], most=3)
    n = int(sizes["n_units"].to_numpy().max())
    return f" Intervals of {which} rest on {n} or fewer vignettes or clusters and are rough."
