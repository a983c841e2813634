"""Domain scores of a rubric: one small forest plot per domain, with what does not apply shown as N/A."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import Identity, identify
from analysis.figures.parts import data, finish, label_column, note, notes, options, row_height, row_text
from analysis.figures.select import level_text
from analysis.figures.text import clean, isolate, plural, short_labels
from analysis.figures.theme import SMALL, WIDTH, Theme

WITHOUT = "No domain of a rubric is scored."
KINDS = {"human": "human raters", "judge": "judges", "scorer": "scorers"}
SHORT = 3
"""Characters up to which an identifier stands before a title."""
PER_LINE = 4
"""Panels side by side."""
MAX_MODELS = 40
"""The most models that are shown: those that rank highest on the most domains."""


def kind_of(tables: Tables) -> str:
    """Return whose ratings lead: humans where there are any."""
    have = set(tables["rubric_models"]["raters"].unique().to_list())
    return next(kind for kind in KINDS if kind in have)


def domains_of(tables: Tables) -> list[tuple[str, str]]:
    """Return the domains with their titles, in the rubric's order."""
    lines = tables["applicability"].sort("position").unique(["domain"], keep="first", maintain_order=True)
    return [(row["domain"], clean(row["domain_title"])) for row in lines.iter_rows(named=True)]


def line_name(identifier: str, title: str) -> str:
    """Return a domain or sub-dimension as figures name it: short identifiers stand before the title.

    Examples
    --------
    >>> line_name("3b", "Differential"), line_name("accuracy", "Accuracy")
    ('3b Differential', 'Accuracy')
    """
    return f"{identifier} {title}" if len(identifier) <= SHORT else title


def rows_of(tables: Tables) -> pl.DataFrame:
    """Return the models' domain scores over all classes, by the leading raters."""
    return tables["rubric_models"].filter(
        (pl.col("comparability") == "all")
        & (pl.col("unit") == "domain")
        & (pl.col("raters") == kind_of(tables))
    )


