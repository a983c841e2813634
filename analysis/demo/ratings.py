"""Simulated ratings of a sample of responses: two clinicians on a part, a judge model on all of it."""

from __future__ import annotations

import numpy as np
import polars as pl

SCALE = ("incorrect", "partial", "correct")

JUDGED_PER_MODEL = 80
REVIEWED_PER_MODEL = 30

CONFUSION = {
    "clinician-a": ((0.97, 0.03, 0.00), (0.04, 0.91, 0.05), (0.00, 0.04, 0.96)),
    "clinician-b": ((0.95, 0.05, 0.00), (0.02, 0.81, 0.17), (0.00, 0.03, 0.97)),
    "judge-lumen": ((0.80, 0.16, 0.04), (0.12, 0.62, 0.26), (0.01, 0.09, 0.90)),
}
"""Probability of each label (columns) given the verdict (rows).

The second clinician and the judge are lenient towards partial answers.
"""


def simulate_ratings(verdicts: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Draw ratings of a sample of scored responses.

    Parameters
    ----------
    verdicts : polars.DataFrame
        All verdicts.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    polars.DataFrame
        `model`, `item_id`, `run`, `rater`, `rater_kind`, `label`, `flagged`: the judge on 80 responses of
        every model, the clinicians on the first 30 of these but for a few on which one abstained.
    """
    parts = []
    scored = verdicts.filter(pl.col("verdict").is_in(SCALE))
    for _, rows in scored.group_by("model", maintain_order=True):
        sample = rows[rng.permutation(rows.height)[:JUDGED_PER_MODEL].tolist()]
        truth = np.array([SCALE.index(v) for v in sample["verdict"]])
        for rater, confusion in CONFUSION.items():
            human = rater.startswith("clinician")
            cumulative = np.cumsum(np.array(confusion), axis=1)[truth]
            drawn = (rng.random((len(truth), 1)) > cumulative).sum(axis=1).clip(0, 2)
            abstained = human & (rng.random(len(truth)) < 0.02)
            flagged = ~np.full(len(truth), human) & (rng.random(len(truth)) < 0.03)
            ratings = sample.select("model", "item_id", "run").with_columns(
                rater=pl.lit(rater),
                rater_kind=pl.lit("human" if human else "judge"),
                label=pl.Series([SCALE[d] for d in drawn]),
                flagged=pl.Series(flagged),
            )
            kept = np.arange(len(truth)) < (REVIEWED_PER_MODEL if human else JUDGED_PER_MODEL)
            parts.append(ratings.filter(pl.Series(kept & ~abstained)))
    together: pl.DataFrame = pl.concat(parts)
    return together.sort("rater", "model", "item_id", "run")
