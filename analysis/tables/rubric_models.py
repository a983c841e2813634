"""`rubric_models`, `rubric_tests`, `flag_rates`, `profile_sensitivity`: models compared by rubric scores.

Composites are compared within a comparability class and nowhere else. Sub-dimensions and domains are also
compared over all classes: on every vignette both models are scored on the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.schemas import FlagRates, ProfileSensitivity, RubricModels, RubricTests
from analysis.scoring.rubric.score import composites, domain_scores, profile_weights
from analysis.seeds import generator_for
from analysis.stats.bootstrap import bootstrap_means
from analysis.stats.letters import compact_letters
from analysis.stats.multiplicity import bonferroni, holm
from analysis.stats.paired import compare_pairs
from analysis.stats.proportions import clopper_pearson_interval
from analysis.stats.rank_agreement import kendall_tau
from analysis.stats.ranks import rank_intervals
from analysis.stats.tiers import adjacent_tiers
from analysis.tables.data import BenchmarkData, Made, rank_order, ranks_of, table_frame
from analysis.tables.rubric_layout import (
    UNWEIGHTED,
    BoolArray,
    FloatArray,
    RubricLayout,
    item_units,
    lay_out_rubric,
    without_rubric,
)

ALL = "all"
RULES = ("any", "majority")


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
    pairs = f"Paired by vignette ({kinds}); Holm over the pairs of a class, kind of rater and score"
    declared = layout.state.declaration_sha256[:12]
    return {
        "rubric_models": (models, f"{means}; {pairs}; declaration {declared}"),
        "rubric_tests": (tests, pairs),
        "flag_rates": (flag_rates(data, layout), "Clopper-Pearson over responses"),
        "profile_sensitivity": (profile_sensitivity(layout), f"Mean composites; declaration {declared}"),
    }


@dataclass(frozen=True)
class Cells:
    """Scores of M models on N vignettes, runs averaged.

    Parameters
    ----------
    models, items : tuple of str
        In code-point order.
    values : ndarray of float, shape (M, N)
        NaN where a model has no score.
    runs : ndarray of float, shape (R, M, N)
        Scores of single runs.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    values: FloatArray
    runs: FloatArray


