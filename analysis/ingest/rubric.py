"""The rubric of consultations: `criteria.parquet`, and the labels that raters give on its criteria."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard
from analysis.errors import Problem, problem_with_values
from analysis.ingest import columns
from analysis.ingest.checks import RowChecks
from analysis.rubric_labels import NOT_APPLICABLE, label_values

POLARITIES = {
    "positive": "positive",
    "wanted": "positive",
    "requirement": "positive",
    "negative": "negative",
    "unwanted": "negative",
    "error": "negative",
}
"""Words for the two polarities."""

KEY = ["item_id", "criterion_id"]


def normalise_criteria(checks: RowChecks, card: BenchmarkCard) -> pl.DataFrame | None:
    """Return `criteria.parquet` in the types of the contract, with polarity and weight filled in.

    The polarity follows from the kind where the card names it, else it must stand in the file; the
    weight is the card's for the kind, unless the file has one.

    Parameters
    ----------
    checks : RowChecks
        The file's rows and what is wrong with them; added to.
    card : BenchmarkCard
        Names the kinds and their weights.

    Returns
    -------
    pl.DataFrame or None
        Columns of the `Criteria` schema, or None where the file is refused.
    """
    frame = checks.frame
    for required in (*KEY, "kind"):
        if required not in frame.columns:
            checks.refuse(
                "is missing", column=required, allowed="criteria.parquet has item_id, criterion_id and kind"
            )
    if checks.fatal:
        return None
    out = [columns.identifier(checks, "item_id"), columns.identifier(checks, "criterion_id")]
    kind = columns.text(checks, "kind", required=True)
    out += [kind, _polarity(checks, kind, card)]
    out.append(_weight(checks, kind, card))
    out.append(
        columns.text(checks, "text")
        if "text" in frame.columns
        else pl.Series("text", [None], dtype=pl.String).new_from_index(0, frame.height)
    )
    criteria = pl.DataFrame(out)
    checks.flag(
        criteria.select(KEY).is_duplicated(),
        "stands more than once within its question",
        column="criterion_id",
        values=criteria["criterion_id"],
        allowed="one row per item_id and criterion_id",
    )
    return None if checks.fatal else criteria


def _polarity(checks: RowChecks, kind: pl.Series, card: BenchmarkCard) -> pl.Series:
    """Return the polarity of every criterion; one that neither card nor file gives is refused."""
    rules = card.consultation
    known = {**dict.fromkeys(rules.requirements, "positive"), **dict.fromkeys(rules.errors, "negative")}
    by_kind = kind.replace_strict(known, default=None, return_dtype=pl.String)
    given = pl.Series([None], dtype=pl.String).new_from_index(0, kind.len())
    if "polarity" in checks.frame.columns:
        text = columns.text(checks, "polarity").str.strip_chars().str.to_lowercase()
        given = text.replace_strict(POLARITIES, default=None, return_dtype=pl.String)
        checks.flag(
            text.is_not_null() & given.is_null(),
            "is no polarity",
            column="polarity",
            values=text,
            allowed=", ".join(POLARITIES),
        )
        checks.flag(
            (given != by_kind).fill_null(False),
            "contradicts the card's polarity of the kind",
            column="polarity",
            values=pl.select(pl.format("{} is {}", kind, given)).to_series(),
            allowed="the polarity that consultation.requirements and consultation.errors say",
        )
    polarity = pl.select(pl.coalesce(by_kind, given)).to_series().alias("polarity")
    checks.flag(
        polarity.is_null() & kind.is_not_null(),
        "has no polarity: the card does not name the kind, and the column polarity says nothing",
        column="kind",
        values=kind,
        allowed=f"a kind of the card ({', '.join(known)}), or positive or negative in the column polarity",
        hint="name the kind under consultation.requirements or consultation.errors in benchmark.yaml",
    )
    return polarity


def _weight(checks: RowChecks, kind: pl.Series, card: BenchmarkCard) -> pl.Series:
    """Return the file's weight, else the card's for the kind; a criterion without either is refused."""
    rules = card.consultation
    default = kind.replace_strict(
        {**rules.requirements, **rules.errors}, default=None, return_dtype=pl.Float64
    )
    given = (
        columns.number(checks, "weight", low=0)
        if "weight" in checks.frame.columns
        else pl.Series([None], dtype=pl.Float64).new_from_index(0, kind.len())
    )
    weight = pl.select(pl.coalesce(given, default)).to_series().alias("weight")
    checks.flag(
        weight.is_null() & kind.is_not_null(),
        "has no weight: neither the card nor the file gives one",
        column="kind",
        values=kind,
        allowed="a kind of the card, or a number in the column weight",
    )
    return weight


def unknown_items(criteria: pl.DataFrame, items: pl.DataFrame) -> list[Problem]:
    """Refuse criteria of questions that neither the items nor the verdicts have."""
    lost = criteria.with_row_index("__row", offset=1).join(items, on="item_id", how="anti")
    if not lost.height:
        return []
    return [
        problem_with_values(
            "is an item that neither items.parquet nor the verdicts have",
            file="criteria.parquet",
            column="item_id",
            values=lost["item_id"].to_list(),
            n_values=lost["item_id"].n_unique(),
            rows=lost["__row"].head(3).to_list(),
            n_rows=lost.height,
            allowed="an item of the benchmark",
        )
    ]


def unknown_names(items: pl.DataFrame, ratings: pl.DataFrame | None, card: BenchmarkCard) -> list[Problem]:
    """Refuse raters and a tag column that the card names and the data do not have."""
    problems = []
    rules = card.consultation
    if rules.tags is not None and rules.tags not in items.columns:
        problems.append(
            Problem(
                f"names the item column {rules.tags!r}, which the items do not have",
                "benchmark.yaml",
                "consultation.tags",
                allowed=", ".join(c for c in items.columns if c != "item_id"),
                kind="key",
            )
        )
    column = rules.tags or ("tags" if "tags" in items.columns else "question_type")
    tags = items[column] if column in items.columns else pl.Series(dtype=pl.String)
    listed = tags.list.explode() if isinstance(tags.dtype, pl.List) else tags.cast(pl.String)
    if (listed == "all").any():
        problems.append(
            Problem(
                "is a tag named 'all', which stands for every question together",
                "items.parquet",
                column,
                allowed="any other name",
            )
        )
    there = set() if ratings is None else set(ratings["rater"].drop_nulls())
    absent = [name for name in rules.raters if name not in there]
    if ratings is not None and absent:
        problems.append(
            Problem(
                f"names the rater {absent[0]!r}, who rates nothing",
                "benchmark.yaml",
                "consultation.raters",
                allowed=", ".join(sorted(there)),
                kind="key",
            )
        )
    return problems


def check_labels(checks: RowChecks, criteria: pl.DataFrame, card: BenchmarkCard) -> None:
    """Flag ratings of the rubric's criteria that are neither yes nor no nor not applicable."""
    ratings = checks.frame
    ours = (
        ratings.select(KEY)
        .join(criteria.select(*KEY, pl.lit(True).alias("__ours")), on=KEY, how="left", maintain_order="left")[
            "__ours"
        ]
        .fill_null(False)
    )
    read = label_values(ratings, card)
    said = ratings["label"].is_not_null() | ratings["value"].is_not_null()
    checks.flag(
        ours & said & read.is_null(),
        "does not say whether the criterion is met",
        column="label" if ratings["label"].is_not_null().any() else "value",
        allowed=f"yes or no (true, met, 1 …), {NOT_APPLICABLE[0]}, or a value in [0, 1]",
    )
    checks.flag(
        ours & ratings["model"].is_null(),
        "is null for a criterion of the rubric",
        column="model",
        allowed="the model whose response is rated",
    )
