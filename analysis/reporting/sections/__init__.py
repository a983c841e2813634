"""The sections of a benchmark's report: each function returns the Markdown of what it shows."""

from analysis.reporting.sections import (
    boundary,
    comparisons,
    concordance,
    cost,
    failures,
    headline,
    hero,
    missing,
    provenance,
    quality,
    scores,
    strata,
)

__all__ = [
    "boundary",
    "comparisons",
    "concordance",
    "cost",
    "failures",
    "headline",
    "hero",
    "missing",
    "provenance",
    "quality",
    "scores",
    "strata",
]
