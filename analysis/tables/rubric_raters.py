"""What the raters of a rubric are worth: reliability, leniency, judges, flags, correlations of domains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from analysis.schemas import JudgeAgreement, RaterSeverity, RubricReliability
from analysis.scoring.rubric.score import domain_scores
from analysis.scoring.rubric.sheets import MAIN
from analysis.seeds import generator_for
from analysis.stats.additive import Estimates
from analysis.stats.correlation import estimate_pearson
from analysis.stats.intraclass import estimate_icc
from analysis.stats.leniency import estimate_leniency
from analysis.stats.pairwise_agreement import estimate_pairwise
from analysis.stats.rank_agreement import estimate_differences
from analysis.stats.reliability import estimate_alpha
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.rubric_flags import domain_correlations, flag_agreement, floor_ceiling
from analysis.tables.rubric_layout import (
    RESPONSE,
    BoolArray,
    FloatArray,
    RubricLayout,
    lay_out_rubric,
    without_rubric,
)

ALL = "all"
SAME = "main:{}"
"""The main round on the responses of a round of calibration."""

ICC_NAMES = {"icc_a_1": "icc_2_1", "icc_a_k": "icc_2_k"}
"""McGraw and Wong's names to Shrout and Fleiss's."""


TABLES = (
    "rubric_reliability",
    "rater_severity",
    "judge_agreement",
    "flag_agreement",
    "floor_ceiling",
    "domain_correlations",
)
"""What the rule makes."""


def derive(data: BenchmarkData) -> Made:
    """Make the tables on raters."""
    nothing = without_rubric(data, *TABLES)
    if nothing is not None:
        return nothing
    layout = lay_out_rubric(data)
    unit = f"clusters ({data.card.cluster})" if data.card.cluster else "vignettes"
    how = f"bias-corrected and accelerated bootstrap over {unit}, {data.settings.resamples:,} resamples"
    return {
        "rubric_reliability": (reliability_table(data, layout), f"Lines that the key calls for; {how}"),
        "rater_severity": (severity_table(data, layout), f"Least squares, line + rater; {how}"),
        "judge_agreement": (judge_table(data, layout), f"Against the mean of the human raters; {how}"),
        "flag_agreement": (flag_agreement(data, layout), f"Clopper-Pearson; kappa: {how}"),
        "floor_ceiling": (floor_ceiling(data, layout), how),
        "domain_correlations": (domain_correlations(data, layout), f"Over responses; {how}"),
    }


def rubric_units(data: BenchmarkData, clusters: np.ndarray) -> ResampledUnits:
    """Return the resamples of the vignettes (or clusters) that responses lie in."""
    return ResampledUnits.create(
        clusters.size,
        rng=generator_for(data.settings.seed, "resample", "rubric", "raters"),
        n_resamples=data.settings.resamples,
        clusters=clusters,
    )


def rater_scores(layout: RubricLayout) -> dict[tuple[str, str], FloatArray]:
    """Return every rater's sub-dimensions and domains, each of shape (raters, R).

    Only lines that the key calls for enter: what single raters find a response to volunteer would have
    them compared on unlike lines. Lines outside the means are sub-dimensions too; criteria of single
    vignettes enter domains only.
    """
    each = np.stack([layout.prespecified(layout.of_rater(r)) for r in range(len(layout.raters))])
    domains = domain_scores(each, layout.plan)
    out = {("subdimension", name): each[:, :, f] for f, name in enumerate(layout.common_lines)}
    return out | {("domain", name): domains[:, :, d] for d, name in enumerate(layout.plan.domains)}


def reliability_table(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Estimate reliability by round, kind of rater, sub-dimension and domain.

    Returns
    -------
    pl.DataFrame
        Rows of the `RubricReliability` schema: `main`, every round of calibration, and the main round on
        the responses of each, so that before and after rest on the same responses.
    """
    assert data.sheets is not None
    parts = [RubricReliability.create_empty(), *_reliability(data, layout, MAIN, None)]
    for name in sorted(set(data.sheets["round"].unique()) - {MAIN}):
        before = lay_out_rubric(data, name)
        parts += _reliability(data, before, name, None)
        own = layout.responses.select(RESPONSE).join(
            before.responses.select(*RESPONSE, pl.lit(True).alias("own")),
            on=RESPONSE,
            how="left",
            maintain_order="left",
        )["own"]
        parts += _reliability(data, layout, SAME.format(name), own.fill_null(False).to_numpy())
    return pl.concat(parts)


def _groups(layout: RubricLayout) -> Iterator[tuple[str, BoolArray]]:
    """Yield groups of at least two raters: each kind, and all where there are several kinds."""
    kinds = np.array(layout.kinds)
    for kind in layout.present_kinds:
        if np.count_nonzero(kinds == kind) > 1:
            yield kind, kinds == kind
    if len(layout.present_kinds) > 1:
        yield ALL, np.ones(kinds.size, dtype=bool)


