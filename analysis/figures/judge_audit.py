"""Judges against a reference rater: agreement, and sensitivity with specificity, by polarity."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.parts import Row, finish
from analysis.figures.row_panels import RowPanel, label_width, text_columns
from analysis.figures.text import clean, count, isolate, percent, plural, short_labels, spaced
from analysis.figures.theme import LABEL_WIDTH, TEXT, WIDTH, Theme
from analysis.figures.wording import domain

WITHOUT = "No judge shares a label of true or false with a reference rater."

MAX_PANELS = 12
"""The most groups of labels that have a panel: those with most labels."""

NONE = "none"


def rows_of(tables: Tables) -> list[tuple[str, str, pl.DataFrame]]:
    """Return audit, polarity and rows of each panel: nothing excluded, all labels first."""
    frame = tables["judge_audit"].filter(pl.col("excluded") == NONE)
    sizes = frame.group_by("audit", "polarity").agg(
        pl.col("n").max(), (pl.col("polarity") == "all").first().alias("all")
    )
    # What is of one polarity only says the same twice.
    sizes = sizes.filter(pl.col("all") | (pl.len().over("audit") > 2))
    order = sizes.sort(["audit", "all", "n", "polarity"], descending=[False, True, True, False]).head(
        MAX_PANELS
    )
    found = []
    for audit, polarity in order.select("audit", "polarity").iter_rows():
        part = frame.filter(pl.col("audit") == audit, pl.col("polarity") == polarity)
        found.append((audit, polarity, part))
    return found


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw a panel for each audit and polarity."""
    import altair as alt

    found = rows_of(tables)
    if not found:
        return Absent(WITHOUT)
    judges = sorted({j for *_, part in found for j in part["judge"]})
    labels = short_labels({j: clean(j) for j in judges}, LABEL_WIDTH, TEXT)
    left = label_width([labels[j] for j in judges])
    values = [
        v
        for *_, part in found
        for r in part.filter(
            pl.col("statistic").is_in(["agreement", "sensitivity", "specificity"])
        ).iter_rows(named=True)
        for v in (r["estimate"], r["ci_low"], r["ci_high"])
    ]
    ends = domain(values)
    panels, widest = [], 0.0
    for i, (audit, polarity, part) in enumerate(found):
        panel, width = _panel(audit, polarity, part, labels, ends, theme, left, last=i == len(found) - 1)
        panels.append(panel)
        widest = max(widest, left + width)
    chart = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=30)
    level = f"{100 * float(found[0][2]['level'][0]):.4g}%"
    text = (
        f"Point with bar: agreement with the reference, {level} bootstrap interval. Triangle: sensitivity; "
        "square: specificity; the line joins them."
    )
    return finish(chart, theme, card, "How far judges agree with the reference", [text], width=widest)


def _panel(
    audit: str,
    polarity: str,
    part: pl.DataFrame,
    labels: dict[str, str],
    ends: tuple[float, float],
    theme: Theme,
    left: float,
    *,
    last: bool,
) -> tuple[Any, float]:
    found = {(r["judge"], r["statistic"]): r for r in part.iter_rows(named=True)}
    judges = sorted(set(part["judge"]), key=lambda j: (-round(found[j, "agreement"]["estimate"], 12), j))
    own = [labels[j] for j in judges]
    kappas = [found[j, "kappa"]["estimate"] for j in judges]
    cells = [
        [percent(found[j, "agreement"]["estimate"]).removesuffix("%") for j in judges],
        ["–" if k is None else f"{k:.2f}".replace("-", "−") for k in kappas],
    ]
    columns = text_columns(("Agree, %", "κ"), cells)
    side = sum(c.width for c in columns)
    width = max(170.0, WIDTH - 16 - left - side)
    lines: list[Row] = []
    marks: list[Row] = []
    for label, judge in zip(own, judges, strict=True):
        se, sp = (found[judge, s]["estimate"] for s in ("sensitivity", "specificity"))
        if se is not None and sp is not None:
            bar = {"low": min(se, sp), "high": max(se, sp), "colour": theme.neutral, "weight": 1.2}
            lines.append({"label": label, **bar})
        both = (("sensitivity", se, "triangle-up"), ("specificity", sp, "square"))
        for name, value, shape in both:
            if value is not None:
                look = {"shape": shape, "fill": theme.surface, "colour": theme.neutral}
                marks.append({"label": label, "value": value, **look, "tip": f"{name} {percent(value)}"})
        agree = found[judge, "agreement"]
        if agree["ci_low"] is not None:
            bar = {"low": agree["ci_low"], "high": agree["ci_high"], "colour": theme.accent, "weight": 2.2}
            lines.append({"label": label, **bar})
        tip = f"agreement {percent(agree['estimate'])}"
        look = {"shape": "circle", "fill": theme.accent, "colour": theme.accent, "tip": tip}
        marks.append({"label": label, "value": agree["estimate"], **look})
    panel = RowPanel(own, ends, "Share (%)" if last else "", width, theme)
    n, responses = max(part["n"].to_list()), max(part["n_responses"].to_list())
    what = "all labels" if polarity == "all" else "no polarity" if polarity == "(none)" else spaced(polarity)
    head = f"{clean(audit)}, {what}: {plural(n, 'label')}, {plural(responses, 'response')}"
    return panel.draw(lines=lines, points=marks, columns=columns, head=head), width + side


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say which judge agrees most with the reference in each audit, and how it errs."""
    text = []
    for audit, polarity, part in rows_of(tables):
        if polarity != "all":
            continue
        found = {(r["judge"], r["statistic"]): r for r in part.iter_rows(named=True)}
        judges = sorted(set(part["judge"]), key=lambda j: (-round(found[j, "agreement"]["estimate"], 12), j))
        best = judges[0]
        kappa = found[best, "kappa"]["estimate"]
        words = "" if kappa is None else f", kappa {kappa:.2f}".replace("-", "−")
        text.append(
            f"{isolate(clean(audit))}: {isolate(clean(best))} agrees most with "
            f"{isolate(clean(part['reference'][0]))} "
            f"({percent(found[best, 'agreement']['estimate'])}{words}) on "
            f"{count(found[best, 'agreement']['n'])} labels."
        )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what a reader sees."""
    found = rows_of(tables)
    judges = len({j for *_, part in found for j in part["judge"]})
    return f"Agreement of {plural(judges, 'judge')} in {plural(len(found), 'panel')}. {caption(tables, card)}"


FIGURE = Figure(
    name="judge_audit",
    title="Judges against a reference",
    needs=("models", "judge_audit"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
