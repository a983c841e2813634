"""Write the reconstruction as a raw folder that the pipeline reads like anyone's data."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import polars as pl

from analysis.demo.npcbench.audits import reconstruct_ratings
from analysis.demo.npcbench.carepath import reconstruct_carepath
from analysis.demo.npcbench.choices import MODELS
from analysis.demo.npcbench.consultations import (
    criterion_frame,
    label_response,
    questions,
    reconstruct_consultations,
    solve_responses,
)
from analysis.demo.npcbench.evidence import reconstruct_evidence
from analysis.demo.npcbench.frames import answer_frame, item_frame
from analysis.demo.npcbench.imaging import reconstruct_imaging
from analysis.demo.npcbench.longitudinal import reconstruct_longitudinal
from analysis.demo.npcbench.printed import printed

CARD = "benchmark.yaml"


def write_npcbench(folder: Path) -> None:
    """Write the reconstruction `npcbench` as a raw folder; the bytes are the same on every run.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the benchmark, such as ``results/raw/npcbench``. Created where it does not exist; files
        of the same names are replaced.
    """
    # Here, so that `python -m analysis.demo.npcbench.statements` finds the module not yet imported.
    from analysis.demo.npcbench.statements import compare

    asked = questions()
    labels = {
        (model, q.item_id): label_response(model, q, response)
        for model in printed("table_a29").models
        for q, response in zip(asked, solve_responses(model, asked), strict=True)
    }
    parts = [
        reconstruct_imaging(),
        reconstruct_longitudinal(),
        reconstruct_carepath(),
        reconstruct_evidence(),
        reconstruct_consultations(asked),
    ]
    with tempfile.TemporaryDirectory() as name:
        made = Path(name) / folder.name
        made.mkdir()
        for table, frame in {
            "verdicts": answer_frame(parts).sort("model", "item_id"),
            "items": item_frame(parts).sort("item_id"),
            "models": model_frame(),
            "criteria": criterion_frame(asked),
            "ratings": reconstruct_ratings(asked, labels),
        }.items():
            frame.write_parquet(made / f"{table}.parquet", compression="zstd", row_group_size=50_000)
        shutil.copyfile(Path(__file__).with_name("card.yaml"), made / CARD)
        statements = compare(made).drop("as_recorded", "ours")
        statements.write_parquet(made / "statements.parquet", compression="zstd")
        folder.mkdir(parents=True, exist_ok=True)
        # The card last: a folder that has it is whole.
        for path in sorted(made.iterdir(), key=lambda p: (p.name == CARD, p.name)):
            shutil.copyfile(path, folder / path.name)


def model_frame() -> pl.DataFrame:
    """Return `models.parquet`."""
    return pl.DataFrame({c: [getattr(m, c) for m in MODELS] for c in ("model", "name", "family", "weights")})
