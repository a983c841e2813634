"""The scorer's columns while they fill, one entry per response."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from analysis.scoring.odbb.therapy import GRANULARITIES

CORRECT, PARTIAL, INCORRECT, TECHNICAL = "correct", "partial", "incorrect", "technical_failure"

GOLD_STEP = "reasoning_has_gold_step"
CONFLICT = "acknowledges_data_conflict"
CONTRADICTORY = "contradictory_output"
POLARITY = "polarity_conflict"
UNKNOWN_DRUG = "unknown_drug"
REPAIRED = "repaired"


@dataclass
class Rows:
    """Columns of the verdict table. A response that nothing fills is a technical failure.

    Parameters
    ----------
    verdict, labels, flags : list of str
        Labels and flags as names joined by blanks.
    score, slot_precision, slot_recall : list of float or None
        Content score; precision and recall of the slots of a stop item.
    decision : list of str or None
        The decision as canonical text.
    stop_decision, downstream_commitment, decision_aligned : list of bool or None
        The outcome of decision alignment.
    therapy : dict of str to list
        Therapy F1 by granularity.
    """

    verdict: list[str]
    score: list[float | None]
    labels: list[str]
    flags: list[str]
    decision: list[str | None]
    stop_decision: list[bool | None]
    downstream_commitment: list[bool | None]
    decision_aligned: list[bool | None]
    slot_precision: list[float | None]
    slot_recall: list[float | None]
    therapy: dict[str, list[float | None]] = field(default_factory=dict)

    @classmethod
    def of_length(cls, n: int) -> Rows:
        """Return the columns of n responses that nothing is known of."""

        def nulls() -> list[Any]:
            return [None] * n

        return cls(
            verdict=[TECHNICAL] * n,
            score=nulls(),
            labels=[""] * n,
            flags=[""] * n,
            decision=nulls(),
            stop_decision=nulls(),
            downstream_commitment=nulls(),
            decision_aligned=nulls(),
            slot_precision=nulls(),
            slot_recall=nulls(),
            therapy={name: nulls() for name in GRANULARITIES},
        )

    def settle(self, i: int, verdict: str, content: float, labels: list[str], flags: list[str]) -> None:
        """Write what every scored response has."""
        self.verdict[i], self.score[i] = verdict, content
        if labels:
            self.labels[i] = " ".join(labels)
        if flags:
            flags.sort()
            self.flags[i] = " ".join(flags)

    def frame(self) -> pl.DataFrame:
        """Return the columns as a frame."""
        return pl.DataFrame(
            {
                "verdict": pl.Series(self.verdict, dtype=pl.String),
                "score": pl.Series(self.score, dtype=pl.Float64),
                "labels": _split(self.labels),
                "decision": pl.Series(self.decision, dtype=pl.String),
                "flags": _split(self.flags),
                "stop_decision": pl.Series(self.stop_decision, dtype=pl.Boolean),
                "downstream_commitment": pl.Series(self.downstream_commitment, dtype=pl.Boolean),
                "decision_aligned": pl.Series(self.decision_aligned, dtype=pl.Boolean),
                "slot_precision": pl.Series(self.slot_precision, dtype=pl.Float64),
                "slot_recall": pl.Series(self.slot_recall, dtype=pl.Float64),
                **{f"therapy_f1_{g}": pl.Series(v, dtype=pl.Float64) for g, v in self.therapy.items()},
            }
        )


def _split(joined: list[str]) -> pl.Series:
    """Return lists of names from names joined by blanks: building them in polars is much faster."""
    texts = pl.Series(joined, dtype=pl.String)
    return pl.select(
        pl.when(texts == "").then(pl.lit([], dtype=pl.List(pl.String))).otherwise(texts.str.split(" "))
    ).to_series()
