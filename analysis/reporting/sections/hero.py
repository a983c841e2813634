"""The head of a report: what it is about, whether its data are real, how much there is."""

from __future__ import annotations

import polars as pl

from analysis.reporting.markup import block, escape, linked, named, prose
from analysis.reporting.numbers import count
from analysis.reporting.results import Results
from analysis.reporting.view import View


def show(view: View) -> str:
    """Return the head of the report."""
    results = view.results
    links = (
        '<ul class="buttons">'
        '<li><a class="button primary" href="leaderboard.html">Leaderboard</a></li>'
        '<li><a class="button" href="items.html">Items</a></li>'
        '<li><a class="button" href="leaderboard.csv" download>Scores as CSV</a></li>'
        '<li><a class="button" href="leaderboard.json" download>Scores as JSON</a></li></ul>'
    )
    return block(
        f'<div class="hero">{synthetic_banner(results)}<p class="kicker">Benchmark report</p>'
        f"<h1>{named(results.title, css='title')}</h1>{about(results)}{facts(results)}{links}</div>"
    )


def synthetic_banner(results: Results) -> str:
    """Return the banner of simulated or reconstructed data as HTML; empty for real data."""
    text = results.card.synthetic
    if not text:
        return ""
    return (
        '<aside class="synthetic" aria-label="About these data"><strong>Not original data.</strong>'
        f"<p>{linked(text)}</p></aside>"
    )


def about(results: Results) -> str:
    """Return the card's description, source and licence as HTML."""
    card = results.card
    origin = []
    if card.source:
        origin.append(f"Source: {linked(card.source)}.".replace("..", "."))
    if card.licence:
        origin.append(f"Licence: {escape(card.licence.rstrip(' .'))}.")
    line = f'<p class="note">{" ".join(origin)}</p>' if origin else ""
    return f'<div class="prose">{prose(card.description)}{line}</div>' if card.description or line else ""


def facts(results: Results) -> str:
    """Return how many models, items, tracks, clusters and responses there are, as an HTML list."""
    models, verdicts = results.table("models"), results.table("verdicts")
    n_models = 0 if models is None else models.filter(pl.col("n_rows") > 0).height
    numbers = [(n_models, "model", "models"), (results.n_items, "item", "items")]
    if results.tracks:
        numbers.append((len(results.tracks), "track", "tracks"))
    n_clusters = cluster_count(results)
    if n_clusters:
        numbers.append((n_clusters, "cluster", "clusters"))
    numbers.append((0 if verdicts is None else verdicts.height, "response", "responses"))
    parts = [f"<div><dt>{one if n == 1 else many}</dt><dd>{count(n)}</dd></div>" for n, one, many in numbers]
    return f'<dl class="facts">{"".join(parts)}</dl>'


def cluster_count(results: Results) -> int:
    """Return the number of declared clusters; 0 where none are declared."""
    items, cluster = results.table("items"), results.card.cluster
    if items is None or not cluster or cluster not in items.columns:
        return 0
    return items[cluster].drop_nulls().n_unique()
