"""Very large benchmarks: verdict files straight into a matrix, one file at a time.

The ordinary path holds every row in memory. Where a benchmark has hundreds of models on hundreds of
thousands of items, its rows need not be: each file is read, validated by the same checks, added to
the matrix and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.cells import effective_verdict
from analysis.config import BenchmarkCard, Settings
from analysis.errors import DataError, Problem
from analysis.ingest.checks import RowChecks
from analysis.ingest.files import SourceFile, read_parquet_file, verdict_files
from analysis.ingest.verdicts import ITEM_COLUMNS, normalise
from analysis.matrix import CELL, VerdictMatrix, build_matrix, cell_index
from analysis.schemas import Verdicts
from analysis.tables.data import BenchmarkData


@dataclass(frozen=True)
class PackedData(BenchmarkData):
    """Benchmark data of which only the matrix of `correct` and the cells' verdicts are held.

    Parameters
    ----------
    codes : ndarray of int16, shape (M, N)
        Verdict of each cell as an index into `verdict_names`, -1 where there is no cell.
    verdict_names : list of str
        The verdicts.
    """

    codes: npt.NDArray[np.int16] = field(repr=False, kw_only=True)
    verdict_names: list[str] = field(kw_only=True)

    def cell_codes(self, matrix: VerdictMatrix) -> tuple[npt.NDArray[np.int16], list[str]]:
        """Return the codes of the matrix's models and items; without copying where it has them all."""
        whole = self.matrix()
        if matrix.models == whole.models and matrix.items.height == whole.items.height:
            return self.codes, self.verdict_names
        rows = np.array([whole.models.index(m) for m in matrix.models], dtype=np.int64)
        keep = whole.items["item_id"].is_in(matrix.items["item_id"].implode()).to_numpy()
        return self.codes[np.ix_(rows, np.flatnonzero(keep))], self.verdict_names


def pack_benchmark(folder: Path, card: BenchmarkCard, settings: Settings) -> PackedData:
    """Pack the verdict files of a folder: one run per item, each model in one file.

    Parameters
    ----------
    folder : Path
        ``results/raw/<benchmark>``.
    card : BenchmarkCard
        The benchmark's card.
    settings : Settings
        The statistics in force.

    Returns
    -------
    PackedData
        Ready for every table that needs no rows: scores, counts, coverage, concordance, pairwise
        tests, tiers, policies.

    Raises
    ------
    DataError
        Where rows break the raw contract, or a model is spread over files or has repeated runs:
        the ordinary path reads those.
    """
    sources = verdict_files(folder)
    models, items = _survey(sources)
    names: dict[str, int] = {}
    codes = np.full((len(models), items.height), -1, dtype=np.int16)

    def shards() -> Iterator[pl.DataFrame]:
        for source in sources:
            rows = _read(source, card)
            row, column = cell_index(rows, models, items["item_id"])
            _refuse_repeats(source, row, column)
            verdicts = rows.select(effective_verdict().alias("v")).to_series()
            for name in verdicts.unique().sort():
                names.setdefault(name, len(names))
            code = verdicts.replace_strict(names, return_dtype=pl.Int16).to_numpy()
            codes[row, column] = code
            yield rows

    matrix = build_matrix(shards(), items, card, models=models, policy="exclude")
    codes[matrix.state != CELL] = -1
    data = PackedData(
        Verdicts.create_empty(),
        matrix.items,
        pl.DataFrame({"model": models}),
        card,
        settings,
        codes=codes,
        verdict_names=list(names),
    )
    data._matrices["correct", "exclude"] = matrix
    return data


def _survey(sources: list[SourceFile]) -> tuple[list[str], pl.DataFrame]:
    """Find models and items from those columns alone; a model may stand in one file only."""
    home: dict[str, str] = {}
    items = pl.DataFrame(schema={"item_id": pl.String})
    for source in sources:
        frame = read_parquet_file(source)
        for model in frame["model"].unique().cast(pl.String).sort():
            if home.setdefault(model, source.name) != source.name:
                hint = "the ordinary path reads models that are spread over files"
                raise DataError(
                    [Problem(f"{model} stands in {home[model]} too", source.name, "model", hint=hint)]
                )
        present = [c for c in ITEM_COLUMNS if c in frame.columns]
        found = frame.select(pl.col("item_id").cast(pl.String), *(pl.col(c).cast(pl.String) for c in present))
        if not (found.columns == items.columns and found["item_id"].equals(items["item_id"])):
            items = pl.concat([items, found], how="diagonal").unique(
                "item_id", keep="first", maintain_order=True
            )
    missing = [c for c in (*ITEM_COLUMNS,) if c not in items.columns]
    items = items.with_columns(pl.lit(None, dtype=pl.String).alias(c) for c in missing)
    return sorted(home), items.sort("item_id")


def _read(source: SourceFile, card: BenchmarkCard) -> pl.DataFrame:
    checks = RowChecks(read_parquet_file(source), source.name)
    rows = normalise(checks, card)
    problems = [*checks.fatal, *checks.problems]
    if rows is None or problems:
        raise DataError(problems)
    return rows


def _refuse_repeats(source: SourceFile, row: npt.NDArray[np.int64], column: npt.NDArray[np.int64]) -> None:
    """Refuse a file in which a cell stands more than once."""
    in_order = np.all(row[1:] == row[:-1]) and np.all(column[1:] > column[:-1])
    if in_order or len(np.unique(np.stack([row, column]), axis=1).T) == len(row):
        return
    hint = "the ordinary path reads repeated runs"
    raise DataError([Problem("has several rows of one model and item", source.name, "item_id", hint=hint)])
