"""One raw verdict file to rows of the `Verdicts` schema, by the rules of the raw contract."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import polars as pl

from analysis.config import BenchmarkCard
from analysis.ingest import columns
from analysis.ingest.checks import RowChecks

RESOURCES = ("cost_usd", "input_tokens", "output_tokens", "latency_s")
ITEM_COLUMNS = ("track", "question_type", "cluster_id")
"""Item attributes that the verdict files may carry."""

KNOWN = (
    "model",
    "item_id",
    "run",
    "verdict",
    "correct",
    "score",
    "labels",
    "failure_label",
    "decision",
    "flags",
    *RESOURCES,
    *ITEM_COLUMNS,
)
VERDICT_LIKE = ("verdict", "correct", "score")


def extra_metrics(card: BenchmarkCard) -> tuple[str, ...]:
    """Return the declared metrics that are columns beyond those of the contract, in the card's order."""
    named = dict.fromkeys([*card.metrics, card.primary_metric])
    return tuple(name for name in named if name not in ("correct", "score", *RESOURCES))


def normalise(checks: RowChecks, card: BenchmarkCard) -> pl.DataFrame | None:
    """Return the file's rows in the types of the contract, or None where the file is refused.

    Success is decided per file: by `correct` if the file has it (null: unscored), else by
    `verdict`, else by `score >= 1`. Rows of an excluded verdict are excluded whatever `correct`
    says.

    Parameters
    ----------
    checks : RowChecks
        The file's rows and what is wrong with them; added to.
    card : BenchmarkCard
        The benchmark's card.

    Returns
    -------
    pl.DataFrame or None
        Columns of `Verdicts`, the declared metrics, and the item attributes that the file carries.
    """
    frame = checks.frame
    if not _has_required(checks):
        return None
    out: list[pl.Series] = [
        columns.text(checks, "model", required=True),
        columns.identifier(checks, "item_id"),
    ]
    out.append(
        columns.integer(checks, "run") if "run" in frame.columns else _constant("run", 0, pl.Int64, frame)
    )
    verdict = _verdict(checks, card)
    score = columns.number(checks, "score", low=0, high=1) if "score" in frame.columns else None
    excluded = verdict.is_in(card.verdicts.exclude).fill_null(False).alias("excluded")
    correct = _success(checks, card, verdict, score, excluded)
    out += [
        verdict,
        correct,
        _null("score", pl.Float64, frame) if score is None else score.alias("score"),
        excluded,
    ]
    out += [_labels(checks, card), _optional_text(checks, "decision")]
    out.append(
        columns.text_list(checks, "flags")
        if "flags" in frame.columns
        else columns.empty_lists("flags", frame.height)
    )
    for name in RESOURCES:
        out.append(
            columns.number(checks, name, low=0) if name in frame.columns else _null(name, pl.Float64, frame)
        )
    for name in extra_metrics(card):
        out.append(columns.number(checks, name) if name in frame.columns else _null(name, pl.Float64, frame))
    for name in ITEM_COLUMNS:
        if name in frame.columns:
            out.append(_attribute(checks, name))
    return pl.DataFrame(out)


def unused_columns(frame: pl.DataFrame, card: BenchmarkCard) -> list[str]:
    """Return the file's columns that nothing reads."""
    return [c for c in frame.columns if c not in KNOWN and c not in extra_metrics(card)]


def _has_required(checks: RowChecks) -> bool:
    names = checks.frame.columns
    for required in ("model", "item_id"):
        if required not in names:
            checks.refuse(
                "is missing",
                column=required,
                allowed="every verdict file has model and item_id",
                hint=_near(required, names),
            )
    if not any(name in names for name in VERDICT_LIKE):
        checks.refuse(
            f"has no column that says how an item went (columns: {', '.join(names[:12])})",
            allowed="verdict (text), correct (truth value) or score (number in [0, 1])",
            hint=_near("verdict", names) or _near("correct", names) or _near("score", names),
        )
    return not checks.fatal


