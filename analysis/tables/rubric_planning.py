"""`variance_components` and `decision_study`: how many vignettes and raters a stated reliability needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from analysis.schemas import DecisionStudy
from analysis.schemas import VarianceComponents as ComponentRows
from analysis.scoring.rubric.score import composites, domain_scores
from analysis.stats.generalizability import COMPONENTS, VarianceComponents, variance_components
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.rubric_layout import (
    UNWEIGHTED,
    WEIGHTED,
    BoolArray,
    FloatArray,
    RubricLayout,
    lay_out_rubric,
    without_rubric,
)
from analysis.tables.rubric_raters import rater_scores

ALL = "all"
TARGETS = (0.7, 0.8, 0.9)
"""Reliabilities for which the least number of vignettes is found."""

RATERS = (1, 2, 3, 5, 10)
VIGNETTES = (5, 10, 20, 50, 100, 200)


TABLES = (
    "variance_components",
    "decision_study",
)
"""What the rule makes."""


def derive(data: BenchmarkData) -> Made:
    """Make `variance_components` and `decision_study`."""
    nothing = without_rubric(data, *TABLES)
    if nothing is not None:
        return nothing
    layout = lay_out_rubric(data)
    components: list[pl.DataFrame] = [ComponentRows.create_empty()]
    study: list[pl.DataFrame] = [DecisionStudy.create_empty()]
    for head, found in designs(layout):
        components.append(_component_rows(head, found))
        study.append(_study_rows(head, found))
    method = "Mean squares of models x vignettes x raters, on vignettes that all raters scored for all models"
    return {
        "variance_components": (pl.concat(components), method),
        "decision_study": (pl.concat(study), f"{method}; models' means over random vignettes and raters"),
    }


def designs(layout: RubricLayout) -> Iterator[tuple[dict[str, str], VarianceComponents]]:
    """Yield the variance components of every sub-dimension, domain and (within a class) composite.

    Only complete crossed designs have them: at least two models, vignettes and raters of a kind.
    """
    kinds = np.array(layout.kinds)
    every = np.ones(layout.responses.height, dtype=bool)
    scores = rater_scores(layout)
    made = [(ALL, unit, name, table, every) for (unit, name), table in scores.items()]
    classes = layout.responses["comparability"]
    each = np.stack([layout.prespecified(layout.of_rater(r)) for r in range(len(layout.raters))])
    domains = domain_scores(each, layout.plan)
    totals = {UNWEIGHTED: composites(each, domains, layout.plan)}
    if layout.state.use.profiles:
        totals[WEIGHTED] = composites(each, domains, layout.plan, layout.declared_weights[None])
    for label in classes.unique().sort():
        own = (classes == label).to_numpy()
        made += [(label, "composite", name, table, own) for name, table in totals.items()]
    for kind in layout.present_kinds:
        for label, unit, name, table, own in made:
            cube = _complete(layout, table[kinds == kind], own)
            if cube is not None:
                head = {"comparability": label, "raters": kind, "unit": unit, "name": name}
                yield head, variance_components(cube)


def _complete(layout: RubricLayout, table: FloatArray, own: BoolArray) -> FloatArray | None:
    """Return scores of shape (models, vignettes, raters) on what is complete; None where too little is.

    Runs of a response are averaged.
    """
    responses = layout.responses.with_columns(at=pl.int_range(pl.len())).filter(pl.Series(own))
    models, items = responses["model"].unique().sort(), responses["item_id"].unique().sort()
    row = responses["model"].replace_strict({m: i for i, m in enumerate(models)}, return_dtype=pl.Int64)
    column = responses["item_id"].replace_strict({m: i for i, m in enumerate(items)}, return_dtype=pl.Int64)
    values = table[:, responses["at"].to_numpy()]
    total = np.zeros((models.len(), items.len(), table.shape[0]))
    n = np.zeros_like(total)
    for r in range(table.shape[0]):
        known = ~np.isnan(values[r])
        at = row.to_numpy()[known], column.to_numpy()[known]
        np.add.at(total[..., r], at, values[r][known])
        np.add.at(n[..., r], at, 1.0)
    # A rater or a model without any score leaves the design; then vignettes with a gap do.
    raters, kept = n.any(axis=(0, 1)), n.any(axis=(1, 2))
    total, n = total[kept][:, :, raters], n[kept][:, :, raters]
    full = (n > 0).all(axis=(0, 2)) if n.size else np.zeros(items.len(), dtype=bool)
    if min(total.shape[0], total.shape[2], int(full.sum())) < 2:
        return None
    cube: FloatArray = total[:, full] / n[:, full]
    return cube


def _component_rows(head: dict[str, str], found: VarianceComponents) -> pl.DataFrame:
    total = float(found.variance.sum())
    columns = {
        **head,
        "component": list(COMPONENTS),
        "variance": found.variance,
        "raw": found.raw,
        "share": found.variance / total if total > 0 else np.full(len(COMPONENTS), np.nan),
        "n_models": found.n_models,
        "n_items": found.n_vignettes,
        "n_raters": found.n_raters,
    }
    return table_frame(ComponentRows, columns, len(COMPONENTS))


def _study_rows(head: dict[str, str], found: VarianceComponents) -> pl.DataFrame:
    numbers: dict[tuple[int, int], tuple[float | None, float | None]] = {}
    for raters in sorted({*RATERS, found.n_raters}):
        numbers |= {(raters, vignettes): (None, None) for vignettes in {*VIGNETTES, found.n_vignettes}}
    # One number may serve several targets: the highest is what it reaches.
    for target in TARGETS:
        for raters in sorted({*RATERS, found.n_raters}):
            vignettes = found.vignettes_needed(target, raters)
            if vignettes is not None:
                numbers[raters, vignettes] = target, numbers.get((raters, vignettes), (None, None))[1]
        needed = found.raters_needed(target, found.n_vignettes)
        if needed is not None:
            key = needed, found.n_vignettes
            numbers[key] = numbers.get(key, (None, None))[0], target
    keys = sorted(numbers)
    n_raters, n_items = (np.array(side) for side in zip(*keys, strict=True))
    generalizability, dependability = found.reliability(n_items, n_raters)
    columns = {
        **head,
        "n_raters": n_raters,
        "n_items": n_items,
        "generalizability": generalizability,
        "dependability": dependability,
        "target": pl.Series([numbers[k][0] for k in keys], dtype=pl.Float64),
        "target_raters": pl.Series([numbers[k][1] for k in keys], dtype=pl.Float64),
        "observed": (n_raters == found.n_raters) & (n_items == found.n_vignettes),
    }
    return table_frame(DecisionStudy, columns, len(keys))
