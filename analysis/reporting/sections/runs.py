"""What repeated runs of the same items say: success in any and in all of k, and the noise of the runs."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import block, paragraph
from analysis.reporting.numbers import Scale, count, plural, scale_for
from analysis.reporting.results import ALL
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent, kind_of

MOST_SENTENCES = 4
"""More models with repeated runs than this are left to the table."""
PASS = {"pass_at": "pass@", "pass_hat": "pass^"}


def show(view: View) -> str:
    """Return pass@k and pass^k, and how much of the noise comes from the runs."""
    results = view.results
    rows = results.rows("repeated_runs", track=ALL)
    if rows is None:
        return absent(results.why_absent("repeated_runs"))
    models = [m for m in _ranked(view) if m in set(rows["model"])]
    found = [passes(view, rows.filter(pl.col("model") == m)) for m in models]
    texts = [text for text in found if text]
    left, shown = len(texts) - MOST_SENTENCES, texts[:MOST_SENTENCES]
    if left > 0:
        shown.append(f"{plural(left, 'more model')} with repeated runs {'is' if left == 1 else 'are'} below.")
    words = noise(view)
    return (
        (
            paragraph(shown[0])
            if len(shown) == 1
            else block(f"<ul>{''.join(f'<li>{s}</li>' for s in shown)}</ul>")
        )
        + _passes(view, rows, models)
        + (paragraph(words) if words else "")
        + _noise(view, models)
    )


def passes(view: View, rows: pl.DataFrame) -> str:
    """Return how often a model succeeds in any and in all of its runs, as a sentence.

    The largest k is taken that every item has; where no item set is complete, the one that most
    items have, with their number.
    """
    several = rows.filter(pl.col("k") > 1)
    whole = several.filter(pl.col("n_short") == 0)
    chosen = whole.filter(pl.col("k") == whole["k"].max()) if whole.height else several
    chosen = chosen.filter(pl.col("n_items") == chosen["n_items"].max())
    chosen = chosen.filter(pl.col("k") == chosen["k"].max())
    found = {r["statistic"]: r for r in chosen.iter_rows(named=True)}
    if set(found) != set(PASS) or found["pass_at"]["estimate"] is None:
        return ""
    k, n, short = (found["pass_at"][c] for c in ("k", "n_items", "n_short"))
    where = "" if not short else f" (on {count(n)} of {plural(n + short, 'item')}, those with {k} runs)"
    limits = [(found["pass_at"]["ci_low"], found["pass_at"]["ci_high"])]
    one = scale_for("percent", limits).value(found["pass_at"]["same_items"])
    name, once = view.name(found["pass_at"]["model"]), _share(view, found["pass_at"])
    return (
        f"In {k} runs{where} {name} solves {once} of the items at least once (pass@{k}) and "
        f"{_share(view, found['pass_hat'])} every time (pass^{k}), against {one} in one run."
    )


def noise(view: View) -> str:
    """Return how much of a mean's variance comes from the runs, as a sentence."""
    rows = view.results.rows("run_noise", track=ALL, metric=view.metric)
    rows = None if rows is None else rows.filter(pl.col("share_of_runs").is_not_null())
    if rows is None or not rows.height:
        return ""
    scale = Scale("percent", 0)
    rows = rows.sort("share_of_runs", "model")
    low, high = rows.row(0, named=True), rows.row(-1, named=True)
    if rows.height == 1:
        limits = "" if low["ci_low"] is None else f" ({scale.interval(low['ci_low'], low['ci_high'])})"
        unit = " points" if kind_of(view.metric) == "percent" else ""
        return (
            f"Of the variance of {view.name(low['model'])}\u2019s score, {scale.value(low['share_of_runs'])}"
            f"{limits} comes from the runs, the rest from the items. Its standard error is "
            f"{_error(view, low['se_now'])}{unit}; with one run per item it would be "
            f"{_error(view, low['se_one_run'])}, with very many {_error(view, low['se_many_runs'])}."
        )
    return (
        f"Of the variance of a model\u2019s score, {scale.value(low['share_of_runs'])} "
        f"({view.name(low['model'])}) to {scale.value(high['share_of_runs'])} ({view.name(high['model'])}) "
        "comes from the runs, the rest from the items. More runs lower the first only."
    )


def _passes(view: View, rows: pl.DataFrame, models: list[str]) -> str:
    columns = [Column("model", "Model"), Column("k", "Runs, k", "right")]
    columns += [Column(s, f"{name}k, %", "right") for s, name in PASS.items()]
    columns += [Column("n", "Items with k runs", "right")]
    cells = []
    for model in models:
        own = rows.filter((pl.col("model") == model) & pl.col("estimate").is_not_null()).sort("k")
        for k in own["k"].unique(maintain_order=True):
            found = {r["statistic"]: r for r in own.filter(pl.col("k") == k).iter_rows(named=True)}
            first = next(iter(found.values()))
            n, short = first["n_items"], first["n_short"]
            cell = {"model": view.name(model), "k": count(k)}
            cell |= {s: _cell(found.get(s)) for s in PASS}
            cells.append(cell | {"n": count(n) if not short else f"{count(n)} of {count(n + short)}"})
    return detail(
        view,
        "repeated_runs",
        columns,
        cells,
        summary="pass@k and pass^k for every k",
        caption=f"Success in any (pass\\@k) and in all (pass\\^k) of k runs, with {view.ci}.",
    )


def _noise(view: View, models: list[str]) -> str:
    rows = view.results.rows("run_noise", track=ALL, metric=view.metric)
    if rows is None:
        return ""
    found = {r["model"]: r for r in rows.iter_rows(named=True)}
    unit = ", points" if kind_of(view.metric) == "percent" else ""
    over = f"Standard error{unit}"
    columns = [
        Column("model", "Model"),
        Column("runs", "Runs per item", "right"),
        Column("share", "Variance from runs, %", "right"),
        Column("now", "Now", "right", over),
        Column("one", "One run", "right", over),
        Column("many", "Very many", "right", over),
    ]
    cells = []
    for row in (found[m] for m in models if m in found):
        scale = Scale("percent", 0)
        limits = muted_range(scale.interval(row["ci_low"], row["ci_high"]))
        cells.append(
            {
                "model": view.name(row["model"]),
                "runs": "\u2013" if row["mean_runs"] is None else f"{row['mean_runs']:.2f}",
                "share": f"{scale.bare(row['share_of_runs'])} {limits}",
                "now": _error(view, row["se_now"]),
                "one": _error(view, row["se_one_run"]),
                "many": _error(view, row["se_many_runs"]),
            }
        )
    return detail(
        view,
        "run_noise",
        columns,
        cells,
        summary="Noise of the runs and of the items",
        caption="Where the variance of a score comes from, and its standard error with more or fewer runs.",
    )


def _ranked(view: View) -> list[str]:
    return [] if view.standings is None else view.standings["model"].to_list()


def _share(view: View, row: dict[str, Any]) -> str:
    scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
    if row["ci_low"] is None:
        return scale.value(row["estimate"])
    return f"{scale.value(row['estimate'])} ({view.ci} {scale.interval(row['ci_low'], row['ci_high'])})"


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return "\u2013"
    scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
    return f"{scale.bare(row['estimate'])} {muted_range(scale.interval(row['ci_low'], row['ci_high']))}"


def _error(view: View, error: float | None) -> str:
    scale = Scale("percent", 1) if kind_of(view.metric) == "percent" else Scale("plain", 4)
    return scale.bare(error)
