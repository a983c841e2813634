"""`rubric_models`, `rubric_tests`, `flag_rates`, `profile_sensitivity`: models compared by rubric scores.

Composites are compared within a comparability class and nowhere else. Sub-dimensions and domains are also
compared over all classes: on every vignette both models are scored on the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.schemas import RubricModels, RubricTests
from analysis.seeds import generator_for
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.letters import compact_letters
from analysis.stats.multiplicity import bonferroni, holm
from analysis.stats.paired import compare_pairs
from analysis.stats.ranks import rank_intervals
from analysis.stats.tiers import adjacent_tiers
from analysis.tables.data import BenchmarkData, Made, rank_order, table_frame
from analysis.tables.rubric_cells import ALL, Cells, cells_of
from analysis.tables.rubric_layout import (
    BoolArray,
    FloatArray,
    RubricLayout,
    item_units,
    lay_out_rubric,
    without_rubric,
)
from analysis.tables.rubric_profiles import flag_rates, profile_sensitivity

TABLES = (
    "rubric_models",
    "rubric_tests",
    "flag_rates",
    "profile_sensitivity",
)
"""What the rule makes."""


def derive(data: BenchmarkData) -> Made:
    """Make the tables that compare models."""
    nothing = without_rubric(data, *TABLES)
    if nothing is not None:
        return nothing
    layout = lay_out_rubric(data)
    unit = f"clusters ({data.card.cluster})" if data.card.cluster else "vignettes"
    models, tests = compare_models(data, layout)
    kinds = ", ".join(sorted(tests["method"].unique())) or "no pair"
    means = f"Mean over vignettes; joint bootstrap over {unit}, {data.settings.resamples:,} resamples"
    adjusted = "neighbours in rank Bonferroni, other pairs Holm, within class and score"
    pairs = f"Paired by vignette ({kinds}); {adjusted}"
    declared = layout.state.declaration_sha256[:12]
    return {
        "rubric_models": (models, f"{means}; {pairs}; declaration {declared}"),
        "rubric_tests": (tests, pairs),
        "flag_rates": (flag_rates(data, layout), "Clopper-Pearson over responses"),
        "profile_sensitivity": (profile_sensitivity(layout), f"Mean composites; declaration {declared}"),
    }


def compare_models(data: BenchmarkData, layout: RubricLayout) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Estimate every model's scores and test every pair of models.

    Returns
    -------
    pl.DataFrame, pl.DataFrame
        Rows of the `RubricModels` and of the `RubricTests` schema.
    """
    models: list[pl.DataFrame] = [RubricModels.create_empty()]
    tests: list[pl.DataFrame] = [RubricTests.create_empty()]
    for kind in layout.present_kinds:
        values, _ = layout.of_kind(kind)
        alike = layout.prespecified(values)
        everything, same = layout.units(values), layout.units(alike)
        flagged = layout.flagged(kind, layout.state.use.flagged_by)
        for name, (unit, score_name), own in _families(layout, list(same)):
            score = np.where(own, same[unit, score_name], np.nan)
            keep = ~np.isnan(score)
            if not keep.any():
                continue
            cells = cells_of(layout.responses, score)
            beyond = np.nan_to_num(everything[unit, score_name]) != np.nan_to_num(score)
            head = {"comparability": name, "raters": kind, "unit": unit, "name": score_name}
            made = _compare(data, cells, head)
            counts = _counts(layout, keep, flagged == 1, beyond & keep)
            models.append(
                made[0]
                .drop("n_responses", "n_flagged", "n_volunteered")
                .join(counts, on="model", how="left", maintain_order="left")
                .select(RubricModels.column_names())
            )
            tests.append(made[1])
    return pl.concat(models), pl.concat(tests)


def _families(
    layout: RubricLayout, units: list[tuple[str, str]]
) -> Iterator[tuple[str, tuple[str, str], BoolArray]]:
    """Yield what is compared: class, score, and which responses are in it."""
    every = np.ones(layout.responses.height, dtype=bool)
    classes = layout.responses["comparability"]
    for unit in units:
        if unit[0] != "composite":
            yield ALL, unit, every
    for name in classes.unique().sort():
        own = (classes == name).to_numpy()
        for unit in units:
            if unit[0] != "subdimension":
                yield name, unit, own


