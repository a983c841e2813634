"""What raters said, label by label, and how often others gave the same one."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape
from analysis.reporting.numbers import count, scale_for
from analysis.reporting.sections.rater_words import rater_name
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View


def show(view: View) -> str:
    """Return agreement by class and the use of labels, as tables; empty without labels."""
    return _by_class(view) + _use(view)


def _by_class(view: View) -> str:
    rows = view.results.table("agreement_by_class")
    if rows is None:
        return ""
    copied = _copied(view)
    columns = [
        Column("label", "Given"),
        Column("a", "By"),
        Column("b", "Other rater"),
        Column("agreed", "Same", "right"),
        Column("n", "Of", "right"),
        Column("rate", "Share, %", "right"),
        Column("interval", view.ci),
    ]
    cells = []
    for row in rows.iter_rows(named=True):
        # A verdict that was taken from a rater agrees with that rater by construction.
        if "verdict" in (row["rater_a"], row["rater_b"]) and copied & {row["rater_a"], row["rater_b"]}:
            continue
        scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
        cells.append(
            {
                "criterion": _criterion(row["criterion_id"]),
                "label": f"<code>{escape(row['label'])}</code>",
                "a": rater_name(row["rater_a"]),
                "b": rater_name(row["rater_b"]),
                "agreed": count(row["n_agreed"]),
                "n": count(row["n"]),
                "rate": scale.bare(row["rate"]),
                "interval": muted_range(scale.interval(row["ci_low"], row["ci_high"])),
            }
        )
    return detail(
        view,
        "agreement_by_class",
        columns,
        cells,
        summary="Agreement, label by label",
        caption="How often another rater gave the same label; Wilson intervals.",
        groups="criterion" if rows["criterion_id"].n_unique() > 1 else "",
    )


def _use(view: View) -> str:
    rows = view.results.table("rating_labels")
    if rows is None:
        return ""
    columns = [
        Column("label", "Label"),
        Column("who", "Given by"),
        Column("count", "Times", "right"),
        Column("n", "Of", "right"),
        Column("rate", "Share, %", "right"),
        Column("interval", view.ci),
    ]
    cells = []
    for row in rows.sort("criterion_id", "label", "who").iter_rows(named=True):
        scale = scale_for("percent", [(row["ci_low"], row["ci_high"])])
        cells.append(
            {
                "criterion": _criterion(row["criterion_id"]),
                "label": f"<code>{escape(row['label'])}</code>",
                "who": f"<bdi>{escape(row['who'])}</bdi>",
                "count": count(row["count"]),
                "n": count(row["n"]),
                "rate": scale.bare(row["rate"]),
                "interval": muted_range(scale.interval(row["ci_low"], row["ci_high"])),
            }
        )
    return detail(
        view,
        "rating_labels",
        columns,
        cells,
        summary="Labels that raters gave",
        caption="How often each label was given: by single raters, by every rater of a kind, by any of them; "
        "Wilson intervals.",
        groups="criterion" if rows["criterion_id"].n_unique() > 1 else "",
    )


def _criterion(criterion: str) -> str:
    return f"<code>{escape(criterion)}</code>" if criterion else "The response as a whole"


def _copied(view: View) -> set[str]:
    raters = view.results.table("raters")
    return set() if raters is None else set(raters.filter(pl.col("is_verdict"))["rater"])
