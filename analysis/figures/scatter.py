"""Points with labels at their side, for figures in which every model is a point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.figures.parts import Row, note, notes, segments
from analysis.figures.place import place_labels
from analysis.figures.theme import SMALL, Theme


@dataclass(frozen=True)
class Plane:
    """A panel that turns values into pixels.

    Parameters
    ----------
    width, height : float
        The panel in pixels.
    x, y : (float, float)
        Values at the left and right, and at the bottom and top.
    log : bool
        The horizontal axis is logarithmic.
    """

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    log: bool = False

    def px(self, value: float) -> float:
        """Return the horizontal place of a value."""
        low, high, at = (math.log10(v) for v in (*self.x, value)) if self.log else (*self.x, value)
        return self.width * (at - low) / (high - low)

    def py(self, value: float) -> float:
        """Return the vertical place of a value, from the top."""
        return self.height * (self.y[1] - value) / (self.y[1] - self.y[0])


def label_layers(
    rows: Sequence[Row],
    order: Sequence[int],
    plane: Plane,
    theme: Theme,
    *,
    lines: Sequence[tuple[float, float, float, float]] = (),
    reach: float = 0.0,
) -> tuple[list[Any], int]:
    """Return layers with the labels of points, and how many found no place.

    Parameters
    ----------
    rows : sequence of dict
        Points: `label`, `ink` and their pixels `px`, `py`.
    order : sequence of int
        Numbers of the points, the most important first.
    plane : Plane
        The panel.
    theme : Theme
        The theme.
    lines : sequence of (x0, y0, x1, y1)
        Lines that labels had better not cross.
    reach : float
        How far labels may run beyond the panel to its right.
    """
    placed = place_labels(
        [(r["px"], r["py"]) for r in rows],
        [r["label"] for r in rows],
        order,
        width=plane.width,
        height=plane.height,
        size=SMALL,
        lines=lines,
        reach=reach,
    )
    words, leaders = [], []
    for p in placed:
        row = rows[p.index]
        words.append(note(row["label"], p.x, p.y, align=p.align, colour=row.get("ink", theme.ink)))
        if p.led:
            edge = {"left": -2.0, "right": 2.0, "center": 0.0}[p.align]
            leaders.append({"px": row["px"], "py": row["py"], "ex": p.x + edge, "ey": p.y})
    layers: list[Any] = []
    if leaders:
        layers.append(segments(leaders, color=theme.axis, strokeWidth=0.8))
    if words:
        # a halo of the background keeps words readable where a line passes below them
        halo: dict[str, Any] = {
            "stroke": theme.surface,
            "strokeWidth": 3,
            "strokeJoin": "round",
            "opacity": 0.85,
        }
        layers += [notes(words, theme, **halo), notes(words, theme)]
    return layers, len(rows) - len(placed)
