"""Flag rates with exact intervals, and what other weighting profiles would change."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.schemas import FlagRates, ProfileSensitivity
from analysis.scoring.rubric.score import composites, domain_scores, profile_weights
from analysis.stats.proportions import clopper_pearson_interval
from analysis.stats.rank_agreement import kendall_tau
from analysis.tables.data import BenchmarkData, rank_order, ranks_of, table_frame
from analysis.tables.rubric_cells import ALL, cells_of
from analysis.tables.rubric_layout import UNWEIGHTED, FloatArray, RubricLayout

RULES = ("any", "majority")


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
