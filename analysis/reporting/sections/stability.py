"""Whose ranks hang on a choice: the policy for cells without a score, one track, one cluster."""

from __future__ import annotations

from typing import Any

import polars as pl

from analysis.reporting.detail import detail
from analysis.reporting.markup import escape, paragraph
from analysis.reporting.numbers import Scale, count, listed, plural, span
from analysis.reporting.results import ALL
from analysis.reporting.static_table import Column
from analysis.reporting.view import View, absent

WORDS = {
    "exclude": "Leaving out every cell without a score",
    "excluded_as_failure": "Counting excluded answers as 0",
    "unscored_as_failure": "Counting unscored answers as 0",
    "failure": "Counting excluded and unscored answers as 0",
    "missing_as_failure": "Counting items never asked as 0 too",
    "common_items": "Keeping only the items scored for every model",
}
"""Policies as the beginning of a sentence."""
MOST_NAMED = 3
"""More parts than this that change the leader are counted, not named."""
TAU = Scale("plain", 2)

Row = dict[str, Any]


def policies(view: View) -> str:
    """Return the tables of places under every policy, folded away; empty without cells that lack a score."""
    rows = view.results.rows("rank_agreement", track=ALL, metric=view.metric)
    if rows is None or not any_cell_without_score(view):
        return ""
    return _places(view) + (_taus(view, rows) if (rows["n_moved"] > 0).any() else "")


def policy_words(view: View) -> str:
    """Return how many models each policy moves against the one in force, as sentences."""
    rows = view.results.rows("rank_agreement", track=ALL, metric=view.metric)
    if rows is None:
        return ""
    force = _in_force(view)
    moving, quiet = [], []
    for policy, words in WORDS.items():
        row = _against(rows, force, policy)
        if row is None:
            continue
        if not row["n_moved"]:
            quiet.append(f"<code>{policy}</code>")
            continue
        tau = (
            ""
            if row["kendall_tau"] is None
            else f" (Kendall\u2019s \u03c4\u00a0{TAU.bare(row['kendall_tau'])})"
        )
        text = f"{words} moves {count(row['n_moved'])} of {plural(row['n_models'], 'model')}, up to "
        text += f"{plural(row['max_rank_change'], 'rank')}{tau}"
        before, after = row["leader_a"], row["leader_b"]
        if row["policy_a"] != force:
            before, after = after, before
        moving.append(text + (f"; {view.name(after)} then leads." if before != after else "."))
    if not quiet:
        return " ".join(moving)
    head = "Against the policy in force no rank changes under" if not moving else "No rank changes under"
    return " ".join([*moving, f"{head} {listed(quiet, last='or')}."])


def influence(view: View) -> str:
    """Return what happens to the ranks if one track or one cluster is left out."""
    rows = view.results.rows("influence", metric=view.metric)
    if rows is None:
        return absent(view.results.why_absent("influence"))
    kinds = [k for k in ("track", "cluster") if rows.filter(pl.col("kind") == k).height]
    text = " ".join(part_words(view, rows.filter(pl.col("kind") == kind), kind) for kind in kinds)
    return paragraph(text) + "".join(_parts(view, rows, kind) + _stability(view, kind) for kind in kinds)


def part_words(view: View, rows: pl.DataFrame, kind: str) -> str:
    """Return whether one part decides who leads, and which part moves most, as sentences."""
    rows = rows.filter(pl.col("leader_after").is_not_null())
    if not rows.height:
        return f"Without one of the {kind}s no model keeps a cell."
    changes = rows.filter("leader_changes").sort("left_out")
    if not changes.height:
        leaders = rows["leader_after"].unique().to_list()
        text = f"None of the {plural(rows.height, kind)} decides who leads the models that keep a cell."
        if len(leaders) == 1:
            text = f"Whichever of the {plural(rows.height, kind)} is left out, {view.name(leaders[0])} leads."
    elif changes.height <= MOST_NAMED:
        pairs = changes.select("left_out", "leader_after").iter_rows()
        text = " ".join(f"Without {_part(p)} the leader is {view.name(m)}." for p, m in pairs)
    else:
        text = (
            f"The leader changes without any one of {count(changes.height)} of {plural(rows.height, kind)}, "
            f"to {view.names(changes['leader_after'].unique(maintain_order=True).to_list(), most=3)}."
        )
    most = _by_influence(rows).row(0, named=True)
    if not most["n_moved"]:
        return f"{text} No rank changes."
    verb = "changes" if most["n_moved"] == 1 else "change"
    tau = (
        ""
        if most["kendall_tau"] is None
        else f" (Kendall\u2019s \u03c4\u00a0{TAU.bare(most['kendall_tau'])})"
    )
    return (
        f"{text} The {kind} that weighs most is {_part(most['left_out'])}: without it "
        f"{plural(most['n_moved'], 'model')} {verb} rank{tau}, {view.name(most['model_most_moved'])} from "
        f"{most['rank_before']} to {most['rank_after']}."
    )


def _places(view: View) -> str:
    rows = view.results.rows("denominators", track=ALL, metric=view.metric)
    if rows is None:
        return ""
    there = set(rows["policy"])
    shown = [p for p in WORDS if p in there]
    places = {(r["policy"], r["model"]): r for r in rows.iter_rows(named=True)}
    ranked = rows.unique("model", keep="any").sort("rank_in_force", "model", nulls_last=True)["model"]
    columns = [Column("model", "Model")]
    columns += [Column(p, f"<code>{p}</code>", "right") for p in shown]
    cells = []
    for model in ranked:
        cell = {"model": view.name(model)}
        for policy in shown:
            row = places.get((policy, model))
            cell[policy] = "\u2013" if row is None else _place(view, row)
        cells.append(cell)
    return detail(
        view,
        "denominators",
        columns,
        cells,
        summary="Places under all policies",
        caption="Place, and score, under every policy for cells without a score; arrows mark moves against "
        "the policy in force.",
    )


