"""Labels beside points: where they fit without covering each other, and which do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.figures.text import text_width

GAP = 7.0
"""Distance in pixels between a point's centre and its label."""


@dataclass(frozen=True)
class Placed:
    """A label that found its place.

    Parameters
    ----------
    index : int
        The point's number.
    x, y : float
        Where the text stands, in pixels; vertically its middle.
    align : str
        ``left``, ``center`` or ``right``.
    led : bool
        So far from its point that a line has to lead to it.
    """

    index: int
    x: float
    y: float
    align: str
    led: bool


def _candidates(near: bool) -> list[tuple[float, float, str]]:
    """Return places relative to a point: horizontal and vertical distance, and alignment."""
    if near:
        return [
            (GAP, 0, "left"), (-GAP, 0, "right"), (0, -13, "center"), (0, 13, "center"),
            (5, -10, "left"), (5, 10, "left"), (-5, -10, "right"), (-5, 10, "right"),
        ]  # fmt: skip
    ring: list[tuple[float, float, str]] = []
    for radius in (22.0, 34.0, 48.0):
        for dy in (-radius, radius, -0.6 * radius, 0.6 * radius):
            dx = max(8.0, radius - abs(dy) * 0.6)
            ring += [(dx, dy, "left"), (-dx, dy, "right")]
    return ring


def place_labels(
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    order: Sequence[int],
    *,
    width: float,
    height: float,
    size: float,
    radius: float = 5.0,
    lines: Sequence[tuple[float, float, float, float]] = (),
    reach: float = 0.0,
) -> list[Placed]:
    """Place labels one after the other, each where it covers least; leave out what finds no place.

    Parameters
    ----------
    points : sequence of (float, float)
        Centres in pixels.
    labels : sequence of str
        One label for each point; an empty one is not placed.
    order : sequence of int
        Numbers of the points, the most important first.
    width, height : float
        The panel in pixels.
    size : float
        Font size in pixels.
    radius : float
        Half the side of a point in pixels.
    lines : sequence of (x0, y0, x1, y1)
        Horizontal and vertical lines in pixels that labels had better not cross.
    reach : float
        How far labels may run beyond the panel to its right, in pixels.

    Returns
    -------
    list of Placed
        In the order given.
    """
    half = size * 0.58
    dots = np.array([(x - radius, y - radius, x + radius, y + radius) for x, y in points]).reshape(-1, 4)
    bars = np.array([_box(line) for line in lines]).reshape(-1, 4)
    taken = np.empty((0, 4))
    found: list[Placed] = []
    for index in order:
        if not labels[index]:
            continue
        x, y = points[index]
        wide = text_width(labels[index], size) + 2
        best: tuple[float, Placed, np.ndarray] | None = None
        for rank, (dx, dy, align) in enumerate([*_candidates(True), *_candidates(False)]):
            left = x + dx - {"left": 0.0, "center": wide / 2, "right": wide}[align]
            box = np.array([left, y + dy - half, left + wide, y + dy + half])
            if box[0] < 2 or box[1] < 0 or box[2] > width + reach or box[3] > height:
                continue
            if _overlap(box, taken) > 0 or _overlap(box, np.delete(dots, index, axis=0)) > 1:
                continue
            cost = rank * 4.0 + _overlap(box, bars) * 0.6
            if best is None or cost < best[0]:
                led = rank >= len(_candidates(True))
                best = cost, Placed(index, x + dx, y + dy, align, led), box
        if best is not None:
            found.append(best[1])
            taken = np.vstack([taken, best[2]])
    return found


def _box(line: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = line
    return min(x0, x1) - 1, min(y0, y1) - 1, max(x0, x1) + 1, max(y0, y1) + 1


def _overlap(box: np.ndarray, others: np.ndarray) -> float:
    """Return the area that a box shares with others, in square pixels."""
    if not len(others):
        return 0.0
    wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    return float((np.clip(wide, 0, None) * np.clip(high, 0, None)).sum())
