"""Square matrices of models against models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.matrix import column_notes
from analysis.figures.parts import Row, data, label_column, note, notes, options, pixels
from analysis.figures.theme import SMALL, TEXT, WIDTH, Theme

MAX_NAMED = 70
"""Beyond this many models neither rows nor columns are labelled, and equal neighbours are drawn as one."""


def cell_size(n: int, labels: Sequence[str]) -> float:
    """Return the side of a cell in pixels."""
    if n > MAX_NAMED:
        return max(2.5, 560 / n)
    room = WIDTH - 30 - label_column(labels, TEXT)
    return min(62.0, max(33.0 if n <= 12 else 15.0, room / n))


def draw_square(
    labels: Sequence[str], cells: Mapping[tuple[int, int], Row], theme: Theme, tips: Sequence[tuple[str, str]]
) -> tuple[Any, float, float]:
    """Draw cells of rows and columns.

    Parameters
    ----------
    labels : sequence of str
        Labels of the models, in order, downwards and across.
    cells : mapping of (int, int) to dict
        Row and column to `colour`, `text`, `ink` and the fields of tooltips; a place without a
        cell stays empty.
    theme : Theme
        The theme.
    tips : sequence of (str, str)
        Fields of the tooltip and what they are called.

    Returns
    -------
    chart, float, float
        The chart, its width with labels, and the side of a cell, in pixels.
    """
    import altair as alt

    n = len(labels)
    size = cell_size(n, labels)
    side = size * n
    if n > MAX_NAMED:
        return _merged(n, size, cells, theme), side, size
    rows = [
        {"row": labels[i], "column": labels[j], "weight": "normal", **cell} for (i, j), cell in cells.items()
    ]
    font = TEXT if size >= 17 else min(SMALL, size - 3)
    axis = options(title=None, labelColor=theme.ink, labelFontSize=font)
    y = alt.Y("row:N", scale=options(domain=list(labels), padding=0), axis=axis)
    x = alt.X("column:N", scale=options(domain=list(labels), padding=0), axis=None)
    edge: dict[str, Any] = {"stroke": theme.surface, "strokeWidth": 1.5 if size >= 24 else 0.75}
    shown = [alt.Tooltip("row:N", title="Row"), alt.Tooltip("column:N", title="Column")]
    shown += [alt.Tooltip(f"{field}:N", title=title) for field, title in tips]
    squares = (
        alt.Chart(data(rows))
        .mark_rect(**edge)
        .encode(x=x, y=y, color=alt.Color("colour:N", scale=None), tooltip=shown)
    )
    layers: list[Any] = [squares]
    words = [
        note(
            r["text"],
            align="center",
            colour=r["ink"],
            size=SMALL if size >= 38 else 11,
            weight=r["weight"],
            row=r["row"],
            column=r["column"],
        )
        for r in rows
        if r.get("text")
    ]
    if size >= 33 and words:
        layers.append(notes(words, theme, x=x, y=y))
    tops, reach = column_notes(labels, size, theme)
    layers.append(notes(tops, theme))
    return (
        alt.layer(*layers, width=side, height=side),
        label_column(labels, font) + 10 + side + reach,
        size,
    )


def _merged(n: int, size: float, cells: Mapping[tuple[int, int], Row], theme: Theme) -> Any:
    """Draw runs of equal colour as one rectangle each: 200 models are 40,000 cells."""
    import altair as alt

    rows: list[Row] = []
    for i in range(n):
        for j in range(n):
            cell = cells.get((i, j))
            if cell is None:
                continue
            last = rows[-1] if rows else None
            if last and last["i"] == i and last["end"] == j and last["colour"] == cell["colour"]:
                last["end"] = j + 1
            else:
                rows.append({"i": i, "start": j, "end": j + 1, "colour": cell["colour"]})
    places = pixels(
        x=f"datum.start*{size}",
        x2=f"datum.end*{size}",
        y=f"datum.i*{size}",
        y2=f"(datum.i+1)*{size}+0.3",
        color="datum.colour",
    )
    return alt.Chart(data(rows)).mark_rect().encode(**places).properties(width=size * n, height=size * n)
