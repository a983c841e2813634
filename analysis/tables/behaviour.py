"""Tables on behaviour, made together: versions, specialties, decisions, flags, scores, clusters of models."""

from __future__ import annotations

from analysis.tables import (
    decisiveness,
    flag_outcomes,
    model_clusters,
    rank_shifts,
    score_distribution,
    specialties,
    threshold_sensitivity,
    version_changes,
)
from analysis.tables.data import BenchmarkData, Made

MODULES = (
    decisiveness,
    flag_outcomes,
    model_clusters,
    rank_shifts,
    score_distribution,
    specialties,
    threshold_sensitivity,
    version_changes,
)


def derive(data: BenchmarkData) -> Made:
    """Make the tables of every module; one without rows says that the data have nothing of its kind."""
    made: Made = {}
    for module in MODULES:
        made |= module.derive(data)
    return made
