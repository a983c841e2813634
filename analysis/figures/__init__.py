"""Figures: derived frames in, Altair charts and their files out; nothing here estimates anything."""

from __future__ import annotations

from analysis.figures.drawing import draw_figure, draw_figures
from analysis.figures.figure import Absent, Chart, DrawnFigure, Figure, Tables, specification
from analysis.figures.registry import FIGURES
from analysis.figures.theme import DARK, LIGHT, THEMES, Theme
from analysis.figures.write import read_index, write_figures

__all__ = [
    "DARK",
    "FIGURES",
    "LIGHT",
    "THEMES",
    "Absent",
    "Chart",
    "DrawnFigure",
    "Figure",
    "Tables",
    "Theme",
    "draw_figure",
    "draw_figures",
    "read_index",
    "specification",
    "write_figures",
]
