"""The leaderboard of a benchmark: a page that sorts and filters, and the same numbers as CSV and JSON."""

from __future__ import annotations

from pathlib import Path

from analysis.config import Config
from analysis.reporting.assets import write_assets
from analysis.reporting.environment import reports_folder
from analysis.reporting.exports import as_csv, as_json
from analysis.reporting.frame import page_variables
from analysis.reporting.leaderboard_rows import Board, build_board
from analysis.reporting.leaderboard_table import board_table
from analysis.reporting.markup import block, escape, named
from analysis.reporting.numbers import plural
from analysis.reporting.pandoc import to_html
from analysis.reporting.results import Results
from analysis.reporting.sections import headline
from analysis.reporting.sections.hero import synthetic_banner
from analysis.reporting.source import read_project
from analysis.reporting.view import View, success_words


def write_leaderboard(benchmark: str, *, config: Config, folder: Path) -> None:
    """Write ``leaderboard.html``, ``leaderboard.csv`` and ``leaderboard.json``.

    Parameters
    ----------
    benchmark : str
        The benchmark's name.
    config : Config
        The configuration: results folder and site title.
    folder : Path
        ``<site>/<benchmark>``.
    """
    results = Path(config.results).resolve()
    view = View(Results.open(benchmark, results))
    board = build_board(view)
    folder.mkdir(parents=True, exist_ok=True)
    project = read_project(reports_folder() / "_quarto.yml")
    variables = page_variables("leaderboard", config=config, results=results, benchmarks=[benchmark])
    scripts = ["../assets/datatables.js", "../assets/leaderboard.js"] if board.rows else []
    html = to_html(
        block(_body(view, board)),
        template=reports_folder() / str(project["format"]["html"]["template"]),
        metadata={**project, **variables, "hero": True, "scripts": scripts},
        page="leaderboard.html",
        options={},
    )
    write_assets(folder.parent / "assets")
    (folder / "leaderboard.html").write_text(html, encoding="utf-8")
    (folder / "leaderboard.csv").write_text(as_csv(view, board), encoding="utf-8")
    (folder / "leaderboard.json").write_text(as_json(view, board), encoding="utf-8")


def _body(view: View, board: Board) -> str:
    results = view.results
    found = headline.leader(view)
    lead = f'<p class="lede">{found[0]}</p>' if found else ""
    head = (
        f'<div class="hero">{synthetic_banner(results)}<p class="kicker">Leaderboard</p>'
        f"<h1>{named(results.title, css='title')}</h1>{lead}</div>"
    )
    if not board.rows:
        return f'{head}<p class="absent">{results.why_absent("model_scores")}</p>{_unranked(view, board)}'
    downloads = (
        '<ul class="buttons"><li><a class="button" href="leaderboard.csv" download>CSV</a></li>'
        '<li><a class="button" href="leaderboard.json" download>JSON</a></li>'
        '<li><a class="button" href="index.html">Report</a></li></ul>'
    )
    return "\n".join(
        [
            head,
            _controls(board),
            board_table(view, board),
            _unranked(view, board),
            downloads,
            _key(view, board),
        ]
    )


def _controls(board: Board) -> str:
    """Return the controls; the script shows them, since they do nothing without it."""
    selects = "".join(
        f'<label>{head} <select data-filter="{key}"><option value="">all</option>'
        + "".join(f'<option value="{escape(v)}">{escape(v)}</option>' for v in values)
        + "</select></label>"
        for key, head, values in board.filters
    )
    groups = "".join(
        f'<label><input type="checkbox" data-group="{g.key}"{" checked" if g.shown else ""}> {g.head}</label>'
        for g in board.groups
    )
    boxes = f"<fieldset><legend>Columns</legend>{groups}</fieldset>" if groups else ""
    return (
        '<form class="controls" id="controls" hidden>'
        '<label>Find <input type="search" id="find" autocomplete="off" placeholder="model, vendor"></label>'
        f'{selects}{boxes}<span class="shown" role="status"></span></form>'
    )


def _key(view: View, board: Board) -> str:
    """Return what the columns mean."""
    results = view.results
    method = results.interval_words(view.metric)
    unit = f"clusters (<code>{escape(results.card.cluster)}</code>)" if results.card.cluster else "items"
    what = (
        f"Share of the model's scored items that are solved (verdict {success_words(results)})"
        if view.metric == "correct"
        else f"Mean of <code>{escape(view.metric)}</code> over the model's scored items"
    )
    facts = [
        ("Score", f"{what}, with its {view.ci} ({method})."),
        ("Items", "Items on which the model was scored."),
    ]
    if board.compared:
        facts = [
            (
                "Order",
                "Position by score alone. It says nothing about whether neighbours differ.",
            ),
            (
                "Rank",
                "The places that the pairwise tests leave open: a model cannot rank above those that are "
                f"significantly better, nor below those that are significantly worse (paired by {unit}, "
                f"Holm over all pairs, family-wise error {view.alpha:g}).",
            ),
            ("Ties", "Models that share a letter are not distinguishable by those tests."),
            (
                "Tier",
                "A new tier begins where a model is significantly better than the next one "
                "(neighbours only, Bonferroni). Models of one tier need not tie.",
            ),
            *facts,
        ]
    for group in board.groups:
        facts.append((group.head, group.meaning))
    items = "".join(f"<dt>{head}</dt><dd>{text}</dd>" for head, text in facts)
    return f'<section id="key"><h2>How to read this table</h2><dl class="key">{items}</dl></section>'


def _unranked(view: View, board: Board) -> str:
    if not board.unranked:
        return ""
    lines = "".join(f"<li>{view.name(model)}: {escape(why)}</li>" for model, why in board.unranked)
    text = f"<p>{plural(len(board.unranked), 'model')} without a scored item.</p>"
    return f'<section id="not-ranked"><h2>Not ranked</h2>{text}<ul>{lines}</ul></section>'
