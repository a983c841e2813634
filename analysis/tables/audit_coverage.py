"""`judge_audit_coverage`: what each judge audit rests on."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.schemas import JudgeAuditCoverage
from analysis.tables.audits import Mask, audits_of, rater_index, response_codes
from analysis.tables.data import BenchmarkData, table_frame
from analysis.tables.rated import RatingMatrix


def count_labels(data: BenchmarkData, matrix: RatingMatrix) -> pl.DataFrame:
    """Count what each audit rests on, by the model whose responses were rated.

    Returns
    -------
    pl.DataFrame
        Rows of the `JudgeAuditCoverage` schema.
    """
    frames: list[pl.DataFrame] = [JudgeAuditCoverage.create_empty()]
    responses = response_codes(matrix)
    model = matrix.targets["model"].fill_null("")
    for name, audit in audits_of(data, matrix).items():
        reference = rater_index(matrix, audit.reference)
        asked = _asked(data, matrix, audit.reference, matrix.kinds[reference])
        label, flagged = matrix.positive[reference] >= 0, matrix.flagged[reference]
        plain = matrix.targets["polarity"].is_null().to_numpy()
        rows = []
        for m in model.filter(pl.Series(asked)).unique().sort():
            of_model = asked & (model == m).to_numpy()
            sampled, labelled = responses[of_model], responses[of_model & label]
            rows.append(
                {
                    "audit": name,
                    "model": m,
                    "n_responses": np.unique(sampled).size,
                    "n_excluded_responses": np.setdiff1d(sampled, labelled).size,
                    "n_labels": int((of_model & label).sum()),
                    "n_flagged_labels": int((of_model & label & flagged).sum()),
                    "n_flagged_responses": np.unique(responses[of_model & label & flagged]).size,
                    "n_without_polarity": int((of_model & label & plain).sum()),
                    "n_unread": int((of_model & ~label).sum()),
                }
            )
        columns = {c: [row[c] for row in rows] for c in JudgeAuditCoverage.column_names()}
        frames.append(table_frame(JudgeAuditCoverage, columns, len(rows)))
    return pl.concat(frames)


def _asked(data: BenchmarkData, matrix: RatingMatrix, reference: str, kind: str) -> Mask:
    """Tell which targets have a row of the reference rater, with or without a label."""
    assert data.ratings is not None  # the rater is in the matrix, so there are ratings
    key = ["model", "item_id", "criterion_id"]
    mine = (pl.col("rater") == reference) & (pl.col("rater_kind") == kind)
    rows = data.ratings.filter(mine).select(*key, "run").unique()
    rows = rows.with_columns(pl.lit(True).alias("asked"))
    by_run = matrix.targets.join(rows, on=[*key, "run"], how="left", nulls_equal=True, maintain_order="left")
    # Ratings without a run are of the response's only run, which the matrix has filled in.
    loose = rows.filter(pl.col("run").is_null()).select(*key, pl.lit(True).alias("asked"))
    by_item = matrix.targets.join(loose, on=key, how="left", nulls_equal=True, maintain_order="left")
    return (by_run["asked"].fill_null(False) | by_item["asked"].fill_null(False)).to_numpy()
