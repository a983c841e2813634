"""A panel with a row for each model or judge: lines, points, ticks and columns of text beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.figures.parts import Row, data, label_column, note, notes, options, row_height, row_text
from analysis.figures.theme import Theme
from analysis.figures.wording import share_ticks


@dataclass(frozen=True)
class TextColumn:
    """A column of text at the right of a panel.

    Parameters
    ----------
    head : str
        Its head.
    cells : sequence of str
        One text for each row.
    width : float
        Width in pixels.
    """

    head: str
    cells: Sequence[str]
    width: float


@dataclass(frozen=True)
class RowPanel:
    """Rows over one horizontal axis.

    Parameters
    ----------
    labels : sequence of str
        Labels of the rows, each once.
    domain : tuple of float
        Ends of the axis.
    title : str
        Title of the axis.
    width : float
        Width in pixels without labels and columns.
    theme : Theme
        The theme.
    with_labels : bool
        Whether the rows are labelled.
    """

    labels: Sequence[str]
    domain: tuple[float, float]
    title: str
    width: float
    theme: Theme
    with_labels: bool = True

    def draw(
        self,
        *,
        lines: Sequence[Row] = (),
        ticks: Sequence[Row] = (),
        points: Sequence[Row] = (),
        columns: Sequence[TextColumn] = (),
        head: str = "",
        zero: bool = False,
    ) -> Any:
        """Draw the panel.

        Parameters
        ----------
        lines : sequence of dict
            `label`, `low`, `high`, `colour`, `weight` (stroke width).
        ticks : sequence of dict
            `label`, `value`, `colour`: an upright stroke.
        points : sequence of dict
            `label`, `value`, `shape`, `fill`, `colour`, `tip`.
        columns : sequence of TextColumn
            Text beside the rows.
        head : str
            Title of the panel.
        zero : bool
            Draw a line at 0.
        """
        import altair as alt

        theme, n = self.theme, len(self.labels)
        step = row_height(n)
        axis_y = options(
            title=None,
            labels=self.with_labels,
            labelColor=theme.ink,
            labelFontSize=row_text(n),
            labelPadding=8,
        )
        y = alt.Y("label:N", scale=options(domain=list(self.labels), padding=0), axis=axis_y)
        values = [v for v in self._ticks() if self.domain[0] - 1e-9 <= v <= self.domain[1] + 1e-9]
        x = alt.X(
            "value:Q",
            scale=options(domain=list(self.domain), nice=False, zero=False),
            axis=options(
                title=self.title,
                titleAnchor="start",
                format=".1~%",
                grid=True,
                domain=True,
                ticks=True,
                tickSize=4,
                values=values,
            ),
        )
        colour = alt.Color("colour:N", scale=None)
        layers: list[Any] = []
        if zero:
            base = alt.Chart(data([{"value": 0.0}]))
            layers.append(base.mark_rule(color=theme.axis, strokeWidth=1.2).encode(x=x))
        if lines:
            weight = alt.StrokeWidth("weight:Q", scale=None)
            rule = alt.Chart(data(lines)).mark_rule(strokeCap="round")
            ends = {"x": alt.X("low:Q"), "x2": alt.X2("high:Q")}
            layers.append(rule.encode(y=y, color=colour, strokeWidth=weight, **ends))
        if ticks:
            tick = alt.Chart(data(ticks)).mark_tick(thickness=2.4, size=min(15, step - 4), orient="vertical")
            layers.append(tick.encode(y=y, x=x, color=colour))
        if points:
            point = alt.Chart(data(points)).mark_point(size=min(62, step * 3), strokeWidth=2, opacity=1)
            layers.append(
                point.encode(
                    y=y,
                    x=x,
                    shape=alt.Shape("shape:N", scale=None),
                    stroke=alt.Stroke("colour:N", scale=None),
                    fill=alt.Fill("fill:N", scale=None),
                    tooltip=alt.Tooltip("tip:N", title="Value"),
                )
            )
        layers += self._beside(columns, head, y)
        return alt.layer(*layers, width=self.width, height=step * n)

    def _ticks(self) -> list[float]:
        low, high = self.domain
        if low >= 0:
            return share_ticks(low, high, int(self.width / 46) + 1)
        reach = max(abs(low), abs(high))
        above = share_ticks(0.0, min(1.0, reach), max(2, int(self.width / 92) + 1))
        return sorted({*above, *(-v for v in above)})

    def _beside(self, columns: Sequence[TextColumn], head: str, y: Any) -> list[Any]:
        cells: list[Row] = []
        heads: list[Row] = [note(head, 0, -26, colour=self.theme.ink, weight="bold")] if head else []
        left = self.width
        for column in columns:
            at = left + column.width - 4
            heads.append(note(column.head, at, -9, align="right"))
            for label, text in zip(self.labels, column.cells, strict=True):
                cells.append(note(text, at, align="right", label=label, size=row_text(len(self.labels))))
            left += column.width
        layers = [notes(cells, self.theme, y=y)] if any(c["text"] for c in cells) else []
        return [*layers, *([notes(heads, self.theme)] if heads else [])]


def label_width(labels: Sequence[str]) -> float:
    """Return the pixels that the labels of a panel's rows take."""
    return label_column(labels, row_text(len(labels))) + 10


def text_columns(heads: Sequence[str], cells: Sequence[Sequence[str]], size: float = 13) -> list[TextColumn]:
    """Return columns as wide as their longest text."""
    return [
        TextColumn(head, texts, max(label_column([head, *texts], size) + 14, 40))
        for head, texts in zip(heads, cells, strict=True)
    ]
