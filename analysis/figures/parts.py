"""Parts that several figures are built from: data, titles, text columns, bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Chart
from analysis.figures.text import clean, text_width, wrap
from analysis.figures.theme import SMALL, TITLE, WIDTH, Theme, vega_config

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]

SYNTHETIC_LINES = 3
"""Lines that the statement on simulated data may take in a subtitle; the caption has it in full."""


BLANK: Row = {"one": 1}
"""The single row of a mark whose places are given in pixels."""


def options(**values: Any) -> Row:
    """Return properties of an axis or a scale.

    Plain data, not Altair's objects: those carry every property there is, set or not, and Altair
    copies them deeply whenever a layer joins a chart.
    """
    return values


def data(rows: Sequence[Row]) -> pl.DataFrame:
    """Return rows as the data of a chart.

    A frame, not a list: Altair copies lists deeply whenever it copies a chart.
    """
    return pl.DataFrame(rows, infer_schema_length=None)


def finish(
    chart: Any,
    theme: Theme,
    card: BenchmarkCard,
    title: str,
    subtitle: Sequence[str],
    *,
    width: float = WIDTH,
) -> Chart:
    """Set title, subtitle and theme of a finished chart.

    Parameters
    ----------
    chart : altair chart
        The chart.
    theme : Theme
        The theme.
    card : BenchmarkCard
        Its statement on synthetic data ends the subtitle.
    title : str
        States what is shown.
    subtitle : sequence of str
        Sentences: n, intervals, how to read it. Lines are broken here.
    width : float
        Width in pixels that the text may take.
    """
    lines = [line for sentence in subtitle for line in wrap(sentence, width - 8, SMALL)]
    if card.synthetic:
        lines += wrap(synthetic_text(card), width - 8, SMALL, max_lines=SYNTHETIC_LINES)
    head = {"text": wrap(title, width - 8, TITLE, bold=True), "subtitle": lines}
    # set in place: `properties` and `configure` would copy the whole chart
    chart.title = head
    chart.config = vega_config(theme)
    finished: Chart = chart
    return finished


def synthetic_text(card: BenchmarkCard) -> str:
    """Return the card's statement on synthetic data, beginning with a word that says so."""
    text = clean(card.synthetic)
    known = ("simulat", "synthetic", "reconstruct", "invented", "generated")
    return text if any(word in text[:60].lower() for word in known) else f"Synthetic data: {text}"


def label_column(labels: Sequence[str], size: float) -> float:
    """Return the width in pixels that the longest of some labels takes."""
    return max((text_width(label, size) for label in labels), default=0.0)


def row_height(n: int) -> float:
    """Return the height in pixels of a row of a figure that has n of them."""
    return 24 if n <= 12 else 21 if n <= 24 else 18 if n <= 60 else 15


def row_text(n: int) -> float:
    """Return the font size in pixels of row labels of a figure with n rows."""
    return 13 if n <= 24 else 12 if n <= 60 else 11


def note(
    text: str,
    x: float = 0.0,
    y: float = 0.0,
    *,
    align: str = "left",
    colour: str = "",
    size: float = SMALL,
    weight: str = "normal",
    style: str = "normal",
    angle: float = 0,
    **fields: Any,
) -> Row:
    """Return a text with its place in pixels of a panel, to be drawn by `notes`.

    Further fields serve as data coordinates where `notes` is given an encoding.
    """
    look = {"align": align, "colour": colour, "size": size, "weight": weight, "style": style, "angle": angle}
    return {"text": text, "px": x, "py": y, **look, **fields}


def notes(rows: Sequence[Row], theme: Theme, *, x: Any = None, y: Any = None, **options: Any) -> alt.Chart:
    """Return one layer that draws many texts, each with its own place, alignment and colour.

    Parameters
    ----------
    rows : sequence of dict
        Texts made by `note`.
    theme : Theme
        The theme; texts without a colour are soft.
    x, y : altair channel, optional
        Data coordinates in place of pixels.
    **options : dict
        Further properties of the mark.
    """
    import altair as alt

    def of(name: str) -> Any:
        return alt.expr(f"datum.{name}")

    shown = [{**r, "colour": r["colour"] or theme.soft} for r in rows if r["text"]]
    mark = {
        "align": of("align"),
        "baseline": "middle",
        "fontSize": of("size"),
        "fontWeight": of("weight"),
    }
    mark |= {"angle": of("angle")} if any(r["angle"] for r in shown) else {}
    mark |= {"fontStyle": of("style")} if any(r["style"] != "normal" for r in shown) else {}
    places = pixels(x="datum.px", y="datum.py", color="datum.colour")
    places |= {"x": x} if x is not None else {}
    places |= {"y": y} if y is not None else {}
    chart: alt.Chart = alt.Chart(data(shown)).mark_text(**{**mark, **options})
    return chart.encode(text=alt.Text("text:N"), **places)


def pixels(**places: float | str) -> dict[str, Any]:
    """Return channels whose values are given in the panel's pixels, or as colours.

    Parameters
    ----------
    **places : float or str
        A number for all marks, or an expression such as ``datum.px`` for each.
    """
    import altair as alt

    kinds: dict[str, Any] = {
        "x": alt.XValue,
        "y": alt.YValue,
        "x2": alt.X2Value,
        "y2": alt.Y2Value,
        "color": alt.ColorValue,
        "strokeWidth": alt.StrokeWidthValue,
    }
    return {
        channel: kinds[channel](alt.expr(place) if isinstance(place, str) else place)
        for channel, place in places.items()
    }


def segments(rows: Sequence[Row], channels: dict[str, Any] | None = None, **mark: Any) -> alt.Chart:
    """Return a layer of straight lines from (`px`, `py`) to (`ex`, `ey`) of each row."""
    import altair as alt

    ends = pixels(x="datum.px", y="datum.py", x2="datum.ex", y2="datum.ey")
    lines: alt.Chart = alt.Chart(data(rows)).mark_rule(**mark).encode(**ends, **(channels or {}))
    return lines
