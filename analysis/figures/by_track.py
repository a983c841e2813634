"""Figures of single tracks: a paper often shows its main track alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.registry import FIGURES
from analysis.figures.select import ALL, in_track, tracks_of
from analysis.figures.text import clean, isolate, shorten
from analysis.figures.theme import SMALL, WIDTH, Theme

PER_TRACK = ("scores", "frontier")
"""Figures that are drawn for each track too."""
MAX_TRACKS = 4
"""Where there are more tracks, none has figures of its own."""


def track_figures(tables: Tables) -> dict[str, tuple[str, str]]:
    """Return figure and track of each figure of a single track, by its name.

    Names number the tracks in their order, since a track may be called anything.
    """
    scores = tables.get("model_scores")
    tracks = [] if scores is None else tracks_of(scores)
    if not 1 < len(tracks) <= MAX_TRACKS:
        return {}
    return {f"{name}_track_{i}": (name, t) for i, t in enumerate(tracks, 1) for name in PER_TRACK}


def every_figure(tables: Tables) -> dict[str, Figure]:
    """Return the figures of a benchmark, those of single tracks last."""
    own = {name: _of_track(name, *of) for name, of in track_figures(tables).items()}
    return {**FIGURES, **own}


def _of_track(name: str, base: str, track: str) -> Figure:
    """Return a figure that draws one track in place of all items."""
    figure = FIGURES[base]

    def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
        own = _only(tables, track)
        if any(own[needed].is_empty() for needed in figure.needs):
            return Absent(figure.without)
        chart: Any = figure.draw(own, card, theme)
        if not isinstance(chart, Absent):
            where = shorten(clean(track), WIDTH - 60, SMALL)
            chart.title["subtitle"] = [f"Track {where}.", *chart.title["subtitle"]]
        drawn: Chart | Absent = chart
        return drawn

    def caption(tables: Tables, card: BenchmarkCard) -> str:
        return f"Track {isolate(clean(track))}. {figure.caption(_only(tables, track), card)}"

    def alt_text(tables: Tables, card: BenchmarkCard) -> str:
        return f"Track {clean(track)}. {figure.alt_text(_only(tables, track), card)}"

    title = f"{figure.title}, track {clean(track)}"
    return replace(figure, name=name, title=title, draw=draw, caption=caption, alt_text=alt_text)


def _only(tables: Tables, track: str) -> Tables:
    """Return the tables with one track in the place of all items, and no other."""
    out = {}
    for name, frame in tables.items():
        tracked = "track" in frame.columns and name != "items"
        out[name] = in_track(frame, track).with_columns(track=pl.lit(ALL)) if tracked else frame
    return out
