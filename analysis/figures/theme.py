"""One theme for all figures, light and dark.

Ten colours for models, chosen so that each keeps a contrast of at least 3:1 to its background and
any two differ in normal sight and under the three dichromacies (a test measures both). A hue is
the same in both themes. Beyond ten models colour carries no identity: position and labels do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FONT = "Liberation Sans, Arial, Helvetica Neue, Helvetica, sans-serif"
"""System fonts of equal advance widths; the first is the one that the renderer carries and measures."""

WIDTH = 560
"""Width of a figure in pixels, labels included, where its content does not ask for more.
At 360 px (a phone) text of 13 px still has 8 px."""

TEXT = 13
"""Size of labels in pixels."""

SMALL = 12
"""Size of axis labels, annotations and subtitles in pixels."""

TITLE = 16
"""Size of titles in pixels."""

LABEL_WIDTH = 232
"""Widest label of a model, in pixels of text of size `TEXT`."""


@dataclass(frozen=True)
class Theme:
    """The colours of a theme, named by what they are for.

    Parameters
    ----------
    name : str
        ``light`` or ``dark``.
    surface : str
        Background.
    ink : str
        Text and marks that matter most.
    soft : str
        Secondary text.
    axis : str
        Axis lines and leaders.
    grid : str
        Grid lines.
    band : str
        Alternating bands, and cells without data.
    neutral : str
        Marks that stand back.
    accent : str
        What is highlighted.
    alert : str
        What warns: items that no model solves, hard failures.
    series : tuple of str
        Ten colours for models.
    ramp : tuple of str
        Sequential scale, from little to much.
    diverging : tuple of str
        Scale from below to above zero, neutral in the middle.
    on_low, on_high : str
        Text upon the low and the high end of `ramp`.
    """

    name: str
    surface: str
    ink: str
    soft: str
    axis: str
    grid: str
    band: str
    neutral: str
    accent: str
    alert: str
    series: tuple[str, ...]
    ramp: tuple[str, ...]
    diverging: tuple[str, ...]
    on_low: str
    on_high: str


LIGHT = Theme(
    name="light",
    surface="#ffffff",
    ink="#1b2430",
    soft="#55606e",
    axis="#98a2ae",
    grid="#e6e9ee",
    band="#f2f4f7",
    neutral="#7d8896",
    accent="#1f5fc4",
    alert="#c4491a",
    series=(
        "#525bc6", "#ab5a0b", "#278f71", "#ed57a7", "#6b008f",
        "#a69322", "#324f0c", "#550d2b", "#4599dd", "#575c68",
    ),
    ramp=("#f1f5fa", "#c3d9ee", "#7db0da", "#3a7fbd", "#15508f", "#0a2f5c"),
    diverging=("#8f3b0e", "#d07a45", "#f0cdb3", "#f3f4f6", "#bcd5ee", "#5a97cf", "#164f91"),
    on_low="#090e14",
    on_high="#ffffff",
)  # fmt: skip
"""Dark ink on white."""

DARK = Theme(
    name="dark",
    surface="#12161c",
    ink="#e9edf2",
    soft="#a4aebb",
    axis="#626d7b",
    grid="#262d37",
    band="#1a2029",
    neutral="#8a95a3",
    accent="#74aefc",
    alert="#fb8b5b",
    series=(
        "#4966d7", "#d45e06", "#8bf7cf", "#fc96bd", "#be7bfa",
        "#efd962", "#8dbe5b", "#984e5a", "#4dcefe", "#78859d",
    ),
    ramp=("#1a222d", "#1f3a58", "#265a8c", "#3f86c4", "#86b9e8", "#d3e8fc"),
    diverging=("#f7b48c", "#cf7440", "#6b3f28", "#232a33", "#264a70", "#4a8bc8", "#a9d2fa"),
    on_low="#ffffff",
    on_high="#05090d",
)  # fmt: skip
"""Light ink on near black."""

THEMES: dict[str, Theme] = {"light": LIGHT, "dark": DARK}
"""The themes by name."""


def vega_config(theme: Theme) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme."""
    return {
        "aria": False,
        "background": theme.surface,
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None},
        "concat": {"spacing": 28},
        "title": {
            "anchor": "start",
            "align": "left",
            "frame": "bounds",
            "fontSize": TITLE,
            "fontWeight": "bold",
            "color": theme.ink,
            "subtitleColor": theme.soft,
            "subtitleFontSize": SMALL,
            "subtitleLineHeight": 17,
            "subtitlePadding": 6,
            "lineHeight": 20,
            "offset": 14,
        },
        "axis": {
            "domain": False,
            "ticks": False,
            "grid": False,
            "gridColor": theme.grid,
            "domainColor": theme.axis,
            "tickColor": theme.axis,
            "labelColor": theme.soft,
            "labelFontSize": SMALL,
            "labelPadding": 6,
            "labelLimit": 0,
            "titleColor": theme.soft,
            "titleFontSize": SMALL,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "titleLimit": 0,
        },
        "text": {"fontSize": SMALL, "color": theme.ink},
        "range": {
            "category": list(theme.series),
            "heatmap": list(theme.ramp),
            "ramp": list(theme.ramp),
            "diverging": list(theme.diverging),
        },
    }


def interpolate(ramp: Sequence[str], at: float) -> str:
    """Return the colour at a place between 0 and 1 of a ramp, interpolated in linear light.

    Examples
    --------
    >>> interpolate(("#000000", "#ffffff"), 0), interpolate(("#000000", "#ffffff"), 1)
    ('#000000', '#ffffff')
    """
    at = min(1.0, max(0.0, at)) * (len(ramp) - 1)
    low = min(int(at), len(ramp) - 2)
    part = at - low
    pairs = zip(channels(ramp[low]), channels(ramp[low + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


def channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of a colour written as #rrggbb, 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2), 0 to 1."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in
              (v / 255 for v in channels(colour))]  # fmt: skip
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2), 1 to 21."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def text_on(colour: str, theme: Theme) -> str:
    """Return the colour of text that reads best upon a colour."""
    return max((theme.on_low, theme.on_high), key=lambda ink: contrast(ink, colour))
