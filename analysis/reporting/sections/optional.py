"""Parts of a report that few benchmarks have: under a heading, or as one line of a list at the end."""

from __future__ import annotations

import re
from collections.abc import Callable

from analysis.reporting.markup import block
from analysis.reporting.sections import consultation, controls, endpoints, episodes, rubric, sessions
from analysis.reporting.view import View

Show = Callable[[View], str]
ABSENT = re.compile(r'\s*```\{=html\}\s*<p class="absent">(?P<reason>.*?)</p>\s*```\s*', re.DOTALL)

PARTS: dict[str, tuple[str, Show]] = {
    "episodes": ("Whole episodes", lambda view: episodes.show(view) + endpoints.show(view)),
    "controls": ("Paired controls", controls.show),
    "consultations": ("Open answers, criterion by criterion", consultation.show),
    "rubric": ("Rubric", rubric.show),
    "sessions": ("Consultation sessions", sessions.show),
}
"""Identifier, heading and content of each part, in the order of the list of what is not there."""


def show(view: View, part: str) -> str:
    """Return a part under its heading; empty where it has nothing to show."""
    body = _body(view, part)
    return "" if ABSENT.fullmatch(body) else f"\n## {PARTS[part][0]} {{#{part}}}\n{body}"


def not_here(view: View) -> str:
    """Return which parts this report does not have and why, as a list; empty where it has them all."""
    lines = []
    for part, (heading, _) in PARTS.items():
        match = ABSENT.fullmatch(_body(view, part))
        if match:
            lines.append(f"<li>{heading}: {_lower(match['reason'])}</li>")
    if not lines:
        return ""
    return block(f'<p class="note">Not in this report:</p><ul class="note">{"".join(lines)}</ul>')


def _body(view: View, part: str) -> str:
    """Return a part's content, made once for a page."""
    if part not in view.parts:
        view.parts[part] = PARTS[part][1](view)
    return view.parts[part]


def _lower(reason: str) -> str:
    return reason[:1].lower() + reason[1:]
