"""What the figures on consultation sessions share: stages, order of the systems, marks of baselines."""

from __future__ import annotations

import polars as pl

from analysis.figures.figure import Tables
from analysis.figures.identity import Identity
from analysis.figures.theme import Theme

WITHOUT = "There are no consultation sessions."
STAGES = {
    "history": "History taking",
    "diagnosis": "Diagnosis",
    "treatment": "Treatment",
    "follow_up": "Follow-up",
}
"""Stages in order, as figures name them."""

ROLES = ("reference", "model", "baseline")
"""Order of the systems: people first, then models, then baselines."""


def systems_in_order(tables: Tables) -> list[str]:
    """Return the systems: references, models, baselines, each by the composite, best first."""
    rows = tables["stage_scores"].filter(pl.col("stage") == "composite")
    if rows.is_empty():
        rows = tables["stage_scores"].unique("model", keep="first").with_columns(estimate=None)
    place = pl.col("role").replace_strict({r: i for i, r in enumerate(ROLES)}, return_dtype=pl.Int64)
    return rows.sort(place, -pl.col("estimate"), "model", nulls_last=True)["model"].to_list()


def roles_of(tables: Tables) -> dict[str, str]:
    """Return the role of each system."""
    return dict(tables["stage_scores"].select("model", "role").unique().iter_rows())


def ink_of(model: str, role: str, who: Identity, theme: Theme) -> str:
    """Return a system's colour: baselines and references stand back."""
    return (
        who.colour(model, theme)
        if role == "model" and who.slots
        else theme.accent
        if role == "model"
        else theme.neutral
    )


def label_of(model: str, role: str, who: Identity) -> str:
    """Return a system's label, with what it is where it is no model."""
    label = who.label(model)
    return label if role == "model" or role in label.lower() else f"{label} ({role})"
