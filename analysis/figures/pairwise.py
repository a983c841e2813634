"""Paired differences between models, and which of them are significant."""

from __future__ import annotations

import math

import polars as pl

from analysis.config import BenchmarkCard, Statistics
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.matrix import Scale, key_strip
from analysis.figures.parts import Row, finish
from analysis.figures.select import ALL, in_track, level_text, metric_of, n_text
from analysis.figures.square import MAX_NAMED, draw_square
from analysis.figures.strata import model_order
from analysis.figures.text import count, isolate, plural, points
from analysis.figures.theme import WIDTH, Theme, text_on
from analysis.figures.wording import is_rate, metric_title

WITHOUT = "A comparison needs two models."
LEVELS = 24
"""Steps of colour where equal neighbours are drawn as one."""


def rows_of(tables: Tables, card: BenchmarkCard) -> pl.DataFrame:
    """Return the tests of track `all` and the primary metric."""
    frame = tables["pairwise_tests"]
    return in_track(frame, ALL, metric_of(frame, card))


def alpha_of(card: BenchmarkCard) -> float:
    """Return the family-wise error rate: the card's, else the default."""
    return card.alpha if card.alpha is not None else Statistics().alpha


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw differences above the diagonal and adjusted p values below it."""
    import altair as alt

    frame = rows_of(tables, card)
    tested = frame.filter(pl.col("p_value").is_not_null())
    if tested.is_empty():
        return Absent("No two models have an item in common." if frame.height else WITHOUT)
    metric = metric_of(tables["pairwise_tests"], card)
    who = identify(tables)
    models = model_order(tables, card, {*frame["model_a"].to_list(), *frame["model_b"].to_list()})
    place = {m: i for i, m in enumerate(models)}
    scale = _scale(tested, metric, card)
    alpha = alpha_of(card)
    many = len(models) > MAX_NAMED
    cells: dict[tuple[int, int], Row] = {}
    for row in tested.iter_rows(named=True):
        i, j = place[row["model_a"]], place[row["model_b"]]
        sign = 1 if i < j else -1
        cells[min(i, j), max(i, j)] = _cell(row, sign, scale, alpha, theme, metric, many=many)
        if len(models) <= 12:
            cells[max(i, j), min(i, j)] = _p_cell(row, alpha, theme)
    tips = (
        ("text", "Value"),
        ("difference", "Difference"),
        ("interval", "Interval"),
        ("p", "p (Holm)"),
        ("n", "Common items"),
    )
    chart, width, _ = draw_square([who.label(m) for m in models], dict(sorted(cells.items())), theme, tips)
    unit = "percentage points" if is_rate(metric) else "units of the metric"
    text = f"{n_text(tested['n_items'].to_list(), 'common item')} per pair. "
    text += (
        f"Above the diagonal: difference row minus column ({unit}), coloured where p < {alpha:g} after Holm"
    )
    text += "; below: that p value." if len(models) <= 12 else "; grey: not significant."
    if len(models) * (len(models) - 1) // 2 > tested.height:
        text += " Empty cells: no common items."
    both = alt.vconcat(chart, key_strip(scale, theme), spacing=16)
    title = f"Paired differences between models, {_metric(metric, card)}"
    return finish(both, theme, card, title, [text], width=max(width, WIDTH - 100))


def _metric(metric: str, card: BenchmarkCard) -> str:
    title = metric_title(metric, card)
    return title[0].lower() + title[1:]


def _scale(tested: pl.DataFrame, metric: str, card: BenchmarkCard) -> Scale:
    largest = max(abs(d) for d in tested["difference"].drop_nulls().to_list())
    if is_rate(metric):
        end = max(0.05, math.ceil(largest / 0.05 - 1e-9) * 0.05)
        return Scale(
            -end, end, "Difference, row minus column", points(-end, 0), points(end, 0), diverging=True
        )
    end = largest or 1.0
    return Scale(-end, end, "Difference, row minus column", f"−{end:.2g}", f"+{end:.2g}", diverging=True)


def _write(metric: str, value: float | None) -> str:
    if is_rate(metric) or value is None:
        return points(value)
    return f"{value:+.3g}".replace("-", "−")


def _cell(row: Row, sign: int, scale: Scale, alpha: float, theme: Theme, metric: str, *, many: bool) -> Row:
    value = sign * row["difference"]
    sure = row["p_holm"] is not None and row["p_holm"] < alpha
    shown = round(value / scale.high * LEVELS) / LEVELS * scale.high if many else value
    colour = scale.colour(shown, theme) if sure else theme.band
    low, high = (
        sorted((sign * row["ci_low"], sign * row["ci_high"])) if row["ci_low"] is not None else (None, None)
    )
    return {
        "colour": colour,
        "text": _write(metric, value),
        "ink": text_on(colour, theme) if sure else theme.soft,
        "weight": "bold" if sure else "normal",
        "difference": _write(metric, value),
        "interval": f"{_write(metric, low)} to {_write(metric, high)}",
        "p": p_text(row["p_holm"]),
        "n": count(row["n_items"]),
    }


def _p_cell(row: Row, alpha: float, theme: Theme) -> Row:
    sure = row["p_holm"] is not None and row["p_holm"] < alpha
    return {
        "colour": theme.surface,
        "text": p_text(row["p_holm"]),
        "ink": theme.ink if sure else theme.soft,
        "weight": "bold" if sure else "normal",
        "n": count(row["n_items"]),
    }


def p_text(value: float | None) -> str:
    """Write a p value.

    Examples
    --------
    >>> p_text(0.0003), p_text(0.0312), p_text(0.25), p_text(None), p_text(1.0)
    ('<.001', '.031', '.25', '–', '1')
    """
    if value is None:
        return "–"
    if value < 0.001:
        return "<.001"
    if value > 0.995:
        return "1"
    return (f"{value:.3f}" if value < 0.1 else f"{value:.2f}").removeprefix("0")


def test_name(method: str) -> str:
    """Return a test in words.

    Examples
    --------
    >>> test_name("cluster_sign_flip_exact"), test_name("sign_flip_monte_carlo")
    ('exact sign-flip test of clusters', 'Monte Carlo sign-flip test')
    """
    words = {"exact": "exact ", "monte_carlo": "Monte Carlo ", "normal": "asymptotic "}
    before, found, how = method.partition("sign_flip")
    if not found:
        return method.replace("_", " ")
    kind = " of clusters" if "cluster" in before else ""
    return f"{words.get(how.strip('_'), how.strip('_').replace('_', ' ') + ' ').lstrip()}sign-flip test{kind}"


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how many differences are significant, and which is largest."""
    frame = rows_of(tables, card)
    tested = frame.filter(pl.col("p_value").is_not_null())
    who = identify(tables)
    metric = metric_of(tables["pairwise_tests"], card)
    sure = tested.filter(pl.col("p_holm") < alpha_of(card))
    text = [
        f"{count(sure.height)} of {plural(tested.height, 'tested pair')} "
        f"{'differs' if sure.height == 1 else 'differ'} significantly "
        f"(p < {alpha_of(card):g} after Holm's adjustment)."
    ]
    ordered = tested.with_columns(size=pl.col("difference").abs())
    top = ordered.sort(["size", "model_a", "model_b"], descending=[True, False, False]).row(0, named=True)
    limits = ""
    if top["ci_low"] is not None:
        ends = f"{_write(metric, top['ci_low'])} to {_write(metric, top['ci_high'])}"
        limits = f" ({level_text(tables, card)} interval {ends})"
    unit = " percentage points" if is_rate(metric) else ""
    pair = f"{isolate(who.spoken(top['model_a']))} and {isolate(who.spoken(top['model_b']))}"
    text.append(
        f"The largest difference is that between {pair}: {_write(metric, top['difference'])}{unit}{limits}, "
        f"on {plural(top['n_items'], 'common item')}."
    )
    if frame.height > tested.height:
        text.append(
            f"{plural(frame.height - tested.height, 'pair')} without common items could not be tested."
        )
    methods = sorted(tested["method"].unique().to_list())
    text.append(f"Test: {', '.join(test_name(m) for m in methods)}.")
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the matrix holds."""
    frame = rows_of(tables, card)
    models = {*frame["model_a"].to_list(), *frame["model_b"].to_list()}
    tested = frame.filter(pl.col("p_value").is_not_null())
    sure = tested.filter(pl.col("p_holm") < alpha_of(card))
    return (
        f"Matrix of paired differences between {plural(len(models), 'model')} in rank order; "
        f"{count(sure.height)} of {plural(tested.height, 'pair')} are significant."
    )


FIGURE = Figure(
    name="pairwise",
    title="Paired differences between models",
    needs=("models", "pairwise_tests"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
