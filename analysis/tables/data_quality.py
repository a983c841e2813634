"""`data_quality`: one audit of everything a reader has to know before trusting a number.

Every check has a row, also where it finds nothing: that something was looked for and is not there is
a finding. Checks that concern single models, labels or files add a row for each.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from analysis.matrix import EXCLUDED, MISSING, UNSCORED, VerdictMatrix
from analysis.schemas import DataQuality
from analysis.tables import quality_checks
from analysis.tables.data import BenchmarkData, Made, table_frame
from analysis.tables.episode_checks import episode_findings
from analysis.tables.quality_checks import Finding, Status, found, numbered, of_ingest
from analysis.tables.session_checks import sessions_findings


def derive(data: BenchmarkData) -> Made:
    """Make `data_quality`."""
    method = "Exact counts over the validated tables and what ingest set aside"
    return {"data_quality": (audit_data(data), method)}


def audit_data(data: BenchmarkData) -> pl.DataFrame:
    """Run every check.

    Parameters
    ----------
    data : BenchmarkData
        The validated tables, with what ingest counted.

    Returns
    -------
    pl.DataFrame
        Rows of the `DataQuality` schema.
    """
    matrix = data.matrix("correct", "exclude")
    findings = [
        *_rows(data),
        *_cells(matrix),
        *_runs(matrix),
        *quality_checks.items_findings(data, matrix),
        *quality_checks.models_findings(data, matrix),
        *quality_checks.labels_findings(data),
        *quality_checks.costs_findings(data),
        *quality_checks.ratings_findings(data),
        *quality_checks.trail_findings(data),
        *quality_checks.units_findings(data),
        *episode_findings(data),
        *sessions_findings(data),
    ]
    columns = {
        "check": [f.check for f in findings],
        "subject": [f.subject for f in findings],
        "n": [f.n for f in findings],
        "of": [f.of for f in findings],
        "share": [f.n / f.of if f.of else None for f in findings],
        "status": [f.status for f in findings],
        "note": [f.note for f in findings],
    }
    return table_frame(DataQuality, columns, len(findings))


def _rows(data: BenchmarkData) -> Iterator[Finding]:
    n_rows = data.verdicts.height
    aside = of_ingest(data, "quarantined_rows")
    n_aside = int(aside.filter(pl.col("subject") == "")["n"].sum())
    repeats = aside.filter(pl.col("subject").str.contains("repeats an earlier row"))
    n_repeats = int(repeats["n"].sum())
    read = n_rows + n_aside
    note = f"{numbered(n_rows, 'row of verdicts counts', 'rows of verdicts count')}, of {read:,} read."
    yield Finding("rows", "", n_rows, read, "ok", note)
    yield Finding(
        "duplicate_rows",
        "",
        n_repeats,
        read,
        found(n_repeats, "attention"),
        f"{numbered(n_repeats, 'row repeats', 'rows repeat')} an earlier model, item and run; the first one "
        "stands."
        if n_repeats
        else "No model, item and run stands twice.",
    )
    yield Finding(
        "rows_set_aside",
        "",
        n_aside,
        read,
        found(n_aside, "attention"),
        numbered(n_aside, "row breaks the contract and was", "rows break the contract and were")
        + " set aside (quarantine.parquet)."
        if n_aside
        else "No row was set aside.",
    )
    for subject, n, note in aside.filter(pl.col("subject") != "").iter_rows():
        yield Finding("rows_set_aside", subject, n, read, "attention", f"{note}.")
    mixed = of_ingest(data, "mixed_item_id_types")
    files = int(mixed["n"].sum())
    yield Finding(
        "item_id_types",
        "",
        files,
        max(files, of_ingest(data, "rows_read").height),
        found(files, "note"),
        f"{mixed['note'][0]}." if files else "Item ids have one type in all files.",
    )
    unused = of_ingest(data, "unused_column")
    yield Finding(
        "unused_columns",
        "",
        unused.height,
        unused.height,
        found(unused.height, "note"),
        "Columns that nothing reads: " + ", ".join(unused["subject"]) + "."
        if unused.height
        else "Every column of the files is used.",
    )
    # These have a row only where they found something.
    for check, title in (("unread_file", "unread_files"), ("rating_scale_unused", "rating_scales_unused")):
        idle = of_ingest(data, check)
        if idle.height:
            text = "; ".join(idle["note"])
            yield Finding(title, "", idle.height, idle.height, "attention", f"{text[0].upper()}{text[1:]}.")


def _cells(matrix: VerdictMatrix) -> Iterator[Finding]:
    n_models, n_items = matrix.state.shape
    kinds = (
        ("excluded_cells", EXCLUDED, "excluded by verdict, out of the denominator", "is excluded"),
        ("unscored_cells", UNSCORED, "an answer, but no score", "is unscored"),
        ("missing_cells", MISSING, "no row at all, the model was not asked", "is missing"),
    )
    for check, state, what, none in kinds:
        counts = (matrix.state == state).sum(axis=1)
        n = int(counts.sum())
        status: Status = "attention" if check != "excluded_cells" else "note"
        note = f"{n:,} of {n_models * n_items:,} cells (model and item): {what}."
        yield Finding(check, "", n, n_models * n_items, found(n, status), note if n else f"No cell {none}.")
        uneven = n and np.ptp(counts) > 0
        for model, count in zip(matrix.models, counts.tolist(), strict=True):
            if uneven and count:
                note = f"{model}: {count:,} of {n_items:,} items."
                yield Finding(check, model, count, n_items, status, note)


def _runs(matrix: VerdictMatrix) -> Iterator[Finding]:
    runs = np.where(matrix.has_cell, matrix.n_runs, 0)
    ragged = []
    for model, row in zip(matrix.models, runs, strict=True):
        counts = row[row > 0]
        if counts.size and counts.min() != counts.max():
            short = int((counts < counts.max()).sum())
            note = f"{model}: {counts.min()} to {counts.max()} scored runs; {short:,} of {counts.size:,} "
            note += f"items {'has' if short == 1 else 'have'} fewer than the most."
            ragged.append(Finding("ragged_runs", model, short, int(counts.size), "note", note))
    note = numbered(len(ragged), "model has", "models have")
    note += " different numbers of scored runs on different items."
    yield Finding(
        "ragged_runs",
        "",
        len(ragged),
        len(matrix.models),
        found(len(ragged), "note"),
        note if ragged else "Every model has the same number of scored runs on all its items.",
    )
    yield from ragged
    most = [int(row.max(initial=0)) for row in runs]
    n = len({m for m in most if m})
    yield Finding(
        "unequal_runs",
        "",
        n if n > 1 else 0,
        n,
        "attention" if n > 1 else "ok",
        f"Models have up to {min(m for m in most if m)} and up to {max(most)} runs: more runs make it easier "
        "to count as solving an item."
        if n > 1
        else "All models have the same largest number of runs.",
    )
