"""The frame around every page: title, navigation, provenance line, as variables of the template."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from analysis import __version__
from analysis.config import Config
from analysis.reporting.markup import escape, inline
from analysis.reporting.results import Results

FramedPage = Literal["report", "leaderboard", "items", "item-page", "index", "methods"]
OF_A_BENCHMARK = ("report", "leaderboard", "items", "item-page")


def page_variables(
    page: FramedPage, *, config: Config, results: Path, benchmarks: Sequence[str]
) -> dict[str, Any]:
    """Return the template's variables for a page.

    Text from data stands as ready HTML in raw inlines, so neither renderer reads it as Markdown.
    """
    own = "../" if page == "item-page" else ""
    up = f"{own}../" if page in OF_A_BENCHMARK else ""
    site = escape(config.site_title)
    variables: dict[str, Any] = {
        "site-title": inline(site),
        "assets": f"{up}assets",
        "home": f"{up}index.html",
        "methods": f"{up}methods.html",
        f"here-{page.removesuffix('-page')}": True,
        "provenance": inline(_line()),
    }
    if page in OF_A_BENCHMARK:
        opened = Results.open(benchmarks[0], results)
        title = escape(opened.title)
        shown = title if page == "report" else f"{page.capitalize()}: {title}"
        variables |= {
            "report": f"{own}index.html",
            "leaderboard": f"{own}leaderboard.html",
            "items": f"{own}items.html",
            "page-title": inline(f"{shown} \u2013 {site}"),
            "summary": inline(escape(_summary(opened))),
            "provenance": inline(_line(opened)),
            "layout": {"report": "report", "leaderboard": "board"}.get(page, "items"),
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
