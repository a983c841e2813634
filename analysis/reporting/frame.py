"""The frame around every page: title, navigation, provenance line, as variables of the template."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from analysis import __version__
from analysis.config import Config
from analysis.reporting.markup import escape, inline
from analysis.reporting.results import Results

FramedPage = Literal["report", "leaderboard", "item", "index", "methods"]


ITEM_TITLE = "VERDICT-ATLAS-TITLE"
"""Stands in the title of the one page from which pages of single items are made."""


def page_variables(
    page: FramedPage, *, config: Config, results: Path, benchmarks: Sequence[str]
) -> dict[str, Any]:
    """Return the template's variables for a page.

    Text from data stands as ready HTML in raw inlines, so neither renderer reads it as Markdown.
    """
    up = {"report": "../", "leaderboard": "../", "item": "../../"}.get(page, "")
    site = escape(config.site_title)
    variables: dict[str, Any] = {
        "site-title": inline(site),
        "assets": f"{up}assets",
        "home": f"{up}index.html",
        "methods": f"{up}methods.html",
        f"here-{page}": True,
        "provenance": inline(_line()),
    }
    if page in ("report", "leaderboard", "item"):
        opened = Results.open(benchmarks[0], results)
        title = escape(opened.title)
        shown = {"report": title, "leaderboard": f"Leaderboard: {title}"}.get(page, f"{ITEM_TITLE}: {title}")
        beside = "../" if page == "item" else ""
        variables |= {
            "report": f"{beside}index.html",
            "leaderboard": f"{beside}leaderboard.html",
            "page-title": inline(f"{shown} \u2013 {site}"),
            "summary": inline(escape(_summary(opened))),
            "provenance": inline(_line(opened)),
            "layout": "report" if page == "report" else "board",
        }
    else:
        name = {"index": "", "methods": "Methods \u2013 "}[page]
        variables["page-title"] = inline(f"{name}{site}")
    return variables


def _summary(results: Results) -> str:
    text = " ".join(results.card.description.split())
    return (text if len(text) <= 200 else text[:197] + "...") or f"Evaluation report of {results.title}."


def _line(results: Results | None = None) -> str:
    """Return what every page says of its making; the report's last section has the whole of it."""
    version = escape(__version__)
    if results is None:
        return f"Made with Verdict Atlas {version}."
    stamp = str(results.metadata("verdicts").get("config_sha256", ""))
    config = f", configuration <code>{escape(stamp[:12])}</code>" if stamp else ""
    return f"Made with Verdict Atlas {version}{config}, seed {results.settings.seed}."
