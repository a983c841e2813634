"""`judge_audit` and `judge_audit_coverage`: judges' labels against those of a reference rater.

The unit that is resampled is the response with all its criteria (or as the card says): labels of one
response are not independent of each other. An audit is what judge and reference have both labelled as
true or false; what neither of the two words covers is counted, not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from analysis.card_episodes import JudgeAudit
from analysis.schemas import JudgeAudit as JudgeAuditTable
from analysis.seeds import generator_for
from analysis.stats.accuracy import estimate_accuracy
from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.agreement import estimate_agreement
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.audit_coverage import count_labels
from analysis.tables.audits import (
    NONE,
    Mask,
    audits_of,
    exclusions,
    judges_of,
    polarities,
    rater_index,
    response_codes,
)
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.rated import RatingMatrix, lay_out_ratings

STATISTICS = (
    "agreement",
    "kappa",
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "true_rate",
    "reference_rate",
)


def derive(data: BenchmarkData) -> Made:
    """Make `judge_audit` and `judge_audit_coverage`."""
    matrix = lay_out_ratings(data)
    method = (
        "On what judge and reference have both labelled true or false; bias-corrected and accelerated "
        f"bootstrap over responses (or as the card says), {data.settings.resamples:,} resamples"
    )
    return {
        "judge_audit": (audit_judges(data, matrix), method),
        "judge_audit_coverage": (count_labels(data, matrix), "Exact counts of the reference rater's labels"),
    }


def audit_judges(data: BenchmarkData, matrix: RatingMatrix) -> pl.DataFrame:
    """Estimate how well each judge's labels match the reference, by polarity and with exclusions.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, ratings included.
    matrix : RatingMatrix
        The ratings, laid out.

    Returns
    -------
    pl.DataFrame
        Rows of the `JudgeAudit` schema; null where the labels at hand do not define a statistic, with
        the reason.
    """
    frames: list[pl.DataFrame] = [JudgeAuditTable.create_empty()]
    for name, audit in audits_of(data, matrix).items():
        # What another rater's audit covers is no unit of this one.
        part = _only(matrix, matrix.positive[rater_index(matrix, audit.reference)] >= 0)
        reference = rater_index(part, audit.reference)
        units = _units(data, part, name, audit)
        for judge in judges_of(audit, part):
            for excluded, keep in exclusions(audit, part, judge):
                for polarity, mask in polarities(part):
                    both = keep & mask & (part.positive[[judge, reference]] >= 0).all(axis=0)
                    if both.any():
                        group = _Group(name, reference, judge, excluded, polarity, both)
                        frames.append(_rows(data, part, group, units))
    return pl.concat(frames)


def _only(matrix: RatingMatrix, keep: Mask) -> RatingMatrix:
    return replace(
        matrix,
        targets=matrix.targets.filter(pl.Series(keep)),
        clusters=matrix.clusters[keep],
        **{name: getattr(matrix, name)[:, keep] for name in ("label", "value", "positive", "flagged")},
    )


def _units(data: BenchmarkData, matrix: RatingMatrix, name: str, audit: JudgeAudit) -> ResampledUnits:
    if audit.resample == "response":
        codes = response_codes(matrix)
    elif audit.resample == "item":
        codes = matrix.targets["item_id"].rank("dense").to_numpy().astype(np.int64) - 1
    else:
        codes = matrix.clusters
    return ResampledUnits.create(
        matrix.targets.height,
        rng=generator_for(data.settings.seed, "judge audit", name),
        n_resamples=data.settings.resamples,
        clusters=codes,
    )


@dataclass(frozen=True)
class _Group:
    """The labels that a group of rows of the table is about."""

    audit: str
    reference: int
    judge: int
    excluded: str
    polarity: str
    both: Mask


def _rows(data: BenchmarkData, matrix: RatingMatrix, group: _Group, units: ResampledUnits) -> pl.DataFrame:
    both = group.both
    a, b = (np.where(both, matrix.positive[r], -1) for r in (group.judge, group.reference))
    level = data.settings.level
    rates = np.stack([both, a == 1, b == 1]).astype(np.float64)
    boot = bootstrap_sums(units.totals(rates), lambda s: s[..., 1:] / s[..., :1], units.draws)
    n, n_true = int(both.sum()), int((b == 1).sum())
    found: dict[str, _Value] = {}
    for result in (
        estimate_agreement(a, b, 2, units=units, level=level),
        estimate_accuracy(a, b, units=units, level=level),
        Estimates.from_bootstrap(("true_rate", "reference_rate"), boot, level, n),
    ):
        for i, name in enumerate(result.names):
            found[name] = _Value(result.estimate[i], result.ci_low[i], result.ci_high[i], result.method[i])
    values = [found[name] for name in STATISTICS]
    notes = [_note(name, v, n_true, n, boot.n_units) for name, v in zip(STATISTICS, values, strict=True)]
    columns = {
        "audit": group.audit,
        "judge": matrix.raters[group.judge],
        "excluded": group.excluded,
        "polarity": group.polarity,
        "statistic": list(STATISTICS),
        "reference": matrix.raters[group.reference],
        "n": n,
        "n_responses": int(np.unique(response_codes(matrix)[both]).size),
        "n_units": boot.n_units,
        "n_true": n_true,
        "estimate": [v.estimate for v in values],
        "ci_low": [v.low for v in values],
        "ci_high": [v.high for v in values],
        "level": level,
        "method": [NONE if np.isnan(v.low) else v.method for v in values],
        "note": notes,
    }
    return table_frame(JudgeAuditTable, columns, len(STATISTICS))


@dataclass(frozen=True)
class _Value:
    """A statistic with its interval."""

    estimate: float
    low: float
    high: float
    method: str


def _note(name: str, value: _Value, n_true: int, n: int, n_units: int) -> str:
    """Return why a value or an interval does not exist; empty where it does."""
    if np.isnan(value.estimate):
        if name in ("sensitivity", "balanced_accuracy") and n_true == 0:
            return "The reference calls nothing true."
        if name in ("specificity", "balanced_accuracy") and n_true == n:
            return "The reference calls everything true."
        return "Judge and reference both use one and the same label throughout."
    if np.isnan(value.low):
        return (
            "One unit only: nothing to resample."
            if n_units < 2
            else "Resamples do not differ, or too many leave it undefined."
        )
    return ""
