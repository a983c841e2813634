"""`agreement` and `agreement_statistics`: how far two raters agree.

Pairs of raters are named so that the second is the reference where their kinds differ: a human, else
the benchmark's verdict, else a scorer. Sensitivity and specificity exist only against a reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.schemas import Agreement, AgreementStatistics
from analysis.stats.accuracy import estimate_accuracy
from analysis.stats.additive import Estimates
from analysis.stats.agreement import estimate_agreement
from analysis.stats.rank_agreement import estimate_differences
from analysis.stats.reliability import estimate_reliability
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

REPEAT = "{} (repeat)"
"""Name of a rater's second rating of the same response."""


@dataclass(frozen=True)
class _Pair:
    """Two rows of ratings to compare."""

    a: int
    b: int
    name_a: str
    name_b: str


def derive(data: BenchmarkData) -> Made:
    """Make `agreement` and `agreement_statistics`."""
    statistics = agreement_statistics(data)
    unit = f"clusters ({data.card.cluster})" if data.card.cluster else "items"
    method = (
        f"On what both have rated; bias-corrected and accelerated bootstrap over {unit}, "
        f"{data.settings.resamples:,} resamples; Wilson for shares where no two ratings share a unit"
    )
    main = f"Cohen's kappa, plain, linear and quadratic; the interval is that of the plain one. {method}"
    return {"agreement": (agreement_table(statistics), main), "agreement_statistics": (statistics, method)}


def agreement_statistics(data: BenchmarkData) -> pl.DataFrame:
    """Estimate every statistic of agreement of every pair of raters, with intervals.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, ratings included.

    Returns
    -------
    pl.DataFrame
        Rows of the `AgreementStatistics` schema; no row for a statistic that the scale does not
        have (order, yes and no, numbers), a null estimate for one that the data do not define.
    """
    matrix = lay_out_ratings(data)
    parts: list[pl.DataFrame] = [AgreementStatistics.create_empty()]
    for view, pairs in ((matrix, _pairs(matrix)), *_repeats(matrix, data)):
        units = view.resampled_units(data)
        for group, keep in criterion_groups(view):
            has = view.has_rating & keep
            for pair in pairs:
                if np.any(has[pair.a] & has[pair.b]):
                    parts.append(_pair_rows(view, pair, group, keep, units, data.settings.level))
    return pl.concat(parts)


def agreement_table(statistics: pl.DataFrame) -> pl.DataFrame:
    """Lay the main statistics of each pair of raters side by side.

    Parameters
    ----------
    statistics : pl.DataFrame
        Rows of the `AgreementStatistics` schema.

    Returns
    -------
    pl.DataFrame
        Rows of the `Agreement` schema; the interval is that of `kappa`.
    """
    key = ["rater_a", "rater_b", "criterion_group"]
    columns = [c for c in Agreement.column_names() if c not in (*key, "n", "ci_low", "ci_high")]

    def of(statistic: str, column: str, alias: str) -> pl.Expr:
        return pl.col(column).filter(pl.col("statistic") == statistic).first().alias(alias)

    return (
        statistics.group_by(key, maintain_order=True)
        .agg(
            pl.col("n").filter(pl.col("statistic") == "agreement").first(),
            *(of(name, "estimate", name) for name in columns),
            of("kappa", "ci_low", "ci_low"),
            of("kappa", "ci_high", "ci_high"),
        )
        .filter(pl.col("n").is_not_null())
        .select(Agreement.column_names())
    )


def _pairs(matrix: RatingMatrix) -> list[_Pair]:
    order = sorted(range(len(matrix.raters)), key=lambda r: (AUTHORITY[matrix.kinds[r]], matrix.raters[r]))
    return [
        _Pair(a, b, matrix.raters[a], matrix.raters[b]) for i, a in enumerate(order) for b in order[i + 1 :]
    ]


