"""Checks of items, models, labels, costs, ratings and units, each a stream of findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.matrix import VerdictMatrix
from analysis.tables.costs import price_models
from analysis.tables.data import BenchmarkData
from analysis.tables.reliability import raters_table

Status = Literal["ok", "note", "attention"]

ENOUGH_TO_COMPARE = 20
"""Two models count as identical if all verdicts on this many common items are, and they vary."""


@dataclass(frozen=True)
class Finding:
    """One counted fact.

    Parameters
    ----------
    check, subject : str
        What was looked for, and where; the subject is empty for the whole benchmark.
    n, of : int
        How many were found, of how many.
    status : {"ok", "note", "attention"}
        Nothing found; found and harmless; found and to be read before the numbers.
    note : str
        The sentence a reader sees.
    """

    check: str
    subject: str
    n: int
    of: int
    status: Status
    note: str


def found(n: int, status: Status) -> Status:
    """Return the status of a check that found n, `ok` for none."""
    return status if n else "ok"


def numbered(n: int, one: str, many: str) -> str:
    """Return a count with the words that go with it.

    Examples
    --------
    >>> numbered(1, "row repeats", "rows repeat"), numbered(1200, "row repeats", "rows repeat")
    ('1 row repeats', '1,200 rows repeat')
    """
    return f"{n:,} {one if n == 1 else many}"


def _of(n: int, total: int, noun: str) -> str:
    return f"{n:,} of {numbered(total, noun, f'{noun}s')}"


def of_ingest(data: BenchmarkData, check: str) -> pl.DataFrame:
    """Return `subject`, `n`, `note` of what ingest counted under a name."""
    if data.audit is None:
        return pl.DataFrame(schema={"subject": pl.String, "n": pl.Int64, "note": pl.String})
    return data.audit.filter(pl.col("check") == check).select("subject", "n", "note")


def items_findings(data: BenchmarkData, matrix: VerdictMatrix) -> Iterator[Finding]:
    """Check the items: scored by nobody, by one model, not by all, and near-identical names."""
    n_items = matrix.items.height
    seen = matrix.has_cell.sum(axis=0)
    counts: tuple[tuple[str, int, str, str, Status], ...] = (
        (
            "items_without_score",
            int((seen == 0).sum()),
            "no scored answer by any model",
            "Every item has a scored answer.",
            "attention",
        ),
        (
            "items_of_one_model",
            int((seen == 1).sum()),
            "scored for one model only",
            "No item is scored for one model only.",
            "attention",
        ),
        (
            "items_not_of_all",
            int(((seen > 0) & (seen < len(matrix.models))).sum()),
            "not scored for all models, which are compared on what they share",
            "Every scored item is scored for all models.",
            "note",
        ),
    )
    for check, n, what, none, status in counts:
        note = f"{_of(n, n_items, 'item')}: {what}." if n else none
        yield Finding(check, "", n, n_items, found(n, status), note)
        if check == "items_of_one_model" and n:
            yield from _alone(matrix, seen == 1)
    for what in ("items", "models"):
        near = of_ingest(data, f"near_identical_{what}")
        note = "; ".join(near["note"].head(3)) + "." if near.height else f"No {what} differ in spelling only."
        note = note[0].upper() + note[1:]
        total = n_items if what == "items" else data.models.height
        kind = found(near.height, "attention")
        yield Finding(f"near_identical_{what}", "", near.height, total, kind, note)


def _alone(matrix: VerdictMatrix, alone: npt.NDArray[np.bool_]) -> Iterator[Finding]:
    """Say which models have items to themselves: item ids that match no other model's look like this."""
    for model, has in zip(matrix.models, matrix.has_cell, strict=True):
        n, total = int((has & alone).sum()), int(has.sum())
        if n:
            note = f"{model}: {n:,} of its {numbered(total, 'item', 'items')} "
            note += f"{'is' if n == 1 else 'are'} scored for no other model."
            yield Finding("items_of_one_model", model, n, total, "attention", note)


