"""Thresholds of the scorer: those that the paper prints, and those that it leaves to its supplement.

The paper (arXiv:2608.28592, section 2.3) prints 0.35 for path overlap and 0.67 for the strict therapy
F1. Every other default is ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from analysis.config import parse, read_yaml
from analysis.strict import Strict


class ScorerConfig(Strict):
    """Configuration of the scorer. Every key is optional."""

    path_overlap: float = Field(default=0.35, gt=0, le=1)
    """Token overlap from which a next step matches a gold pathway step (printed, section 2.3)."""
    therapy_correct: float = Field(default=0.67, gt=0, le=1)
    """Strict therapy F1 from which a CRC response can be correct (printed, section 2.3)."""
    overlap_measure: Literal["dice", "jaccard", "gold_coverage"] = "dice"
    """How token overlap is measured: 2|A&B|/(|A|+|B|), |A&B|/|A|B|, or |A&B|/|gold| (ours)."""
    slot_match: float = Field(default=0.5, gt=0, le=1)
    """IDF-weighted share of a gold slot's tokens that a need must hold to be mapped to it (ours)."""
    slot_correct: float = Field(default=0.5, gt=0, le=1)
    """Slot F1 from which a stop item can be correct (ours)."""
    partial_above: float = Field(default=0.0, ge=0, le=1)
    """A response with the wrong intent is partial where its content score exceeds this (ours)."""
    polarity_conflict: float = Field(default=0.5, gt=0, le=1)
    """Share of the common tokens with opposite polarity from which a next step contradicts the gold
    step (ours)."""
    gold_step_in_reasoning: float = Field(default=0.8, gt=0, le=1)
    """Share of a gold step's tokens that one passage of the reasoning must hold (ours)."""
    passage_sentences: int = Field(default=2, ge=1, le=10)
    """Length of such a passage, in sentences (ours)."""
    regimens_considered: int = Field(default=3, ge=1, le=10)
    """How many of the recommended regimens count: F1@3 takes the best of the first three (ours: the paper
    prints the name F1@3 and no definition)."""
    max_chars: int = Field(default=200_000, ge=1000, le=20_000_000)
    """A longer response is not parsed: it is labelled T2 (ours)."""
    max_depth: int = Field(default=4, ge=1, le=20)
    """How many containers around a response are unwrapped (ours)."""


def read_scorer_config(path: Path | None) -> ScorerConfig:
    """Read a scorer configuration; without a file, every default."""
    return ScorerConfig() if path is None else parse(ScorerConfig, read_yaml(path), file=path.name)
