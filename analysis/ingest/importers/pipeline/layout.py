"""The layout of an import's output, and the count of what was written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa

from analysis.ingest.importers.pipeline.raters import Rater
from analysis.ingest.importers.pipeline.rules import (
    Rule,
)

RESOURCES = ("cost_usd", "input_tokens", "output_tokens", "latency_s")


RATINGS_SCHEMA = pa.schema(
    [
        ("model", pa.string()),
        ("item_id", pa.string()),
        ("run", pa.int64()),
        ("criterion_id", pa.string()),
        ("rater", pa.string()),
        ("rater_kind", pa.string()),
        ("label", pa.string()),
        ("value", pa.float64()),
    ]
)


@dataclass
class Plan:
    """What the output looks like.

    Parameters
    ----------
    primary : dict of str to Rule
        The primary metric's rule, by task.
    extras : dict of str to dict of str to Rule
        Rules of the metrics that become columns, by metric and task.
    columns : dict of str to str
        The column of each of them.
    raters : list of Rater
        Metrics that are ratings.
    score : bool
        Write the column `score`.
    score_beside : frozenset of str
        Tasks whose tables have a score of their own beside the verdict.
    optional : frozenset of str
        Which of the optional columns (resources, labels, flags, decision) have any value.
    score_unfinished : bool
        Answers of unfinished logs count as they are.
    """

    primary: dict[str, Rule]
    extras: dict[str, dict[str, Rule]]
    columns: dict[str, str]
    raters: list[Rater]
    score: bool
    score_beside: frozenset[str]
    optional: frozenset[str]
    score_unfinished: bool

    def schema(self) -> pa.Schema:
        """Return the columns of the verdict file."""
        fields = [("model", pa.string()), ("item_id", pa.string()), ("run", pa.int64())]
        fields += [("verdict", pa.string()), ("correct", pa.bool_())]
        if self.score:
            fields.append(("score", pa.float64()))
        for name in ("labels", "flags"):
            if name in self.optional:
                fields.append((name, pa.list_(pa.string())))
        if "decision" in self.optional:
            fields.append(("decision", pa.string()))
        fields += [(name, pa.float64()) for name in RESOURCES if name in self.optional]
        fields += [(self.columns[metric], pa.float64()) for metric in sorted(self.columns)]
        return pa.schema(fields)


@dataclass
class Tally:
    """What was written, per model."""

    rows: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    excluded: Counter[str] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)
    correct: Counter[str] = field(default_factory=Counter)
    score_sum: dict[str, float] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    excluded_verdicts: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
