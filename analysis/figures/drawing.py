"""Drawing of a benchmark's figures in both themes."""

from __future__ import annotations

from analysis.config import BenchmarkCard
from analysis.figures.by_track import every_figure
from analysis.figures.figure import Absent, DrawnFigure, Figure, Tables, specification
from analysis.figures.theme import DARK, LIGHT


def draw_figures(tables: Tables, card: BenchmarkCard) -> dict[str, DrawnFigure | Absent]:
    """Draw every figure in both themes.

    Parameters
    ----------
    tables : mapping of str to pl.DataFrame
        The derived tables of one benchmark that exist, `models` among them.
    card : BenchmarkCard
        Its card.

    Returns
    -------
    dict of str to DrawnFigure or Absent
        Every name of `FIGURES`, in order, then the figures of single tracks.
    """
    return {name: draw_figure(figure, tables, card) for name, figure in every_figure(tables).items()}


def draw_figure(figure: Figure, tables: Tables, card: BenchmarkCard) -> DrawnFigure | Absent:
    """Draw one figure in both themes."""
    light = figure.attempt(tables, card, LIGHT)
    if isinstance(light, Absent):
        return light
    dark = figure.attempt(tables, card, DARK)
    if isinstance(dark, Absent):
        return dark
    return DrawnFigure(
        name=figure.name,
        title=figure.title,
        caption=figure.caption(tables, card),
        alt_text=figure.alt_text(tables, card),
        light=specification(light, validate=False),
        dark=specification(dark, validate=False),
    )
