"""What each line of a sheet is, and which lines a vignette's sheets have by its key."""

from __future__ import annotations

import polars as pl

from analysis.scoring.rubric.state import RubricState, applies


def plan_lines(state: RubricState) -> pl.DataFrame:
    """Return which score lines each vignette's sheets have, and whether they apply by the key.

    Returns
    -------
    pl.DataFrame
        `item_id`, `criterion_id`, `applies`, `why_not`, `by_response`: whether a response can make
        the line apply.
    """
    rubric = state.rubric
    # Many vignettes share their conditions: the answer is worked out once for each set of them.
    known: dict[tuple[object, ...], list[tuple[str, bool, str, bool]]] = {}
    rows: list[tuple[str, str, bool, str, bool]] = []
    for key in state.keys.values():
        facts = (key.features, tuple(sorted(key.not_elicited.items())))
        if facts not in known:
            known[facts] = [
                (name, *applies(rubric, name, key), bool(rubric.fields[name].also_when_response))
                for name in rubric.scored
            ]
        rows += [(key.item_id, *line) for line in known[facts]]
        rows += [(key.item_id, criterion.id, True, "", False) for criterion in key.criteria]
    schema = {
        "item_id": pl.String,
        "criterion_id": pl.String,
        "applies": pl.Boolean,
        "why_not": pl.String,
        "by_response": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def line_kinds(state: RubricState) -> pl.DataFrame:
    """Return what each line of a sheet is."""
    rows: list[tuple[str, str, bool, int | None, bool]] = [
        (name, f.kind, f.may_not_apply, f.list.cap if f.list else None, bool(f.also_when_response))
        for name, f in state.fields.items()
    ]
    flag = state.rubric.flag
    if flag:
        rows.append((flag.id, "flag", False, None, False))
        if flag.reviewed_id:
            rows.append((flag.reviewed_id, "reviewed", False, None, False))
    schema = {
        "criterion_id": pl.String,
        "kind": pl.String,
        "may_not_apply": pl.Boolean,
        "cap": pl.Float64,
        "volunteers": pl.Boolean,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def key_facts(state: RubricState) -> pl.DataFrame:
    """Return what rules need of each key: its time, its hash and its hazards."""
    rows = [
        (k.item_id, k.prespecified_at, k.sha256, [h.id for h in k.hazards or ()]) for k in state.keys.values()
    ]
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "item_id": pl.String,
        "prespecified_at": pl.Datetime("us"),
        "locked": pl.String,
        "hazards": pl.List(pl.String),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def entries(text: str) -> list[str]:
    """Return the entries of a text that parts them by semicolons.

    Examples
    --------
    >>> entries("association; counterfactual ;")
    ['association', 'counterfactual']
    """
    return [part.strip() for part in text.split(";") if part.strip()]
