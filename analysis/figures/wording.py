"""What metrics and successes are called in titles, axes and captions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from analysis.config import BenchmarkCard
from analysis.figures.text import clean, percent

RATES = frozenset({"correct", "item_weighted", "cluster_macro", "hard_failure", "decisive"})


def is_rate(metric: str) -> bool:
    """Tell whether a metric is a share of items, to be written in percent."""
    return metric in RATES or metric.startswith("flag:")


def success(card: BenchmarkCard) -> str:
    """Say what counts as success: "correct", or the card's verdicts in quotation marks."""
    verdicts = card.verdicts.succeeding
    if verdicts == ("correct",):
        return "correct"
    return " or ".join(f"“{clean(v)}”" for v in verdicts)


def metric_title(metric: str, card: BenchmarkCard) -> str:
    """Name a metric as a title does."""
    if metric == "correct":
        what = success(card)
        return "Items answered correctly" if what == "correct" else f"Items with verdict {what}"
    if metric.startswith("flag:"):
        return f"Items flagged “{clean(metric.removeprefix('flag:'))}”"
    named = {"score": "Mean score", "hard_failure": "Items with a hard failure", "decisive": "Decisive items"}
    named |= {"item_weighted": "Correct, by item", "cluster_macro": "Correct, by cluster"}
    return named.get(metric, f"Mean {clean(metric)}")


def metric_axis(metric: str, card: BenchmarkCard) -> str:
    """Name a metric as an axis does, with its unit."""
    unit = "%" if is_rate(metric) else "0 to 1" if metric == "score" else ""
    title = metric_title(metric, card)
    return f"{title} ({unit})" if unit else title


def write(metric: str, value: float | None) -> str:
    """Write a value of a metric: in percent for rates, else with three significant digits."""
    if is_rate(metric):
        return percent(value)
    if value is None:
        return "–"
    return (f"{value:.3f}" if abs(value) < 10 else f"{value:,.4g}").replace("-", "−")


def whole_percent(value: float) -> str:
    """Write a share in whole percent, without the sign: what is more than nothing is not 0.

    Examples
    --------
    >>> whole_percent(0.5), whole_percent(0.001), whole_percent(0.999), whole_percent(0.0)
    ('50', '<1', '>99', '0')
    """
    if 0 < value < 0.005:
        return "<1"
    if 0.995 <= value < 1:
        return ">99"
    return f"{100 * value:.0f}".replace("-", "−")


def write_cell(metric: str, value: float) -> str:
    """Write a value as short as a cell of a matrix needs it.

    Examples
    --------
    >>> write_cell("correct", 0.512), write_cell("score", 0.6), write_cell("latency_s", -1234.5)
    ('51', '0.60', '−1,234')
    """
    if is_rate(metric):
        return whole_percent(value)
    return f"{value:.2f}".replace("-", "−") if metric == "score" else number(value)


def number(value: float) -> str:
    """Write a number with three significant digits, or as a whole one.

    Examples
    --------
    >>> number(0.01234), number(-1234.5), number(0.0)
    ('0.0123', '−1,234', '0')
    """
    return (f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}").replace("-", "−", 1)


def axis_format(metric: str) -> str:
    """Return the d3 format of a metric's axis."""
    return ".0%" if is_rate(metric) else ",~f"


def domain(
    values: Sequence[float | None], *, unit: bool = True, pad: float = 0.06, zero: bool = False
) -> tuple[float, float]:
    """Return an axis range around values.

    Parameters
    ----------
    values : sequence of float or None
        What has to fit in.
    unit : bool
        The values are shares or scores between 0 and 1, and so is the range.
    pad : float
        Room on either side, as a part of the range.
    zero : bool
        Begin at zero.

    Examples
    --------
    >>> [round(v, 3) for v in domain([0.2, 0.4])], domain([])
    ([0.188, 0.412], (0.0, 1.0))
    """
    known = [v for v in values if v is not None]
    if not known:
        return 0.0, 1.0
    low, high = (min(known) if not zero else min(0.0, *known)), max(known)
    room = max((high - low) * pad, 0.01 if unit else (abs(high) or 1.0) * 0.05)
    low, high = (low if zero and low == 0 else low - room), high + room
    if unit:
        edge = 0.025 * (high - low)
        low, high = max(low, min(0.0, *known) - edge), min(high, max(1.0, *known) + edge)
    return low, high


def whole_ticks(low: int, high: int, most: float) -> list[int]:
    """Return whole numbers for an axis, at most about as many as asked for, both ends among them.

    Examples
    --------
    >>> whole_ticks(1, 9, 12), whole_ticks(1, 9, 6), whole_ticks(0, 36, 9)
    ([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 3, 5, 7, 9], [0, 5, 10, 15, 20, 25, 30, 36])
    """
    step = next(
        s * 10**e for e in range(9) for s in (1, 2, 5) if (high - low) / (s * 10**e) <= max(1.0, most - 1)
    )
    first = low if step <= 2 else -(-(low + 1) // step) * step
    ticks = sorted({low, *range(first, high, step), high})
    # what comes too near to an end makes room for it
    if len(ticks) > 2 and ticks[-1] - ticks[-2] < 0.6 * step:
        del ticks[-2]
    if len(ticks) > 2 and ticks[1] - ticks[0] < 0.6 * step:
        del ticks[1]
    return ticks


def share_ticks(low: float, high: float, most: int) -> list[float]:
    """Return round shares between two limits, none beyond 0 or 1.

    Examples
    --------
    >>> share_ticks(0.42, 1.08, 5)
    [0.6, 0.8, 1.0]
    """
    low, high = max(0.0, low), min(1.0, high)
    sizes = [s * 10.0**e for e in range(-4, 1) for s in (1, 2, 2.5, 5)]
    step = next((s for s in sizes if (high - low) / s <= most - 1), 1.0)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 6) for i in range(first, math.floor(high / step + 1e-9) + 1)]