def _place(view: View, row: Row) -> str:
    """Return a place with the move against the policy in force, upwards or downwards, and the score."""
    moved = 0 if row["rank_in_force"] is None else row["rank"] - row["rank_in_force"]
    arrow = f' <span class="muted">{chr(0x25BC if moved > 0 else 0x25B2)}{abs(moved)}</span>' if moved else ""
    return f'{row["rank"]}{arrow} <span class="range">{view.scale.bare(row["estimate"])}</span>'


def _taus(view: View, rows: pl.DataFrame) -> str:
    columns = [
        Column("a", "Policy"),
        Column("b", "Other policy"),
        Column("tau", "Kendall\u2019s \u03c4", "right"),
        Column("moved", "Models that move", "right"),
        Column("most", "Largest move", "right"),
        Column("n", "Models", "right"),
    ]
    cells = [
        {
            "a": f"<code>{row['policy_a']}</code>",
            "b": f"<code>{row['policy_b']}</code>",
            "tau": TAU.bare(row["kendall_tau"]),
            "moved": count(row["n_moved"]),
            "most": count(row["max_rank_change"]),
            "n": count(row["n_models"]),
        }
        for row in rows.iter_rows(named=True)
    ]
    return detail(
        view,
        "rank_agreement",
        columns,
        cells,
        summary="How far the rankings of two policies agree",
        caption="Agreement of the rankings under two policies, over the models that both rank.",
    )


def _parts(view: View, rows: pl.DataFrame, kind: str) -> str:
    columns = [
        Column("part", f"Left out: {kind}"),
        Column("n", "Items", "right"),
        Column("tau", "Kendall\u2019s \u03c4", "right"),
        Column("moved", "Models that move", "right"),
        Column("most", "Largest move", "right"),
        Column("leader", "Leader without it"),
    ]
    rows, cells = rows.filter(pl.col("kind") == kind), []
    # Clusters may be many: those without which nothing happens are counted only.
    moving = rows.filter((pl.col("n_moved") > 0) | pl.col("leader_changes"))
    quiet = rows.height - moving.height if kind == "cluster" else 0
    note = f"Without any one of the other {plural(quiet, kind)} no rank changes." if quiet else ""
    for row in _by_influence(moving if quiet else rows).iter_rows(named=True):
        leader = "\u2013" if row["leader_after"] is None else view.name(row["leader_after"])
        cells.append(
            {
                "part": _part(row["left_out"]),
                "n": count(row["n_items_left_out"]),
                "tau": TAU.bare(row["kendall_tau"]),
                "moved": count(row["n_moved"]),
                "most": count(row["max_rank_change"]),
                "leader": f"<strong>{leader}</strong>" if row["leader_changes"] else leader,
            }
        )
    return detail(
        view,
        "influence",
        columns,
        cells,
        summary=f"One {kind} left out",
        caption=f"The ranking without one {kind}, those that weigh most first.",
        name=f"without-{kind}",
        note=note,
    )


def _stability(view: View, kind: str) -> str:
    rows = view.results.rows("rank_stability", metric=view.metric, kind=kind)
    rows = None if rows is None else rows.filter(pl.col("rank_best").is_not_null())
    if rows is None or not (rows["rank_best"] != rows["rank_worst"]).any():
        return ""
    columns = [
        Column("model", "Model"),
        Column("rank", "Place", "right"),
        Column("span", "Places", "right"),
        Column("best", "Best without"),
        Column("worst", "Worst without"),
    ]
    cells = []
    for row in rows.sort("rank", "model").iter_rows(named=True):
        cells.append(
            {
                "model": view.name(row["model"]),
                "rank": count(row["rank"]),
                "span": span(row["rank_best"], row["rank_worst"]),
                "best": _part(row["without_best"]) if row["rank_best"] < row["rank"] else "",
                "worst": _part(row["without_worst"]) if row["rank_worst"] > row["rank"] else "",
            }
        )
    return detail(
        view,
        "rank_stability",
        columns,
        cells,
        summary=f"Between which places each model moves without one {kind}",
        caption=f"Places of each model when one {kind} is left out.",
        name=f"places-without-{kind}",
    )


def _by_influence(rows: pl.DataFrame) -> pl.DataFrame:
    keys = ["leader_changes", "n_moved", "max_rank_change", "left_out"]
    return rows.sort("kendall_tau", *keys, descending=[False, True, True, True, False], nulls_last=True)


def any_cell_without_score(view: View) -> bool:
    """Tell whether any model was not asked or not scored on any item, whatever the policy in force."""
    checks = view.results.rows("data_quality", subject="")
    if checks is not None:
        names = ["excluded_cells", "unscored_cells", "missing_cells"]
        return bool((checks.filter(pl.col("check").is_in(names))["n"] > 0).any())
    table = view.standings
    kinds = ("n_excluded", "n_unscored", "n_missing")
    return bool(view.unranked) or (table is not None and table.select(kinds).sum().row(0) != (0, 0, 0))


def _in_force(view: View) -> str:
    """Return the policy in force; a card that refuses missing cells ranks as `exclude` does."""
    policy = str(view.results.card.missing)
    return "exclude" if policy == "error" else policy


def _against(rows: pl.DataFrame, force: str, policy: str) -> Row | None:
    pair = (pl.col("policy_a") == force) & (pl.col("policy_b") == policy)
    other = (pl.col("policy_a") == policy) & (pl.col("policy_b") == force)
    found = rows.filter(pair | other)
    return found.row(0, named=True) if found.height else None


def _part(name: str) -> str:
    return f"<bdi><strong>{escape(name)}</strong></bdi>"