def _repeats(matrix: RatingMatrix, data: BenchmarkData) -> Iterator[tuple[RatingMatrix, list[_Pair]]]:
    """Yield the raters who rated the same response twice: their ratings run by run, as two raters.

    Ratings of several runs are repeated judgements where the verdicts have one run, or none.
    """
    key = ["model", "item_id", "criterion_id"]
    runs = data.verdicts.group_by("model", "item_id").agg(pl.len().alias("n_verdicts"))
    targets = matrix.targets.with_row_index("at").join(
        runs, on=["model", "item_id"], how="left", nulls_equal=True, maintain_order="left"
    )
    targets = targets.filter(pl.col("n_verdicts").fill_null(0) <= 1, pl.col("run").is_not_null())
    for r, name in enumerate(matrix.raters):
        rated = targets.filter(pl.Series(matrix.has_rating[r][targets["at"].to_numpy()]))
        twice = rated.sort("run").group_by(key, maintain_order=True).agg(pl.col("at").head(2))
        twice = twice.filter(pl.col("at").list.len() == 2)
        if not twice.height or matrix.kinds[r] == VERDICT:
            continue
        first, second = np.array(twice["at"].to_list(), dtype=np.int64).T
        view = RatingMatrix(
            (name, REPEAT.format(name)),
            (matrix.kinds[r],) * 2,
            matrix.targets[first.tolist()],
            matrix.labels,
            matrix.scales,
            np.stack([matrix.label[r][first], matrix.label[r][second]]),
            np.stack([matrix.value[r][first], matrix.value[r][second]]),
            np.stack([matrix.positive[r][first], matrix.positive[r][second]]),
            np.stack([matrix.flagged[r][first], matrix.flagged[r][second]]),
            matrix.clusters[first],
        )
        yield view, [_Pair(0, 1, name, REPEAT.format(name))]


def _pair_rows(
    matrix: RatingMatrix, pair: _Pair, group: str, keep: Mask, units: ResampledUnits, level: float
) -> pl.DataFrame:
    at = [pair.a, pair.b]
    label = np.where(keep[at], matrix.label[at], -1)
    value = np.where(keep[at], matrix.value[at], np.nan)
    positive = np.where(keep[at], matrix.positive[at], -1)
    kinds = matrix.kinds[pair.a], matrix.kinds[pair.b]
    found: list[Estimates] = []
    codes, positions, n_levels = _categories(label, value, matrix)
    if codes is None and np.any(np.all(positive >= 0, axis=0)):
        # Two vocabularies meet in yes and no.
        codes, n_levels = positive, 2
    if codes is not None:
        both = np.all(codes >= 0, axis=0)
        a, b = codes
        result = estimate_agreement(a, b, n_levels, units=units, level=level, positions=positions)
        weighted = ("kappa_linear", "kappa_quadratic") if positions is not None else ()
        found.append(_only(result, ("agreement", "kappa", *weighted)))
        common = np.where(both, codes, -1)
        found.append(_only(estimate_reliability(common, n_levels, units=units, level=level), ("gwet_ac1",)))
    if kinds[0] != kinds[1] and np.any(np.all(positive >= 0, axis=0)):
        found.append(estimate_accuracy(positive[0], positive[1], units=units, level=level))
    numbers = value
    if not np.any(np.all(~np.isnan(value), axis=0)) and positions is not None and codes is not None:
        numbers = np.where(codes >= 0, positions[codes], np.nan)
    if np.any(np.all(~np.isnan(numbers), axis=0)):
        found.append(estimate_differences(numbers[0], numbers[1], units=units, level=level))
    return pl.concat(
        [AgreementStatistics.create_empty(), *(_rows(pair, kinds, group, e, level) for e in found)]
    )


def _categories(
    label: npt.NDArray[np.int64], value: npt.NDArray[np.float64], matrix: RatingMatrix
) -> tuple[npt.NDArray[np.int64] | None, npt.NDArray[np.float64] | None, int]:
    """Return the codes in which ratings can be compared, the places of the categories, their number."""
    if np.any(np.all(label >= 0, axis=0)):
        return ordered_codes(np.where(np.all(label >= 0, axis=0), label, -1), matrix)
    levels = np.unique(matrix.value[~np.isnan(matrix.value)])
    if levels.size <= MAX_CATEGORIES and np.any(np.all(~np.isnan(value), axis=0)):
        codes = np.searchsorted(levels, np.nan_to_num(value, nan=levels[0]))
        return np.where(np.isnan(value), -1, codes), levels, levels.size
    return None, None, 0


def _only(result: Estimates, names: tuple[str, ...]) -> Estimates:
    at = [result.names.index(name) for name in names]
    return Estimates(
        names,
        result.estimate[at],
        result.std_error[at],
        result.ci_low[at],
        result.ci_high[at],
        result.level,
        tuple(result.method[i] for i in at),
        result.n_items,
        result.n_clusters,
    )


def _rows(pair: _Pair, kinds: tuple[str, str], group: str, result: Estimates, level: float) -> pl.DataFrame:
    columns = {
        "rater_a": pair.name_a,
        "rater_b": pair.name_b,
        "criterion_group": group,
        "statistic": list(result.names),
        "kind_a": kinds[0],
        "kind_b": kinds[1],
        "estimate": result.estimate,
        "std_error": result.std_error,
        "ci_low": result.ci_low,
        "ci_high": result.ci_high,
        "level": level,
        "method": list(result.method),
        "n": result.n_items,
        "n_units": result.n_clusters,
    }
    return table_frame(AgreementStatistics, columns, len(result.names))