def model_order(frame: pl.DataFrame) -> list[str]:
    """Return the models by their mean rank over domains, then in code-point order."""
    ranks = frame.group_by("model").agg(pl.col("rank").sum() / pl.len()).sort("rank", "model")
    return ranks["model"].to_list()


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a panel per domain."""
    import altair as alt

    frame = rows_of(tables)
    if frame.is_empty():
        return Absent(WITHOUT)
    who = identify(tables)
    order = model_order(frame)
    models = order[:MAX_MODELS]
    step, font = row_height(len(models)), row_text(len(models))
    left = label_column([who.label(m) for m in models], font) + 10
    gap = 26.0
    width = max(78.0, (WIDTH - 16 - left - gap * (PER_LINE - 1)) / PER_LINE)
    domains = domains_of(tables)
    names = short_labels({d: line_name(d, title) for d, title in domains}, (width + gap - 12) / 1.07, SMALL)
    ends = _ends(tables, frame)
    panels = [
        _panel(
            frame.filter(pl.col("name") == d),
            names[d],
            models,
            who,
            theme,
            labelled=i % PER_LINE == 0,
            width=width,
            row=(step, font),
            ends=ends,
        )
        for i, (d, _) in enumerate(domains)
    ]
    lines = [
        alt.hconcat(*panels[i : i + PER_LINE], spacing=gap, bounds="flush")
        for i in range(0, len(panels), PER_LINE)
    ]
    chart = lines[0] if len(lines) == 1 else alt.vconcat(*lines, spacing=46)
    text = [
        f"Mean of {KINDS[kind_of(tables)]} over vignettes where the domain applies; "
        f"{level_text(tables, card)} bootstrap intervals over vignettes; n: vignettes. N/A: no vignette of "
        "the model's calls for the domain."
    ]
    if len(order) > len(models):
        text.append(f"{plural(len(order) - len(models), 'more model')} in the table only.")
    total = left + width * PER_LINE + gap * (PER_LINE - 1)
    return finish(chart, theme, card, "Rubric scores, by domain and model", text, width=max(total, 420))


def _ends(tables: Tables, frame: pl.DataFrame) -> tuple[float, float]:
    """Return the ends of the scale, or of the values where those go beyond it."""
    scale = tables["rubric_distribution"]["value"]
    values = [v for c in ("estimate", "ci_low", "ci_high") for v in frame[c].drop_nulls().to_list()]
    return min([float(scale.min()), *values]), max([float(scale.max()), *values])  # type: ignore[arg-type]


def _panel(
    frame: pl.DataFrame,
    head: str,
    models: list[str],
    who: Identity,
    theme: Theme,
    *,
    labelled: bool,
    width: float,
    row: tuple[float, float],
    ends: tuple[float, float],
) -> Any:
    """Return the panel of a domain; `row` is the height of a row and the size of its text."""
    import altair as alt

    step, font = row
    known = {found["model"]: found for found in frame.iter_rows(named=True)}
    labels = [who.label(m) for m in models]
    rows = [
        {
            "label": who.label(m),
            "estimate": known[m]["estimate"],
            "low": known[m]["ci_low"],
            "high": known[m]["ci_high"],
            "colour": who.colour(m, theme) if who.slots else theme.accent,
            "value": f"{known[m]['estimate']:.2f}",
            "n": known[m]["n_items"],
        }
        for m in models
        if m in known
    ]
    axis_y = options(title=None, labels=labelled, labelColor=theme.ink, labelFontSize=font, labelPadding=8)
    y = alt.Y("label:N", scale=options(type="band", domain=labels, padding=0), axis=axis_y)
    axis_x = options(title=None, grid=True, domain=True, ticks=True, tickSize=4, tickCount=3)
    if ends == (1.0, 5.0):
        axis_x["values"] = [1, 2, 3, 4, 5]
    x_scale = options(domain=list(ends), nice=False, zero=False)
    absent = [note("N/A", width / 2, 0, align="center", label=who.label(m)) for m in models if m not in known]
    n = max((r["n"] for r in rows), default=0)
    heads = [note(head, 0, -24, colour=theme.ink, weight="bold"), note(f"n = {n:,}", 0, -9)]
    layers: list[Any] = [notes(heads, theme)]
    if absent:
        place = alt.Y("label:N", scale=options(type="band", domain=labels, padding=0), axis=axis_y)
        layers.append(notes(absent, theme, y=place))
    if rows:
        base, colour = alt.Chart(data(rows)), alt.Color("colour:N", scale=None)
        x = alt.X("estimate:Q", scale=x_scale, axis=axis_x)
        tips = [
            alt.Tooltip(f"{f}:N", title=t)
            for f, t in (("label", "Model"), ("value", "Score"), ("n", "Vignettes"))
        ]
        layers = [
            base.mark_rule(strokeWidth=2, strokeCap="round")
            .transform_filter("isValid(datum.low)")
            .encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour),
            base.mark_point(size=44, filled=True, opacity=1).encode(y=y, x=x, color=colour, tooltip=tips),
            *layers,
        ]
    return alt.layer(*layers, width=width, height=step * len(labels))


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say who leads in each domain, and which domain is weakest."""
    frame = rows_of(tables)
    who, titles = identify(tables), dict(domains_of(tables))
    leaders = [
        f"{isolate(titles[row['name']])}: {isolate(who.spoken(row['model']))} ({row['estimate']:.2f})"
        for row in frame.filter(pl.col("rank") == 1).sort("name").head(8).iter_rows(named=True)
    ]
    means = frame.group_by("name").agg(pl.col("estimate").sort().mean()).sort("estimate", "name")
    weakest = means.row(0, named=True)
    return (
        f"First in rank, by domain: {'; '.join(leaders)}. Averaged over models, "
        f"{isolate(titles[weakest['name']])} scores lowest ({weakest['estimate']:.2f})."
    )


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what is compared."""
    frame = rows_of(tables)
    low, high = (float(v) for v in (frame["estimate"].min(), frame["estimate"].max()))  # type: ignore[arg-type]
    return (
        f"Domain scores of {plural(frame['model'].n_unique(), 'model')} in "
        f"{plural(frame['name'].n_unique(), 'domain')}, from {low:.2f} to {high:.2f}."
    )


FIGURE = Figure(
    name="rubric_domains",
    title="Rubric scores by domain",
    needs=("models", "rubric_models", "applicability", "rubric_distribution"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
