"""Vega-Lite of small fixed frames, compared with the specifications kept here.

After a wanted change, write them anew with ``VERDICT_ATLAS_GOLDEN=write pytest tests/golden/figures``
and read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from analysis.config import BenchmarkCard
from analysis.figures import FIGURES, LIGHT, Absent, specification
from analysis.figures.write import vega_lite_text
from tests.unit.figures.builder import build
from tests.unit.figures.rubric_frames import rubric_tables

HERE = Path(__file__).parent
CARD = BenchmarkCard(
    synthetic="Simulated for a test.",
    labels={"unsafe": {"hard": True}, "truncated": {"technical": True}},
    strata=("question_type",),
)


@pytest.fixture(scope="module")
def tables() -> dict[str, object]:
    built = build(4, 60, tracks=("case", "guideline"), missing=0.15, priced="free", seed=3)
    return {**built, **rubric_tables(built["models"]["model"].to_list())}


@pytest.mark.parametrize("name", FIGURES)
def test_specification_is_the_one_kept(name: str, tables: dict[str, object]) -> None:
    drawn = FIGURES[name].attempt(tables, CARD, LIGHT)  # type: ignore[arg-type]
    assert not isinstance(drawn, Absent)
    text = vega_lite_text(specification(drawn))
    path = HERE / f"{name}.vl.json"
    if os.environ.get("VERDICT_ATLAS_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