def _counts(layout: RubricLayout, keep: BoolArray, flagged: BoolArray, beyond: BoolArray) -> pl.DataFrame:
    frame = pl.DataFrame({"model": layout.responses["model"], "flagged": flagged, "beyond": beyond})
    return (
        frame.filter(pl.Series(keep))
        .group_by("model")
        .agg(
            pl.len().cast(pl.Int64).alias("n_responses"),
            pl.col("flagged").sum().cast(pl.Int64).alias("n_flagged"),
            pl.col("beyond").sum().cast(pl.Int64).alias("n_volunteered"),
        )
    )


def _compare(data: BenchmarkData, cells: Cells, head: dict[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    settings, names = data.settings, np.array(cells.models, dtype=object)
    units = item_units(pl.Series("item_id", cells.items, dtype=pl.String), data)
    # Items are their own units unless the card declares clusters: the kernels are then told none.
    clusters = units if data.card.cluster else None

    def rng() -> np.random.Generator:
        return generator_for(settings.seed, "resample", "rubric", head["comparability"])

    means = bootstrap_means(cells.values, rng=rng(), n_resamples=settings.resamples, clusters=clusters)
    limits = means.interval(settings.level)
    order = rank_order(means.estimate)
    upper, lower = np.triu_indices(len(order), 1)
    pairs = np.column_stack([order[upper], order[lower]])
    result = compare_pairs(
        cells.values,
        pairs=pairs,
        rng=rng(),
        n_resamples=settings.resamples,
        n_permutations=settings.permutations,
        level=settings.level,
        clusters=clusters,
        matched_runs=cells.runs if cells.runs.shape[0] > 1 else None,
    )
    adjacent = lower == upper + 1
    p_adjacent = np.where(adjacent, result.p_value, np.nan)
    p_bonferroni, p_holm = bonferroni(p_adjacent), holm(result.p_value)
    m = int(np.isfinite(p_adjacent).sum())
    with np.errstate(invalid="ignore"):
        significant = np.where(adjacent, p_adjacent < settings.alpha / max(m, 1), p_holm < settings.alpha)
    difference = np.round(result.difference, 15) + 0.0
    tests = table_frame(
        RubricTests,
        {
            **head,
            "model_a": names[pairs[:, 0]].tolist(),
            "model_b": names[pairs[:, 1]].tolist(),
            "difference": difference,
            "ci_low": result.ci_low,
            "ci_high": result.ci_high,
            "n_items": result.n_items,
            "n_better": result.n_better,
            "n_worse": result.n_worse,
            "p_value": result.p_value,
            "method": result.method.tolist(),
            "adjacent": adjacent,
            "p_bonferroni": p_bonferroni,
            "p_holm": p_holm,
            "significant": significant.astype(bool),
        },
        len(pairs),
    )
    tiers = adjacent_tiers(p_adjacent[adjacent], difference[adjacent], alpha=settings.alpha)
    differs, sign = _square(len(order), upper, lower, p_holm < settings.alpha, difference)
    rank_low, rank_high = rank_intervals(differs, sign)
    table = table_frame(
        RubricModels,
        {
            **head,
            "model": names[order].tolist(),
            "rank": np.arange(1, len(order) + 1),
            "estimate": means.estimate[order],
            "ci_low": limits.ci_low[order],
            "ci_high": limits.ci_high[order],
            "level": settings.level,
            "n_items": means.n_items[order],
            "n_units": means.n_clusters[order],
            "tier": tiers.tier,
            "letters": compact_letters(differs),
            "rank_low": rank_low,
            "rank_high": rank_high,
            "n_responses": 0,
            "n_flagged": 0,
            "n_volunteered": 0,
        },
        len(order),
    )
    return table, tests


def _square(
    n: int,
    upper: npt.NDArray[np.intp],
    lower: npt.NDArray[np.intp],
    differs: BoolArray,
    difference: FloatArray,
) -> tuple[BoolArray, FloatArray]:
    """Return decisions and signs of pairs as matrices in rank order."""
    decided, sign = np.zeros((n, n), dtype=bool), np.zeros((n, n))
    decided[upper, lower] = decided[lower, upper] = np.nan_to_num(differs).astype(bool)
    sign[upper, lower] = np.sign(np.nan_to_num(difference))
    sign[lower, upper] = -sign[upper, lower]
    return decided, sign
