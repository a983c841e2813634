"""What the paper prints in tables 3 to 6, what the styles aim at, and what came out.

Only aggregates are printed, so a style that reproduces them says nothing about the model it is
named after. Some cannot be had together, and are listed with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

WHY_FULL = (
    "not aimed at: the paper's Full (0.52) exceeds its DCSR (0.49), so adaptation is not DCSR there; "
    "here it is"
)
WHY_PARTS = "not aimed at: the printed parts do not sum to the printed drop; these do"


@dataclass(frozen=True)
class Target:
    """One printed number.

    Parameters
    ----------
    table : int
        Table of the paper.
    system : str
        Our system; empty for the judge.
    printed_for : str
        What it is printed for.
    quantity : str
        A metric; ``hidden:<quantity>`` of `hidden_indicators`; ``judge:<metric>:<statistic>``.
    printed : float
        The number.
    why_not : str
        Why it is not aimed at; empty: it is.
    """

    table: int
    system: str
    printed_for: str
    quantity: str
    printed: float
    why_not: str = ""


def _targets() -> tuple[Target, ...]:
    names = {"cedar": "qwen3-32b", "birch-think": "gpt-5.1 (high)", "alder-think": "Gemini-3-Pro"}
    out: list[Target] = []
    for metric, values in {
        "ded": (0.24, 0.15, 0.17),
        "drss": (0.65, 0.75, 0.79),
        "car": (0.62, 0.76, 0.73),
        "sdbi": (0.52, 0.66, 0.70),
    }.items():
        out += [Target(3, s, names[s], metric, v) for s, v in zip(names, values, strict=True)]
    for quantity, values, why in (
        ("static", (0.55, 0.70, 0.76), ""),
        ("with_process", (0.39, 0.55, 0.64), ""),
        ("full", (0.21, 0.43, 0.52), WHY_FULL),
        ("drop_history", (0.192, 0.128, 0.091), WHY_PARTS),
        ("drop_safety", (0.151, 0.048, 0.059), WHY_PARTS),
        ("drop_adaptation", (0.105, 0.072, 0.058), WHY_PARTS),
    ):
        out += [
            Target(4, s, names[s], f"hidden:{quantity}", v, why) for s, v in zip(names, values, strict=True)
        ]
    for metric, rho, gap in (("drss", 0.87, 0.12), ("fqr", 0.82, 0.15), ("psc", 0.92, 0.08)):
        out.append(Target(5, "", "Claude Sonnet 3.7", f"judge:{metric}:spearman", rho))
        out.append(Target(5, "", "Claude Sonnet 3.7", f"judge:{metric}:mean_absolute_difference", gap))
    columns = {"refusal": "Refusal", "template": "Template", "random": "Random", "birch-think": "GPT-5.1"}
    for metric, printed in {
        "mni_comp": (0.00, 0.32, 0.18, 0.81),
        "f1_core": (0.00, 0.15, 0.22, 0.71),
        "psc": (0.95, 0.88, 0.72, 0.91),
        "povr": (1.00, 0.65, 0.48, 0.19),
    }.items():
        out += [Target(6, s, columns[s], metric, v) for s, v in zip(columns, printed, strict=True)]
    for system, printed_for, value in (
        ("alder-think", "Gemini-3-Pro (section 5)", 0.49),
        ("birch-think", "gpt-5.1 (high) (section 5)", 0.46),
        ("clinicians", "empirical baseline (section 5)", 0.814),
    ):
        out.append(Target(2, system, printed_for, "dcsr", value))
    return tuple(out)


TARGETS: tuple[Target, ...] = _targets()
"""Every printed number that a style leans on; table 2 itself is not in the text, section 5 quotes it."""


def compare(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Set what was printed beside what came out.

    Parameters
    ----------
    tables : mapping of str to pl.DataFrame
        `session_scores`, `hidden_indicators` and `judge_reliability` of the simulation.

    Returns
    -------
    pl.DataFrame
        table, printed_for, system, quantity, target, got, why_not.
    """
    rows = [
        {
            "table": t.table,
            "printed_for": t.printed_for,
            "system": t.system or "judge",
            "quantity": t.quantity,
            "target": t.printed,
            "got": _got(tables, t),
            "why_not": t.why_not,
        }
        for t in TARGETS
    ]
    return pl.DataFrame(rows).sort("table", maintain_order=True)


def _got(tables: Mapping[str, pl.DataFrame], target: Target) -> float:
    kind, _, rest = target.quantity.partition(":")
    if kind == "hidden":
        frame = tables["hidden_indicators"]
        found = frame.filter(pl.col("model") == target.system, pl.col("quantity") == rest)
    elif kind == "judge":
        metric, statistic = rest.split(":")
        frame = tables["judge_reliability"].filter(
            pl.col("comparison") == "repeat", pl.col("metric") == metric, pl.col("statistic") == statistic
        )
        # By session, as the paper counts cases; PSC is judged once a session.
        by_session = frame.filter(pl.col("unit") == "session")
        found = by_session if by_session.height else frame
    else:
        frame = tables["session_scores"]
        found = frame.filter(pl.col("model") == target.system, pl.col("metric") == kind)
    return float(found["estimate"].item())


def as_markdown(compared: pl.DataFrame) -> str:
    """Return the comparison as a table of Markdown."""
    rows = ["| table | printed for | system | quantity | target | got |", "|---:|---|---|---|---:|---:|"]
    notes: list[str] = []
    for r in compared.iter_rows(named=True):
        mark = ""
        if r["why_not"]:
            if r["why_not"] not in notes:
                notes.append(r["why_not"])
            mark = f" <sup>{notes.index(r['why_not']) + 1}</sup>"
        rows.append(
            f"| {r['table']} | {r['printed_for']} | `{r['system']}` | `{r['quantity']}`{mark} | "
            f"{r['target']:.3g} | {r['got']:.3f} |"
        )
    rows += ["", *(f"{i}. {note[0].upper()}{note[1:]}." for i, note in enumerate(notes, start=1))]
    return "\n".join(rows) + "\n"
