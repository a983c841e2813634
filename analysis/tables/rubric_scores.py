"""`rubric_scores` and what describes them: every response's scores, applicability, classes, keys, flags."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.schemas import RubricScores
from analysis.scoring.rubric.score import composites, domain_scores
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.rubric_described import (
    applicability_table,
    classes_table,
    distribution_table,
    flags_table,
    vignettes_table,
)
from analysis.tables.rubric_layout import (
    RESPONSE,
    UNWEIGHTED,
    WEIGHTED,
    FloatArray,
    RubricLayout,
    lay_out_rubric,
    without_rubric,
)

TABLES = (
    "rubric_scores",
    "applicability",
    "rubric_classes",
    "rubric_vignettes",
    "safety_flags",
    "rubric_distribution",
)
"""What the rule makes."""


def derive(data: BenchmarkData) -> Made:
    """Make the tables of scores and of what they rest on."""
    nothing = without_rubric(data, *TABLES)
    if nothing is not None:
        return nothing
    layout = lay_out_rubric(data)
    rubric = layout.state.rubric
    how = (
        f"{rubric.id} {rubric.version} ({rubric.source}); declaration {layout.state.declaration_sha256[:12]}"
    )
    mean = (
        "mean of applicable sub-dimensions, then of applicable domains"
        if rubric.aggregation == "domain_means"
        else "points met over the positive points of applicable criteria"
    )
    return {
        "rubric_scores": (scores_table(layout), f"Raters of a kind averaged; {mean}; {how}"),
        "applicability": (applicability_table(layout), f"By the vignettes' keys and the sheets; {how}"),
        "rubric_classes": (classes_table(layout), f"Task type and applicability by the keys; {how}"),
        "rubric_vignettes": (vignettes_table(data, layout), "The keys, their hashes and times"),
        "safety_flags": (
            flags_table(layout),
            "Flags of the main round; low safety scores without a reviewed key",
        ),
        "rubric_distribution": (distribution_table(layout), "Single ratings of the main round, not averaged"),
    }


def scores_table(layout: RubricLayout) -> pl.DataFrame:
    """Return every response's scores, by kind of rater.

    Returns
    -------
    pl.DataFrame
        Rows of the `RubricScores` schema: sub-dimensions, domains, composites, counts and options.
    """
    parts: list[pl.DataFrame] = [RubricScores.create_empty()]
    for kind in layout.present_kinds:
        values, n = layout.of_kind(kind)
        n_raters = layout.n_sheets(kind)
        rated = n_raters > 0
        alike = layout.prespecified(values)
        everything, same = layout.units(values), layout.units(alike)
        flagged = layout.flagged(kind, layout.state.use.flagged_by)
        for (unit, name), score in everything.items():
            counts = n[:, layout.plan.fields.index(name)] if unit == "subdimension" else n_raters
            parts.append(_rows(layout, kind, unit, name, score, same[unit, name], counts, flagged, rated))
        parts.append(_criteria(layout, kind, values, n, flagged))
        for (unit, name), (score, counts) in _counts(layout, kind).items():
            parts.append(_rows(layout, kind, unit, name, score, score, counts, flagged, rated))
    return pl.concat(parts)


def _rows(
    layout: RubricLayout,
    kind: str,
    unit: str,
    name: str,
    score: FloatArray,
    alike: FloatArray,
    n_raters: np.ndarray,
    flagged: np.ndarray,
    rated: np.ndarray,
) -> pl.DataFrame:
    applies = ~np.isnan(score)
    differs = applies & ~(np.nan_to_num(score, nan=-1.0) == np.nan_to_num(alike, nan=-1.0))
    responses = layout.responses
    frame = table_frame(
        RubricScores,
        {
            **{c: responses[c] for c in RESPONSE},
            "raters": kind,
            "unit": unit,
            "name": name,
            "score": score,
            "score_prespecified": alike,
            "applies": applies,
            "volunteered": differs,
            "n_raters": np.where(applies, n_raters, 0),
            "task_type": responses["task_type"],
            "comparability": responses["comparability"],
            "flagged": _answers(flagged),
        },
        responses.height,
    )
    return frame if rated.all() else frame.filter(pl.Series(rated))


def _criteria(
    layout: RubricLayout, kind: str, values: FloatArray, n: np.ndarray, flagged: np.ndarray
) -> pl.DataFrame:
    """Return the scores of criteria of single vignettes: rows of their own vignettes only."""
    first = len(layout.common_lines)
    at, line = np.nonzero(~np.isnan(values[:, first:]))
    responses = layout.responses[at.tolist()]
    score = values[at, first + line]
    columns = {
        **{c: responses[c] for c in (*RESPONSE, "task_type", "comparability")},
        "raters": kind,
        "unit": "subdimension",
        "name": pl.Series([layout.plan.fields[first + i] for i in line.tolist()], dtype=pl.String),
        "score": score,
        "score_prespecified": score,
        "applies": True,
        "volunteered": False,
        "n_raters": n[at, first + line],
        "flagged": _answers(flagged[at]),
    }
    return table_frame(RubricScores, columns, responses.height)


def _answers(flagged: np.ndarray) -> pl.Series:
    """Return 1, 0 and -1 as true, false and null."""
    return pl.Series([None if f < 0 else bool(f) for f in flagged.tolist()], dtype=pl.Boolean)


def _counts(layout: RubricLayout, kind: str) -> dict[tuple[str, str], tuple[FloatArray, np.ndarray]]:
    """Return mean counts per response, and the options that the card switches on."""
    rubric = layout.state.rubric
    names = [name for name, f in rubric.fields.items() if f.kind == "count"]
    own = layout.sheets.filter((pl.col("rater_kind") == kind) & pl.col("criterion_id").is_in(names))
    out: dict[tuple[str, str], tuple[FloatArray, np.ndarray]] = {}
    for name in names:
        rows = own.filter((pl.col("criterion_id") == name) & pl.col("value").is_not_null())
        # Counts are integers: their sums do not depend on the order.
        sums = rows.group_by(RESPONSE).agg(pl.col("value").sum().alias("total"), pl.len().alias("n"))
        joined = layout.responses.select(RESPONSE).join(sums, on=RESPONSE, how="left", maintain_order="left")
        n = joined["n"].fill_null(0).to_numpy().astype(np.int64)
        mean = joined["total"].cast(pl.Float64).to_numpy() / np.where(n > 0, n, 1)
        if n.any():
            out["count", name] = np.where(n > 0, mean, np.nan), n
    for option in layout.state.use.options:
        rule = rubric.options[option]
        if all(("count", name) in out for name in rule.minus):
            found = [(out["count", name], penalty) for name, penalty in rule.minus.items()]
            lost = sum(
                (values * penalty for (values, _), penalty in found), np.zeros(layout.responses.height)
            )
            out["option", option] = np.maximum(rule.floor, rule.start - lost), found[0][0][1]
    return out


def composites_under(layout: RubricLayout, values: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the composites of responses under any weights, shape (R,)."""
    return composites(values, domain_scores(values, layout.plan), layout.plan, weights)


__all__ = ["UNWEIGHTED", "WEIGHTED", "composites_under", "derive", "scores_table"]
