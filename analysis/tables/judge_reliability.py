"""`judge_reliability`: judges against themselves, against humans, and humans among themselves.

Everything is compared judgement by judgement on what both sides judged, and as means over what both
judged in a session. The humans' consensus is what more than half of them say; where a human judged only
what the others differ on, that one adjudicates and is no party to the humans' own agreement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from analysis.schemas import JudgeReliability
from analysis.seeds import generator_for
from analysis.stats.additive import Estimates
from analysis.stats.agreement import estimate_agreement
from analysis.stats.rank_agreement import estimate_differences
from analysis.stats.reliability import estimate_reliability
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.session_matrix import without

SESSION = ["model", "case_id", "run"]
JUDGED = [*SESSION, "target", "dimension"]
CONSENSUS = "consensus"

MAX_LEVELS = 12
"""More distinct values than this are no categories: there is no kappa."""

MOST_WORK = 400_000_000
"""Judgements times resamples up to which all resamples are taken for the correlation."""

FEWEST = 200
"""Never fewer resamples than this."""


@dataclass(frozen=True)
class _Comparison:
    """Two columns of values of the same judgements, as `first` and `second`."""

    comparison: str
    rater_a: str
    rater_b: str
    rows: pl.DataFrame
    n_unresolved: int = 0


def derive(data: BenchmarkData) -> Made:
    """Make `judge_reliability`."""
    if "session_judgements" not in data.sessions:
        return without("judge_reliability")
    method = (
        "Spearman's correlation, differences, Cohen's kappa (quadratic weights by the values of the scale) "
        "and Fleiss' kappa; bias-corrected and accelerated bootstrap over cases, "
        f"{data.settings.resamples:,} resamples"
    )
    return {"judge_reliability": (assess_judges(data), method)}


def assess_judges(data: BenchmarkData) -> pl.DataFrame:
    """Compare raters of the sessions, metric by metric.

    Returns
    -------
    pl.DataFrame
        Rows of the `JudgeReliability` schema; none where nobody judged anything twice.
    """
    judgements = data.sessions["session_judgements"]
    parts: list[pl.DataFrame] = [JudgeReliability.create_empty()]
    for (metric,), rows in judgements.sort("metric", *JUDGED, "rater", "repeat").group_by(
        "metric", maintain_order=True
    ):
        levels = np.unique(rows["value"].to_numpy())
        for one in comparisons(rows):
            parts += _describe(data, str(metric), one, levels)
        parts += _together(data, str(metric), rows, levels)
    return pl.concat(parts)


def comparisons(rows: pl.DataFrame) -> Iterator[_Comparison]:
    """Yield every comparison of two columns of judgements of one metric."""
    for (rater,), own in rows.group_by("rater", maintain_order=True):
        repeats = own["repeat"].unique().sort().to_list()
        pairs = [
            _paired(own.filter(pl.col("repeat") == a), own.filter(pl.col("repeat") == b))
            for a, b in combinations(repeats, 2)
        ]
        if pairs:
            name = "repeat" if own["rater_kind"][0] == "judge" else "human_repeat"
            yield _Comparison(name, str(rater), str(rater), pl.concat(pairs))
    first = rows.filter(pl.col("repeat") == 0)
    humans = first.filter(pl.col("rater_kind") == "human")
    judges = first.filter(pl.col("rater_kind") == "judge")
    consensus, unresolved = agree(humans)
    for judge in judges["rater"].unique(maintain_order=True).sort():
        own = judges.filter(pl.col("rater") == judge)
        both = unresolved.join(own, on=JUDGED, how="semi").height
        yield _Comparison("judge_human", judge, CONSENSUS, _paired(own, consensus), both)
    parties = sorted(set(humans["rater"]) - set(adjudicators(humans)))
    for kind, part, raters in (
        ("human_human", humans, parties),
        ("judge_judge", judges, sorted(judges["rater"].unique())),
    ):
        for a, b in combinations(raters, 2):
            yield _Comparison(
                kind, a, b, _paired(part.filter(pl.col("rater") == a), part.filter(pl.col("rater") == b))
            )


def adjudicators(humans: pl.DataFrame) -> list[str]:
    """Return the humans who judged only what at least two others judged differently.

    Their judgements are chosen by disagreement, so agreement with them says nothing.
    """
    out = []
    raters = sorted(humans["rater"].unique())
    for rater in raters if len(raters) > 2 else []:
        own = humans.filter(pl.col("rater") == rater).select(JUDGED)
        others = humans.filter(pl.col("rater") != rater)
        contested = others.group_by(JUDGED).agg(pl.col("value").n_unique().alias("n"), pl.len().alias("by"))
        contested = contested.filter(pl.col("n") > 1, pl.col("by") > 1)
        if own.join(contested, on=JUDGED, how="anti").is_empty():
            out.append(rater)
    return out


def agree(humans: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the humans' consensus on each judgement, and the judgements without one.

    An adjudicator's word counts; else what more than half say.
    """
    final = adjudicators(humans)
    said = humans.filter(pl.col("rater").is_in(final))
    rest = humans.filter(~pl.col("rater").is_in(final)).join(said, on=JUDGED, how="anti")
    pool = pl.concat([said, rest])
    counted = pool.group_by(*JUDGED, "value").len()
    total = counted.group_by(JUDGED).agg(pl.col("len").sum().alias("total"))
    counted = counted.join(total, on=JUDGED)
    agreed = counted.filter(pl.col("len") * 2 > pl.col("total")).select(*JUDGED, "value").sort(JUDGED)
    return agreed, total.join(agreed, on=JUDGED, how="anti").sort(JUDGED)


