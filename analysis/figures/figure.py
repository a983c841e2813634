"""What a figure is: its name, what it needs, how it is drawn and what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.theme import Theme

if TYPE_CHECKING:
    import altair as alt

    Chart: TypeAlias = alt.TopLevelMixin
else:
    Chart = Any

Tables: TypeAlias = Mapping[str, pl.DataFrame]
"""Derived tables by name; `models` gives names and colours their order."""


@dataclass(frozen=True)
class Absent:
    """A figure that the data cannot support.

    Parameters
    ----------
    reason : str
        Why, as a sentence for the reader.
    """

    reason: str


@dataclass(frozen=True)
class Figure:
    """A figure of a benchmark.

    Parameters
    ----------
    name : str
        Name, also of its files.
    title : str
        What it shows, without reference to the benchmark.
    needs : tuple of str
        Tables it cannot do without.
    without : str
        Why it is absent where one of them is missing or has no rows.
    draw : callable
        Tables, card and theme to an Altair chart, or to `Absent`.
    caption : callable
        Tables and card to a caption in plain text; its numbers come from the tables.
    alt_text : callable
        Tables and card to what a screen reader says instead of the figure.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    without: str
    draw: Callable[[Tables, BenchmarkCard, Theme], Chart | Absent]
    caption: Callable[[Tables, BenchmarkCard], str]
    alt_text: Callable[[Tables, BenchmarkCard], str]

    def attempt(self, tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
        """Draw the figure, or say why it is absent where a table is missing or has no rows."""
        for name in self.needs:
            frame = tables.get(name)
            if frame is None or frame.is_empty():
                return Absent(self.without)
        return self.draw(tables, card, theme)


def specification(chart: Chart, *, validate: bool = True) -> dict[str, Any]:
    """Return the Vega-Lite specification of a chart, however many rows it holds.

    Parameters
    ----------
    chart : altair chart
        The chart.
    validate : bool
        Check it against Vega-Lite's schema, which takes about as long as the rest.
    """
    import altair as alt

    with alt.data_transformers.enable("default", max_rows=None):
        spec: dict[str, Any] = chart.to_dict(validate=validate)
    return spec


@dataclass(frozen=True)
class DrawnFigure:
    """A figure drawn in both themes.

    Parameters
    ----------
    name, title, caption, alt_text : str
        As in `Figure`, with the numbers filled in.
    light, dark : dict
        Vega-Lite specifications.
    """

    name: str
    title: str
    caption: str
    alt_text: str
    light: dict[str, Any]
    dark: dict[str, Any]