def cells_of(responses: pl.DataFrame, score: FloatArray) -> Cells:
    """Lay the scores of responses out; responses without a score are left out."""
    known = responses.select("model", "item_id", "run").with_columns(score=pl.Series(score))
    known = known.filter(pl.Series(~np.isnan(score))).sort("model", "item_id", "run")
    models, items = known["model"].unique().sort(), known["item_id"].unique().sort()
    nth = known.select(pl.int_range(pl.len()).over("model", "item_id")).to_series().to_numpy()
    row = known["model"].replace_strict({m: i for i, m in enumerate(models)}, return_dtype=pl.Int64)
    column = known["item_id"].replace_strict({m: i for i, m in enumerate(items)}, return_dtype=pl.Int64)
    runs = np.full((int(nth.max(initial=0)) + 1, models.len(), items.len()), np.nan)
    runs[nth, row.to_numpy(), column.to_numpy()] = known["score"].to_numpy()
    n = (~np.isnan(runs)).sum(axis=0)
    mean = np.divide(np.nansum(runs, axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
    return Cells(tuple(models), tuple(items), mean, runs)


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


def flag_rates(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Return how many of each model's responses are flagged, with exact intervals.

    Returns
    -------
    pl.DataFrame
        Rows of the `FlagRates` schema, by class and over all, by kind of rater and rule.
    """
    parts: list[pl.DataFrame] = [FlagRates.create_empty()]
    if not layout.flags:
        return parts[0]
    classes = layout.responses["comparability"]
    for kind in layout.present_kinds:
        for rule in RULES:
            answered = layout.responses.select("model", "comparability").with_columns(
                flagged=pl.Series(layout.flagged(kind, rule))
            )
            answered = answered.filter(pl.col("flagged") >= 0)
            for name in [ALL, *classes.unique().sort()]:
                own = answered if name == ALL else answered.filter(pl.col("comparability") == name)
                counts = (
                    own.group_by("model")
                    .agg(pl.len().alias("n"), pl.col("flagged").sum().alias("yes"))
                    .sort("model")
                )
                if not counts.height:
                    continue
                yes, n = counts["yes"].to_numpy(), counts["n"].to_numpy()
                limits = clopper_pearson_interval(yes, n, level=data.settings.level)
                columns = {
                    "comparability": name,
                    "raters": kind,
                    "rule": rule,
                    "model": counts["model"],
                    "n_responses": n,
                    "n_flagged": yes,
                    "rate": yes / n,
                    "ci_low": limits.low,
                    "ci_high": limits.high,
                    "level": data.settings.level,
                    "declared": rule == layout.state.use.flagged_by,
                }
                parts.append(table_frame(FlagRates, columns, counts.height))
    return pl.concat(parts)


def profile_sensitivity(layout: RubricLayout) -> pl.DataFrame:
    """Rank the models of every class under every weighting profile.

    Returns
    -------
    pl.DataFrame
        Rows of the `ProfileSensitivity` schema.
    """
    parts: list[pl.DataFrame] = [ProfileSensitivity.create_empty()]
    classes = layout.responses["comparability"]
    task_of = dict(layout.responses.select("comparability", "task_type").unique().iter_rows())
    for kind in layout.present_kinds:
        values = layout.prespecified(layout.of_kind(kind)[0])
        domains = domain_scores(values, layout.plan)
        for name in classes.unique().sort():
            own = (classes == name).to_numpy()
            declared = layout.state.profile_of(task_of[name]) or UNWEIGHTED
            profiles = [UNWEIGHTED, *layout.state.rubric.profiles]
            means = {}
            for profile in profiles:
                weights = None if profile == UNWEIGHTED else profile_weights(layout.state, profile)
                score = np.where(own, composites(values, domains, layout.plan, weights), np.nan)
                means[profile] = _means(layout.responses, score)
            for profile, estimate in means.items():
                parts.append(_profile_rows(name, kind, profile, declared, estimate, means[declared]))
    return pl.concat(parts)


def _means(responses: pl.DataFrame, score: FloatArray) -> dict[str, float]:
    cells = cells_of(responses, score)
    n = (~np.isnan(cells.values)).sum(axis=1)
    return dict(zip(cells.models, (np.nansum(cells.values, axis=1) / n).tolist(), strict=True))


def _profile_rows(
    name: str, kind: str, profile: str, declared: str, estimate: dict[str, float], reference: dict[str, float]
) -> pl.DataFrame:
    models = sorted(estimate.keys() | reference.keys())
    common = [m for m in models if m in estimate and m in reference]
    ranks, before = (_ranks({m: e[m] for m in common}) for e in (estimate, reference))
    tau = np.nan
    if len(common) > 1:
        # Rounded as ranks are, so that noise of 1e-17 makes no order.
        pair = [np.round([e[m] for m in common], 12) for e in (reference, estimate)]
        tau = float(kendall_tau(*pair))
    columns = {
        "comparability": name,
        "raters": kind,
        "profile": profile,
        "model": models,
        "declared": profile == declared,
        "estimate": pl.Series([estimate.get(m) for m in models], dtype=pl.Float64),
        "rank": pl.Series([ranks.get(m) for m in models], dtype=pl.Int64),
        "rank_declared": pl.Series([before.get(m) for m in models], dtype=pl.Int64),
        "shift": pl.Series([before[m] - ranks[m] if m in ranks else None for m in models], dtype=pl.Int64),
        "tau": tau,
    }
    return table_frame(ProfileSensitivity, columns, len(models))


def _ranks(estimate: dict[str, float]) -> dict[str, int]:
    models = sorted(estimate)
    places = ranks_of(rank_order(np.array([estimate[m] for m in models])))
    return dict(zip(models, places.tolist(), strict=True))
