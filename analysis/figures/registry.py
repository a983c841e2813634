"""All figures, in the order in which a report shows them."""

from __future__ import annotations

from analysis.figures import (
    concordance,
    count_distribution,
    coverage,
    decisiveness,
    failure_labels,
    flag_outcomes,
    frontier,
    hidden_errors,
    metric_heatmap,
    pairwise,
    policies,
    process_outcome,
    score_distribution,
    scores,
    scores_by_track,
    stage_profiles,
    strata,
)
from analysis.figures.figure import Figure

FIGURES: dict[str, Figure] = {
    module.FIGURE.name: module.FIGURE
    for module in (
        scores,
        scores_by_track,
        pairwise,
        policies,
        count_distribution,
        score_distribution,
        coverage,
        concordance,
        strata,
        failure_labels,
        decisiveness,
        flag_outcomes,
        frontier,
        stage_profiles,
        metric_heatmap,
        hidden_errors,
        process_outcome,
    )
}
"""Every figure by its name."""
