"""What a scoring sheet must keep to: the paper's rules on scores, N/A, flags, keys and completeness.

Every fault names rater, vignette, model and sub-dimension. A fault concerns a row, but a sheet with a
hole has another mean: a lenient run therefore sets the whole sheet aside.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from analysis.ingest.checks import RowChecks
from analysis.scoring.rubric.sheets import MAIN, NOT_APPLICABLE, SHEET
from analysis.scoring.rubric.state import RubricState, applies

LINE = (*SHEET, "criterion_id")
MAX_WORDS = 240
"""Characters of a place that a message shows: rater, vignette, model and sub-dimension."""


def check_sheets(checks: RowChecks, frame: pl.DataFrame, state: RubricState) -> pl.DataFrame:
    """Check typed rows of sheets against rubric, keys and declaration.

    Parameters
    ----------
    checks : RowChecks
        Takes up what is wrong.
    frame : pl.DataFrame
        Rows as `normalise_sheets` returns them.
    state : RubricState
        The rubric in use.

    Returns
    -------
    pl.DataFrame
        The rows with `applicable`: false where the sheet says N/A.
    """
    plan = plan_lines(state)
    rows = frame.with_columns(pl.col("label").str.strip_chars().str.to_lowercase().alias("word"))
    rows = rows.join(_line_kinds(state), on="criterion_id", how="left", maintain_order="left")
    rows = rows.join(plan, on=["item_id", "criterion_id"], how="left", maintain_order="left")
    rows = rows.join(_key_facts(state), on="item_id", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("word").is_in(NOT_APPLICABLE).fill_null(False).alias("na"))
    found = _Faults(checks, rows)
    _identity(found, state)
    _scores(found, state)
    _not_applicable(found)
    _labels(found, state)
    _flags(found, state)
    _lists(found, state)
    _times(found, state)
    _completeness(found, state, plan)
    _parts(found, state)
    _whole_sheets(checks, rows)
    return frame.with_columns((~rows["na"]).alias("applicable"))


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


class _Faults:
    """Flags rows with a message that names rater, vignette, model and sub-dimension."""

    def __init__(self, checks: RowChecks, rows: pl.DataFrame) -> None:
        self.checks, self.rows = checks, rows

    def flag(
        self,
        bad: pl.Expr | pl.Series,
        message: str,
        *,
        column: str,
        allowed: str = "",
        hint: str = "",
        shown: str = "",
    ) -> None:
        """Flag the rows for which `bad` holds; null counts as not."""
        mask = (self.rows.select(bad.alias("bad"))["bad"] if isinstance(bad, pl.Expr) else bad).fill_null(
            False
        )
        if not mask.any():
            return
        # Words are put together for the flagged rows only.
        at = mask.arg_true().head(200)
        some = self.rows[at.to_list()].select(
            pl.format(
                "rater {}, vignette {}, model {}, {}",
                *(pl.col(c).fill_null("?") for c in ("rater", "item_id", "model", "criterion_id")),
            ).alias("who"),
            (
                pl.col(shown).cast(pl.String).fill_null("empty") if shown else pl.lit(None, dtype=pl.String)
            ).alias("got"),
        )
        words = some.select(
            pl.when(pl.col("got").is_null()).then("who").otherwise(pl.format("{}: {}", "who", "got"))
        )
        values = (
            pl.Series([None], dtype=pl.String).new_from_index(0, mask.len()).scatter(at, words.to_series())
        )
        self.checks.flag(
            mask, message, column=column, values=values, allowed=allowed, hint=hint, width=MAX_WORDS
        )


def _line_kinds(state: RubricState) -> pl.DataFrame:
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


def _key_facts(state: RubricState) -> pl.DataFrame:
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


def _identity(found: _Faults, state: RubricState) -> None:
    found.flag(
        pl.col("kind").is_null() & pl.col("criterion_id").is_not_null(),
        "is no line of the rubric",
        column="criterion_id",
        allowed=_some(_line_kinds(state)["criterion_id"].to_list()),
    )
    found.flag(
        pl.col("prespecified_at").is_null() & pl.col("item_id").is_not_null(),
        "has no key: it was not prespecified",
        column="item_id",
        allowed=f"a vignette of {state.use.vignettes}",
    )
    if state.rubric.item_criteria:
        # A criterion of one case is no line of another case's sheets.
        found.flag(
            (pl.col("kind") == "score")
            & pl.col("applies").is_null()
            & pl.col("prespecified_at").is_not_null(),
            "is a criterion of another vignette",
            column="criterion_id",
        )
    # A sheet's line stands once: rows sorted by nothing, so the copies are found by hash.
    twice = found.rows.select(LINE).is_duplicated()
    found.flag(twice, "stands more than once in a sheet", column="criterion_id", allowed="one row per line")
    kinds = (
        found.rows.group_by("rater").agg(pl.col("rater_kind").n_unique().alias("n")).filter(pl.col("n") > 1)
    )
    if kinds.height:
        found.flag(
            pl.col("rater").is_in(kinds["rater"].implode()),
            "is a rater of several kinds",
            column="rater_kind",
            allowed="one kind per rater",
            shown="rater_kind",
        )


def _scores(found: _Faults, state: RubricState) -> None:
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


def _not_applicable(found: _Faults) -> None:
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


def _labels(found: _Faults, state: RubricState) -> None:
    """Beside a score stand only the field's own tags."""
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


