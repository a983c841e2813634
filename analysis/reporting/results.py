"""What the pages read: one benchmark's derived tables, card, figures and their provenance.

Tables were validated when they were written; a page only reads them, so this module stays light.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from analysis.capabilities import WHY_ABSENT
from analysis.config import BenchmarkCard, Settings
from analysis.errors import VerdictAtlasError

CARD_FILE = "benchmark.json"
"""Card and statistics in force, as ingest left them."""

METADATA_KEY = "verdict_atlas"
"""Key of the provenance in a table's Parquet metadata."""

ALL = "all"
"""The track of all items."""

INTERVAL_NAMES = {
    "wilson": "Wilson",
    "clopper_pearson": "Clopper\u2013Pearson",
    "jeffreys": "Jeffreys",
    "bootstrap": "bootstrap",
    "bootstrap_percentile": "percentile bootstrap",
    "bootstrap_basic": "basic bootstrap",
    "bootstrap_bca": "BCa bootstrap",
    "bootstrap_studentized": "studentized bootstrap",
}
"""Interval methods as a sentence names them."""


@dataclass(frozen=True)
class Results:
    """A benchmark's derived folder, read as needed.

    Parameters
    ----------
    benchmark : str
        The benchmark's name.
    folder : Path
        ``results/derived/<benchmark>``.
    figures : Path
        ``results/figures/<benchmark>``.
    card : BenchmarkCard
        The benchmark's card.
    settings : Settings
        The statistics in force.
    """

    benchmark: str
    folder: Path
    figures: Path
    card: BenchmarkCard
    settings: Settings
    _tables: dict[str, pl.DataFrame | None] = field(default_factory=dict, repr=False, compare=False)
    _metadata: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def open(cls, benchmark: str, results: Path) -> Results:
        """Open a benchmark under a results folder.

        Raises
        ------
        VerdictAtlasError
            Where the benchmark has no derived folder.
        """
        folder = results / "derived" / benchmark
        try:
            state = json.loads((folder / CARD_FILE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise VerdictAtlasError(
                f"benchmark {benchmark!r} has no derived tables in {results}; snakemake tables makes them"
            ) from None
        return cls(
            benchmark,
            folder,
            results / "figures" / benchmark,
            BenchmarkCard.model_validate(state["card"]),
            Settings.model_validate(state["settings"]),
        )

    @property
    def title(self) -> str:
        """The card's title, or the benchmark's name."""
        return self.card.title or self.benchmark

    @property
    def metric(self) -> str:
        """The metric that leads the report: the card's primary one where it was scored."""
        scores = self.table("model_scores")
        found = set() if scores is None else set(scores["metric"])
        return self.card.primary_metric if self.card.primary_metric in found else "correct"

    def table(self, name: str) -> pl.DataFrame | None:
        """Return a table, or None where it is absent or empty."""
        if name not in self._tables:
            path = self.folder / f"{name}.parquet"
            frame = pl.read_parquet(path, glob=False, hive_partitioning=False) if path.is_file() else None
            self._tables[name] = None if frame is None or frame.height == 0 else frame
        return self._tables[name]

    def rows(self, name: str, /, **equal: object) -> pl.DataFrame | None:
        """Return the rows of a table whose columns equal the given values; None where there are none."""
        frame = self.table(name)
        if frame is None:
            return None
        frame = frame.filter(*(pl.col(column) == value for column, value in equal.items()))
        return frame if frame.height else None

    def metadata(self, name: str) -> dict[str, Any]:
        """Return a table's provenance and method; empty where the table is absent."""
        if name not in self._metadata:
            path = self.folder / f"{name}.parquet"
            text = pl.read_parquet_metadata(path).get(METADATA_KEY) if path.is_file() else None
            self._metadata[name] = json.loads(text) if text else {}
        return self._metadata[name]

    def why_absent(self, name: str) -> str:
        """Return why a table has no rows, as a sentence."""
        reason = WHY_ABSENT.get(name)
        if reason and not (self.folder / f"{name}.parquet").is_file():
            return reason[0].upper() + reason[1:] + "."
        return _EMPTY.get(name, "The data give no rows for this table.")

    @cached_property
    def names(self) -> dict[str, str]:
        """Each model's name as shown; models of the same name carry their identifier too."""
        models = self.table("models")
        if models is None:
            return {}
        names = {model: name or model for model, name in models.select("model", "name").iter_rows()}
        twice = {name for name, n in Counter(names.values()).items() if n > 1}
        return {m: f"{name} ({m})" if name in twice and name != m else name for m, name in names.items()}

    @cached_property
    def tracks(self) -> list[str]:
        """The tracks that have scores, without `all`."""
        scores = self.table("model_scores")
        if scores is None:
            return []
        return sorted(set(scores["track"]) - {ALL})

    @cached_property
    def n_items(self) -> int:
        """Items of the benchmark, those that no model answered included."""
        items = self.table("items")
        return 0 if items is None else items.height

    def scores(self, metric: str, track: str = ALL) -> pl.DataFrame | None:
        """Return one row per model, in rank order, with the first interval method that gives limits.

        Methods are tried in the order of the settings, those over clusters beside their plain ones;
        a model for which none gives limits keeps its estimate with null limits.
        """
        rows = self.rows("model_scores", metric=metric, track=track)
        if rows is None:
            return None
        wanted = [name for m in self.settings.intervals for name in (m, f"cluster_{m}")]
        wanted += sorted(set(rows["method"]) - set(wanted))
        place = pl.col("method").replace_strict({m: i for i, m in enumerate(wanted)}, return_dtype=pl.Int64)
        best = rows.sort(pl.col("ci_low").is_null(), place, "model").unique("model", keep="first")
        return best.sort("rank")

    def interval_words(self, metric: str, track: str = ALL) -> str:
        """Return the interval methods shown for a metric, the commonest first, as a sentence has them."""
        rows = self.scores(metric, track)
        if rows is None:
            return ""
        used = rows.filter(pl.col("ci_low").is_not_null()).group_by("method").len()
        counted = used.sort(["len", "method"], descending=[True, False]).rows()
        if not counted:
            return "no interval: all resamples are equal"
        parts = [interval_name(counted[0][0])]
        parts += [f"{interval_name(m)} for {n} model{'' if n == 1 else 's'}" for m, n in counted[1:]]
        return ", ".join(parts)

    def standings(self, metric: str, track: str = ALL) -> pl.DataFrame | None:
        """Return the scores with tier, letters, rank interval and membership of the best set."""
        scores = self.scores(metric, track)
        if scores is None:
            return None
        tiers = self.rows("tiers", metric=metric, track=track)
        columns = [
            "tier",
            "letters",
            "rank_low",
            "rank_high",
            "in_best_set",
            "p_next",
            "alpha_adjusted",
            "reversal",
        ]
        if tiers is None:
            return scores.with_columns(pl.lit(None).alias(c) for c in columns)
        return scores.join(tiers.select("model", *columns), on="model", how="left").sort("rank")


def interval_name(method: str, *, full: bool = False) -> str:
    """Return an interval method as a sentence names it; in full where it is explained.

    Examples
    --------
    >>> interval_name("cluster_bootstrap"), interval_name("wilson")
    ('cluster bootstrap', 'Wilson')
    >>> interval_name("bootstrap", full=True)
    'bootstrap (expanded percentile)'
    """
    plain = method.removeprefix("cluster_")
    name = INTERVAL_NAMES.get(plain, plain.replace("_", " "))
    if full and plain == "bootstrap":
        name += " (expanded percentile)"
    return f"cluster {name}" if method.startswith("cluster_") else name


_EMPTY = {
    "concordance": "There are no two models with common items, so nothing can be compared.",
    "pairwise_tests": "There are no two models with common items, so nothing can be compared.",
    "failure_labels": "No row carries a failure label.",
    "decisions": "No row records a decision.",
    "strata": "No item has a value in the declared strata.",
    "frontier": "No model has a known cost.",
    "item_counts": "No item has a scored response.",
    "count_distribution": "No item has a scored response.",
    "coverage": "No item has a scored response.",
    "model_scores": "No response is scored.",
    "policies": "No response is scored.",
    "raters": "No rating can be read as a category or a number.",
    "agreement_statistics": "No two raters have rated the same response.",
    "planning": "There are no two models with common items, so nothing can be planned.",
    "ensembles": "No item has a scored response.",
    "influence": "There is one track and no declared cluster, so no part can be left out.",
    "repeated_runs": "No model has a second scored run of any item.",
    "flag_outcomes": "No response is flagged.",
    "consultation_scores": "No open question has labelled criteria.",
    "rubric_models": "No response is scored by a declared rubric.",
    "session_metrics": "There are no consultation sessions.",
    "version_changes": "No two models with verdicts are of one <code>family</code>.",
    "rank_shifts": "There is one ranking only: one metric in one track.",
    "run_noise": "No model has two scored runs of two items.",
}
