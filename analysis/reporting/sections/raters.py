"""How far raters agree: humans, judges, scorers and the recorded verdict, pair by pair and all together."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import block, escape, paragraph
from analysis.reporting.numbers import Scale, listed, plural, scale_for
from analysis.reporting.sections import judges, rated_labels, reliability
from analysis.reporting.sections.rater_words import (
    COEFFICIENT,
    KINDS,
    Row,
    coefficient,
    pair_cells,
    rater_name,
)
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

MOST_SENTENCES = 6
"""More pairs than this are summed up in words."""
PREVAILS = 0.68
"""Chance agreement from which one category is said to prevail: what one in four of five ratings gives."""
REPEAT = " (repeat)"


def show(view: View) -> str:
    """Return who agrees with whom, all raters together, and judges corrected by humans."""
    results = view.results
    if results.table("raters") is None:
        return absent(results.why_absent("raters"))
    parts = [paragraph(who(view)), *(paragraph(text) for text in warnings(view))]
    pairs, numbers = pair_rows(view), number_rows(view)
    if not pairs and not numbers:
        parts.append(absent(results.why_absent("agreement_statistics")))
    parts += [_pairs(view, pairs), _numbers(view, numbers, fold=bool(pairs)), _groups(view)]
    parts += [rated_labels.show(view), reliability.show(view), reliability.who(view), judges.show(view)]
    return "".join(parts)


def who(view: View) -> str:
    """Return who rated, by kind, as a sentence."""
    rows = _table(view, "raters").filter(pl.col("rater_kind") != "verdict")
    parts = []
    for kind in KINDS:
        own = rows.filter(pl.col("rater_kind") == kind).sort("rater")
        if own.height:
            parts.append(
                f"{plural(own.height, f'{kind} rater' if kind == 'human' else kind)} ({_names(own)})"
            )
    n = plural(int(rows["n_ratings"].sum()), "rating")
    return f"{n} by {listed(parts)} {'is' if n == '1 rating' else 'are'} known."


def warnings(view: View) -> list[str]:
    """Return what to know before any agreement is read: verdicts that were taken from a rater."""
    rows = _table(view, "raters")
    copied = rows.filter("is_verdict").sort("rater")["rater"].to_list()
    if not copied:
        return []
    whom = listed([rater_name(r) for r in copied], most=4, rest="other")
    theirs = "that rater" if len(copied) == 1 else "these raters"
    return [
        f"The recorded verdict never differs from {whom}: it was probably taken from {theirs}. Agreement "
        f"of the verdict with {theirs} says nothing and is left out."
    ]


def pair_rows(view: View) -> list[Row]:
    """Return the pairs over all they have rated, the most authoritative first, with AC1 and its interval.

    A rater from whom the verdict was taken has no row with the verdict.
    """
    rows, more = view.results.rows("agreement", criterion_group="all"), _statistics(view)
    if rows is None or more is None:
        return []
    keys = ["rater_a", "rater_b"]
    beside = [
        more.filter(pl.col("statistic") == statistic).select(
            *keys, *(pl.col(c).alias(f"{short}_{c}") for c in ("estimate", "ci_low", "ci_high"))
        )
        for statistic, short in (("gwet_ac1", "ac1"), ("agreement", "share"))
    ]
    kinds = more.select(*keys, "kind_a", "kind_b").unique(keys)
    for other in (*beside, kinds):
        rows = rows.join(other, on=keys, how="left")
    copied = _table(view, "raters").filter("is_verdict")["rater"].to_list()
    rows = rows.filter(~((pl.col("kind_b") == "verdict") & pl.col("rater_a").is_in(copied)))
    rows = rows.filter(~((pl.col("kind_a") == "verdict") & pl.col("rater_b").is_in(copied)))
    place = {kind: i for i, kind in enumerate(KINDS)}
    order = lambda r: (place[r["kind_b"]], place[r["kind_a"]], r["rater_a"], r["rater_b"])  # noqa: E731
    return sorted(rows.iter_rows(named=True), key=order)


def sentence(row: Row) -> str:
    """Return how far two raters agree, as a sentence."""
    scale = scale_for("percent", [(row["share_ci_low"], row["share_ci_high"])])
    of = f"{scale.value(row['agreement'])} of {plural(row['n'], 'rating')}"
    if row["rater_b"] == f"{row['rater_a']}{REPEAT}":
        text = f"{rater_name(row['rater_a'], first=True)}, asked again, agrees with itself on {of}; "
    else:
        text = f"{rater_name(row['rater_a'], first=True)} agrees with {rater_name(row['rater_b'])} on {of}; "
    if row["kappa"] is None:
        return f"{text}both use one category throughout, so \u03ba is not defined."
    text += coefficient("\u03ba", row["kappa"], row["ci_low"], row["ci_high"])
    if row["ac1_estimate"] is not None and _prevails(row):
        ac1 = coefficient("AC1", row["ac1_estimate"], row["ac1_ci_low"], row["ac1_ci_high"])
        text += f". One category prevails, which lowers \u03ba; {ac1}"
    return f"{text}."


def summaries(rows: list[Row]) -> list[str]:
    """Return, for every two kinds of raters, the pairs that agree most and least, as sentences."""
    texts = []
    for kind_b in KINDS:
        for kind_a in KINDS:
            own = [r for r in rows if (r["kind_a"], r["kind_b"]) == (kind_a, kind_b)]
            known = sorted((r for r in own if r["kappa"] is not None), key=lambda r: r["kappa"])
            if len(known) < 2:
                texts += [sentence(r) for r in known or own[:1]]
                continue
            both = f"two {KINDS[kind_a]}s" if kind_a == kind_b else f"a {KINDS[kind_a]} and a {KINDS[kind_b]}"
            text = f"{plural(len(own), 'pair')} of {both}: \u03ba runs from {_with(known[0])} to "
            texts.append(f"{text}{_with(known[-1])}.")
    return texts


def number_rows(view: View) -> list[Row]:
    """Return the pairs whose ratings compare as numbers: rank correlation and differences."""
    more = _statistics(view)
    if more is None:
        return []
    found: dict[tuple[str, str], Row] = {}
    names = ("spearman", "mean_difference", "mean_absolute_difference")
    for row in more.filter(pl.col("statistic").is_in(names)).iter_rows(named=True):
        pair = found.setdefault((row["rater_a"], row["rater_b"]), {"n": row["n"]})
        pair[row["statistic"]] = row
    return [{"rater_a": a, "rater_b": b, **pair} for (a, b), pair in found.items()]


def _pairs(view: View, rows: list[Row]) -> str:
    if not rows:
        return ""
    texts = [sentence(r) for r in rows] if len(rows) <= MOST_SENTENCES else summaries(rows)
    items = "".join(f"<li>{text}</li>" for text in texts)
    columns = [
        Column("a", "Rater"),
        Column("b", "Other rater"),
        Column("n", "Ratings", "right"),
        Column("agreement", "Agree, %", "right"),
        Column("kappa", "\u03ba", "right"),
        Column("interval", view.ci),
        Column("ac1", "AC1", "right"),
    ]
    differs = [k for k in ("kappa_linear", "kappa_quadratic") if any(_apart(r, k) for r in rows)]
    columns += [Column(k, f"\u03ba, {k.removeprefix('kappa_')} weights", "right") for k in differs]
    rates = {"sensitivity": "Sensitivity, %", "specificity": "Specificity, %"}
    columns += [Column(k, head, "right") for k, head in rates.items() if any(r[k] is not None for r in rows)]
    scale = scale_for("percent", [(row["share_ci_low"], row["share_ci_high"]) for row in rows])
    cells = []
    for row in rows:
        cell = pair_cells(row) | {
            k: COEFFICIENT.bare(row[k]) for k in ("kappa", "kappa_linear", "kappa_quadratic")
        }
        cell |= {k: scale.bare(row[k]) for k in ("agreement", *rates)}
        cell["interval"] = muted_range(COEFFICIENT.interval(row["ci_low"], row["ci_high"]))
        cell["ac1"] = COEFFICIENT.bare(row["ac1_estimate"])
        cells.append(cell)
    note = "The interval is that of plain \u03ba."
    if any(r[k] is not None for r in rows for k in rates):
        note += " Sensitivity and specificity are the rater\u2019s, with the other rater as reference."
    table = detail(
        view,
        "agreement",
        columns,
        cells,
        summary=f"{plural(len(rows), 'pair')} of raters as a table",
        caption="Agreement of two raters on what both have rated.",
        note=note,
    )
    return block(f"<ul>{items}</ul>") + table


def _numbers(view: View, rows: list[Row], *, fold: bool) -> str:
    columns = [Column("a", "Rater"), Column("b", "Other rater"), Column("n", "Ratings", "right")]
    heads = {
        "spearman": "Spearman\u2019s \u03c1",
        "mean_difference": "Mean difference",
        "mean_absolute_difference": "Mean absolute difference",
    }
    columns += [Column(k, head, "right") for k, head in heads.items()]
    cells = []
    for row in rows:
        cell = pair_cells(row)
        for key in heads:
            own = row.get(key)
            cell[key] = "\u2013"
            if own is not None and own["estimate"] is not None:
                limits = muted_range(COEFFICIENT.interval(own["ci_low"], own["ci_high"]))
                cell[key] = f"{COEFFICIENT.bare(own['estimate'])} {limits}"
        cells.append(cell)
    return detail(
        view,
        "agreement_statistics",
        columns,
        cells,
        summary="The ratings as numbers: rank correlation and differences",
        caption=f"Ratings as numbers, with {view.ci}. A mean difference above 0: the first rater gives more.",
        name="rater-numbers",
        fold=fold,
    )


def _groups(view: View) -> str:
    """Return the agreement on parts of what was rated: unflagged, by polarity, by criterion."""
    rows = view.results.table("agreement")
    rows = None if rows is None else rows.filter(pl.col("criterion_group") != "all")
    if rows is None or not rows.height:
        return ""
    copied = _table(view, "raters").filter("is_verdict")["rater"].to_list()
    own = pl.col("rater_a").is_in(copied) & (pl.col("rater_b") == "verdict")
    columns = [
        Column("a", "Rater"),
        Column("b", "Other rater"),
        Column("n", "Ratings", "right"),
        Column("agreement", "Agree, %", "right"),
        Column("kappa", "\u03ba", "right"),
        Column("interval", view.ci),
    ]
    scale = Scale("percent", 0)
    cells = [
        pair_cells(row)
        | {
            "group": f"<bdi>{escape(row['criterion_group'].replace(':', ': ', 1))}</bdi>",
            "agreement": scale.bare(row["agreement"]),
            "kappa": COEFFICIENT.bare(row["kappa"]),
            "interval": muted_range(COEFFICIENT.interval(row["ci_low"], row["ci_high"])),
        }
        for row in rows.filter(~own).sort("criterion_group", maintain_order=True).iter_rows(named=True)
    ]
    return detail(
        view,
        "agreement",
        columns,
        cells,
        summary="Agreement by part: unflagged ratings, polarity, criterion",
        caption="Agreement of two raters on parts of what both have rated.",
        name="agreement-parts",
        groups="group",
    )


def _table(view: View, name: str) -> pl.DataFrame:
    frame = view.results.table(name)
    assert frame is not None, f"the section is shown only where {name} has rows"
    return frame


def _statistics(view: View) -> pl.DataFrame | None:
    return view.results.rows("agreement_statistics", criterion_group="all")


def _names(rows: pl.DataFrame) -> str:
    return listed([rater_name(r) for r in rows["rater"]], most=4)


def _prevails(row: Row) -> bool:
    """Tell whether one category prevails: agreement and kappa then imply much agreement by chance."""
    rest = 1 - row["kappa"]
    return bool(rest > 0 and (row["agreement"] - row["kappa"]) / rest >= PREVAILS)


def _apart(row: Row, weighted: str) -> bool:
    """Tell whether a weighted kappa says more than the plain one."""
    return row[weighted] is not None and (row["kappa"] is None or round(row[weighted] - row["kappa"], 9) != 0)


def _with(row: Row) -> str:
    """Return a pair's kappa with the names of its raters."""
    kappa = f"{COEFFICIENT.bare(row['kappa'])} ({COEFFICIENT.interval(row['ci_low'], row['ci_high'])})"
    return f"{kappa} for {rater_name(row['rater_a'])} and {rater_name(row['rater_b'])}"
