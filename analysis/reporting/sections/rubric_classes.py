"""What applies in which class of vignettes, and what other weights would change."""

from __future__ import annotations

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, named, paragraph
from analysis.reporting.numbers import fixed, listed, plural
from analysis.reporting.sections.rubric_words import (
    TOGETHER,
    leading_kind,
    line_titles,
    named_line,
    rubric_of,
)
from analysis.reporting.static_table import Column, static_table, table_float
from analysis.reporting.view import View, absent


def applicability(view: View) -> str:
    """Return the classes with what does not apply in each, and how raters recorded it."""
    classes, lines = view.results.table("rubric_classes"), view.results.table("applicability")
    assert classes is not None, TOGETHER
    assert lines is not None, TOGETHER
    cells = [
        {
            "name": named(row["comparability"]),
            "items": str(row["n_items"]),
            "responses": str(row["n_responses"]),
            "without": escape(row["not_applicable"]) or "\u2013",
            "profile": f"<code>{escape(row['profile'])}</code>" if row["profile"] else "unweighted",
            "weights": f'<span class="words">{escape(_percent_weights(row["weights"]))}</span>',
            "beyond": str(row["n_volunteered"]),
        }
        for row in classes.sort("comparability").iter_rows(named=True)
    ]
    columns = [
        Column("name", "Class"),
        Column("items", "Vignettes", "right"),
        Column("responses", "Responses", "right"),
        Column("without", "Not applicable"),
        Column("profile", "Profile"),
        Column("weights", "Weights in force, %"),
        Column("beyond", "Beyond the key", "right"),
    ]
    table = static_table("rubric-classes-table", columns, cells)
    shown = table_float(
        "tbl-rubric-classes", table, "Comparability classes, with the weights after renormalising."
    )
    return paragraph(_applied(view, lines)) + shown


def _percent_weights(text: str) -> str:
    pairs = [part.split("=") for part in text.split()]
    return ", ".join(f"{name}: {100 * float(share):.3g}" for name, share in pairs)


def _applied(view: View, lines: pl.DataFrame) -> str:
    n = int(lines["n_not_applicable"].sum())
    text = f"{plural(n, 'line')} of the sheets are N/A, each with a reason."
    beyond, disputed = int(lines["n_volunteered"].sum()), int(lines["n_disputed"].sum())
    if beyond:
        which = listed([named_line(c, line_titles(view)) for c in _with(lines, "n_volunteered")], most=3)
        text += (
            f" In {plural(beyond, 'response')} what the response volunteers makes {which} apply although "
            "the vignette does not call for it: it counts in that response\u2019s own scores, and is left "
            "out where models are compared."
        )
    if disputed:
        text += f" In {plural(disputed, 'case')} some raters score a line that others find N/A."
    return text


def _with(lines: pl.DataFrame, column: str) -> list[str]:
    some = lines.filter(pl.col(column) > 0).sort("position")
    return some["criterion_id"].unique(maintain_order=True).to_list()


def profiles(view: View) -> str:
    """Return what other weighting profiles would change, class by class."""
    rows = view.results.rows("profile_sensitivity", raters=leading_kind(view))
    if rows is None or rows["profile"].n_unique() < 2:
        return absent("The rubric has no other weighting profile.")
    names = {n: p["title"] for n, p in rubric_of(view)["rubric"]["profiles"].items()} | {
        "unweighted": "Unweighted"
    }
    cells, changed = [], 0
    for (label, profile), part in rows.sort("comparability", "profile", "model").group_by(
        ["comparability", "profile"], maintain_order=True
    ):
        if part["declared"][0]:
            continue
        moved = part.filter(pl.col("shift").fill_null(0) != 0).sort("rank")
        changed += moved.height > 0
        words = [
            f"{view.name(r['model'])} {r['rank_declared']} to {r['rank']}"
            for r in moved.iter_rows(named=True)
        ]
        cells.append(
            {
                "group": named(str(label)),
                "profile": escape(names.get(str(profile), str(profile))),
                "tau": "\u2013" if part["tau"][0] is None else fixed(part["tau"][0], 2),
                "moved": listed(words)
                or ("none" if part["estimate"].count() else "all weights that apply are 0"),
            }
        )
    text = (
        f"Under another profile than the declared one the order of models would change in {changed} of "
        f"{plural(len(cells), 'combination')} of class and profile."
    )
    columns = [
        Column("profile", "Profile instead"),
        Column("tau", "Kendall\u2019s \u03c4", "right"),
        Column("moved", "Ranks that change"),
    ]
    return paragraph(text) + detail(
        view,
        "profile_sensitivity",
        columns,
        cells,
        summary="What each profile would change",
        caption="Ranks under other weighting profiles, against the declared one.",
        name="rubric-profiles",
        groups="group",
        fold=False,
    )
