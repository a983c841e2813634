"""Matrices of models and categories, with the longer side downwards and numbers in the cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.figures.parts import Row, data, label_column, note, notes, options, pixels, row_height, row_text
from analysis.figures.text import shorten, text_width
from analysis.figures.theme import SMALL, TEXT, WIDTH, Theme, interpolate, text_on

SLANT, STEEP = 45, 65
"""Degrees by which labels of columns rise: the usual ones, and those of narrow columns."""

MAX_COLUMN_LABEL = 190
"""Longest label of a column, in pixels."""


@dataclass(frozen=True)
class Group:
    """Categories that belong together, such as the values of a stratum.

    Parameters
    ----------
    title : str
        What the categories are; empty where there is only one group and the title says it.
    values : sequence of str
        The categories, distinct, in the order in which they stand.
    sides : mapping of str to sequence of str
        For each category the texts beside its cells.
    """

    title: str
    values: Sequence[str]
    sides: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Scale:
    """How values become colours.

    Parameters
    ----------
    low, high : float
        Values at the ends of the ramp.
    title : str
        What the key is called.
    low_text, high_text : str
        The ends in words.
    diverging : bool
        Values lie below and above zero.
    """

    low: float
    high: float
    title: str
    low_text: str
    high_text: str
    diverging: bool = False

    def ramp(self, theme: Theme) -> tuple[str, ...]:
        """Return the theme's colours for such values."""
        return theme.diverging if self.diverging else theme.ramp

    def colour(self, value: float, theme: Theme) -> str:
        """Return the colour of a value."""
        return interpolate(self.ramp(theme), (value - self.low) / ((self.high - self.low) or 1.0))


def draw_matrix(
    groups: Sequence[Group],
    models: Sequence[str],
    cells: dict[tuple[int, str, str], Row],
    scale: Scale,
    headers: Sequence[str],
    theme: Theme,
    *,
    last: str = "",
) -> tuple[Any, float]:
    """Draw groups of categories against models.

    Parameters
    ----------
    groups : sequence of Group
        The categories.
    models : sequence of str
        Labels of the models in order.
    cells : dict
        Group number, category and model to `value`, `text`, `style`, `weight` and what tooltips show.
    scale : Scale
        Values to colours.
    headers : sequence of str
        What the texts beside the cells are.
    theme : Theme
        The theme.
    last : str
        Colour of the last of the texts beside the cells.

    Returns
    -------
    chart, float
        The chart and its width in pixels.
    """
    import altair as alt

    n_values = sum(len(g.values) for g in groups)
    draw = _categories_down if n_values >= len(models) or len(models) <= 12 else _models_down
    chart, width = draw(groups, models, cells, scale, headers, theme, last)
    return alt.vconcat(chart, key_strip(scale, theme), spacing=16), width


def _cell_rows(
    group: int,
    g: Group,
    models: Sequence[str],
    cells: dict[tuple[int, str, str], Row],
    scale: Scale,
    theme: Theme,
) -> list[Row]:
    rows = []
    for value in g.values:
        for model in models:
            cell = cells.get((group, value, model))
            row: Row = {"model": model, "value": value, "shown": "", "colour": theme.band, "ink": theme.soft}
            if cell is not None:
                colour = scale.colour(cell["value"], theme)
                row |= {**cell, "value": value, "colour": colour, "ink": text_on(colour, theme)}
            rows.append(row)
    return rows


def _squares(rows: list[Row], x: Any, y: Any, theme: Theme, *, text: bool, gap: bool) -> list[Any]:
    import altair as alt

    base = alt.Chart(data(rows))
    tips = [alt.Tooltip(f"{name}:N", title=title) for name, title in
            (("model", "Model"), ("value", "Category"), ("text", "Value"), ("n", "Items"))]  # fmt: skip
    edge: dict[str, Any] = {"stroke": theme.surface, "strokeWidth": 1.5} if gap else {}
    layers: list[Any] = [
        base.mark_rect(**edge).encode(x=x, y=y, color=alt.Color("colour:N", scale=None), tooltip=tips)
    ]
    if text:
        words = [
            note(r["text"], align="center", colour=r["ink"], size=SMALL, weight=r["weight"], style=r["style"],
                 model=r["model"], value=r["value"])
            for r in rows if "text" in r
        ]  # fmt: skip
        layers.append(notes(words, theme, x=x, y=y))
    return layers


def _band(field: str, labels: Sequence[str], axis: Any) -> dict[str, Any]:

    return {"shorthand": f"{field}:N", "scale": options(domain=list(labels), padding=0), "axis": axis}


def column_notes(labels: Sequence[str], step: float, theme: Theme) -> tuple[list[Row], float]:
    """Return the labels of columns, and how far the last one reaches beyond its column."""
    if max(text_width(label, SMALL) for label in labels) <= step - 6:
        return [
            note(t, (i + 0.5) * step, -10, align="center", colour=theme.ink) for i, t in enumerate(labels)
        ], 0.0
    if step < 11:
        return [], 0.0
    short = [shorten(label, MAX_COLUMN_LABEL, SMALL) for label in labels]
    # slanted lines of text must keep at least their own height apart
    angle = SLANT if step * math.sin(math.radians(SLANT)) >= SMALL + 1 else STEEP
    rows = [note(t, (i + 0.5) * step, -8, colour=theme.ink, angle=-angle) for i, t in enumerate(short)]
    cosine = math.cos(math.radians(angle))
    reach = max(cosine * text_width(t, SMALL) - (len(short) - i - 0.5) * step for i, t in enumerate(short))
    return rows, max(0.0, reach)


