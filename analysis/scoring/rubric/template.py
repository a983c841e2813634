"""Empty scoring sheets as CSV: one row per line of the sheet, to be filled in by a rater."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from pathlib import Path

from analysis.scoring.rubric.keys import VignetteKey
from analysis.scoring.rubric.model import FieldRule
from analysis.scoring.rubric.sheets import MAIN
from analysis.scoring.rubric.state import RubricState, applies

COLUMNS = (
    "rater",
    "rater_kind",
    "round",
    "item_id",
    "model",
    "run",
    "criterion_id",
    "what",
    "score",
    "reason",
    "note",
    "error_ids",
    "list_items",
    "case_criterion",
    "trigger",
    "rated_at",
    "key_sha256",
    "anchors",
)
"""Columns of a sheet; `what` and `anchors` are for the rater and are not read back."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_template(
    path: Path,
    state: RubricState,
    responses: Iterable[tuple[str, str, int]],
    *,
    rater: str,
    rater_kind: str = "human",
    round_name: str = MAIN,
    seed: int | None = None,
) -> int:
    """Write empty sheets of a rater for some responses.

    Lines that do not apply by the key are filled in as N/A with the key's reason; a line that a response
    may make apply is left to the rater.

    Parameters
    ----------
    path : Path
        The CSV to write.
    state : RubricState
        The rubric in use, with the keys.
    responses : iterable of (str, str, int)
        Model, item and run.
    rater, rater_kind : str
        Who will fill them in.
    round_name : str
        The round.
    seed : int, optional
        Shuffle the responses, so that raters do not meet models in one order.

    Returns
    -------
    int
        How many sheets were written.
    """
    chosen = [r for r in sorted(responses) if r[1] in state.keys]
    if seed is not None:
        random.Random(seed).shuffle(chosen)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for model, item, run in chosen:
            key = state.keys[item]
            head = {
                "rater": rater,
                "rater_kind": rater_kind,
                "round": round_name,
                "item_id": item,
                "model": model,
                "run": str(run),
                "key_sha256": key.sha256,
            }
            for line in _lines(state, key):
                writer.writerow([neutral(({**head, **line}).get(column, "")) for column in COLUMNS])
    return len(chosen)


def _lines(state: RubricState, key: VignetteKey) -> Iterable[dict[str, str]]:
    rubric = state.rubric
    for domain in rubric.domains:
        for field in domain.fields:
            line = {
                "criterion_id": field.id,
                "what": f"{domain.title}: {field.title}",
                "anchors": _anchors(field),
            }
            if field.kind == "score":
                known, why = applies(rubric, field.id, key)
                if not known and not field.also_when_response:
                    line |= {"score": "N/A", "reason": why}
            if field.kind == "count" and not field.required:
                continue
            yield line
        for criterion in key.criteria:
            if criterion.domain == domain.id:
                yield {"criterion_id": criterion.id, "what": f"{domain.title}: {criterion.title}"}
    if rubric.flag:
        yield {"criterion_id": rubric.flag.id, "what": rubric.flag.title, "anchors": "yes or no"}
        if rubric.flag.reviewed_id:
            yield {
                "criterion_id": rubric.flag.reviewed_id,
                "what": "Key reviewed",
                "anchors": "yes or no",
                "score": "no",
            }


def _anchors(field: FieldRule) -> str:
    if field.kind == "count":
        return "a count"
    return " | ".join(f"{score}: {text}" for score, text in field.anchors.items())


def neutral(text: str) -> str:
    """Return text that a spreadsheet shows rather than computes.

    Examples
    --------
    >>> neutral("=1+1"), neutral("2a")
    ("'=1+1", '2a')
    """
    return f"'{text}" if text.lstrip().startswith(FORMULA_STARTS) else text