def _paired(first: pl.DataFrame, second: pl.DataFrame) -> pl.DataFrame:
    """Return what both judged, with both values."""
    a, b = (
        part.select(*JUDGED, pl.col("value").alias(c)) for part, c in ((first, "first"), (second, "second"))
    )
    return a.join(b, on=JUDGED, how="inner", maintain_order="left").sort(JUDGED)


def _describe(data: BenchmarkData, metric: str, one: _Comparison, levels: np.ndarray) -> list[pl.DataFrame]:
    """Return the rows of one comparison, by judgement and by session."""
    rows, found = one.rows, []
    if rows.is_empty():
        return []
    units, n_cases = _units(data, rows)
    a, b = rows["first"].to_numpy(), rows["second"].to_numpy()
    if levels.size <= MAX_LEVELS:
        first, second = (np.searchsorted(levels, values).astype(np.int64) for values in (a, b))
        kappas = estimate_agreement(
            first, second, int(levels.size), units=units, level=data.settings.level, positions=levels
        )
        wanted = ("agreement", "kappa") + (("kappa_quadratic",) if levels.size > 2 else ())
        found.append(_rows(metric, "judgement", one, kappas, wanted, n_cases, levels.size))
    names = ("spearman", "mean_difference", "mean_absolute_difference")
    sizes = estimate_differences(a, b, units=_fewer(data, rows), level=data.settings.level)
    found.append(_rows(metric, "judgement", one, sizes, names, n_cases, levels.size))
    by_session = rows.group_by(SESSION, maintain_order=True).agg(pl.col("first", "second").sort().mean())
    if by_session.height < rows.height:
        n_levels = np.unique(by_session.select("first", "second").to_numpy()).size
        sizes = estimate_differences(
            by_session["first"].to_numpy(),
            by_session["second"].to_numpy(),
            units=_fewer(data, by_session),
            level=data.settings.level,
        )
        found.append(_rows(metric, "session", one, sizes, names, n_cases, n_levels))
    return found


def _together(data: BenchmarkData, metric: str, rows: pl.DataFrame, levels: np.ndarray) -> list[pl.DataFrame]:
    """Return Fleiss' kappa of all humans and of all judges, where there are at least two."""
    if levels.size > MAX_LEVELS:
        return []
    first = rows.filter(pl.col("repeat") == 0)
    out = []
    for kind, name in (("human", "humans"), ("judge", "judges")):
        part = first.filter(pl.col("rater_kind") == kind)
        part = part.filter(~pl.col("rater").is_in(adjudicators(part) if kind == "human" else []))
        raters = sorted(part["rater"].unique())
        if len(raters) < 2:
            continue
        targets = part.select(JUDGED).unique().sort(JUDGED)
        codes = np.full((len(raters), targets.height), -1, dtype=np.int64)
        for r, rater in enumerate(raters):
            own = part.filter(pl.col("rater") == rater).select(*JUDGED, "value")
            values = targets.join(own, on=JUDGED, how="left", maintain_order="left")["value"]
            has = values.is_not_null().to_numpy()
            codes[r, has] = np.searchsorted(levels, values.drop_nulls().to_numpy())
        units, n_cases = _units(data, targets)
        found = estimate_reliability(codes, int(levels.size), units=units, level=data.settings.level)
        one = _Comparison(name, "", "", targets)
        out.append(_rows(metric, "judgement", one, found, ("fleiss_kappa",), n_cases, levels.size))
    return out


def _units(
    data: BenchmarkData, rows: pl.DataFrame, n_resamples: int | None = None
) -> tuple[ResampledUnits, int]:
    """Return the cases, or their declared clusters, as units of the rows, and the number of cases."""
    unit = rows["case_id"]
    if data.card.cluster is not None:
        of = data.items.select(
            pl.col("item_id").alias("case_id"), pl.col(data.card.cluster).cast(pl.String).alias("unit")
        )
        joined = rows.select("case_id").join(of, on="case_id", how="left", maintain_order="left")
        unit = joined.select(pl.coalesce("unit", "case_id")).to_series()
    codes = (unit.rank("dense").cast(pl.Int64) - 1).to_numpy()
    units = ResampledUnits.create(
        rows.height,
        rng=generator_for(data.settings.seed, "resample", "judged"),
        n_resamples=n_resamples or data.settings.resamples,
        clusters=codes,
    )
    return units, rows["case_id"].n_unique()


def _fewer(data: BenchmarkData, rows: pl.DataFrame) -> ResampledUnits:
    """Return units with fewer resamples where ranking every one of them anew would take too long."""
    most = max(FEWEST, MOST_WORK // max(rows.height, 1))
    return _units(data, rows, min(data.settings.resamples, most))[0]


def _rows(
    metric: str,
    unit: str,
    one: _Comparison,
    found: Estimates,
    names: Sequence[str],
    n_cases: int,
    n_levels: int,
) -> pl.DataFrame:
    at = [found.names.index(name) for name in names]
    columns = {
        "metric": metric,
        "unit": unit,
        "comparison": one.comparison,
        "rater_a": one.rater_a,
        "rater_b": one.rater_b,
        "statistic": list(names),
        **{c: getattr(found, c)[at] for c in ("estimate", "std_error", "ci_low", "ci_high")},
        "level": found.level,
        "n": found.n_items,
        "n_cases": n_cases,
        "n_levels": int(n_levels),
        "n_unresolved": one.n_unresolved,
    }
    return table_frame(JudgeReliability, columns, len(names))
