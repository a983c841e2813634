"""Keys of a card about consultation sessions."""

from __future__ import annotations

from pydantic import Field

from analysis.strict import Strict


class SessionRules(Strict):
    """How consultation sessions are measured."""

    tau: float = Field(default=0.9, ge=0)
    """Share of the first regimen's quality that a revised one must keep (τ of DCSR)."""