def _flags(found: _Faults, state: RubricState) -> None:
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


def _lists(found: _Faults, state: RubricState) -> None:
    """Entries are of the key's list; an omission of a strict list caps the score."""
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


def _times(found: _Faults, state: RubricState) -> None:
    found.flag(
        pl.col("rated_at") <= pl.col("prespecified_at"),
        "was rated before the key was settled",
        column="rated_at",
        allowed="a time after the key's prespecified_at",
        hint="a date alone counts from midnight: give times",
        shown="rated_at",
    )
    found.flag(
        pl.col("key_sha256").is_not_null() & (pl.col("key_sha256") != pl.col("locked")),
        "was rated with another version of the key",
        column="key_sha256",
        allowed="the sha256 of the vignette's key",
    )
    declared = state.use.declared_at
    if declared is not None:
        found.flag(
            (pl.col("rated_at") <= pl.lit(declared)) & (pl.col("round") == MAIN),
            "was rated before the profile was declared",
            column="rated_at",
            allowed=f"a time after declared_at, {declared.isoformat()}",
            shown="rated_at",
        )


def _completeness(found: _Faults, state: RubricState, plan: pl.DataFrame) -> None:
    """Every sheet has every required line."""
    rubric = state.rubric
    fixed = [n for n, f in rubric.fields.items() if f.required and f.kind == "count"]
    fixed += [rubric.flag.id] if rubric.flag else []
    optional = {n for n, f in rubric.fields.items() if not f.required}
    needed = plan.filter(~pl.col("criterion_id").is_in(list(optional))).group_by("item_id").len("n_scores")
    rows = found.rows
    counted = rows["criterion_id"].is_in(fixed) | (
        (rows["kind"] == "score") & ~rows["criterion_id"].is_in(list(optional))
    )
    have = rows.with_columns(counted=counted).group_by(SHEET).agg(pl.col("counted").sum().alias("n_have"))
    have = have.join(needed, on="item_id", how="inner").with_columns(n_needed=pl.col("n_scores") + len(fixed))
    short = have.filter(pl.col("n_have") < pl.col("n_needed")).sort(SHEET)
    if not short.height:
        return
    first = short.row(0, named=True)
    own = rows.filter(*(pl.col(c) == first[c] for c in SHEET))["criterion_id"].to_list()
    wanted = [
        n for n in plan.filter(pl.col("item_id") == first["item_id"])["criterion_id"] if n not in optional
    ]
    missing = [n for n in [*wanted, *fixed] if n not in own]
    joined = rows.join(
        short.select(*SHEET).with_columns(short=pl.lit(True)), on=SHEET, how="left", maintain_order="left"
    )
    found.flag(
        joined["short"],
        f"belongs to an incomplete sheet ({short.height:,} of {have.height:,} sheets); the first, of rater "
        f"{first['rater']}, vignette {first['item_id']}, model {first['model']}, lacks {_some(missing)}",
        column="criterion_id",
        allowed="every line of the sheet, N/A with a reason where it does not apply",
    )


def _parts(found: _Faults, state: RubricState) -> None:
    """Check that the parts of a count add up to it."""
    parts = {name: f.part_of for name, f in state.rubric.fields.items() if f.part_of}
    for whole in dict.fromkeys(parts.values()):
        own = [name for name, of in parts.items() if of == whole]
        counts = found.rows.filter(pl.col("criterion_id").is_in([whole, *own]))
        total = (pl.col("criterion_id") == whole).alias("is_whole")
        sums = (
            counts.with_columns(total)
            .group_by(SHEET)
            .agg(
                pl.col("value").filter(pl.col("is_whole")).sum().alias("whole"),
                pl.col("value").filter(~pl.col("is_whole")).sum().alias("parts"),
                (~pl.col("is_whole")).sum().alias("n"),
            )
        )
        wrong = sums.filter((pl.col("n") > 0) & (pl.col("whole") != pl.col("parts")))
        if wrong.height:
            joined = found.rows.join(
                wrong.select(*SHEET).with_columns(wrong=pl.lit(True)),
                on=SHEET,
                how="left",
                maintain_order="left",
            )
            found.flag(
                joined["wrong"].fill_null(False) & (found.rows["criterion_id"] == whole),
                f"is not the sum of its parts ({', '.join(own)})",
                column="value",
                allowed="the sum of the parts, all of them given",
                shown="value",
            )


def _whole_sheets(checks: RowChecks, rows: pl.DataFrame) -> None:
    """Add the other rows of a sheet with a fault to what a lenient run sets aside."""
    bad = checks.bad_rows
    if not bad.any():
        return
    sheets = rows.filter(bad).select(SHEET).unique().with_columns(aside=pl.lit(True))
    joined = rows.join(sheets, on=SHEET, how="left", nulls_equal=True, maintain_order="left")
    checks.set_aside(
        joined["aside"].fill_null(False) & ~bad, "criterion_id: another line of its sheet is at fault"
    )


def entries(text: str) -> list[str]:
    """Return the entries of a text that parts them by semicolons.

    Examples
    --------
    >>> entries("association; counterfactual ;")
    ['association', 'counterfactual']
    """
    return [part.strip() for part in text.split(";") if part.strip()]


def _some(names: Iterable[str]) -> str:
    names = list(names)
    more = len(names) - 40
    if more > 0:
        return ", ".join(names[:40]) + f" and {more:,} more"
    return ", ".join(names)
