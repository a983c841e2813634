"""Which labels a judge audit is about: references, judges, exclusions, polarities, responses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.card_episodes import AuditExclusion, JudgeAudit
from analysis.tables.data import BenchmarkData
from analysis.tables.rated import RatingMatrix

NONE = "none"
"""Name of the audit that leaves nothing out."""

NO_POLARITY = "(none)"
"""What criteria without a polarity are called."""

Mask = npt.NDArray[np.bool_]


def audits_of(data: BenchmarkData, matrix: RatingMatrix) -> dict[str, JudgeAudit]:
    """Return the card's audits, else one for each human rater that shares labels with a judge.

    Where labels of the reference are flagged, an audit without exclusions of its own gets one that
    leaves out every response with a flagged label.
    """
    audits = dict(data.card.judge_audits)
    if not audits:
        for r, rater in enumerate(matrix.raters):
            if matrix.kinds[r] == "human" and judges_of(JudgeAudit(reference=rater), matrix):
                audits[rater] = JudgeAudit(reference=rater)
    unflagged = {"unflagged responses": AuditExclusion(flagged="responses")}
    for name, audit in audits.items():
        if not audit.exclude and matrix.flagged[rater_index(matrix, audit.reference)].any():
            audits[name] = audit.model_copy(update={"exclude": unflagged})
    return audits


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


def judges_of(audit: JudgeAudit, matrix: RatingMatrix) -> list[int]:
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
