"""Which models give the same verdicts, in clustered order."""

from __future__ import annotations

import polars as pl

from analysis.config import BenchmarkCard
from analysis.figures.figure import Absent, Chart, Figure, Tables
from analysis.figures.identity import identify
from analysis.figures.matrix import Scale, key_strip
from analysis.figures.order import cluster_order
from analysis.figures.parts import Row, finish
from analysis.figures.select import ALL, in_track, n_text
from analysis.figures.square import MAX_NAMED, draw_square
from analysis.figures.strata import model_order
from analysis.figures.text import count, isolate, percent, plural
from analysis.figures.theme import WIDTH, Theme, text_on

WITHOUT = "Concordance needs two models."

SCALE = Scale(0.0, 1.0, "Agreement, kappa", "0", "1")
LEVELS = 12
"""Steps of colour where equal neighbours are drawn as one."""


def draw(tables: Tables, card: BenchmarkCard, theme: Theme) -> Chart | Absent:
    """Draw kappa below the diagonal and agreement above it."""
    import altair as alt

    frame = in_track(tables["concordance"], ALL)
    if frame.is_empty():
        return Absent(WITHOUT)
    frame = frame.filter(pl.col("n_items") > 0)
    if frame.is_empty():
        return Absent("No two models have an item in common.")
    who = identify(tables)
    ranked = model_order(tables, card, {*frame["model_a"].to_list(), *frame["model_b"].to_list()})
    models = cluster_order(frame, ranked)
    place = {m: i for i, m in enumerate(models)}
    cells: dict[tuple[int, int], Row] = {}
    for row in frame.iter_rows(named=True):
        i, j = sorted((place[row["model_a"]], place[row["model_b"]]))
        shared = {
            "n": count(row["n_items"]),
            "agreement": percent(row["agreement"]),
            "kappa": "–" if row["kappa"] is None else _kappa(row["kappa"]),
        }
        cells[i, j] = _cell(row["agreement"], shared["agreement"].rstrip("%"), theme, len(models)) | shared
        cells[j, i] = _cell(row["kappa"], shared["kappa"], theme, len(models)) | shared
    tips = (("agreement", "Agreement"), ("kappa", "Kappa"), ("n", "Common items"))
    ordered = dict(sorted(cells.items()))
    chart, width, size = draw_square([who.label(m) for m in models], ordered, theme, tips)
    above = "share of items with the same verdict" + (" (%)" if size >= 33 else "")
    text = f"{n_text(frame['n_items'].to_list(), 'common item')} per pair. Above the diagonal: {above}; "
    text += "below: Cohen's kappa, agreement beyond chance."
    if len(models) > 2:
        text += " Models are ordered by clustering"
        text += ", so blocks are groups that answer alike." if len(models) > 5 else "."
    if len(models) > MAX_NAMED:
        text += f" {len(models)} models, too many to be named here."
    if len(models) * (len(models) - 1) // 2 > frame.height:
        text += " Empty cells: no common items."
    left_out = _left_out(tables, models)
    if left_out:
        text += f" Left out: {plural(left_out, 'model')} without an item in common with any other."
    both = alt.vconcat(chart, key_strip(SCALE, theme), spacing=16)
    return finish(both, theme, card, "Agreement between models", [text], width=max(width, WIDTH - 100))


def _left_out(tables: Tables, models: list[str]) -> int:
    """Return how many scored models do not stand in the matrix."""
    scores = tables.get("model_scores")
    return 0 if scores is None else len(set(in_track(scores, ALL)["model"]) - set(models))


def _cell(value: float | None, text: str, theme: Theme, models: int) -> Row:
    if value is None:
        return {"colour": theme.band, "text": text, "ink": theme.soft}
    shown = round(value * LEVELS) / LEVELS if models > MAX_NAMED else value
    colour = SCALE.colour(shown, theme)
    return {"colour": colour, "text": text, "ink": text_on(colour, theme)}


def _kappa(value: float) -> str:
    """Write kappa with two decimals.

    Examples
    --------
    >>> _kappa(0.123), _kappa(-0.05), _kappa(-0.001)
    ('0.12', '−0.05', '0.00')
    """
    text = f"{value:.2f}".replace("-", "−")
    return "0.00" if text == "−0.00" else text


def caption(tables: Tables, card: BenchmarkCard) -> str:
    """Say how far agreement and kappa range, and which pair agrees most."""
    frame = in_track(tables["concordance"], ALL)
    some = frame.filter(pl.col("n_items") > 0)
    who = identify(tables)
    kappas = some.filter(pl.col("kappa").is_not_null())
    if some.height == 1:
        row = some.row(0, named=True)
        beyond = "" if row["kappa"] is None else f", kappa is {_kappa(row['kappa'])}"
        text = [
            f"The two models give the same verdict on {percent(row['agreement'])} of their items{beyond}."
        ]
    else:
        text = [
            f"Over {count(some.height)} pairs of models, agreement on the verdict ranges from "
            f"{percent(some['agreement'].min())} to {percent(some['agreement'].max())}."  # type: ignore[arg-type]
        ]
        if kappas.height:
            ordered = kappas.sort(["kappa", "model_a", "model_b"], descending=[True, False, False])
            top = ordered.row(0, named=True)
            low, middle, high = (_kappa(float(kappas["kappa"].quantile(q) or 0.0)) for q in (0.0, 0.5, 1.0))
            text.append(f"Kappa ranges from {low} to {high}, median {middle}.")
            pair = f"{isolate(who.spoken(top['model_a']))} and {isolate(who.spoken(top['model_b']))}"
            text.append(f"{pair} agree most beyond chance.")
    undefined = some.height - kappas.height
    if undefined:
        text.append(
            f"Kappa is not defined for {plural(undefined, 'pair')}, whose models gave one verdict only."
        )
    return " ".join(text)


def alt_text(tables: Tables, card: BenchmarkCard) -> str:
    """Say what the matrix holds."""
    frame = in_track(tables["concordance"], ALL)
    models = {*frame["model_a"].to_list(), *frame["model_b"].to_list()}
    return (
        f"Matrix of {plural(len(models), 'model')} against each other: agreement above the diagonal, "
        "kappa below it, stronger colour meaning more. Agreement ranges from "
        f"{percent(frame['agreement'].min())} to {percent(frame['agreement'].max())}."  # type: ignore[arg-type]
    )


FIGURE = Figure(
    name="concordance",
    title="Agreement between models",
    needs=("models", "concordance"),
    without=WITHOUT,
    draw=draw,
    caption=caption,
    alt_text=alt_text,
)
