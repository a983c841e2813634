"""`judge_audit` and `judge_audit_coverage`: judges' labels against those of a reference rater.

The unit that is resampled is the response with all its criteria (or as the card says): labels of one
response are not independent of each other. An audit is what judge and reference have both labelled as
true or false; what neither of the two words covers is counted, not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.card_episodes import AuditExclusion, JudgeAudit
from analysis.schemas import JudgeAudit as JudgeAuditTable
from analysis.schemas import JudgeAuditCoverage
from analysis.seeds import generator_for
from analysis.stats.accuracy import estimate_accuracy
from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.agreement import estimate_agreement
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.rated import RatingMatrix, lay_out_ratings

NONE = "none"
"""Name of the audit that leaves nothing out."""

NO_POLARITY = "(none)"
STATISTICS = (
    "agreement",
    "kappa",
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "true_rate",
    "reference_rate",
)
Mask = npt.NDArray[np.bool_]


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


def audits_of(data: BenchmarkData, matrix: RatingMatrix) -> dict[str, JudgeAudit]:
    """Return the card's audits, else one for each human rater that shares labels with a judge.

    Where ratings are flagged, an audit without exclusions of its own gets one that leaves out every
    response with a flagged label.
    """
    audits = dict(data.card.judge_audits)
    if not audits:
        for r, rater in enumerate(matrix.raters):
            if matrix.kinds[r] == "human" and _judges(JudgeAudit(reference=rater), matrix):
                audits[rater] = JudgeAudit(reference=rater)
    if matrix.flagged.any():
        unflagged = {"unflagged responses": AuditExclusion(flagged="responses")}
        audits = {
            name: audit if audit.exclude else audit.model_copy(update={"exclude": unflagged})
            for name, audit in audits.items()
        }
    return audits


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
        for judge in _judges(audit, part):
            for excluded, keep in exclusions(audit, part, judge):
                for polarity, mask in polarities(part):
                    both = keep & mask & (part.positive[[judge, reference]] >= 0).all(axis=0)
                    if both.any():
                        group = _Group(name, reference, judge, excluded, polarity, both)
                        frames.append(_rows(data, part, group, units))
    return pl.concat(frames)


def rater_index(matrix: RatingMatrix, name: str) -> int:
    """Return the row of a rater; of one name for several kinds, the human's, then the first.

    Raises
    ------
    ValueError
        If nobody of that name rated.
    """
    if name in matrix.raters:
        return matrix.raters.index(name)
    # `lay_out_ratings` tells raters of one name and several kinds apart by adding the kind.
    kinds = sorted({"human", *matrix.kinds}, key=lambda kind: (kind != "human", kind))
    for kind in kinds:
        if f"{name} ({kind})" in matrix.raters:
            return matrix.raters.index(f"{name} ({kind})")
    raise ValueError(f"no rater {name!r}: {list(matrix.raters)}")


def _only(matrix: RatingMatrix, keep: Mask) -> RatingMatrix:
    return replace(
        matrix,
        targets=matrix.targets.filter(pl.Series(keep)),
        clusters=matrix.clusters[keep],
        **{name: getattr(matrix, name)[:, keep] for name in ("label", "value", "positive", "flagged")},
    )


def _judges(audit: JudgeAudit, matrix: RatingMatrix) -> list[int]:
    """Return the audited raters: those that the card names, else the judges with a label in common."""
    at = rater_index(matrix, audit.reference)
    reference = matrix.positive[at] >= 0
    found = []
    for r, rater in enumerate(matrix.raters):
        named = rater in audit.judges if audit.judges else matrix.kinds[r] == "judge"
        if named and r != at and np.any(reference & (matrix.positive[r] >= 0)):
            found.append(r)
    return found


def exclusions(audit: JudgeAudit, matrix: RatingMatrix, judge: int) -> Iterator[tuple[str, Mask]]:
    """Yield the names of an audit's sensitivity analyses and what each keeps, shape (N,).

    A label is flagged where the reference or the judge flagged it.
    """
    yield NONE, np.ones(matrix.targets.height, dtype=bool)
    reference = rater_index(matrix, audit.reference)
    flagged = matrix.flagged[[judge, reference]].any(axis=0)
    responses = response_codes(matrix)
    for name, rule in audit.exclude.items():
        keep = np.ones(matrix.targets.height, dtype=bool)
        if rule.flagged == "labels":
            keep &= ~flagged
        elif rule.flagged == "responses":
            keep &= ~np.isin(responses, responses[flagged])
        for column, names in (("model", rule.models), ("criterion_id", rule.criteria)):
            if names:
                keep &= ~matrix.targets[column].is_in(list(names)).fill_null(False).to_numpy()
        yield name, keep


def polarities(matrix: RatingMatrix) -> list[tuple[str, Mask]]:
    """Return `all` and, where criteria have polarities, each of them, those without one last."""
    named = matrix.targets["polarity"]
    masks = [("all", np.ones(matrix.targets.height, dtype=bool))]
    if named.null_count() < named.len():
        masks += [
            (str(p), (named == p).fill_null(False).to_numpy()) for p in named.drop_nulls().unique().sort()
        ]
        if named.null_count():
            masks.append((NO_POLARITY, named.is_null().to_numpy()))
    return masks


def response_codes(matrix: RatingMatrix) -> npt.NDArray[np.int64]:
    """Return a number for the response (model, item, run) of each target, shape (N,)."""
    response = matrix.targets.select(pl.struct("model", "item_id", "run").rank("dense").alias("r"))["r"]
    return response.to_numpy().astype(np.int64) - 1


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


def count_labels(data: BenchmarkData, matrix: RatingMatrix) -> pl.DataFrame:
    """Count what each audit rests on, by the model whose responses were rated.

    Returns
    -------
    pl.DataFrame
        Rows of the `JudgeAuditCoverage` schema.
    """
    frames: list[pl.DataFrame] = [JudgeAuditCoverage.create_empty()]
    responses = response_codes(matrix)
    model = matrix.targets["model"].fill_null("")
    for name, audit in audits_of(data, matrix).items():
        reference = rater_index(matrix, audit.reference)
        asked = _asked(data, matrix, audit.reference, matrix.kinds[reference])
        label, flagged = matrix.positive[reference] >= 0, matrix.flagged[reference]
        plain = matrix.targets["polarity"].is_null().to_numpy()
        rows = []
        for m in model.filter(pl.Series(asked)).unique().sort():
            of_model = asked & (model == m).to_numpy()
            sampled, labelled = responses[of_model], responses[of_model & label]
            rows.append(
                {
                    "audit": name,
                    "model": m,
                    "n_responses": np.unique(sampled).size,
                    "n_excluded_responses": np.setdiff1d(sampled, labelled).size,
                    "n_labels": int((of_model & label).sum()),
                    "n_flagged_labels": int((of_model & label & flagged).sum()),
                    "n_flagged_responses": np.unique(responses[of_model & label & flagged]).size,
                    "n_without_polarity": int((of_model & label & plain).sum()),
                    "n_unread": int((of_model & ~label).sum()),
                }
            )
        columns = {c: [row[c] for row in rows] for c in JudgeAuditCoverage.column_names()}
        frames.append(table_frame(JudgeAuditCoverage, columns, len(rows)))
    return pl.concat(frames)


def _asked(data: BenchmarkData, matrix: RatingMatrix, reference: str, kind: str) -> Mask:
    """Tell which targets have a row of the reference rater, with or without a label."""
    assert data.ratings is not None  # the rater is in the matrix, so there are ratings
    key = ["model", "item_id", "criterion_id"]
    mine = (pl.col("rater") == reference) & (pl.col("rater_kind") == kind)
    rows = data.ratings.filter(mine).select(*key, "run").unique()
    rows = rows.with_columns(pl.lit(True).alias("asked"))
    by_run = matrix.targets.join(rows, on=[*key, "run"], how="left", nulls_equal=True, maintain_order="left")
    # Ratings without a run are of the response's only run, which the matrix has filled in.
    loose = rows.filter(pl.col("run").is_null()).select(*key, pl.lit(True).alias("asked"))
    by_item = matrix.targets.join(loose, on=key, how="left", nulls_equal=True, maintain_order="left")
    return (by_run["asked"].fill_null(False) | by_item["asked"].fill_null(False)).to_numpy()