def _near(wanted: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(wanted, [n for n in names if n not in KNOWN], n=1, cutoff=0.6)
    return f"rename column {near[0]!r} to {wanted!r}, if that is what it holds" if near else ""


def _verdict(checks: RowChecks, card: BenchmarkCard) -> pl.Series:
    if "verdict" not in checks.frame.columns:
        return _null("verdict", pl.String, checks.frame)
    verdict = columns.text(
        checks, "verdict", fatal_hint="truth values belong in the column correct, numbers in score"
    )
    if card.verdicts.order is not None:
        known = [*card.verdicts.order, *card.verdicts.exclude]
        checks.flag(
            ~verdict.is_in(known),
            "is not a verdict of the card",
            column="verdict",
            values=verdict,
            allowed=", ".join(repr(v) for v in known),
            hint="add it to verdicts.order in benchmark.yaml, or mend the file",
        )
    return verdict


def _success(
    checks: RowChecks,
    card: BenchmarkCard,
    verdict: pl.Series,
    score: pl.Series | None,
    excluded: pl.Series,
) -> pl.Series:
    succeeds = verdict.is_in(card.verdicts.succeeding)
    if "correct" in checks.frame.columns:
        correct = columns.boolean(checks, "correct").alias("correct")
        if card.verdicts.succeed is not None:
            contradicts = (correct != succeeds).fill_null(False)
            pairs = pl.select(pl.format("{} with {}", correct.cast(pl.String), verdict)).to_series()
            checks.flag(
                contradicts,
                "contradicts the verdict",
                column="correct",
                values=pairs,
                allowed=f"true exactly where the verdict succeeds: {list(card.verdicts.succeed)}",
                hint="mend the file, or verdicts.succeed in benchmark.yaml",
            )
    elif "verdict" in checks.frame.columns:
        correct = succeeds.alias("correct")
    else:
        assert score is not None  # one of the three stands in the file: _has_required
        correct = (score >= 1).alias("correct")
    return correct.set(excluded, None)


def _labels(checks: RowChecks, card: BenchmarkCard) -> pl.Series:
    present = [name for name in ("labels", "failure_label") if name in checks.frame.columns]
    if not present:
        return columns.empty_lists("labels", checks.frame.height)
    parts = [columns.text_list(checks, name) for name in present]
    labels = parts[0].alias("labels")
    if len(parts) == 2:
        both = pl.DataFrame({"labels": parts[0], "other": parts[1]})
        labels = columns.clean_lists(both.select(pl.col("labels").list.concat("other")).to_series())
    reserved = [name for name, label in card.labels.items() if label.reserved]
    if reserved:
        uses = labels.list.eval(pl.element().is_in(reserved)).list.any()
        checks.flag(
            uses,
            "uses a label that the card reserves",
            column=present[0],
            values=labels.list.join(", "),
            allowed=f"any label but {', '.join(reserved)}",
        )
    return labels


def _optional_text(checks: RowChecks, name: str) -> pl.Series:
    return (
        columns.text(checks, name) if name in checks.frame.columns else _null(name, pl.String, checks.frame)
    )


def _attribute(checks: RowChecks, name: str) -> pl.Series:
    values = columns.identifier_or_null(checks, name)
    if name == "track":
        flag_track_all(checks, values)
    return values


def flag_track_all(checks: RowChecks, track: pl.Series) -> None:
    """Refuse a track that has the name of the sum of all tracks."""
    checks.flag(
        track == "all",
        "is a track named 'all', which stands for every track together",
        column="track",
        values=track,
        allowed="any other name",
    )


def _constant(name: str, value: object, dtype: type[pl.DataType], frame: pl.DataFrame) -> pl.Series:
    return pl.Series(name, [value], dtype=dtype).new_from_index(0, frame.height)


def _null(name: str, dtype: type[pl.DataType], frame: pl.DataFrame) -> pl.Series:
    return _constant(name, None, dtype, frame)
