"""The panels of an item, in the order in which they stand on the page.

A further panel is a module with a `Panel` of its own and one line here.
"""

from __future__ import annotations

from analysis.reporting.items.panels import audit_trail, ratings, rubric, verdicts
from analysis.reporting.items.panels.panel import Panel

PANELS: tuple[Panel, ...] = (
    verdicts.PANEL,
    rubric.KEY,
    rubric.SCORES,
    rubric.NOTES,
    ratings.PANEL,
    audit_trail.PANEL,
)
