"""CSV, JSON Lines and eval-arena from a validated benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from analysis.errors import VerdictAtlasError
from analysis.ingest.benchmark import Benchmark
from analysis.ingest.importers.table_mapping import ITEM_TARGETS, SUFFIX

LISTS = ("labels", "flags")
FORMULA = r"^[=+\-@\t\r']"
CORE = ("model", "item_id", "run", "verdict", "correct", "score", "labels", "decision", "flags")
RESOURCES = ("cost_usd", "input_tokens", "output_tokens", "latency_s")


@dataclass(frozen=True)
class Exported:
    """What an export wrote.

    Parameters
    ----------
    rows : int
        Rows or records written.
    written : list of Path
        The files.
    left_out : list of str
        What the format has no place for, in sentences.
    """

    rows: int
    written: list[Path]
    left_out: list[str]


def export_benchmark(benchmark: Benchmark, to: str, path: Path) -> Exported:
    """Write a benchmark's verdicts.

    Parameters
    ----------
    benchmark : Benchmark
        From `analysis.ingest.benchmark.read_benchmark`.
    to : str
        ``csv``, ``jsonl`` or ``eval-arena``.
    path : Path
        The file to write. CSV and JSON Lines get a mapping file beside it.

    Raises
    ------
    VerdictAtlasError
        Where the format is unknown.
    """
    writer = _WRITERS.get(to)
    if writer is None:
        raise VerdictAtlasError(f"{to!r} is no export format; allowed are {', '.join(_WRITERS)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    return writer(benchmark, path)


def _table(benchmark: Benchmark) -> pl.DataFrame:
    """Return the verdicts with their items' columns, without columns that hold nothing."""
    items = benchmark.items
    own = [c for c in items.columns if c != "item_id" and c not in benchmark.verdicts.columns]
    frame = benchmark.verdicts.join(items.select("item_id", *own), on="item_id", how="left")
    frame = frame.drop("excluded").sort("model", "item_id", "run")
    empty = [c for c in frame.columns if frame[c].null_count() == frame.height]
    empty += [c for c in LISTS if c in frame.columns and frame[c].list.len().sum() == 0]
    return frame.drop([c for c in dict.fromkeys(empty) if c not in ("model", "item_id", "run", "correct")])


def _mapping(benchmark: Benchmark, frame: pl.DataFrame, *, escaped: bool) -> dict[str, Any]:
    targets = (*CORE, *RESOURCES, *ITEM_TARGETS)
    card = benchmark.card
    numeric = [c for c in frame.columns if c not in targets and frame[c].dtype.is_numeric()]
    rules: dict[str, Any] = {}
    if card.verdicts.order:
        rules["order"] = list(card.verdicts.order)
    if card.verdicts.succeed:
        rules["succeed"] = list(card.verdicts.succeed)
    rules["exclude"] = list(card.verdicts.exclude)
    data: dict[str, Any] = {"columns": {c: c for c in targets if c in frame.columns}}
    metrics = [c for c in numeric if c not in benchmark.items.columns]
    if metrics:
        data["metrics"] = metrics
    data["verdicts"] = rules
    if escaped:
        data["csv_escape"] = "apostrophe"
    return data


def _write_mapping(data: dict[str, Any], path: Path) -> Path:
    target = path.with_name(f"{path.stem}{SUFFIX}")
    head = "# Says what the columns of the export are; verdict-atlas import finds it by its name.\n"
    target.write_text(
        head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8", newline="\n"
    )
    return target


def _left_out(benchmark: Benchmark) -> list[str]:
    found = []
    if benchmark.ratings is not None and benchmark.ratings.height:
        found.append(f"{benchmark.ratings.height:,} ratings are not in the export")
    if benchmark.criteria is not None and benchmark.criteria.height:
        found.append(f"{benchmark.criteria.height:,} rubric criteria are not in the export")
    if benchmark.audit_trail is not None and benchmark.audit_trail.height:
        found.append(f"{benchmark.audit_trail.height:,} steps of the audit trail are not in the export")
    if benchmark.statements is not None and benchmark.statements.height:
        found.append(f"{benchmark.statements.height:,} statements of a publication are not in the export")
    unanswered = benchmark.items.height - benchmark.verdicts["item_id"].n_unique()
    if unanswered:
        found.append(f"{unanswered:,} items that no model answered are not in the export")
    return found


def _write_csv(benchmark: Benchmark, path: Path) -> Exported:
    frame = _table(benchmark)
    mapping = _mapping(benchmark, frame, escaped=True)
    lists = [c for c in LISTS if c in frame.columns]
    flat = frame.with_columns(
        pl.col(c).map_elements(_list_text, return_dtype=pl.String, skip_nulls=False) for c in lists
    )
    texts = pl.col(pl.String)
    # A spreadsheet takes such text for a formula; the apostrophe is taken away on import.
    flat = flat.with_columns(
        pl.when(texts.str.contains(FORMULA)).then("'" + texts).otherwise(texts).name.keep()
    )
    flat.write_csv(path)
    return Exported(flat.height, [path, _write_mapping(mapping, path)], _left_out(benchmark))


def _list_text(values: Any) -> str | None:
    entries = [] if values is None else list(values)
    return json.dumps(entries, ensure_ascii=False) if entries else None


def _write_jsonl(benchmark: Benchmark, path: Path) -> Exported:
    frame = _table(benchmark)
    mapping = _mapping(benchmark, frame, escaped=False)
    mapping["null"] = []
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in frame.iter_rows(named=True):
            kept = {k: v for k, v in row.items() if v is not None and v != []}
            file.write(json.dumps(kept, ensure_ascii=False) + "\n")
    return Exported(frame.height, [path, _write_mapping(mapping, path)], _left_out(benchmark))


def _write_eval_arena(benchmark: Benchmark, path: Path) -> Exported:
    """Write one record per model and item: how many attempts, how many correct."""
    excluded = pl.col("excluded")
    scored = pl.col("correct").is_not_null() & ~excluded
    cells = (
        benchmark.verdicts.group_by("model", "item_id")
        .agg(
            (pl.col("correct") & scored).sum().alias("correct"),
            scored.sum().alias("count"),
            excluded.sum().alias("excluded"),
            (~scored & ~excluded).sum().alias("unscored"),
        )
        .sort("model", "item_id")
    )
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for model, item, correct, count, n_excluded, unscored in cells.iter_rows():
            record: dict[str, Any] = {"benchmark_id": benchmark.name, "model": model, "example_id": item}
            record["pass1"] = correct / count if count else None
            record["correct"], record["count"] = correct, count
            if n_excluded:
                record["excluded"] = n_excluded
            if unscored:
                record["unscored"] = unscored
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    left_out = [
        "eval-arena holds successes and attempts only: no verdict texts, scores, labels, costs, tracks"
    ]
    return Exported(cells.height, [path], [*left_out, *_left_out(benchmark)])


_WRITERS: dict[str, Callable[[Benchmark, Path], Exported]] = {
    "csv": _write_csv,
    "jsonl": _write_jsonl,
    "eval-arena": _write_eval_arena,
}
