"""The first page: one card per benchmark."""

from __future__ import annotations

from pathlib import Path

from analysis.errors import VerdictAtlasError
from analysis.reporting.environment import named_benchmarks, results_folder
from analysis.reporting.markup import block, escape, named
from analysis.reporting.numbers import plural
from analysis.reporting.results import Results
from analysis.reporting.sections import boundary, headline, missing
from analysis.reporting.sections.hero import facts, synthetic_banner
from analysis.reporting.view import View
from analysis.reporting.whisker import axis_for, whisker

MOST_RUNGS = 6
"""Models in a card's picture."""


def show() -> str:
    """Return the head of the page and a card for every benchmark that the environment names."""
    results = results_folder()
    names = named_benchmarks(results)
    cards = "".join(_card(name, results) for name in names)
    head = (
        f'<div class="hero"><h1>{"Benchmark" if len(names) == 1 else "Benchmarks"}</h1>'
        '<p class="lede">Which models solve which items, how sure the ranking is, what no model solves, '
        "and at what cost.</p></div>"
    )
    return block(f'{head}<ul class="cards">{cards}</ul>')


def _card(name: str, folder: Path) -> str:
    try:
        results = Results.open(name, folder)
    except VerdictAtlasError as error:
        why = _why_not_read(name, folder) or f'<p class="absent">{escape(error)}</p>'
        return f'<li class="card"><h2>{named(name)}</h2>{why}</li>'
    view = View(results)
    about = " ".join(results.card.description.split())
    return (
        f'<li class="card"><h2><a href="{escape(name)}/index.html">'
        f"{named(results.title, css='title')}</a></h2>"
        f"{synthetic_banner(results)}"
        + (f'<p class="about">{escape(about)}</p>' if about else "")
        + f"{facts(results)}{_findings(view)}{_picture(view)}"
        f'<ul class="buttons"><li><a class="button primary" href="{escape(name)}/index.html">Report</a></li>'
        f'<li><a class="button" href="{escape(name)}/leaderboard.html">Leaderboard</a></li>'
        f'<li><a class="button" href="{escape(name)}/items.html">Items</a></li></ul></li>'
    )


def _why_not_read(name: str, folder: Path) -> str:
    """Return the message with which the benchmark was refused, line by line; empty where there is none."""
    path = folder / "logs" / "ingest_benchmark" / f"{name}.failed"
    if not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.removeprefix(f"ingest_benchmark, benchmark {name}: ").splitlines()
    shown = "<br>".join(escape(line.strip()) for line in lines if line.strip())
    return f'<p class="absent">This benchmark could not be built.</p><p class="refused">{shown}</p>'


def _findings(view: View) -> str:
    found = [headline.leader(view), missing.unlike_items(view), boundary.finding(view)]
    shown = "".join(f"<p>{lead}</p>" for lead, _ in filter(None, found))
    return shown or '<p class="absent">No response is scored.</p>'


def _picture(view: View) -> str:
    """Return the highest scores as a list: name, dot with its interval, value."""
    table = view.standings
    if table is None:
        return ""
    top, compared = table.head(MOST_RUNGS), table.height > 1
    ends = [*top["estimate"], *top["ci_low"], *top["ci_high"]]
    axis = axis_for(ends, width=130, bounded=view.scale.kind == "percent")
    rungs = []
    for row in top.iter_rows(named=True):
        best = bool(row["in_best_set"]) and compared
        picture = whisker(row["estimate"], row["ci_low"], row["ci_high"], axis, best=best)
        rungs.append(
            f"<li>{view.name(row['model'])}{picture}<span>{view.scale.value(row['estimate'])}</span></li>"
        )
    shown = "Scores"
    if table.height > MOST_RUNGS:
        shown = f"The {MOST_RUNGS} highest scores of {plural(table.height, 'model')}"
    blue = ", the best set in blue" if compared and top["in_best_set"].any() else ""
    return f'<ul class="ladder">{"".join(rungs)}</ul><p class="note">{shown} with {view.ci}{blue}.</p>'
