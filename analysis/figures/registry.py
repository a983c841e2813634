"""All figures, in the order in which a report shows them."""

from __future__ import annotations

from analysis.figures import (
    composition_gap,
    concordance,
    consultation,
    count_distribution,
    coverage,
    decisiveness,
    episode_depth,
    episode_states,
    failure_labels,
    flag_outcomes,
    frontier,
    judge_audit,
    paired_controls,
    pairwise,
    policies,
    rubric_distribution,
    rubric_domains,
    score_distribution,
    scores,
    scores_by_track,
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
        rubric_domains,
        rubric_distribution,
        composition_gap,
        episode_states,
        episode_depth,
        paired_controls,
        judge_audit,
        consultation,
    )
}
"""Every figure by its name."""
