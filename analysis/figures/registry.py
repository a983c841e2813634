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
    )
}
"""Every figure by its name."""
