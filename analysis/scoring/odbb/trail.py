"""The audit trail: per response, every field, slot and threshold that led to its verdict."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

PHASES = ("repair", "alignment", "content", "labels", "verdict")


@dataclass
class Trail:
    """Gathers the steps of many responses.

    Parameters
    ----------
    steps : list of tuple
        Position of the response, phase, field, outcome, what was found, what the gold answer or the schema
        has, a measured value, the threshold that it was held against.
    """

    steps: list[tuple[int, str, str, str, str | None, str | None, float | None, float | None]] = field(
        default_factory=list
    )

    def add(
        self,
        response: int,
        phase: str,
        name: str,
        outcome: str,
        found: str | None = None,
        expected: str | None = None,
        value: float | None = None,
        threshold: float | None = None,
    ) -> None:
        """Add one step."""
        self.steps.append((response, phase, name, outcome, found, expected, value, threshold))

    def frame(self, keys: pl.DataFrame) -> pl.DataFrame:
        """Return the steps with the key of their response, numbered within it.

        Parameters
        ----------
        keys : pl.DataFrame
            `model`, `item_id`, `run`, one row per response in the order of their positions.
        """
        names = ("response", "phase", "field", "outcome", "found", "expected", "value", "threshold")
        types = (pl.Int64, *[pl.String] * 5, pl.Float64, pl.Float64)
        columns = zip(*self.steps, strict=True) if self.steps else ((),) * len(names)
        steps = pl.DataFrame(
            [pl.Series(n, list(c), dtype=t) for n, t, c in zip(names, types, columns, strict=True)]
        )
        # Steps of one response were added phase by phase: a stable sort brings them together.
        steps = steps.sort("response", maintain_order=True)
        key = keys.select("model", "item_id", "run")[steps["response"]]
        step = steps.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("response").alias("step"))
        return pl.concat([key, step, steps.drop("response")], how="horizontal")
