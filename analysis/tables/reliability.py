"""`reliability` and `raters`: how far all raters of a kind agree, and what each of them rated."""

from __future__ import annotations

import numpy as np
import polars as pl

from analysis.schemas import Raters, Reliability
from analysis.stats.additive import Estimates
from analysis.stats.intraclass import estimate_icc
from analysis.stats.reliability import estimate_alpha, estimate_reliability
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.rated import (
    AUTHORITY,
    MAX_CATEGORIES,
    VERDICT,
    Mask,
    RatingMatrix,
    criterion_groups,
    lay_out_ratings,
    ordered_codes,
)


def derive(data: BenchmarkData) -> Made:
    """Make `reliability` and `raters`."""
    method = (
        "Fleiss' kappa, Gwet's AC1, Krippendorff's alpha and intraclass correlations; bias-corrected and "
        f"accelerated bootstrap over {data.card.cluster or 'items'}, {data.settings.resamples:,} resamples"
    )
    return {"reliability": (reliability_table(data), method), "raters": (raters_table(data), "Exact counts")}


def reliability_table(data: BenchmarkData) -> pl.DataFrame:
    """Estimate the agreement of all raters of a kind, and of all raters, beyond chance.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, ratings included.

    Returns
    -------
    pl.DataFrame
        Rows of the `Reliability` schema; none for a kind with a single rater.
    """
    matrix = lay_out_ratings(data)
    units = matrix.resampled_units(data)
    kinds = np.array(matrix.kinds, dtype=object)
    people = kinds != VERDICT
    groups = [("all", people), *((kind, kinds == kind) for kind in sorted(AUTHORITY) if kind != VERDICT)]
    parts: list[pl.DataFrame] = [Reliability.create_empty()]
    for name, members in groups:
        if members.sum() < 2 or (name != "all" and members.sum() == people.sum()):
            continue
        for group, keep in criterion_groups(matrix):
            parts += _reliability_rows(matrix, name, members, group, keep, units, data.settings.level)
    return pl.concat(parts)


def raters_table(data: BenchmarkData) -> pl.DataFrame:
    """Describe each rater: what was rated, how often yes, and whether the verdict is that rater's own.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, ratings included.

    Returns
    -------
    pl.DataFrame
        Rows of the `Raters` schema.
    """
    matrix = lay_out_ratings(data)
    known = data.verdicts.select("model", "item_id").unique().with_columns(pl.lit(True).alias("known"))
    joined = matrix.targets.join(known, on=["model", "item_id"], how="left", maintain_order="left")
    unknown = (joined["known"].is_null() & joined["model"].is_not_null()).to_numpy()
    rows = []
    for r, (name, kind) in enumerate(zip(matrix.raters, matrix.kinds, strict=True)):
        has = matrix.has_rating[r]
        rated = matrix.targets.filter(pl.Series(has))
        yes_no = matrix.positive[r][matrix.positive[r] >= 0]
        numbers = matrix.value[r][~np.isnan(matrix.value[r])]
        rows.append(
            {
                "rater": name,
                "rater_kind": kind,
                "n_ratings": int(has.sum()),
                "n_items": rated["item_id"].n_unique(),
                "n_models": rated["model"].drop_nulls().n_unique(),
                "n_criteria": rated["criterion_id"].drop_nulls().n_unique(),
                "n_categories": int(np.unique(matrix.label[r][matrix.label[r] >= 0]).size),
                "n_flagged": int((matrix.flagged[r] & has).sum()),
                "n_without_verdict": int((unknown & has).sum()),
                "share_positive": float(yes_no.mean()) if yes_no.size else None,
                "mean_value": float(numbers.mean()) if numbers.size else None,
                "is_verdict": _is_verdict(matrix, r),
            }
        )
    columns = {name: [row[name] for row in rows] for name in Raters.column_names()}
    return table_frame(Raters, columns, len(rows))


def _is_verdict(matrix: RatingMatrix, r: int) -> bool:
    """Tell whether the recorded verdict never differs from this rater's yes and no."""
    if VERDICT not in matrix.kinds or matrix.kinds[r] == VERDICT:
        return False
    own, verdict = matrix.positive[r], matrix.positive[matrix.kinds.index(VERDICT)]
    both = (own >= 0) & (verdict >= 0)
    return bool(both.sum() >= 20 and np.all(own[both] == verdict[both]) and np.ptp(own[both]) > 0)


def _reliability_rows(
    matrix: RatingMatrix,
    name: str,
    members: Mask,
    group: str,
    keep: Mask,
    units: ResampledUnits,
    level: float,
) -> list[pl.DataFrame]:
    label = np.where(keep, matrix.label, -1)[members]
    value = np.where(keep, matrix.value, np.nan)[members]
    twice_label = np.any(np.count_nonzero(label >= 0, axis=0) >= 2)
    twice_value = np.any(np.count_nonzero(~np.isnan(value), axis=0) >= 2)
    found: list[Estimates] = []
    if twice_label:
        codes, positions, n_levels = ordered_codes(label, matrix)
        found.append(estimate_reliability(codes, n_levels, units=units, level=level))
        places = np.arange(n_levels) if positions is None else positions
        numbers = np.where(codes >= 0, places[codes], np.nan)
        found.append(estimate_alpha(numbers, "nominal", units=units, level=level))
        if positions is not None:
            found.append(estimate_alpha(numbers, "ordinal", units=units, level=level))
    elif twice_value:
        levels = np.unique(matrix.value[~np.isnan(matrix.value)])
        if levels.size <= MAX_CATEGORIES:
            codes = np.where(
                np.isnan(value), -1, np.searchsorted(levels, np.nan_to_num(value, nan=levels[0]))
            )
            found.append(estimate_reliability(codes, levels.size, units=units, level=level))
            found.append(estimate_alpha(value, "nominal", units=units, level=level))
        found.append(estimate_alpha(value, "ordinal", units=units, level=level))
        found.append(estimate_alpha(value, "interval", units=units, level=level))
    if twice_value:
        found.append(estimate_icc(value, units=units, level=level))
    used = (label >= 0) if twice_label else ~np.isnan(value)
    return [
        table_frame(
            Reliability,
            {
                "raters": name,
                "criterion_group": group,
                "statistic": list(e.names),
                "n_raters": int(used.any(axis=1).sum()),
                "n_ratings": int(used.sum()),
                "estimate": e.estimate,
                "std_error": e.std_error,
                "ci_low": e.ci_low,
                "ci_high": e.ci_high,
                "level": level,
                "n": e.n_items,
                "n_units": e.n_clusters,
            },
            len(e.names),
        )
        for e in found
    ]
