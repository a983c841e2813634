"""Small pictures inside rows and cards: a dot with its interval, on a scale shared by all rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from analysis.reporting.numbers import Scale, fixed


@dataclass(frozen=True)
class Axis:
    """A linear scale from values to a picture's width.

    Parameters
    ----------
    low, high : float
        Ends of the scale.
    width : float
        Width in pixels between them.
    """

    low: float
    high: float
    width: float

    def x(self, value: float) -> float:
        """Return the value's place, kept within the scale."""
        share = (value - self.low) / (self.high - self.low)
        return round(min(max(share, 0.0), 1.0) * self.width, 2)


def axis_for(
    values: Iterable[float | None], *, width: float, bounded: bool = True, margin: float = 0.06
) -> Axis:
    """Return a scale that holds all values with some room; bounded ones stay within 0 and 1."""
    known = [v for v in values if v is not None]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = (high - low) * margin or 0.05
    low, high = low - room, high + room
    if bounded:
        low, high = max(low, 0.0), min(high, 1.0)
    return Axis(low, high, width)


def whisker(
    estimate: float,
    low: float | None,
    high: float | None,
    axis: Axis,
    *,
    best: bool = False,
    height: int = 18,
) -> str:
    """Return a dot with its interval as inline SVG, hidden from screen readers: the numbers are beside it."""
    middle = height / 2
    interval = ""
    if low is not None and high is not None:
        interval = (
            f'<line class="ci" x1="{axis.x(low):g}" x2="{axis.x(high):g}" y1="{middle:g}" y2="{middle:g}"/>'
        )
    return (
        f'<svg class="whisker{" best" if best else ""}" width="{axis.width:g}" height="{height}" '
        f'viewBox="0 0 {axis.width:g} {height}" aria-hidden="true">'
        f'<line class="track" x1="0" x2="{axis.width:g}" y1="{middle:g}" y2="{middle:g}"/>{interval}'
        f'<circle class="dot" cx="{axis.x(estimate):g}" cy="{middle:g}" r="3.6"/></svg>'
    )


def ticks(axis: Axis, *, most: int = 4) -> list[float]:
    """Return round numbers within the scale, at most so many.

    Examples
    --------
    >>> ticks(Axis(0.21, 0.53, 170))
    [0.3, 0.4, 0.5]
    """
    reach = axis.high - axis.low
    step = 10.0 ** math.floor(math.log10(reach))
    step = next(step * f for f in (0.1, 0.2, 0.25, 0.5, 1, 2, 5) if _n_ticks(axis, step * f) <= most)
    first = math.ceil(axis.low / step - 1e-9)
    return [round((first + i) * step, 10) for i in range(_n_ticks(axis, step))]


def _n_ticks(axis: Axis, step: float) -> int:
    return math.floor(axis.high / step + 1e-9) - math.ceil(axis.low / step - 1e-9) + 1


def axis_head(axis: Axis, scale: Scale) -> str:
    """Return the labels of the scale as inline SVG, for the head of a column of whiskers."""
    shown = "".join(
        f'<text x="{axis.x(t):g}" y="11" text-anchor="middle">{_label(t * scale.factor)}</text>'
        f'<line class="tick" x1="{axis.x(t):g}" x2="{axis.x(t):g}" y1="15" y2="19"/>'
        for t in ticks(axis)
    )
    return (
        f'<svg class="whisker" width="{axis.width:g}" height="20" viewBox="0 0 {axis.width:g} 20" '
        f'aria-hidden="true">{shown}</svg>'
    )


def _label(value: float) -> str:
    """Return a round number with as many decimals as it needs."""
    return fixed(value, len(f"{value:.6f}".rstrip("0").partition(".")[2]))