def _categories_down(
    groups: Sequence[Group],
    models: Sequence[str],
    cells: dict[tuple[int, str, str], Row],
    scale: Scale,
    headers: Sequence[str],
    theme: Theme,
    last: str,
) -> tuple[Any, float]:
    import altair as alt

    left = label_column([v for g in groups for v in g.values], TEXT) + 10
    wide = 14 + max([48.0, *(text_width(h, SMALL) for h in headers)])
    right = wide * len(headers) + 8
    step = min(64.0, max(26.0 if len(models) <= 40 else 5.0, (WIDTH - 16 - left - right) / len(models)))
    width = step * len(models)
    tops, reach = column_notes(models, step, theme)
    panels = []
    for i, g in enumerate(groups):
        y = alt.Y(**_band("value", g.values, options(title=None, labelColor=theme.ink, labelFontSize=TEXT)))
        x = alt.X(**_band("model", models, None))
        layers = _squares(
            _cell_rows(i, g, models, cells, scale, theme), x, y, theme, text=step >= 22, gap=step >= 12
        )
        side = [
            note(text, width + wide * (j + 1), align="right", value=value,
                 colour=last if j == len(headers) - 1 else "")
            for value in g.values for j, text in enumerate(g.sides.get(value, ()))
        ]  # fmt: skip
        if side:
            layers.append(notes(side, theme, y=y))
        heads = [note(h, width + wide * (j + 1), -10, align="right") for j, h in enumerate(headers)]
        if g.title:
            heads.append(note(g.title, -6, -10, align="right", weight="bold", colour=theme.ink))
        layers.append(
            notes([*(tops if i == 0 else []), *(heads if i == 0 else heads[len(headers) :])], theme)
        )
        panels.append(alt.layer(*layers, width=width, height=24 * len(g.values)))
    chart = alt.vconcat(*panels, spacing=26) if len(panels) > 1 else panels[0]
    return chart, left + width + max(right, reach)


def _models_down(
    groups: Sequence[Group],
    models: Sequence[str],
    cells: dict[tuple[int, str, str], Row],
    scale: Scale,
    headers: Sequence[str],
    theme: Theme,
    last: str,
) -> tuple[Any, float]:
    import altair as alt

    n_values = sum(len(g.values) for g in groups)
    high = row_height(len(models))
    left = max(label_column(models, row_text(len(models))), label_column(headers, SMALL)) + 10
    room = (WIDTH - 16 - left - 14 * (len(groups) - 1)) / n_values
    step = min(60.0, max(32.0 if n_values <= 30 else 14.0, room))
    height = high * len(models)
    panels = []
    total = left
    for i, g in enumerate(groups):
        width = step * len(g.values)
        labels = options(title=None, labelColor=theme.ink, labelFontSize=row_text(len(models)))
        y = alt.Y(**_band("model", models, labels if i == 0 else None))
        x = alt.X(**_band("value", g.values, None))
        layers = _squares(
            _cell_rows(i, g, models, cells, scale, theme), x, y, theme, text=step >= 22, gap=True
        )
        tops, reach = column_notes(g.values, step, theme)
        words = list(tops)
        for j, header in enumerate(headers):
            at = height + 14 + 18 * j
            colour = last if j == len(headers) - 1 else ""
            if i == 0:
                words.append(note(header, -8, at, align="right", colour=colour))
            for k, value in enumerate(g.values):
                text = g.sides.get(value, ("",) * len(headers))[j]
                size = next((s for s in (SMALL, 10) if text_width(text, s) <= step - 3), 0)
                if size:
                    words.append(note(text, (k + 0.5) * step, at, align="center", colour=colour, size=size))
        if g.title:
            words.append(note(g.title, 0, height + 18 + 18 * len(headers), weight="bold", colour=theme.ink))
        layers.append(notes(words, theme))
        panels.append(alt.layer(*layers, width=width, height=height))
        total += width + (14 if i else 0) + (reach if i == len(groups) - 1 else 0)
    chart = alt.hconcat(*panels, spacing=14) if len(panels) > 1 else panels[0]
    return chart, total


def key_strip(scale: Scale, theme: Theme) -> Any:
    """Return the key of the colours as a strip."""
    import altair as alt

    parts, wide = 40, 4.0
    colours = [interpolate(scale.ramp(theme), i / (parts - 1)) for i in range(parts)]
    rows = [{"px": i * wide, "end": (i + 1) * wide + 0.5, "colour": c} for i, c in enumerate(colours)]
    strip = (
        alt.Chart(data(rows))
        .mark_rect()
        .encode(**pixels(x="datum.px", x2="datum.end", y=0, y2=10, color="datum.colour"))
    )
    end = parts * wide
    words = [
        note(scale.low_text, -6, 5, align="right"),
        note(scale.high_text, end + 6, 5),
        note(scale.title, end + 14 + text_width(scale.high_text, SMALL), 5),
    ]
    return alt.layer(strip, notes(words, theme), width=end, height=10)
