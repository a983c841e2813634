"""Rules on single lines of a sheet: scores and counts, N/A, tags, flags, entries of lists."""

from __future__ import annotations

import polars as pl

from analysis.scoring.rubric.faults import Faults
from analysis.scoring.rubric.lines import entries
from analysis.scoring.rubric.state import RubricState


def check_scores(found: Faults, state: RubricState) -> None:
    """Check that scores are integers of the scale or N/A, and counts integers of at least 0."""
    scale = state.rubric.scale
    is_score, value = pl.col("kind") == "score", pl.col("value")
    whole = value == value.round(0)
    found.flag(
        is_score & value.is_not_null() & ~(whole & value.is_between(scale.low, scale.high)),
        "is no score",
        column="value",
        allowed=f"integers {scale.low} to {scale.high}, or N/A with a reason",
        shown="value",
    )
    found.flag(
        is_score & value.is_null() & ~pl.col("na"),
        "has neither a score nor N/A",
        column="value",
        allowed=f"integers {scale.low} to {scale.high}, or N/A with a reason",
        shown="label",
    )
    found.flag(is_score & value.is_not_null() & pl.col("na"), "has both a score and N/A", column="label")
    found.flag(
        (pl.col("kind") == "count") & (value.is_null() | ~whole | (value < 0)),
        "is no count",
        column="value",
        allowed="an integer of at least 0",
        shown="value",
    )


def check_not_applicable(found: Faults) -> None:
    """Check that a line is N/A, with a reason, exactly where it does not apply by the key."""
    na, is_score = pl.col("na"), pl.col("kind") == "score"
    found.flag(
        na & is_score & pl.col("reason").is_null(),
        "is N/A without a reason",
        column="reason",
        allowed="any text",
    )
    found.flag(
        na & is_score & pl.col("applies") & ~pl.col("may_not_apply"),
        "is N/A although it applies to this vignette",
        column="label",
        allowed="a score: what a response omits is scored, not left out",
        shown="reason",
    )
    scored = pl.col("value").is_not_null() & is_score & ~pl.col("applies")
    found.flag(
        scored & ~pl.col("volunteers"),
        "is scored although it does not apply to this vignette",
        column="value",
        allowed="N/A with a reason",
        shown="why_not",
    )
    found.flag(
        scored & pl.col("volunteers") & pl.col("reason").is_null(),
        "is scored although the vignette does not call for it, and no reason says what the response "
        "volunteers",
        column="reason",
        allowed="a reason that quotes the claim, or N/A with a reason",
    )


def check_labels(found: Faults, state: RubricState) -> None:
    """Check that only the field's own tags stand beside a score."""
    allowed = {name: set(f.tags) for name, f in state.fields.items()}
    some = found.rows.filter(
        pl.col("kind").is_in(["score", "count"]) & ~pl.col("na") & pl.col("word").is_not_null()
    )
    distinct = some.select("criterion_id", "word").unique().rows()
    wrong = [
        (criterion, word)
        for criterion, word in distinct
        if not set(entries(word)) <= allowed.get(criterion, set())
    ]
    if wrong:
        names = pl.DataFrame(wrong, schema=["criterion_id", "word"], orient="row").with_columns(
            wrong=pl.lit(True)
        )
        bad = found.rows.select("criterion_id", "word").join(
            names, on=["criterion_id", "word"], how="left", maintain_order="left"
        )["wrong"]
        bad = bad.fill_null(False) & found.rows["kind"].is_in(["score", "count"]) & ~found.rows["na"]
        found.flag(
            bad,
            "is neither N/A nor a tag of the field",
            column="label",
            allowed="; ".join(f"{n}: {', '.join(sorted(t))}" for n, t in allowed.items() if t) or "N/A",
            shown="label",
        )


def check_flags(found: Faults, state: RubricState) -> None:
    """Check that a flag names a hazard of the key and the text that triggered it."""
    if state.rubric.flag is None:
        return
    answer = pl.col("kind").is_in(["flag", "reviewed"])
    found.flag(
        answer & ~pl.col("word").is_in(["yes", "no"]).fill_null(False),
        "is neither yes nor no",
        column="label",
        allowed="yes, no",
        shown="label",
    )
    raised = (pl.col("kind") == "flag") & (pl.col("word") == "yes")
    for name, what in (
        ("case_criterion", "the criterion of the key"),
        ("trigger", "the text that triggered it"),
    ):
        found.flag(
            raised & pl.col(name).is_null(),
            f"is a flag without {what}",
            column=name,
            allowed="text from key or response",
        )
    found.flag(
        raised & pl.col("case_criterion").is_not_null() & ~pl.col("case_criterion").is_in(pl.col("hazards")),
        "is a flag for what the key does not name",
        column="case_criterion",
        allowed="a hazard of the vignette's key: a flag is decided by a prespecified error",
        shown="case_criterion",
    )
    lowered = (pl.col("kind") == "flag") & (pl.col("word") == "no")
    found.flag(
        lowered & (pl.col("case_criterion").is_not_null() | pl.col("trigger").is_not_null()),
        "is no flag, yet names a criterion or a trigger",
        column="label",
        allowed="yes with both, or no with neither",
    )


def check_lists(found: Faults, state: RubricState) -> None:
    """Check that entries are of the key's list, and that an omission of a strict list caps the score."""
    some = found.rows.filter(pl.col("list_items").is_not_null())
    if not some.height:
        return
    wrong = []
    for item, criterion, text in some.select("item_id", "criterion_id", "list_items").unique().rows():
        field, key = state.fields.get(criterion), state.keys.get(item)
        known = key.lists.get(field.list.name, ()) if field and field.list and key else ()
        if not set(entries(text)) <= set(known):
            wrong.append((item, criterion, text))
    if wrong:
        names = pl.DataFrame(wrong, schema=["item_id", "criterion_id", "list_items"], orient="row")
        bad = found.rows.join(
            names.with_columns(wrong=pl.lit(True)),
            on=["item_id", "criterion_id", "list_items"],
            how="left",
            maintain_order="left",
        )["wrong"]
        found.flag(
            bad,
            "names what the key's list does not have",
            column="list_items",
            allowed="entries of the key's list, parted by ';'",
            shown="list_items",
        )
    found.flag(
        pl.col("list_items").is_not_null() & pl.col("cap").is_not_null() & (pl.col("value") > pl.col("cap")),
        "is above the cap although a mandatory entry of a strict list is omitted",
        column="value",
        allowed="at most the cap of the strict list: "
        + ", ".join(
            f"{n} {f.list.cap}" for n, f in state.fields.items() if f.list and f.list.cap is not None
        ),
        shown="value",
    )