def models_findings(data: BenchmarkData, matrix: VerdictMatrix) -> Iterator[Finding]:
    """Check the models: without verdicts, and pairs that agree on everything."""
    silent = data.models.filter(pl.col("n_rows") == 0)["model"].to_list()
    yield Finding(
        "models_without_verdicts",
        "",
        len(silent),
        data.models.height,
        found(len(silent), "attention"),
        "Without any verdict: " + ", ".join(silent) + "." if silent else "Every listed model has verdicts.",
    )
    pairs = []
    has, values = matrix.has_cell, np.nan_to_num(matrix.values)
    for a in range(len(matrix.models)):
        common = has[a] & has[a + 1 :]
        same = ((values[a] == values[a + 1 :]) | ~common).all(axis=1)
        same &= common.sum(axis=1) >= ENOUGH_TO_COMPARE
        for b in np.flatnonzero(same).tolist():
            shared = values[a][common[b]]
            if shared.min() != shared.max():
                pairs.append((matrix.models[a], matrix.models[a + 1 + b], int(common[b].sum())))
    total = len(matrix.models) * (len(matrix.models) - 1) // 2
    yield Finding(
        "identical_models",
        "",
        len(pairs),
        total,
        found(len(pairs), "attention"),
        "; ".join(f"{a} and {b} agree on all {n:,} common items" for a, b, n in pairs[:3]) + "."
        if pairs
        else "No two models agree on every common item.",
    )


def labels_findings(data: BenchmarkData) -> Iterator[Finding]:
    """Check how failure labels are used."""
    verdicts, declared = data.verdicts, data.card.labels
    labelled = verdicts.filter(pl.col("labels").list.len() > 0)
    if not labelled.height and not declared:
        yield Finding("labels", "", 0, verdicts.height, "ok", "No failure labels are used or declared.")
        return
    failing = verdicts.filter(~pl.col("correct"))
    bare = failing.filter(pl.col("labels").list.len() == 0).height
    note = f"{_of(bare, failing.height, 'failing row')} {'carries' if bare == 1 else 'carry'} no label."
    yield Finding("failures_without_label", "", bare, failing.height, found(bare, "note"), note)
    good = labelled.filter(pl.col("correct")).height
    note = f"{_of(good, labelled.height, 'labelled row')} {'is' if good == 1 else 'are'} correct."
    yield Finding("labels_on_success", "", good, labelled.height, found(good, "note"), note)
    counts = dict(
        labelled.select(pl.col("labels").list.explode(empty_as_null=False).alias("label"))
        .group_by("label")
        .len()
        .sort("label")
        .iter_rows()
    )
    names = sorted({*counts, *declared})
    for name in names:
        n = counts.get(name, 0)
        unknown = bool(declared) and name not in declared
        reserved = name in declared and declared[name].reserved
        status: Status = "attention" if unknown or (not n and not reserved) else "ok"
        note = f"{name} stands in {numbered(n, 'row', 'rows')}"
        if unknown:
            note += ", but not in the card"
        elif not n:
            note += ": the card reserves it" if reserved else ", though the card declares it"
        note += "."
        yield Finding("label_use", name, n, verdicts.height, status, note)


def costs_findings(data: BenchmarkData) -> Iterator[Finding]:
    """Check which rows have a price."""
    costs = price_models(data)
    unpriced = costs.with_columns((pl.col("n_rows") - pl.col("n_priced")).alias("left"))
    n, total = int(unpriced["left"].sum()), int(unpriced["n_rows"].sum())
    note = (
        f"{_of(n, total, 'row')} {'has' if n == 1 else 'have'} no price." if n else "Every row has a price."
    )
    yield Finding("unpriced_rows", "", n, total, found(n, "note"), note)
    for row in unpriced.filter(pl.col("left") > 0).sort("model").iter_rows(named=True):
        if n < total:
            yield Finding(
                "unpriced_rows",
                row["model"],
                row["left"],
                row["n_rows"],
                "note",
                f"{row['model']}: {row['note']}.",
            )


