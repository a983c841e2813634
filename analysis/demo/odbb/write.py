"""Write the reconstruction as a raw folder that the pipeline reads like anyone's data."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.demo.odbb.adjudication import rate
from analysis.demo.odbb.content import Content, score_content
from analysis.demo.odbb.items import item_table
from analysis.demo.odbb.patterns import solve_patterns
from analysis.demo.odbb.published import MODELS
from analysis.demo.odbb.responses import Responses, describe_responses
from analysis.demo.odbb.statements import compare
from analysis.demo.odbb.verdicts import CORRECT, INCORRECT, PARTIAL, TECHNICAL, Cells, assign_verdicts

VERDICT_NAMES = {
    TECHNICAL: "technical_failure",
    INCORRECT: "incorrect",
    PARTIAL: "partial",
    CORRECT: "correct",
}


def write_odbb(folder: Path) -> None:
    """Write the reconstruction `odbb` as a raw folder; the bytes are the same on every run.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the benchmark, such as ``results/raw/odbb``. Created where it does not exist; files of
        the same names are replaced.
    """
    cells = assign_verdicts(solve_patterns())
    content = score_content(cells)
    items = item_table(cells.kind)
    verdicts = verdict_table(cells, content, describe_responses(cells, content), items)
    ratings = rate(verdicts.select("model", "item_id", "verdict"), items)

    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in {
        "verdicts": verdicts,
        "items": items,
        "models": model_table(),
        "ratings": ratings,
    }.items():
        frame.write_parquet(folder / f"{name}.parquet", compression="zstd", row_group_size=50_000)
    statements = compare(folder).rename({"gives_way": "reason"}).drop("as_recorded")
    empty = pl.col("reason", "note").replace("", None)
    statements.with_columns(empty).write_parquet(folder / "statements.parquet", compression="zstd")
    shutil.copyfile(Path(__file__).with_name("card.yaml"), folder / "benchmark.yaml")


def verdict_table(cells: Cells, content: Content, responses: Responses, items: pl.DataFrame) -> pl.DataFrame:
    """Return `verdicts.parquet`: one row per model and item, models in the order of the paper's ranking."""
    parts = []
    for m, model in enumerate(MODELS):
        parts.append(
            pl.DataFrame(
                {
                    "model": [model.model] * items.height,
                    "item_id": items["item_id"],
                    "verdict": [VERDICT_NAMES[int(v)] for v in cells.verdict[m]],
                    "score": content.score[m],
                    "labels": _listed(responses.labels, m),
                    "decision": responses.decision[m].tolist(),
                    "flags": _listed(responses.flags, m),
                    **{f"therapy_f1_{name}": values[m] for name, values in content.therapy.items()},
                },
                schema_overrides={
                    "decision": pl.String,
                    "labels": pl.List(pl.String),
                    "flags": pl.List(pl.String),
                },
            )
        )
    return pl.concat(parts).with_columns(pl.col(pl.Float64).fill_nan(None))


def _listed(named: dict[str, npt.NDArray[np.bool_]], m: int) -> list[list[str]]:
    """Return, per item, the names that hold for model m."""
    names = sorted(named)
    held = np.stack([named[name][m] for name in names], axis=1)
    return [[name for name, holds in zip(names, row, strict=True) if holds] for row in held]


def model_table() -> pl.DataFrame:
    """Return `models.parquet`."""
    columns = ("model", "name", "family", "vendor", "weights", "released")
    numbers = ("input_price_usd", "total_cost_usd")
    return pl.DataFrame(
        {c: [getattr(m, c) for m in MODELS] for c in (*columns, *numbers)},
        schema_overrides={"released": pl.String, "input_price_usd": pl.Float64},
    )