def _reliability(
    data: BenchmarkData, layout: RubricLayout, name: str, only: BoolArray | None
) -> Iterator[pl.DataFrame]:
    keep = np.ones(layout.responses.height, dtype=bool) if only is None else only
    if not keep.any():
        return
    units = rubric_units(data, layout.clusters(data)[keep])
    scores = rater_scores(layout)
    for group, members in _groups(layout):
        for (unit, score), table in scores.items():
            own = table[members][:, keep]
            own = own[~np.isnan(own).all(axis=1)]
            if own.shape[0] < 2 or not np.any(np.count_nonzero(~np.isnan(own), axis=0) >= 2):
                continue
            head = {"round": name, "raters": group, "unit": unit, "name": score, "n_raters": own.shape[0]}
            level = data.settings.level
            for found in (
                estimate_pairwise(own, units=units, level=level, step=_step(layout)),
                estimate_alpha(own, "ordinal", units=units, level=level),
                estimate_icc(own, units=units, level=level),
            ):
                yield _estimate_rows(RubricReliability, head, found, ICC_NAMES)


def _step(layout: RubricLayout) -> float:
    """Return one step of the scale; where a domain is a share of points, a tenth of it."""
    return 1.0 if layout.plan.points is None else 0.1


def _estimate_rows(
    schema: type[RubricReliability] | type[JudgeAgreement],
    head: dict[str, object],
    found: Estimates,
    names: dict[str, str],
) -> pl.DataFrame:
    """Return the rows of some statistics: of two-way correlations only those of absolute agreement."""
    at = [i for i, n in enumerate(found.names) if n in names or not n.startswith("icc_")]
    columns = {
        **head,
        "statistic": [names.get(found.names[i], found.names[i]) for i in at],
        "estimate": found.estimate[at],
        "std_error": found.std_error[at],
        "ci_low": found.ci_low[at],
        "ci_high": found.ci_high[at],
        "level": found.level,
        "n": found.n_items,
        "n_units": found.n_clusters,
    }
    return table_frame(schema, columns, len(at))


def severity_table(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Estimate every rater's leniency, over all lines and in every domain.

    Returns
    -------
    pl.DataFrame
        Rows of the `RaterSeverity` schema.
    """
    plan = layout.plan
    each = np.stack([layout.prespecified(layout.of_rater(r)) for r in range(len(layout.raters))])
    kinds = np.array(layout.kinds)
    reference = (
        kinds == "human" if np.count_nonzero(kinds == "human") > 1 else np.ones(kinds.size, dtype=bool)
    )
    clusters = layout.clusters(data)
    parts: list[pl.DataFrame] = [RaterSeverity.create_empty()]
    domains = [
        (ALL, plan.in_mean),
        *((d, plan.in_mean & (plan.domain == i)) for i, d in enumerate(plan.domains)),
    ]
    for name, lines in domains:
        values = each[:, :, lines]
        if np.isnan(values).all():
            continue
        flat = values.reshape(len(layout.raters), -1)
        units = rubric_units(data, np.repeat(clusters, int(lines.sum())))
        found = estimate_leniency(flat, reference, units=units, level=data.settings.level)
        has = ~np.isnan(flat)
        shared = has & (has.sum(axis=0) >= 2)
        columns = {
            "name": name,
            "rater": list(layout.raters),
            "rater_kind": list(layout.kinds),
            "leniency": found.estimate,
            "std_error": found.std_error,
            "ci_low": found.ci_low,
            "ci_high": found.ci_high,
            "level": data.settings.level,
            "n_ratings": has.sum(axis=1),
            "n_shared": shared.sum(axis=1),
            "n_units": found.n_clusters,
        }
        parts.append(table_frame(RaterSeverity, columns, len(layout.raters)))
    return pl.concat(parts)


def judge_table(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Correlate every judge with the mean of the human raters.

    Returns
    -------
    pl.DataFrame
        Rows of the `JudgeAgreement` schema; none without humans and judges.
    """
    parts: list[pl.DataFrame] = [JudgeAgreement.create_empty()]
    if not {"human", "judge"} <= set(layout.kinds):
        return parts[0]
    kinds, level = np.array(layout.kinds), data.settings.level
    units = rubric_units(data, layout.clusters(data))
    for (unit, name), table in rater_scores(layout).items():
        people = table[kinds == "human"]
        n = np.count_nonzero(~np.isnan(people), axis=0)
        mean = np.divide(np.nansum(people, axis=0), n, out=np.full(n.shape, np.nan), where=n > 0)
        for r in np.flatnonzero(kinds == "judge"):
            if not np.any(~np.isnan(mean) & ~np.isnan(table[r])):
                continue
            head: dict[str, object] = {"judge": layout.raters[r], "unit": unit, "name": name}
            for found in (
                estimate_pearson(table[r], mean, units=units, level=level),
                estimate_differences(table[r], mean, units=units, level=level),
            ):
                parts.append(_estimate_rows(JudgeAgreement, head, found, {}))
    return pl.concat(parts)
