"""What the sections of a report share: the results, the models' names, the scales, figures and tables."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import polars as pl

from analysis.reporting.markup import block, escape, named
from analysis.reporting.numbers import Scale, level_name, listed, scale_for
from analysis.reporting.results import ALL, Results


@dataclass(frozen=True)
class View:
    """One benchmark as a page shows it.

    Parameters
    ----------
    results : Results
        The benchmark's tables.
    figures_link, tables_link : str
        Relative addresses of the folders with the downloads.
    site_link : str
        What goes before the address of another page of the benchmark, empty within the site.
    parts : dict of str to str
        Parts of the page that are asked for twice, once they are made.
    """

    results: Results
    figures_link: str = "figures"
    tables_link: str = "tables"
    site_link: str = ""
    parts: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ci(self) -> str:
        """Name of the confidence intervals, such as `95 % CI`."""
        return level_name(self.results.settings.level)

    @property
    def alpha(self) -> float:
        """Family-wise error rate of the tests."""
        return self.results.settings.alpha

    @property
    def metric(self) -> str:
        """The metric that leads the report."""
        return self.results.metric

    def name(self, model: str) -> str:
        """Return the model's name as HTML."""
        shown = self.results.names.get(model, model) or "(empty)"
        return named(shown, title=model if shown != model else "")

    def names(self, models: list[str], *, most: int = 4) -> str:
        """Return several models' names as a sentence joins them."""
        return listed([self.name(m) for m in models], most=most, rest="other")

    @cached_property
    def standings(self) -> pl.DataFrame | None:
        """Scores and ties of the leading metric over all items, in rank order."""
        return self.results.standings(self.metric)

    @cached_property
    def scale(self) -> Scale:
        """How values of the leading metric are shown."""
        return self.scale_of(self.metric)

    def scale_of(self, metric: str, track: str = ALL) -> Scale:
        """Return how values of a metric are shown."""
        rows = self.results.scores(metric, track)
        kind = kind_of(metric)
        if rows is None:
            return scale_for(kind, [])
        return scale_for(kind, rows.select("ci_low", "ci_high").iter_rows(), values=rows["estimate"])

    @cached_property
    def pairs(self) -> pl.DataFrame | None:
        """Paired tests of the leading metric over all items."""
        return self.results.rows("pairwise_tests", track=ALL, metric=self.metric)

    @cached_property
    def difference_scale(self) -> Scale:
        """How differences of the leading metric are shown."""
        kind = kind_of(self.metric)
        if self.pairs is None:
            return self.scale
        limits = self.pairs.select("ci_low", "ci_high").rows()
        scale = scale_for(kind, limits, values=self.pairs["difference"])
        hidden = any(x and round(x * scale.factor, scale.decimals) == 0 for pair in limits for x in pair)
        return Scale(kind, scale.decimals + 1) if hidden and scale.decimals < 1 else scale

    @cached_property
    def unranked(self) -> list[str]:
        """Models that have verdicts, none of them scored."""
        models = self.results.table("models")
        asked = [] if models is None else models.filter(pl.col("n_rows") > 0)["model"].to_list()
        ranked = set() if self.standings is None else set(self.standings["model"])
        return [m for m in asked if m not in ranked]

    @property
    def every(self) -> str:
        """`every model`, or `every scored model` where some have no scored response."""
        return "every scored model" if self.unranked else "every model"

    @cached_property
    def item_places(self) -> dict[str, str]:
        """Where items stand on pages, by identifier; empty where no pages were written."""
        results = self.results
        path = results.folder.parent.parent / "site" / results.benchmark / "items.json"
        if not path.is_file():
            return {}
        places: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))["items"]
        return places

    def item(self, item_id: str) -> str:
        """Return an item's identifier as HTML, as a link to its place on a page where it has one."""
        shown = named(item_id if len(item_id) <= 80 else f"{item_id[:79]}\u2026")
        place = self.item_places.get(item_id)
        return f'<a href="{escape(self.site_link + place)}">{shown}</a>' if place else shown

    @cached_property
    def figures(self) -> dict[str, dict[str, Any]]:
        """The figures' titles, captions and reasons for absence, by name."""
        path = self.results.figures / "index.json"
        if not path.is_file():
            return {}
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        return found


SHARES = frozenset({"correct", "item_weighted", "cluster_macro", "hard_failure", "decisive"})
"""Metrics that are shares of items, beside the flags."""


def kind_of(metric: str) -> Literal["percent", "plain"]:
    """Tell whether a metric is a share of items, shown as a percentage.

    Examples
    --------
    >>> kind_of("correct"), kind_of("flag:asks"), kind_of("score")
    ('percent', 'percent', 'plain')
    """
    shares = metric in (
        "correct",
        "item_weighted",
        "cluster_macro",
        "hard_failure",
        "decisive",
    ) or metric.startswith("flag:")
    return "percent" if shares else "plain"


def success_words(results: Results) -> str:
    """Return the verdicts that succeed, as HTML: `correct`, or the card's own."""
    return listed([f"<code>{escape(v)}</code>" for v in results.card.verdicts.succeeding], last="or")


def metric_words(results: Results, metric: str) -> str:
    """Return what a metric is, as the beginning of a sentence has it after `the`.

    Examples
    --------
    >>> metric_words(None, "hard_failure")
    'hard-failure rate'
    """
    if metric == "correct":
        return "share of items answered correctly"
    if metric == "item_weighted":
        return "share of items answered correctly, every item counted once"
    if metric == "cluster_macro":
        return "share of items answered correctly, every cluster counted once"
    if metric == "score":
        return "mean score"
    if metric == "hard_failure":
        return "hard-failure rate"
    if metric == "decisive":
        return "decisive rate"
    if metric.startswith("flag:"):
        return f"share of items flagged <code>{escape(metric.removeprefix('flag:'))}</code>"
    return f"mean of <code>{escape(metric)}</code>"


def metric_head(metric: str) -> str:
    """Return a metric as the head of a column, as HTML with its unit."""
    names = {
        "correct": "Correct, %",
        "score": "Mean score",
        "item_weighted": "Correct by item, %",
        "cluster_macro": "Correct by cluster, %",
        "hard_failure": "Hard failures, %",
        "decisive": "Decisive, %",
    }
    if metric.startswith("flag:"):
        return f"{escape(metric.removeprefix('flag:'))}, %"
    return names.get(metric) or escape(metric)


def absent(reason: str) -> str:
    """Return the one line that stands where a section has nothing to show. The reason is HTML."""
    return block(f'<p class="absent">{reason}</p>')


def open_view() -> View:
    """Open the benchmark that the environment names; without a name, the first derived one.

    Raises
    ------
    VerdictAtlasError
        Where there are no derived tables.
    """
    from analysis.reporting.environment import links, named_benchmarks, results_folder

    results = results_folder()
    benchmark = named_benchmarks(results)[0]
    figures, tables, site = links(results, benchmark)
    return View(Results.open(benchmark, results), figures, tables, site)