def ratings_findings(data: BenchmarkData) -> Iterator[Finding]:
    """Check that ratings have verdicts, and that no rater is the verdict."""
    if data.ratings is None:
        return
    raters = raters_table(data)
    own = raters.filter(pl.col("rater_kind") != "verdict")
    n, total = int(own["n_without_verdict"].sum()), int(own["n_ratings"].sum())
    note = "Every rated response has a verdict, or the item itself is rated."
    if n:
        known = data.verdicts["item_id"].unique()
        strange = data.ratings.filter(~pl.col("item_id").is_in(known.implode()))["item_id"]
        example = f", such as item {strange[0]}" if strange.len() else ""
        note = f"{_of(n, total, 'rating')} {'is' if n == 1 else 'are'} of a model and item without a verdict"
        note += f"{example}: no verdict can be set beside {'it' if n == 1 else 'them'}."
    yield Finding("ratings_without_verdict", "", n, total, found(n, "attention"), note)
    for rater in own.filter("is_verdict")["rater"]:
        yield Finding(
            "rater_is_verdict",
            rater,
            1,
            own.height,
            "attention",
            f"The recorded verdict never differs from {rater}: it seems to be taken from that rater, so that "
            "their agreement says nothing.",
        )


TRAIL_CHECKS: tuple[tuple[str, str, Status, str, str, str], ...] = (
    (
        "audit_trail_without_verdict",
        "step",
        "attention",
        "of the audit trail belongs to no response with a verdict",
        "of the audit trail belong to no response with a verdict",
        "Every step of the audit trail belongs to a response with a verdict.",
    ),
    (
        "responses_without_audit_trail",
        "response",
        "note",
        "has no step in the audit trail",
        "have no step in the audit trail",
        "Every response has a step in the audit trail.",
    ),
    (
        "audit_trail_of_other_verdict",
        "response",
        "attention",
        "has an audit trail that states another verdict than the one recorded",
        "have an audit trail that states another verdict than the one recorded",
        "No audit trail states another verdict than the one recorded.",
    ),
)
"""What ingest counts of an audit trail: check, what is counted, its status where found, the words."""


def trail_findings(data: BenchmarkData) -> Iterator[Finding]:
    """Check that a scorer's audit trail belongs to the verdicts, covers them and ends in them."""
    n_steps, n_rows = int(of_ingest(data, "audit_trail")["n"].sum()), data.verdicts.height
    if not n_steps:
        return
    for check, noun, status, one, many, none in TRAIL_CHECKS:
        total = n_steps if noun == "step" else n_rows
        n = int(of_ingest(data, check)["n"].sum())
        note = f"{_of(n, total, noun)} {one if n == 1 else many}." if n else none
        yield Finding(check, "", n, total, found(n, status), note)


def units_findings(data: BenchmarkData) -> Iterator[Finding]:
    """Check for clusters and weights that the card does not declare."""
    ids = data.items["cluster_id"].drop_nulls()
    shared = ids.len() - ids.n_unique()
    if data.card.cluster is None and shared:
        yield Finding(
            "undeclared_clusters",
            "",
            ids.n_unique(),
            ids.len(),
            "attention",
            f"{ids.len():,} items share {numbered(ids.n_unique(), 'value', 'values')} of cluster_id, but the "
            "card declares no cluster: intervals and tests take the items as independent.",
        )
    else:
        note = "The card declares the cluster." if data.card.cluster else "No items share a cluster."
        yield Finding("undeclared_clusters", "", 0, data.items.height, "ok", note)
    weights = data.items["weight"].drop_nulls()
    if data.card.weight is None and weights.n_unique() > 1:
        note = f"{weights.len():,} items have different weights, which are ignored: the card declares none."
        yield Finding("undeclared_weights", "", weights.len(), data.items.height, "note", note)
