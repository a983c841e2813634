"""All raters together: agreement beyond chance, and who rated what."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, count, listed
from analysis.reporting.sections.rater_words import COEFFICIENT, coefficient, rater_name, raters_of
from analysis.reporting.sections.scores import muted_range
from analysis.reporting.static_table import Column
from analysis.reporting.view import View

STATISTICS = {
    "agreement": "Agreement of pairs of ratings",
    "fleiss_kappa": "Fleiss\u2019 \u03ba",
    "gwet_ac1": "Gwet\u2019s AC1",
    "alpha_nominal": "Krippendorff\u2019s \u03b1 (nominal)",
    "alpha_ordinal": "Krippendorff\u2019s \u03b1 (ordinal)",
    "alpha_interval": "Krippendorff\u2019s \u03b1 (interval)",
    "icc_1_1": "ICC(1,1), one-way",
    "icc_a_1": "ICC(A,1), absolute agreement",
    "icc_c_1": "ICC(C,1), consistency",
    "icc_1_k": "ICC(1,k), one-way, mean of the raters",
    "icc_a_k": "ICC(A,k), absolute agreement, mean of the raters",
    "icc_c_k": "ICC(C,k), consistency, mean of the raters",
}
"""Statistics of several raters, as a table names them."""

SYMBOLS = {"icc_a_1": "ICC(A,1)"}
"""Statistics that a sentence names more shortly."""


def show(view: View) -> str:
    """Return how far all raters of a kind agree, in words and as a table; empty with a single rater."""
    texts = together(view)
    rows = view.results.table("reliability")
    if rows is None:
        return ""
    cells = []
    for row in rows.filter(pl.col("criterion_group") == "all").iter_rows(named=True):
        cells.append(
            {
                "group": f"{raters_of(row['raters'])}, {row['n_raters']}",
                "statistic": STATISTICS.get(row["statistic"], escape(row["statistic"])),
                "estimate": COEFFICIENT.bare(row["estimate"]),
                "interval": muted_range(COEFFICIENT.interval(row["ci_low"], row["ci_high"])),
                "n": count(row["n"]),
            }
        )
    columns = [
        Column("statistic", "Statistic"),
        Column("estimate", "Value", "right"),
        Column("interval", view.ci),
        Column("n", "Rated by several", "right"),
    ]
    table = detail(
        view,
        "reliability",
        columns,
        cells,
        summary="All raters together, every statistic",
        caption="Agreement of several raters at once, beyond chance.",
        groups="group",
    )
    return (paragraph(" ".join(texts)) if texts else "") + table


def together(view: View) -> list[str]:
    """Return how far all raters of a kind agree beyond chance, as sentences."""
    rows = view.results.rows("reliability", criterion_group="all")
    if rows is None:
        return []
    texts = []
    for (name,), own in rows.group_by(["raters"], maintain_order=True):
        known = {r["statistic"]: r for r in own.iter_rows(named=True) if r["estimate"] is not None}
        chosen = [s for s in ("fleiss_kappa", "alpha_ordinal", "alpha_nominal", "icc_a_1") if s in known]
        if "alpha_ordinal" in chosen and "alpha_nominal" in chosen:
            chosen.remove("alpha_nominal")
        parts = [
            coefficient(
                SYMBOLS.get(s, STATISTICS[s]), *(known[s][c] for c in ("estimate", "ci_low", "ci_high"))
            )
            for s in chosen
        ]
        n = int(own["n_raters"].max())  # type: ignore[arg-type]
        whom = "Both raters" if n == 2 else f"All {n} raters"
        if name != "all":
            whom = f"The {n} {raters_of(str(name))}"
        if parts:
            texts.append(f"{whom} together: {listed(parts)}.")
    return texts


def who(view: View) -> str:
    """Return the table of raters and what they rated, folded away."""
    rows = view.results.table("raters")
    if rows is None:
        return ""
    rows = rows.filter(pl.col("rater_kind") != "verdict")
    columns = [
        Column("a", "Rater"),
        Column("kind", "Kind"),
        Column("n", "Ratings", "right"),
        Column("items", "Items", "right"),
        Column("models", "Models", "right"),
        Column("labels", "Labels used", "right"),
        Column("yes", "Yes, %", "right"),
        Column("mean", "Mean", "right"),
        Column("lost", "Without verdict", "right"),
    ]
    scale = Scale("percent", 0)
    cells = [
        {
            "a": rater_name(row["rater"]),
            "kind": escape(row["rater_kind"]),
            "n": count(row["n_ratings"]),
            "items": count(row["n_items"]),
            "models": count(row["n_models"]),
            "labels": count(row["n_categories"]),
            "yes": scale.bare(row["share_positive"]),
            "mean": COEFFICIENT.bare(row["mean_value"]),
            "lost": count(row["n_without_verdict"]),
        }
        for row in rows.sort("rater_kind", "rater").iter_rows(named=True)
    ]
    return detail(
        view, "raters", columns, cells, summary="Who rated what", caption="Raters and what they rated."
    )
