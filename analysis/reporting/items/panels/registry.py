"""The panels of an item, in the order in which they stand on the page.

A further panel is a module with a `Panel` of its own and one line here.
"""

from __future__ import annotations

from analysis.reporting.items.panels import audit_trail, ratings, rubric, verdicts, vignette
from analysis.reporting.items.panels.panel import Panel

PANELS: tuple[Panel, ...] = (
    verdicts.PANEL,
    vignette.KEY,
    vignette.SCORES,
    vignette.NOTES,
    ratings.PANEL,
    rubric.PANEL,
    audit_trail.PANEL,
)
